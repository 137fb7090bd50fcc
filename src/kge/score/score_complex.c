/*
 * score_complex.c
 *		ComplEx (Trouillon et al. 2016): Re sum of h r conj(t), in C^d.
 *
 * The query for tails is h r, the query for heads t conj(r); the similarity is
 * the dot product of the real forms, since Re(a conj(b)) = Re a Re b + Im a Im b.
 */
#include "core/vector.h"
#include "score_function.h"

static KgeInitial
complex_initial(const KgeModel *model)
{
	return (KgeInitial) {.normal = true,.entity = 0.1,.relation = 0.1};
}

KERNEL void
complex_query(int d, Side side, const float *restrict given,
			  const float *restrict relation, float *restrict query)
{
	float		sign = side == SIDE_TAIL ? 1 : -1;	/* of the imaginary part of r */

	for (int j = 0; j < d; j++)
	{
		float		re = relation[j];
		float		im = sign * relation[d + j];

		query[j] = given[j] * re - given[d + j] * im;
		query[d + j] = given[j] * im + given[d + j] * re;
	}
}

/* d_given = d_query conj(r'), r' as in the query */
KERNEL void
complex_given_gradient(int d, Side side, const float *restrict relation,
					   const float *restrict d_query, float *restrict d_given)
{
	float		sign = side == SIDE_TAIL ? 1 : -1;

	for (int j = 0; j < d; j++)
	{
		float		re = relation[j];
		float		im = sign * relation[d + j];

		d_given[j] += d_query[j] * re + d_query[d + j] * im;
		d_given[d + j] += d_query[d + j] * re - d_query[j] * im;
	}
}

/* d_r' = d_query conj(given) */
KERNEL void
complex_relation_gradient(int d, Side side, const float *restrict given,
						  const float *restrict relation, const float *restrict d_query,
						  float *restrict d_relation)
{
	float		sign = side == SIDE_TAIL ? 1 : -1;

	for (int j = 0; j < d; j++)
	{
		d_relation[j] += d_query[j] * given[j] + d_query[d + j] * given[d + j];
		d_relation[d + j] += sign * (d_query[d + j] * given[j] - d_query[j] * given[d + j]);
	}
}

KERNEL void
complex_exact_query(int d, int part, int from, int count, const float *restrict head,
					const float *restrict relation, double *restrict query)
{
	for (int i = 0; i < count; i++)
	{
		int			j = from + i;

		query[i] = part == 0 ? (double) head[j] * relation[j] - (double) head[d + j] * relation[d + j] :
			(double) head[j] * relation[d + j] + (double) head[d + j] * relation[j];
	}
}

const KgeScoreFunction kge_score_complex = {
	.name = "complex",
	.similarity = {KGE_DOT, KGE_DOT},
	.parts = 2,
	.is_complex = true,
	.relation_parts = 2,
	.initial = complex_initial,
	.query = complex_query,
	.given_gradient = complex_given_gradient,
	.relation_gradient = complex_relation_gradient,
	.exact_query = complex_exact_query
};
