/*
 * sketch_moduli.c
 *		Sums of moduli of complex differences, bounded from below in whole numbers.
 *
 * A modulus needs a square root, which takes as long as ten other instructions.  With M the larger and m the smaller of
 * the real and the imaginary part, both without sign, (a M + b m) / sqrt(a^2 + b^2) is at most the modulus (Cauchy and
 * Schwarz), and with b / a = tan 22.5 degrees at least 92 % of it, 97 % on average.  So 64 differences of bytes take
 * eight instructions of AVX512, of which two add four products to each of 16 sums.
 *
 * Sums over parts of the numbers come first, which exclude most of what is far off (sketch_parts.h).
 *
 * Differences saturate, and sums stop growing where they are out of reach: either makes less of a distance, which
 * stays a lower bound.
 */
#include <math.h>
#include <string.h>

#include "sketch_moduli.h"
#include "sketch_codes.h"

#define PIECE	32				/* numbers of a cache line, with their imaginary parts */
#define GROUP	4				/* numbers that are added together */
#define LARGER	70				/* a and b: 29 / 70 is tan 22.5 degrees and 0.02 % more */
#define SMALLER 29
#define LANES	16				/* queries that are compared with a row at once; there are twice as many, or more */
#define GROUPS_AT_ONCE 8		/* after which sums are compared with limits */
#define MOST_LIMIT (1 << 29)	/* more than any sum; two of them can be added */

static int
groups_of(int half)
{
	return (half + GROUP - 1) / GROUP;
}

size_t
kge_moduli_bytes(int half)
{
	return 2 * PIECE * (size_t) ((half + PIECE - 1) / PIECE);
}

/* Where the code of a real part is in a row; that of its imaginary part is PIECE further. */
static size_t
place_of(int j)
{
	return (size_t) (j / PIECE) * 2 * PIECE + (size_t) (j % PIECE);
}

static int8_t
code_of(float number, float step)
{
	float		code = step > 0 ? number / step : 0;

	return (int8_t) lrintf(fminf(fmaxf(code, -LARGEST_CODE), LARGEST_CODE));
}

/* The sum of moduli that one of the whole numbers stands for, at least */
static double
unit_of(float step)
{
	return ROUNDED_DOWN * (double) step / sqrt(LARGER * LARGER + SMALLER * SMALLER);
}

static KgePartScale
part_scale(int half, float step)
{
	return (KgePartScale) {half, step, unit_of(step)};
}

static double
modulus_lost(float re, float im, float step, int8_t re_code, int8_t im_code)
{
	double		a = (double) re - (double) step * re_code;
	double		b = (double) im - (double) step * im_code;

	return sqrt(a * a + b * b);
}

double
kge_moduli_encode(int half, const float *row, float step, int8_t *code, KgeParts *parts)
{
	KgePartScale scale = part_scale(half, step);
	double		lost = 0;

	memset(code, 0, kge_moduli_bytes(half));
	for (int j = 0; j < half; j++)
	{
		int8_t	   *re = code + place_of(j);

		re[0] = code_of(row[j], step);
		re[PIECE] = code_of(row[half + j], step);
		lost += modulus_lost(row[j], row[half + j], step, re[0], re[PIECE]);
	}
	*parts = kge_parts(&scale, row, ROUNDED_UP * lost);
	return ROUNDED_UP * lost;
}

static size_t
code_bytes(const KgeModuli *moduli)
{
	return (size_t) moduli->count * (size_t) groups_of(moduli->half) * 2 * GROUP;
}

static int
rounded_up(int count)
{
	return (count + 2 * LANES - 1) / (2 * LANES) * (2 * LANES);
}

KgeModuli
kge_moduli_take(Allocation *allocation, int half, int count)
{
	KgeModuli	moduli = {.half = half,.count = rounded_up(count)};

	moduli.row = TAKE(allocation, int8_t, (size_t) count * kge_moduli_bytes(half));
	moduli.code = TAKE(allocation, int8_t, code_bytes(&moduli));
	moduli.parts = kge_part_queries_take(allocation, half, moduli.count);
	moduli.limit = TAKE(allocation, int32_t, (size_t) moduli.count);
	return moduli;
}

void
kge_moduli_open(KgeModuli *moduli, int count)
{
	moduli->count = rounded_up(count);
	memset(moduli->code, 0, code_bytes(moduli));
	kge_part_queries_open(&moduli->parts, part_scale(moduli->half, moduli->step), moduli->count);
	for (int i = 0; i < moduli->count; i++)
		kge_moduli_close(moduli, i);
}

void
kge_moduli_close(KgeModuli *moduli, int number)
{
	moduli->limit[number] = -MOST_LIMIT;
}

static int8_t *
query_row(const KgeModuli *moduli, int number)
{
	return moduli->row + (size_t) number * kge_moduli_bytes(moduli->half);
}

const int8_t *
kge_moduli_query(const KgeModuli *moduli, int number)
{
	return query_row(moduli, number);
}

double
kge_moduli_set(KgeModuli *moduli, int number, const float *query)
{
	int8_t	   *row = query_row(moduli, number);
	KgeParts	parts;
	double		lost = kge_moduli_encode(moduli->half, query, moduli->step, row, &parts);
	size_t		im = (size_t) moduli->count * GROUP;

	for (int g = 0; g < groups_of(moduli->half); g++)
	{
		int8_t	   *code = moduli->code + (size_t) g * 2 * im + (size_t) number * GROUP;

		memcpy(code, row + place_of(g * GROUP), GROUP);
		memcpy(code + im, row + place_of(g * GROUP) + PIECE, GROUP);
	}
	kge_part_queries_set(&moduli->parts, number, &parts);
	return lost;
}

int32_t
kge_moduli_limit(const KgeModuli *moduli, double distance)
{
	double		limit = ceil(distance / unit_of(moduli->step)) + 1;

	/* a step of 0 has no limit */
	if (isnan(limit))
		return MOST_LIMIT;
	return limit < 0 ? 0 : limit < MOST_LIMIT ? (int32_t) limit : MOST_LIMIT;
}

#if defined(HAVE_VECTORS)

/* Adds four differences of each query. */
VECTORS static inline __m512i
add_group(__m512i sum, const int8_t *query, size_t im, __m512i row_re, __m512i row_im)
{
	__m512i		a = _mm512_abs_epi8(_mm512_subs_epi8(row_re, _mm512_loadu_si512(query)));
	__m512i		b = _mm512_abs_epi8(_mm512_subs_epi8(row_im, _mm512_loadu_si512(query + im)));

	sum = _mm512_dpbusd_epi32(sum, _mm512_max_epu8(a, b), _mm512_set1_epi8(LARGER));
	return _mm512_dpbusd_epi32(sum, _mm512_min_epu8(a, b), _mm512_set1_epi8(SMALLER));
}

VECTORS static inline __m512i
four_codes(const int8_t *code)
{
	int			four;

	memcpy(&four, code, sizeof(four));
	return _mm512_set1_epi32(four);
}

/* The sums of a row with two vectors of queries, from one on, until all those in reach are out of it */
VECTORS static void
add_two(const KgeModuli *moduli, int from, const int8_t *row, int32_t slack, uint32_t reach, __m512i *sum)
{
	const int8_t *query = moduli->code + (size_t) from * GROUP;
	size_t		im = (size_t) moduli->count * GROUP;
	__m512i		first = _mm512_setzero_si512();
	__m512i		second = first;
	__m512i		first_limit = _mm512_add_epi32(_mm512_loadu_si512(moduli->limit + from), _mm512_set1_epi32(slack));
	__m512i		second_limit = _mm512_add_epi32(_mm512_loadu_si512(moduli->limit + from + LANES),
												_mm512_set1_epi32(slack));

	for (int g = 0; reach != 0 && g < groups_of(moduli->half);)
	{
		int			end = g + GROUPS_AT_ONCE < groups_of(moduli->half) ? g + GROUPS_AT_ONCE : groups_of(moduli->half);

		for (; g < end; g++)
		{
			const int8_t *code = row + place_of(g * GROUP);
			__m512i		re = four_codes(code);
			__m512i		row_im = four_codes(code + PIECE);

			first = add_group(first, query, im, re, row_im);
			second = add_group(second, query + 64, im, re, row_im);
			query += 2 * im;
		}
		reach &= _mm512_cmple_epi32_mask(first, first_limit) |
			(uint32_t) _mm512_cmple_epi32_mask(second, second_limit) << LANES;
	}
	sum[0] = first;
	sum[1] = second;
}

VECTORS static void
score_row(const KgeModuli *moduli, const int8_t *row, const KgeParts *parts, int32_t slack, float base, float *out)
{
	__m512		unit = _mm512_set1_ps((float) unit_of(moduli->step));

	for (int from = 0; from < moduli->count; from += 2 * LANES)
	{
		float		least[2 * LANES];
		uint32_t	reach = kge_part_queries_look(&moduli->parts, from, parts, moduli->limit, slack, least);
		__m512i		sum[2];

		add_two(moduli, from, row, slack, reach, sum);
		for (int v = 0; v < 2; v++)
			_mm512_storeu_ps(out + from + v * LANES,
							 _mm512_fnmadd_ps(unit,
											  _mm512_max_ps(_mm512_loadu_ps(least + v * LANES), _mm512_cvtepi32_ps(sum[v])),
											  _mm512_set1_ps(base)));
	}
}

void
kge_moduli_scores(const KgeModuli *moduli, int rows, const int8_t *row, const KgeParts *parts, const int32_t *slack,
				  float base, float *out, int out_stride)
{
	size_t		bytes = kge_moduli_bytes(moduli->half);

	for (int i = 0; i < rows; i++)
		score_row(moduli, row + (size_t) i * bytes, &parts[i], slack[i], base, out + (size_t) i * (size_t) out_stride);
}

/* The sums of a query with a row, both in codes of rows, with 32 numbers at a time */
VECTORS static int32_t
add_row(size_t bytes, const int8_t *query, const int8_t *row)
{
	__m256i		sum = _mm256_setzero_si256();

	for (size_t j = 0; j < bytes; j += 2 * PIECE)
	{
		__m256i		a = _mm256_abs_epi8(_mm256_subs_epi8(_mm256_loadu_si256((const void *) (row + j)),
														 _mm256_loadu_si256((const void *) (query + j))));
		__m256i		b = _mm256_abs_epi8(_mm256_subs_epi8(_mm256_loadu_si256((const void *) (row + j + PIECE)),
														 _mm256_loadu_si256((const void *) (query + j + PIECE))));

		sum = _mm256_dpbusd_epi32(sum, _mm256_max_epu8(a, b), _mm256_set1_epi8(LARGER));
		sum = _mm256_dpbusd_epi32(sum, _mm256_min_epu8(a, b), _mm256_set1_epi8(SMALLER));
	}
	return _mm512_reduce_add_epi32(_mm512_zextsi256_si512(sum));
}

VECTORS void
kge_moduli_look(int half, float step, const int8_t *query, int rows, const int8_t *row, double *distance)
{
	size_t		bytes = kge_moduli_bytes(half);
	double		unit = unit_of(step);

	for (int i = 0; i < rows; i++)
		distance[i] = unit * add_row(bytes, query, row + (size_t) i * bytes);
}

#else

void
kge_moduli_look(int half, float step, const int8_t *query, int rows, const int8_t *row, double *distance)
{
}

void
kge_moduli_scores(const KgeModuli *moduli, int rows, const int8_t *row, const KgeParts *parts, const int32_t *slack,
				  float base, float *out, int out_stride)
{
}

#endif
