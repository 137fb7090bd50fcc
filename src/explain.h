/*
 * explain.h
 *		The selected rules of a model, which give reasons.
 */
#ifndef HKG_EXPLAIN_H
#define HKG_EXPLAIN_H

#include "nodes/pg_list.h"

#include "rule.h"

typedef struct SelectedRule
{
	int32		id;
	Rule		rule;
	char	   *text;
	double		quality;
	bool		quality_is_null;
	bool		selected;
	double		share;			/* of a score, by hkg_explain; NaN: not heard */
} SelectedRule;

#define NO_RULE PG_INT32_MIN

/* For each of the triples (by ids), the id of the best selected rule that infers it, or NO_RULE. */
extern int32 *best_rule_of_each(const Graph *graph, const char *model, const KgeTriple *triple, int64 count);

#endif							/* HKG_EXPLAIN_H */
