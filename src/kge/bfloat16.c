/*
 * bfloat16.c
 *		Dot products of blocks of queries and candidates from numbers of 8 bits'
 *		precision, on processors that have units for that.
 *
 * A bfloat16 is the upper half of a float: factors are rounded to it, products are
 * added up in single precision.  Tiles of AMX take 16 x 32 by 32 x 16 numbers in one
 * instruction, vectors of AVX512-BF16 half of one such row.  Both want their first
 * factor row by row and their second in pairs of rows, interleaved, along the sum.  There
 * are three sums:
 *		scores			s[c][q] = sum over k of C[c][k] Q[q][k]
 *		queries			dQ[q][k] += sum over c of g[c][q] C[c][k]
 *		candidates		dC[c][k] = sum over q of g[c][q] Q[q][k]
 * So candidates are packed plain for the first, in pairs for the second; queries in
 * pairs of their columns for the first, of their rows for the third; derivatives
 * transposed for the second, plain for the third.  Rows are padded with zeros, and
 * edges of a result go through a small copy.
 *
 * Tiles are state of a thread beyond what it is otherwise given: the system is
 * asked for it once in a process, and a product leaves none behind.
 */
#include <string.h>

#include "bfloat16.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define HAVE_KERNELS
#endif

#define LANES	16				/* floats of a vector */

struct KgeBfloat16
{
	/* What must be done around a number of multiplications, NULL if nothing */
	void		(*open) (void);
	void		(*close) (void);

	/*
	 * out (+)= a b: KGE_WHOLE rows, KGE_WHOLE or (not wide) LANES columns, steps *
	 * KGE_WHOLE terms.  Strides of a and b in numbers.
	 */
	void		(*multiply) (int steps, const uint16_t *a, ptrdiff_t a_stride,
							 const uint16_t *b, ptrdiff_t b_stride,
							 float *out, ptrdiff_t out_stride, bool wide, bool add);

	/*
	 * Rounds two rows to bfloat16, plain and interleaved, or one of both where the other is NULL;
	 * n a multiple of LANES.
	 */
	void		(*round) (int count, int n, const float *first, const float *second,
						  uint16_t *plain, ptrdiff_t stride, uint16_t *pairs);

	/* Rounds KGE_WHOLE rows of LANES columns, of which so many count, plain and transposed. */
	void		(*transpose) (int rows, int columns, const float *from, ptrdiff_t from_stride,
							  uint16_t *plain, ptrdiff_t plain_stride,
							  uint16_t *turned, ptrdiff_t turned_stride);
};

/* ---- kernels ------------------------------------------------------------ */

#if defined(HAVE_KERNELS)

#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define TILES __attribute__((target("amx-tile,amx-bf16")))

/* Eight rows at a time: sixteen sums. */
VECTORS static void
multiply_vectors(int steps, const uint16_t *a, ptrdiff_t a_stride,
				 const uint16_t *b, ptrdiff_t b_stride,
				 float *out, ptrdiff_t out_stride, bool wide, bool add)
{
	enum
	{
		ROWS = 8
	};

	for (int from = 0; from < KGE_WHOLE; from += ROWS)
		for (int column = 0; column < (wide ? 2 : 1); column++)
		{
			const uint16_t *first = a + from * a_stride;
			float	   *target = out + from * out_stride + column * LANES;
			__m512		sum[ROWS];

			for (int i = 0; i < ROWS; i++)
				sum[i] = add ? _mm512_loadu_ps(target + i * out_stride) : _mm512_setzero_ps();
			for (int p = 0; p < steps * KGE_WHOLE / 2; p++)
			{
				__m512i		pairs = _mm512_loadu_si512(b + p * b_stride + column * 2 * LANES);

				for (int i = 0; i < ROWS; i++)
				{
					int			pair;

					memcpy(&pair, first + i * a_stride + 2 * p, sizeof(pair));
					sum[i] = _mm512_dpbf16_ps(sum[i], (__m512bh) _mm512_set1_epi32(pair), (__m512bh) pairs);
				}
			}
			for (int i = 0; i < ROWS; i++)
				_mm512_storeu_ps(target + i * out_stride, sum[i]);
		}
}

/* Compilers do not know what memory tiles read and write. */
#define MEMORY() __asm__ volatile("" ::: "memory")

/* Eight tiles of 16 rows of 64 bytes: four sums, two of either factor. */
TILES static void
open_tiles(void)
{
	static const struct
	{
		uint8_t		palette;
		uint8_t		start_row;
		uint8_t		reserved[14];
		uint16_t	bytes[16];
		uint8_t		rows[16];
	}			tiles = {
		.palette = 1,
		.bytes = {64, 64, 64, 64, 64, 64, 64, 64},
		.rows = {16, 16, 16, 16, 16, 16, 16, 16}
	};

	MEMORY();
	_tile_loadconfig(&tiles);
}

TILES static void
close_tiles(void)
{
	_tile_release();
}

TILES static void
multiply_tiles(int steps, const uint16_t *a, ptrdiff_t a_stride,
			   const uint16_t *b, ptrdiff_t b_stride,
			   float *out, ptrdiff_t out_stride, bool wide, bool add)
{
	const uint16_t *a_lower = a + LANES * a_stride;
	float	   *lower = out + LANES * out_stride;
	ptrdiff_t	a_bytes = a_stride * 2;
	ptrdiff_t	b_bytes = b_stride * 2;
	ptrdiff_t	out_bytes = out_stride * 4;

	MEMORY();
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	if (add)
	{
		_tile_loadd(0, out, out_bytes);
		_tile_loadd(1, lower, out_bytes);
	}
	if (add && wide)
	{
		_tile_loadd(2, out + LANES, out_bytes);
		_tile_loadd(3, lower + LANES, out_bytes);
	}
	for (int p = 0; p < steps; p++)
	{
		_tile_loadd(4, a + p * KGE_WHOLE, a_bytes);
		_tile_loadd(6, b, b_bytes);
		_tile_dpbf16ps(0, 4, 6);
		_tile_loadd(5, a_lower + p * KGE_WHOLE, a_bytes);
		_tile_dpbf16ps(1, 5, 6);
		if (wide)
		{
			_tile_loadd(7, b + 2 * LANES, b_bytes);
			_tile_dpbf16ps(2, 4, 7);
			_tile_dpbf16ps(3, 5, 7);
		}
		b += LANES * b_stride;
	}
	_tile_stored(0, out, out_bytes);
	_tile_stored(1, lower, out_bytes);
	if (wide)
	{
		_tile_stored(2, out + LANES, out_bytes);
		_tile_stored(3, lower + LANES, out_bytes);
	}
	MEMORY();
}

VECTORS static inline __m256i
rounded(const float *from, int count)
{
	__mmask16	mask = (__mmask16) (count >= LANES ? 0xffff : count > 0 ? (1 << count) - 1 : 0);

	return (__m256i) _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, from));
}

VECTORS static inline __m512i
interleaved(__m256i first, __m256i second)
{
	return _mm512_or_si512(_mm512_cvtepu16_epi32(first),
						   _mm512_slli_epi32(_mm512_cvtepu16_epi32(second), 16));
}

VECTORS static void
round_vectors(int count, int n, const float *first, const float *second,
			  uint16_t *plain, ptrdiff_t stride, uint16_t *pairs)
{
	for (int k = 0; k < n; k += LANES)
	{
		__m256i		a = first == NULL ? _mm256_setzero_si256() : rounded(first + k, count - k);
		__m256i		b = second == NULL ? _mm256_setzero_si256() : rounded(second + k, count - k);

		if (plain != NULL)
		{
			_mm256_storeu_si256((__m256i *) (plain + k), a);
			_mm256_storeu_si256((__m256i *) (plain + stride + k), b);
		}
		if (pairs != NULL)
			_mm512_storeu_si512(pairs + 2 * k, interleaved(a, b));
	}
}

/* Turns 16 x 16 numbers: by pairs, by fours, then by quarters of a vector. */
VECTORS static inline void
turn(__m512i *row)
{
	__m512i		pair[LANES];

	for (int i = 0; i < LANES; i += 2)
	{
		pair[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
		pair[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
	}
	for (int i = 0; i < LANES; i += 4)
		for (int j = 0; j < 2; j++)
		{
			row[i + 2 * j] = _mm512_unpacklo_epi64(pair[i + j], pair[i + j + 2]);
			row[i + 2 * j + 1] = _mm512_unpackhi_epi64(pair[i + j], pair[i + j + 2]);
		}
	for (int j = 0; j < 4; j++)
	{
		__m512i		a = _mm512_shuffle_i32x4(row[j], row[4 + j], 0x88);
		__m512i		b = _mm512_shuffle_i32x4(row[8 + j], row[12 + j], 0x88);
		__m512i		c = _mm512_shuffle_i32x4(row[j], row[4 + j], 0xdd);
		__m512i		d = _mm512_shuffle_i32x4(row[8 + j], row[12 + j], 0xdd);

		pair[j] = _mm512_shuffle_i32x4(a, b, 0x88);
		pair[4 + j] = _mm512_shuffle_i32x4(c, d, 0x88);
		pair[8 + j] = _mm512_shuffle_i32x4(a, b, 0xdd);
		pair[12 + j] = _mm512_shuffle_i32x4(c, d, 0xdd);
	}
	for (int i = 0; i < LANES; i++)
		row[i] = pair[i];
}

VECTORS static void
transpose_vectors(int rows, int columns, const float *from, ptrdiff_t from_stride,
				  uint16_t *plain, ptrdiff_t plain_stride,
				  uint16_t *turned, ptrdiff_t turned_stride)
{
	__m512i		pair[LANES];

	for (int i = 0; i < LANES; i++)
	{
		__m256i		a = rounded(from + 2 * i * from_stride, 2 * i < rows ? columns : 0);
		__m256i		b = rounded(from + (2 * i + 1) * from_stride, 2 * i + 1 < rows ? columns : 0);

		_mm256_storeu_si256((__m256i *) (plain + 2 * i * plain_stride), a);
		_mm256_storeu_si256((__m256i *) (plain + (2 * i + 1) * plain_stride), b);
		pair[i] = interleaved(a, b);
	}
	turn(pair);
	for (int i = 0; i < LANES; i++)
		_mm512_storeu_si512(turned + i * turned_stride, pair[i]);
}

static const KgeBfloat16 vectors = {
	.multiply = multiply_vectors,
	.round = round_vectors,
	.transpose = transpose_vectors
};
static const KgeBfloat16 tiles = {
	.open = open_tiles,
	.close = close_tiles,
	.multiply = multiply_tiles,
	.round = round_vectors,
	.transpose = transpose_vectors
};

static bool
has_vectors(void)
{
	unsigned int a,
				b,
				c,
				d;

	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq") && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
		(a >> 5 & 1) != 0;
}

/* Asks the system for tiles: their state is only kept for a process that has. */
static bool
has_tiles(void)
{
	enum
	{
		REQUEST = 0x1023,		/* ARCH_REQ_XCOMP_PERM */
		TILE_DATA = 18
	};
	unsigned int a,
				b,
				c,
				d;

	return has_vectors() && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
		(d >> 22 & 1) != 0 && (d >> 24 & 1) != 0 &&
		syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

const KgeBfloat16 *
kge_bfloat16_of(bool with_tiles)
{
	if (with_tiles)
		return has_tiles() ? &tiles : NULL;
	return has_vectors() ? &vectors : NULL;
}

#else

const KgeBfloat16 *
kge_bfloat16_of(bool with_tiles)
{
	(void) with_tiles;
	return NULL;
}

#endif							/* HAVE_KERNELS */

const KgeBfloat16 *
kge_bfloat16(void)
{
	const KgeBfloat16 *kernels = kge_bfloat16_of(true);

	return kernels != NULL ? kernels : kge_bfloat16_of(false);
}

bool
kge_has_precision(KgePrecision precision)
{
	return precision == KGE_SINGLE || kge_bfloat16() != NULL;
}

/* ---- packing -------------------------------------------------------------- */

KgePacked
kge_packed_take(KgeSpace *space, size_t rows, int width)
{
	KgePacked	packed = {.depth = kge_whole(width),.width = width};

	packed.plain = kge_space_take(space, rows, (size_t) packed.depth * sizeof(uint16_t));
	packed.pairs = kge_space_take(space, rows, (size_t) packed.depth * sizeof(uint16_t));
	return packed;
}

static const float *
row_or_null(KgeRows rows, int i, int from)
{
	return i < rows.count ? rows.row + (size_t) i * (size_t) rows.stride + from : NULL;
}

void
kge_pack_candidates(const KgeBfloat16 *kernels, KgeRows rows, int whole_rows, KgePacked packed)
{
	for (int i = 0; i < whole_rows; i += 2)
	{
		size_t		place = (size_t) i * (size_t) packed.depth + (size_t) packed.from;

		kernels->round(packed.width, kge_whole(packed.width),
					   row_or_null(rows, i, packed.from), row_or_null(rows, i + 1, packed.from),
					   packed.plain == NULL ? NULL : packed.plain + place, packed.depth,
					   packed.pairs == NULL ? NULL : packed.pairs + place + packed.from);
	}
}

/* To the nearest, ties to even; NaN stays NaN. */
static uint16_t
round_number(float number)
{
	uint32_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	if (number != number)
		return (uint16_t) (bits >> 16 | 0x40);
	return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void
kge_pack_queries(KgeRows rows, int whole_rows, KgePacked packed)
{
	int			end = packed.from + packed.width;

	for (int i = 0; i < whole_rows; i++)
		for (int k = packed.from; k < kge_whole(end); k++)
		{
			const float *row = row_or_null(rows, i, 0);
			uint16_t	number = row == NULL || k >= end ? 0 : round_number(row[k]);

			packed.plain[(k / 2 * whole_rows + i) * 2 + k % 2] = number;
			packed.pairs[(i / 2 * packed.depth + k) * 2 + i % 2] = number;
		}
}

/* ---- products ------------------------------------------------------------- */

/* A part of m x n, smaller than a whole one, through a copy. */
static void
multiply_edge(const KgeBfloat16 *kernels, int m, int n, int steps,
			  const uint16_t *a, ptrdiff_t a_stride, const uint16_t *b, ptrdiff_t b_stride,
			  float *out, ptrdiff_t out_stride, bool add)
{
	float		copy[KGE_WHOLE * KGE_WHOLE];

	kernels->multiply(steps, a, a_stride, b, b_stride, copy, KGE_WHOLE, n > LANES, false);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			out[i * out_stride + j] = copy[i * KGE_WHOLE + j] + (add ? out[i * out_stride + j] : 0);
}

static void
multiply(const KgeBfloat16 *kernels, int m, int n, int steps,
		 const uint16_t *a, ptrdiff_t a_stride, const uint16_t *b, ptrdiff_t b_stride,
		 float *out, ptrdiff_t out_stride, bool add)
{
	for (int j = 0; j < n; j += KGE_WHOLE)
		for (int i = 0; i < m; i += KGE_WHOLE)
		{
			const uint16_t *first = a + i * a_stride;
			const uint16_t *second = b + 2 * j;
			float	   *target = out + i * out_stride + j;

			if (m - i >= KGE_WHOLE && (n - j >= KGE_WHOLE || n - j == LANES))
				kernels->multiply(steps, first, a_stride, second, b_stride, target, out_stride,
								  n - j > LANES, add);
			else
				multiply_edge(kernels, m - i < KGE_WHOLE ? m - i : KGE_WHOLE,
							  n - j < KGE_WHOLE ? n - j : KGE_WHOLE, steps,
							  first, a_stride, second, b_stride, target, out_stride, add);
		}
}

void
kge_bfloat16_scores(const KgeBfloat16 *kernels, KgePacked queries, int whole_queries,
					KgePacked candidates, int count, float *s, int s_stride)
{
	if (kernels->open != NULL)
		kernels->open();
	multiply(kernels, kge_whole(count), whole_queries, kge_whole(queries.width) / KGE_WHOLE,
			 candidates.plain + queries.from, candidates.depth,
			 queries.plain + queries.from * whole_queries, 2 * whole_queries,
			 s, s_stride, queries.from > 0);
	if (kernels->close != NULL)
		kernels->close();
}

size_t
kge_bfloat16_scratch(int candidates, int queries)
{
	return 2 * (size_t) kge_whole(candidates) * (size_t) kge_whole(queries);
}

void
kge_bfloat16_gradients(const KgeBfloat16 *kernels, KgePacked queries, int query_count,
					   int whole_queries, KgePacked candidates, int count,
					   const float *g, int g_stride, uint16_t *scratch,
					   float *d_queries, int q_stride, float *d_candidates, int c_stride, bool add)
{
	int			rows = kge_whole(count);
	int			from = queries.from;
	uint16_t   *plain = scratch;
	uint16_t   *turned = scratch + (size_t) rows * (size_t) whole_queries;

	for (int c = 0; c < rows; c += KGE_WHOLE)
		for (int q = 0; q < whole_queries; q += LANES)
			kernels->transpose(count - c, query_count - q, g + c * g_stride + q, g_stride,
							   plain + c * whole_queries + q, whole_queries,
							   turned + q * rows + c, rows);
	if (kernels->open != NULL)
		kernels->open();
	multiply(kernels, whole_queries, queries.width, rows / KGE_WHOLE, turned, rows,
			 candidates.pairs + 2 * from, 2 * candidates.depth, d_queries + from, q_stride, true);
	multiply(kernels, count, queries.width, whole_queries / KGE_WHOLE, plain, whole_queries,
			 queries.pairs + 2 * from, 2 * queries.depth, d_candidates + from, c_stride, add);
	if (kernels->close != NULL)
		kernels->close();
}
