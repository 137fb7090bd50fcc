/*
 * test_sort.c
 *		Sorting in parts: in order, nothing lost, and left whenever somebody asks.
 */
#include "check.h"
#include "core/sort.h"

/* An element that is longer than what is moved at a time */
typedef struct Element
{
	int			key;
	int			number;
	char		between[92];
	int			number_again;
} Element;

static int
compare_elements(const void *a, const void *b)
{
	int			left = ((const Element *) a)->key;
	int			right = ((const Element *) b)->key;

	return (left > right) - (left < right);
}

/* What the element of number i has for a key, of `keys` different ones */
static int
key_of(const char *order, int i, int count, int keys)
{
	switch (order[0])
	{
		case 'r':				/* rising */
			return i * (int64_t) keys / count;
		case 'f':				/* falling */
			return (count - i) * (int64_t) keys / count;
		case 'o':				/* organ pipes */
			return (i < count / 2 ? i : count - i) * (int64_t) keys / count;
		default:
			return next_below(keys);
	}
}

static void
test_order(Pool *leader, const char *order, int count, int keys)
{
	Element    *element = take((size_t) (count + 1) * sizeof(Element));
	bool	   *seen = take((size_t) count + 1);
	int			wrong = 0;

	for (int i = 0; i < count; i++)
	{
		element[i] = (Element) {.key = key_of(order, i, count, keys),.number = i,.number_again = i};
		seen[i] = false;
	}
	sort_array(leader, POOL_LEADER, element, count, sizeof(Element), compare_elements);
	for (int i = 0; i < count; i++)
	{
		wrong += i > 0 && element[i - 1].key > element[i].key;
		wrong += element[i].number != element[i].number_again || seen[element[i].number];
		seen[element[i].number] = true;
	}
	CHECK_SAYING(wrong == 0, "%d elements, %s, of %d keys: %d wrong", count, order, keys, wrong);
}

/* As many comparisons of scores do: a NaN is then above itself. */
static int
compare_scores(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return left == right ? 0 : left > right ? -1 : 1;
}

/* Between two stretches that must stay as they are; the numbers themselves stay in some order. */
static void
test_contradiction(Pool *leader)
{
	enum
	{
		COUNT = 5000, AROUND = 100
	};
	double	   *number = take((COUNT + 2 * AROUND) * sizeof(double));
	int			outside = 0;
	int			nans = 0;

	for (int i = 0; i < COUNT + 2 * AROUND; i++)
		number[i] = i < AROUND || i >= AROUND + COUNT ? -i - 1 : i % 10 == 0 ? i : (double) NAN;
	sort_array(leader, POOL_LEADER, number + AROUND, COUNT, sizeof(double), compare_scores);
	for (int i = 0; i < COUNT + 2 * AROUND; i++)
		if (i < AROUND || i >= AROUND + COUNT)
			outside += number[i] != -i - 1;
		else
			nans += isnan(number[i]);
	CHECK_SAYING(outside == 0 && nans == COUNT / 10 * 9, "%d numbers outside changed, %d of %d are NaN", outside, nans, COUNT);
}

/* ---- being left -------------------------------------------------------------------- */

#define MANY 1000000

static int
compare_numbers(const void *a, const void *b)
{
	int64_t		left = *(const int64_t *) a;
	int64_t		right = *(const int64_t *) b;

	return (left > right) - (left < right);
}

static int64_t *
draw_numbers(uint64_t *sum)
{
	int64_t    *number = take(MANY * sizeof(int64_t));

	*sum = 0;
	for (int i = 0; i < MANY; i++)
	{
		number[i] = (int64_t) next_draw();
		*sum += (uint64_t) number[i];
	}
	return number;
}

/* check_pauses' `work`: sorts a copy of numbers. */
static void
sort_copy(Pool *leader, void *number)
{
	int64_t    *copy = take(MANY * sizeof(int64_t));

	memcpy(copy, number, MANY * sizeof(int64_t));
	start_stretch();
	sort_array(leader, POOL_LEADER, copy, MANY, sizeof(int64_t), compare_numbers);
}

/* All numbers are still there, and can be sorted. */
static void
test_leaving(Pool *leader, int pauses)
{
	Leaving		leaving = {.leave_at = pauses + 1};
	Pool	   *left = pool_create(0, leave, &leaving);
	uint64_t	sum;
	int64_t    *volatile number = draw_numbers(&sum);
	volatile bool done = false;
	int			wrong = 0;

	if (setjmp(leaving.place) == 0)
	{
		sort_array(left, POOL_LEADER, number, MANY, sizeof(int64_t), compare_numbers);
		done = true;
	}
	CHECK_SAYING(!done, "done within %d pauses", pauses);
	for (int i = 0; i < MANY; i++)
		sum -= (uint64_t) number[i];
	sort_array(leader, POOL_LEADER, number, MANY, sizeof(int64_t), compare_numbers);
	for (int i = 1; i < MANY; i++)
		wrong += number[i - 1] > number[i];
	CHECK_SAYING(sum == 0 && wrong == 0, "left after %d pauses: %d out of order", pauses, wrong);
	pool_destroy(left);
}

void
test_sort(void)
{
	static const char *const orders[] = {"drawn", "rising", "falling", "organ pipes"};
	static const int counts[] = {0, 1, 2, 3, 4096, 4097, 30000};
	uint64_t	sum;

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 7; j++)
		{
			test_order(leader, orders[i], counts[j], 1);
			test_order(leader, orders[i], counts[j], 7);
			test_order(leader, orders[i], counts[j], 1000000);
		}
	test_contradiction(leader);
	/* at once it would take ten times the limit */
	check_pauses(0, 0.03, sort_copy, draw_numbers(&sum), "sorting");
	test_leaving(leader, 0);
	test_leaving(leader, 5);
}
