/*
 * rank_sample.c
 *		Metrics of a list of triples, estimated from the ranks of a sample of them.
 *
 * A rank is found among all entities, so each metric is a mean over the list, and its estimate has no bias.  Ranks
 * among a sample of the entities would be cheaper, but 1 / rank is no linear function of them: MRR comes out too high
 * (doc/method.md, Evaluation).
 *
 * The list is cut into parts of consecutive triples, two of which are drawn in each: the fewest from which the variance
 * within a part can be estimated without bias (Cochran, Sampling Techniques, chapter 5).  In a list that is ordered by
 * relation the parts are strata, since ranks differ by relation more than by anything else.
 */
#include <math.h>

#include "core/random.h"
#include "kge/rank.h"

KgeSample
kge_sample(int64_t population, int64_t wanted)
{
	int64_t		count = wanted < 2 ? 2 : wanted - wanted % 2;

	return (KgeSample) {population, count < population ? count : population};
}

/* ---- parts: two of the sample each, of nearly equal sizes --------------------------- */

static int64_t
part_start(KgeSample sample, int64_t part)
{
	int64_t		parts = sample.count / 2;
	/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a sample that is not all has two */
	int64_t		longer = sample.population % parts;

	return part * (sample.population / parts) + (part < longer ? part : longer);
}

static double
part_size(KgeSample sample, int64_t part)
{
	return (double) (part_start(sample, part + 1) - part_start(sample, part));
}

/* How much of the population number i of the sample stands for. */
static double
share_of(KgeSample sample, int64_t i)
{
	return part_size(sample, i / 2) / 2 / (double) sample.population;
}

void
kge_sample_draw(KgeSample sample, uint64_t seed, int64_t *places)
{
	uint64_t	stream = random_stream(seed, DRAW_RANKED, 0, 0);

	for (int64_t i = 0; i < sample.count; i++)
		places[i] = i;
	for (int64_t i = 0; i < sample.count && !kge_sample_is_all(sample); i += 2)
	{
		int64_t		start = part_start(sample, i / 2);
		uint64_t	size = (uint64_t) part_size(sample, i / 2);
		int64_t		one = random_below(random_bits(stream, (uint64_t) i), size);
		int64_t		other = random_below(random_bits(stream, (uint64_t) i + 1), size - 1);

		other += other >= one;
		places[i] = start + (one < other ? one : other);
		places[i + 1] = start + (one < other ? other : one);
	}
}

/* ---- estimates ---------------------------------------------------------------------- */

KgeMetrics
kge_sample_metrics(KgeSample sample, const int32_t *ranks, int sides, double *reciprocals)
{
	KgeMetrics	sum = {0, 0, 0, 0, 0};

	for (int64_t i = 0; i < sample.count; i++)
	{
		reciprocals[i] = 0;
		for (int side = 0; side < sides; side++)
			reciprocals[i] += 1.0 / ranks[side * sample.count + i] / sides;
	}
	if (kge_sample_is_all(sample))
		return kge_metrics(ranks, sides * sample.count);
	for (int64_t i = 0; i < sides * sample.count; i++)
	{
		double		share = share_of(sample, i % sample.count) / sides;

		sum.mrr += share / ranks[i];
		sum.mr += share * ranks[i];
		sum.hits_1 += share * (ranks[i] <= 1);
		sum.hits_3 += share * (ranks[i] <= 3);
		sum.hits_10 += share * (ranks[i] <= 10);
	}
	return sum;
}

double
kge_sample_error(KgeSample sample, const double *values, const double *others)
{
	double		variance = 0;

	if (kge_sample_is_all(sample))
		return 0;
	for (int64_t i = 0; i < sample.count; i += 2)
	{
		double		share = share_of(sample, i);
		double		apart = values[i] - values[i + 1];

		if (others != NULL)
			apart -= others[i] - others[i + 1];
		variance += share * share * apart * apart * (1 - 2 / part_size(sample, i / 2));
	}
	return sqrt(variance);
}
