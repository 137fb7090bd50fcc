/*
 * growing_array.h
 *		Arrays of any type, also beyond 1 GB, and arrays that grow.
 */
#ifndef HKG_SERVER_GROWING_ARRAY_H
#define HKG_SERVER_GROWING_ARRAY_H

#include "compat.h"

#include "utils/memutils.h"

#include "core/core.h"

/* An array of `count` elements in the current memory context; of array_new_zero, all zero */
#define array_new(type, count) \
	((type *) MemoryContextAllocHuge(CurrentMemoryContext, (Size) Max(count, 1) * sizeof(type)))
#define array_new_zero(type, count) \
	((type *) MemoryContextAllocExtended(CurrentMemoryContext, (Size) Max(count, 1) * sizeof(type), \
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO))

/* The same from an arena, within its limit */
#define arena_new(arena, type, count) \
	((type *) arena_take(arena, (Size) Max(count, 1) * sizeof(type)))

typedef struct Numbers
{
	int32	   *value;
	int64		count;
	int64		room;
} Numbers;

/* The room of an array for `count` elements: grown, it doubles at least, so that growing costs linear time in all. */
static inline int64
array_room(int64 count, int64 room)
{
	return count <= room ? room : Max(count, Max(2 * room, 1024));
}

/*
 * Returns `array`, of *room elements of `size` bytes, with room for `count` of them.  It stays in the memory context in
 * which it began; NULL begins one in the current context.
 */
static inline void *
array_reserve(void *array, int64 count, int64 *room, Size size)
{
	if (count <= *room)
		return array;
	*room = array_room(count, *room);
	if (array == NULL)
		return MemoryContextAllocHuge(CurrentMemoryContext, *room * size);
	return repalloc_huge(array, *room * size);
}

static inline void
numbers_reserve(Numbers *numbers, int64 count)
{
	numbers->value = array_reserve(numbers->value, count, &numbers->room, sizeof(int32));
}

static inline void
numbers_append(Numbers *numbers, int32 value)
{
	numbers_reserve(numbers, numbers->count + 1);
	numbers->value[numbers->count++] = value;
}

#endif							/* HKG_SERVER_GROWING_ARRAY_H */
