/*
 * lane_relations.h
 *		The relations of the lanes of a step, each with the state of their optimizer.
 */
#ifndef HKG_TRAIN_LANE_RELATIONS_H
#define HKG_TRAIN_LANE_RELATIONS_H

#include "server/compat.h"

#include "train/nodes/bucket_blocks.h"

typedef struct LaneRelations
{
	KgeTrainer *trainer;
	BucketSizes sizes;
	int			lanes;			/* 1: nothing of this is used, and nothing was taken */
	KgeRelations own;			/* of the trainer */
	KgeRelations before;		/* what lanes begin with */
	KgeRelations lane[KGE_MOST_LANES];
} LaneRelations;

/* Bytes that lane_relations_open takes */
extern Size lane_relations_bytes(const BucketSizes *sizes, int lanes);
extern void lane_relations_open(LaneRelations *relations, KgeTrainer *trainer, float *relation, const BucketSizes *sizes,
								int lanes);

/*
 * begin: before a step.  enter and leave: before and after the training of a lane.  merge: after the step, the lanes'
 * relations become the trainer's.
 */
extern void lane_relations_begin(LaneRelations *relations);
extern void lane_relations_enter(LaneRelations *relations);
extern void lane_relations_leave(LaneRelations *relations, int lane);
extern void lane_relations_merge(LaneRelations *relations, int lanes);

#endif							/* HKG_TRAIN_LANE_RELATIONS_H */
