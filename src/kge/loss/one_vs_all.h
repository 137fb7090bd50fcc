/*
 * one_vs_all.h
 *		What losses against all entities share.
 */
#ifndef HKG_KGE_ONE_VS_ALL_H
#define HKG_KGE_ONE_VS_ALL_H

#include "kge/learn/trainer.h"

/* KgeLoss.scores of a loss against all entities */
extern double kge_scores_of_all(const KgeTraining *training, const KgeModel *model, int64_t positives, int64_t queries);

/* ---- group.c: the positives of an epoch, grouped by the query that they answer  */

typedef struct KgeGroups
{
	int64_t		room;			/* positives, at most */
	int32_t		keys;			/* entities or relations, whichever are more */
	int			limit;			/* positives of a group, at most */

	/* by the side that is asked for */
	int64_t		positives;
	int32_t    *member[2];		/* positives, those of a group side by side */
	int32_t    *start[2];		/* of each group in `member`, and the end of the last */
	int64_t		count[2];		/* groups */
	int64_t    *place[2];		/* keys + 1: room for sorting */
} KgeGroups;

/* A group: positives of one given entity and one relation. */
typedef struct KgeGroup
{
	Side		side;			/* the side that is asked for */
	int			count;
	const int32_t *member;		/* numbers of positives */
} KgeGroup;

/* Takes the arrays of a KgeGroups whose room, keys and limit are set. */
extern void kge_groups_take(KgeGroups *groups, Allocation *allocation);

/* Groups the positives on either side. */
extern void kge_groups_fill(KgeGroups *groups, Pool *pool,
							const Triple *positives, int64_t count);

/* Groups of both sides, and one of them. */
static inline int64_t
kge_groups_count(const KgeGroups *groups)
{
	return groups->count[SIDE_HEAD] + groups->count[SIDE_TAIL];
}

static inline KgeGroup
kge_group(const KgeGroups *groups, int64_t number)
{
	Side		side = number < groups->count[SIDE_HEAD] ? SIDE_HEAD : SIDE_TAIL;
	const int32_t *start = groups->start[side] + (side == SIDE_HEAD ? number : number - groups->count[SIDE_HEAD]);

	return (KgeGroup) {side, start[1] - start[0], groups->member[side] + start[0]};
}

/* ---- relation_loss.c: an auxiliary loss, of the relation that holds between two entities  */

typedef struct KgeRelationLoss KgeRelationLoss;

/* A triple as it is asked (kge_asked), and the weight of its loss. */
typedef struct KgePair
{
	Triple		triple;
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

#endif							/* HKG_KGE_ONE_VS_ALL_H */
