/*
 * negatives.h
 *		A block: positives that share their negatives.
 *
 * What is of a negative and a positive has a row for each negative and a column for each
 * positive, score_stride apart.
 */
#ifndef KGE_NEGATIVES_H
#define KGE_NEGATIVES_H

#include "trainer.h"

#define KGE_TAKEN_OUT	(-1e30f)	/* a score that has no loss and no derivative */
#define KGE_TILE		128			/* negatives between two looks at the clock */

/* What a thread needs to work on a block. */
typedef struct KgeBlockScratch
{
	float	   *query;			/* block x stride */
	float	   *engine;
	float	   *candidate;		/* negatives x stride */
	int32_t    *negative;
	float	   *score;			/* negatives x score_stride */

	/* of a tile */
	float	   *share;			/* the negatives' weights, unless they are the positives' */
	float	   *derivative;

	/* of each positive */
	KgeTriple  *triple;
	float	   *weight;
	float	   *loss;
	float	   *own_score;
	float	   *own_derivative;
	float	   *maximum;		/* the softmax over its negatives */
	float	   *sum;
} KgeBlockScratch;

/* The block that a thread is working on. */
typedef struct KgeBlock
{
	KgeTrainer *trainer;
	KgeBlockScratch *scratch;
	int			thread;
	KgeSide		side;			/* the corrupted one */
	int			count;			/* positives */
	int			negatives;
	int			stride;			/* of entity rows in slots and scratch */
	int			score_stride;
	int64_t		number;			/* in the epoch: numbers its draws */
	int64_t		entity_slot;	/* its first slots */
	int64_t		relation_slot;
} KgeBlock;

/* How much a block's negatives weigh. */
struct KgeSampler
{
	const char *name;

	/*
	 * Looks at all scores of the block; then fills `share` for negatives from ..
	 * from+count-1, a positive's adding up to its weight.  NULL: each negative weighs as
	 * much as its positive.
	 */
	void		(*look) (KgeBlock *block);
	void		(*share) (KgeBlock *block, int from, int count);
};

extern const KgeSampler kge_sampler_self_adversarial;

/* The scores from negative `from` on. */
static inline float *
kge_block_scores(const KgeBlock *block, int from)
{
	return block->scratch->score + (size_t) from * (size_t) block->score_stride;
}

#endif							/* KGE_NEGATIVES_H */
