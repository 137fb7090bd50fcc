/*
 * body.h
 *		The atoms of a rule's body, over the rows of an index of facts.
 */
#ifndef HKG_EVIDENCE_BODY_H
#define HKG_EVIDENCE_BODY_H

#include <stdint.h>

#define EV_MAX_BODY 5

/* Terms are X, Y, other variables below them, and entities from 0 on. */
#define EV_X (-1)
#define EV_Y (-2)
#define EV_IS (-1)				/* in the place of a relation: the two terms are the same entity */
#define EV_MAX_VARIABLES (2 * EV_MAX_BODY + 2)

typedef struct EvAtom
{
	int32_t		relation;
	int32_t		first;
	int32_t		second;
} EvAtom;

typedef struct EvBody
{
	int32_t		length;
	EvAtom		atom[EV_MAX_BODY];
} EvBody;

#endif							/* HKG_EVIDENCE_BODY_H */
