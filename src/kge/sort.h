/*
 * sort.h
 *		Sorting that can be left on the way.
 */
#ifndef KGE_SORT_H
#define KGE_SORT_H

#include "kge.h"

/* As qsort, but breathes, as `thread`, which may be KGE_LEADER.  Left on the way, the array's order is any. */
extern void kge_sort(KgePool *pool, int thread, void *array, int64_t count, size_t size,
					 int (*compare) (const void *a, const void *b));

#endif							/* KGE_SORT_H */
