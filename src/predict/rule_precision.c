/*
 * rule_precision.c
 *		hkg_rule_precision: how much of what the best rules infer beyond the facts is held out.
 */
#include "server/compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"

#include "graph/call.h"
#include "model/model.h"
#include "model/rule_table.h"
#include "rules/inference.h"
#include "server/argument.h"
#include "server/host.h"
#include "server/sql.h"

static const char *const splits[] = {"valid", "test", NULL};

/*
 * The model's best rules: the selected ones first, then others with a quality (they may have been dropped for a
 * shorter rule within them).  Rules that infer nothing are left out.
 */
static RuleList
best_rules(const Graph *graph, const char *model, int top_rules)
{
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, INT4OID, Int32GetDatum(top_rules));
	return rules_of_query(psprintf("select " RULE_COLUMNS " from %srule "
								   "where model = $1 and quality is not null and predictions > 0 "
								   "order by selected desc, quality desc, support desc, rule collate \"C\" limit $2",
								   graph->prefix), &args);
}

static Inferences *
infer_by(Graph *graph, const GraphData *data, const RuleList *rules)
{
	const Rule **pointers = palloc(sizeof(Rule *) * Max(rules->count, 1));

	for (int64 i = 0; i < rules->count; i++)
		pointers[i] = &rules->rule[i];
	return infer(body_pairs_create(data, hkg_pool()), data, pointers, (int32) rules->count, false);
}

HKG_FUNCTION(hkg_rule_precision);
Datum
hkg_rule_precision(PG_FUNCTION_ARGS)
{
	int			top_rules = argument_int(fcinfo, 1, "top_rules", 1, PG_INT32_MAX);
	char	   *split = argument_text(fcinfo, 2, "split");
	Call		call = call_begin(fcinfo, 3);
	TupleDesc	descriptor;
	Datum		values[3];
	bool		nulls[3] = {false};
	GraphData  *data;
	RuleList	rules;
	Inferences *inferred;
	Triple	   *held;
	int64		held_count;
	int64		correct;
	int64		count;

	argument_choice(split, "split", splits);
	model_require(call.graph, call.model);
	data = graph_read(call.graph);
	rules = best_rules(call.graph, call.model, top_rules);
	inferred = infer_by(call.graph, data, &rules);
	held = graph_read_split(call.graph, data, split, &held_count);
	correct = triples_in_common(inferred->triple, inferred->count, held, held_count);
	count = inferred->count;
	call_end(&call);
	values[0] = Int64GetDatum(count);
	values[1] = Int64GetDatum(correct);
	values[2] = Float8GetDatum(count > 0 ? (double) correct / (double) count : 0);
	nulls[2] = count == 0;
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	descriptor = BlessTupleDesc(descriptor);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}
