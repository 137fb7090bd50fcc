/*
 * rule_search.h
 *		The search for rules over the bounds, head after head.
 *
 * First the components of bodies (component.h) that are over the bounds are found, shorter ones first: their
 * groundings are enumerated over the index of facts, as far as their own parts are over the bounds (groundings.c).
 * Then the components that the same facts have are combined (combinations.c).  With facts as transactions and bodies
 * of components as items, these are frequent itemsets, and are found like them.
 *
 * Support never rises when an atom is added: so most bodies are never counted.
 *
 * An instantiated atom is not unifiable with another atom of the rule: their relations differ, or else both have
 * constants, in the same place, and these differ.  (Two places unify when they are equal or one is a variable.
 * So no instantiated atom has the head's relation.)  And its variable has at least two bindings where
 * rule and head hold.  Entities of negative ids are no constants: such ids mark variables.
 */
#ifndef HKG_RULES_RULE_SEARCH_H
#define HKG_RULES_RULE_SEARCH_H

#include "server/compat.h"

#include "body_table.h"
#include "component.h"
#include "server/growing_array.h"

#include "mining.h"

/* Facts of the head that are one to a component: each by itself, or those that share an end */
typedef struct Unit
{
	int32		bound[2];		/* X and Y: rows; -1: not bound */
	int32		facts;
} Unit;

/* Which units a component has: those of X, those of Y, or, with both of them, the facts */
enum
{
	BOTH = 2, UNIT_KINDS
};

/* Where the bodies of a complete component hold, if it may be combined with others */
typedef struct FactLists
{
	int64	   *start;			/* by unit, and the end */
	Numbers		body;			/* the bodies of each unit */
	Numbers		binding;		/* of the variable beside the constant; empty without a constant */

	int64	   *first;			/* by body, and the end */
	int32	   *fact;			/* the facts of each body, ascending */
	int32	   *fact_binding;
	int32	   *count;			/* by body: scratch, zero between uses */
} FactLists;

typedef struct Search
{
	Mining	   *mining;
	Components	components;
	int32	   *unit_of_entity; /* scratch */

	/* the current head */
	int32		head;
	int32		threshold;
	const Triple *fact;
	int32		facts;
	int32		units[UNIT_KINDS];
	Unit	   *unit[UNIT_KINDS];
	int32	   *unit_of[UNIT_KINDS];	/* by fact; those of BOTH are the facts, and have no such array */
	BodyTable	table[MAX_COMPONENTS];
	FactLists	lists[MAX_COMPONENTS];
} Search;

static inline int
unit_kind(const Component *component)
{
	return component->end[X] && component->end[Y] ? BOTH : component->end[X] ? X : Y;
}

/* Which unit of a component a fact is in */
static inline int32
unit_of_fact(const Search *search, int component, int32 fact)
{
	const int32 *unit_of = search->unit_of[unit_kind(&search->components.component[component])];

	return unit_of == NULL ? fact : unit_of[fact];
}

/* ---- groundings.c ---------------------------------------------------------------- */

/* Counts the bodies of a component and keeps those over the bounds; those of its parts are there. */
extern void groundings_count(Search *search, int component);

/* Lists the bodies of each unit, and their bindings. */
extern void groundings_list(Search *search, int component);

/* ---- combinations.c -------------------------------------------------------------- */

/* Adds the rules whose body is one component. */
extern void search_add_bodies(Search *search, int component);

/* Adds the rules whose body has several, from the components that have lists. */
extern void search_combinations(Search *search);

#endif							/* HKG_RULES_RULE_SEARCH_H */
