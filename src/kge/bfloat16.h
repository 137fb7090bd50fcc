/*
 * bfloat16.h
 *		Dot products of blocks of queries and candidates from numbers of 8 bits'
 *		precision, on processors that have units for that.
 */
#ifndef KGE_BFLOAT16_H
#define KGE_BFLOAT16_H

#include "engine.h"
#include "space.h"

/* The kernels of a processor; bfloat16.c says more. */
typedef struct KgeBfloat16 KgeBfloat16;

/* Those of this one, NULL if it has none; the first call asks the system for leave. */
extern const KgeBfloat16 *kge_bfloat16(void);

/* Those that use vectors, or tiles, if this processor has them: for tests. */
extern const KgeBfloat16 *kge_bfloat16_of(bool tiles);

/* Rows and columns of whatever meets come in wholes of so many, padded with 0. */
#define KGE_WHOLE	32

static inline int
kge_whole(int number)
{
	return (number + KGE_WHOLE - 1) / KGE_WHOLE * KGE_WHOLE;
}

/* Rows of bfloat16, twice: each layout is one that a product reads. */
typedef struct KgePacked
{
	int			depth;			/* of a row: its width, padded */
	int			from;			/* the columns that count, all of them or some */
	int			width;
	uint16_t   *plain;			/* candidates row by row; queries by pairs of columns */
	uint16_t   *pairs;			/* pairs of rows, interleaved */
} KgePacked;

/* Rows, a multiple of KGE_WHOLE, of `width` numbers each. */
extern KgePacked kge_packed_take(KgeSpace *space, size_t rows, int width);

/* The part of it from a row on, a multiple of KGE_WHOLE. */
static inline KgePacked
kge_packed_from(KgePacked packed, size_t row)
{
	size_t		offset = row * (size_t) packed.depth;

	packed.plain += offset;
	packed.pairs += offset;
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
 * Rounds rows, and fills what is missing to `whole` rows with 0.  A layout of candidates that is
 * NULL is left out.
 */
extern void kge_pack_candidates(const KgeBfloat16 *kernels, KgeRows rows, int whole, KgePacked packed);
extern void kge_pack_queries(KgeRows rows, int whole, KgePacked packed);

/* Numbers of the scratch that kge_bfloat16_gradients needs. */
extern size_t kge_bfloat16_scratch(int candidates, int queries);

/*
 * As kge_engine_scores and kge_engine_gradients.  Queries were packed to whole_queries
 * rows, a multiple of KGE_WHOLE.  Writes whole rows and columns: s has room for them, and
 * so has d_queries, for rows padded to whole vectors.  Where only some columns count,
 * scores are added to those of the columns before, and only these gradients are written.
 */
extern void kge_bfloat16_scores(const KgeBfloat16 *kernels, KgePacked queries,
								int whole_queries, KgePacked candidates, int count,
								float *s, int s_stride);
extern void kge_bfloat16_gradients(const KgeBfloat16 *kernels, KgePacked queries, int query_count,
								   int whole_queries, KgePacked candidates, int count,
								   const float *g, int g_stride, uint16_t *scratch,
								   float *d_queries, int q_stride,
								   float *d_candidates, int c_stride, bool add);

#endif							/* KGE_BFLOAT16_H */
