/*
 * training_facts.c
 *		The facts of a training: read and checked (see training_facts.h).
 */
#include "training_facts.h"

#include "model/model.h"
#include "server/host.h"

/* Embeddings of a warm start were trained on all facts already, so none can be held out from them. */
static void
hold_out(TrainingFacts *facts, const Graph *graph, const TrainSettings *settings)
{
	GraphData  *rest;

	if (settings->warm_start)
		return;
	facts->valid = hold_out_draw(facts->all, settings->holdout, (uint64) settings->seed, &rest, &facts->valid_count);
	hold_out_notice(graph->name, settings, facts->valid_count, facts->all->facts);
	if (rest != NULL)
		facts->learnt = rest;
}

/* They were loaded twice, or inserted by hand: hkg_load and hkg_sync leave them out. */
static void
notice_overlap(Graph *graph, const GraphData *data)
{
	int64		held;
	Triple	   *holdout = graph_read_split(graph, data, NULL, &held);
	int64		common = triples_in_common(data->fact, data->facts, holdout, held);

	pfree(holdout);
	if (common > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " of the facts that graph \"%s\" learns from are held out, too: "
									 "metrics will be too high",
						common, graph->name),
				 errhint("Take them from the facts: delete from %1$striple f using %1$sholdout h "
						 "where (h.head, h.relation, h.tail) = (f.head, f.relation, f.tail)", graph->prefix)));
}

TrainingFacts
training_facts_read(Graph *graph, const TrainSettings *settings)
{
	Version		version = facts_version(graph);
	const GraphData *data = graph_read(graph);
	TrainingFacts facts = {.all = data,.learnt = data,.version = version};

	facts.valid = graph_read_split(graph, data, "valid", &facts.valid_count);
	notice_overlap(graph, data);
	facts.filter = graph_read_known(graph, data, &facts.filter_count);
	facts.rejected = graph_read_rejected(graph, data, facts.filter, facts.filter_count, &facts.rejected_count);
	if (facts.valid_count == 0)
		hold_out(&facts, graph, settings);
	facts.degrees = graph_degrees(facts.learnt);
	return facts;
}

void
training_facts_check(const TrainingFacts *facts, Graph *graph, const TrainSettings *settings)
{
	if (settings->rules_of != NULL)
		model_require(graph, settings->rules_of);
	if (facts->learnt->facts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has no facts", graph->name),
				 errhint("Load some with hkg_load.")));
	if (facts->learnt->entities < 2)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has one entity, but embeddings need at least two", graph->name),
				 errhint("Load more facts with hkg_load.")));
	if (settings->partitions > facts->learnt->entities)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("partitions must be at most the number of entities of graph \"%s\", %d, not %d",
						graph->name, facts->learnt->entities, settings->partitions),
				 errhint("Choose fewer partitions.")));
	if (settings->patience > 0 && facts->valid_count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("patience needs a valid split, but graph \"%s\" has none", graph->name),
				 settings->warm_start ?
				 errdetail("No facts are held out in its place: warm_start goes on from what all facts taught.") :
				 errdetail("No facts are held out in its place: with holdout at %g, and another one left to each entity and "
						   "relation, they would be fewer than %d.", settings->holdout, HOLD_OUT_LEAST),
				 errhint("%s Or leave patience at null.", graph_split_hint(graph, "valid"))));
}

/* Facts are in the order of relations, then of heads. */
int64
training_queries(const GraphData *data)
{
	int32	   *relation;		/* by tail: the last relation that it was seen with */
	int64		count = 0;

	if (data->fact == NULL)
		return 2 * data->facts;
	relation = hkg_allocate(CurrentMemoryContext, Max(data->entities, 1) * sizeof(int32));
	memset(relation, -1, data->entities * sizeof(int32));
	for (int64 i = 0; i < data->facts; i++)
	{
		const Triple *fact = &data->fact[i];

		hkg_check_interrupts();
		count += i == 0 || fact->head != fact[-1].head || fact->relation != fact[-1].relation;
		count += relation[fact->tail] != fact->relation;
		relation[fact->tail] = fact->relation;
	}
	pfree(relation);
	return count;
}
