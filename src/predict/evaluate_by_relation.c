/*
 * evaluate_by_relation.c
 *		hkg_evaluate_by_relation: the metrics of a split, relation by relation, of all that scores can use.
 *
 * The split is ranked once for each kind of evidence that the model has.  Triples are ordered by relation, so those of
 * one are a stretch of the ranks.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "evaluate.h"
#include "graph/call.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/sql.h"

#define METRICS 3
#define COLUMNS (3 + METRICS * EV_KINDS)

/* Arguments of the function */
typedef struct Wanted
{
	const char *split;
	int64		seed;
	int			sample;			/* 0: all */
} Wanted;

/* The triples of a relation */
typedef struct Stretch
{
	int32		relation;		/* its id */
	int64		first;
	int64		count;
} Stretch;

typedef struct RanksByKind
{
	bool		known[EV_KINDS];	/* the others would be the same, or cannot be ranked */
	SplitRanks	ranks[EV_KINDS];
	const SplitRanks *any;
} RanksByKind;

/* ---- ranking --------------------------------------------------------------------- */

static void
rank_kind(Graph *graph, const char *model, const Wanted *wanted, EvKind kind, RanksByKind *by_kind)
{
	by_kind->ranks[kind] = rank_split(graph, model, wanted->split, wanted->seed, kind, wanted->sample);
	ranks_end(&by_kind->ranks[kind]);
	if (by_kind->any != NULL)
		ranks_check_alike(by_kind->any, &by_kind->ranks[kind]);
	by_kind->known[kind] = true;
	by_kind->any = &by_kind->ranks[kind];
}

/* All are the embedding alone where the model has no evidence; imported rules alone can be ranked, too. */
static void
rank_kinds(Graph *graph, const char *model, const Wanted *wanted, RanksByKind *by_kind)
{
	EvidenceParts has;
	double		omega;

	model_require(graph, model);
	if (!model_has_embeddings(graph, model, &omega))
	{
		rank_kind(graph, model, wanted, EV_RULES, by_kind);
		return;
	}
	rank_kind(graph, model, wanted, EV_BOTH, by_kind);
	if (!by_kind->ranks[EV_BOTH].has_evidence)
	{
		by_kind->ranks[EV_EMBEDDING] = by_kind->ranks[EV_BOTH];
		by_kind->known[EV_EMBEDDING] = true;
		return;
	}
	has = evidence_has(graph, model);
	rank_kind(graph, model, wanted, EV_EMBEDDING, by_kind);
	if (has.rules)
		rank_kind(graph, model, wanted, EV_RULES, by_kind);
	if (has.network)
		rank_kind(graph, model, wanted, EV_NETWORK, by_kind);
}

/* ---- stretches ------------------------------------------------------------------- */

static int
compare_by_count(const void *a, const void *b)
{
	const Stretch *left = a;
	const Stretch *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->relation < right->relation ? -1 : 1;
}

/* The relations of the ranked triples, those with most of them first; returns how many. */
static int64
find_stretches(const SplitRanks *ranks, Stretch **stretches)
{
	Stretch    *stretch = NULL;
	int64		count = 0;
	int64		room = 0;

	for (int64 i = 0; i < ranks->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || ranks->triple[i].relation != ranks->triple[i - 1].relation)
		{
			stretch = array_reserve(stretch, count + 1, &room, sizeof(Stretch));
			stretch[count++] = (Stretch) {.relation = ranks->triple[i].relation,.first = i};
		}
		stretch[count - 1].count++;
	}
	if (count > 1)
		qsort(stretch, count, sizeof(Stretch), compare_by_count);
	*stretches = stretch;
	return count;
}

/* ---- results --------------------------------------------------------------------- */

/* first_side, sides: heads are side 0, tails side 1 */
static void
return_row(const char *relation, const char *side, const Stretch *stretch, int first_side, int sides,
		   const RanksByKind *by_kind, SqlResult *result)
{
	Datum		values[COLUMNS] = {CStringGetTextDatum(relation), CStringGetTextDatum(side), Int64GetDatum(stretch->count)};
	bool		nulls[COLUMNS] = {false};

	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		double		sum[METRICS] = {0};

		for (int s = first_side; s < first_side + sides && by_kind->known[kind]; s++)
		{
			const SplitRanks *ranks = &by_kind->ranks[kind];
			KgeMetrics	metrics = kge_metrics(ranks->rank + s * ranks->count + stretch->first, stretch->count);

			sum[0] += metrics.mrr;
			sum[1] += metrics.hits_1;
			sum[2] += metrics.hits_10;
		}
		for (int i = 0; i < METRICS; i++)
		{
			values[3 + i * EV_KINDS + kind] = Float8GetDatum(sum[i] / sides);
			nulls[3 + i * EV_KINDS + kind] = !by_kind->known[kind];
		}
	}
	sql_result_row(result, values, nulls);
}

static void
return_relations(Graph *graph, const RanksByKind *by_kind, SqlResult *result)
{
	Stretch    *stretch;
	int64		count = find_stretches(by_kind->any, &stretch);

	for (int64 i = 0; i < count; i++)
	{
		const char *relation = graph_relation_name(graph, stretch[i].relation);

		CHECK_FOR_INTERRUPTS();
		return_row(relation, "head", &stretch[i], 0, 1, by_kind, result);
		return_row(relation, "tail", &stretch[i], 1, 1, by_kind, result);
		return_row(relation, "both", &stretch[i], 0, 2, by_kind, result);
	}
}

HKG_FUNCTION(hkg_evaluate_by_relation);
Datum
hkg_evaluate_by_relation(PG_FUNCTION_ARGS)
{
	Wanted		wanted = {
		.split = argument_text(fcinfo, 1, "split"),
		.seed = DatumGetInt64(argument(fcinfo, 3, "seed")),
		.sample = argument_sample(fcinfo, 4)
	};
	Call		call = call_begin(fcinfo, 2);
	RanksByKind by_kind = {0};

	argument_choice(wanted.split, "split", evaluate_splits);
	rank_kinds(call.graph, call.model, &wanted, &by_kind);
	notice_empty_split(call.graph, wanted.split, by_kind.any);
	return_relations(call.graph, &by_kind, call.result);
	return call_end(&call);
}
