/*
 * relation_loss.h
 *		An auxiliary loss: which relation is it that holds between two entities?
 */
#ifndef HKG_KGE_RELATION_LOSS_H
#define HKG_KGE_RELATION_LOSS_H

#include "trainer.h"

typedef struct KgeRelationLoss KgeRelationLoss;

/* A triple as it is asked (kge_asked), and the weight of its loss. */
typedef struct KgePair
{
	Triple	triple;
	float		weight;
} KgePair;

/* Plans dense gradients for relations, and 2 slots of entities for each of `pairs` pairs. */
extern void kge_relation_loss_plan(KgeTrainer *plan, int64_t pairs);

/* Takes what it works with. */
extern KgeRelationLoss *kge_relation_loss_take(const KgeTrainer *plan, int64_t pairs, int threads,
											   Allocation *allocation);

/*
 * Adds to the minibatch's gradients those of the cross entropy of each pair's relation, times
 * relation_weight: sets all relations' dense ones, and the slots of entities from `slot` on.
 * Returns the sum of these losses.
 */
extern double kge_relation_loss(KgeTrainer *trainer, KgeRelationLoss *work,
								const KgePair *pairs, int count, int slot);

/* Floating-point operations of that many pairs. */
extern double kge_relation_loss_flops(const KgeModel *model, double pairs);

#endif							/* HKG_KGE_RELATION_LOSS_H */
