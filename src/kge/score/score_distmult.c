/*
 * score_distmult.c
 *		DistMult (Yang et al. 2015): sum of h r t.
 *
 * The query for tails is h * r, the query for heads t * r, element by element.
 */
#include "core/vector.h"
#include "score_function.h"

static KgeInitial
distmult_initial(const KgeModel *model)
{
	return (KgeInitial) {.normal = true,.entity = 0.1,.relation = 0.1};
}

KERNEL void
distmult_query(int d, Side side, const float *restrict given,
			   const float *restrict relation, float *restrict query)
{
	for (int j = 0; j < d; j++)
		query[j] = given[j] * relation[j];
}

KERNEL void
distmult_given_gradient(int d, Side side, const float *restrict relation,
						const float *restrict d_query, float *restrict d_given)
{
	for (int j = 0; j < d; j++)
		d_given[j] += d_query[j] * relation[j];
}

KERNEL void
distmult_relation_gradient(int d, Side side, const float *restrict given,
						   const float *restrict relation, const float *restrict d_query,
						   float *restrict d_relation)
{
	for (int j = 0; j < d; j++)
		d_relation[j] += d_query[j] * given[j];
}

KERNEL void
distmult_exact_query(int d, int part, int from, int count, const float *restrict head,
					 const float *restrict relation, double *restrict query)
{
	for (int j = 0; j < count; j++)
		query[j] = (double) head[from + j] * relation[from + j];
}

const KgeScoreFunction kge_score_distmult = {
	.name = "distmult",
	.similarity = {KGE_DOT, KGE_DOT},
	.parts = 1,
	.relation_parts = 1,
	.initial = distmult_initial,
	.query = distmult_query,
	.given_gradient = distmult_given_gradient,
	.relation_gradient = distmult_relation_gradient,
	.exact_query = distmult_exact_query
};
