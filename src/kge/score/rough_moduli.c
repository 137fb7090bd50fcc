/*
 * rough_moduli.c
 *		Sums of moduli of complex differences, and their gradients, from estimated roots.
 *
 * A square root takes as long as ten other instructions, and half of the time of an epoch.  AVX512 estimates its
 * reciprocal to 2^-14 in the time of two.  That is enough for samples to learn from, whose own noise is a thousand
 * times that, and it is used for nothing else.
 *
 * Sums are over the width, so they keep the sums of four queries and two candidates in registers.  Gradients are sums
 * over candidates and over queries: they take 16 numbers of the width of four queries into registers, with their
 * gradients, and pass over as many candidates as fit the first cache together.
 */
#include "engine.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTORS __attribute__((target("avx512f")))
#define INLINE	VECTORS static inline __attribute__((always_inline))

/* Of a loop over what is in registers */
#define UNROLL	_Pragma("GCC unroll 4")

#define LANES	16
#define QUERIES 4				/* in registers */
#define CANDIDATES 2
#define AT_ONCE 32				/* candidates that a pass goes over */
#define TINY	1e-24f			/* is added to squares, so that none is 0 */

typedef struct Complex
{
	__m512		re;
	__m512		im;
} Complex;

bool
kge_has_rough_moduli(void)
{
	return __builtin_cpu_supports("avx512f");
}

/* The lanes that numbers from j on have; a constant where they have all. */
INLINE __mmask16
lanes_from(int j, int half, bool whole)
{
	return whole ? (__mmask16) -1 : (__mmask16) ((1u << (half - j)) - 1);
}

INLINE Complex
load(const float *row, int half, __mmask16 lanes, bool whole)
{
	if (whole)
		return (Complex) {_mm512_loadu_ps(row), _mm512_loadu_ps(row + half)};
	return (Complex) {_mm512_maskz_loadu_ps(lanes, row), _mm512_maskz_loadu_ps(lanes, row + half)};
}

INLINE void
store(float *row, int half, __mmask16 lanes, bool whole, Complex number)
{
	if (whole)
	{
		_mm512_storeu_ps(row, number.re);
		_mm512_storeu_ps(row + half, number.im);
		return;
	}
	_mm512_mask_storeu_ps(row, lanes, number.re);
	_mm512_mask_storeu_ps(row + half, lanes, number.im);
}

INLINE Complex
difference(Complex a, Complex b)
{
	return (Complex) {_mm512_sub_ps(a.re, b.re), _mm512_sub_ps(a.im, b.im)};
}

INLINE __m512
square(Complex a)
{
	return _mm512_fmadd_ps(a.re, a.re, _mm512_fmadd_ps(a.im, a.im, _mm512_set1_ps(TINY)));
}

/* ---- sums --------------------------------------------------------------- */

typedef struct Tile
{
	int			queries;
	int			candidates;
	__m512		sum[QUERIES][CANDIDATES];
} Tile;

/* Adds the moduli of the numbers from j on. */
INLINE void
add_moduli(Tile *tile, int half, KgeRows q, KgeRows c, int j, bool whole)
{
	__mmask16	lanes = lanes_from(j, half, whole);
	Complex		candidate[CANDIDATES];

	UNROLL
	for (int k = 0; k < tile->candidates; k++)
		candidate[k] = load(c.row + (size_t) k * (size_t) c.stride + j, half, lanes, whole);
	UNROLL
	for (int i = 0; i < tile->queries; i++)
	{
		Complex		query = load(q.row + (size_t) i * (size_t) q.stride + j, half, lanes, whole);

		UNROLL
		for (int k = 0; k < tile->candidates; k++)
		{
			__m512		x = square(difference(query, candidate[k]));

			tile->sum[i][k] = _mm512_fmadd_ps(x, _mm512_rsqrt14_ps(x), tile->sum[i][k]);
		}
	}
}

/* The counts are constants, so that the tile stays in registers. */
INLINE void
sum_tile(int half, int queries, int candidates, KgeRows q, KgeRows c, float *s, int s_stride)
{
	Tile		tile = {queries, candidates, {{_mm512_setzero_ps()}}};
	int			whole = half / LANES * LANES;

	for (int j = 0; j < whole; j += LANES)
		add_moduli(&tile, half, q, c, j, true);
	if (whole < half)
		add_moduli(&tile, half, q, c, whole, false);
	UNROLL
	for (int i = 0; i < queries; i++)
		for (int k = 0; k < candidates; k++)
			s[k * s_stride + i] = _mm512_reduce_add_ps(tile.sum[i][k]);
}

static KgeRows
rows_from(KgeRows rows, int from)
{
	return (KgeRows) {rows.count - from, rows.stride, rows.row + (size_t) from * (size_t) rows.stride};
}

VECTORS void
kge_rough_moduli(int half, KgeRows queries, KgeRows candidates, float *s, int s_stride)
{
	for (int k = 0; k < candidates.count; k += CANDIDATES)
		for (int i = 0; i < queries.count;)
		{
			KgeRows		q = rows_from(queries, i);
			KgeRows		c = rows_from(candidates, k);
			float	   *out = s + (size_t) k * (size_t) s_stride + i;

			if (q.count >= QUERIES && c.count >= CANDIDATES)
				sum_tile(half, QUERIES, CANDIDATES, q, c, out, s_stride);
			else if (q.count >= QUERIES)
				sum_tile(half, QUERIES, 1, q, c, out, s_stride);
			else if (c.count >= CANDIDATES)
				sum_tile(half, 1, CANDIDATES, q, c, out, s_stride);
			else
				sum_tile(half, 1, 1, q, c, out, s_stride);
			i += q.count >= QUERIES ? QUERIES : 1;
		}
}

/* ---- gradients ---------------------------------------------------------- */

/* With its rounding given, the compiler leaves sums of it to the units that only add. */
INLINE __m512
product(__m512 a, __m512 b)
{
	return _mm512_mul_round_ps(a, b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* What a pass is over: some candidates, with their derivatives and gradients. */
typedef struct Pass
{
	int			half;
	KgeRows		c;
	const float *g;
	int			g_stride;
	float	   *d_c;
} Pass;

/*
 * The numbers from j on of some queries, a constant, and of all candidates.  The part of a pair's derivative that goes
 * to the query is minus the candidate's.
 */
INLINE void
pass_over(const Pass *pass, int queries, const float *q, float *d_q, int stride, int first, int j, bool whole)
{
	__mmask16	lanes = lanes_from(j, pass->half, whole);
	Complex		query[QUERIES],
				d_query[QUERIES];

	UNROLL
	for (int i = 0; i < queries; i++)
	{
		query[i] = load(q + (size_t) i * (size_t) stride + j, pass->half, lanes, whole);
		d_query[i] = load(d_q + (size_t) i * (size_t) stride + j, pass->half, lanes, whole);
	}
	for (int k = 0; k < pass->c.count; k++)
	{
		size_t		place = (size_t) k * (size_t) pass->c.stride + (size_t) j;
		const float *g = pass->g + (size_t) k * (size_t) pass->g_stride + first;
		Complex		candidate = load(pass->c.row + place, pass->half, lanes, whole);
		Complex		sum = load(pass->d_c + place, pass->half, lanes, whole);

		UNROLL
		for (int i = 0; i < queries; i++)
		{
			Complex		part = difference(query[i], candidate);
			__m512		scale = _mm512_mul_ps(_mm512_set1_ps(g[i]), _mm512_rsqrt14_ps(square(part)));

			part.re = product(part.re, scale);
			part.im = product(part.im, scale);
			d_query[i] = difference(d_query[i], part);
			sum.re = _mm512_add_ps(sum.re, part.re);
			sum.im = _mm512_add_ps(sum.im, part.im);
		}
		store(pass->d_c + place, pass->half, lanes, whole, sum);
	}
	UNROLL
	for (int i = 0; i < queries; i++)
		store(d_q + (size_t) i * (size_t) stride + j, pass->half, lanes, whole, d_query[i]);
}

INLINE void
pass_over_all(const Pass *pass, KgeRows q, float *d_q, int j, bool whole)
{
	for (int i = 0; i < q.count;)
	{
		size_t		place = (size_t) i * (size_t) q.stride;

		if (q.count - i >= QUERIES)
			pass_over(pass, QUERIES, q.row + place, d_q + place, q.stride, i, j, whole);
		else
			pass_over(pass, 1, q.row + place, d_q + place, q.stride, i, j, whole);
		i += q.count - i >= QUERIES ? QUERIES : 1;
	}
}

VECTORS void
kge_rough_moduli_gradients(int half, KgeRows queries, KgeRows candidates, const float *g, int s_stride,
						   float *d_queries, float *d_candidates)
{
	int			whole = half / LANES * LANES;

	for (int from = 0; from < candidates.count; from += AT_ONCE)
	{
		Pass		pass = {half, rows_from(candidates, from), g + (size_t) from * (size_t) s_stride, s_stride,
		d_candidates + (size_t) from * (size_t) candidates.stride};

		if (pass.c.count > AT_ONCE)
			pass.c.count = AT_ONCE;
		for (int j = 0; j < whole; j += LANES)
			pass_over_all(&pass, queries, d_queries, j, true);
		if (whole < half)
			pass_over_all(&pass, queries, d_queries, whole, false);
	}
}

#else

bool
kge_has_rough_moduli(void)
{
	return false;
}

void
kge_rough_moduli(int half, KgeRows queries, KgeRows candidates, float *s, int s_stride)
{
}

void
kge_rough_moduli_gradients(int half, KgeRows queries, KgeRows candidates, const float *g, int s_stride,
						   float *d_queries, float *d_candidates)
{
}

#endif
