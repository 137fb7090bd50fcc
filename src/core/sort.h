/*
 * sort.h
 *		Sorting that can be left on the way.
 */
#ifndef HKG_CORE_SORT_H
#define HKG_CORE_SORT_H

#include "pool.h"

/* As qsort, but breathes, as `thread`, which may be POOL_LEADER.  Left on the way, the array's order is any. */
extern void sort_array(Pool *pool, int thread, void *array, int64_t count, size_t size,
					 int (*compare) (const void *a, const void *b));

#endif							/* HKG_CORE_SORT_H */
