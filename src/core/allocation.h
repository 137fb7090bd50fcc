/*
 * allocation.h
 *		One allocation cut into aligned arrays.
 *
 * A function that needs memory lists what it takes in a single place, run
 * twice: first over an empty allocation, which only adds up, then over the memory
 * that the arena gave for that sum.
 */
#ifndef HKG_CORE_ALLOCATION_H
#define HKG_CORE_ALLOCATION_H

#include <assert.h>
#include <string.h>

#include "core.h"

#define ALLOCATION_ALIGNMENT	64		/* bytes: a cache line, a widest vector */

/*
 * Before the first member of a struct of which an array has one for each thread.  A cache line that two threads write moves
 * back and forth between their cores: two threads then take as long as one.
 */
#define CACHE_ALIGNED	_Alignas(ALLOCATION_ALIGNMENT)

typedef struct Allocation
{
	char	   *base;			/* NULL while adding up */
	size_t		used;			/* SIZE_MAX when the sum overflowed */
	size_t		planned;		/* that the first run added up; SIZE_MAX over arrays that are there already */
} Allocation;

/* Room for `count` things of `size` bytes; NULL while adding up.  What is between two arrays is zero: some go to files. */
static inline void *
allocation_take(Allocation *allocation, size_t count, size_t size)
{
	size_t		start = allocation->used;
	size_t		limit = SIZE_MAX - 2 * ALLOCATION_ALIGNMENT;

	if (start > limit || (size > 0 && count > (limit - start) / size))
	{
		allocation->used = SIZE_MAX;
		return NULL;
	}
	allocation->used = (start + count * size + ALLOCATION_ALIGNMENT - 1) /
		ALLOCATION_ALIGNMENT * ALLOCATION_ALIGNMENT;
	assert(allocation->base == NULL || allocation->used <= allocation->planned);
	if (allocation->base == NULL)
		return NULL;
	if (allocation->planned != SIZE_MAX)
		memset(allocation->base + start + count * size, 0, allocation->used - start - count * size);
	return allocation->base + start;
}

/* Bytes to ask of an arena for what has been added up. */
static inline size_t
allocation_bytes(const Allocation *allocation)
{
	return allocation->used == SIZE_MAX ? SIZE_MAX : allocation->used + ALLOCATION_ALIGNMENT;
}

/* Takes what has been added up from the arena and starts again at its front. */
static inline bool
allocation_open(Allocation *allocation, Arena *arena)
{
	char	   *memory = arena_take(arena, allocation_bytes(allocation));

	if (memory == NULL)
		return false;
	allocation->base = memory + (ALLOCATION_ALIGNMENT -
								 (uintptr_t) memory % ALLOCATION_ALIGNMENT) % ALLOCATION_ALIGNMENT;
	allocation->planned = allocation->used;
	allocation->used = 0;
	return true;
}

/* Arrays that are there already, in memory that was cut in the same way. */
static inline Allocation
allocation_over(void *memory)
{
	return (Allocation) {(char *) memory, 0, SIZE_MAX};
}

#define TAKE(allocation, type, count) \
	((type *) allocation_take(allocation, count, sizeof(type)))

#endif							/* HKG_CORE_ALLOCATION_H */
