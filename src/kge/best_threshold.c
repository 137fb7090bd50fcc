/*
 * best_threshold.c
 *		The score that parts true triples from false ones.
 */
#include <math.h>

#include "core/search.h"
#include "rank.h"

/* what the scores of all relations count for, in scores of a relation's rarer kind */
#define COMMON_WEIGHT 10

KgeCommon
kge_common(const KgeLabelled *labelled, int64_t count, int64_t *right)
{
	right[0] = 0;
	for (int64_t i = 0; i < count; i++)
		right[0] += !labelled[i].truth;
	for (int64_t i = 0; i < count; i++)
		right[i + 1] = right[i] + (labelled[i].truth ? 1 : -1);
	return (KgeCommon) {labelled, count, right, kge_threshold(labelled, count, NULL)};
}

int64_t
kge_threshold_right(const KgeLabelled *labelled, int64_t count, double threshold)
{
	int64_t		right = 0;

	for (int64_t i = 0; i < count; i++)
		right += (labelled[i].score >= threshold) == labelled[i].truth;
	return right;
}

/* Negative where a threshold takes the score for true. */
static int
compare_with_threshold(const void *labelled, const void *threshold)
{
	return ((const KgeLabelled *) labelled)->score >= *(const double *) threshold ? -1 : 1;
}

/* How good a threshold is that is right about so many of `count` scores, of which `rarer` are of the rarer kind */
static double
worth(const KgeCommon *common, int64_t rarer, int64_t right, int64_t count, double threshold)
{
	int64_t		taken;

	if (common == NULL)
		return (double) right;
	taken = lower_bound(common->labelled, 0, common->count, sizeof(KgeLabelled), &threshold, compare_with_threshold);
	return (double) rarer * (double) right / (double) count +
		COMMON_WEIGHT * (double) common->right[taken] / (double) common->count;
}

/*
 * A cut lies between two neighbouring scores, or beyond the ends.  Of cuts that are equally good the common one is
 * taken, then the one in the widest gap, and of equal gaps the highest.
 */
double
kge_threshold(const KgeLabelled *labelled, int64_t count, const KgeCommon *common)
{
	int64_t		falsehoods = 0;
	int64_t		rarer;
	int64_t		correct;
	double		best = -1;
	double		widest = 0;
	double		threshold = common != NULL ? common->threshold : 0;

	if (count == 0)
		return threshold;
	for (int64_t i = 0; i < count; i++)
		falsehoods += !labelled[i].truth;
	rarer = falsehoods < count - falsehoods ? falsehoods : count - falsehoods;
	if (common != NULL)
	{
		best = worth(common, rarer, kge_threshold_right(labelled, count, threshold), count, threshold);
		widest = INFINITY;
	}
	correct = falsehoods;
	for (int64_t taken = 0; taken <= count; taken++)
	{
		double		above = labelled[taken > 0 ? taken - 1 : 0].score;
		double		below = labelled[taken < count ? taken : count - 1].score;
		double		cut = taken == 0 ? nextafter(below, INFINITY) : below + (above - below) / 2;
		double		value;

		if (taken > 0)
			correct += labelled[taken - 1].truth ? 1 : -1;
		if (taken > 0 && taken < count && above == below)
			continue;
		value = worth(common, rarer, correct, count, cut);
		if (value > best || (value == best && above - below > widest))
		{
			best = value;
			widest = above - below;
			threshold = cut;
		}
	}
	return threshold;
}
