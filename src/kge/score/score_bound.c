/*
 * score_bound.c
 *		How far a fast score may be from the exact one.
 *
 * With u = 2^-24, a sum of n products in any order is within n u |q| |c| of the
 * exact one, and a query is within a few u of its own norm (a score function
 * whose query is a longer sum has to be counted here).  So a dot product is
 * within slope * |c|, slope = (n + 16) u |q|.
 *
 * The terms of a distance are exact to a few u but for the error of q, so a
 * distance D is within (n + 16) u D + 8 u |q|_1, and |q|_1 <= sqrt(n) |q|.  Of a
 * score s, D is gamma - s: solving s +- a (gamma - s) = t +- b for s gives the
 * two thresholds.  TINY stands for what is lost to flushed denormals.
 *
 * A fast distance may overflow where the exact one does not.  Norms from HUGE_NORM
 * on count as infinite, and what has an infinite bound is looked at.
 */
#include <float.h>
#include <math.h>

#include "core/vector.h"
#include "engine.h"

#define U		(FLT_EPSILON / 2.0)
#define TINY	1e-35
#define HUGE_NORM 1e18

double
kge_norm(int n, const float *row)
{
	double		sum = 0;

	for (int j = 0; j < n; j++)
		sum += (double) row[j] * row[j];
	return sum > HUGE_NORM * HUGE_NORM ? INFINITY : sqrt(sum);
}

/* What the error of a distance is made of besides (n + 16) u D. */
static double
distance_error(const KgeEngine *engine, double query_norm, double s)
{
	return 8 * U * sqrt(engine->width) * query_norm +
		4 * U * (fabs(engine->gamma) + fabs(s)) + 1e-15;
}

KgeDotError
kge_dot_error(const KgeEngine *engine, double query_norm)
{
	double		n = engine->width;

	return (KgeDotError) {n * TINY * (1 + query_norm), 4 * U, (n + 16) * U * query_norm + n * TINY};
}

double
kge_score_error(const KgeEngine *engine, double query_norm, double candidate_norm, double s)
{
	if (engine->similarity == KGE_DOT)
	{
		KgeDotError dot = kge_dot_error(engine, query_norm);

		return dot.level + dot.by_score * fabs(s) + dot.by_norm * candidate_norm;
	}
	return (engine->width + 16) * U * (engine->gamma - s) + distance_error(engine, query_norm, s);
}

KgeErrorLine
kge_distance_error(const KgeEngine *engine, double query_norm)
{
	double		a = (engine->width + 16) * U;

	/* |s| is at most |gamma| + D */
	return (KgeErrorLine) {distance_error(engine, query_norm, engine->gamma), a + 4 * U};
}

double
kge_score_limit(const KgeEngine *engine, const float *query, double query_norm,
				const float *candidate, double candidate_norm)
{
	double		score = kge_engine_score(engine, query, candidate);

	return score + kge_score_error(engine, query_norm, candidate_norm, score);
}

static KgeBound
widened(double slope, double high, double low)
{
	KgeBound	bound;

	bound.slope = (float) (slope * (1 + 4 * U));
	bound.high = (float) (high + 4 * U * fabs(high));
	bound.low = (float) (low - 4 * U * fabs(low));
	return bound;
}

KgeBound
kge_bound(const KgeEngine *engine, double query_norm, double t)
{
	double		a = (engine->width + 16) * U;
	double		gamma = engine->gamma;
	double		b;

	/* every number is above NaN; the rest is looked at */
	if (isnan(t))
		return (KgeBound) {0, -INFINITY, -INFINITY};
	if (engine->similarity == KGE_DOT)
	{
		KgeDotError dot = kge_dot_error(engine, query_norm);

		b = dot.level + dot.by_score * fabs(t);
		return widened(dot.by_norm, t + b, t - b);
	}
	if (isinf(query_norm))
		return (KgeBound) {0, INFINITY, -INFINITY};
	b = distance_error(engine, query_norm, t);
	return widened(TINY, (t + b + a * gamma) / (1 + a), (t - b - a * gamma) / (1 - a));
}

/*
 * Score s is above t - added for certain where s - margin > high(t - added), and high(t - added) is no more than
 * high(t) - added + (n + 24) u |added|.  Rounding the sum takes u of it.
 */
KERNEL void
add_to_scores(int n, float part, const double *restrict added, float *restrict score, float *restrict slack)
{
	for (int i = 0; i < n; i++)
	{
		double		sum = score[i] + added[i];

		score[i] = (float) sum;
		slack[i] = added[i] == 0 ? 0 : part * (float) fabs(added[i]) + (float) (2 * U) * fabsf(score[i]);
	}
}

void
kge_add_to_scores(const KgeEngine *engine, int n, const double *added, float *score, float *slack)
{
	add_to_scores(n, (float) ((engine->width + 32) * U), added, score, slack);
}

KERNEL void
floats_above(int n, const double *restrict number, float *restrict above)
{
	for (int i = 0; i < n; i++)
		above[i] = kge_float_above(number[i]);
}

void
kge_floats_above(int n, const double *number, float *above)
{
	floats_above(n, number, above);
}
