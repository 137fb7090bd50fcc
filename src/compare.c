/*
 * compare.c
 *		hkg_compare: a split under two models, triple by triple, and the rule that may be why.
 *
 * Both rankings are of the same snapshot, so their triples are the same ones in the same
 * order.  What changed most stands first: the change is that of the two reciprocal
 * ranks, whose mean MRR is.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "argument.h"
#include "array.h"
#include "evaluate.h"
#include "explain.h"
#include "inquiry.h"

static int32 *
ranks_under(Graph *graph, const char *model, const char *split, EvKind kind, Ranking *ranking)
{
	*ranking = rank_split(graph, model, split, 0, kind);
	return ranking->rank;
}

/* Turns the triples' rows into ids. */
static void
name_triples(const Ranking *ranking)
{
	for (int64 i = 0; i < ranking->count; i++)
	{
		KgeTriple  *triple = &ranking->triple[i];

		triple->head = ranking->data->entity_id[triple->head];
		triple->relation = ranking->data->relation_id[triple->relation];
		triple->tail = ranking->data->entity_id[triple->tail];
	}
}

static void
column(SqlArgs *args, const int32 *values, int64 count)
{
	sql_arg(args, INT4ARRAYOID, array_of_int4(values, (int) count));
}

static void
triple_columns(SqlArgs *args, const KgeTriple *triple, int64 count)
{
	int32	   *id = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int32) * Max(count, 1));

	for (int64 i = 0; i < count; i++)
		id[i] = triple[i].head;
	column(args, id, count);
	for (int64 i = 0; i < count; i++)
		id[i] = triple[i].relation;
	column(args, id, count);
	for (int64 i = 0; i < count; i++)
		id[i] = triple[i].tail;
	column(args, id, count);
	pfree(id);
}

static void
return_comparison(const Graph *graph, const Ranking *ranking, const int32 *rank_a, const int32 *rank_b,
				  const int32 *rule, const char *model_b, SqlResult *result)
{
	int64		count = ranking->count;
	SqlArgs		args = {0};

	triple_columns(&args, ranking->triple, count);
	column(&args, rank_a, count);
	column(&args, rank_b, count);
	column(&args, rank_a + count, count);
	column(&args, rank_b + count, count);
	column(&args, rule, count);
	sql_arg(&args, TEXTOID, CStringGetTextDatum(model_b));
	sql_result_query(result,
					 psprintf("select h.name::text, r.name::text, t.name::text, u.head_a, u.head_b, u.tail_a, u.tail_b, l.rule::text "
							  "from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[]) "
							  "as u (head, relation, tail, head_a, head_b, tail_a, tail_b, rule) "
							  "join %1$sentity h on h.id = u.head "
							  "join %1$srelation r on r.id = u.relation "
							  "join %1$sentity t on t.id = u.tail "
							  "left join %1$srule l on l.model = $9 and l.id = u.rule "
							  "order by abs(1.0::float8 / u.head_b - 1.0::float8 / u.head_a "
							  "+ 1.0::float8 / u.tail_b - 1.0::float8 / u.tail_a) desc, r.name, h.name, t.name",
							  graph->prefix), &args);
}

HKG_FUNCTION(hkg_compare);
Datum
hkg_compare(PG_FUNCTION_ARGS)
{
	char	   *model_a = argument_name(fcinfo, 1, "model_a");
	char	   *split = argument_text(fcinfo, 3, "split");
	EvKind		kind = argument_evidence(fcinfo, 4);
	Inquiry		inquiry = inquiry_begin(fcinfo, 2);
	Graph	   *graph = inquiry.graph;
	Ranking		ranking;
	int32	   *rank_a;
	int32	   *rank_b;
	int32	   *rule;

	argument_choice(split, "split", evaluate_splits);
	rank_a = ranks_under(graph, model_a, split, kind, &ranking);
	rank_b = ranks_under(graph, inquiry.model, split, kind, &ranking);
	name_triples(&ranking);
	rule = best_rule_of_each(graph, inquiry.model, ranking.triple, ranking.count);
	return_comparison(graph, &ranking, rank_a, rank_b, rule, inquiry.model, inquiry.result);
	return inquiry_end(&inquiry);
}
