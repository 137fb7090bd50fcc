/*
 * negatives.h
 *		A block: positives that share their negatives.
 */
#ifndef HKG_KGE_NEGATIVES_H
#define HKG_KGE_NEGATIVES_H

#include "core/vector.h"
#include "kge/learn/trainer.h"

/* ---- pairing.c: a block's queries against its negatives, under one model ----- */

/*
 * Scores and their derivatives have a row for each negative and a column for each
 * positive, score_stride apart.
 */
#define KGE_NEGATIVES_TILE	128	/* negatives between two looks at the clock */

typedef struct KgePairing
{
	KgeTrainer *trainer;		/* whose model it is, and whose slots it fills */
	int			stride;			/* of rows of queries and candidates */
	int			score_stride;
	float	   *query;
	float	   *query_gradient; /* where turns make queries; else it is in relations' slots */
	float	   *turn;			/* likewise, of relations */
	int32_t    *turn_place;		/* of each query's relation among these */
	float	   *prepared;		/* the engine's */
	float	   *candidate;
	float	   *score;

	/* the block at work */
	int			count;			/* positives */
	int			negatives;
	int64_t		given_slot;		/* its first slots */
	int64_t		negative_slot;
	int64_t		relation_slot;
} KgePairing;

/* Takes the arrays of a pairing. */
extern KgePairing kge_pairing_take(const KgeTrainer *plan, Allocation *allocation);

/*
 * Makes the queries for that side of the triples, fetches the negatives, and opens their
 * slots.  penalty: of each positive's given entity and relation, or NULL for none.
 */
extern void kge_pairing_open(KgePairing *pairing, Side side, const Triple *triple,
							 const float *penalty, const int32_t *negative);

/* Scores negatives from .. from+count-1. */
extern void kge_pairing_score(KgePairing *pairing, int from, int count);

/* Goes back from their scores' derivatives, which it overwrites. */
extern void kge_pairing_learn(KgePairing *pairing, int from, int count, float *derivative);

/* Goes back from the queries to the given entities, and by turns to relations. */
extern void kge_pairing_close(KgePairing *pairing);

/* The scores from negative `from` on. */
static inline float *
kge_pairing_scores(const KgePairing *pairing, int from)
{
	return pairing->score + (size_t) from * (size_t) pairing->score_stride;
}

/* The gradient of the slot of query i's relation. */
static inline float *
kge_pairing_relation_gradient(const KgePairing *pairing, int i)
{
	const KgeSlots *slots = &pairing->trainer->relation;

	return slots->gradient + (size_t) (pairing->relation_slot + i) * (size_t) slots->stride;
}

/* The gradient of query i. */
static inline float *
kge_pairing_query_gradient(const KgePairing *pairing, int i)
{
	return pairing->trainer->relation.turned ? pairing->query_gradient + (size_t) i * (size_t) pairing->stride :
		kge_pairing_relation_gradient(pairing, i);
}

static inline float *
kge_entity_gradient(const KgeTrainer *trainer, int64_t slot)
{
	return trainer->entity.gradient + (size_t) slot * (size_t) trainer->entity.stride;
}

/* ---- negatives.c: a block ---------------------------------------------------- */

/* Positive i of the minibatch, and its worth. */
static inline Triple
kge_positive(const KgeTrainer *trainer, int64_t i, float *worth)
{
	uint64_t	place = kge_order_place(&trainer->order, (uint64_t) (trainer->start + i));

	*worth = trainer->worth == NULL ? 1 : trainer->worth[place];
	return trainer->positives[place];
}

/* The block that a thread is working on. */
typedef struct KgeSampledBlock
{
	KgeTrainer *trainer;
	KgePairing	pairing;		/* in the model that is trained */
	int			thread;
	int64_t		item;			/* its number in the minibatch */
	int64_t		number;			/* its number in the epoch: numbers its draws */
	Side		side;			/* the corrupted one */
	bool		labelled;		/* its positives have labels, and no negatives */
	int			count;			/* positives */
	int			negatives;
	int32_t    *negative;

	/* of a tile of negatives and the positives, as scores are laid out */
	float	   *share;			/* the negatives' weights, unless they are the positives' */
	float	   *derivative;

	/* of each positive */
	Triple	   *triple;
	float	   *weight;
	float	   *evidence;		/* where some have labels */
	int32_t    *answer;
	float	   *loss;
	float	   *own_score;
	float	   *own_derivative;
	float	   *log_sum;		/* of a softmax over its negatives */
	float	   *maximum;		/* of what of them was seen so far */
	float	   *sum;
} KgeSampledBlock;

/* Which side is corrupted, and how much a block's negatives weigh. */
struct KgeSampler
{
	const char *name;

	/* Takes what is to be trainer->sampler, and makes it ready.  NULL: it needs nothing. */
	void	   *(*take) (const KgeTrainer *plan, int threads, Allocation *allocation);
	void		(*start) (KgeTrainer *trainer);

	/* Called when an epoch begins, and when a minibatch's blocks are done; or NULL. */
	void		(*open) (KgeTrainer *trainer);
	void		(*finish) (KgeTrainer *trainer, int64_t blocks);

	/* The side of a positive, by its place in the epoch.  NULL: of every other block. */
	Side		(*side) (const KgeTrainer *trainer, Triple positive, int64_t place);

	/*
	 * Looks at all scores of the block; then fills `share` for negatives from ..
	 * from+count-1, a positive's adding up to its weight.  NULL: each negative weighs as
	 * much as its positive.
	 */
	void		(*look) (KgeSampledBlock *block);
	void		(*share) (KgeSampledBlock *block, int from, int count);

	/* As kge_trainer_state, of what is its own, and how many numbers that are; or NULL. */
	bool		(*state) (const KgeTrainer *trainer, int i, float **values, size_t *count);
	size_t		(*state_count) (const KgeTrainer *plan);
};

extern const KgeSampler kge_sampler_bernoulli;
extern const KgeSampler kge_sampler_self_adversarial;
extern const KgeSampler kge_sampler_kbgan;

/* Whether some positives have labels. */
static inline bool
kge_has_labels(const KgeTraining *training)
{
	return training->labelling != NULL || training->has_false;
}

/* Blocks of a minibatch, at most: each side's last one may not be full, nor the last one of those with labels. */
static inline int
kge_sampled_blocks(const KgeTraining *training)
{
	return (training->batch_size - 1) / training->block_size + 2 + kge_has_labels(training);
}

/* The number in the epoch of a minibatch's first block.  Of blocks with labels, which draw nothing, two may have one number. */
static inline int64_t
kge_first_block(const KgeTraining *training, int64_t batch)
{
	return batch * ((training->batch_size - 1) / training->block_size + 2 + (training->labelling != NULL));
}

/* Negatives of the tile that starts at `from`. */
static inline int
kge_tile_size(const KgeSampledBlock *block, int from)
{
	return block->negatives - from < KGE_NEGATIVES_TILE ? block->negatives - from : KGE_NEGATIVES_TILE;
}

/* Takes out the scores of negatives that are a positive's own answer; returns how many. */
extern int64_t kge_mask_answers(const KgeSampledBlock *block, int from, int count, float *score);

/*
 * Fills log_sum with the logarithms of the sums of exp(temperature * score) over the
 * negatives of each positive, a row of `score` for each negative.
 */
extern void kge_sum_negatives(KgeSampledBlock *block, double temperature, const float *score);

/* Fills `filled` with weight * exp(temperature * score - log_sum) of a tile. */
extern void kge_share_negatives(KgeSampledBlock *block, double temperature, const float *score,
								int count, const float *weight, float *filled);

/* Draws the negatives of block number `block` of an epoch, uniform over entities. */
extern void kge_draw_negatives(uint64_t seed, uint64_t epoch, uint64_t block,
							   int32_t entities, int count, int32_t *negative);

#endif							/* HKG_KGE_NEGATIVES_H */
