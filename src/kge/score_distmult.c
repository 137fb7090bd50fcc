/*
 * score_distmult.c
 *		DistMult (Yang et al. 2015): sum of h r t.
 *
 * The query for tails is h * r, the query for heads t * r, element by element.
 */
#include <math.h>

#include "random.h"
#include "score.h"
#include "vector.h"

static int
distmult_relation_width(int d)
{
	return d;
}

static void
distmult_initialise(KgeModel *model, uint64_t seed)
{
	double		deviation = 0.1;

	kge_fill_normal(model->entity, kge_entity_count(model), deviation, seed, KGE_DRAW_ENTITY);
	kge_fill_normal(model->relation, kge_relation_count(model), deviation, seed,
					KGE_DRAW_RELATION);
}

KGE_KERNEL void
distmult_query(int d, KgeSide side, const float *restrict given,
			   const float *restrict relation, float *restrict query)
{
	(void) side;
	for (int j = 0; j < d; j++)
		query[j] = given[j] * relation[j];
}

KGE_KERNEL void
distmult_given_gradient(int d, KgeSide side, const float *restrict relation,
						const float *restrict d_query, float *restrict d_given)
{
	(void) side;
	for (int j = 0; j < d; j++)
		d_given[j] += d_query[j] * relation[j];
}

KGE_KERNEL void
distmult_relation_gradient(int d, KgeSide side, const float *restrict given,
						   const float *restrict relation, const float *restrict d_query,
						   float *restrict d_relation)
{
	(void) side;
	(void) relation;
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
	.relation_width = distmult_relation_width,
	.initialise = distmult_initialise,
	.query = distmult_query,
	.given_gradient = distmult_given_gradient,
	.relation_gradient = distmult_relation_gradient,
	.score = distmult_score
};
