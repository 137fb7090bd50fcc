/*
 * calibration.c
 *		How probable a candidate is, by its score and its evidence.
 */
#include "learn.h"

#include <math.h>

#define BINS 15

/* Loss, gradient and curvature of a logistic regression */
struct Regression
{
	double		loss;
	double		gradient[FEATURES];
	double		curvature[FEATURES][FEATURES];
};

void
calibrating_take(Calibrating *calibrating, Allocation *allocation, int64_t examples)
{
	calibrating->partial = TAKE(allocation, Regression, (size_t) pool_pieces(examples, AT_ONCE));
}

static void
features_of(const Calibrating *calibrating, const Listed *listed, double *feature)
{
	feature[0] = calibrating->used[0] ? listed->phi : 0;
	feature[1] = calibrating->used[1] ? listed->evidence[calibrating->discount[calibrating->kind]] : 0;
	feature[2] = 1;
}

/* Fills the features, too. */
static double
probability(const Calibrating *calibrating, const Listed *listed, double *feature)
{
	double		x = 0;

	features_of(calibrating, listed, feature);
	for (int i = 0; i < FEATURES; i++)
		x += calibrating->coefficient[i] * feature[i];
	return 1 / (1 + exp(-x));
}

/* Item: some examples. */
static void
sum_labels(void *argument, int64_t item, int thread)
{
	Calibrating *calibrating = argument;
	int64_t		end = examples_count(calibrating->examples);
	Regression	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const Example *example = example_at(calibrating->examples, i);

		if (calibrating->parity >= 0 && i % 2 != calibrating->parity)
			continue;
		for (int j = 0; j < example->count; j++)
		{
			double		feature[FEATURES];
			double		p = probability(calibrating, &example->listed[j], feature);
			double		target = calibrating->target[j == 0];

			sums.loss -= target * log(fmax(p, 1e-300)) + (1 - target) * log1p(-fmin(p, 1 - 1e-16));
			for (int k = 0; k < FEATURES; k++)
			{
				sums.gradient[k] += (p - target) * feature[k];
				for (int l = 0; l < FEATURES; l++)
					sums.curvature[k][l] += fmax(p * (1 - p), 1e-12) * feature[k] * feature[l];
			}
		}
	}
	calibrating->partial[item] = sums;
	pool_yield(calibrating->pool, thread);
}

/* Solves curvature * step = gradient, in the gradient's place. */
static void
solve(Regression *sums)
{
	for (int i = 0; i < FEATURES; i++)
	{
		/* a feature that is not used has no curvature, and does not move */
		sums->curvature[i][i] += 1e-6;
		for (int j = i + 1; j < FEATURES; j++)
		{
			double		ratio = sums->curvature[j][i] / sums->curvature[i][i];

			for (int k = i; k < FEATURES; k++)
				sums->curvature[j][k] -= ratio * sums->curvature[i][k];
			sums->gradient[j] -= ratio * sums->gradient[i];
		}
	}
	for (int i = FEATURES - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < FEATURES; k++)
			sums->gradient[i] -= sums->curvature[i][k] * sums->gradient[k];
		sums->gradient[i] /= sums->curvature[i][i];
	}
}

/*
 * What a truth and a falsehood count for: as if there were one more of each, of which nothing is
 * known.  A few examples that happen to be parted by a score would else make everything certain.
 */
static void
set_targets(Calibrating *calibrating)
{
	double		truths = 0;
	double		falsehoods = 0;

	for (int64_t i = 0; i < examples_count(calibrating->examples); i++)
		if (calibrating->parity < 0 || i % 2 == calibrating->parity)
		{
			truths++;
			falsehoods += example_at(calibrating->examples, i)->count - 1;
		}
	calibrating->target[true] = (truths + 1) / (truths + 2);
	calibrating->target[false] = 1 / (falsehoods + 2);
}

/* Platt's method: the logistic regression of truth.  A step of Newton's method that goes too far is halved. */
static void
fit_calibration(Calibrating *calibrating, int parity)
{
	int64_t		items = pool_pieces(examples_count(calibrating->examples), AT_ONCE);
	double		length = INFINITY;
	double		lowest = INFINITY;
	double		move[FEATURES] = {0};

	calibrating->parity = parity;
	set_targets(calibrating);
	calibrating->coefficient[0] = calibrating->coefficient[1] = 0;
	calibrating->coefficient[2] = -log(BY_SCORE);
	for (int step = 0; step < STEPS && length > 1e-6; step++)
	{
		Regression	sums = {0};

		pool_run(calibrating->pool, items, sum_labels, calibrating);
		for (int64_t i = 0; i < items; i++)
		{
			sums.loss += calibrating->partial[i].loss;
			for (int k = 0; k < FEATURES; k++)
			{
				sums.gradient[k] += calibrating->partial[i].gradient[k];
				for (int l = 0; l < FEATURES; l++)
					sums.curvature[k][l] += calibrating->partial[i].curvature[k][l];
			}
		}
		length = 0;
		if (sums.loss > lowest)
			for (int k = 0; k < FEATURES; k++)
			{
				move[k] /= 2;
				calibrating->coefficient[k] += move[k];
				length = fmax(length, fabs(move[k]));
			}
		else
		{
			lowest = sums.loss;
			solve(&sums);
			for (int k = 0; k < FEATURES; k++)
			{
				move[k] = sums.gradient[k];
				calibrating->coefficient[k] -= move[k];
				length = fmax(length, fabs(move[k]));
			}
		}
	}
}

/*
 * The same, so that no probability falls when a score or evidence rises: what would have a
 * negative slope is left out.
 */
static void
fit_rising(Calibrating *calibrating, EvKind kind, int parity)
{
	const double *slope = calibrating->coefficient;
	bool		falls = true;

	calibrating->kind = kind;
	calibrating->used[0] = kind != EV_RULES;
	calibrating->used[1] = kind != EV_EMBEDDING;
	while (falls)
	{
		fit_calibration(calibrating, parity);
		falls = slope[0] < 0 || slope[1] < 0;
		if (falls)
			calibrating->used[slope[0] < slope[1] ? 0 : 1] = false;
	}
}

/* Mean distance of what is said from what is true, in bins of probability, over examples of a parity. */
static double
calibration_error(const Calibrating *calibrating, int parity)
{
	int64_t		end = examples_count(calibrating->examples);
	double		said[BINS] = {0};
	double		truths[BINS] = {0};
	double		distance = 0;
	double		count = 0;

	for (int64_t i = parity; i < end; i += 2)
	{
		const Example *example = example_at(calibrating->examples, i);

		for (int j = 0; j < example->count; j++)
		{
			double		feature[FEATURES];
			double		p = probability(calibrating, &example->listed[j], feature);
			int			bin = (int) fmin(p * BINS, BINS - 1);

			said[bin] += p;
			truths[bin] += j == 0;
			count++;
		}
	}
	for (int i = 0; i < BINS; i++)
		distance += fabs(said[i] - truths[i]);
	return count > 0 ? distance / count : 0;
}

void
learn_calibration(Calibrating *calibrating, EvLearnt *learnt)
{
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		double		error;

		fit_rising(calibrating, kind, 0);
		error = calibration_error(calibrating, 1);
		fit_rising(calibrating, kind, -1);
		learnt->calibration[kind] = (EvCalibration) {calibrating->coefficient[0], calibrating->coefficient[1],
			calibrating->coefficient[2], error};
	}
}
