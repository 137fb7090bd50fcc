/*
 * sketch_parts.c
 *		Sums of moduli, bounded from below by sums over parts of the numbers (see sketch_parts.h).
 */
#include <math.h>
#include <string.h>

#include "sketch_parts.h"
#include "sketch_codes.h"

#define CHUNK	8				/* parts that an instruction adds up */
#define LANES	8				/* queries of a vector */

/* The step of the codes of sums: k independent numbers add up to sqrt(k) times as much as one. */
static float
step_of(const KgePartScale *scale)
{
	int			most = (scale->half + KGE_PARTS - 1) / KGE_PARTS;

	return scale->step * sqrtf((float) most);
}

KgeParts
kge_parts(const KgePartScale *scale, const float *row, double error)
{
	double		sum[KGE_PARTS] = {0};
	float		step = step_of(scale);
	double		lost = 0;
	KgeParts	parts;

	for (int j = 0; j < scale->half; j++)
		sum[j % KGE_PARTS] += row[j];
	for (int p = 0; p < KGE_PARTS; p++)
	{
		long		code = step > 0 ? lrint(fmin(fmax(sum[p] / step, -LARGEST_CODE), LARGEST_CODE)) : 0;

		parts.code[p] = (uint8_t) (code + LARGEST_CODE + 1);
		lost += fabs(sum[p] - (double) step * (double) code);
	}
	parts.more = scale->unit > 0 ? (error - ROUNDED_UP * lost) / scale->unit : 0;
	return parts;
}

KgePartQueries
kge_part_queries_take(Allocation *allocation, int half, int count)
{
	KgePartQueries queries = {.half = half,.count = count};

	queries.code = TAKE(allocation, uint8_t, (size_t) count * KGE_PARTS);
	queries.more = TAKE(allocation, float, (size_t) count);
	return queries;
}

void
kge_part_queries_open(KgePartQueries *queries, KgePartScale scale, int count)
{
	queries->half = scale.half;
	queries->count = count;
	queries->units = (float) (ROUNDED_DOWN * step_of(&scale) / scale.unit);
	memset(queries->code, LARGEST_CODE + 1, (size_t) count * KGE_PARTS);
	memset(queries->more, 0, (size_t) count * sizeof(float));
}

void
kge_part_queries_set(KgePartQueries *queries, int number, const KgeParts *query)
{
	for (int p = 0; p < KGE_PARTS; p += CHUNK)
		memcpy(&queries->code[((size_t) (p / CHUNK) * (size_t) queries->count + (size_t) number) * CHUNK], &query->code[p],
			   CHUNK);
	queries->more[number] = (float) query->more;
}

#if defined(HAVE_VECTORS)

static int
chunks_of(int half)
{
	return half < KGE_PARTS ? (half + CHUNK - 1) / CHUNK : KGE_PARTS / CHUNK;
}

VECTORS static inline __m512i
eight_codes(const uint8_t *code)
{
	long long	eight;

	memcpy(&eight, code, sizeof(eight));
	return _mm512_set1_epi64(eight);
}

typedef struct PartSums
{
	__m512i		of[KGE_PARTS_QUERIES / LANES];
} PartSums;

/* The sums of differences of a row and of four vectors of queries, which stay in registers */
VECTORS static inline PartSums
add_parts(const KgePartQueries *queries, int from, const KgeParts *row)
{
	const uint8_t *query = queries->code + (size_t) from * CHUNK;
	__m512i		s0 = _mm512_setzero_si512();
	__m512i		s1 = s0;
	__m512i		s2 = s0;
	__m512i		s3 = s0;

	for (int c = 0; c < chunks_of(queries->half); c++)
	{
		__m512i		code = eight_codes(row->code + c * CHUNK);

		s0 = _mm512_add_epi64(s0, _mm512_sad_epu8(code, _mm512_loadu_si512(query)));
		s1 = _mm512_add_epi64(s1, _mm512_sad_epu8(code, _mm512_loadu_si512(query + LANES * CHUNK)));
		s2 = _mm512_add_epi64(s2, _mm512_sad_epu8(code, _mm512_loadu_si512(query + 2 * LANES * CHUNK)));
		s3 = _mm512_add_epi64(s3, _mm512_sad_epu8(code, _mm512_loadu_si512(query + 3 * LANES * CHUNK)));
		query += (size_t) queries->count * CHUNK;
	}
	return (PartSums) {{s0, s1, s2, s3}};
}

/* What two vectors of sums come to, in units, and which of them are in reach */
VECTORS static inline uint32_t
bound_parts(const KgePartQueries *queries, int from, double row_more, __m512i first, __m512i second, const int32_t *limit,
			int32_t slack, float *least)
{
	__m512		sum = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtepi64_ps(first)), _mm512_cvtepi64_ps(second), 1);
	__m512		more = _mm512_add_ps(_mm512_set1_ps((float) row_more), _mm512_loadu_ps(queries->more + from));
	__m512		bound = _mm512_fmadd_ps(_mm512_set1_ps(queries->units), sum, more);
	__m512i		most = _mm512_add_epi32(_mm512_loadu_si512(limit + from), _mm512_set1_epi32(slack));

	_mm512_storeu_ps(least, bound);
	return _mm512_cmp_ps_mask(bound, _mm512_cvtepi32_ps(most), _CMP_NGT_UQ);
}

VECTORS uint32_t
kge_part_queries_look(const KgePartQueries *queries, int from, const KgeParts *row, const int32_t *limit, int32_t slack,
					  float *least)
{
	PartSums	sums = add_parts(queries, from, row);

	return bound_parts(queries, from, row->more, sums.of[0], sums.of[1], limit, slack, least) |
		bound_parts(queries, from + 2 * LANES, row->more, sums.of[2], sums.of[3], limit, slack,
					least + 2 * LANES) << (2 * LANES);
}

#else

uint32_t
kge_part_queries_look(const KgePartQueries *queries, int from, const KgeParts *row, const int32_t *limit, int32_t slack,
					  float *least)
{
	return UINT32_MAX;
}

#endif
