/*
 * self_adversarial.c
 *		Self-adversarial negative sampling (Sun et al. 2019).
 *
 * Negative k of a positive weighs p_k = exp(temperature * phi_k) / sum of these over the
 * positive's negatives: those that the model takes for true weigh most.  p is taken as a
 * constant; no gradient goes through it.  A score that was taken out has p = 0.
 */
#include "negatives.h"

static void
look(KgeSampledBlock *block)
{
	kge_sum_negatives(block, block->trainer->training.temperature, block->pairing.score);
}

static void
share(KgeSampledBlock *block, int from, int count)
{
	kge_share_negatives(block, block->trainer->training.temperature,
						kge_pairing_scores(&block->pairing, from), count,
						block->weight, block->share);
}

const KgeSampler kge_sampler_self_adversarial = {
	.name = "self_adversarial",
	.look = look,
	.share = share
};
