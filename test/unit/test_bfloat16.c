/*
 * test_bfloat16.c
 *		Scores and gradients from rounded factors, by tiles and by vectors: exact where
 *		nothing is lost, within their bound where it is.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/learn/bfloat16.h"
#include "kge/learning.h"

#define BLOCK	KGE_WHOLE		/* queries */
#define UNIT	0x1p-8			/* half of the last of 8 bits: a rounded factor is so close to itself */

typedef struct Case
{
	int			width;
	int			queries;
	int			candidates;
	bool		add;
} Case;

/* Everything that a block of queries and a tile of candidates need. */
typedef struct Pairing
{
	Case		size;
	int			stride;
	int			s_stride;
	float	   *query;			/* queries x stride */
	float	   *candidate;		/* candidates x width */
	float	   *derivative;
	float	   *score;
	float	   *d_query;
	float	   *d_candidate;
} Pairing;

static float *
take_floats(int rows, int columns, float value)
{
	float	   *floats = take(sizeof(float) * (size_t) (rows * columns));

	for (int i = 0; i < rows * columns; i++)
		floats[i] = value;
	return floats;
}

static Pairing
new_meeting(Case size)
{
	Pairing		pairing = {.size = size};

	pairing.stride = kge_whole(size.width);
	pairing.s_stride = kge_whole(size.queries) + 16;
	pairing.query = take_floats(size.queries, pairing.stride, NAN);
	pairing.candidate = take_floats(size.candidates, size.width, 0);
	pairing.derivative = take_floats(kge_whole(size.candidates), pairing.s_stride, NAN);
	pairing.score = take_floats(kge_whole(size.candidates), pairing.s_stride, 5);
	pairing.d_query = take_floats(kge_whole(size.queries), pairing.stride, 7);
	pairing.d_candidate = take_floats(size.candidates, size.width, 7);
	return pairing;
}

/* Integers in -3 .. 3 are exact, and so are their sums; others are any numbers in -1 .. 1. */
static void
fill(Pairing *pairing, bool integers)
{
	const Case *size = &pairing->size;

	for (int q = 0; q < size->queries; q++)
		for (int k = 0; k < size->width; k++)
			pairing->query[q * pairing->stride + k] =
				integers ? (float) (next_below(7) - 3) : (float) next_uniform(-1, 1);
	for (int i = 0; i < size->candidates * size->width; i++)
		pairing->candidate[i] = integers ? (float) (next_below(7) - 3) : (float) next_uniform(-1, 1);
	for (int c = 0; c < size->candidates; c++)
		for (int q = 0; q < size->queries; q++)
			pairing->derivative[c * pairing->s_stride + q] =
				integers ? (float) (next_below(7) - 3) : (float) next_uniform(-1, 1);
}

/* By blocks of queries, each at its place among all. */
static void
pair(const KgeBfloat16 *kernels, Pairing *pairing)
{
	const Case *size = &pairing->size;
	KgeRows		candidates = {size->candidates, size->width, pairing->candidate};
	Allocation	space = {0};
	KgePacked	queries;
	KgePacked	packed;
	KgeDerivatives derivatives;

	for (int round = 0; round < 2; round++)
	{
		queries = kge_packed_take(&space, 1, (size_t) size->queries, size->width);
		packed = kge_packed_take(&space, 1, (size_t) size->candidates, size->width);
		derivatives = kge_derivatives_take(&space, 1, size->candidates, size->queries, BLOCK);
		if (round == 0)
			allocation_open(&space, &arena);
	}
	kge_pack_candidates(kernels, candidates, packed);
	for (int from = 0; from < size->queries; from += BLOCK)
	{
		int			count = size->queries - from < BLOCK ? size->queries - from : BLOCK;
		KgeRows		block = {count, pairing->stride, pairing->query + from * pairing->stride};

		kge_pack_queries(block, kge_packed_from(queries, (size_t) from));
		kge_bfloat16_scores(kernels, kge_packed_from(queries, (size_t) from), count, packed, size->candidates,
							pairing->score + from, pairing->s_stride);
		kge_pack_derivatives(kernels, size->candidates, count, pairing->derivative + from,
							 pairing->s_stride, from, derivatives);
		kge_bfloat16_query_gradients(kernels, derivatives, count, packed, size->candidates,
									 pairing->d_query + from * pairing->stride, pairing->stride);
	}
	kge_bfloat16_candidate_gradients(kernels, derivatives, queries, size->queries, size->candidates,
									 pairing->d_candidate, size->width, size->add);
}

/* A sum of products from the definition, and the sum of their sizes. */
typedef struct Sum
{
	double		value;
	double		size;
} Sum;

static void
add_product(Sum *sum, double a, double b)
{
	sum->value += a * b;
	sum->size += fabs(a * b);
}

/* Whether a result is the sum: exactly, or as close as two rounded factors allow. */
static bool
is_sum(float result, Sum sum, bool exact)
{
	if (exact)
		return result == sum.value;
	return fabs(result - sum.value) <= (2 * UNIT + UNIT * UNIT + 1e-5) * sum.size + 1e-6;
}

static int
count_wrong(const Pairing *pairing, bool exact)
{
	const Case *size = &pairing->size;
	int			wrong = 0;

	for (int c = 0; c < size->candidates; c++)
		for (int q = 0; q < size->queries; q++)
		{
			Sum			sum = {0, 0};

			for (int k = 0; k < size->width; k++)
				add_product(&sum, pairing->query[q * pairing->stride + k],
							pairing->candidate[c * size->width + k]);
			wrong += !is_sum(pairing->score[c * pairing->s_stride + q], sum, exact);
		}
	for (int k = 0; k < size->width; k++)
	{
		for (int q = 0; q < size->queries; q++)
		{
			Sum			sum = {7, 7};

			for (int c = 0; c < size->candidates; c++)
				add_product(&sum, pairing->derivative[c * pairing->s_stride + q],
							pairing->candidate[c * size->width + k]);
			wrong += !is_sum(pairing->d_query[q * pairing->stride + k], sum, exact);
		}
		for (int c = 0; c < size->candidates; c++)
		{
			Sum			sum = {size->add ? 7 : 0, size->add ? 7 : 0};

			for (int q = 0; q < size->queries; q++)
				add_product(&sum, pairing->derivative[c * pairing->s_stride + q],
							pairing->query[q * pairing->stride + k]);
			wrong += !is_sum(pairing->d_candidate[c * size->width + k], sum, exact);
		}
	}
	return wrong;
}

static void
test_products(const KgeBfloat16 *kernels, Case size)
{
	for (int integers = 0; integers < 2; integers++)
	{
		Pairing		pairing = new_meeting(size);
		int			wrong;

		fill(&pairing, integers == 1);
		pair(kernels, &pairing);
		wrong = count_wrong(&pairing, integers == 1);
		CHECK_SAYING(wrong == 0, "width %d, %d x %d, integers %d: %d wrong", size.width,
					 size.candidates, size.queries, integers, wrong);
	}
}

/* NaN and infinity go where they belong, and nowhere else; denormals count as little as they are. */
static void
test_specials(const KgeBfloat16 *kernels)
{
	Pairing		pairing = new_meeting((Case) {20, 5, 6, false});

	fill(&pairing, true);
	pairing.query[2 * pairing.stride + 3] = NAN;
	pairing.candidate[4 * 20 + 3] = INFINITY;
	for (int k = 0; k < 20; k++)
		pairing.candidate[k] = 1e-40f;
	pair(kernels, &pairing);
	for (int c = 0; c < 6; c++)
		for (int q = 0; q < 5; q++)
		{
			float		score = pairing.score[c * pairing.s_stride + q];

			if (q == 2 || c == 4)
				CHECK(q == 2 ? isnan(score) : !isfinite(score) || pairing.query[q * pairing.stride + 3] == 0);
			else
				CHECK(c == 0 ? fabsf(score) < 1e-37f : isfinite(score));
		}
}

#if defined(__x86_64__)
/* Which state the calling thread has in use: bits 17 and 18 are tiles. */
static bool
tiles_in_use(void)
{
	uint32_t	low,
				high;

	__asm__ volatile("xgetbv":"=a"(low), "=d"(high):"c"(1));
	return (low >> 17 & 3) != 0;
}
#endif

static void
test_kernels(const KgeBfloat16 *kernels)
{
	static const Case cases[] = {
		{1, 1, 1, false}, {31, 5, 3, true}, {32, 32, 32, false}, {48, 64, 128, true},
		{100, 64, 128, false}, {400, 33, 100, true}, {200, 128, 65, false}, {33, 70, 200, true}
	};

	if (kernels == NULL)
		return;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_products(kernels, cases[i]);
	test_specials(kernels);
#if defined(__x86_64__)
	if (kernels == kge_bfloat16_of(true))
		CHECK(!tiles_in_use());
#endif
}

static uint16_t
rounded(float number)
{
	uint16_t	bits;

	kge_bfloat16_round(1, &number, &bits);
	return bits;
}

/* Bits by the format: a sign, 8 bits of exponent, 7 of the fraction. */
static void
test_rounding(void)
{
	const uint32_t low_nan = 0x7f800001;
	float		nan;

	memcpy(&nan, &low_nan, sizeof(nan));
	CHECK(rounded(1) == 0x3f80 && rounded(-2) == 0xc000 && rounded(-0.0f) == 0x8000);
	CHECK(rounded(1 + 0x1p-8f) == 0x3f80);	/* a tie goes to the even one, down */
	CHECK(rounded(1 + 0x3p-8f) == 0x3f82);	/* or up */
	CHECK(rounded(1 + 0x1p-8f + 0x1p-23f) == 0x3f81 && rounded(1 + 0x3p-8f - 0x1p-23f) == 0x3f81);
	CHECK(rounded(FLT_MAX) == 0x7f80 && rounded(-INFINITY) == 0xff80);
	CHECK(rounded(0x1p-133f) == 0x0001);	/* the smallest there is */
	CHECK((rounded(nan) & 0x7f80) == 0x7f80 && (rounded(nan) & 0x7f) != 0);
}

/* Each column has a factor; what lies between the rows stays. */
static void
test_scale_parts(void)
{
	const uint16_t parts[] = {0x3f80, 0xc000, 0x7fff, 0x3f00, 0x4040, 0x7fff};	/* 1, -2; 0.5, 3 */
	const float factor[] = {0.5f, 0.25f};
	float		g[] = {7, 7, 7, 7, 7, 7};

	kge_bfloat16_scale_parts(2, 2, parts, 3, factor, g);
	CHECK(g[0] == 0.5f && g[1] == -0.5f && g[2] == 7);
	CHECK(g[3] == 0.25f && g[4] == 0.75f && g[5] == 7);
}

void
test_bfloat16(void)
{
	test_rounding();
	test_scale_parts();
	test_kernels(kge_bfloat16_of(true));
	test_kernels(kge_bfloat16_of(false));
	CHECK(kge_has_precision(KGE_SINGLE));
}
