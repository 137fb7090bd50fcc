/*
 * score_bound.h
 *		How far a fast score may be from the exact one.
 *
 * A candidate whose fast score s fulfils s - slope * norm > high is above the
 * threshold for certain, one with s + slope * norm < low below it; any other
 * (NaN among them) has to be looked at in double precision.
 */
#ifndef HKG_KGE_SCORE_BOUND_H
#define HKG_KGE_SCORE_BOUND_H

#include "engine.h"

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

/* The bounds around threshold t for a query of that norm. */
extern KgeBound kge_bound(const KgeEngine *engine, double query_norm, double t);

#endif							/* HKG_KGE_SCORE_BOUND_H */
