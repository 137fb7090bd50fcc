/*
 * nne_aer.c
 *		Non-negative entities and approximate entailment of relations (Ding et al. 2018), for ComplEx.
 *
 * Entities keep real and imaginary parts in [0, 1].  Then Re(h conj(t)) is not negative in any dimension, so that a
 * relation whose real parts are no larger than another's, and whose imaginary parts are the same, never scores higher.
 * That p entails q with confidence c therefore costs
 *
 *		weight * c * (sum of max(0, Re p - Re q) + sum of (Im p - Im q)^2),
 *
 * and with p read backwards, which is conj(p), the same with -Im p.
 */
#include "core/vector.h"
#include "kge/learn/constraint.h"

KERNEL void
clip_row(int n, float *restrict row)
{
	for (int j = 0; j < n; j++)
	{
		float		x = row[j];

		x = x < 0 ? 0 : x;
		row[j] = x > 1 ? 1 : x;
	}
}

static void
project(int n, float *row)
{
	clip_row(n, row);
}

/* direction: 1 for the body, -1 for the head, whose real part is pushed the other way; sign: of the other's Im */
KERNEL void
pull_row(int d, float weight, float direction, float sign, const float *restrict own, const float *restrict other,
		 float *restrict gradient)
{
	for (int j = 0; j < d; j++)
		gradient[j] += direction * (own[j] - other[j]) > 0 ? direction * weight : 0;
	for (int j = d; j < 2 * d; j++)
		gradient[j] += 2 * weight * (own[j] - sign * other[j]);
}

/* One that is its own partner is `own` and `other`, which are only read. */
static void
pull(int d, KgePartner partner, const float *own, const float *other, float *gradient)
{
	pull_row(d, partner.weight, partner.is_body ? 1 : -1, partner.inverse ? -1 : 1, own, other, gradient);
}

const KgeConstraint kge_constraint_nne = {
	.name = "nne",
	.function = &kge_score_complex,
	.project = project
};

const KgeConstraint kge_constraint_nne_aer = {
	.name = "nne_aer",
	.function = &kge_score_complex,
	.project = project,
	.pull = pull
};
