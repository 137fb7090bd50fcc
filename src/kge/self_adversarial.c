/*
 * self_adversarial.c
 *		Self-adversarial negative sampling (Sun et al. 2019).
 *
 * Negative k of a positive weighs p_k = exp(temperature * phi_k) / sum of these over the
 * positive's negatives: those that the model takes for true weigh most.  p is taken as a
 * constant; no gradient goes through it.  A score that was taken out has p = 0.
 *
 * The negatives come tile by tile, so a positive's maximum and its sum relative to that
 * are brought up to date with every tile.
 */
#include <math.h>

#include "loss.h"
#include "negatives.h"
#include "threads.h"
#include "vector.h"

KGE_KERNEL void
warm_row(int n, float temperature, const float *restrict score, float *restrict warm)
{
	for (int i = 0; i < n; i++)
		warm[i] = temperature * score[i];
}

/* Fills `derivative`, which nobody needs yet, with temperature * phi of a tile. */
static const float *
warm_scores(KgeBlock *block, int from, int count)
{
	float	   *warm = block->scratch->derivative;
	float		temperature = (float) block->trainer->training.temperature;

	for (int k = 0; k < count; k++)
		warm_row(block->count, temperature, kge_block_scores(block, from + k),
				 warm + (size_t) k * (size_t) block->score_stride);
	return warm;
}

/* Adds a tile's part to the sums: the larger maximum stands. */
static void
add_part(KgeBlock *block, const float *maximum, const float *sum)
{
	KgeBlockScratch *scratch = block->scratch;

	for (int i = 0; i < block->count; i++)
	{
		float		larger = maximum[i] > scratch->maximum[i] ? maximum[i] : scratch->maximum[i];

		scratch->sum[i] = scratch->sum[i] * expf(scratch->maximum[i] - larger) +
			sum[i] * expf(maximum[i] - larger);
		scratch->maximum[i] = larger;
	}
}

static void
look(KgeBlock *block)
{
	KgeBlockScratch *scratch = block->scratch;
	float	   *maximum = scratch->share;	/* two rows that nobody needs yet */
	float	   *sum = scratch->share + block->score_stride;

	for (int i = 0; i < block->count; i++)
	{
		scratch->maximum[i] = -INFINITY;
		scratch->sum[i] = 0;
	}
	for (int from = 0; from < block->negatives; from += KGE_TILE)
	{
		int			left = block->negatives - from;
		int			count = left < KGE_TILE ? left : KGE_TILE;

		kge_softmax_sums(count, block->count, warm_scores(block, from, count),
						 block->score_stride, maximum, sum);
		add_part(block, maximum, sum);
		kge_pool_breathe(block->trainer->pool, block->thread);
	}
	for (int i = 0; i < block->count; i++)
		scratch->sum[i] = scratch->maximum[i] + logf(scratch->sum[i]);
}

static void
share(KgeBlock *block, int from, int count)
{
	KgeBlockScratch *scratch = block->scratch;

	kge_softmax(count, block->count, warm_scores(block, from, count), block->score_stride,
				scratch->sum, scratch->weight, scratch->share);
}

const KgeSampler kge_sampler_self_adversarial = {
	.name = "self_adversarial",
	.look = look,
	.share = share
};
