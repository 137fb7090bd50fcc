/*
 * hybrid_ruge.c
 *		Rules that guide embeddings by soft labels (Guo et al. 2018; ruge.c has the label).
 *
 * The evidence of a triple is the sum of the PCA confidences of the rules that infer it, times rule_weight.
 */
#include "train/hybrid.h"

static void
worth_by_confidence(const HybridRules *rules, double *worth)
{
	for (int64 i = 0; i < rules->mined->count; i++)
		worth[i] = rules->rule_weight * MINED_PCA_CONFIDENCE(&rules->mined->rule[i]);
}

static double
add(const double *worth, const int32 *rule, int64 rules)
{
	double		sum = 0;

	for (int64 i = 0; i < rules; i++)
		sum += worth[rule[i]];
	return sum;
}

const Hybrid hybrid_ruge = {
	.name = "ruge",
	.evenly = true,
	.find_worth = worth_by_confidence,
	.combine = add
};
