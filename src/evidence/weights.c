/*
 * weights.c
 *		How much evidence counts beside a score, fitted to examples.
 *
 * With s = a * phi + b * evidence + c * paths, the probability of an example's true answer among its candidates is
 * softmax(s).  Newton's method first fits a, b and c to all examples (the common ones), with a prior at 1, then to
 * those of each key, with a prior at the common ones.  The weight of a key is b / a, paths count c / b as evidence, and
 * its scale is a / the common a: so scores of all relations are comparable.  Of the discounts, that of the highest mean
 * reciprocal rank is taken.
 *
 * The likelihood has a floor, FLOOR: without it a true answer that nothing expects would move the
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
#define PRIOR 5					/* of the common ones to 1 */
#define LEAST_A 0.01
#define LEAST_ERRORS 2			/* standard errors from which on a difference of ranks is not chance */
#define MOST_WEIGHT 100			/* b / a: with more, scores would not even decide between equals */
#define MOST_PATHS 100			/* c / b: paths are a part of the evidence, which counts b */

/* What the parts of a score count */
typedef struct Coefficients
{
	double		a,				/* phi */
				b,				/* evidence of rules */
				c;				/* score of the network; 0 where there is none */
} Coefficients;

/* Gradient and curvature of the loss of examples in (a, b, c); and how well they are ranked */
typedef struct LossSums
{
	double		reciprocal_rank;	/* of the true answer in its list */
	double		a,
				b,
				c;
	double		aa,
				ab,
				ac,
				bb,
				bc,
				cc;
} LossSums;

typedef struct WeightTask
{
	Pool	   *pool;
	const EvExamples *examples;
	LossSums   *partial;		/* of each item */
	LossSums	common;			/* means of the common fit */
	int			discount;		/* with which it is fitted */
	Coefficients count;			/* the common ones */
	Coefficients *fitted;		/* by key */
} WeightTask;

static void
take_weights(WeightTask *task, Allocation *allocation, int64_t examples, int32_t keys, EvLearnt *learnt)
{
	task->partial = TAKE(allocation, LossSums, (size_t) pool_pieces(examples, AT_ONCE));
	task->fitted = TAKE(allocation, Coefficients, (size_t) keys);
	learnt->weights.weight = TAKE(allocation, double, (size_t) keys);
	learnt->weights.scale = TAKE(allocation, double, (size_t) keys);
	learnt->weights.network = TAKE(allocation, double, (size_t) keys);
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

static double
score_of(const EvListed *listed, int discount, const Coefficients *count)
{
	return count->a * listed->phi + count->b * listed->evidence[discount] + count->c * listed->network;
}

/* Sums over the candidates of an example, weighted by exp(score - highest); fills in the sum of these weights. */
static LossSums
sum_candidates(const EvExample *example, int discount, const Coefficients *count, double highest, double *total)
{
	LossSums	sums = {0};

	for (int i = 0; i < example->count; i++)
	{
		const EvListed *listed = &example->listed[i];
		double		phi = listed->phi;
		double		evidence = listed->evidence[discount];
		double		network = listed->network;
		double		p = exp(score_of(listed, discount, count) - highest);

		*total += p;
		sums.a += p * phi;
		sums.b += p * evidence;
		sums.c += p * network;
		sums.aa += p * phi * phi;
		sums.ab += p * phi * evidence;
		sums.ac += p * phi * network;
		sums.bb += p * evidence * evidence;
		sums.bc += p * evidence * network;
		sums.cc += p * network * network;
	}
	return sums;
}

/* Adds the derivatives of an example's loss, -log(FLOOR + probability of the true answer). */
static void
add_example(const EvExample *example, int discount, const Coefficients *count, LossSums *sums)
{
	const EvListed *listed = example->listed;
	double		first = score_of(&listed[0], discount, count);
	double		highest = -INFINITY;
	int			above = 0;
	LossSums	mean;
	double		total = 0;
	double		probability;
	double		share;

	for (int i = 0; i < example->count; i++)
	{
		double		score = score_of(&listed[i], discount, count);

		above += score > first;
		highest = fmax(highest, score);
	}
	mean = sum_candidates(example, discount, count, highest, &total);
	mean.a /= total;
	mean.b /= total;
	mean.c /= total;
	probability = exp(first - highest) / total;
	/* the curvature of the likelihood without a floor, scaled: never negative */
	share = probability / (probability + FLOOR);
	sums->reciprocal_rank += 1.0 / (1 + above);
	sums->a += share * (mean.a - listed[0].phi);
	sums->b += share * (mean.b - listed[0].evidence[discount]);
	sums->c += share * (mean.c - listed[0].network);
	sums->aa += share * (mean.aa / total - mean.a * mean.a);
	sums->ab += share * (mean.ab / total - mean.a * mean.b);
	sums->ac += share * (mean.ac / total - mean.a * mean.c);
	sums->bb += share * (mean.bb / total - mean.b * mean.b);
	sums->bc += share * (mean.bc / total - mean.b * mean.c);
	sums->cc += share * (mean.cc / total - mean.c * mean.c);
}

static void
add_sums(LossSums *to, const LossSums *from)
{
	to->reciprocal_rank += from->reciprocal_rank;
	to->a += from->a;
	to->b += from->b;
	to->c += from->c;
	to->aa += from->aa;
	to->ab += from->ab;
	to->ac += from->ac;
	to->bb += from->bb;
	to->bc += from->bc;
	to->cc += from->cc;
}

/* Adds a quadratic prior: the loss of this many questions of that curvature, with its minimum at `centre`. */
static void
add_prior(LossSums *sums, const LossSums *curvature, double questions, Coefficients at, Coefficients centre)
{
	double		a = at.a - centre.a;
	double		b = at.b - centre.b;
	double		c = at.c - centre.c;

	sums->a += questions * (curvature->aa * a + curvature->ab * b + curvature->ac * c);
	sums->b += questions * (curvature->ab * a + curvature->bb * b + curvature->bc * c);
	sums->c += questions * (curvature->ac * a + curvature->bc * b + curvature->cc * c);
	sums->aa += questions * curvature->aa;
	sums->ab += questions * curvature->ab;
	sums->ac += questions * curvature->ac;
	sums->bb += questions * curvature->bb;
	sums->bc += questions * curvature->bc;
	sums->cc += questions * curvature->cc;
}

/* The step of Newton's method: c is eliminated, then Cramer's rule gives a and b. */
static Coefficients
solve(const LossSums *sums, double ridge)
{
	double		cc = sums->cc + ridge;
	double		aa = sums->aa + ridge - sums->ac * sums->ac / cc;
	double		bb = sums->bb + ridge - sums->bc * sums->bc / cc;
	double		ab = sums->ab - sums->ac * sums->bc / cc;
	double		a = sums->a - sums->ac * sums->c / cc;
	double		b = sums->b - sums->bc * sums->c / cc;
	double		determinant = aa * bb - ab * ab;
	Coefficients step = {(bb * a - ab * b) / determinant, (aa * b - ab * a) / determinant, 0};

	step.c = (sums->c - sums->ac * step.a - sums->bc * step.b) / cc;
	return step;
}

/* One step, shortened where it is long; false when it was small. */
static bool
newton_step(const LossSums *sums, double ridge, Coefficients *count)
{
	Coefficients step = solve(sums, ridge);
	double		length = fmax(fabs(step.a) / fmax(count->a, 0.3), fabs(step.b) / fmax(count->b, 0.3));
	double		part;

	length = fmax(length, fabs(step.c) / fmax(count->c, 0.3));
	part = length > 1 ? 1 / length : 1;
	count->c = fmax(count->c - part * step.c, 0);
	count->b = fmax(count->b - part * step.b, count->c / MOST_PATHS);
	count->a = fmax(count->a - part * step.a, fmax(LEAST_A, count->b / MOST_WEIGHT));
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
		add_example(ev_example(task->examples, i), task->discount, &task->count, &sums);
	task->partial[item] = sums;
	pool_yield(task->pool, thread);
}

/* The means of the curvature, and of the reciprocal ranks, of so many examples */
static LossSums
means_of(const LossSums *sums, int64_t examples)
{
	double		n = (double) examples;

	return (LossSums) {.reciprocal_rank = sums->reciprocal_rank / n,
		.aa = sums->aa / n,.ab = sums->ab / n,.ac = sums->ac / n,.bb = sums->bb / n,.bc = sums->bc / n,.cc = sums->cc / n};
}

/* Fits a, b and c to all examples; leaves the sums of the last step as means. */
static void
fit_common(WeightTask *task)
{
	int64_t		count = ev_examples_count(task->examples);
	int64_t		items = pool_pieces(count, AT_ONCE);
	bool		moved = count > 0;
	Coefficients centre = {1, 1, task->examples->has_network ? 1 : 0};
	LossSums	at_first = {0};

	task->count = centre;
	task->common = (LossSums) {0};
	for (int step = 0; step < STEPS && moved; step++)
	{
		LossSums	sums = {0};

		pool_run(task->pool, items, sum_examples, task);
		for (int64_t i = 0; i < items; i++)
			add_sums(&sums, &task->partial[i]);
		task->common = means_of(&sums, count);
		if (step == 0)
			at_first = task->common;
		add_prior(&sums, &at_first, PRIOR, task->count, centre);
		moved = newton_step(&sums, 1e-6 * (double) count, &task->count);
	}
}

/* Whether these weights rank the true answers of some examples worse than the common ones, by more than chance. */
static bool
ranks_worse(const WeightTask *task, int64_t first, int64_t end, const Coefficients *fitted, int thread)
{
	double		sum = 0;
	double		squares = 0;

	for (int64_t i = first; i < end; i++)
	{
		const EvExample *example = ev_example(task->examples, i);
		LossSums	own = {0};
		LossSums	common = {0};
		double		gain;

		add_example(example, task->discount, fitted, &own);
		add_example(example, task->discount, &task->count, &common);
		gain = own.reciprocal_rank - common.reciprocal_rank;
		sum += gain;
		squares += gain * gain;
		if (i % AT_ONCE == 0)
			pool_yield(task->pool, thread);
	}
	return sum < -LEAST_ERRORS * sqrt(squares);
}

/* Item: the coefficients of one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	WeightTask *task = argument;
	int64_t		first = task->examples->answered.first[key];
	int64_t		end = task->examples->answered.first[key + 1];
	Coefficients fitted = task->count;
	bool		moved = first < end;

	for (int step = 0; step < STEPS && moved; step++)
	{
		LossSums	sums = {0};

		add_prior(&sums, &task->common, SHRINKAGE, fitted, task->count);
		for (int64_t i = first; i < end; i++)
		{
			add_example(ev_example(task->examples, i), task->discount, &fitted, &sums);
			if (i % AT_ONCE == 0)
				pool_yield(task->pool, thread);
		}
		moved = newton_step(&sums, 1e-6 * (double) (end - first), &fitted);
	}
	task->fitted[key] = ranks_worse(task, first, end, &fitted, thread) ? task->count : fitted;
}

/* Item: reciprocal ranks by the fitted coefficients. */
static void
rank_by_fitted(void *argument, int64_t item, int thread)
{
	WeightTask *task = argument;
	int64_t		end = ev_examples_count(task->examples);
	LossSums	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const EvExample *example = ev_example(task->examples, i);

		add_example(example, task->discount, &task->fitted[example->key], &sums);
	}
	task->partial[item] = sums;
	pool_yield(task->pool, thread);
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

/* The sum of the reciprocal ranks that `rank` gives */
static double
rank_all(WeightTask *task, void (*rank) (void *argument, int64_t item, int thread))
{
	int64_t		items = pool_pieces(ev_examples_count(task->examples), AT_ONCE);
	double		sum = 0;

	pool_run(task->pool, items, rank, task);
	for (int64_t i = 0; i < items; i++)
		sum += task->partial[i].reciprocal_rank;
	return sum;
}

/* How well evidence alone does */
static double
rank_of_rules(WeightTask *task)
{
	return rank_all(task, rank_by_evidence);
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
	learnt->mrr = rank_all(&task, rank_by_fitted) / (double) ev_examples_count(examples);
	learnt->alone = ev_discounts[discount[EV_RULES]];
	learnt->weights.discount = ev_discounts[discount[EV_BOTH]];
	for (int64_t i = 0; i < examples->keys; i++)
	{
		const Coefficients *fitted = &task.fitted[i];

		learnt->weights.weight[i] = fitted->b / fitted->a;
		learnt->weights.scale[i] = fitted->a / task.count.a;
		learnt->weights.network[i] = fitted->c > 0 ? fitted->c / fitted->b : 0;
		learnt->questions[i] = examples->answered.first[i + 1] - examples->answered.first[i];
	}
	return true;
}
