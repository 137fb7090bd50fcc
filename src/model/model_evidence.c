/*
 * model_evidence.c
 *		The evidence of a model: its rules, the graph's facts and the weights that it has learnt, in memory.
 */
#include "model_evidence.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "server/growing_array.h"
#include "server/host.h"

/* one more thread for this many facts to sort: some milliseconds' work */
#define FACTS_A_THREAD 50000

/* ---- facts and rules ---------------------------------------------------------------- */

uint64
evidence_index_bytes(const EvRuleSet *rules, const GraphData *data)
{
	return ev_facts_bytes(data->entities, data->relations, data->facts) + ev_rules_bytes(data->relations, rules);
}

void
evidence_index(Evidence *evidence, const EvRuleSet *rules, const GraphData *data)
{
	Arena		arena = hkg_arena();
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg threads", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work); /* the threads end with it */
	Pool	   *pool = hkg_pool_of((int) Min(hkg_threads, 1 + data->facts / FACTS_A_THREAD));

	ev_facts(&arena, pool, data->entities, data->relations, data->fact, data->facts, &evidence->facts);
	ev_rules(&arena, pool, data->relations, rules, &evidence->rules);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* ---- facts in the model's rows --------------------------------------------------------- */

static int32 *
rows_of(const int32 *ids, int32 count, const int32 *known, int32 known_count)
{
	int32	   *rows = array_new(int32, count);

	for (int32 i = 0; i < count; i++)
		rows[i] = graph_row(known, known_count, ids[i]);
	return rows;
}

/* The graph in the model's rows, in place; facts about what has no row there are left out. */
static GraphData *
translated(GraphData *data, const Model *model)
{
	int32	   *entity = rows_of(data->entity_id, data->entities, model->entity_id, model->kge.entities);
	int32	   *relation = rows_of(data->relation_id, data->relations, model->relation_id, model->kge.relations);
	int64		count = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		Triple	fact = data->fact[i];

		CHECK_FOR_INTERRUPTS();
		fact = (Triple) {entity[fact.head], relation[fact.relation], entity[fact.tail]};
		if (fact.head >= 0 && fact.relation >= 0 && fact.tail >= 0)
			data->fact[count++] = fact;
	}
	*data = (GraphData) {model->kge.entities, model->entity_id, model->kge.relations, model->relation_id,
		count, data->fact};
	return data;
}

/* ---- all of it ------------------------------------------------------------------------ */

/* Most callers can do without: the embedding has scores of its own. */
static void
check_memory(uint64 taken, uint64 bytes)
{
	hkg_check_memory_or(taken + bytes, taken > 0 ? "a model with the evidence of its rules" : "the evidence of rules",
						"use the embedding alone, where a function has the argument for it: evidence => 'embedding'");
}

static GraphData
rows_of_model(const Model *model)
{
	return (GraphData) {.entities = model->kge.entities,.entity_id = model->entity_id,
		.relations = model->kge.relations,.relation_id = model->relation_id};
}

/* All but facts and rules, in the rows of `data`; NULL when there is no evidence. */
static Evidence *
read_weights(Graph *graph, const char *name, const GraphData *data)
{
	Evidence   *evidence = palloc0(sizeof(Evidence));

	if (!evidence_read_discounts(graph, name, &evidence->discount_alone, &evidence->weights.discount))
		return NULL;
	evidence->entity_id = data->entity_id;
	evidence->relation_id = data->relation_id;
	evidence_read_weights(graph, name, data, &evidence->weights);
	return evidence;
}

/* data: NULL for all facts of the graph, in the rows of `model`.  What is needed on the way counts as well. */
static Evidence *
read_evidence(Graph *graph, const char *name, const Model *model, const GraphData *data, uint64 taken)
{
	GraphData	rows = data == NULL ? rows_of_model(model) : *data;
	Evidence   *evidence = read_weights(graph, name, &rows);
	MemoryContext work;
	MemoryContext caller;
	EvRuleSet	rules;

	if (evidence == NULL)
		return NULL;
	work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	if (data == NULL)
		data = translated(graph_read(graph), model);
	rules = evidence_read_rules(graph, name, data);
	MemoryContextSwitchTo(caller);
	check_memory(taken, evidence_index_bytes(&rules, data) + MemoryContextMemAllocated(work, true));
	evidence_index(evidence, &rules, data);
	MemoryContextDelete(work);
	return evidence;
}

Evidence *
evidence_of_data(Graph *graph, const char *model, const GraphData *data)
{
	return read_evidence(graph, model, NULL, data, 0);
}

Evidence *
evidence_of_model(Graph *graph, const Model *model, uint64 taken)
{
	return read_evidence(graph, model->name, model, NULL, taken);
}

Evidence *
evidence_without_index(Graph *graph, const Model *model)
{
	GraphData	rows = rows_of_model(model);

	return read_weights(graph, model->name, &rows);
}

Evidence *
evidence_of_facts(Graph *graph, const Model *model)
{
	Evidence   *evidence = palloc0(sizeof(Evidence));
	GraphData  *data = translated(graph_read(graph), model);
	EvRuleSet	rules = {0};

	hkg_check_memory(evidence_index_bytes(&rules, data), "an index of facts");
	evidence_index(evidence, &rules, data);
	return evidence;
}

EvAnswering *
evidence_answering(const Evidence *evidence, uint64 taken)
{
	Arena		arena = hkg_scratch(true);

	check_memory(taken, ev_answering_bytes(&evidence->facts));
	return ev_answering(&arena, &evidence->facts, &evidence->rules);
}

/* ---- what it adds to a score ------------------------------------------------------------ */

static EvWeights
weights_of(const Evidence *evidence, EvKind kind)
{
	return kind == EV_RULES ? (EvWeights) {.discount = evidence->discount_alone} : evidence->weights;
}

KgeAdjustment
evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster)
{
	Arena		arena = hkg_scratch(true);

	check_memory(0, ev_adjuster_bytes(&evidence->facts, threads));
	ev_adjuster(&arena, &evidence->facts, &evidence->rules, weights_of(evidence, kind), threads, adjuster);
	return ev_adjustment(adjuster);
}

KgeAdjustment
evidence_adjustment_by(const Evidence *evidence, EvKind kind, int threads, EvAnswering **answering, EvAdjuster *adjuster)
{
	*adjuster = (EvAdjuster) {.facts = &evidence->facts,.weights = weights_of(evidence, kind),.threads = threads,
		.answering = answering};
	check_memory(0, (uint64) threads * evidence->facts.entities * sizeof(KgeAddition));
	adjuster->addition = array_new(KgeAddition *, threads);
	for (int i = 0; i < threads; i++)
		adjuster->addition[i] = array_new(KgeAddition, evidence->facts.entities);
	return ev_adjustment(adjuster);
}

double
evidence_of_candidate(const Evidence *evidence, EvKind kind, const EvCandidate *candidate)
{
	return ev_evidence(candidate, kind == EV_RULES ? evidence->discount_alone : evidence->weights.discount);
}
