/*
 * score_transe.c
 *		TransE (Bordes et al. 2013): gamma - |h + r - t|, norm 1 or 2.
 *
 * The query for tails is h + r, the query for heads t - r.
 */
#include <math.h>

#include "core/vector.h"
#include "score_function.h"

static KgeInitial
transe_initial(const KgeModel *model)
{
	double		limit = kge_distance_limit(model);

	return (KgeInitial) {.entity = limit,.relation = limit};
}

KERNEL void
transe_query(int d, Side side, const float *restrict given,
			 const float *restrict relation, float *restrict query)
{
	float		sign = side == SIDE_TAIL ? 1 : -1;

	for (int j = 0; j < d; j++)
		query[j] = given[j] + sign * relation[j];
}

KERNEL void
transe_given_gradient(int d, Side side, const float *restrict relation,
					  const float *restrict d_query, float *restrict d_given)
{
	for (int j = 0; j < d; j++)
		d_given[j] += d_query[j];
}

KERNEL void
transe_relation_gradient(int d, Side side, const float *restrict given,
						 const float *restrict relation, const float *restrict d_query,
						 float *restrict d_relation)
{
	float		sign = side == SIDE_TAIL ? 1 : -1;

	for (int j = 0; j < d; j++)
		d_relation[j] += sign * d_query[j];
}

static double
transe_score(const KgeModel *model, const float *head, const float *relation,
			 const float *tail)
{
	double		sum = 0;

	for (int j = 0; j < model->dimensions; j++)
	{
		double		difference = (double) head[j] + relation[j] - tail[j];

		sum += model->norm == 1 ? fabs(difference) : difference * difference;
	}
	return model->gamma - (model->norm == 1 ? sum : sqrt(sum));
}

const KgeScoreFunction kge_score_transe = {
	.name = "transe",
	.similarity = {KGE_L1, KGE_L2},
	.parts = 1,
	.relation_parts = 1,
	.initial = transe_initial,
	.query = transe_query,
	.given_gradient = transe_given_gradient,
	.relation_gradient = transe_relation_gradient,
	.score = transe_score
};
