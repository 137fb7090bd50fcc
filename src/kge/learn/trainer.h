/*
 * trainer.h
 *		What all losses share: a minibatch of positives goes in, gradients in slots
 *		come out.
 *
 * epoch.c cuts an epoch into minibatches and moves the rows; a loss is one KgeLoss,
 * which has the threads compute a minibatch's gradients.
 */
#ifndef HKG_KGE_TRAINER_H
#define HKG_KGE_TRAINER_H

#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"
#include "kge/learning.h"
#include "kge/score/engine.h"
#include "optimizer.h"

/* ---- trainer.c ---------------------------------------------------------------- */

/* A minibatch's losses, added up. */
typedef struct KgeSum
{
	double		loss;
	int64_t		terms;			/* the mean is the loss divided by these */
	double		positives;		/* the penalty is a mean over these */
} KgeSum;

struct KgeTrainer
{
	Pool	   *pool;
	KgeModel   *model;
	int64_t		max_positives;	/* of an epoch */
	KgeTraining training;		/* no batch larger than both sides of the data, no block than a batch */
	KgeEngine	engine;
	KgeSlots	entity;
	KgeSlots	relation;
	bool		penalises_relations;
	float	   *sum;			/* of each thread, a row for the update */
	int			sum_stride;
	void	   *work;			/* the loss's own */
	void	   *sampler;		/* the sampler's own */

	/* entailments, by the relations that have pulls: those of number i from partner[partner_start[i]] on */
	struct KgePartner *partner;
	int64_t    *partner_start;	/* room of pulls + 2 */

	/* the epoch and the minibatch at work */
	const Triple *positives;
	const float *worth;			/* of each positive, as kge_train_epoch */
	uint64_t	epoch;
	KgeOrder	order;
	int64_t		left;			/* positives from `start` on */
	int64_t		start;			/* place of the minibatch's first positive */
	int64_t		count;			/* its positives */
	KgeSum		total;			/* its losses, when the slots are filled */
	KgeStep		step;
	bool		observing;		/* nothing but the optimizer's state is to change */
};

struct KgeSampledBlock;

struct KgeLoss
{
	const char *name;
	bool		cubes;			/* its usual regularizer is N3, not L2 */

	/* Sets the number of slots, and what else of entity and relation the loss chooses. */
	void		(*plan) (KgeTrainer *plan);

	/* Takes what is to be `work`; model and pool are not set yet. */
	void	   *(*take) (const KgeTrainer *plan, int threads, Allocation *allocation);

	/* The scores of an epoch; `queries` are the distinct ones of the positives, both sides. */
	double		(*scores) (const KgeTraining *training, const KgeModel *model,
						   int64_t positives, int64_t queries);

	/*
	 * Opens an epoch of `count` positives; then `next` takes what the next minibatch
	 * holds, as long as anything is left.  Both are NULL where minibatches are
	 * batch_size positives in the epoch's order (kge_positive).
	 */
	void		(*open) (KgeTrainer *trainer, int64_t count);
	bool		(*next) (KgeTrainer *trainer);

	/*
	 * Fill the slots (all are unused) with the gradients of the sum of the minibatch's
	 * losses: `learn` in the leader, which may run things on the pool, then as many items as
	 * it returns, a phase of the pool.  Then `sum` adds up the losses; `finish` (or NULL) is
	 * called in the leader when rows have moved.
	 */
	int64_t		(*learn) (void *trainer);
	void		(*item) (void *trainer, int64_t item, int thread);
	KgeSum		(*sum) (const KgeTrainer *trainer);
	void		(*finish) (KgeTrainer *trainer);

	/*
	 * Of losses over sampled negatives: the losses and derivatives of a block's own
	 * scores, and of a tile of its negatives'; what its mean counts.  Where that is not
	 * negatives, they compete with each other, and no sampler may weigh them.
	 */
	void		(*positives) (struct KgeSampledBlock *block);
	void		(*negatives) (struct KgeSampledBlock *block, int count, const float *score,
							  const float *weight, int weight_stride);
	bool		counts_positives;
	bool		counts_negatives;
};

extern const KgeLoss kge_loss_logistic;
extern const KgeLoss kge_loss_margin;
extern const KgeLoss kge_loss_sampled_softmax;
extern const KgeLoss kge_loss_softmax;
extern const KgeLoss kge_loss_k_vs_all;

/* A trainer's matrices and engine: what does not depend on a loss but for the slots. */
extern void kge_plan_rows(KgeTrainer *plan, const KgeModel *model, const KgeTraining *training);

/* Takes their arrays. */
extern void kge_take_rows(KgeTrainer *plan, int threads, Allocation *allocation);

/* Makes them ready to start from the model as it is. */
extern void kge_reset_rows(KgeTrainer *trainer);

/*
 * Moving the rows that have slots.  First the slots are grouped by their rows: the gradient will be
 * the slots' divided by `terms`, the penalty theirs divided by `positives`.  Then come two phases of the
 * pool, whose argument is the trainer; without groups they move nothing.  Then slots are to be forgotten.
 */
extern void kge_group_rows(KgeTrainer *trainer, double terms, double positives);
extern const PoolPhase kge_move_relations;
extern const PoolPhase kge_move_entities;

/* All of that. */
extern void kge_move_rows(KgeTrainer *trainer, double terms, double positives);

/* The optimizer's state becomes what it would be had each gradient so far been applied `times` times. */
extern void kge_repeat_rows(KgeTrainer *trainer, int times);

/* Makes all slots unused, and moves nothing. */
extern void kge_forget_rows(KgeTrainer *trainer);

#define KGE_AHEAD	2			/* rows between asking and needing */

/* Asks for an entity's row, which lies anywhere in memory, some rows before it is needed. */
static inline void
kge_ask_for_row(const KgeTrainer *trainer, int32_t entity)
{
	vector_prefetch(kge_entity_row(trainer->model, entity), (size_t) trainer->entity.width);
}

/* Notes which query's gradient a relation's slot holds, and how much its relation is penalised. */
static inline void
kge_open_relation_slot(KgeTrainer *trainer, int64_t slot, KgeQuery query, float penalty)
{
	trainer->relation.row[slot] = query.relation;
	trainer->relation.query[slot] = query;
	trainer->relation.penalty[slot] = trainer->penalises_relations ? penalty : 0;
}

/* ---- epoch.c ----------------------------------------------------------------- */

/* One pass over the positives, as kge_train_epoch. */
extern KgeLossSum kge_train_positives(KgeTrainer *trainer, const Triple *positives, const float *worth,
									  int64_t count, uint64_t epoch);

#endif							/* HKG_KGE_TRAINER_H */
