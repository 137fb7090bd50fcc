/*
 * sketch_product.c
 *		Dot products of queries with rows of a sketch, in whole numbers.
 *
 * AVX512-VNNI multiplies 64 pairs of bytes in the time of 16 floats: an instruction adds four products to each of 16
 * sums.  One factor has to be unsigned, so 128 is added to a query's codes, and 128 times the sum of the row's codes
 * subtracted from the outcome.  Rows of a sketch are read as they are, four codes at a time.
 */
#include <math.h>
#include <string.h>

#include "sketch_product.h"
#include "sketch_codes.h"

#define OFFSET	128
#define GROUP	4				/* codes that are multiplied together */
#define PIECE	64				/* codes of a vector */
#define ROWS	KGE_CODES_ROWS	/* at a time, by two vectors of queries: sixteen sums in registers */

static int
groups_of(int width)
{
	return (width + GROUP - 1) / GROUP;
}

KgeCodes
kge_codes_for(KgeCodes codes, int count)
{
	codes.count = (count + 2 * KGE_CODES_LANES - 1) / (2 * KGE_CODES_LANES) * (2 * KGE_CODES_LANES);
	return codes;
}

KgeCodes
kge_codes_take(Allocation *allocation, int width, int count)
{
	KgeCodes	codes = kge_codes_for((KgeCodes) {.width = width}, count);

	codes.code = TAKE(allocation, uint8_t, (size_t) codes.count * (size_t) groups_of(width) * GROUP);
	codes.scale = TAKE(allocation, float, (size_t) codes.count);
	return codes;
}

/* Adds to *lost the square of what a code loses. */
static uint8_t
code_of(float number, float scale, double *lost)
{
	int			code = scale > 0 ? (int) lrintf(number / scale) : 0;
	double		rest = (double) number - (double) scale * code;

	*lost += rest * rest;
	return (uint8_t) (code + OFFSET);
}

double
kge_codes_set(KgeCodes *codes, int number, const float *query)
{
	float		scale = kge_code_unit(codes->width, query);
	double		lost = 0;

	for (int j = 0; j < groups_of(codes->width) * GROUP; j++)
		codes->code[((size_t) (j / GROUP) * (size_t) codes->count + (size_t) number) * GROUP + (size_t) (j % GROUP)] =
			code_of(j < codes->width ? query[j] : 0, scale, &lost);
	codes->scale[number] = scale;
	return sqrt(lost);
}

size_t
kge_query_codes_bytes(int width)
{
	return (size_t) (width + PIECE - 1) / PIECE * PIECE;
}

KgeQueryCodes
kge_query_codes(int width, const float *query, uint8_t *room)
{
	KgeQueryCodes codes = {.code = room,.scale = kge_code_unit(width, query)};
	double		lost = 0;

	for (int j = 0; j < (int) kge_query_codes_bytes(width); j++)
		room[j] = code_of(j < width ? query[j] : 0, codes.scale, &lost);
	codes.error = sqrt(lost);
	return codes;
}

#if defined(HAVE_VECTORS)

/* The next four codes of a row, of which some may be missing at its end */
static inline int
next_codes(const int8_t *row, int left)
{
	int			codes = 0;

	memcpy(&codes, row, left < GROUP ? (size_t) left : sizeof(codes));
	return codes;
}

/* Adds the products of a group to the sums of some rows. */
#define ADD_GROUP(read) \
	do \
	{ \
		__m512i		first = _mm512_loadu_si512(code); \
		__m512i		second = _mm512_loadu_si512(code + KGE_CODES_LANES * GROUP); \
\
		_Pragma("GCC unroll 8") \
		for (int i = 0; i < ROWS; i++) \
		{ \
			__m512i		four = _mm512_set1_epi32(read); \
\
			sum[i][0] = _mm512_dpbusd_epi32(sum[i][0], first, four); \
			sum[i][1] = _mm512_dpbusd_epi32(sum[i][1], second, four); \
		} \
		code += (size_t) codes->count * GROUP; \
	} while (0)

/* ROWS rows by two vectors of queries, from one on */
VECTORS static void
multiply(const KgeCodes *codes, int from, const int8_t *row, const int32_t *row_sum, const float *row_scale,
		 float *out, int out_stride)
{
	const uint8_t *code = codes->code + (size_t) from * GROUP;
	size_t		width = (size_t) codes->width;
	int			whole = codes->width / GROUP;
	__m512i		sum[ROWS][2];

	_Pragma("GCC unroll 8")
	for (int i = 0; i < ROWS; i++)
		sum[i][0] = sum[i][1] = _mm512_set1_epi32(-OFFSET * row_sum[i]);
	for (int p = 0; p < whole; p++)
		ADD_GROUP(next_codes(row + (size_t) i * width + (size_t) p * GROUP, GROUP));
	if (whole * GROUP < codes->width)
		ADD_GROUP(next_codes(row + (size_t) i * width + (size_t) whole * GROUP, codes->width - whole * GROUP));
	_Pragma("GCC unroll 8")
	for (int i = 0; i < ROWS; i++)
		for (int v = 0; v < 2; v++)
		{
			__m512		scale = _mm512_mul_ps(_mm512_loadu_ps(codes->scale + from + v * KGE_CODES_LANES),
											  _mm512_set1_ps(row_scale[i]));

			_mm512_storeu_ps(out + (size_t) i * (size_t) out_stride + v * KGE_CODES_LANES,
							 _mm512_mul_ps(_mm512_cvtepi32_ps(sum[i][v]), scale));
		}
}

/* The next PIECE codes of a row, or those that are left */
VECTORS static inline __m512i
next_piece(const int8_t *row, int left)
{
	return _mm512_maskz_loadu_epi8(left < PIECE ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0), row);
}

VECTORS static int32_t
sum_codes(int n, const int8_t *code)
{
	__m512i		one = _mm512_set1_epi8(1);
	__m512i		sum = _mm512_setzero_si512();

	for (int j = 0; j < n; j += PIECE)
		sum = _mm512_dpbusd_epi32(sum, one, next_piece(code + j, n - j));
	return _mm512_reduce_add_epi32(sum);
}

VECTORS void
kge_codes_look(int width, KgeQueryCodes query, int rows, const int8_t *row, float *product)
{
	__m512i		offset = _mm512_set1_epi8((char) OFFSET);

	for (int i = 0; i < rows; i++, row += width)
	{
		__m512i		sum = _mm512_setzero_si512();
		__m512i		added = _mm512_setzero_si512();

		for (int j = 0; j < width; j += PIECE)
		{
			__m512i		piece = next_piece(row + j, width - j);

			sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(query.code + j), piece);
			added = _mm512_dpbusd_epi32(added, offset, piece);
		}
		product[i] = (float) _mm512_reduce_add_epi32(_mm512_sub_epi32(sum, added));
	}
}

void
kge_codes_product(const KgeCodes *codes, int rows, const int8_t *row, const float *row_scale,
				  float *out, int out_stride)
{
	int32_t		sum[ROWS];

	for (int i = 0; i < rows; i += ROWS)
	{
		/* the last rows may be multiplied twice, which gives the same */
		int			first = i < rows - ROWS ? i : rows - ROWS;
		const int8_t *from = row + (size_t) first * (size_t) codes->width;

		for (int j = 0; j < ROWS; j++)
			sum[j] = sum_codes(codes->width, from + (size_t) j * (size_t) codes->width);
		for (int query = 0; query < codes->count; query += 2 * KGE_CODES_LANES)
			multiply(codes, query, from, sum, row_scale + first,
					 out + (size_t) first * (size_t) out_stride + query, out_stride);
	}
}

#else

void
kge_codes_look(int width, KgeQueryCodes query, int rows, const int8_t *row, float *product)
{
}

void
kge_codes_product(const KgeCodes *codes, int rows, const int8_t *row, const float *row_scale,
				  float *out, int out_stride)
{
}

#endif
