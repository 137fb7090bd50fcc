/*
 * body_plan.h
 *		The order in which a body's variables are bound (see body_plan.c).
 */
#ifndef HKG_EVIDENCE_BODY_PLAN_H
#define HKG_EVIDENCE_BODY_PLAN_H

#include <stdbool.h>

#include "body.h"
#include "facts/fact_index.h"

#define BODY_LEVELS (RULE_MAX_BODY + 2)	/* X, Y, and one with each atom, for a rule is connected */

#define NO_ENTITY (-1)
#define NO_ATOM (-1)

/* An atom that leads to a level's variable from a variable of a level before, or from a constant */
typedef struct BodyLink
{
	int			from;			/* level; -1: the constant */
	int32_t		constant;
	DirectedAtom atom;
} BodyLink;

/* A variable */
typedef struct BodyLevel
{
	int32_t		is;				/* the only entity that it may be, or NO_ENTITY */
	int			links;
	BodyLink	link[RULE_MAX_BODY];
	DirectedAtom held;			/* without links: its entities have such edges */
	bool		cut;			/* all that follows depends on no variable before this one */
	bool		once;			/* nothing that follows depends on this one: one entity is as good as all */
} BodyLevel;

/* What x with the same y have in common */
typedef enum BodySharing
{
	SHARE_NOTHING,				/* each x is joined by itself */
	SHARE_SETS,					/* x of one set of entities at level 1 reach the same y */
	SHARE_ALL					/* Y's part of the body is not joined to X's */
} BodySharing;

typedef struct BodyPlan
{
	int			levels;
	int			y;				/* level of Y; X is level 0 */
	BodySharing sharing;
	BodyLevel	level[BODY_LEVELS];
} BodyPlan;

extern BodyPlan body_plan(const FactIndex *facts, const Rule *body);

#endif							/* HKG_EVIDENCE_BODY_PLAN_H */
