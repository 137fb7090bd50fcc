/*
 * body_count.h
 *		How many pairs bodies yield, and how many of them count for the rules over them.
 */
#ifndef HKG_EVIDENCE_BODY_COUNT_H
#define HKG_EVIDENCE_BODY_COUNT_H

#include "body_join.h"

/* A rule over a body */
typedef struct EvCountedRule
{
	int32_t		relation;		/* of the head; -1: facts among the pairs are not to be counted */
	DirectedAtom side;			/* leads away from the entities of one side of the head ... */
	bool		side_is_y;		/* ... at which the body has y, else x */
	int64_t		facts;			/* pairs that are facts of the relation */
	int64_t		known;			/* pairs whose entity on that side has such an edge */
} EvCountedRule;

typedef struct EvCountedBody
{
	Rule		body;
	EvCountedRule *rule;
	int32_t		rules;
	int64_t		pairs;
} EvCountedBody;

/* What each of the threads takes at most */
extern size_t ev_count_bytes(const FactIndex *facts);

/* Scratch for the threads of a pool, from an arena; NULL when it is empty.  Making it yields, as the pool's leader. */
typedef struct EvCounter EvCounter;

extern EvCounter *ev_counter(Arena *arena, Pool *pool, const FactIndex *facts);

/* Adds the pairs with x in the slice to all counts of these bodies. */
extern void ev_count_bodies(EvCounter *counter, EvCountedBody *body, int64_t count, EvSlice slice);

#endif							/* HKG_EVIDENCE_BODY_COUNT_H */
