/*
 * space.h
 *		One allocation cut into aligned arrays.
 *
 * A function that needs memory says what it takes in a single place, run
 * twice: first over an empty space, which only adds up, then over the memory
 * that the arena gave for that sum.
 */
#ifndef KGE_SPACE_H
#define KGE_SPACE_H

#include "kge.h"

#define KGE_ALIGNMENT	64		/* bytes: a cache line, a widest vector */

typedef struct KgeSpace
{
	char	   *base;			/* NULL while adding up */
	size_t		used;			/* SIZE_MAX when the sum overflowed */
} KgeSpace;

/* Room for `count` things of `size` bytes; NULL while adding up. */
static inline void *
kge_space_take(KgeSpace *space, size_t count, size_t size)
{
	size_t		start = space->used;
	size_t		limit = SIZE_MAX - 2 * KGE_ALIGNMENT;

	if (start > limit || (size > 0 && count > (limit - start) / size))
	{
		space->used = SIZE_MAX;
		return NULL;
	}
	space->used = (start + count * size + KGE_ALIGNMENT - 1) /
		KGE_ALIGNMENT * KGE_ALIGNMENT;
	return space->base == NULL ? NULL : space->base + start;
}

/* Bytes to ask of an arena for what has been added up. */
static inline size_t
kge_space_bytes(const KgeSpace *space)
{
	return space->used == SIZE_MAX ? SIZE_MAX : space->used + KGE_ALIGNMENT;
}

/* Takes what has been added up from the arena and starts again at its front. */
static inline bool
kge_space_open(KgeSpace *space, KgeArena *arena)
{
	size_t		bytes = kge_space_bytes(space);
	char	   *memory;

	if (bytes == SIZE_MAX)
		return false;
	memory = arena->allocate(arena->context, bytes);
	if (memory == NULL)
		return false;
	space->base = memory + (KGE_ALIGNMENT -
							(uintptr_t) memory % KGE_ALIGNMENT) % KGE_ALIGNMENT;
	space->used = 0;
	return true;
}

#define KGE_TAKE(space, type, count) \
	((type *) kge_space_take(space, count, sizeof(type)))

#endif							/* KGE_SPACE_H */
