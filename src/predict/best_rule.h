/*
 * best_rule.h
 *		The rules of a model that infer a triple, and the best of them for each of many triples.
 */
#ifndef HKG_PREDICT_BEST_RULE_H
#define HKG_PREDICT_BEST_RULE_H

#include "nodes/pg_list.h"

#include "model/model_evidence.h"
#include "rules/rule.h"
#include "server/sql.h"

typedef struct ModelRule
{
	int32		id;
	Rule		rule;
	char	   *text;
	double		quality;		/* that of table rule, else its evidence_confidence */
	bool		quality_is_null;
	bool		selected;
	double		share;			/* of a score, by hkg_explain; NaN: the rule adds nothing */
} ModelRule;

/* The rules of a model for which a condition holds ($1 is the model), best first */
extern List *model_rules_read(const Graph *graph, const char *condition, const SqlArgs *args);

/* The evidence of that kind for a triple (by ids) as an answer to (head, relation, ?); NULL: there is none. */
extern const EvCandidate *evidence_for_triple(const Evidence *evidence, EvAnswering *answering, EvKind kind,
											  Triple triple);

/* The id of a firing rule in table rule; false when it was counted for the question: then it is in no table. */
extern bool firing_id(const EvRules *rules, const EvFiring *firing, int32 *id);
extern Rule firing_counted_rule(const Evidence *evidence, Triple triple, const EvFiring *firing);

#define NO_RULE PG_INT32_MIN

/* The best rule that infers a triple */
typedef struct BestRule
{
	int32		id;				/* in table rule; NO_RULE: it is not there */
	char	   *counted;		/* the text of one that was counted for the question; else NULL */
} BestRule;

/*
 * For each of the triples (by ids): of the rules that fire, where there is evidence (else NULL), the one that counts
 * most; where none fires, the best of the selected rules that infer it.
 */
extern BestRule *best_rule_of_each(Graph *graph, const char *model, const Evidence *evidence, const Triple *triple,
								   int64 count);

/* Adds two parameters: the rules' ids, and the texts of those that were counted. */
extern void arg_best_rules(SqlArgs *args, const BestRule *rule, int count);

/* For a query from rows u (rule, counted) of these: the text, and what it joins; model: the parameter with its name. */
#define BEST_RULE_TEXT "coalesce(u.counted, l.rule::text)"
extern char *best_rules_join(const Graph *graph, const char *model);

#endif							/* HKG_PREDICT_BEST_RULE_H */
