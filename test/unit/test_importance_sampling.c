/*
 * test_importance_sampling.c
 *		Drawing without replacement against exact enumeration.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/learning.h"

#define ITEMS	6
#define DRAWS	100000

/*
 * Adds to inclusion[i] the probability that item i is among n drawn one after
 * the other, each time in proportion to its weight among those that are left;
 * `chance` is that of what was drawn so far.
 */
static void
enumerate(const double *weight, bool *drawn, int n, double chance, double *inclusion)
{
	double		total = 0;

	if (n == 0)
		return;
	for (int i = 0; i < ITEMS; i++)
		total += drawn[i] ? 0 : weight[i];
	for (int i = 0; i < ITEMS; i++)
		if (!drawn[i])
		{
			double		p = chance * weight[i] / total;

			inclusion[i] += p;
			drawn[i] = true;
			enumerate(weight, drawn, n - 1, p, inclusion);
			drawn[i] = false;
		}
}

/*
 * Frequencies of 100,000 draws: each within 5 standard deviations,
 * sqrt(p (1 - p)/100000), of its probability.
 */
static void
test_frequencies(const float *scores, double beta, int n)
{
	uint64_t	key[ITEMS];
	double		weight[ITEMS];
	double		inclusion[ITEMS] = {0};
	int			count[ITEMS] = {0};
	bool		none[ITEMS] = {false};
	int64_t		drawn[ITEMS];
	double		largest = -INFINITY;

	for (int i = 0; i < ITEMS; i++)
	{
		key[i] = (uint64_t) i * 1000;
		largest = fmax(largest, beta * scores[i]);
	}
	for (int i = 0; i < ITEMS; i++)
		weight[i] = exp(beta * scores[i] - largest);
	enumerate(weight, none, n, 1, inclusion);

	for (int seed = 0; seed < DRAWS; seed++)
	{
		if (kge_draw(&arena, leader, (KgeItems) {scores, key, ITEMS}, beta, n, (uint64_t) seed, drawn, NULL) != n)
			CHECK_SAYING(false, "not %d were drawn", n);
		for (int i = 0; i < n; i++)
			count[drawn[i]]++;
	}
	for (int i = 0; i < ITEMS; i++)
	{
		double		p = inclusion[i];
		double		deviation = sqrt(fmax(p * (1 - p), 0) / DRAWS);

		CHECK_SAYING(fabs(count[i] / (double) DRAWS - p) <= 5 * deviation + 1e-12,
					 "item %d of n = %d, beta %g: %g, not %g", i, n, beta,
					 count[i] / (double) DRAWS, p);
	}
}

/* Whatever the scores: in range, ascending, no NaN among the probabilities. */
static void
test_extremes(double beta, const float *scores)
{
	uint64_t	key[ITEMS] = {1, 2, 3, 4, 5, 6};
	int64_t		drawn[ITEMS];
	double		probability[ITEMS];
	double		sum = 0;

	for (int n = 1; n <= ITEMS; n++)
	{
		CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, ITEMS}, beta, n, 9, drawn, probability) == n);
		for (int i = 0; i < n; i++)
		{
			CHECK(drawn[i] >= (i == 0 ? 0 : drawn[i - 1] + 1) && drawn[i] < ITEMS);
			CHECK(probability[i] >= 0 && probability[i] <= 1);
		}
	}
	for (int i = 0; i < ITEMS; i++)
		sum += probability[i];
	CHECK_SAYING(fabs(sum - 1) < 1e-12, "probabilities add up to %g", sum);
}

/* p by hand: scores 0, ln 2, ln 5 with beta 1 are weights 1, 2, 5 of 8. */
static void
test_probability(void)
{
	float		scores[3] = {0, logf(2), logf(5)};
	uint64_t	key[3] = {0, 1, 2};
	int64_t		drawn[3];
	double		p[3];

	CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, 3}, 1, 10, 4, drawn, p) == 3);
	CHECK(drawn[0] == 0 && drawn[1] == 1 && drawn[2] == 2);
	CHECK(fabs(p[0] - 1 / 8.0) < 1e-7 && fabs(p[1] - 2 / 8.0) < 1e-7 && fabs(p[2] - 5 / 8.0) < 1e-7);
}

/* A draw belongs to the key and the seed, not to the place. */
static void
test_keys(void)
{
	float		scores[100],
				turned[100];
	uint64_t	key[100],
				turned_key[100];
	int64_t		drawn[30],
				again[30];
	int			found = 0;

	for (int i = 0; i < 100; i++)
	{
		scores[i] = turned[99 - i] = (float) next_uniform(-1, 1);
		key[i] = turned_key[99 - i] = next_draw();
	}
	kge_draw(&arena, leader, (KgeItems) {scores, key, 100}, 2, 30, 5, drawn, NULL);
	kge_draw(&arena, leader, (KgeItems) {scores, key, 100}, 2, 30, 5, again, NULL);
	CHECK(memcmp(drawn, again, sizeof(drawn)) == 0);
	kge_draw(&arena, leader, (KgeItems) {turned, turned_key, 100}, 2, 30, 5, again, NULL);
	for (int i = 0; i < 30; i++)
		found += drawn[i] == 99 - again[29 - i];
	CHECK(found == 30);
	kge_draw(&arena, leader, (KgeItems) {scores, key, 100}, 2, 30, 6, again, NULL);
	CHECK(memcmp(drawn, again, sizeof(drawn)) != 0);
}

/* NaN comes last: drawn only when no number is left. */
static void
test_nan(void)
{
	float		scores[ITEMS] = {NAN, -1000, NAN, 1000, -INFINITY, NAN};
	uint64_t	key[ITEMS] = {0, 1, 2, 3, 4, 5};
	int64_t		drawn[ITEMS];
	double		p[ITEMS];

	for (uint64_t seed = 0; seed < 100; seed++)
	{
		CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, ITEMS}, 1, 3, seed, drawn, p) == 3);
		CHECK(drawn[0] == 1 && drawn[1] == 3 && drawn[2] == 4);
	}
	CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, ITEMS}, 1, 5, 1, drawn, p) == 5);
	CHECK(p[0] == 0 || drawn[0] != 0);
}

/* check_pauses' `work`: draws half of the items. */
static void
draw_half(Pool *leader, void *argument)
{
	KgeItems   *items = argument;
	int64_t		half = items->count / 2;
	int64_t    *drawn = take((size_t) half * sizeof(int64_t));
	double	   *probability = take((size_t) half * sizeof(double));

	CHECK(kge_draw(&arena, leader, *items, 1, half, 1, drawn, probability) == half);
}

/*
 * Whatever it is at, it pauses: none of the passes over so many items, keys, the heap, the sort and two
 * for the probabilities, takes less than twice the limit.
 */
static void
test_pauses(void)
{
	enum
	{
		MANY = 2000000
	};
	float	   *scores = take(MANY * sizeof(float));
	uint64_t   *key = take(MANY * sizeof(uint64_t));

	for (int i = 0; i < MANY; i++)
	{
		scores[i] = (float) next_uniform(-5, 5);
		key[i] = next_draw();
	}
	check_pauses(0, 0.03, draw_half, &(KgeItems) {scores, key, MANY}, "drawing");
}

void
test_importance_sampling(void)
{
	static const float scores[ITEMS] = {0.5f, -1, 2, 0, 1.5f, -3};
	static const float far[ITEMS] = {5000, -5000, 5000, 4999.5f, -5000, 0};
	static const float largest[ITEMS] = {FLT_MAX, 0, FLT_MAX, 0, FLT_MAX, 0};
	static const float odd[ITEMS] = {INFINITY, -INFINITY, INFINITY, 0, FLT_MAX, -FLT_MAX};
	uint64_t	key[ITEMS] = {0};
	int64_t		drawn[ITEMS];

	for (int n = 1; n < ITEMS; n++)
		test_frequencies(scores, 1, n);
	test_frequencies(scores, -2, 3);
	test_frequencies(scores, 0, 2); /* uniform: each of 6 with probability 1/3 */
	test_frequencies(far, 1, 2);
	test_frequencies(largest, 1, 2);	/* too large for a Gumbel draw to show in the sum */
	test_extremes(1, far);
	test_extremes(-1, far);
	test_extremes(1e6, far);
	test_extremes(1, odd);
	test_extremes(0, odd);
	test_probability();
	test_keys();
	test_nan();
	test_pauses();
	CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, 0}, 1, 5, 1, drawn, NULL) == 0);
	CHECK(kge_draw(&arena, leader, (KgeItems) {scores, key, ITEMS}, 1, 0, 1, drawn, NULL) == 0);
	CHECK(kge_draw(&empty_arena, leader, (KgeItems) {scores, key, ITEMS}, 1, 2, 1, drawn, NULL) == -1);
}
