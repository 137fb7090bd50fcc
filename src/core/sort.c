/*
 * sort.c
 *		Sorting that can be left on the way (see sort.h).
 *
 * A long array is parted, as in quicksort, until qsort can put a part in order within a
 * millisecond.  qsort itself must not be left: it may hold memory.
 */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "random.h"

#define AT_ONCE 4096			/* elements of a part that is sorted at a stretch */

typedef struct Sorting
{
	Pool	   *pool;
	int			thread;
	size_t		size;
	int			(*compare) (const void *a, const void *b);
	int64_t		steps;
} Sorting;

static void
swap(const Sorting *sorting, char *a, char *b)
{
	char		moved[64];

	for (size_t done = 0, some; done < sorting->size && a != b; done += some)
	{
		some = sorting->size - done < sizeof(moved) ? sorting->size - done : sizeof(moved);
		memcpy(moved, a + done, some);
		memcpy(a + done, b + done, some);
		memcpy(b + done, moved, some);
	}
}

/* The median of three elements that are as good as drawn: no order of arrival makes bad ones likely. */
static char *
choose_pivot(const Sorting *sorting, char *array, int64_t count)
{
	char	   *drawn[3];

	for (int i = 0; i < 3; i++)
		drawn[i] = array + random_mix((uint64_t) count + (uint64_t) i) % (uint64_t) count * sorting->size;
	for (int i = 0; i < 2; i++)
	{
		int			above = sorting->compare(drawn[i], drawn[(i + 1) % 3]) > 0;
		int			below = sorting->compare(drawn[i], drawn[(i + 2) % 3]) < 0;

		if (above == below)
			return drawn[i];
	}
	return drawn[2];
}

/*
 * Returns the place of an element that none before it exceeds, and none after it falls below.  A comparison that
 * contradicts itself, as one of NaN may, leaves no order, and stays within the array.
 */
static int64_t
part(Sorting *sorting, char *array, int64_t count)
{
	size_t		size = sorting->size;
	char	   *low = array;
	char	   *high = array + (size_t) count * size;

	swap(sorting, array, choose_pivot(sorting, array, count));
	for (;;)
	{
		do
		{
			low += size;
			pool_yield_at(sorting->pool, sorting->thread, ++sorting->steps);
		} while (low < high && sorting->compare(low, array) < 0);
		do
		{
			high -= size;
			pool_yield_at(sorting->pool, sorting->thread, ++sorting->steps);
		} while (high > array && sorting->compare(high, array) > 0);
		if (low >= high)
			break;
		swap(sorting, low, high);
	}
	swap(sorting, array, high);
	return (high - array) / (int64_t) size;
}

/* The shorter side first, so that few are waiting for their turn. */
static void
sort(Sorting *sorting, char *array, int64_t count)
{
	while (count > AT_ONCE)
	{
		int64_t		middle = part(sorting, array, count);
		char	   *rest = array + (size_t) (middle + 1) * sorting->size;
		int64_t		left = count - middle - 1;

		if (middle < left)
		{
			sort(sorting, array, middle);
			array = rest;
			count = left;
		}
		else
		{
			sort(sorting, rest, left);
			count = middle;
		}
	}
	if (count > 1)
		qsort(array, (size_t) count, sorting->size, sorting->compare);
	pool_yield(sorting->pool, sorting->thread);
}

void
sort_array(Pool *pool, int thread, void *array, int64_t count, size_t size,
		   int (*compare) (const void *a, const void *b))
{
	Sorting		sorting = {pool, thread, size, compare, 0};

	sort(&sorting, array, count);
}
