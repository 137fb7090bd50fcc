/*
 * count_rules.c
 *		hkg_count_rules: the counts of given rules, of all pairs or of a slice of them.
 */
#include "mine.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* The different rules of an array of texts, canonical. */
static Rule *
rules_of_array(Graph *graph, ArrayType *array, int64 *count)
{
	Datum	   *element;
	bool	   *nulls;
	int			texts;
	Rule	   *rule;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &nulls, &texts);
	rule = array_new_zero(Rule, texts);
	for (int i = 0; i < texts; i++)
	{
		hkg_check_interrupts();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("rules must not contain null (element %d)", i + 1)));
		rule_parse(graph, TextDatumGetCString(element[i]), &rule[i]);
	}
	*count = rules_distinct(rule, texts);
	return rule;
}

HKG_FUNCTION(hkg_count_rules);
Datum
hkg_count_rules(PG_FUNCTION_ARGS)
{
	ArrayType  *texts = DatumGetArrayTypeP(argument(fcinfo, 1, "rules"));
	NodeSlice	slice = node_slice_argument(fcinfo, 2, INT_MAX);
	SqlResult  *result = sql_result(fcinfo);
	char	   *name = argument_name(fcinfo, 0, "graph");
	Graph	   *graph;
	MinedRules *mined;
	Rule	   *rules;
	int64		count;

	sql_begin();
	graph = graph_open_facts(name);
	rules = rules_of_array(graph, texts, &count);
	mined = mine_given(graph, graph_read(graph), rules, count, slice);
	for (int64 i = 0; i < mined->count; i++)
	{
		const MinedRule *rule = &mined->rule[i];
		Datum		values[4] = {
			CStringGetTextDatum(rule->text), Int64GetDatum(rule->support), Int64GetDatum(rule->body_size),
			Int64GetDatum(rule->pca_body_size)
		};
		bool		nulls[4] = {false};

		hkg_check_interrupts();
		sql_result_row(result, values, nulls);
	}
	sql_end();
	return (Datum) 0;
}
