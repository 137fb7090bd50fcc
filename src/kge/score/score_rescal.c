/*
 * score_rescal.c
 *		RESCAL (Nickel et al. 2011): h^T M t, with a d x d matrix M for each relation.
 *
 * The query for tails is M^T h, the query for heads M t.  Their sums are in double
 * precision, so that a query is as close to the exact one as one rounding leaves it, which
 * is what score_bound.c counts on.
 */
#include <math.h>

#include "core/dense.h"
#include "core/vector.h"
#include "score_function.h"

#define CHUNK	64				/* columns that are summed up at a time */
#define LANES	16				/* sums that a row is cut into */

/* A query's numbers start as large as DistMult's. */
static KgeInitial
rescal_initial(const KgeModel *model)
{
	return (KgeInitial) {.normal = true,.entity = 0.1,.relation = 0.1 / sqrt(model->dimensions)};
}

/* query = M^T given, `n` columns of it; matrix and query start at the first of these. */
KERNEL void
sum_columns(int d, int n, const float *restrict given, const float *restrict matrix,
			float *restrict query)
{
	double		sum[CHUNK] = {0};

	for (int i = 0; i < d; i++)
		for (int j = 0; j < n; j++)
			sum[j] += (double) given[i] * matrix[(size_t) i * (size_t) d + (size_t) j];
	for (int j = 0; j < n; j++)
		query[j] = (float) sum[j];
}

/* query = M given */
KERNEL void
sum_rows(int d, const float *restrict given, const float *restrict matrix,
		 float *restrict query)
{
	for (int i = 0; i < d; i++)
	{
		const float *row = matrix + (size_t) i * (size_t) d;
		double		lane[LANES] = {0};
		double		sum = 0;
		int			j = 0;

		for (; j + LANES <= d; j += LANES)
			for (int l = 0; l < LANES; l++)
				lane[l] += (double) row[j + l] * given[j + l];
		for (; j < d; j++)
			sum += (double) row[j] * given[j];
		for (int l = 0; l < LANES; l++)
			sum += lane[l];
		query[i] = (float) sum;
	}
}

static void
rescal_query(int d, Side side, const float *given, const float *relation, float *query)
{
	if (side == SIDE_HEAD)
		sum_rows(d, given, relation, query);
	else
		for (int from = 0; from < d; from += CHUNK)
			sum_columns(d, d - from < CHUNK ? d - from : CHUNK, given, relation + from,
						query + from);
}

/* d_given += M d_query for tails, M^T d_query for heads */
KERNEL void
rescal_given_gradient(int d, Side side, const float *restrict relation,
					  const float *restrict d_query, float *restrict d_given)
{
	for (int i = 0; i < d; i++)
	{
		const float *row = relation + (size_t) i * (size_t) d;

		if (side == SIDE_HEAD)
			dense_add_scaled(d, d_query[i], row, d_given);
		else
		{
			float		lane[LANES] = {0};
			int			j = 0;

			for (; j + LANES <= d; j += LANES)
				for (int l = 0; l < LANES; l++)
					lane[l] += row[j + l] * d_query[j + l];
			for (; j < d; j++)
				d_given[i] += row[j] * d_query[j];
			for (int l = 0; l < LANES; l++)
				d_given[i] += lane[l];
		}
	}
}

/* d_M += given d_query^T for tails, d_query given^T for heads */
static void
rescal_relation_gradient(int d, Side side, const float *restrict given,
						 const float *restrict relation, const float *restrict d_query,
						 float *restrict d_relation)
{
	const float *left = side == SIDE_TAIL ? given : d_query;
	const float *right = side == SIDE_TAIL ? d_query : given;

	for (int i = 0; i < d; i++)
		dense_add_scaled(d, left[i], right, d_relation + (size_t) i * (size_t) d);
}

KERNEL void
rescal_exact_query(int d, int part, int from, int count, const float *restrict head,
				   const float *restrict relation, double *restrict query)
{
	for (int j = 0; j < count; j++)
		query[j] = 0;
	for (int i = 0; i < d; i++)
		for (int j = 0; j < count; j++)
			query[j] += (double) head[i] * relation[(size_t) i * (size_t) d + (size_t) (from + j)];
}

const KgeScoreFunction kge_score_rescal = {
	.name = "rescal",
	.similarity = {KGE_DOT, KGE_DOT},
	.parts = 1,
	.initial = rescal_initial,
	.query = rescal_query,
	.given_gradient = rescal_given_gradient,
	.relation_gradient = rescal_relation_gradient,
	.exact_query = rescal_exact_query
};
