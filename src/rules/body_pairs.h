/*
 * body_pairs.h
 *		The pairs (x, y) that the bodies of many rules yield, each once for each body: joined in memory, or by SQL.
 *
 * Entities are rows (positions among ascending ids).
 */
#ifndef HKG_RULES_BODY_PAIRS_H
#define HKG_RULES_BODY_PAIRS_H

#include "server/compat.h"

#include "evidence/body_join.h"
#include "facts/fact_index.h"
#include "graph/graph.h"
#include "rule.h"

typedef struct BodyPairs BodyPairs;

/* The rules over one body: their numbers, ascending */
typedef struct BodyRules
{
	const int32 *rule;
	int32		count;
} BodyRules;

/* Takes the pairs of one body after another, as rectangles that have no pair in common. */
typedef struct PairsTarget
{
	void		(*take) (void *argument, const BodyRules *rules, const EvRectangle *pairs);
	void		(*done) (void *argument, const BodyRules *rules);	/* the body is complete; may be NULL */
	void	   *argument;
} PairsTarget;

/* The numbers 0 .. count - 1 of rules, those over one body together, in order. */
extern int32 *rules_by_body(const Rule *const *rules, int32 count);

/* The index of the facts is made, on the pool, in the current memory context. */
extern BodyPairs *body_pairs_create(const GraphData *data, Pool *pool);
extern uint64 body_pairs_bytes(const GraphData *data);
extern const FactIndex *body_pairs_index(const BodyPairs *pairs);

/*
 * The same index and facts, but pairs come from the statement of each body (rule_sql_pairs), which runs once while there is
 * room for its pairs: until body_pairs_forget.  Its facts are those of the index, and data->left_out.
 */
extern BodyPairs *body_pairs_by_sql(const BodyPairs *pairs, const Graph *graph);
extern void body_pairs_forget(BodyPairs *pairs);

/* Evaluates the bodies of these rules, each once, in some order.  Heads matter to empty bodies alone. */
extern void body_pairs_each(BodyPairs *pairs, const Rule *const *rules, int32 count, const PairsTarget *target);

#endif							/* HKG_RULES_BODY_PAIRS_H */
