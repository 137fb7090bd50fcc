/*
 * evaluate_by_relation.c
 *		hkg_evaluate_by_relation: the metrics of a split, relation by relation, of all that scores can use.
 *
 * The split is ranked once for each kind of score that the model has (ranks_by_kind.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "graph/call.h"
#include "ranks_by_kind.h"
#include "server/argument.h"
#include "server/sql.h"

#define METRICS 3
#define COLUMNS (3 + METRICS * EV_KINDS)

/* What a kind has; all that the model has is the embedding where it has no evidence. */
static const SplitRanks *
ranks_of(const RanksByKind *by_kind, int kind)
{
	if (kind == EV_BOTH && !by_kind->has[EV_BOTH] && by_kind->has[EV_EMBEDDING])
		kind = EV_EMBEDDING;
	return by_kind->has[kind] ? &by_kind->ranks[kind] : NULL;
}

/* side: SIDE_HEAD, SIDE_TAIL, or both of them where it is negative */
static void
return_row(const char *name, int side, const RelationRanks *relation, const RanksByKind *by_kind, SqlResult *result)
{
	static const char *const sides[] = {"both", "head", "tail"};
	Datum		values[COLUMNS] = {
		CStringGetTextDatum(name), CStringGetTextDatum(sides[side + 1]), Int64GetDatum(relation->count)
	};
	bool		nulls[COLUMNS] = {false};

	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		const SplitRanks *ranks = ranks_of(by_kind, kind);
		KgeMetrics	metrics = {0};

		if (ranks != NULL)
			metrics = ranks_metrics(ranks, relation, side);
		values[3 + kind] = Float8GetDatum(metrics.mrr);
		values[3 + EV_KINDS + kind] = Float8GetDatum(metrics.hits_1);
		values[3 + 2 * EV_KINDS + kind] = Float8GetDatum(metrics.hits_10);
		for (int i = 0; i < METRICS; i++)
			nulls[3 + i * EV_KINDS + kind] = ranks == NULL;
	}
	sql_result_row(result, values, nulls);
}

static void
return_relations(Graph *graph, const RanksByKind *by_kind, SqlResult *result)
{
	RelationRanks *relation;
	int64		count = ranks_relations(by_kind->any, &relation);

	for (int64 i = 0; i < count; i++)
	{
		const char *name = graph_relation_name(graph, relation[i].relation);

		CHECK_FOR_INTERRUPTS();
		return_row(name, SIDE_HEAD, &relation[i], by_kind, result);
		return_row(name, SIDE_TAIL, &relation[i], by_kind, result);
		return_row(name, -1, &relation[i], by_kind, result);
	}
}

HKG_FUNCTION(hkg_evaluate_by_relation);
Datum
hkg_evaluate_by_relation(PG_FUNCTION_ARGS)
{
	char	   *split = argument_text(fcinfo, 1, "split");
	int64		seed = DatumGetInt64(argument(fcinfo, 3, "seed"));
	int			sample = argument_sample(fcinfo, 4);
	Call		call = call_begin(fcinfo, 2);
	RanksByKind *by_kind;

	argument_choice(split, "split", evaluate_splits);
	model_require(call.graph, call.model);
	by_kind = rank_by_kind(call.graph, call.model, split, seed, sample);
	notice_empty_split(call.graph, split, by_kind->any);
	return_relations(call.graph, by_kind, call.result);
	return call_end(&call);
}
