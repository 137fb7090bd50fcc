/*
 * rule_sql.h
 *		A rule's body as SQL over the graph's own tables.
 *
 * rule_sql_pairs is the statement of one rule.  What mining counts and training infers is not joined
 * by it, rule by rule, but by rule_sql_products: there may be hundreds of thousands of bodies, each of
 * which would scan the facts by itself, and their pairs may be a thousand times the facts.
 */
#ifndef HKG_RULES_RULE_SQL_H
#define HKG_RULES_RULE_SQL_H

#include "server/compat.h"

#include "rule.h"
#include "server/sql.h"

/* SELECT DISTINCT of the pairs (x, y) that the body yields, as ids. */
extern char *rule_sql_pairs(const Graph *graph, const Rule *rule);

/* SELECT of the places, 1 first, of those pairs ($1 and $2: ids of x and y as int[]) that the body yields. */
extern char *rule_sql_holds(const Graph *graph, const Rule *rule);

/*
 * SELECT of the groundings of the body with X = $1 and Y = $2 (int ids): one text column,
 * the atoms in readable form, `playsFor(Messi, Barcelona), clubType(Barcelona, Football)`.
 */
extern char *rule_sql_groundings(const Graph *graph, const Rule *rule);

/* ---- many bodies ------------------------------------------------------------- */

/* Ids of relations below it leave room for a direction. */
#define RELATION_LIMIT (INT32_C(1) << 30)

/*
 * The rule without its head, relations and constants, each atom from its lower term to its higher one.  Bodies of
 * one form (equal bytes) share a statement.
 */
extern Rule rule_form(const Rule *rule);

/*
 * SELECT of the pairs of bodies of one form, body after body: rows (number of the body, int[] x, int[] y), ids,
 * of which each x goes with each y; the rows of one body may have pairs in common.
 *
 * Where one variable z (or none at all) is all that joins X's part of the body to Y's, a row
 * is a z with its x and its y; the caller multiplies:
 *
 *		X - z - Y			(x, ..) x (y, ..) for each z
 *
 * A constant of the head is a part of its own, with one entity.  Other bodies come as a row for each x with its
 * different y: z is X itself.
 */
extern char *rule_sql_products(const Graph *graph, const Rule *form);

/* The parameters of that statement for `count` bodies of the form, which are numbered 0, 1, ... */
extern SqlArgs rule_sql_bodies(const Rule *const *rules, int32 count);

#endif							/* HKG_RULES_RULE_SQL_H */
