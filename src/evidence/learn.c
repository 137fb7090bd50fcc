/*
 * learn.c
 *		How much evidence counts, and how probable a score is.
 *
 * An example is a question with its true answer, as a list of candidates: the truth first, then
 * those of the highest scores and those of the most evidence, each with its score and
 * its evidence.  All that follows reads these lists alone.
 *
 * Why the likelihood has a floor: a truth that neither half expects would otherwise pull the weights
 * more than all others (WN18RR: the embedding would get no weight at all).
 */
#include "evidence.h"

#include <math.h>
#include <string.h>

#include "../kge/engine.h"
#include "../kge/question.h"
#include "../kge/space.h"
#include "../kge/threads.h"
#include "../kge/vector.h"

#define MOST_TRIPLES 10000
#define BY_SCORE 64				/* candidates of an example that its scores choose */
#define BY_EVIDENCE 64
#define LISTED (1 + BY_SCORE + BY_EVIDENCE)
#define BLOCK 16				/* questions at a time */
#define TILE 512				/* candidates at a time */
#define FLOOR 0.02
#define SHRINKAGE 20			/* of a key's weights to the common ones, in questions */
#define PRIOR 5					/* of the common ones to (1, 1) */
#define LEAST_A 0.01
#define MOST_WEIGHT 100			/* b / a: with more, scores would not even decide between equals */
#define STEPS 30
#define AT_ONCE 64				/* examples of an item */
#define BINS 15
#define DISCOUNTS 5

static const double discounts[DISCOUNTS] = {0, 0.25, 0.5, 0.75, 1};

typedef struct Listed
{
	float		phi;
	float		evidence[DISCOUNTS];
} Listed;

typedef struct Example
{
	int32_t		key;			/* 2 * relation + side */
	int32_t		count;
	Listed	   *listed;			/* the truth first */
} Example;

typedef struct Chosen
{
	int32_t		entity;
	float		value;
} Chosen;

/* Gradient and curvature of a logistic regression on phi, evidence and 1 */
#define FEATURES 3

typedef struct Regression
{
	double		loss;
	double		gradient[FEATURES];
	double		curvature[FEATURES][FEATURES];
} Regression;

/* One thread's */
typedef struct Scratch
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	Chosen	   *best;			/* BLOCK x BY_SCORE: by score; then BY_EVIDENCE */
	int			best_count[BLOCK + 1];
} Scratch;

/* Gradient and curvature of the examples' loss in (a, b); and how well they are ranked */
typedef struct Sums
{
	double		reciprocal_rank;	/* of the truth in its list */
	double		a,
				b;
	double		aa,
				ab,
				bb;
} Sums;

typedef struct Learning
{
	KgePool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const KgeTriple *triples;
	int64_t		count;
	KgeQuestions questions;
	EvVoice		voice;
	Scratch    *scratch;
	Example    *example;		/* by 2 * triple + side */
	int64_t    *order;			/* examples by key */
	int64_t    *first;			/* by key: its first in order; and the end */
	Sums	   *partial;

	/* what is being fitted */
	int			discount;
	double		a,
				b;
	Sums		mean;			/* of the common fit, an example's */
	double	   *fitted_a;		/* by key */
	double	   *fitted_b;

	/* calibration */
	Regression *regression;		/* of each item */
	bool		used[FEATURES];
	double		coefficient[FEATURES];
	int			parity;			/* examples of that parity only; -1: all */
} Learning;

static void
take_learning(Learning *learning, KgeSpace *space, int64_t known, int threads)
{
	size_t		examples = 2 * (size_t) learning->count;
	size_t		keys = 2 * (size_t) learning->model->relations;
	size_t		stride = (size_t) kge_stride(learning->engine.width);
	Listed	   *listed;

	kge_questions_take(&learning->questions, space, learning->count, known);
	learning->scratch = KGE_TAKE(space, Scratch, (size_t) threads);
	learning->example = KGE_TAKE(space, Example, examples);
	learning->order = KGE_TAKE(space, int64_t, examples);
	learning->first = KGE_TAKE(space, int64_t, keys + 1);
	learning->partial = KGE_TAKE(space, Sums, (size_t) kge_pieces((int64_t) examples, AT_ONCE));
	learning->regression = KGE_TAKE(space, Regression, (size_t) kge_pieces((int64_t) examples, AT_ONCE));
	learning->fitted_a = KGE_TAKE(space, double, keys);
	learning->fitted_b = KGE_TAKE(space, double, keys);
	listed = KGE_TAKE(space, Listed, examples * LISTED);
	for (int i = 0; i < threads; i++)
	{
		Scratch		scratch = {0};

		scratch.query = KGE_TAKE(space, float, BLOCK * stride);
		scratch.engine = KGE_TAKE(space, float, kge_engine_scratch(&learning->engine, BLOCK));
		scratch.score = KGE_TAKE(space, float, TILE * BLOCK);
		scratch.best = KGE_TAKE(space, Chosen, BLOCK * BY_SCORE + BY_EVIDENCE);
		if (learning->scratch != NULL)
			learning->scratch[i] = scratch;
	}
	for (size_t i = 0; learning->example != NULL && i < examples; i++)
		learning->example[i] = (Example) {.listed = listed + i * LISTED};
}

/* ---- examples ---------------------------------------------------------------- */

/* Keeps the largest of what is offered, falling. */
static void
offer(Chosen *best, int *count, int room, int32_t entity, float value)
{
	int			place;

	if (*count == room && !(value > best[room - 1].value))
		return;
	place = *count < room ? (*count)++ : room - 1;
	for (; place > 0 && best[place - 1].value < value; place--)
		best[place] = best[place - 1];
	best[place] = (Chosen) {entity, value};
}

static bool
is_answer(const Learning *learning, const KgeQuestion *question, int32_t entity)
{
	for (int64_t asked = question->asked; asked >= 0; asked = learning->questions.next_asked[asked])
		if (kge_answer_of(learning->triples, asked) == entity)
			return true;
	return kge_is_known(&learning->questions, question, entity);
}

/* The best by score of a block of questions, those that are no answers. */
static void
choose_by_score(Learning *learning, const KgeQuestion *question, int count, int thread)
{
	Scratch    *scratch = &learning->scratch[thread];
	int			stride = kge_stride(learning->engine.width);
	KgeRows		queries = {count, stride, scratch->query};

	for (int q = 0; q < count; q++)
	{
		scratch->best_count[q] = 0;
		kge_make_query(learning->model, kge_query(learning->model, kge_candidate_triple(&question[q], 0), question[q].side),
					   scratch->query + (size_t) q * (size_t) stride);
	}
	kge_engine_prepare(&learning->engine, queries, scratch->engine);
	for (int32_t first = 0; first < learning->model->entities; first += TILE)
	{
		int32_t		left = learning->model->entities - first;
		KgeRows		candidates = {left < TILE ? left : TILE, learning->engine.width,
		kge_entity_row(learning->model, first)};

		kge_engine_scores(&learning->engine, queries, scratch->engine, candidates, scratch->score, BLOCK);
		for (int q = 0; q < count; q++)
		{
			Chosen	   *best = scratch->best + q * BY_SCORE;
			int		   *best_count = &scratch->best_count[q];

			for (int c = 0; c < candidates.count; c++)
			{
				float		score = scratch->score[c * BLOCK + q];

				if (*best_count < BY_SCORE ? isfinite(score) : score > best[BY_SCORE - 1].value)
					if (!is_answer(learning, &question[q], first + c))
						offer(best, best_count, BY_SCORE, first + c, score);
			}
		}
		kge_pool_breathe(learning->pool, thread);
	}
}

static Listed
list_entity(const Learning *learning, int32_t entity, const float *query, int thread)
{
	const EvCandidate *candidate = ev_candidate(learning->voice.asker[thread], entity);
	Listed		listed = {.phi = kge_engine_score(&learning->engine, query, kge_entity_row(learning->model, entity))};

	for (int i = 0; i < DISCOUNTS; i++)
		listed.evidence[i] = candidate == NULL ? 0 : (float) ev_evidence(candidate, discounts[i]);
	return listed;
}

static bool
is_chosen(const Chosen *best, int count, int32_t entity)
{
	for (int i = 0; i < count; i++)
		if (best[i].entity == entity)
			return true;
	return false;
}

/* Asks the rules, and writes the lists of all who ask the question. */
static void
list_question(Learning *learning, const KgeQuestion *question, int q, int thread)
{
	Scratch    *scratch = &learning->scratch[thread];
	const float *query = scratch->query + (size_t) q * (size_t) kge_stride(learning->engine.width);
	const Chosen *by_score = scratch->best + q * BY_SCORE;
	Chosen	   *by_evidence = scratch->best + BLOCK * BY_SCORE;
	int			chosen = 0;
	const EvCandidate *candidates;
	int64_t		count = ev_ask(learning->voice.asker[thread], question->side, question->given,
							   question->relation, learning->pool, thread, &candidates);

	for (int64_t i = 0; i < count; i++)
		if (!is_answer(learning, question, candidates[i].entity) &&
			!is_chosen(by_score, scratch->best_count[q], candidates[i].entity))
			offer(by_evidence, &chosen, BY_EVIDENCE, candidates[i].entity,
				  (float) ev_evidence(&candidates[i], 0.5));
	for (int64_t asked = question->asked; asked >= 0; asked = learning->questions.next_asked[asked])
	{
		Example    *example = &learning->example[asked];
		int32_t		truth = kge_answer_of(learning->triples, asked);

		example->key = 2 * question->relation + (int32_t) question->side;
		example->count = 0;
		example->listed[example->count++] = list_entity(learning, truth, query, thread);
		/* a truth without an embedding teaches nothing */
		if (!isfinite(example->listed[0].phi))
			example->count = 0;
		for (int i = 0; i < scratch->best_count[q] && example->count > 0; i++)
			example->listed[example->count++] = list_entity(learning, by_score[i].entity, query, thread);
		for (int i = 0; i < chosen && example->count > 0; i++)
		{
			example->listed[example->count] = list_entity(learning, by_evidence[i].entity, query, thread);
			example->count += isfinite(example->listed[example->count].phi) != 0;
		}
	}
}

/* Item: a block of questions. */
static void
list_block(void *argument, int64_t item, int thread)
{
	Learning   *learning = argument;
	const KgeQuestion *question = &learning->questions.question[item * BLOCK];
	int64_t		left = learning->questions.count - item * BLOCK;
	int			count = left < BLOCK ? (int) left : BLOCK;

	choose_by_score(learning, question, count, thread);
	for (int q = 0; q < count; q++)
	{
		list_question(learning, &question[q], q, thread);
		kge_pool_breathe(learning->pool, thread);
	}
}

/* By key, and by number within it; examples of nothing are in none. */
static void
order_examples(Learning *learning)
{
	int64_t		keys = 2 * (int64_t) learning->model->relations;
	int64_t		examples = 2 * learning->count;

	for (int64_t i = 0; i <= keys; i++)
		learning->first[i] = 0;
	for (int64_t i = 0; i < examples; i++)
		if (learning->example[i].count > 0)
			learning->first[learning->example[i].key]++;
	for (int64_t i = 0; i < keys; i++)
		learning->first[i + 1] += learning->first[i];
	for (int64_t i = examples - 1; i >= 0; i--)
		if (learning->example[i].count > 0)
			learning->order[--learning->first[learning->example[i].key]] = i;
}

/* ---- weights ------------------------------------------------------------------- */

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
	Learning   *learning = argument;
	int64_t		end = learning->first[2 * (int64_t) learning->model->relations];
	Sums		sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
		add_example(&learning->example[learning->order[i]], learning->discount, learning->a, learning->b, &sums);
	learning->partial[item] = sums;
	kge_pool_breathe(learning->pool, thread);
}

/* Fits a and b to all examples; leaves the sums of the last step as means. */
static void
fit_common(Learning *learning)
{
	int64_t		count = learning->first[2 * (int64_t) learning->model->relations];
	int64_t		items = kge_pieces(count, AT_ONCE);
	bool		moved = count > 0;
	Sums		at_first = {0};

	learning->a = learning->b = 1;
	learning->mean = (Sums) {0};
	for (int step = 0; step < STEPS && moved; step++)
	{
		Sums		sums = {0};

		kge_pool_run(learning->pool, items, sum_examples, learning);
		for (int64_t i = 0; i < items; i++)
			add_sums(&sums, &learning->partial[i]);
		learning->mean = (Sums) {sums.reciprocal_rank / (double) count, 0, 0, sums.aa / (double) count,
			sums.ab / (double) count, sums.bb / (double) count};
		if (step == 0)
			at_first = learning->mean;
		draw_back(&sums, &at_first, PRIOR, learning->a - 1, learning->b - 1);
		moved = improve(&sums, 1e-6 * (double) count, &learning->a, &learning->b);
	}
}

/* Item: a and b of one key. */
static void
fit_key(void *argument, int64_t key, int thread)
{
	Learning   *learning = argument;
	int64_t		first = learning->first[key];
	int64_t		end = learning->first[key + 1];
	double		a = learning->a;
	double		b = learning->b;
	bool		moved = first < end;

	for (int step = 0; step < STEPS && moved; step++)
	{
		Sums		sums = {0};

		draw_back(&sums, &learning->mean, SHRINKAGE, a - learning->a, b - learning->b);
		for (int64_t i = first; i < end; i++)
		{
			add_example(&learning->example[learning->order[i]], learning->discount, a, b, &sums);
			if (i % AT_ONCE == 0)
				kge_pool_breathe(learning->pool, thread);
		}
		moved = improve(&sums, 1e-6 * (double) (end - first), &a, &b);
	}
	learning->fitted_a[key] = a;
	learning->fitted_b[key] = b;
}

static void
learn_weights(Learning *learning, EvLearnt *learnt)
{
	int64_t		keys = 2 * (int64_t) learning->model->relations;
	double		highest = -INFINITY;
	int			best = 0;

	for (int i = 0; i < DISCOUNTS; i++)
	{
		learning->discount = i;
		fit_common(learning);
		if (learning->mean.reciprocal_rank > highest)
		{
			highest = learning->mean.reciprocal_rank;
			best = i;
		}
	}
	learning->discount = best;
	fit_common(learning);
	kge_pool_run(learning->pool, keys, fit_key, learning);
	learnt->weights.discount = discounts[best];
	for (int64_t i = 0; i < keys; i++)
	{
		learnt->weights.weight[i] = learning->fitted_b[i] / learning->fitted_a[i];
		learnt->weights.scale[i] = learning->fitted_a[i] / learning->a;
		learnt->questions[i] = learning->first[i + 1] - learning->first[i];
	}
}

/* ---- calibration ------------------------------------------------------------------ */

static void
features_of(const Learning *learning, const Listed *listed, double *feature)
{
	feature[0] = learning->used[0] ? listed->phi : 0;
	feature[1] = learning->used[1] ? listed->evidence[learning->discount] : 0;
	feature[2] = 1;
}

static double
probability(const Learning *learning, const double *feature)
{
	double		x = 0;

	for (int i = 0; i < FEATURES; i++)
		x += learning->coefficient[i] * feature[i];
	return 1 / (1 + exp(-x));
}

/* Item: some examples. */
static void
sum_labels(void *argument, int64_t item, int thread)
{
	Learning   *learning = argument;
	int64_t		end = learning->first[2 * (int64_t) learning->model->relations];
	Regression	sums = {0};

	for (int64_t i = item * AT_ONCE; i < (item + 1) * AT_ONCE && i < end; i++)
	{
		const Example *example = &learning->example[learning->order[i]];

		if (learning->parity >= 0 && i % 2 != learning->parity)
			continue;
		for (int j = 0; j < example->count; j++)
		{
			double		feature[FEATURES];
			double		p;

			features_of(learning, &example->listed[j], feature);
			p = probability(learning, feature);
			sums.loss -= j == 0 ? log(fmax(p, 1e-300)) : log1p(-fmin(p, 1 - 1e-16));
			for (int k = 0; k < FEATURES; k++)
			{
				sums.gradient[k] += (p - (j == 0)) * feature[k];
				for (int l = 0; l < FEATURES; l++)
					sums.curvature[k][l] += fmax(p * (1 - p), 1e-12) * feature[k] * feature[l];
			}
		}
	}
	learning->regression[item] = sums;
	kge_pool_breathe(learning->pool, thread);
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

/* Platt's method: the logistic regression of truth.  A step of Newton's method that goes too far is halved. */
static void
fit_calibration(Learning *learning, int parity)
{
	int64_t		items = kge_pieces(learning->first[2 * (int64_t) learning->model->relations], AT_ONCE);
	double		length = INFINITY;
	double		lowest = INFINITY;
	double		move[FEATURES] = {0};

	learning->parity = parity;
	learning->coefficient[0] = learning->coefficient[1] = 0;
	learning->coefficient[2] = -log(BY_SCORE);
	for (int step = 0; step < STEPS && length > 1e-6; step++)
	{
		Regression	sums = {0};

		kge_pool_run(learning->pool, items, sum_labels, learning);
		for (int64_t i = 0; i < items; i++)
		{
			sums.loss += learning->regression[i].loss;
			for (int k = 0; k < FEATURES; k++)
			{
				sums.gradient[k] += learning->regression[i].gradient[k];
				for (int l = 0; l < FEATURES; l++)
					sums.curvature[k][l] += learning->regression[i].curvature[k][l];
			}
		}
		length = 0;
		if (sums.loss > lowest)
			for (int k = 0; k < FEATURES; k++)
			{
				move[k] /= 2;
				learning->coefficient[k] += move[k];
				length = fmax(length, fabs(move[k]));
			}
		else
		{
			lowest = sums.loss;
			solve(&sums);
			for (int k = 0; k < FEATURES; k++)
			{
				move[k] = sums.gradient[k];
				learning->coefficient[k] -= move[k];
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
fit_rising(Learning *learning, EvKind kind, int parity)
{
	const double *slope = learning->coefficient;
	bool		falls = true;

	learning->used[0] = kind != EV_RULES;
	learning->used[1] = kind != EV_EMBEDDING;
	while (falls)
	{
		fit_calibration(learning, parity);
		falls = slope[0] < 0 || slope[1] < 0;
		if (falls)
			learning->used[slope[0] < slope[1] ? 0 : 1] = false;
	}
}

/* Mean distance of what is said from what is true, in bins of probability, over examples of a parity. */
static double
calibration_error(const Learning *learning, int parity)
{
	int64_t		end = learning->first[2 * (int64_t) learning->model->relations];
	double		said[BINS] = {0};
	double		truths[BINS] = {0};
	double		distance = 0;
	double		count = 0;

	for (int64_t i = parity; i < end; i += 2)
	{
		const Example *example = &learning->example[learning->order[i]];

		for (int j = 0; j < example->count; j++)
		{
			double		feature[FEATURES];
			double		p;
			int			bin;

			features_of(learning, &example->listed[j], feature);
			p = probability(learning, feature);
			bin = (int) fmin(p * BINS, BINS - 1);
			said[bin] += p;
			truths[bin] += j == 0;
			count++;
		}
	}
	for (int i = 0; i < BINS; i++)
		distance += fabs(said[i] - truths[i]);
	return count > 0 ? distance / count : 0;
}

static void
calibrate(Learning *learning, EvLearnt *learnt)
{
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		double		error;

		fit_rising(learning, kind, 0);
		error = calibration_error(learning, 1);
		fit_rising(learning, kind, -1);
		learnt->calibration[kind] = (EvCalibration) {learning->coefficient[0], learning->coefficient[1],
			learning->coefficient[2], error};
	}
}

/* ---- the whole --------------------------------------------------------------------- */

size_t
ev_learn_bytes(const KgeModel *model, const EvFacts *facts, int64_t count, int64_t known_count, int threads)
{
	Learning	learning = {.model = model,.engine = kge_engine(model)};
	KgeSpace	space = {0};

	learning.count = count < MOST_TRIPLES ? count : MOST_TRIPLES;
	take_learning(&learning, &space, known_count, threads);
	KGE_TAKE(&space, KgeTriple, (size_t) learning.count);
	KGE_TAKE(&space, double, 4 * (size_t) model->relations);
	KGE_TAKE(&space, int64_t, 2 * (size_t) model->relations);
	return kge_space_bytes(&space) + ev_voice_bytes(facts, threads);
}

bool
ev_learn(KgeArena *arena, KgePool *pool, const KgeModel *model,
		 const EvFacts *facts, const EvRules *rules,
		 const KgeTriple *triples, int64_t count,
		 const KgeTriple *known, int64_t known_count, EvLearnt *learnt)
{
	Learning	learning = {.pool = pool,.model = model,.engine = kge_engine(model)};
	int			threads = kge_pool_threads(pool);
	KgeSpace	space = {0};
	KgeTriple  *some = NULL;

	learning.count = count < MOST_TRIPLES ? count : MOST_TRIPLES;
	if (!ev_voice(arena, facts, rules, (EvWeights) {0}, threads, &learning.voice))
		return false;
	for (int pass = 0; pass < 2; pass++)
	{
		if (pass == 1 && !kge_space_open(&space, arena))
			return false;
		take_learning(&learning, &space, known_count, threads);
		some = KGE_TAKE(&space, KgeTriple, (size_t) learning.count);
		learnt->weights.weight = KGE_TAKE(&space, double, 2 * (size_t) model->relations);
		learnt->weights.scale = KGE_TAKE(&space, double, 2 * (size_t) model->relations);
		learnt->questions = KGE_TAKE(&space, int64_t, 2 * (size_t) model->relations);
	}
	for (int64_t i = 0; i < learning.count; i++)
		some[i] = triples[i * count / learning.count];
	learning.triples = some;
	kge_questions_fill(&learning.questions, pool, some, known, known_count);
	kge_pool_run(pool, kge_pieces(learning.questions.count, BLOCK), list_block, &learning);
	order_examples(&learning);
	learn_weights(&learning, learnt);
	calibrate(&learning, learnt);
	return true;
}
