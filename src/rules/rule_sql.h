/*
 * rule_sql.h
 *		A rule's body as SQL over the graph's own tables.
 *
 * What mining counts is joined in memory (evidence/body_join.h), not by these statements; what a training infers, by
 * either (body_pairs.h).
 */
#ifndef HKG_RULES_RULE_SQL_H
#define HKG_RULES_RULE_SQL_H

#include "server/compat.h"

#include "rule.h"
#include "server/sql.h"

/*
 * SELECT of the pairs (x, y) that the body yields, as int ids: the statement of hkg_rule_sql.  left_out: without the facts
 * whose heads, relations and tails are $1, $2 and $3, int[] each.
 */
extern char *rule_sql_pairs(const Graph *graph, const Rule *rule, bool left_out);

/* SELECT of the places, 1 first, of those pairs ($1 and $2: ids of x and y as int[]) that the body yields. */
extern char *rule_sql_holds(const Graph *graph, const Rule *rule);

/*
 * SELECT of the groundings of the body with X = $1 and Y = $2 (int ids), for open variables one each: one text column,
 * the atoms in readable form, `playsFor(Messi, Barcelona), clubType(Barcelona, Football)`.
 */
extern char *rule_sql_groundings(const Graph *graph, const Rule *rule);

#endif							/* HKG_RULES_RULE_SQL_H */
