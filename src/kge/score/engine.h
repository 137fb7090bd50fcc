/*
 * engine.h
 *		Scores of blocks of queries against blocks of candidates, and their gradients.
 *
 * Matrices are row by row; `stride` is the floats from one row to the next.
 * Scores and their derivatives have a row for each candidate and a column for
 * each query: s[c * s_stride + q].
 */
#ifndef HKG_KGE_ENGINE_H
#define HKG_KGE_ENGINE_H

#include <float.h>
#include <math.h>

#include "score_function.h"

typedef struct KgeEngine
{
	KgeSimilarity similarity;
	int			width;			/* floats of a query, and of a candidate */
	int			half;			/* where imaginary parts start, if any */
	float		gamma;

	/*
	 * Fewer digits in half the time, for samples to learn from.  An L2 distance is sqrt(|q|^2 + |c|^2 - 2 q c): the error
	 * of its square is some 1e-7 of (|q| + |c|)^2, much where they are close.  A modulus is off by up to 6.2e-5 of itself
	 * (rough_moduli.c), where the processor has estimates of roots.
	 */
	bool		rough;
} KgeEngine;

typedef struct KgeRows
{
	int			count;
	int			stride;
	const float *row;
} KgeRows;

extern KgeEngine kge_engine(const KgeModel *model);

/* Floats of the scratch that kge_engine_scores needs for that many queries. */
extern size_t kge_engine_scratch(const KgeEngine *engine, int queries);

/* Gets the queries ready for any number of kge_engine_scores. */
extern void kge_engine_prepare(const KgeEngine *engine, KgeRows queries, float *scratch);

/* s = similarity of every candidate with every (prepared) query. */
extern void kge_engine_scores(const KgeEngine *engine, KgeRows queries,
							  const float *scratch, KgeRows candidates,
							  float *s, int s_stride);

/*
 * Adds to d_queries, and sets d_candidates to, or with `add` adds to both, what the
 * scores' derivatives g amount to; rows are as far apart as those of queries and of
 * candidates.  Overwrites g.
 */
extern void kge_engine_gradients(const KgeEngine *engine, KgeRows queries,
								 KgeRows candidates, const float *s, float *g,
								 int s_stride, float *d_queries, float *d_candidates,
								 bool add);

/* Floating-point operations of one score and its two gradients. */
extern double kge_engine_flops(const KgeEngine *engine);

/*
 * How many a second a core does, of scores alone, rather fewer than it does, or with gradients (bench/kernels).  The
 * same on every processor: how many triples of the valid split are ranked goes by it, and so does which iteration is best.
 */
extern double kge_engine_rate(const KgeEngine *engine, bool gradients);

/* The same two for a single query and candidate; adds to both gradients. */
extern float kge_engine_score(const KgeEngine *engine, const float *query,
							  const float *candidate);
extern void kge_engine_gradient(const KgeEngine *engine, const float *query,
								const float *candidate, float score, float g,
								float *d_query, float *d_candidate);

/* ---- rough_moduli.c: sums of moduli from estimated roots, and their gradients -- */

/* Whether this processor has them. */
extern bool kge_has_rough_moduli(void);

/* s = sum of the moduli of q - c over `half` complex numbers, each off by at most 6.2e-5 of itself and 1e-12. */
extern void kge_rough_moduli(int half, KgeRows queries, KgeRows candidates, float *s, int s_stride);

/* Adds to both gradients what derivatives g of minus those sums amount to, each step to 6.2e-5 of itself. */
extern void kge_rough_moduli_gradients(int half, KgeRows queries, KgeRows candidates, const float *g, int s_stride,
									   float *d_queries, float *d_candidates);

/* ---- score_bound.c: how far a fast score may be from the exact one ----------- */

/*
 * A candidate whose fast score s fulfils s - slope * norm > high is above the
 * threshold for certain, one with s + slope * norm < low below it; any other
 * (NaN among them) has to be looked at in double precision.
 */
typedef struct KgeBound
{
	float		slope;			/* error by the candidate's norm */
	float		high;
	float		low;
} KgeBound;

/*
 * The Euclidean norm of a row; NaN if and only if the row holds a NaN, infinite
 * if a square of its numbers may be too large for a float.
 */
extern double kge_norm(int n, const float *row);

/* How far fast score s of a query and a candidate of those norms may be off. */
extern double kge_score_error(const KgeEngine *engine, double query_norm,
							  double candidate_norm, double s);

/* The same where the similarity is a distance D = gamma - s: at most level + slope * D. */
typedef struct KgeErrorLine
{
	double		level;
	double		slope;
} KgeErrorLine;

extern KgeErrorLine kge_distance_error(const KgeEngine *engine, double query_norm);

/* The same where it is a dot product: at most level + by_score * |s| + by_norm * the norm of the candidate. */
typedef struct KgeDotError
{
	double		level;
	double		by_score;
	double		by_norm;
} KgeDotError;

extern KgeDotError kge_dot_error(const KgeEngine *engine, double query_norm);

/* A float that is not below a number: infinity for one that is not finite, or larger than floats. */
static inline float
kge_float_above(double number)
{
	double		above = number + fabs(number) * (double) FLT_EPSILON + 2 * (double) FLT_MIN;

	return above <= (double) FLT_MAX ? (float) (above > -(double) FLT_MAX ? above : -(double) FLT_MAX) : INFINITY;
}

/* The same of n numbers. */
extern void kge_floats_above(int n, const double *number, float *above);

/* What the exact score of a candidate does not exceed, by its fast one; NaN where that is not certain. */
extern double kge_score_limit(const KgeEngine *engine, const float *query, double query_norm,
							  const float *candidate, double candidate_norm);

/* The bounds around threshold t for a query of that norm. */
extern KgeBound kge_bound(const KgeEngine *engine, double query_norm, double t);

/* Adds to fast scores what is added to the exact ones.  `slack` is what their errors grow by, beside slope * norm. */
extern void kge_add_to_scores(const KgeEngine *engine, int n, const double *added, float *score, float *slack);

#endif							/* HKG_KGE_ENGINE_H */
