/*
 * test_search.c
 *		Binary search against counting, and the heap of the first k against sorting all.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/heap.h"
#include "core/search.h"

#define MOST 40

typedef struct Keyed
{
	int			key;
	int			number;
} Keyed;

static int
compare_keyed(const void *a, const void *b)
{
	const Keyed *left = a;
	const Keyed *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

static int
compare_key(const void *element, const void *key)
{
	int			left = ((const Keyed *) element)->key;
	int			right = *(const int *) key;

	return (left > right) - (left < right);
}

/* Elements of `keys` different keys, in the order of their numbers */
static void
draw_elements(Keyed *element, int count, int keys)
{
	for (int i = 0; i < count; i++)
		element[i] = (Keyed) {next_below(keys), i};
}

/* The place is the number of elements below the key, among those that are searched. */
static void
test_lower_bound(int count, int keys)
{
	Keyed		element[MOST];
	int32_t		number[MOST];
	int			first = next_below(count + 1);
	int			end = first + next_below(count - first + 1);

	draw_elements(element, count, keys);
	qsort(element, (size_t) count, sizeof(Keyed), compare_keyed);
	for (int i = 0; i < count; i++)
		number[i] = element[i].key;
	for (int key = -1; key <= keys; key++)
	{
		int			expected = first;

		for (int i = first; i < end; i++)
			expected += number[i] < key;
		CHECK(lower_bound(element, first, end, sizeof(Keyed), &key, compare_key) == expected);
		CHECK(lower_bound_int32(number, first, end, key) == expected);
	}
}

/* What is kept is what sorting all puts first; the root is the last of it. */
static void
test_heap(int count, int keys, int limit)
{
	Keyed		element[MOST];
	Keyed		heap[MOST];
	int64_t		kept = 0;
	int			expected = count < limit ? count : limit;

	draw_elements(element, count, keys);
	for (int i = 0; i < count; i++)
		kept = heap_offer(heap, kept, limit, &element[i], sizeof(Keyed), compare_keyed);
	CHECK(kept == expected);
	qsort(element, (size_t) count, sizeof(Keyed), compare_keyed);
	CHECK(kept == 0 || compare_keyed(&heap[0], &element[kept - 1]) == 0);
	qsort(heap, (size_t) kept, sizeof(Keyed), compare_keyed);
	CHECK(memcmp(heap, element, (size_t) kept * sizeof(Keyed)) == 0);
}

void
test_search(void)
{
	for (int i = 0; i < 200; i++)
	{
		test_lower_bound(next_below(MOST), 1 + next_below(MOST));
		test_heap(1 + next_below(MOST - 1), 1 + next_below(MOST), next_below(MOST));
	}
}
