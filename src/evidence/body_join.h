/*
 * body_join.h
 *		The pairs (x, y) for which a body of any form holds, joined over the index of facts.
 *
 * Pairs of one body add up over slices of x: whoever has the facts can take a slice, a thread or another server.
 */
#ifndef HKG_EVIDENCE_BODY_JOIN_H
#define HKG_EVIDENCE_BODY_JOIN_H

#include "body.h"
#include "core/allocation.h"
#include "facts/fact_index.h"

/* A range of x, first .. end - 1 */
typedef struct EvSlice
{
	int32_t		first;
	int32_t		end;
} EvSlice;

/* Slice `number` (0 .. slices - 1) of all entities, each of about as many edges. */
extern EvSlice ev_slice(const FactIndex *facts, int32_t number, int32_t slices);

/* The pairs of each x with each y */
typedef struct EvRectangle
{
	const int32_t *x;
	int32_t		x_count;
	const int32_t *y;
	int32_t		y_count;
} EvRectangle;

/* What a thread needs to join one body after another */
typedef struct EvJoin EvJoin;

/* Bytes that ev_join takes; from an arena, NULL when it is empty.  Yields, as the pool's leader. */
extern size_t ev_join_bytes(const FactIndex *facts);
extern EvJoin *ev_join(Arena *arena, Pool *pool, const FactIndex *facts);

/*
 * Passes on the pairs of a body with x in the slice, as rectangles that have no pair in common; what they are depends
 * on the facts, the body and the slice alone.  A rectangle lives until `take` returns.  Yields, as that thread of the
 * pool.
 */
typedef struct EvJoinTarget
{
	void		(*take) (void *argument, const EvRectangle *pairs);
	void	   *argument;
	Pool	   *pool;
	int			thread;
} EvJoinTarget;

extern void ev_join_body(EvJoin *join, const Rule *body, EvSlice slice, const EvJoinTarget *target);

/* What a thread needs for bodies from one x alone: less, and of memory that begins as zeros, without writing it */
extern EvJoin *ev_join_take(Allocation *allocation, const FactIndex *facts);

/*
 * The same for one x, whether or not it has facts.  Stops with the pairs so far when it has looked at `most` edges or a few
 * more; returns how many these were.
 */
extern int64_t ev_join_from(EvJoin *join, const Rule *body, int32_t x, int64_t most, const EvJoinTarget *target);

/* What a thread needs for paths under object identity alone, of memory that may have anything in it */
extern EvJoin *ev_join_take_paths(Allocation *allocation, const FactIndex *facts);

/* What a path leads to from one x over different entities (object identity) */
typedef struct EvReached
{
	int32_t		x;
	const int32_t *y;			/* each once; x is not among them */
	int64_t		count;
	bool		closed;			/* a path leads back to x */
	bool		cut;			/* not all of it: there were more than `most` edges to look at */
	const uint32_t *stamp;		/* by entity: `serial` if it is among y */
	uint32_t	serial;
	int64_t		edges;			/* that were looked at, and more where it is cut */
} EvReached;

/*
 * Follows a path, its atoms in order, from x, the edges of the first atom being those of a group.  Takes `pool` and
 * `thread` of the target; what it returns lives until the next call.
 */
extern EvReached ev_join_path(EvJoin *join, const DirectedAtom *atom, int length, int32_t x, FactGroup first,
							  int64_t most, const EvJoinTarget *target);

#endif							/* HKG_EVIDENCE_BODY_JOIN_H */
