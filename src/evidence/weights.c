/*
 * weights.c
 *		How much evidence counts beside a score, fitted to examples.
 *
 * With s = a * phi + b * evidence, the probability of an example's true answer among its candidates is
 * softmax(s).  Newton's method first fits a and b to all examples (the common ones), with a prior at 1, then to
 * those of each key, with a prior at the common ones.  The weight of a key is b / a, its scale a / the common a:
 * so scores of all relations are comparable.  Of the discounts, that of the highest mean reciprocal rank is taken.
 *
 * The likelihood has a floor, FLOOR: without it a true answer that neither half expects would move the
 * weights more than all others (WN18RR: the embedding would get no weight at all).  With it the
 * likelihood has several maxima.  Where most true answers have no evidence, the one that is found may be
 * that of no weight for rules, which makes those answers a little more probable and ranks none better.  So a
 * key whose true answers are ranked worse by its own weights than by the common ones gets the common ones.
 *
 * Sums over examples are taken item by item and added in order, so they do not depend on the threads.
 */
#include "examples.h"

#include <math.h>

#include "core/allocation.h"

#define AT_ONCE 64				/* examples of an item */
#define STEPS 30				/* of Newton's method, at most */
#define FLOOR 0.02
#define SHRINKAGE 20			/* of a key's weights to the common ones, in questions */
#define PRIOR 5					/* of the common ones to (1, 1) */
#define LEAST_A 0.01
#define LEAST_ERRORS 2			/* standard errors from which on a difference of ranks is not chance */
#define MOST_WEIGHT 100			/* b / a: with more, scores would not even decide between equals */

/* Gradient and curvature of the loss of examples in (a, b); and how well they are ranked */
typedef struct LossSums
{
	double		reciprocal_rank;	/* of the true answer in its list */
	double		a,
				b;
	double		aa,
				ab,
				bb;
} LossSums;

typedef struct WeightTask
{
	Pool	   *pool;
	const EvExamples *examples;
	LossSums   *partial;		/* of each item */
	LossSums	common;			/* means of the common fit */
	int			discount;		/* with which it is fitted */
	double		a,				/* the common ones */
				b;
	double	   *fitted_a;		/* by key */
	double	   *fitted_b;
} WeightTask;

static void
take_weights(WeightTask *task, Allocation *allocation, int64_t examples, int32_t keys, EvLearnt *learnt)
{
	task->partial = TAKE(allocation, LossSums, (size_t) pool_pieces(examples, AT_ONCE));
	task->fitted_a = TAKE(allocation, double, (size_t) keys);
	task->fitted_b = TAKE(allocation, double, (size_t) keys);
	learnt->weights.weight = TAKE(allocation, double, (size_t) keys);
	learnt->weights.scale = TAKE(allocation, double, (size_t) keys);
	learnt->questions = TAKE(allocation, int64_t, (size_t) keys);
}

size_t
weights_bytes(int64_t examples, int32_t keys)
{
	WeightTask	task;
	EvLearnt	learnt;
	Allocation	allocation = {0};

	take_weights(&task, &allocation, examples, keys, &learnt);
	return allocation_bytes(&allocation);
}

/* Adds the derivatives of an example's loss, -log(FLOOR + probability of the true answer). */
static void
add_example(const EvExample *example, int discount, double a, double b, LossSums *sums)
{
	const EvListed *listed = example->listed;
	double		highest = -INFINITY;
	double		total = 0;
	LossSums	mean = {0};
	double		first = a * listed[0].phi + b * listed[0].evidence[discount];
	double		probability;
	double		share;
	int			above = 0;

	for (int i = 0; i < example->count; i++)
		highest = fmax(highest, a * listed[i].phi + b * listed[i].evidence[discount]);
	for (int i = 0; i < example->count; i++)
	{
		double		phi = listed[i].phi;
		double		evidence = listed[i].evidence[discount];
		double		score = a * phi + b * evidence;
		double		p = exp(score - highest);

		above += score > first;
		total += p;
		mean.a += p * phi;
		mean.b += p * evidence;
		mean.aa += p * phi * phi;
		mean.ab += p * phi * evidence;
		mean.bb += p * evidence * evidence;
	}
	mean.a /= total;
	mean.b /= total;
	probability = exp(first - highest) / total;
	/* the curvature of the likelihood without a floor, scaled: never negative */
	share = probability / (probability + FLOOR);
	sums->reciprocal_rank += 1.0 / (1 + above);
	sums->a += share * (mean.a - listed[0].phi);
	sums->b += share * (mean.b - listed[0].evidence[discount]);
	sums->aa += share * (mean.aa / total - mean.a * mean.a);
	sums->ab += share * (mean.ab / total - mean.a * mean.b);
	sums->bb += share * (mean.bb / total - mean.b * mean.b);
}

static void
add_sums(LossSums *to, const LossSums *from)
{
	to->reciprocal_rank += from->reciprocal_rank;
	to->a += from->a;
	to->b += from->b;
	to->aa += from->aa;
	to->ab += from->ab;
	to->bb += from->bb;
}

/* Adds a quadratic prior: the loss of this many questions of that curvature, at a distance from its minimum. */
static void
add_prior(LossSums *sums, const LossSums *curvature, double questions, double distance_a, double distance_b)
{
	sums->a += questions * (curvature->aa * distance_a + curvature->ab * distance_b);
	sums->b += questions * (curvature->ab * distance_a + curvature->bb * distance_b);
	sums->aa += questions * curvature->aa;
	sums->ab += questions * curvature->ab;
	sums->bb += questions * curvature->bb;
}

/* One step of Newton's method, shortened where it is long; false when it was small. */
static bool
newton_step(const LossSums *sums, double ridge, double *a, double *b)
{
	double		aa = sums->aa + ridge;
	double		bb = sums->bb + ridge;
	double		determinant = aa * bb - sums->ab * sums->ab;
	double		step_a = (bb * sums->a - sums->ab * sums->b) / determinant;
	double		step_b = (aa * sums->b - sums->ab * sums->a) / determinant;
	double		length = fmax(fabs(step_a) / fmax(*a, 0.3), fabs(step_b) / fmax(*b, 0.3));
	double		part = length > 1 ? 1 / length : 1;

	*b = fmax(*b - part * step_b, 0);
	*a = fmax(*a - part * step_a, fmax(LEAST_A, *b / MOST_WEIGHT));
	return length > 1e-4;
}

/* Item: sums over some examples. */
static void
sum_examples(void *argument, int64_t item, int thread)
{
	WeightTask *task = argument;
	int64_t		end = ev_examples_count(task->examples);
	LossSums	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
		add_example(ev_example(task->examples, i), task->discount, task->a, task->b, &sums);
	task->partial[item] = sums;
	pool_yield(task->pool, thread);
}

/* Fits a and b to all examples; leaves the sums of the last step as means. */
static void
fit_common(WeightTask *task)
{
	int64_t		count = ev_examples_count(task->examples);
	int64_t		items = pool_pieces(count, AT_ONCE);
	bool		moved = count > 0;
	LossSums	at_first = {0};

	task->a = task->b = 1;
	task->common = (LossSums) {0};
	for (int step = 0; step < STEPS && moved; step++)
	{
		LossSums	sums = {0};

		pool_run(task->pool, items, sum_examples, task);
		for (int64_t i = 0; i < items; i++)
			add_sums(&sums, &task->partial[i]);
		task->common = (LossSums) {sums.reciprocal_rank / (double) count, 0, 0, sums.aa / (double) count,
			sums.ab / (double) count, sums.bb / (double) count};
		if (step == 0)
			at_first = task->common;
		add_prior(&sums, &at_first, PRIOR, task->a - 1, task->b - 1);
		moved = newton_step(&sums, 1e-6 * (double) count, &task->a, &task->b);
	}
}

/* Whether these weights rank the true answers of some examples worse than the common ones, by more than chance. */
static bool
ranks_worse(const WeightTask *task, int64_t first, int64_t end, double a, double b, int thread)
{
	double		sum = 0;
	double		squares = 0;

	for (int64_t i = first; i < end; i++)
	{
		const EvExample *example = ev_example(task->examples, i);
		LossSums	own = {0};
		LossSums	common = {0};
		double		gain;

		add_example(example, task->discount, a, b, &own);
		add_example(example, task->discount, task->a, task->b, &common);
		gain = own.reciprocal_rank - common.reciprocal_rank;
		sum += gain;
		squares += gain * gain;
		if (i % AT_ONCE == 0)
			pool_yield(task->pool, thread);
	}
	return sum < -LEAST_ERRORS * sqrt(squares);
}

/* Item: a and b of one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	WeightTask *task = argument;
	int64_t		first = task->examples->answered.first[key];
	int64_t		end = task->examples->answered.first[key + 1];
	double		a = task->a;
	double		b = task->b;
	bool		moved = first < end;

	for (int step = 0; step < STEPS && moved; step++)
	{
		LossSums	sums = {0};

		add_prior(&sums, &task->common, SHRINKAGE, a - task->a, b - task->b);
		for (int64_t i = first; i < end; i++)
		{
			add_example(ev_example(task->examples, i), task->discount, a, b, &sums);
			if (i % AT_ONCE == 0)
				pool_yield(task->pool, thread);
		}
		moved = newton_step(&sums, 1e-6 * (double) (end - first), &a, &b);
	}
	if (ranks_worse(task, first, end, a, b, thread))
	{
		a = task->a;
		b = task->b;
	}
	task->fitted_a[key] = a;
	task->fitted_b[key] = b;
}

/* Item: reciprocal ranks by evidence alone; a tie counts half. */
static void
rank_by_evidence(void *argument, int64_t item, int thread)
{
	WeightTask *task = argument;
	int64_t		end = ev_examples_count(task->examples);
	LossSums	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const EvExample *example = ev_example(task->examples, i);
		float		answer = example->listed[0].evidence[task->discount];
		double		rank = 1;

		for (int j = 1; j < example->count; j++)
		{
			float		evidence = example->listed[j].evidence[task->discount];

			rank += evidence > answer ? 1 : evidence == answer ? 0.5 : 0;
		}
		sums.reciprocal_rank += 1 / rank;
	}
	task->partial[item] = sums;
	pool_yield(task->pool, thread);
}

/* How well scores and evidence rank the true answers: the mean of the reciprocal ranks. */
static double
rank_of_both(WeightTask *task)
{
	fit_common(task);
	return task->common.reciprocal_rank;
}

/* How well evidence alone does: their sum. */
static double
rank_of_rules(WeightTask *task)
{
	int64_t		items = pool_pieces(ev_examples_count(task->examples), AT_ONCE);
	double		sum = 0;

	pool_run(task->pool, items, rank_by_evidence, task);
	for (int64_t i = 0; i < items; i++)
		sum += task->partial[i].reciprocal_rank;
	return sum;
}

/* The place of the discount with which the true answers rank best. */
static int
best_discount(WeightTask *task, double (*rank) (WeightTask *task))
{
	double		highest = -INFINITY;
	int			best = 0;

	for (task->discount = 0; task->discount < EV_DISCOUNTS; task->discount++)
	{
		double		reciprocal_rank = rank(task);

		if (reciprocal_rank > highest)
		{
			highest = reciprocal_rank;
			best = task->discount;
		}
	}
	return best;
}

bool
weights_fit(Arena *arena, Pool *pool, const EvExamples *examples, EvLearnt *learnt, int *discount)
{
	WeightTask	task = {.pool = pool,.examples = examples};
	Allocation	allocation = {0};

	take_weights(&task, &allocation, ev_examples_count(examples), examples->keys, learnt);
	if (!allocation_open(&allocation, arena))
		return false;
	take_weights(&task, &allocation, ev_examples_count(examples), examples->keys, learnt);
	discount[EV_RULES] = best_discount(&task, rank_of_rules);
	discount[EV_BOTH] = task.discount = best_discount(&task, rank_of_both);
	fit_common(&task);
	pool_run(pool, examples->keys, fit_key, &task);
	learnt->alone = ev_discounts[discount[EV_RULES]];
	learnt->weights.discount = ev_discounts[discount[EV_BOTH]];
	for (int64_t i = 0; i < examples->keys; i++)
	{
		learnt->weights.weight[i] = task.fitted_b[i] / task.fitted_a[i];
		learnt->weights.scale[i] = task.fitted_a[i] / task.a;
		learnt->questions[i] = examples->answered.first[i + 1] - examples->answered.first[i];
	}
	return true;
}
