/*
 * compare.c
 *		hkg_compare: the ranks of a split under two models, and the rule that may explain the change.
 *
 * Both rankings use one snapshot, so their triples are the same ones in the same order.  The triples whose
 * reciprocal ranks, which MRR is the mean of, changed most come first.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "best_rule.h"
#include "evaluate.h"
#include "graph/call.h"
#include "server/argument.h"
#include "server/array.h"

static void
return_comparison(const Graph *graph, const SplitRanks *a, const SplitRanks *b, const BestRule *rule,
				  const char *model_b, SqlResult *result)
{
	int			count = (int) b->count;
	SqlArgs		args = {0};

	arg_triples(&args, b->triple, count);
	sql_arg(&args, INT4ARRAYOID, array_of_int4(a->rank, count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(b->rank, count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(a->rank + count, count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(b->rank + count, count));
	arg_best_rules(&args, rule, count);
	sql_arg_text(&args, model_b);
	sql_result_query(result,
					 psprintf("select h.name::text, r.name::text, t.name::text, "
							  "u.head_a, u.head_b, u.tail_a, u.tail_b, "
							  BEST_RULE_TEXT " "
							  "from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], "
							  "$7::int[], $8::int[], $9::text[]) "
							  "as u (head, relation, tail, head_a, head_b, tail_a, tail_b, rule, counted) %s %s "
							  "order by abs(1.0::float8 / u.head_b - 1.0::float8 / u.head_a "
							  "+ 1.0::float8 / u.tail_b - 1.0::float8 / u.tail_a) desc, r.name, h.name, t.name",
							  graph_names_join(graph), best_rules_join(graph, "$10")), &args);
}

HKG_FUNCTION(hkg_compare);
Datum
hkg_compare(PG_FUNCTION_ARGS)
{
	char	   *model_a = argument_name(fcinfo, 1, "model_a");
	char	   *split = argument_text(fcinfo, 3, "split");
	EvKind		kind = argument_evidence(fcinfo, 4);
	Call		call = call_begin(fcinfo, 2);
	Graph	   *graph = call.graph;
	SplitRanks	a;
	SplitRanks	b;
	BestRule   *rule;

	argument_choice(split, "split", evaluate_splits);
	a = rank_split(graph, model_a, split, 0, kind, 0);
	ranks_end(&a);
	b = rank_split(graph, call.model, split, 0, kind, 0);
	ranks_check_alike(&a, &b);
	if (b.has_evidence && b.evidence == NULL)
		b.evidence = evidence_of_data(graph, call.model, graph_read(graph));
	rule = best_rule_of_each(graph, call.model, b.evidence, b.triple, b.count);
	return_comparison(graph, &a, &b, rule, call.model, call.result);
	return call_end(&call);
}
