/*
 * heap.h
 *		The first k of many elements, in a heap.
 *
 * The root is the last of those kept: an element must come before it to be kept.  When all elements
 * have been offered, sorting the array by the same `compare` puts the kept ones in order.  Inlined, so
 * that a compare function that the compiler can see costs no call.
 */
#ifndef HKG_CORE_HEAP_H
#define HKG_CORE_HEAP_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Moves parents down that come before `element`, from the free place at the end; returns the place for it. */
static inline int64_t
heap_rise(char *heap, int64_t place, const void *element, size_t size,
		  int (*compare) (const void *a, const void *b))
{
	while (place > 0)
	{
		int64_t		parent = (place - 1) / 2;

		if (compare(heap + (size_t) parent * size, element) >= 0)
			break;
		memcpy(heap + (size_t) place * size, heap + (size_t) parent * size, size);
		place = parent;
	}
	return place;
}

/* Moves children up that come after `element`, from the free place at the root; returns the place for it. */
static inline int64_t
heap_sink(char *heap, int64_t count, const void *element, size_t size,
		  int (*compare) (const void *a, const void *b))
{
	int64_t		place = 0;

	for (int64_t child; (child = 2 * place + 1) < count; place = child)
	{
		if (child + 1 < count &&
			compare(heap + (size_t) (child + 1) * size, heap + (size_t) child * size) > 0)
			child++;
		if (compare(heap + (size_t) child * size, element) <= 0)
			break;
		memcpy(heap + (size_t) place * size, heap + (size_t) child * size, size);
	}
	return place;
}

/*
 * Offers an element, which is not in the array, to a heap of `count` elements of `size` bytes.  At most
 * `limit` are kept: those that come first by `compare`, which is as for qsort.  Returns the new count.
 */
static inline int64_t
heap_offer(void *heap, int64_t count, int64_t limit, const void *element, size_t size,
		   int (*compare) (const void *a, const void *b))
{
	int64_t		place;

	assert(0 <= count && count <= limit);
	if (count < limit)
		place = heap_rise(heap, count++, element, size, compare);
	else if (count > 0 && compare(element, heap) < 0)
		place = heap_sink(heap, count, element, size, compare);
	else
		return count;
	memcpy((char *) heap + (size_t) place * size, element, size);
	return count;
}

#endif							/* HKG_CORE_HEAP_H */
