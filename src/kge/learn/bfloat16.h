/*
 * bfloat16.h
 *		Dot products of blocks of queries and candidates from numbers of 8 bits'
 *		precision, on processors that have units for that.
 */
#ifndef HKG_KGE_BFLOAT16_H
#define HKG_KGE_BFLOAT16_H

#include "core/allocation.h"
#include "kge/score/engine.h"

/* The kernels of a processor; see bfloat16.c. */
typedef struct KgeBfloat16 KgeBfloat16;

/* Those of this one, NULL if it has none; the first call asks the system for leave. */
extern const KgeBfloat16 *kge_bfloat16(void);

/* Those that use vectors, or tiles, if this processor has them: for tests. */
extern const KgeBfloat16 *kge_bfloat16_of(bool tiles);

/* Rows and columns come in multiples of this, padded with 0. */
#define KGE_WHOLE	32
#define KGE_BFLOAT16_TILE	512	/* numbers in 16 rows of KGE_WHOLE columns */

static inline int
kge_whole(int number)
{
	return (number + KGE_WHOLE - 1) / KGE_WHOLE * KGE_WHOLE;
}

/* Rounds numbers to the nearest bfloat16, ties to even (NaN stays NaN). */
extern void kge_bfloat16_round(size_t n, const float *from, uint16_t *to);

/* kge_scale_parts of parts that were rounded. */
extern void kge_bfloat16_scale_parts(int rows, int n, const uint16_t *parts, int stride,
									 const float *factor, float *g);

/*
 * Rows (queries, or candidates) in bfloat16, twice: cut into the tiles of a product whose terms
 * are the columns, and of one whose terms are the rows (bfloat16.c).
 */
typedef struct KgePacked
{
	int			rows;			/* that there is room for, a multiple of KGE_WHOLE */
	int			depth;			/* of a row: its width, padded */
	int			from;			/* the columns that count, all of them or some */
	int			width;
	uint16_t   *across;			/* terms are columns: for scores */
	uint16_t   *along;			/* terms are rows: for gradients */
} KgePacked;

/* So many of them, each of rows of `width` numbers. */
extern KgePacked kge_packed_take(Allocation *allocation, size_t count, size_t rows, int width);

/* One of these; a layout that is left out stays NULL, here and below. */
static inline KgePacked
kge_packed_of(KgePacked packed, int number)
{
	size_t		offset = (size_t) number * (size_t) packed.rows * (size_t) packed.depth;

	packed.across = packed.across == NULL ? NULL : packed.across + offset;
	packed.along = packed.along == NULL ? NULL : packed.along + offset;
	return packed;
}

/* The part of it from a row on, a multiple of KGE_WHOLE. */
static inline KgePacked
kge_packed_from(KgePacked packed, size_t row)
{
	packed.across = packed.across == NULL ? NULL : packed.across + row * (size_t) packed.depth;
	packed.along = packed.along == NULL ? NULL : packed.along + row * (KGE_BFLOAT16_TILE / KGE_WHOLE);
	return packed;
}

/* Its columns from .. from+width-1, from a multiple of KGE_WHOLE. */
static inline KgePacked
kge_packed_columns(KgePacked packed, int from, int width)
{
	packed.from = from;
	packed.width = width;
	return packed;
}

/*
 * Rounds rows, and fills what is missing to a whole number with 0.  A layout of candidates that is
 * NULL is left out.
 */
extern void kge_pack_candidates(const KgeBfloat16 *kernels, KgeRows rows, KgePacked packed);
extern void kge_pack_queries(KgeRows rows, KgePacked packed);

/*
 * Derivatives of scores, rounded.  A block's stand among those of all queries, a candidate a
 * row, and transposed in a place that the next block takes over.
 */
typedef struct KgeDerivatives
{
	int			rows;			/* candidates, padded */
	int			queries;		/* all, padded */
	int			block;			/* queries of a block, padded */
	uint16_t   *plain;
	uint16_t   *turned;
} KgeDerivatives;

/* Room for that many candidates and queries at most, for each thread. */
extern KgeDerivatives kge_derivatives_take(Allocation *allocation, int threads,
										   int candidates, int queries, int block);

static inline KgeDerivatives
kge_derivatives_of(KgeDerivatives derivatives, int thread)
{
	size_t		rows = (size_t) thread * (size_t) derivatives.rows;

	derivatives.plain += rows * (size_t) derivatives.queries;
	derivatives.turned += rows * (size_t) derivatives.block;
	return derivatives;
}

/* Rounds a block's g[candidate][query]; its first query is that of a number, a multiple of KGE_WHOLE. */
extern void kge_pack_derivatives(const KgeBfloat16 *kernels, int candidates, int queries,
								 const float *g, int g_stride, int first, KgeDerivatives derivatives);

/*
 * As kge_engine_scores and kge_engine_gradients, of `count` candidates and `query_count` queries.
 * Writes whole rows and columns: s has room for them, and so has d_queries, for rows padded
 * to whole vectors.  Where only some columns count, scores are added to those of the columns
 * before, and only these gradients are written.  Queries' gradients are of the block whose
 * derivatives were rounded last, candidates' of all.
 */
extern void kge_bfloat16_scores(const KgeBfloat16 *kernels, KgePacked queries, int query_count,
								KgePacked candidates, int count, float *s, int s_stride);
extern void kge_bfloat16_query_gradients(const KgeBfloat16 *kernels, KgeDerivatives derivatives,
										 int query_count, KgePacked candidates, int count,
										 float *d_queries, int q_stride);
extern void kge_bfloat16_candidate_gradients(const KgeBfloat16 *kernels, KgeDerivatives derivatives,
											 KgePacked queries, int query_count, int count,
											 float *d_candidates, int c_stride, bool add);

#endif							/* HKG_KGE_BFLOAT16_H */
