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

static double
distmult_score(const KgeModel *model, const float *head, const float *relation,
			   const float *tail)
{
	double		sum = 0;

	for (int j = 0; j < model->dimensions; j++)
		sum += (double) head[j] * relation[j] * tail[j];
	return sum;
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
	.score = distmult_score
};
