/*
 * rank_task.c
 *		What is ranked of a split, and its ranks on this server (see rank_task.h).
 *
 * Every entity of the graph is a candidate: ranking works on a model with a row for each of them.  Rules are applied to
 * the graph as it is now, and an entity that came after the training is placed by its facts (model/added_entities.h),
 * as for predictions.  One without a fact has NaN, which ranks last.  (Predictions leave such an entity out.  Ranks
 * include it: leaving such triples or candidates out would flatter the model.)  The filter is all facts and all of the
 * holdout, never what was sampled.
 */
#include "rank_task.h"

#include "model/model_cache.h"
#include "server/growing_array.h"
#include "server/host.h"

const char *const evaluate_splits[] = {"valid", "test", "train", NULL};

/* A model without embeddings can be ranked by its evidence alone. */
static const Evidence *
open_scoring(Graph *graph, const char *name, const GraphData *data, EvKind kind, Scoring *scoring)
{
	KgeModel	kge = {.entities = data->entities,.relations = data->relations};
	Evidence   *evidence = NULL;

	model_require(graph, name);
	if (kind != EV_EMBEDDING)
		evidence = evidence_of_data(graph, name, data);
	/* also where rules or paths are wanted and there are none: the error names embeddings, if these are missing too */
	if (evidence == NULL || ev_uses_embedding(kind))
	{
		const Model *model = model_open(graph, name);
		const AddedEntities *added = model_facts(graph, model, false).added;

		if (evidence == NULL || kind == EV_EMBEDDING)
			model_require_entities(model);
		kge = added_entities_of_graph(added, data);
		if (evidence != NULL)
			evidence->is_new = added_entities_marked(added, data);
	}
	kge.answers = evidence != NULL ? evidence->facts.answers : answers_of_data(graph, data);
	kind = evidence_kind(evidence, kind, name);
	scoring_open(evidence, kind, kge, hkg_threads, scoring);
	return evidence;
}

/* The triples are the facts themselves, in split train. */
static void
draw_sample(SplitRanks *ranking, int64 wanted, int64 seed)
{
	KgeSample	sample = kge_sample(ranking->count, wanted);
	int64	   *place = array_new(int64, sample.count);
	Triple	   *drawn = array_new(Triple, sample.count);

	kge_sample_draw(sample, (uint64) seed, place);
	for (int64 i = 0; i < sample.count; i++)
		drawn[i] = ranking->triple[place[i]];
	ranking->sample = sample;
	ranking->triple = drawn;
	ranking->count = sample.count;
}

void
rank_task_open(RankTask *task)
{
	SplitRanks *ranks = &task->ranks;
	Triple	   *known;
	int64		known_count;

	task->data = graph_read(task->graph);
	ranks->triple = task->data->fact;
	ranks->count = task->data->facts;
	if (strcmp(task->split, "train") != 0)
		ranks->triple = graph_read_split(task->graph, task->data, task->split, &ranks->count);
	ranks->sample = (KgeSample) {ranks->count, ranks->count};
	if (task->sample > 0)
		draw_sample(ranks, task->sample, task->seed);
	ranks->rank = array_new(int32, 2 * ranks->count);
	if (ranks->count == 0)
		return;
	known = graph_read_known(task->graph, task->data, &known_count);
	task->known = (KgeTriples) {known, known_count};
}

const Evidence *
rank_here(const RankTask *task, KgeTriples triples, KgeRanks ranks)
{
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "ranking a split", HKG_ASK_FOR_LESS);
	Scoring		scoring;
	const Evidence *evidence = open_scoring(task->graph, task->model, task->data, task->kind, &scoring);

	if (triples.count == 0)
		return evidence;
	kge_rank(&arena, hkg_pool(), &scoring.kge, scoring.adjustment, triples, task->known, (uint64) task->seed, ranks);
	return evidence;
}
