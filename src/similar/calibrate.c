/*
 * calibrate.c
 *		How sure answers may be (see similar.h).
 *
 * The best values of known rows, each of which was asked for as if it had none, stand in order of their probability, in
 * bins of as many rows.  A bin has the share of them that are right.  Pooling adjacent violators (Ayer and others 1955)
 * makes these shares ascend; between the bins' means a line leads from one to the next.
 */
#include "similar.h"

#include <math.h>
#include <stdlib.h>

#include "core/allocation.h"

#define LEAST_ROWS 50			/* of a bin */
#define PRIOR_ROWS 5			/* of a bin, that are as sure as they say */

typedef struct Best
{
	double		probability;
	bool		right;
} Best;

static int
compare_best(const void *a, const void *b)
{
	const Best *left = a;
	const Best *right = b;

	if (left->probability != right->probability)
		return left->probability < right->probability ? -1 : 1;
	return left->right - right->right;
}

bool
similar_calibrate(Arena *arena, const int32_t *value, const SimilarAnswer *answer, int64_t count,
				  SimilarCalibration *calibration)
{
	int			bins = count / LEAST_ROWS < SIMILAR_BINS ? (int) (count / LEAST_ROWS) : SIMILAR_BINS;
	double		weight[SIMILAR_BINS];	/* rows of what bins were pooled into */
	int			last = -1;
	Allocation	allocation = {0};
	Best	   *best;

	/* 1. In order of probability */
	*calibration = (SimilarCalibration) {0};
	TAKE(&allocation, Best, (size_t) count);
	if (!allocation_open(&allocation, arena))
		return false;
	best = TAKE(&allocation, Best, (size_t) count);
	for (int64_t i = 0; i < count; i++)
		best[i] = (Best) {answer[i].probability[0], answer[i].value[0] == value[i]};
	qsort(best, (size_t) count, sizeof(Best), compare_best);

	/* 2. Bins; each is pooled with the one before for as long as that has the greater share */
	for (int bin = 0; bin < bins; bin++)
	{
		int64_t		first = bin * count / bins;
		int64_t		end = (bin + 1) * count / bins;
		double		stated = 0;
		double		right = 0;

		for (int64_t i = first; i < end; i++)
		{
			stated += best[i].probability / (double) (end - first);
			right += best[i].right;
		}
		last++;
		weight[last] = (double) (end - first);
		calibration->stated[last] = stated;
		calibration->right[last] = (right + PRIOR_ROWS * stated) / (weight[last] + PRIOR_ROWS);
		for (; last > 0 && calibration->right[last - 1] >= calibration->right[last]; last--)
		{
			double		all = weight[last - 1] + weight[last];
			double		part = weight[last] / all;

			calibration->stated[last - 1] += part * (calibration->stated[last] - calibration->stated[last - 1]);
			calibration->right[last - 1] += part * (calibration->right[last] - calibration->right[last - 1]);
			weight[last - 1] = all;
		}
	}
	calibration->bins = last + 1;
	return true;
}

static double
calibrated(const SimilarCalibration *calibration, double probability)
{
	double		from[2] = {0, 0};
	int			bin = 0;

	if (calibration->bins == 0)
		return probability;
	while (bin < calibration->bins && calibration->stated[bin] < probability)
		bin++;
	if (bin == calibration->bins)
		return calibration->right[bin - 1];
	if (bin > 0)
	{
		from[0] = calibration->stated[bin - 1];
		from[1] = calibration->right[bin - 1];
	}
	return from[1] +
		(calibration->right[bin] - from[1]) * (probability - from[0]) / (calibration->stated[bin] - from[0]);
}

void
similar_apply(const SimilarCalibration *calibration, int64_t candidates, int32_t values, SimilarAnswer *answer)
{
	double		best = answer->count == 0 ? 0 : answer->probability[0];
	double		now = fmin(calibrated(calibration, best), (double) candidates / ((double) candidates + 1));
	double		scale;

	/* if nothing tells apart equally frequent values, known rows are rarely right: a value is rarer without its row */
	now = fmax(now, fmin(best, 1.0 / values));
	scale = best < 1 ? (1 - now) / (1 - best) : 0;

	/* the others share what the best one leaves */
	if (answer->own >= 0)
		answer->own = answer->own == best ? now : fmin(answer->own * scale, now);
	for (int i = 0; i < answer->count; i++)
		answer->probability[i] = i == 0 ? now : fmin(answer->probability[i] * scale, now);
}
