/*
 * partition_memory.h
 *		Two partitions of a model's entities in memory, all of them in a file.
 */
#ifndef HKG_TRAIN_PARTITION_MEMORY_H
#define HKG_TRAIN_PARTITION_MEMORY_H

#include "server/compat.h"

#include "lane_relations.h"
#include "partition_file.h"
#include "train/nodes/node_blocks.h"
#include "train/positives.h"

typedef struct PartitionMemory PartitionMemory;

/* What has been trained of an epoch: its deals before one, and of that one the buckets before one */
typedef struct EpochPlace
{
	uint64		epoch;
	int64		deal;
	int64		bucket;
	KgeLossSum	loss;			/* of these */
} EpochPlace;

struct PartitionMemory
{
	KgePartitioning sizes;		/* partitions 1: all entities are in memory, and nothing of this is used */
	KgeModel	room;			/* its entities: two partitions; its relations: the model's */
	BucketSizes bytes;
	KgeTrainer *trainer;		/* of the room */
	KgePartitions *partitions;
	const KgeEntailment *entailments;	/* of the trainer, for nodes */
	int64		entailment_count;
	LaneRelations lanes;
	NodeBlocks *nodes;			/* that train the buckets of a step; NULL: this process does, one after the other */
	KgeLossSum	(*train_on_nodes) (NodeBlocks *nodes, PartitionMemory *memory, const KgeBucket *bucket, int count,
								   uint64 epoch);
	PartitionFile file;
	EpochPlace	place;
	bool		at_place;		/* whether file and relations are as at that place, not in the middle of a change */
	int			held[2];		/* the partition at each place of the room; -1: none */
	int32		rows[2];		/* of these */
};

/* The sizes alone, without memory */
extern PartitionMemory partition_memory_sizes(const TrainSettings *settings, const KgeModel *model,
											  const Positives *positives, const KgeTraining *training);

static inline bool
is_partitioned(const PartitionMemory *memory)
{
	return memory->sizes.partitions > 1;
}

/*
 * Takes all memory, in the current context, and writes initial embeddings.  `model` has its relations; its entities
 * become those of the file, which are up to date between epochs.
 */
extern void partition_memory_open(PartitionMemory *memory, Pool *pool, KgeModel *model, const KgeTraining *training,
								  bool in_worker);

/* Copies rows of a partition from the file, or to it; they begin with a stripe. */
extern void partition_memory_copy(const PartitionMemory *memory, int partition, FilePart part, KgeStripe rows,
								  void *values, bool writes);

/* One pass over the positives, or the rest of it where `place` is in it.  Returns the mean loss, NaN when it diverged. */
extern double partition_memory_epoch(PartitionMemory *memory, const Positives *positives, uint64 epoch);

/* As kge_trainer_state: that of all entities is the file's. */
extern bool partition_memory_state(const PartitionMemory *memory, int i, float **values, size_t *count);

#endif							/* HKG_TRAIN_PARTITION_MEMORY_H */
