/*
 * best_threshold.c
 *		The score that parts true triples from false ones.
 */
#include <math.h>

#include "core/search.h"
#include "kge/rank.h"

/* what the scores of all relations count for, in scores of a relation's rarer kind */
#define COMMON_WEIGHT 10

int64_t
kge_threshold_right(const KgeLabelled *labelled, int64_t count, double threshold)
{
	int64_t		right = 0;

	for (int64_t i = 0; i < count; i++)
		right += (labelled[i].score >= threshold) == labelled[i].truth;
	return right;
}

static int64_t
count_truths(const KgeLabelled *labelled, int64_t count)
{
	int64_t		truths = 0;

	for (int64_t i = 0; i < count; i++)
		truths += labelled[i].truth;
	return truths;
}

/* Negative where a threshold takes the score for true. */
static int
compare_with_threshold(const void *labelled, const void *threshold)
{
	return ((const KgeLabelled *) labelled)->score >= *(const double *) threshold ? -1 : 1;
}

static double
common_worth(const KgeCommon *common, double threshold)
{
	return common->worth[lower_bound(common->labelled, 0, common->count, sizeof(KgeLabelled), &threshold,
									 compare_with_threshold)];
}

/*
 * The best cut, which has to be worth more than `threshold`, whose worth is `best`.  A cut lies between two neighbouring
 * scores, or beyond the ends.  It is worth the share of the scores that it is right about, times `weight`, and what it
 * is worth to all relations.  Of cuts that are worth as much the one in the widest gap is taken, and of equal gaps the
 * highest.
 */
static double
best_cut(const KgeLabelled *labelled, int64_t count, const KgeCommon *common, double weight, double threshold, double best)
{
	int64_t		right = count - count_truths(labelled, count);
	double		widest = INFINITY;

	for (int64_t taken = 0; taken <= count && count > 0; taken++)
	{
		double		above = labelled[taken > 0 ? taken - 1 : 0].score;
		double		below = labelled[taken < count ? taken : count - 1].score;
		double		cut = taken == 0 ? nextafter(below, INFINITY) : below + (above - below) / 2;
		double		worth;

		if (taken > 0)
			right += labelled[taken - 1].truth ? 1 : -1;
		if (taken > 0 && taken < count && above == below)
			continue;
		worth = weight * (double) right / (double) count + COMMON_WEIGHT * common_worth(common, cut);
		if (worth > best || (worth == best && above - below > widest))
		{
			best = worth;
			widest = above - below;
			threshold = cut;
		}
	}
	return threshold;
}

KgeCommon
kge_common(const KgeLabelled *labelled, int64_t count, double *worth)
{
	KgeCommon	common = {labelled, count, worth, 0};
	int64_t		truths = count_truths(labelled, count);
	int64_t		kinds = (truths > 0) + (truths < count);
	int64_t		taken_truths = 0;

	for (int64_t taken = 0; taken <= count; taken++)
	{
		int64_t		left_falsehoods = count - truths - (taken - taken_truths);
		double		shares = truths > 0 ? (double) taken_truths / (double) truths : 0;

		if (truths < count)
			shares += (double) left_falsehoods / (double) (count - truths);
		worth[taken] = kinds > 0 ? shares / (double) kinds : 0;
		if (taken < count)
			taken_truths += labelled[taken].truth;
	}
	common.threshold = best_cut(labelled, count, &common, 0, 0, -1);
	return common;
}

double
kge_threshold(const KgeLabelled *labelled, int64_t count, const KgeCommon *common)
{
	int64_t		truths = count_truths(labelled, count);
	double		rarer = (double) (truths < count - truths ? truths : count - truths);
	double		right = (double) kge_threshold_right(labelled, count, common->threshold);

	if (rarer == 0)
		return common->threshold;
	return best_cut(labelled, count, common, rarer, common->threshold,
					rarer * right / (double) count + COMMON_WEIGHT * common_worth(common, common->threshold));
}
