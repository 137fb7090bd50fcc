/*
 * explain.h
 *		The rules of a model that give reasons.
 */
#ifndef HKG_PREDICT_EXPLAIN_H
#define HKG_PREDICT_EXPLAIN_H

#include "nodes/pg_list.h"

#include "model/predictor.h"
#include "rules/rule.h"

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

/* The best rule that infers a triple */
typedef struct BestRule
{
	int32		id;				/* in table rule; NO_RULE: it is not there */
	char	   *counted;		/* the text of one that was counted for the question; else NULL */
} BestRule;

/*
 * For each of the triples (by ids): the rule that counts most of those that are heard, where evidence is (else NULL);
 * where none of these infers it, the best of those that are selected.
 */
extern BestRule *best_rule_of_each(Graph *graph, const char *model, const Evidence *evidence, const Triple *triple,
								   int64 count);

/* Bytes that it takes for so many triples, beside the texts of rules that were counted. */
extern uint64 best_rule_bytes(int64 count);

/* Adds two parameters: the rules' ids, and the texts of those that were counted. */
extern void arg_best_rules(SqlArgs *args, const BestRule *rule, int count);

#endif							/* HKG_PREDICT_EXPLAIN_H */
