/*
 * model_evidence.c
 *		The evidence of a model: its rules, its path network, the graph's facts and the weights that it has learnt, in
 *		memory.
 */
#include "model_evidence.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "answer_sets.h"
#include "path_network.h"
#include "server/growing_array.h"
#include "server/host.h"

/* one more thread for this many facts to sort: some milliseconds' work */
#define FACTS_A_THREAD 50000

/* ---- what it has -------------------------------------------------------------------- */

static EvBasis
basis_of(const Evidence *evidence)
{
	return (EvBasis) {&evidence->facts, evidence->has_rules ? &evidence->rules : NULL, evidence->network};
}

bool
evidence_has_kind(const Evidence *evidence, EvKind kind)
{
	switch (kind)
	{
		case EV_EMBEDDING:
			return true;
		case EV_RULES:
			return evidence != NULL && evidence->has_rules;
		case EV_NETWORK:
			return evidence != NULL && evidence->network != NULL;
		default:
			return evidence != NULL;
	}
}

/* ---- facts and rules ---------------------------------------------------------------- */

uint64
evidence_index_bytes(const EvRuleSet *rules, const GraphData *data)
{
	return fact_index_bytes(data->entities, data->relations, data->facts) + ev_rules_bytes(data->relations, rules);
}

void
evidence_index(Evidence *evidence, const EvRuleSet *rules, const GraphData *data)
{
	Arena		arena = hkg_arena();
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg threads", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work); /* the threads end with it */
	Pool	   *pool = hkg_pool_of((int) Min(hkg_threads, 1 + data->facts / FACTS_A_THREAD));

	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &evidence->facts);
	ev_rules(&arena, pool, data->relations, rules, &evidence->rules);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* ---- facts in the model's rows --------------------------------------------------------- */

/* Row -> id: the model's own array where no entity was added, so that most graphs take no memory for it. */
static int32 *
ids_by_row(const AddedEntities *added)
{
	const Model *model = added->model;
	int32	   *id = model->entity_id;

	if (added->count == 0)
		return id;
	id = array_new(int32, (Size) model->kge.entities + added->count);
	memcpy(id, model->entity_id, sizeof(int32) * model->kge.entities);
	memcpy(id + model->kge.entities, added->id, sizeof(int32) * added->count);
	return id;
}

static GraphData
rows_of_model(const AddedEntities *added)
{
	const Model *model = added->model;

	return (GraphData) {.entities = model->kge.entities + added->count,.entity_id = ids_by_row(added),
		.relations = model->kge.relations,.relation_id = model->relation_id};
}

/* The graph in these rows, in place; facts of relations without a row are left out. */
static GraphData *
translated(GraphData *data, const GraphData *rows, const AddedEntities *added)
{
	int32	   *entity = array_new(int32, data->entities);
	int32	   *relation = array_new(int32, data->relations);
	Triple	   *fact = data->fact;
	int64		facts = data->facts;

	for (int32 i = 0; i < data->entities; i++)
	{
		hkg_check_interrupts();
		entity[i] = added_entities_row(added, data->entity_id[i]);
	}
	for (int32 i = 0; i < data->relations; i++)
		relation[i] = graph_row(added->model->relation_id, added->model->kge.relations, data->relation_id[i]);
	*data = *rows;
	data->fact = fact;
	data->facts = 0;
	for (int64 i = 0; i < facts; i++)
	{
		Triple		moved = {entity[fact[i].head], relation[fact[i].relation], entity[fact[i].tail]};

		CHECK_FOR_INTERRUPTS();
		if (moved.head >= 0 && moved.relation >= 0 && moved.tail >= 0)
			fact[data->facts++] = moved;
	}
	return data;
}

int32
evidence_entity_row(const Evidence *evidence, int32 id)
{
	if (evidence->added != NULL)
		return added_entities_row(evidence->added, id);
	return graph_row(evidence->entity_id, evidence->facts.entities, id);
}

/* ---- all of it ------------------------------------------------------------------------ */

#define WITH_EVIDENCE "a model with its evidence"
#define EVIDENCE_ALONE "the evidence of rules and paths"

/* Most callers can do without: the embedding has scores of its own. */
#define WITHOUT_EVIDENCE "use the embedding alone, where a function has the argument for it: evidence => 'embedding'"

static void
check_memory(uint64 taken, uint64 bytes)
{
	hkg_check_memory_or(taken + bytes, taken > 0 ? WITH_EVIDENCE : EVIDENCE_ALONE, WITHOUT_EVIDENCE);
}

static Arena
within_memory(Arena arena)
{
	return hkg_within_memory(arena, 0, EVIDENCE_ALONE, WITHOUT_EVIDENCE);
}

/* All but facts, rules and network, in rows of `data`; NULL when there is no evidence.  added: NULL where these ascend */
static Evidence *
read_weights(Graph *graph, const char *name, const GraphData *data, const AddedEntities *added)
{
	Evidence   *evidence = palloc0(sizeof(Evidence));
	EvidenceDiscounts discounts = {0};

	evidence_read_discounts(graph, name, &discounts);
	evidence->has_rules = discounts.has_rules;
	evidence->discount_alone = discounts.rules;
	evidence->weights.discount = discounts.both;
	if (!evidence->has_rules && path_network_number(graph, name, "members") == 0)
		return NULL;
	evidence->entity_id = data->entity_id;
	evidence->relation_id = data->relation_id;
	evidence->added = added;
	if (added != NULL && added->count > 0)
	{
		bool	   *is_new = array_new_zero(bool, (Size) added->model->kge.entities + added->count);

		memset(is_new + added->model->kge.entities, true, added->count);
		evidence->is_new = is_new;
	}
	evidence_read_weights(graph, name, data, &evidence->weights);
	return evidence;
}

/* With `added`, all facts of the graph are read into these rows; else they have facts.  `taken`: memory of the caller. */
static Evidence *
read_evidence(Graph *graph, const char *name, const AddedEntities *added, const GraphData *rows, uint64 taken)
{
	Evidence   *evidence = read_weights(graph, name, rows, added);
	const GraphData *data = rows;
	MemoryContext work;
	MemoryContext caller;
	EvRuleSet	rules;

	if (evidence == NULL)
		return NULL;
	work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	if (added != NULL)
		data = translated(graph_read(graph), rows, added);
	rules = evidence->has_rules ? evidence_read_rules(graph, name, data, added) : (EvRuleSet) {0};
	MemoryContextSwitchTo(caller);
	evidence->network = path_network_read(graph, name, data, taken + MemoryContextMemAllocated(work, true));
	if (evidence->network != NULL && added == NULL)
	{
		MemoryContextSwitchTo(work);
		data = path_network_facts(graph, name, data);
		MemoryContextSwitchTo(caller);
	}
	check_memory(taken, path_network_bytes(evidence->network) + evidence_index_bytes(&rules, data) +
				 MemoryContextMemAllocated(work, true));
	evidence_index(evidence, &rules, data);
	MemoryContextDelete(work);
	return evidence;
}

Evidence *
evidence_of_data(Graph *graph, const char *model, const GraphData *data)
{
	Evidence   *evidence = read_evidence(graph, model, NULL, data, 0);

	if (evidence != NULL)
		evidence->facts.answers = answer_sets_read(graph, data->relation_id, &evidence->facts);
	return evidence;
}

Evidence *
evidence_of_model(Graph *graph, const AddedEntities *added, uint64 taken)
{
	GraphData	rows = rows_of_model(added);

	return read_evidence(graph, added->model->name, added, &rows, taken);
}

Evidence *
evidence_without_index(Graph *graph, const AddedEntities *added)
{
	GraphData	rows = rows_of_model(added);

	return read_weights(graph, added->model->name, &rows, added);
}

Evidence *
evidence_of_facts(Graph *graph, const AddedEntities *added)
{
	Evidence   *evidence = palloc0(sizeof(Evidence));
	GraphData	rows = rows_of_model(added);
	GraphData  *data = translated(graph_read(graph), &rows, added);
	EvRuleSet	rules = {0};

	hkg_check_memory(evidence_index_bytes(&rules, data), "an index of facts");
	evidence_index(evidence, &rules, data);
	return evidence;
}

const AnswerSet *
answers_of_data(Graph *graph, const GraphData *data)
{
	MemoryContext caller = CurrentMemoryContext;
	EvRuleSet	rules = {0};
	Evidence	evidence;
	const AnswerSet *answers;

	if (!answer_sets_exist(graph))
		return NULL;
	hkg_check_memory(evidence_index_bytes(&rules, data), "an index of facts");
	MemoryContextSwitchTo(AllocSetContextCreate(caller, "hybridkg facts", ALLOCSET_DEFAULT_SIZES));
	evidence_index(&evidence, &rules, data);
	caller = MemoryContextSwitchTo(caller);
	answers = answer_sets_read(graph, data->relation_id, &evidence.facts);
	MemoryContextDelete(caller);
	return answers;
}

const AnswerSet *
answers_of_model(Graph *graph, const AddedEntities *added)
{
	GraphData	rows;

	if (!answer_sets_exist(graph) || !graph_may_read(graph, "triple"))
		return NULL;
	rows = rows_of_model(added);
	return answers_of_data(graph, translated(graph_read(graph), &rows, added));
}

uint64
evidence_taken_bytes(const Evidence *evidence)
{
	const FactIndex *facts = &evidence->facts;

	if (evidence->is_shared)
		return 0;
	return fact_index_bytes(facts->entities, facts->relations, facts->edges / 2) + path_network_bytes(evidence->network);
}

uint64
evidence_answering_bytes(const Evidence *evidence)
{
	EvBasis		basis = basis_of(evidence);

	return ev_answering_bytes(&basis);
}

EvAnswering *
evidence_answering(const Evidence *evidence, uint64 taken)
{
	Arena		arena = hkg_within_memory(hkg_scratch(true), taken, taken > 0 ? WITH_EVIDENCE : EVIDENCE_ALONE, WITHOUT_EVIDENCE);
	EvBasis		basis = basis_of(evidence);

	return ev_answering(&arena, &basis);
}

/* ---- what it adds to a score ------------------------------------------------------------ */

static EvWeights
weights_of(const Evidence *evidence, EvKind kind)
{
	if (ev_uses_embedding(kind))
		return evidence->weights;
	return (EvWeights) {.discount = evidence->discount_alone};
}

KgeAdjustment
evidence_adjustment(const Evidence *evidence, EvKind kind, int threads, EvAdjuster *adjuster)
{
	Arena		arena = within_memory(hkg_scratch(true));
	EvBasis		basis = basis_of(evidence);

	ev_adjuster(&arena, &basis, weights_of(evidence, kind), kind, threads, adjuster);
	return ev_adjustment(adjuster);
}

KgeAdjustment
evidence_adjustment_by(const Evidence *evidence, EvKind kind, int threads, EvAnswering **answering, EvAdjuster *adjuster)
{
	Arena		arena = within_memory(hkg_arena());

	*adjuster = (EvAdjuster) {.facts = &evidence->facts,.weights = weights_of(evidence, kind),.kind = kind,
		.threads = threads,.answering = answering};
	adjuster->addition = array_new(KgeAddition *, threads);
	for (int i = 0; i < threads; i++)
		adjuster->addition[i] = i > 0 && answering[i] == answering[0] ? adjuster->addition[0] :
			arena_new(&arena, KgeAddition, evidence->facts.entities);
	return ev_adjustment(adjuster);
}

void
evidence_expect(const Evidence *evidence, EvAdjuster *adjuster, const KgeModel *kge)
{
	Arena		arena = within_memory(hkg_arena());

	if (evidence->is_new == NULL)
		return;
	ev_adjuster_expect(&arena, adjuster, kge, evidence->is_new);
}

double
evidence_of_candidate(const Evidence *evidence, EvKind kind, int32 relation, Side side, const EvCandidate *candidate)
{
	EvWeights	weights = weights_of(evidence, kind);

	return ev_evidence_by(&weights, kind, 2 * relation + (int32) side, candidate);
}
