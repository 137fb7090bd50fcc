/*
 * hybrid_ruge.c
 *		Rules that guide embeddings by soft labels (Guo et al. 2018; kge/ruge.c has the label).
 *
 * The evidence of a triple is the sum of the PCA confidences of the rules that infer it, times rule_weight.
 */
#include "hybrid.h"

static double
add_confidence(double worth, const MinedRule *rule)
{
	return worth + MINED_PCA_CONFIDENCE(rule);
}

const Hybrid hybrid_ruge = {
	.name = "ruge",
	.infers = true,
	.evenly = true,
	.add = add_confidence
};
