/*
 * mine_rules.c
 *		hkg_mine_rules: the search for rules, rated by one of three measures.
 */
#include "rule_table.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/sort.h"
#include "model.h"
#include "rules/selection.h"
#include "server/argument.h"
#include "server/host.h"
#include "server/sql.h"

typedef enum Measure
{
	STANDARD,
	PCA,
	HYBRID
} Measure;

static const char *const measures[] = {"standard", "pca", "hybrid", NULL};

typedef struct MineCall
{
	char	   *graph;
	MineOptions options;
	Measure		measure;
	char	   *model;			/* NULL: none was given, which HYBRID needs */
	double		omega;
	int			sample;			/* 0: exact */
	double		min_confidence;
} MineCall;

static void
read_call(FunctionCallInfo fcinfo, MineCall *call)
{
	call->graph = argument_name(fcinfo, 0, "graph");
	call->options.max_rule_length = argument_int(fcinfo, 2, "max_rule_length", 2, RULE_MOST_SEARCHED);
	call->options.min_head_coverage = argument_float(fcinfo, 3, "min_head_coverage", 0, 1);
	call->options.min_support = argument_int(fcinfo, 4, "min_support", 1, INT_MAX);
	call->options.constants = DatumGetBool(argument(fcinfo, 5, "constants"));
	call->measure = argument_choice(argument_text(fcinfo, 6, "measure"), "measure", measures);
	call->omega = argument_float(fcinfo, 7, "omega", 0, 1);
	if (!PG_ARGISNULL(8))
		call->sample = argument_int(fcinfo, 8, "ec_sample", 2, INT_MAX);
	call->min_confidence = argument_float(fcinfo, 9, "min_confidence", 0, 1);
	if (!PG_ARGISNULL(1))
		call->model = argument_name(fcinfo, 1, "model");
	else if (call->measure == HYBRID)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null when measure is \"hybrid\""),
				 errhint("Name a trained model of the graph, or choose another measure: standard, pca.")));
}

/* They are ordered by standard confidence. */
static void
drop_unsure(MinedRules *rules, double min_confidence)
{
	while (rules->count > 0 &&
		   MINED_STANDARD_CONFIDENCE(&rules->rule[rules->count - 1]) < min_confidence)
		rules->count--;
}

static void
rate(Graph *graph, const GraphData *data, const MineCall *call, MinedRules *rules)
{
	if (call->measure == HYBRID)
		rate_by_model(graph, data, call->model, rules, call->omega, call->sample);
	else
		for (int64 i = 0; i < rules->count; i++)
		{
			MinedRule  *rule = &rules->rule[i];

			rule->quality = call->measure == PCA ? MINED_PCA_CONFIDENCE(rule) : MINED_STANDARD_CONFIDENCE(rule);
		}
}

static void
put_rule(SqlResult *result, const MinedRule *rule)
{
	Datum		values[10];
	bool		nulls[10] = {false};

	values[0] = CStringGetTextDatum(rule->text);
	values[1] = Int64GetDatum(rule->support);
	values[2] = Int64GetDatum(rule->body_size);
	values[3] = Int64GetDatum(rule->pca_body_size);
	values[4] = Float8GetDatum(MINED_HEAD_COVERAGE(rule));
	values[5] = Float8GetDatum(MINED_STANDARD_CONFIDENCE(rule));
	values[6] = Float8GetDatum(MINED_PCA_CONFIDENCE(rule));
	values[7] = Float8GetDatum(rule->embedding_confidence);
	nulls[7] = isnan(rule->embedding_confidence);
	values[8] = Float8GetDatum(rule->quality);
	values[9] = Float8GetDatum(rule->confidence_error);
	nulls[9] = isnan(rule->confidence_error);
	sql_result_row(result, values, nulls);
	pfree(DatumGetPointer(values[0]));
}

HKG_FUNCTION(hkg_mined_rules);
Datum
hkg_mined_rules(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	MineCall	call = {0};
	const GraphData *data;
	MinedRules *rules;
	Graph	   *graph;

	read_call(fcinfo, &call);
	sql_begin();
	graph = graph_open(call.graph);
	if (call.model != NULL)
		model_require(graph, call.model);
	data = graph_read(graph);
	rules = mine_rules(graph, data, &call.options);
	drop_unsure(rules, call.min_confidence);
	rate(graph, data, &call, rules);
	sql_end();
	sort_array(hkg_leader(), POOL_LEADER, rules->rule, rules->count, sizeof(MinedRule), quality_compare);
	for (int64 i = 0; i < rules->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (rules->rule[i].kept)
			put_rule(result, &rules->rule[i]);
	}
	return (Datum) 0;
}
