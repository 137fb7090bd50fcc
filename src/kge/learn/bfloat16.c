/*
 * bfloat16.c
 *		Dot products of blocks of queries and candidates from numbers of 8 bits'
 *		precision, on processors that have units for that.
 *
 * A bfloat16 is the upper half of a float: factors are rounded to it, products are
 * added up in single precision.  Tiles of AMX take 16 x 32 by 32 x 16 numbers in one
 * instruction, vectors of AVX512-BF16 half of one such row.  Both take their first
 * factor row by row and their second in pairs of rows, interleaved, along the sum.  There
 * are three sums:
 *		scores			s[c][q] = sum over k of C[c][k] Q[q][k]
 *		queries			dQ[q][k] += sum over c of g[c][q] C[c][k]
 *		candidates		dC[c][k] = sum over q of g[c][q] Q[q][k]
 * Each is cut into tiles of 1 KB, of which a factor's lie behind one another in the order in
 * which a sum reads them: 16 rows of the first factor by 32 terms, a row after the other, or
 * 32 terms by 16 columns of the second, by pairs of terms.  A row of tiles has all terms.
 * Candidates are packed as the first factor of the first sum and the second of the second,
 * queries as the second factor of the first and the third, derivatives as the first factor of
 * the third and, transposed, of the second.  Rows are padded with zeros, and edges of a
 * result go through a small copy.
 *
 * Tiles are state of a thread beyond what it is otherwise given: the system is
 * asked for it once in a process, and a product leaves none behind.
 */
#include <string.h>

#include "bfloat16.h"
#include "core/vector.h"
#include "kge/learning.h"

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
	 * KGE_WHOLE terms.  The second row of tiles starts that many numbers after the first.
	 */
	void		(*multiply) (int steps, const uint16_t *a, ptrdiff_t a_next,
							 const uint16_t *b, ptrdiff_t b_next,
							 float *out, ptrdiff_t out_stride, bool wide, bool add);

	/*
	 * Rounds two rows to bfloat16: the first factor's first and, interleaved, the second's, or one
	 * of both where the other is NULL.  Of the former, the next KGE_WHOLE numbers of a row are a
	 * tile behind, of the latter the next LANES that many numbers.  n is a multiple of KGE_WHOLE.
	 */
	void		(*round) (int count, int n, const float *first, const float *second,
						  uint16_t *across, uint16_t *along, ptrdiff_t next);

	/*
	 * Rounds KGE_WHOLE rows of LANES columns, of which `count` are used: to half of the rows of two
	 * tiles, and transposed to a tile.
	 */
	void		(*transpose) (int rows, int columns, const float *from, ptrdiff_t from_stride,
							  uint16_t *plain, ptrdiff_t next, uint16_t *turned);
};

/* ---- kernels ------------------------------------------------------------ */

#if defined(HAVE_KERNELS)

#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define TILES __attribute__((target("amx-tile,amx-bf16")))

/* Eight rows at a time: sixteen sums. */
VECTORS static void
multiply_vectors(int steps, const uint16_t *a, ptrdiff_t a_next,
				 const uint16_t *b, ptrdiff_t b_next,
				 float *out, ptrdiff_t out_stride, bool wide, bool add)
{
	enum
	{
		ROWS = 8
	};

	for (int from = 0; from < KGE_WHOLE; from += ROWS)
		for (int column = 0; column < (wide ? 2 : 1); column++)
		{
			const uint16_t *first = a + from / LANES * a_next + from % LANES * KGE_WHOLE;
			const uint16_t *second = b + column * b_next;
			float	   *target = out + from * out_stride + column * LANES;
			__m512		sum[ROWS];

			for (int i = 0; i < ROWS; i++)
				sum[i] = add ? _mm512_loadu_ps(target + i * out_stride) : _mm512_setzero_ps();
			for (int p = 0; p < steps * LANES; p++)
			{
				__m512i		pairs = _mm512_loadu_si512(second + p * KGE_WHOLE);

				for (int i = 0; i < ROWS; i++)
				{
					int			pair;

					memcpy(&pair, first + p / LANES * KGE_BFLOAT16_TILE + i * KGE_WHOLE + p % LANES * 2, sizeof(pair));
					sum[i] = _mm512_dpbf16_ps(sum[i], (__m512bh) _mm512_set1_epi32(pair), (__m512bh) pairs);
				}
			}
			for (int i = 0; i < ROWS; i++)
				_mm512_storeu_ps(target + i * out_stride, sum[i]);
		}
}

/* Compilers do not track the memory that tiles read and write. */
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

/* The sums that a product begins with: zeros, or (add) what is there */
TILES static inline void
load_sums(const float *out, const float *lower, ptrdiff_t bytes, bool wide, bool add)
{
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	if (add)
	{
		_tile_loadd(0, out, bytes);
		_tile_loadd(1, lower, bytes);
	}
	if (add && wide)
	{
		_tile_loadd(2, out + LANES, bytes);
		_tile_loadd(3, lower + LANES, bytes);
	}
}

TILES static inline void
store_sums(float *out, float *lower, ptrdiff_t bytes, bool wide)
{
	_tile_stored(0, out, bytes);
	_tile_stored(1, lower, bytes);
	if (wide)
	{
		_tile_stored(2, out + LANES, bytes);
		_tile_stored(3, lower + LANES, bytes);
	}
}

TILES static void
multiply_tiles(int steps, const uint16_t *a, ptrdiff_t a_next,
			   const uint16_t *b, ptrdiff_t b_next,
			   float *out, ptrdiff_t out_stride, bool wide, bool add)
{
	enum
	{
		BYTES = 64				/* of a tile's row */
	};
	float	   *lower = out + LANES * out_stride;
	ptrdiff_t	out_bytes = out_stride * 4;

	MEMORY();
	load_sums(out, lower, out_bytes, wide, add);
	for (int p = 0; p < steps; p++)
	{
		_tile_loadd(4, a, BYTES);
		_tile_loadd(6, b, BYTES);
		_tile_dpbf16ps(0, 4, 6);
		_tile_loadd(5, a + a_next, BYTES);
		_tile_dpbf16ps(1, 5, 6);
		if (wide)
		{
			_tile_loadd(7, b + b_next, BYTES);
			_tile_dpbf16ps(2, 4, 7);
			_tile_dpbf16ps(3, 5, 7);
		}
		a += KGE_BFLOAT16_TILE;
		b += KGE_BFLOAT16_TILE;
	}
	store_sums(out, lower, out_bytes, wide);
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
			  uint16_t *across, uint16_t *along, ptrdiff_t next)
{
	for (int k = 0; k < n; k += LANES)
	{
		__m256i		a = first == NULL ? _mm256_setzero_si256() : rounded(first + k, count - k);
		__m256i		b = second == NULL ? _mm256_setzero_si256() : rounded(second + k, count - k);

		if (across != NULL)
		{
			uint16_t   *target = across + k / KGE_WHOLE * KGE_BFLOAT16_TILE + k % KGE_WHOLE;

			_mm256_storeu_si256((__m256i *) target, a);
			_mm256_storeu_si256((__m256i *) (target + KGE_WHOLE), b);
		}
		if (along != NULL)
			_mm512_storeu_si512(along + k / LANES * next, interleaved(a, b));
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
				  uint16_t *plain, ptrdiff_t next, uint16_t *turned)
{
	__m512i		pair[LANES];

	for (int i = 0; i < LANES; i++)
	{
		__m256i		a = rounded(from + 2 * i * from_stride, 2 * i < rows ? columns : 0);
		__m256i		b = rounded(from + (2 * i + 1) * from_stride, 2 * i + 1 < rows ? columns : 0);
		uint16_t   *target = plain + 2 * i / LANES * next + 2 * i % LANES * KGE_WHOLE;

		_mm256_storeu_si256((__m256i *) target, a);
		_mm256_storeu_si256((__m256i *) (target + KGE_WHOLE), b);
		pair[i] = interleaved(a, b);
	}
	turn(pair);
	for (int i = 0; i < LANES; i++)
		_mm512_storeu_si512(turned + i * KGE_WHOLE, pair[i]);
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

/* ---- rounding ------------------------------------------------------------- */

static inline uint16_t
round_number(float number)
{
	uint32_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	return (uint16_t) (number != number ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

KERNEL void
round_numbers(size_t n, const float *restrict from, uint16_t *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = round_number(from[i]);
}

KERNEL void
scale_rounded(int n, const uint16_t *restrict parts, const float *restrict factor, float *restrict g)
{
	for (int i = 0; i < n; i++)
	{
		uint32_t	bits = (uint32_t) parts[i] << 16;
		float		number;

		memcpy(&number, &bits, sizeof(bits));
		g[i] = number * factor[i];
	}
}

void
kge_bfloat16_round(size_t n, const float *from, uint16_t *to)
{
	round_numbers(n, from, to);
}

void
kge_bfloat16_scale_parts(int rows, int n, const uint16_t *parts, int stride, const float *factor, float *g)
{
	for (int row = 0; row < rows; row++)
		scale_rounded(n, parts + (size_t) row * (size_t) stride, factor, g + (size_t) row * (size_t) stride);
}

/* ---- packing -------------------------------------------------------------- */

KgePacked
kge_packed_take(Allocation *allocation, size_t count, size_t rows, int width)
{
	KgePacked	packed = {.rows = kge_whole((int) rows),.depth = kge_whole(width),.width = width};
	size_t		bytes = (size_t) packed.rows * (size_t) packed.depth * sizeof(uint16_t);

	packed.across = allocation_take(allocation, count, bytes);
	packed.along = allocation_take(allocation, count, bytes);
	return packed;
}

/* Where tiles of the next 16 rows, or of the next 16 columns, begin. */
static inline ptrdiff_t
next_rows(KgePacked packed)
{
	return (ptrdiff_t) packed.depth * LANES;
}

static inline ptrdiff_t
next_columns(KgePacked packed)
{
	return (ptrdiff_t) packed.rows * LANES;
}

/* Its tiles from the first column that counts on. */
static inline uint16_t *
across(KgePacked packed)
{
	return packed.across + packed.from / KGE_WHOLE * KGE_BFLOAT16_TILE;
}

static inline uint16_t *
along(KgePacked packed)
{
	return packed.along + packed.from / LANES * next_columns(packed);
}

static const float *
row_or_null(KgeRows rows, int i, int from)
{
	return i < rows.count ? rows.row + (size_t) i * (size_t) rows.stride + from : NULL;
}

void
kge_pack_candidates(const KgeBfloat16 *kernels, KgeRows rows, KgePacked packed)
{
	for (int i = 0; i < kge_whole(rows.count); i += 2)
		kernels->round(packed.width, kge_whole(packed.width),
					   row_or_null(rows, i, packed.from), row_or_null(rows, i + 1, packed.from),
					   packed.across == NULL ? NULL :
					   across(packed) + i / LANES * next_rows(packed) + i % LANES * KGE_WHOLE,
					   packed.along == NULL ? NULL :
					   along(packed) + i / KGE_WHOLE * KGE_BFLOAT16_TILE + i % KGE_WHOLE / 2 * KGE_WHOLE,
					   next_columns(packed));
}

/* Where a number is in tiles of the second factor, of which one of `column` has them all in a row. */
static inline ptrdiff_t
place(int term, int column, ptrdiff_t next)
{
	return column / LANES * next + term / KGE_WHOLE * KGE_BFLOAT16_TILE +
		term % KGE_WHOLE / 2 * KGE_WHOLE + column % LANES * 2 + term % 2;
}

void
kge_pack_queries(KgeRows rows, KgePacked packed)
{
	int			end = packed.from + packed.width;

	for (int i = 0; i < kge_whole(rows.count); i++)
		for (int k = packed.from; k < kge_whole(end); k++)
		{
			const float *row = row_or_null(rows, i, 0);
			uint16_t	number = row == NULL || k >= end ? 0 : round_number(row[k]);

			packed.across[place(k, i, next_rows(packed))] = number;
			packed.along[place(i, k, next_columns(packed))] = number;
		}
}

KgeDerivatives
kge_derivatives_take(Allocation *allocation, int threads, int candidates, int queries, int block)
{
	KgeDerivatives derivatives = {.rows = kge_whole(candidates),.queries = kge_whole(queries),.block = kge_whole(block)};
	size_t		rows = (size_t) threads * (size_t) derivatives.rows;

	derivatives.plain = TAKE(allocation, uint16_t, rows * (size_t) derivatives.queries);
	derivatives.turned = TAKE(allocation, uint16_t, rows * (size_t) derivatives.block);
	return derivatives;
}

void
kge_pack_derivatives(const KgeBfloat16 *kernels, int candidates, int queries,
					 const float *g, int g_stride, int first, KgeDerivatives derivatives)
{
	ptrdiff_t	next = (ptrdiff_t) derivatives.queries * LANES;
	ptrdiff_t	next_turned = (ptrdiff_t) derivatives.rows * LANES;

	for (int c = 0; c < candidates; c += KGE_WHOLE)
		for (int q = 0; q < kge_whole(queries); q += LANES)
			kernels->transpose(candidates - c, queries - q, g + c * g_stride + q, g_stride,
							   derivatives.plain + c / LANES * next +
							   (first + q) / KGE_WHOLE * KGE_BFLOAT16_TILE + (first + q) % KGE_WHOLE, next,
							   derivatives.turned + q / LANES * next_turned + c / KGE_WHOLE * KGE_BFLOAT16_TILE);
}

/* ---- products ------------------------------------------------------------- */

/* A factor: its tiles, and where the next row of them begins. */
typedef struct Factor
{
	const uint16_t *tile;
	ptrdiff_t	next;
} Factor;

/* A part of m x n, smaller than a whole one, through a copy. */
static void
multiply_edge(const KgeBfloat16 *kernels, int m, int n, int steps, Factor a, Factor b,
			  float *out, ptrdiff_t out_stride, bool add)
{
	float		copy[KGE_WHOLE * KGE_WHOLE];

	kernels->multiply(steps, a.tile, a.next, b.tile, b.next, copy, KGE_WHOLE, n > LANES, false);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			out[i * out_stride + j] = copy[i * KGE_WHOLE + j] + (add ? out[i * out_stride + j] : 0);
}

/* A part of at most a whole one. */
static void
multiply_part(const KgeBfloat16 *kernels, int m, int n, int steps, Factor a, Factor b,
			  float *out, ptrdiff_t out_stride, bool add)
{
	if (m >= KGE_WHOLE && (n >= KGE_WHOLE || n == LANES))
		kernels->multiply(steps, a.tile, a.next, b.tile, b.next, out, out_stride, n > LANES, add);
	else
		multiply_edge(kernels, m < KGE_WHOLE ? m : KGE_WHOLE, n < KGE_WHOLE ? n : KGE_WHOLE, steps,
					  a, b, out, out_stride, add);
}

static void
multiply(const KgeBfloat16 *kernels, int m, int n, int terms, Factor a, Factor b,
		 float *out, ptrdiff_t out_stride, bool add)
{
	if (kernels->open != NULL)
		kernels->open();
	for (int j = 0; j < n; j += KGE_WHOLE)
		for (int i = 0; i < m; i += KGE_WHOLE)
			multiply_part(kernels, m - i, n - j, terms / KGE_WHOLE,
						  (Factor) {a.tile + i / LANES * a.next, a.next},
						  (Factor) {b.tile + j / LANES * b.next, b.next},
						  out + i * out_stride + j, out_stride, add);
	if (kernels->close != NULL)
		kernels->close();
}

void
kge_bfloat16_scores(const KgeBfloat16 *kernels, KgePacked queries, int query_count,
					KgePacked candidates, int count, float *s, int s_stride)
{
	multiply(kernels, kge_whole(count), kge_whole(query_count), kge_whole(queries.width),
			 (Factor) {across(kge_packed_columns(candidates, queries.from, queries.width)), next_rows(candidates)},
			 (Factor) {across(queries), next_rows(queries)},
			 s, s_stride, queries.from > 0);
}

void
kge_bfloat16_query_gradients(const KgeBfloat16 *kernels, KgeDerivatives derivatives,
							 int query_count, KgePacked candidates, int count,
							 float *d_queries, int q_stride)
{
	multiply(kernels, kge_whole(query_count), candidates.width, kge_whole(count),
			 (Factor) {derivatives.turned, (ptrdiff_t) derivatives.rows * LANES},
			 (Factor) {along(candidates), next_columns(candidates)},
			 d_queries + candidates.from, q_stride, true);
}

void
kge_bfloat16_candidate_gradients(const KgeBfloat16 *kernels, KgeDerivatives derivatives,
								 KgePacked queries, int query_count, int count,
								 float *d_candidates, int c_stride, bool add)
{
	multiply(kernels, count, queries.width, kge_whole(query_count),
			 (Factor) {derivatives.plain, (ptrdiff_t) derivatives.queries * LANES},
			 (Factor) {along(queries), next_columns(queries)},
			 d_candidates + queries.from, c_stride, add);
}
