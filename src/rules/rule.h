/*
 * rule.h
 *		A rule as a small value: head relation and body atoms over numbered
 *		variables or constants; its canonical form and its text form.
 *
 * Wording.  An atom is relation(first, second); a term is a variable or a constant (an entity).  The text form is
 *		r(X,Y) <= b1(X,A), b2(A,Y)
 * with variables X, Y, A, B, C ... and constants in double quotes (a quote
 * inside doubled).  A relation's name is written without quotes when it contains no
 * white space, none of ( ) , " < = and is not empty; else in double quotes, too.
 *
 * One term of a head may be a constant (evidence at prediction has such rules):
 *		r(X,"c") <= b(X,"d")
 * As a value its head is r(X, Y) all the same, and the last atom of its body is `Y is c`, of
 * relation RULE_IS, which no fact has.  So every body yields pairs (x, y).
 *
 * A variable beside X and Y that stands in one atom only is open: some entity is in its place.  With a constant in the
 * head the body may be empty, r(X,"c") <=: then X is any entity that has a fact of r, as head or as tail.
 */
#ifndef HKG_RULES_RULE_H
#define HKG_RULES_RULE_H

#include "server/compat.h"

#include "lib/stringinfo.h"

#include "evidence/body.h"
#include "facts/fact_index.h"
#include "graph/graph.h"
#include "server/growing_array.h"

#define RULE_MOST_SEARCHED 4	/* atoms, the head counted, of a rule that is searched for */

/* The number of atoms of a canonical body that facts match: all but a constant of the head. */
static inline int
rule_atoms(const Rule *rule)
{
	return rule->length - (rule->length > 0 && rule->body[rule->length - 1].relation == RULE_IS);
}

/* Whether the constant of a canonical rule's head, if it has one, is the entity x or y in its place. */
static inline bool
rule_head_matches(const Rule *rule, int32 x, int32 y)
{
	const Atom *is = &rule->body[rule_atoms(rule)];

	return rule_atoms(rule) == rule->length || is->second == (is->first == TERM_X ? x : y);
}

/* Whether a term is an open variable of a rule; whether there is one. */
extern bool rule_term_is_open(const Rule *rule, Term term);
extern bool rule_is_open(const Rule *rule);

/* The rule with the body whose pairs it has: an empty one becomes r(X,A), A open. */
extern Rule rule_with_domain(const Rule *rule);

/*
 * The one form of a rule: rules equal up to variable names (X and Y stay) and
 * the order of atoms become equal bytes.  Unused atoms are zeroed.
 */
extern void rule_canonicalise(Rule *rule);

/* Orders canonical rules and canonical bodies, of which empty ones have the same pairs by heads; 0 means equal. */
extern int	rule_compare(const Rule *a, const Rule *b);
extern int	rule_compare_bodies(const Rule *a, const Rule *b);

/* Sorts canonical rules and keeps one of each; returns how many these are. */
extern int64 rules_distinct(Rule *rules, int64 count);

/* The head as it is written: with its constant. */
extern Atom rule_head(const Rule *rule);

/* Why a rule is outside the language, as the end of a sentence; NULL when it is not.  names: of X and Y */
extern const char *rule_fault(const Rule *rule, char *const *names);

/* ---- rule_text.c: the text form ---- */

/*
 * ERROR 42601 with the position when the text does not parse; 42704 for unknown names; 22023 when
 * the rule is outside the language (not connected, an atom twice or reflexive, ...).
 */
extern void rule_parse(Graph *graph, const char *text, Rule *rule);

/*
 * The same, but returns rule_fault.  hints: an error has the name that is like an unknown one; the search takes too long
 * for each rule of a list.
 */
extern const char *rule_read(Graph *graph, const char *text, bool hints, Rule *rule);
extern char *rule_text(Graph *graph, const Rule *rule);

/* The text of a path rule of any number of atoms, in the path's order. */
extern void rule_append_path(StringInfo text, Graph *graph, const int32 *relation_id, int32 relation,
							 const DirectedAtom *atom, int length);

/* Appends a name in double quotes. */
extern void rule_append_quoted(StringInfo text, const char *name);

/* ---- rule.c: other forms ---- */

/* A path rule in rows (evidence.h) as a canonical one in ids; relation_id: of each row */
extern Rule rule_in_ids(const int32 *relation_id, const Rule *path);

/*
 * A rule in rows of `data`.  entity_row finds the row of an entity, or -1, where not all entities are in `data`; else it
 * is NULL.  False when the rule has a relation or an entity without a row: nothing can match it.
 */
extern bool rule_in_rows(const GraphData *data, const Rule *rule, int32 (*entity_row) (const void *argument, int32 id),
						 const void *argument, Rule *in_rows);

/* For the body column of the rule table: int[][3], (relation or RULE_IS, first, second), terms as above. */
extern Datum rule_body_array(const Rule *rule);
extern void rule_from_array(int32 head, Datum body, Rule *rule);

/* A rule from such rows, up to RULE_MAX_BODY of them; what is wrong, as a sentence, or NULL. */
extern const char *rule_from_numbers(int32 head, int32 length, const int32 *number, Rule *rule);

/* Appends head, length and such rows to numbers; the rule that begins at place `next` of `count` numbers, which moves on. */
extern void rule_append(Numbers *numbers, const Rule *rule);
extern const char *rule_take(const int32 *number, int64 count, int64 *next, Rule *rule);

#endif							/* HKG_RULES_RULE_H */
