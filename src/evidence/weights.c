/*
 * weights.c
 *		How much evidence counts beside a score.
 *
 * Why the likelihood has a floor: a truth that neither half expects would otherwise pull the weights
 * more than all others (WN18RR: the embedding would get no weight at all).  With it the likelihood has
 * more than one summit, and where most truths have no evidence the one that is climbed may be that of
 * silent rules, which makes them a little more probable and ranks none better.  So a key whose truths
 * are ranked worse by its own weights than by the common ones has the common ones.
 */
#include "learn.h"

#include <math.h>

#define FLOOR 0.02
#define SHRINKAGE 20			/* of a key's weights to the common ones, in questions */
#define PRIOR 5					/* of the common ones to (1, 1) */
#define LEAST_A 0.01
#define DOUBTLESS 2				/* standard errors */
#define MOST_WEIGHT 100			/* b / a: with more, scores would not even decide between equals */

/* Gradient and curvature of the examples' loss in (a, b); and how well they are ranked */
struct Sums
{
	double		reciprocal_rank;	/* of the truth in its list */
	double		a,
				b;
	double		aa,
				ab,
				bb;
};

void
weighing_take(Weighing *weighing, Allocation *allocation, int64_t examples, int32_t keys)
{
	weighing->partial = TAKE(allocation, Sums, (size_t) pool_pieces(examples, AT_ONCE));
	weighing->common = TAKE(allocation, Sums, 1);
	weighing->fitted_a = TAKE(allocation, double, (size_t) keys);
	weighing->fitted_b = TAKE(allocation, double, (size_t) keys);
}

/* Adds the derivatives of an example's loss, -log(FLOOR + probability of the truth). */
static void
add_example(const Example *example, int discount, double a, double b, Sums *sums)
{
	const Listed *listed = example->listed;
	double		highest = -INFINITY;
	double		total = 0;
	Sums		mean = {0};
	double		first = a * listed[0].phi + b * listed[0].evidence[discount];
	double		truth;
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
	truth = exp(first - highest) / total;
	/* the curvature of the likelihood without a floor, scaled: never negative */
	share = truth / (truth + FLOOR);
	sums->reciprocal_rank += 1.0 / (1 + above);
	sums->a += share * (mean.a - listed[0].phi);
	sums->b += share * (mean.b - listed[0].evidence[discount]);
	sums->aa += share * (mean.aa / total - mean.a * mean.a);
	sums->ab += share * (mean.ab / total - mean.a * mean.b);
	sums->bb += share * (mean.bb / total - mean.b * mean.b);
}

static void
add_sums(Sums *to, const Sums *from)
{
	to->reciprocal_rank += from->reciprocal_rank;
	to->a += from->a;
	to->b += from->b;
	to->aa += from->aa;
	to->ab += from->ab;
	to->bb += from->bb;
}

/* Adds what so many questions would, of that curvature, all content with where `from` leads back to. */
static void
draw_back(Sums *sums, const Sums *curvature, double questions, double from_a, double from_b)
{
	sums->a += questions * (curvature->aa * from_a + curvature->ab * from_b);
	sums->b += questions * (curvature->ab * from_a + curvature->bb * from_b);
	sums->aa += questions * curvature->aa;
	sums->ab += questions * curvature->ab;
	sums->bb += questions * curvature->bb;
}

/* One step of Newton's method, shortened where it is long; false when it was small. */
static bool
improve(const Sums *sums, double ridge, double *a, double *b)
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
	Weighing   *weighing = argument;
	int64_t		end = examples_count(weighing->examples);
	Sums		sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
		add_example(example_at(weighing->examples, i), weighing->discount, weighing->a, weighing->b, &sums);
	weighing->partial[item] = sums;
	pool_yield(weighing->pool, thread);
}

/* Fits a and b to all examples; leaves the sums of the last step as means. */
static void
fit_common(Weighing *weighing)
{
	int64_t		count = examples_count(weighing->examples);
	int64_t		items = pool_pieces(count, AT_ONCE);
	bool		moved = count > 0;
	Sums		at_first = {0};

	weighing->a = weighing->b = 1;
	*weighing->common = (Sums) {0};
	for (int step = 0; step < STEPS && moved; step++)
	{
		Sums		sums = {0};

		pool_run(weighing->pool, items, sum_examples, weighing);
		for (int64_t i = 0; i < items; i++)
			add_sums(&sums, &weighing->partial[i]);
		*weighing->common = (Sums) {sums.reciprocal_rank / (double) count, 0, 0, sums.aa / (double) count,
			sums.ab / (double) count, sums.bb / (double) count};
		if (step == 0)
			at_first = *weighing->common;
		draw_back(&sums, &at_first, PRIOR, weighing->a - 1, weighing->b - 1);
		moved = improve(&sums, 1e-6 * (double) count, &weighing->a, &weighing->b);
	}
}

/* Whether these weights rank the truths of some examples worse than the common ones, by more than chance. */
static bool
ranks_worse(const Weighing *weighing, int64_t first, int64_t end, double a, double b, int thread)
{
	double		sum = 0;
	double		squares = 0;

	for (int64_t i = first; i < end; i++)
	{
		const Example *example = example_at(weighing->examples, i);
		Sums		own = {0};
		Sums		common = {0};
		double		gain;

		add_example(example, weighing->discount, a, b, &own);
		add_example(example, weighing->discount, weighing->a, weighing->b, &common);
		gain = own.reciprocal_rank - common.reciprocal_rank;
		sum += gain;
		squares += gain * gain;
		if (i % AT_ONCE == 0)
			pool_yield(weighing->pool, thread);
	}
	return sum < -DOUBTLESS * sqrt(squares);
}

/* Item: a and b of one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	Weighing   *weighing = argument;
	int64_t		first = weighing->examples->first[key];
	int64_t		end = weighing->examples->first[key + 1];
	double		a = weighing->a;
	double		b = weighing->b;
	bool		moved = first < end;

	for (int step = 0; step < STEPS && moved; step++)
	{
		Sums		sums = {0};

		draw_back(&sums, weighing->common, SHRINKAGE, a - weighing->a, b - weighing->b);
		for (int64_t i = first; i < end; i++)
		{
			add_example(example_at(weighing->examples, i), weighing->discount, a, b, &sums);
			if (i % AT_ONCE == 0)
				pool_yield(weighing->pool, thread);
		}
		moved = improve(&sums, 1e-6 * (double) (end - first), &a, &b);
	}
	if (ranks_worse(weighing, first, end, a, b, thread))
	{
		a = weighing->a;
		b = weighing->b;
	}
	weighing->fitted_a[key] = a;
	weighing->fitted_b[key] = b;
}

/* Item: reciprocal ranks by evidence alone; equal candidates are in any order. */
static void
rank_by_evidence(void *argument, int64_t item, int thread)
{
	Weighing   *weighing = argument;
	int64_t		end = examples_count(weighing->examples);
	Sums		sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const Example *example = example_at(weighing->examples, i);
		float		truth = example->listed[0].evidence[weighing->discount];
		double		rank = 1;

		for (int j = 1; j < example->count; j++)
		{
			float		evidence = example->listed[j].evidence[weighing->discount];

			rank += evidence > truth ? 1 : evidence == truth ? 0.5 : 0;
		}
		sums.reciprocal_rank += 1 / rank;
	}
	weighing->partial[item] = sums;
	pool_yield(weighing->pool, thread);
}

static double
rank_of_both(Weighing *weighing)
{
	fit_common(weighing);
	return weighing->common->reciprocal_rank;
}

static double
rank_of_rules(Weighing *weighing)
{
	int64_t		items = pool_pieces(examples_count(weighing->examples), AT_ONCE);
	double		sum = 0;

	pool_run(weighing->pool, items, rank_by_evidence, weighing);
	for (int64_t i = 0; i < items; i++)
		sum += weighing->partial[i].reciprocal_rank;
	return sum;
}

/* The discount with which truths rank best. */
static int
best_discount(Weighing *weighing, double (*rank) (Weighing *weighing))
{
	double		highest = -INFINITY;
	int			best = 0;

	for (weighing->discount = 0; weighing->discount < DISCOUNTS; weighing->discount++)
	{
		double		reciprocal_rank = rank(weighing);

		if (reciprocal_rank > highest)
		{
			highest = reciprocal_rank;
			best = weighing->discount;
		}
	}
	return best;
}

void
learn_weights(Weighing *weighing, EvLearnt *learnt)
{
	int64_t		keys = weighing->examples->keys;

	weighing->alone = best_discount(weighing, rank_of_rules);
	weighing->discount = best_discount(weighing, rank_of_both);
	fit_common(weighing);
	pool_run(weighing->pool, keys, fit_key, weighing);
	learnt->weights.discount = learn_discounts[weighing->discount];
	learnt->alone = learn_discounts[weighing->alone];
	for (int64_t i = 0; i < keys; i++)
	{
		learnt->weights.weight[i] = weighing->fitted_b[i] / weighing->fitted_a[i];
		learnt->weights.scale[i] = weighing->fitted_a[i] / weighing->a;
		learnt->questions[i] = weighing->examples->first[i + 1] - weighing->examples->first[i];
	}
}

