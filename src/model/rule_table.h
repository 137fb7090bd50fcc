/*
 * rule_table.h
 *		Table `rule` of a graph: the rules of its models, read, rated and written.
 */
#ifndef HKG_MODEL_RULE_TABLE_H
#define HKG_MODEL_RULE_TABLE_H

#include "server/compat.h"

#include "rules/mine.h"
#include "server/progress.h"
#include "server/sql.h"

/* Head and body, as a query of the table selects them for rule_from_array; a missing body is an empty one. */
#define RULE_COLUMNS "head::int, coalesce(body::int[], '{}')"

typedef struct RuleList
{
	Rule	   *rule;
	int64		count;
	int64		room;
} RuleList;

/* The rules of a query that selects RULE_COLUMNS. */
extern RuleList rules_of_query(const char *query, const SqlArgs *args);

/*
 * The selected rules of a model with heads that the caller sees, counted on the graph's facts.  ERROR 55000 when there
 * are none.
 */
extern MinedRules *mine_selected(Graph *graph, const GraphData *data, const char *model);

/*
 * Rates rules by a model's embeddings, as rate_rules does.  data: of the graph.  ERROR 55000 when the model lacks
 * entities or relations of it.
 */
extern void rate_by_model(Graph *graph, const GraphData *data, const char *name, MinedRules *rules, double omega,
						  int sample);

/*
 * Replaces the model's rules.  A rule's id is its position + 1.  Each is a unit of the phase of progress that is under
 * way.
 */
extern void rule_table_replace(Graph *graph, const char *model, const MinedRules *rules, Progress *progress);

/* Adds rules to a model, or updates those that it has; creates the model if there is none. */
extern void rule_table_add(Graph *graph, const char *model, const MinedRules *rules);

#endif							/* HKG_MODEL_RULE_TABLE_H */
