/*
 * test_rank_sample.c
 *		Metrics from a sample, against those of the whole list.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/rank.h"

enum
{
	POPULATION = 1001,
	SAMPLED = 100,
	SEEDS = 2000
};

/* Ranks that drift along the list, as they do from relation to relation, with others between them */
static int32_t
rank_at(int64_t place, int side)
{
	return 1 + (int32_t) (place / 100 + 7 * side + (place % 7 == 0 ? 40 : 0) + place * place % 5);
}

static void
fill_ranks(const int64_t *place, int64_t count, int32_t *rank)
{
	for (int side = 0; side < 2; side++)
		for (int64_t i = 0; i < count; i++)
			rank[side * count + i] = rank_at(place[i], side);
}

/* Two different places in each part of 1001 / 50, ascending. */
static void
test_places(void)
{
	KgeSample	sample = kge_sample(POPULATION, SAMPLED + 1);
	int64_t		place[SAMPLED];

	CHECK(sample.count == SAMPLED && !kge_sample_is_all(sample));
	for (uint64_t seed = 0; seed < 50; seed++)
	{
		kge_sample_draw(sample, seed, place);
		for (int i = 0; i < SAMPLED; i++)
		{
			/* the first part has 21 places, the other 49 have 20 */
			int64_t		start = i < 2 ? 0 : 1 + 20 * (i / 2);

			CHECK(place[i] >= start && place[i] < 21 + 20 * (i / 2));
			CHECK(i == 0 || place[i] > place[i - 1]);
		}
	}
}

/* All of a list has its metrics, and no error; a list of one triple is never sampled. */
static void
test_all(void)
{
	static int64_t place[POPULATION];
	static int32_t rank[2 * POPULATION];
	static double reciprocal[POPULATION];
	KgeSample	sample = kge_sample(POPULATION, POPULATION + 1);
	KgeMetrics	metrics;
	KgeMetrics	expected;

	kge_sample_draw(sample, 1, place);
	fill_ranks(place, POPULATION, rank);
	metrics = kge_sample_metrics(sample, rank, 2, reciprocal);
	expected = kge_metrics(rank, 2 * POPULATION);
	CHECK(kge_sample_is_all(sample) && place[POPULATION - 1] == POPULATION - 1);
	CHECK(memcmp(&metrics, &expected, sizeof(metrics)) == 0);
	CHECK(kge_sample_error(sample, reciprocal, NULL) == 0);
	CHECK(kge_sample(1, 1).count == 1 && kge_sample(0, 5).count == 0 && kge_sample(9, 0).count == 2);
}

/*
 * Over many seeds the estimates have the list's metrics as their mean, and the mean of the squared error is their
 * variance.  The mean of SEEDS estimates is off by 5 of its deviations with probability 6e-7; the variance of an
 * estimate, which is nearly normal, has a relative deviation of sqrt(2 / SEEDS) = 0.03, the error's share in it is
 * less.
 */
static void
test_bias(void)
{
	static int64_t all[POPULATION];
	static int32_t rank[2 * POPULATION];
	KgeSample	sample = kge_sample(POPULATION, SAMPLED);
	double		reciprocal[SAMPLED];
	double		half[SAMPLED];
	int64_t		place[SAMPLED];
	KgeMetrics	list;
	double		sum = 0;
	double		squares = 0;
	double		errors = 0;
	double		hits = 0;
	double		means = 0;

	for (int i = 0; i < POPULATION; i++)
		all[i] = i;
	fill_ranks(all, POPULATION, rank);
	list = kge_metrics(rank, 2 * POPULATION);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
	{
		KgeMetrics	estimate;
		double		error;

		kge_sample_draw(sample, seed, place);
		fill_ranks(place, SAMPLED, rank);
		estimate = kge_sample_metrics(sample, rank, 2, reciprocal);
		error = kge_sample_error(sample, reciprocal, NULL);
		sum += estimate.mrr - list.mrr;
		squares += (estimate.mrr - list.mrr) * (estimate.mrr - list.mrr);
		errors += error * error;
		hits += estimate.hits_10 - list.hits_10;
		means += estimate.mr - list.mr;
		/* the error of a difference is that of the values' differences */
		for (int i = 0; i < SAMPLED; i++)
			half[i] = reciprocal[i] / 2;
		CHECK(fabs(kge_sample_error(sample, reciprocal, half) - error / 2) < 1e-12);
	}
	CHECK_SAYING(fabs(sum / SEEDS) < 5 * sqrt(squares) / SEEDS, "MRR is off by %g", sum / SEEDS);
	CHECK_SAYING(fabs(squares / errors - 1) < 0.2, "variance %g, estimated %g", squares / SEEDS, errors / SEEDS);
	CHECK_SAYING(fabs(hits / SEEDS) < 0.002 && fabs(means / SEEDS) < 0.1, "Hits@10 is off by %g, MR by %g",
				 hits / SEEDS, means / SEEDS);
}

void
test_rank_sample(void)
{
	test_places();
	test_all();
	test_bias();
}
