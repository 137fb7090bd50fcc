/*
 * body.h
 *		A rule as a value: the relation of its head, r(X,Y), and the atoms of its body.
 *
 * Relations and entities are ids, as tables have them, or the rows of an index of facts.
 */
#ifndef HKG_EVIDENCE_BODY_H
#define HKG_EVIDENCE_BODY_H

#include <stdint.h>

#define RULE_MAX_BODY 5
#define RULE_MAX_VARIABLES (2 * RULE_MAX_BODY + 2)
#define RULE_IS (-1)			/* in the place of a relation: the two terms are the same entity */

typedef int32_t Term;			/* < 0: a variable; >= 0: an entity */

#define TERM_X ((Term) -1)
#define TERM_Y ((Term) -2)
#define TERM_A ((Term) -3)		/* then B, C, ...: -4, -5, ... */
#define TERM_IS_VARIABLE(t) ((t) < 0)

typedef struct Atom
{
	int32_t		relation;
	Term		first;
	Term		second;
} Atom;

typedef struct Rule
{
	int32_t		head;			/* a relation */
	int32_t		length;			/* body atoms */
	Atom		body[RULE_MAX_BODY];
} Rule;

/* The rule whose body is this one, read from Y to X: X and Y change places. */
static inline Rule
rule_mirrored(const Rule *rule)
{
	Rule		mirrored = *rule;

	for (int i = 0; i < rule->length; i++)
	{
		Atom	   *atom = &mirrored.body[i];

		if (atom->first == TERM_X || atom->first == TERM_Y)
			atom->first = TERM_X + TERM_Y - atom->first;
		if (atom->second == TERM_X || atom->second == TERM_Y)
			atom->second = TERM_X + TERM_Y - atom->second;
	}
	return mirrored;
}

#endif							/* HKG_EVIDENCE_BODY_H */
