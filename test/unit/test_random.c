/*
 * test_random.c
 *		Draws, and the order of an epoch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kge/learning.h"
#include "kge/loss/negatives.h"

/*
 * 100,000 draws into 10 places: the chi-square statistic has 9 degrees of
 * freedom; 40 is exceeded with probability 8e-6.
 */
static void
test_below(uint64_t stream)
{
	double		count[10] = {0};
	double		chi = 0;

	for (uint64_t i = 0; i < 100000; i++)
		count[random_below(random_bits(stream, i), 10)]++;
	for (int i = 0; i < 10; i++)
		chi += (count[i] - 10000) * (count[i] - 10000) / 10000;
	CHECK_SAYING(chi < 40, "chi-square %g", chi);
}

static void
test_ends(void)
{
	/* the largest and smallest 64 bits: floor(bits * bound / 2^64) by hand */
	CHECK(random_below(UINT64_MAX, 7) == 6);
	CHECK(random_below(0, 7) == 0);
	CHECK(random_below(UINT64_MAX, 1) == 0);
	CHECK(random_below(UINT64_C(1) << 63, 10) == 5);
	CHECK(random_open(0) > 0);
	CHECK(random_open(UINT64_MAX) < 1);
}

/* Every place once: that is what a permutation is. */
static void
test_order_is_permutation(uint64_t count)
{
	KgeOrder	order = kge_order(1, 2, count);
	char	   *seen = take(count);
	uint64_t	wrong = 0;

	memset(seen, 0, count);
	for (uint64_t i = 0; i < count; i++)
	{
		uint64_t	place = kge_order_place(&order, i);

		wrong += place >= count || seen[place]++ != 0;
	}
	CHECK_SAYING(wrong == 0, "%lu places: %lu wrong", (unsigned long) count, (unsigned long) wrong);
}

/*
 * Over 20,000 epochs the first of 5 places holds each number a fifth of the
 * time: 4 degrees of freedom, 30 is exceeded with probability 5e-6.
 */
static void
test_order_is_uniform(void)
{
	double		count[5] = {0};
	double		chi = 0;

	for (uint64_t epoch = 0; epoch < 20000; epoch++)
	{
		KgeOrder	order = kge_order(3, epoch, 5);

		count[kge_order_place(&order, 0)]++;
	}
	for (int i = 0; i < 5; i++)
		chi += (count[i] - 4000) * (count[i] - 4000) / 4000;
	CHECK_SAYING(chi < 30, "chi-square %g", chi);
}

static void
test_negatives(void)
{
	int32_t		a[1000],
				b[1000];
	int			seen[7] = {0};

	kge_draw_negatives(1, 2, 3, 7, 1000, a);
	kge_draw_negatives(1, 2, 3, 7, 1000, b);
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	kge_draw_negatives(1, 2, 4, 7, 1000, b);
	CHECK(memcmp(a, b, sizeof(a)) != 0);
	for (int i = 0; i < 1000; i++)
		seen[a[i]]++;

	/* each of 7 entities about 143 times, standard deviation 11; 5 of them allowed */
	for (int i = 0; i < 7; i++)
		CHECK(abs(seen[i] - 143) < 56);
}

void
test_random(void)
{
	for (uint64_t i = 0; i < 5; i++)
		test_below(random_stream(i, DRAW_ENTITY, 0, i));
	test_ends();
	for (uint64_t count = 1; count < 70; count++)
		test_order_is_permutation(count);
	test_order_is_permutation(86835);
	test_order_is_uniform();
	test_negatives();
}
