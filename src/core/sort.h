/*
 * sort.h
 *		Sorting that can be left on the way.
 */
#ifndef HKG_CORE_SORT_H
#define HKG_CORE_SORT_H

#include "pool.h"

/*
 * As qsort, but yields, as `thread`, which may be POOL_LEADER.  If it is left by a jump, the array's order is undefined.
 */
extern void sort_array(Pool *pool, int thread, void *array, int64_t count, size_t size,
					   int (*compare) (const void *a, const void *b));

/* For sort_array of numbers, ascending */
static inline int
compare_int32(const void *a, const void *b)
{
	int32_t		left = *(const int32_t *) a;
	int32_t		right = *(const int32_t *) b;

	return (left > right) - (left < right);
}

#endif							/* HKG_CORE_SORT_H */
