/*
 * similar.c
 *		See similar.h.
 *
 * A question costs the rows with a value times the numbers, and for each of the row's tokens the rows that have it.
 * The limit is the bytes of these lists: 8 for each row of a token, 4 for each number.
 */
#include "similar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/allocation.h"
#include "core/exponential.h"
#include "core/heap.h"
#include "core/random.h"
#include "core/vector.h"

#define BATCH 32				/* rows of a step */
#define STEPS 1024
#define LEARNING_RATE 0.1		/* at first; it falls to 0 */
#define PRIOR 4					/* of the weights at 0, in rows: few rows teach little */
#define LEFT_OUT 0.15			/* of kinds and numbers, drawn for each row of a step: so others that tell the same count */
#define FIRST_WEIGHT 0.5		/* of a kind */
#define FIRST_NUMBER 1.5		/* of a number's forms */
#define FLOOR 0.0001			/* a value that nothing expects moves the weights little more than others */
#define FIRST_BACKGROUND 3		/* likeness, in all, of what stands for rows that have nothing in common */
#define PRIOR_ROWS 5			/* without a word on the value, beside those of a token */
#define UNKNOWN_DISTANCE 0.3f	/* of a number that one of two rows lacks */
#define AMOUNT_WIDTH 0.02		/* distance of ranks at which two amounts agree by 1 / e */
#define LANES 16

/* The distance d of two ranks counts as d / (d + width), for each width: near, in the neighbourhood, far */
static const float width[SIMILAR_FORMS] = {0.003f, 0.03f, 0.3f};

/* What one thread works on */
typedef struct SimilarScratch
{
	CACHE_ALIGNED float *share; /* of each candidate: likeness, then its share of the sum of all exp(likeness) */
	float	   *slope;			/* of each candidate: of the loss by its likeness */
	double		background;		/* share of the background */
	double	   *mass;			/* of each value */
	bool	   *left_out;		/* kinds, then numbers, that the question does not look at */
} SimilarScratch;

struct Similar
{
	const SimilarRows *rows;
	int32_t		candidates;		/* rows with a value */
	int32_t    *candidate;		/* their rows */
	int32_t    *place;			/* of each row among them; -1 */
	int64_t    *posting;		/* of each token, and the end: the candidates that have it */
	int32_t    *holder;
	float	   *holder_part;
	float	   *rarity;			/* of each token: log(candidates / those that have it) */
	float	   *purity;			/* of each token: how much surer a value is where a row has it, 0 to 1 */
	float	   *rank;			/* number j of candidate c is at j * candidates + c */
	double	   *frequency;		/* of each value among the candidates */
	double		mean_amount;	/* of the finite ones */
	double		finite;			/* their part of the candidates */
	int			weights;		/* the last one is the background's */
	double	   *weight;
	double	   *gradient;		/* of each question of a batch */
	SimilarScratch *scratch;	/* of each thread; the last one is the leader's */
	int			threads;

	/* of a run over questions */
	Pool	   *pool;
	uint64_t	stream;			/* of the batch */
	const int32_t *asked;
	SimilarAnswer *answer;
};

/* Number j of a row */
static float
rank_of(const SimilarRows *rows, int j, int32_t row)
{
	return rows->rank[(size_t) j * (size_t) rows->rows + (size_t) row];
}

/* Of all candidates */
static float *
candidate_ranks(const Similar *similar, int j)
{
	return similar->rank + (size_t) j * (size_t) similar->candidates;
}

static double *
number_weights(const Similar *similar, int number)
{
	return similar->weight + SIMILAR_FORMS * (similar->rows->kinds + number);
}

/* ---- one question -------------------------------------------------------------------- */

static inline __attribute__((always_inline)) float
rank_distance(float a, float b)
{
	float		distance = a > b ? a - b : b - a;

	return distance == distance ? distance : UNKNOWN_DISTANCE;
}

/* Takes from each likeness what the distance of a number counts. */
KERNEL void
subtract_distances(float *share, const float *rank, float own, const double *weight, int32_t count)
{
	float		a = (float) weight[0];
	float		b = (float) weight[1];
	float		c = (float) weight[2];

	for (int32_t i = 0; i < count; i++)
	{
		float		d = rank_distance(own, rank[i]);

		share[i] -= a * d / (d + width[0]) + b * d / (d + width[1]) + c * d / (d + width[2]);
	}
}

/* exp(likeness - highest) of each candidate */
KERNEL void
exponentials(float *share, float highest, int32_t count)
{
	for (int32_t i = 0; i < count; i++)
	{
		float		x = share[i] - highest;

		share[i] = x < -80 ? 0 : exponential(x < -80 ? -80 : x);
	}
}

/* Adds the slopes of a number's forms: in LANES sums, in a fixed order. */
KERNEL void
add_number_slopes(const float *slope, const float *rank, float own, int32_t count, double *gradient)
{
	float		sum[SIMILAR_FORMS][LANES] = {{0}};

	for (int32_t first = 0; first < count; first += LANES)
	{
		int32_t		lanes = count - first < LANES ? count - first : LANES;

		for (int32_t i = 0; i < lanes; i++)
		{
			float		d = rank_distance(own, rank[first + i]);
			float		s = slope[first + i];

			sum[0][i] -= s * d / (d + width[0]);
			sum[1][i] -= s * d / (d + width[1]);
			sum[2][i] -= s * d / (d + width[2]);
		}
	}
	for (int form = 0; form < SIMILAR_FORMS; form++)
		for (int i = 0; i < LANES; i++)
			gradient[form] += sum[form][i];
}

/* What a token that both rows have counts, but for their parts */
static double
token_weight(const Similar *similar, int32_t token)
{
	const double *weight = similar->weight + SIMILAR_FORMS * similar->rows->kind[token];

	return weight[0] + weight[1] * similar->rarity[token] + weight[2] * similar->purity[token];
}

/* The shares of all candidates, of which the row itself is none, and of the background */
static void
find_shares(const Similar *similar, int32_t row, SimilarScratch *scratch, int thread)
{
	const SimilarRows *rows = similar->rows;
	float	   *share = scratch->share;
	float		highest = (float) similar->weight[similar->weights - 1];
	double		total;
	int64_t		since = 0;

	/* 1. Likenesses: of numbers, then of tokens */
	memset(share, 0, (size_t) similar->candidates * sizeof(float));
	for (int j = 0; j < rows->numbers; j++)
		if (!scratch->left_out[rows->kinds + j])
			subtract_distances(share, candidate_ranks(similar, j), rank_of(rows, j, row), number_weights(similar, j),
							   similar->candidates);
	for (int64_t i = rows->first[row]; i < rows->first[row + 1]; i++)
	{
		int32_t		token = rows->token[i];
		float		counts = rows->part[i] * (float) token_weight(similar, token);

		if (scratch->left_out[rows->kind[token]])
			continue;
		for (int64_t p = similar->posting[token]; p < similar->posting[token + 1]; p++)
			share[similar->holder[p]] += counts * similar->holder_part[p];
		pool_yield_after(similar->pool, thread, similar->posting[token + 1] - similar->posting[token], &since);
	}
	if (similar->place[row] >= 0)
		share[similar->place[row]] = -INFINITY;

	/* 2. Their exponentials, which add up to 1 */
	for (int32_t c = 0; c < similar->candidates; c++)
		highest = share[c] > highest ? share[c] : highest;
	exponentials(share, highest, similar->candidates);
	scratch->background = exp(similar->weight[similar->weights - 1] - highest);
	total = scratch->background;
	for (int32_t c = 0; c < similar->candidates; c++)
		total += share[c];
	for (int32_t c = 0; c < similar->candidates; c++)
		share[c] = (float) (share[c] / total);
	scratch->background /= total;
}

/* How far a candidate's value agrees with that of another row: 1 if it is the same */
static double
agreement(const SimilarRows *rows, int32_t a, int32_t b)
{
	if (rows->amount == NULL)
		return rows->value[a] == rows->value[b];
	return exp(-fabs((double) rows->amount_rank[a] - rows->amount_rank[b]) / AMOUNT_WIDTH);
}

/* Adds the gradient of the loss -log(FLOOR + p), where p adds up shares by agreement; returns the loss. */
static double
add_question(const Similar *similar, int32_t row, SimilarScratch *scratch, int thread, double *gradient)
{
	const SimilarRows *rows = similar->rows;
	float	   *share = scratch->share;
	double		background = 0;	/* mean agreement with any candidate */
	double		p = 0;
	int64_t		since = 0;

	find_shares(similar, row, scratch, thread);
	for (int32_t c = 0; c < similar->candidates; c++)
	{
		scratch->slope[c] = similar->candidate[c] == row ? 0 : (float) agreement(rows, row, similar->candidate[c]);
		background += scratch->slope[c];
		p += share[c] * scratch->slope[c];
	}
	background /= similar->candidates - 1;
	p += scratch->background * background;
	for (int32_t c = 0; c < similar->candidates; c++)
		scratch->slope[c] = share[c] * ((float) p - scratch->slope[c]) / (float) (p + FLOOR);
	gradient[similar->weights - 1] += scratch->background * (p - background) / (p + FLOOR);
	for (int j = 0; j < rows->numbers; j++)
		if (!scratch->left_out[rows->kinds + j])
			add_number_slopes(scratch->slope, candidate_ranks(similar, j), rank_of(rows, j, row), similar->candidates,
							  gradient + SIMILAR_FORMS * (rows->kinds + j));
	for (int64_t i = rows->first[row]; i < rows->first[row + 1]; i++)
	{
		int32_t		token = rows->token[i];
		double		sum = 0;

		if (scratch->left_out[rows->kind[token]])
			continue;
		for (int64_t h = similar->posting[token]; h < similar->posting[token + 1]; h++)
			sum += (double) scratch->slope[similar->holder[h]] * similar->holder_part[h];
		sum *= rows->part[i];
		gradient[SIMILAR_FORMS * rows->kind[token]] += sum;
		gradient[SIMILAR_FORMS * rows->kind[token] + 1] += sum * similar->rarity[token];
		gradient[SIMILAR_FORMS * rows->kind[token] + 2] += sum * similar->purity[token];
		pool_yield_after(similar->pool, thread, similar->posting[token + 1] - similar->posting[token], &since);
	}
	return -log(p + FLOOR);
}

/* ---- learning ------------------------------------------------------------------------ */

static void
take_similar(Similar *similar, Allocation *allocation)
{
	const SimilarRows *rows = similar->rows;
	size_t		candidates = (size_t) similar->candidates;

	similar->candidate = TAKE(allocation, int32_t, candidates);
	similar->place = TAKE(allocation, int32_t, (size_t) rows->rows);
	similar->posting = TAKE(allocation, int64_t, (size_t) rows->tokens + 2);
	similar->holder = TAKE(allocation, int32_t, (size_t) rows->first[rows->rows]);
	similar->holder_part = TAKE(allocation, float, (size_t) rows->first[rows->rows]);
	similar->rarity = TAKE(allocation, float, (size_t) rows->tokens);
	similar->purity = TAKE(allocation, float, (size_t) rows->tokens);
	similar->rank = TAKE(allocation, float, candidates * (size_t) rows->numbers);
	similar->frequency = TAKE(allocation, double, (size_t) rows->values);
	similar->weight = TAKE(allocation, double, (size_t) similar->weights);
	similar->gradient = TAKE(allocation, double, (size_t) similar->weights * (BATCH + 3));
	similar->scratch = TAKE(allocation, SimilarScratch, (size_t) similar->threads);
	for (int i = 0; i < similar->threads; i++)
	{
		SimilarScratch scratch;

		scratch.share = TAKE(allocation, float, candidates);
		scratch.slope = TAKE(allocation, float, candidates);
		scratch.mass = TAKE(allocation, double, (size_t) rows->values);
		scratch.left_out = TAKE(allocation, bool, (size_t) (rows->kinds + rows->numbers));
		if (allocation->base == NULL)
			continue;
		memset(scratch.left_out, 0, (size_t) (rows->kinds + rows->numbers));
		similar->scratch[i] = scratch;
	}
}

/* The candidates of each token, and their numbers */
static void
index_candidates(Similar *similar)
{
	const SimilarRows *rows = similar->rows;
	int32_t		candidates = 0;

	for (int32_t row = 0; row < rows->rows; row++)
	{
		similar->place[row] = rows->value[row] < 0 ? -1 : candidates;
		if (rows->value[row] >= 0)
			similar->candidate[candidates++] = row;
		pool_yield_at(similar->pool, POOL_LEADER, row);
	}
	memset(similar->frequency, 0, (size_t) rows->values * sizeof(double));
	for (int32_t c = 0; c < candidates; c++)
	{
		similar->frequency[rows->value[similar->candidate[c]]] += 1.0 / candidates;
		if (rows->amount != NULL && isfinite(rows->amount[similar->candidate[c]]))
		{
			similar->mean_amount += rows->amount[similar->candidate[c]];
			similar->finite++;
		}
	}
	similar->mean_amount = similar->finite > 0 ? similar->mean_amount / similar->finite : 0;
	similar->finite /= candidates;
	memset(similar->posting, 0, ((size_t) rows->tokens + 2) * sizeof(int64_t));
	for (int32_t c = 0; c < candidates; c++)
		for (int64_t i = rows->first[similar->candidate[c]]; i < rows->first[similar->candidate[c] + 1]; i++)
		{
			similar->posting[rows->token[i] + 2]++;
			pool_yield_at(similar->pool, POOL_LEADER, i);
		}
	for (int32_t token = 0; token < rows->tokens; token++)
	{
		int64_t		count = similar->posting[token + 2];

		similar->rarity[token] = count == 0 ? 0 : logf((float) candidates / (float) count);
		similar->posting[token + 2] += similar->posting[token + 1];
	}
	for (int32_t c = 0; c < candidates; c++)
		for (int64_t i = rows->first[similar->candidate[c]]; i < rows->first[similar->candidate[c] + 1]; i++)
		{
			int64_t		place = similar->posting[rows->token[i] + 1]++;

			similar->holder[place] = c;
			similar->holder_part[place] = rows->part[i];
			pool_yield_at(similar->pool, POOL_LEADER, i);
		}
	for (int j = 0; j < rows->numbers; j++)
		for (int32_t c = 0; c < candidates; c++)
		{
			candidate_ranks(similar, j)[c] = rank_of(rows, j, similar->candidate[c]);
			pool_yield_at(similar->pool, POOL_LEADER, c);
		}
}

/* The entropy of values among the rows of a token, counted with PRIOR_ROWS more of all rows, beside that among all */
static void
find_purities(Similar *similar)
{
	const SimilarRows *rows = similar->rows;
	double	   *count = similar->scratch[0].mass;
	double		all = 0;

	for (int32_t value = 0; value < rows->values; value++)
	{
		count[value] = 0;
		if (similar->frequency[value] > 0)
			all -= similar->frequency[value] * log(similar->frequency[value]);
	}
	for (int32_t token = 0; token < rows->tokens; token++)
	{
		int64_t		first = similar->posting[token];
		int64_t		end = similar->posting[token + 1];
		double		entropy = 0;

		for (int64_t i = first; i < end; i++)
			count[rows->value[similar->candidate[similar->holder[i]]]]++;
		/* each value's part of the entropy at the first of its rows */
		for (int64_t i = first; i < end; i++)
		{
			double	   *of = &count[rows->value[similar->candidate[similar->holder[i]]]];

			if (*of > 0)
				entropy -= *of * log(*of / (double) (end - first));
			*of = 0;
			pool_yield_at(similar->pool, POOL_LEADER, i);
		}
		similar->purity[token] = all <= 0 ? 0 :
			(float) fmax(0, 1 - (entropy / all + PRIOR_ROWS) / ((double) (end - first) + PRIOR_ROWS));
	}
}

static SimilarScratch *
scratch_of(const Similar *similar, int thread)
{
	return &similar->scratch[thread == POOL_LEADER ? similar->threads - 1 : thread];
}

static void
learn_question(void *argument, int64_t item, int thread)
{
	Similar    *similar = argument;
	double	   *gradient = similar->gradient + item * similar->weights;
	SimilarScratch *scratch = scratch_of(similar, thread);
	int			columns = similar->rows->kinds + similar->rows->numbers;

	memset(gradient, 0, (size_t) similar->weights * sizeof(double));
	for (int i = 0; i < columns; i++)
		scratch->left_out[i] =
			random_open(random_bits(similar->stream, (uint64_t) (BATCH + item * columns + i))) < LEFT_OUT;
	add_question(similar, similar->asked[item], scratch, thread, gradient);
	memset(scratch->left_out, 0, (size_t) columns);
}

/*
 * A step of Adam (Kingma and Ba 2015) from the gradients of a batch.  Weights, the background's excepted, stay 0 or
 * more.
 */
static void
step(Similar *similar, int number, double *mean, double *square)
{
	double		rate = LEARNING_RATE * (1 - (double) number / STEPS);

	for (int k = 0; k < similar->weights; k++)
	{
		bool		background = k == similar->weights - 1;
		double		slope = background ? 0 : PRIOR * similar->weight[k] / similar->candidates;

		for (int i = 0; i < BATCH; i++)
			slope += similar->gradient[i * similar->weights + k] / BATCH;
		mean[k] = 0.9 * mean[k] + 0.1 * slope;
		square[k] = 0.99 * square[k] + 0.01 * slope * slope;
		similar->weight[k] -= rate * (mean[k] / (1 - pow(0.9, number + 1))) /
			(sqrt(square[k] / (1 - pow(0.99, number + 1))) + 1e-8);
		if (!background)
			similar->weight[k] = fmax(0, similar->weight[k]);
	}
}

Similar *
similar_learn(const SimilarRows *rows, Pool *pool, Arena *arena, uint64_t seed)
{
	Similar		plan = {.rows = rows,.pool = pool,.threads = pool_threads(pool) + 1,
	.weights = SIMILAR_FORMS * (rows->kinds + rows->numbers) + 1};
	Allocation	allocation = {0};
	Similar    *similar;
	double	   *mean;
	int32_t		asked[BATCH];

	/* 1. Index the rows with a value */
	for (int32_t row = 0; row < rows->rows; row++)
		plan.candidates += rows->value[row] >= 0;
	similar = TAKE(&allocation, Similar, 1);
	take_similar(&plan, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	similar = TAKE(&allocation, Similar, 1);
	*similar = plan;
	take_similar(similar, &allocation);
	index_candidates(similar);
	find_purities(similar);
	for (int k = 0; k < similar->weights; k++)
		similar->weight[k] = k < SIMILAR_FORMS * rows->kinds ? FIRST_WEIGHT :
			k < similar->weights - 1 ? FIRST_NUMBER : FIRST_BACKGROUND;

	/* 2. Learn the weights, in batches of rows that are drawn */
	if (similar->candidates < 2)
		return similar;
	mean = similar->gradient + (size_t) similar->weights * BATCH;
	memset(mean, 0, 2 * (size_t) similar->weights * sizeof(double));
	similar->asked = asked;
	for (int number = 0; number < STEPS; number++)
	{
		similar->stream = random_stream(seed, DRAW_SAMPLE, (uint64_t) number, 0);
		for (uint64_t i = 0; i < BATCH; i++)
			asked[i] = similar->candidate[random_below(random_bits(similar->stream, i),
													   (uint64_t) similar->candidates)];
		pool_run(pool, BATCH, learn_question, similar);
		step(similar, number, mean, mean + similar->weights);
	}
	return similar;
}

int
similar_weights(const Similar *similar, double **weight)
{
	*weight = similar->weight;
	return similar->weights;
}

double
similar_loss(Similar *similar, Pool *pool, int32_t row, double *gradient)
{
	similar->pool = pool;
	memset(gradient, 0, (size_t) similar->weights * sizeof(double));
	return add_question(similar, row, scratch_of(similar, POOL_LEADER), POOL_LEADER, gradient);
}

/* ---- answers ------------------------------------------------------------------------- */

typedef struct Weighed
{
	double		weight;
	int32_t		number;			/* of a value, a candidate or a kind */
} Weighed;

/* The greatest weight first */
static int
compare_weighed(const void *a, const void *b)
{
	const Weighed *left = a;
	const Weighed *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

/* Keeps a number among the `most` of greatest weight. */
static void
keep_greatest(Weighed *kept, int *count, int most, double weight, int32_t number)
{
	Weighed		offered = {weight, number};

	*count = (int) heap_offer(kept, *count, most, &offered, sizeof(Weighed), compare_weighed);
}

/* The order of a row's tokens: by kind, then by number */
static bool
token_comes_before(const SimilarRows *rows, int32_t a, int32_t b)
{
	return rows->kind[a] != rows->kind[b] ? rows->kind[a] < rows->kind[b] : a < b;
}

/* What makes two rows alike: the kinds of tokens, and the numbers, that count most */
static void
find_alike(const Similar *similar, int32_t row, int32_t other, SimilarAnswer *answer)
{
	const SimilarRows *rows = similar->rows;
	Weighed		kept[SIMILAR_NEAREST];
	int64_t		j = rows->first[other];
	double		sum = 0;

	/* both have their tokens in one order */
	for (int64_t i = rows->first[row]; i < rows->first[row + 1]; i++)
	{
		int32_t		token = rows->token[i];

		while (j < rows->first[other + 1] && token_comes_before(rows, rows->token[j], token))
			j++;
		if (j < rows->first[other + 1] && rows->token[j] == token)
			sum += rows->part[i] * rows->part[j] * token_weight(similar, token);
		if (i + 1 == rows->first[row + 1] || rows->kind[rows->token[i + 1]] != rows->kind[token])
		{
			if (sum > 0)
				keep_greatest(kept, &answer->alike_count, SIMILAR_NEAREST, sum, rows->kind[token]);
			sum = 0;
		}
	}
	/* a number counts by how much less its distance is than that of an unknown one */
	for (int number = 0; number < rows->numbers; number++)
	{
		float		d = rank_distance(rank_of(rows, number, row), rank_of(rows, number, other));

		sum = 0;
		for (int form = 0; form < SIMILAR_FORMS; form++)
			sum += number_weights(similar, number)[form] *
				(UNKNOWN_DISTANCE / (UNKNOWN_DISTANCE + width[form]) - d / (d + width[form]));
		if (sum > 0)
			keep_greatest(kept, &answer->alike_count, SIMILAR_NEAREST, sum, rows->kinds + number);
	}
	qsort(kept, (size_t) answer->alike_count, sizeof(Weighed), compare_weighed);
	for (int i = 0; i < answer->alike_count; i++)
		answer->alike[i] = kept[i].number;
}

static void
answer_question(void *argument, int64_t item, int thread)
{
	const Similar *similar = argument;
	const SimilarRows *rows = similar->rows;
	SimilarScratch *scratch = scratch_of(similar, thread);
	SimilarAnswer *answer = &similar->answer[item];
	int32_t		row = similar->asked[item];
	double		most = similar->candidates / (similar->candidates + 1.0);
	double		finite;			/* share of finite amounts */
	Weighed		kept[SIMILAR_VALUES];

	*answer = (SimilarAnswer) {.own = rows->value[row] < 0 ? NAN : 0};

	/* 1. Each value has the shares of its rows, and its part of the background */
	find_shares(similar, row, scratch, thread);
	for (int32_t value = 0; value < rows->values; value++)
		scratch->mass[value] = scratch->background * similar->frequency[value];
	finite = scratch->background * similar->finite;
	answer->expected = finite * similar->mean_amount;
	for (int32_t c = 0; c < similar->candidates; c++)
	{
		int32_t		of = similar->candidate[c];

		scratch->mass[rows->value[of]] += scratch->share[c];
		if (rows->amount != NULL && isfinite(rows->amount[of]))
		{
			answer->expected += scratch->share[c] * rows->amount[of];
			finite += scratch->share[c];
		}
	}
	answer->expected = finite > 0 ? answer->expected / finite : NAN;
	if (rows->value[row] >= 0)
		answer->own = fmin(most, scratch->mass[rows->value[row]]);
	for (int32_t value = 0; value < rows->values; value++)
		keep_greatest(kept, &answer->count, SIMILAR_VALUES, scratch->mass[value], value);
	qsort(kept, (size_t) answer->count, sizeof(Weighed), compare_weighed);
	for (int i = 0; i < answer->count; i++)
	{
		answer->value[i] = kept[i].number;
		answer->probability[i] = fmin(most, kept[i].weight);
	}

	/* 2. The rows of the best value that count most */
	if (answer->count == 0)
		return;
	for (int32_t c = 0; c < similar->candidates; c++)
		if (scratch->share[c] > 0 && rows->value[similar->candidate[c]] == answer->value[0])
			keep_greatest(kept, &answer->nearest_count, SIMILAR_NEAREST, scratch->share[c], similar->candidate[c]);
	qsort(kept, (size_t) answer->nearest_count, sizeof(Weighed), compare_weighed);
	for (int i = 0; i < answer->nearest_count; i++)
		answer->nearest[i] = kept[i].number;
	find_alike(similar, row, answer->nearest[0], answer);
}

void
similar_answers(Similar *similar, Pool *pool, const int32_t *row, int64_t count, SimilarAnswer *answer)
{
	similar->asked = row;
	similar->answer = answer;
	similar->pool = pool;
	pool_run(pool, count, answer_question, similar);
}
