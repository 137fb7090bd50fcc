/*
 * evaluate.c
 *		hkg_evaluate, hkg_ranks.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "evaluate.h"
#include "graph/call.h"
#include "graph/leakage.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/sql.h"

static void
rank_task(RankTask *task, bool notices)
{
	SplitRanks *ranks = &task->ranks;
	MemoryContext caller;
	GraphData  *data;

	ranks->work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg ranks", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(ranks->work);
	rank_task_open(task);
	data = task->data;
	if (rank_on_nodes(task))
	{
		EvidenceParts has = evidence_has(task->graph, task->model);

		ranks->has_evidence = task->kind != EV_EMBEDDING && (has.rules || has.network);
	}
	else
	{
		ranks->evidence = rank_here(task, (KgeTriples) {ranks->triple, ranks->count},
									(KgeRanks) {ranks->rank, ranks->rank + ranks->count});
		ranks->has_evidence = ranks->evidence != NULL;
	}
	/* of triples that are learnt there is nothing to say, nor where nothing is */
	if (notices && strcmp(task->split, "train") != 0 && ranks->count > 0 && data->facts > 0)
		leakage_notice(task->graph, data, task->known.triple, task->known.count,
					   (HeldTriples) {psprintf("triples of split \"%s\"", task->split), ranks->triple, ranks->count});
	for (int64 i = 0; i < ranks->count; i++)
	{
		Triple	   *triple = &ranks->triple[i];

		CHECK_FOR_INTERRUPTS();
		*triple = (Triple) {
			data->entity_id[triple->head], data->relation_id[triple->relation], data->entity_id[triple->tail]
		};
	}
	MemoryContextSwitchTo(caller);
}

SplitRanks
rank_split(Graph *graph, const char *model, const char *split, int64 seed, EvKind kind, int sample)
{
	RankTask	task = {.graph = graph,.model = model,.split = split,.seed = seed,.kind = kind,.sample = sample};

	rank_task(&task, false);
	return task.ranks;
}

void
ranks_end(SplitRanks *ranks)
{
	Triple	   *triple = array_new(Triple, ranks->count);
	int32	   *rank = array_new(int32, 2 * ranks->count);

	memcpy(triple, ranks->triple, sizeof(Triple) * ranks->count);
	memcpy(rank, ranks->rank, sizeof(int32) * 2 * ranks->count);
	MemoryContextDelete(ranks->work);
	ranks->triple = triple;
	ranks->rank = rank;
	ranks->evidence = NULL;
	ranks->work = NULL;
}

void
ranks_check_alike(const SplitRanks *a, const SplitRanks *b)
{
	if (a->count != b->count || memcmp(a->triple, b->triple, sizeof(Triple) * a->count) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the triples of the split are not the same in two readings"),
				 errhint("A policy of row security, or a view in the place of a table, must show the same rows "
						 "each time.")));
}

static void
return_metrics(const char *side, const SplitRanks *ranking, const int32 *rank, int sides, SqlResult *result)
{
	double	   *reciprocal = array_new(double, ranking->count);
	KgeMetrics	metrics = kge_sample_metrics(ranking->sample, rank, sides, reciprocal);
	Datum		values[8] = {
		CStringGetTextDatum(side),
		Int64GetDatum(ranking->count),
		Float8GetDatum(metrics.mrr),
		Float8GetDatum(metrics.mr),
		Float8GetDatum(metrics.hits_1),
		Float8GetDatum(metrics.hits_3),
		Float8GetDatum(metrics.hits_10),
		Float8GetDatum(kge_sample_error(ranking->sample, reciprocal, NULL))
	};
	bool		nulls[8] = {false};

	for (int i = 2; i < 8; i++)
		nulls[i] = ranking->count == 0;
	nulls[7] = kge_sample_is_all(ranking->sample);
	sql_result_row(result, values, nulls);
	pfree(reciprocal);
}

static void
return_evaluation(Graph *graph, const SplitRanks *ranking, SqlResult *result)
{
	return_metrics("head", ranking, ranking->rank, 1, result);
	return_metrics("tail", ranking, ranking->rank + ranking->count, 1, result);
	return_metrics("both", ranking, ranking->rank, 2, result);
}

static void
return_ranks(Graph *graph, const SplitRanks *ranking, SqlResult *result)
{
	char	   *query = psprintf("select h.name::text, r.name::text, t.name::text, u.head_rank, u.tail_rank "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[]) "
								 "with ordinality as u (head, relation, tail, head_rank, tail_rank, place) %s "
								 "order by u.place",
								 graph_names_join(graph));

	for (int64 first = 0; first < ranking->count; first += NAMED_ROWS)
	{
		int			count = (int) Min(NAMED_ROWS, ranking->count - first);
		SqlArgs		args = {0};

		arg_triples(&args, ranking->triple + first, count);
		sql_arg(&args, INT4ARRAYOID, array_of_int4(ranking->rank + first, count));
		sql_arg(&args, INT4ARRAYOID, array_of_int4(ranking->rank + ranking->count + first, count));
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

void
notice_empty_split(const Graph *graph, const char *split, const SplitRanks *ranks)
{
	if (ranks->count > 0)
		return;
	if (strcmp(split, "train") == 0)
		ereport(NOTICE,
				(errmsg("graph \"%s\" has no facts", graph->name),
				 errhint("Load some with hkg_load(%s, query).", quote_literal_cstr(graph->name))));
	else
		ereport(NOTICE,
				(errmsg("split \"%s\" of graph \"%s\" is empty", split, graph->name),
				 errhint("%s", graph_split_hint(graph, split))));
}

/* hkg_evaluate and hkg_ranks: nearly the same arguments, other results.  notices: of what metrics are too high for. */
static Datum
evaluate(FunctionCallInfo fcinfo, bool notices, void (*return_result) (Graph *, const SplitRanks *, SqlResult *))
{
	RankTask	task = {
		.split = argument_text(fcinfo, 1, "split"),
		.seed = DatumGetInt64(argument(fcinfo, 3, "seed")),
		.kind = argument_evidence(fcinfo, 4),
		.sample = argument_sample(fcinfo, 5)
	};
	Call		call = call_begin(fcinfo, 2);

	argument_choice(task.split, "split", evaluate_splits);
	task.graph = call.graph;
	task.model = call.model;
	rank_task(&task, notices);
	notice_empty_split(call.graph, task.split, &task.ranks);
	return_result(call.graph, &task.ranks, call.result);
	return call_end(&call);
}

HKG_FUNCTION(hkg_evaluate);
Datum
hkg_evaluate(PG_FUNCTION_ARGS)
{
	return evaluate(fcinfo, true, return_evaluation);
}

HKG_FUNCTION(hkg_ranks);
Datum
hkg_ranks(PG_FUNCTION_ARGS)
{
	return evaluate(fcinfo, false, return_ranks);
}
