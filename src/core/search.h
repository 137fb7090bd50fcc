/*
 * search.h
 *		Binary search in a sorted array.
 *
 * Inlined, so that a compare function that the compiler can see costs no call.
 */
#ifndef HKG_CORE_SEARCH_H
#define HKG_CORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The place of the first of elements first .. end - 1 that does not come before `key`; `end` when all
 * do.  The elements are `size` bytes each and ascend by `compare`, which is called with an element and the key.
 */
static inline int64_t
lower_bound(const void *array, int64_t first, int64_t end, size_t size, const void *key,
			int (*compare) (const void *element, const void *key))
{
	while (first < end)
	{
		int64_t		middle = first + (end - first) / 2;

		if (compare((const char *) array + (size_t) middle * size, key) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* The same among ascending numbers. */
static inline int64_t
lower_bound_int32(const int32_t *array, int64_t first, int64_t end, int32_t key)
{
	while (first < end)
	{
		int64_t		middle = first + (end - first) / 2;

		if (array[middle] < key)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Whether one of them is the key. */
static inline bool
has_int32(const int32_t *array, int64_t first, int64_t end, int32_t key)
{
	int64_t		place = lower_bound_int32(array, first, end, key);

	return place < end && array[place] == key;
}

#endif							/* HKG_CORE_SEARCH_H */
