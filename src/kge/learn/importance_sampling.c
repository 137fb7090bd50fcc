/*
 * importance_sampling.c
 *		Drawing inferred triples in proportion to exp(beta * score).
 *
 * Drawing n items one after the other without replacement, each time in
 * proportion to exp(x), is the same as giving every item the key x + G, with G
 * a standard Gumbel draw, and taking the n largest keys (Gumbel top n; Kool et
 * al. 2019).  Keys are logarithms, so nothing overflows, and one pass with a
 * heap of n keys is enough.  The leader does all of it, and yields at intervals.
 */
#include <float.h>
#include <math.h>

#include "core/allocation.h"
#include "core/heap.h"
#include "core/random.h"
#include "core/sort.h"
#include "kge/learning.h"

typedef struct Draw
{
	double		value;			/* x + gumbel; -DBL_MAX for NaN */
	double		gumbel;			/* decides between equal values */
	int64_t		item;
} Draw;

/* The largest first */
static int
compare_keys(const void *a, const void *b)
{
	const Draw *left = a;
	const Draw *right = b;

	if (left->value != right->value)
		return left->value > right->value ? -1 : 1;
	if (left->gumbel != right->gumbel)
		return left->gumbel > right->gumbel ? -1 : 1;
	return (left->item > right->item) - (left->item < right->item);
}

static int
compare_items(const void *a, const void *b)
{
	int64_t		left = *(const int64_t *) a;
	int64_t		right = *(const int64_t *) b;

	return (left > right) - (left < right);
}

/* beta * score, with infinities as large numbers; NaN stays. */
static double
exponent(double beta, float score)
{
	if (isnan(score))
		return NAN;
	if (isinf(score))
		score = score > 0 ? FLT_MAX : -FLT_MAX;
	return beta * score;
}

static Draw
draw_key(double x, uint64_t bits, int64_t item)
{
	Draw		key;

	key.gumbel = -log(-log(random_open(bits)));
	key.value = isnan(x) ? -DBL_MAX : x + key.gumbel;
	key.item = item;
	return key;
}

/*
 * The largest beta * score, and the sum of exp(beta * score - largest), over the
 * numbers among the scores.
 */
static double
sum_exponentials(Pool *pool, const float *scores, int64_t count, double beta, double *largest)
{
	double		sum = 0;

	*largest = -INFINITY;
	for (int64_t i = 0; i < count; i++)
	{
		*largest = fmax(*largest, exponent(beta, scores[i]));
		pool_yield_at(pool, POOL_LEADER, i);
	}
	for (int64_t i = 0; i < count; i++)
	{
		double		x = exponent(beta, scores[i]);

		if (!isnan(x))
			sum += exp(x - *largest);
		pool_yield_at(pool, POOL_LEADER, i);
	}
	return sum;
}

/* The n largest keys of the items */
static void
keep_largest(Pool *pool, KgeItems items, double beta, int64_t n, uint64_t seed, Draw *heap)
{
	uint64_t	stream = random_stream(seed, DRAW_SAMPLE, 0, 0);
	int64_t		kept = 0;

	for (int64_t i = 0; i < items.count; i++)
	{
		Draw		candidate = draw_key(exponent(beta, items.score[i]), random_bits(stream, items.key[i]), i);

		kept = heap_offer(heap, kept, n, &candidate, sizeof(Draw), compare_keys);
		pool_yield_at(pool, POOL_LEADER, i);
	}
}

/* The share of each drawn item in the sum of exp(beta * score) */
static void
set_probabilities(Pool *pool, KgeItems items, double beta, int64_t n, const int64_t *drawn, double *probability)
{
	double		largest;
	double		sum = sum_exponentials(pool, items.score, items.count, beta, &largest);

	for (int64_t i = 0; i < n; i++)
	{
		double		x = exponent(beta, items.score[drawn[i]]);

		probability[i] = isnan(x) ? 0 : exp(x - largest) / sum;
		pool_yield_at(pool, POOL_LEADER, i);
	}
}

int64_t
kge_draw(Arena *arena, Pool *pool, KgeItems items, double beta, int64_t n, uint64_t seed,
		 int64_t *drawn, double *probability)
{
	Allocation	allocation = {0};
	Draw	   *heap;

	n = n < items.count ? n : items.count;
	if (n <= 0)
		return 0;
	TAKE(&allocation, Draw, (size_t) n);
	if (!allocation_open(&allocation, arena))
		return -1;
	heap = TAKE(&allocation, Draw, (size_t) n);
	keep_largest(pool, items, beta, n, seed, heap);
	for (int64_t i = 0; i < n; i++)
	{
		drawn[i] = heap[i].item;
		pool_yield_at(pool, POOL_LEADER, i);
	}
	sort_array(pool, POOL_LEADER, drawn, n, sizeof(int64_t), compare_items);
	if (probability != NULL)
		set_probabilities(pool, items, beta, n, drawn, probability);
	return n;
}
