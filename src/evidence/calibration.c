/*
 * calibration.c
 *		How probable a candidate is, by its score and its evidence, fitted to examples.
 *
 * Platt's method: the logistic regression of whether a candidate is the true answer, on phi and evidence.
 * The examples of even number are fitted first, and those of odd number measure the error; then all are fitted.
 *
 * Sums over examples are taken item by item and added in order, so they do not depend on the threads.
 */
#include "examples.h"

#include <math.h>

#define AT_ONCE 64				/* examples of an item */
#define STEPS 30				/* of Newton's method, at most */
#define FEATURES 3				/* phi, evidence and 1 */
#define BINS 15

/* Loss, gradient and curvature of a logistic regression */
typedef struct Regression
{
	double		loss;
	double		gradient[FEATURES];
	double		curvature[FEATURES][FEATURES];
} Regression;

typedef struct CalibrationTask
{
	Pool	   *pool;
	const EvExamples *examples;
	EvKind		kind;			/* that is calibrated */
	int			discount;		/* that it uses */
	Regression *partial;		/* of each item */
	bool		used[FEATURES];
	double		coefficient[FEATURES];
	int			parity;			/* examples of that parity only; -1: all */
	double		target[2];		/* of a false candidate, and of a true answer */
} CalibrationTask;

size_t
calibration_bytes(int64_t examples)
{
	return (size_t) pool_pieces(examples, AT_ONCE) * sizeof(Regression);
}

/* Fills the features, too. */
static double
probability(const CalibrationTask *task, const EvListed *listed, double *feature)
{
	double		x = 0;

	feature[0] = task->used[0] ? listed->phi : 0;
	feature[1] = task->used[1] ? listed->evidence[task->discount] : 0;
	feature[2] = 1;
	for (int i = 0; i < FEATURES; i++)
		x += task->coefficient[i] * feature[i];
	return 1 / (1 + exp(-x));
}

static void
add_example(const CalibrationTask *task, const EvExample *example, Regression *sums)
{
	for (int j = 0; j < example->count; j++)
	{
		double		feature[FEATURES];
		double		p = probability(task, &example->listed[j], feature);
		double		target = task->target[j == 0];

		sums->loss -= target * log(fmax(p, 1e-300)) + (1 - target) * log1p(-fmin(p, 1 - 1e-16));
		for (int k = 0; k < FEATURES; k++)
		{
			sums->gradient[k] += (p - target) * feature[k];
			for (int l = 0; l < FEATURES; l++)
				sums->curvature[k][l] += fmax(p * (1 - p), 1e-12) * feature[k] * feature[l];
		}
	}
}

/* Item: some examples. */
static void
sum_examples(void *argument, int64_t item, int thread)
{
	CalibrationTask *task = argument;
	int64_t		end = ev_examples_count(task->examples);
	Regression	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
		if (task->parity < 0 || i % 2 == task->parity)
			add_example(task, ev_example(task->examples, i), &sums);
	task->partial[item] = sums;
	pool_yield(task->pool, thread);
}

static Regression
sum_all(CalibrationTask *task)
{
	int64_t		items = pool_pieces(ev_examples_count(task->examples), AT_ONCE);
	Regression	sums = {0};

	pool_run(task->pool, items, sum_examples, task);
	for (int64_t i = 0; i < items; i++)
	{
		sums.loss += task->partial[i].loss;
		for (int k = 0; k < FEATURES; k++)
		{
			sums.gradient[k] += task->partial[i].gradient[k];
			for (int l = 0; l < FEATURES; l++)
				sums.curvature[k][l] += task->partial[i].curvature[k][l];
		}
	}
	return sums;
}

/* Solves curvature * step = gradient, in the place of the gradient. */
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
 * The targets of the regression count one true and one false candidate more than there are (Platt 1999).
 * Otherwise a few examples that happen to be separated by a score would make everything certain.
 */
static void
set_targets(CalibrationTask *task)
{
	double		answers = 0;
	double		others = 0;

	for (int64_t i = 0; i < ev_examples_count(task->examples); i++)
		if (task->parity < 0 || i % 2 == task->parity)
		{
			answers++;
			others += ev_example(task->examples, i)->count - 1;
		}
	task->target[true] = (answers + 1) / (answers + 2);
	task->target[false] = 1 / (others + 2);
}

/* The regression over the examples of a parity.  After a step that raised the loss, half of it is taken back. */
static void
fit_regression(CalibrationTask *task, int parity)
{
	double		length = INFINITY;
	double		lowest = INFINITY;
	double		move[FEATURES] = {0};

	task->parity = parity;
	set_targets(task);
	task->coefficient[0] = task->coefficient[1] = 0;
	task->coefficient[2] = -log(EV_BY_SCORE);
	for (int step = 0; step < STEPS && length > 1e-6; step++)
	{
		Regression	sums = sum_all(task);
		bool		raised = sums.loss > lowest;

		if (!raised)
		{
			lowest = sums.loss;
			solve(&sums);
		}
		length = 0;
		for (int k = 0; k < FEATURES; k++)
		{
			move[k] = raised ? move[k] / 2 : sums.gradient[k];
			task->coefficient[k] += raised ? move[k] : -move[k];
			length = fmax(length, fabs(move[k]));
		}
	}
}

/* The same, without the features of a negative slope: no probability falls when a score or evidence rises. */
static void
fit_rising(CalibrationTask *task, int parity)
{
	const double *slope = task->coefficient;
	bool		falls = true;

	task->used[0] = task->kind != EV_RULES;
	task->used[1] = task->kind != EV_EMBEDDING;
	while (falls)
	{
		fit_regression(task, parity);
		falls = slope[0] < 0 || slope[1] < 0;
		if (falls)
			task->used[slope[0] < slope[1] ? 0 : 1] = false;
	}
}

/* The mean distance, in bins of probability, of what is predicted from what is true, over examples of a parity. */
static double
calibration_error(const CalibrationTask *task, int parity)
{
	int64_t		end = ev_examples_count(task->examples);
	double		predicted[BINS] = {0};
	double		answers[BINS] = {0};
	double		distance = 0;
	double		count = 0;

	for (int64_t i = parity; i < end; i += 2)
	{
		const EvExample *example = ev_example(task->examples, i);

		for (int j = 0; j < example->count; j++)
		{
			double		feature[FEATURES];
			double		p = probability(task, &example->listed[j], feature);
			int			bin = (int) fmin(p * BINS, BINS - 1);

			predicted[bin] += p;
			answers[bin] += j == 0;
			count++;
		}
	}
	for (int i = 0; i < BINS; i++)
		distance += fabs(predicted[i] - answers[i]);
	return count > 0 ? distance / count : 0;
}

bool
calibration_fit(Arena *arena, Pool *pool, const EvExamples *examples, const int *discount,
				EvCalibration *calibration)
{
	CalibrationTask task = {.pool = pool,.examples = examples};

	task.partial = arena->allocate(arena->context, calibration_bytes(ev_examples_count(examples)));
	if (task.partial == NULL)
		return false;
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		double		error;

		task.kind = (EvKind) kind;
		task.discount = discount[kind];
		fit_rising(&task, 0);
		error = calibration_error(&task, 1);
		fit_rising(&task, -1);
		calibration[kind] = (EvCalibration) {task.coefficient[0], task.coefficient[1], task.coefficient[2], error};
	}
	return true;
}
