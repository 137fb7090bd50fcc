/*
 * node_buckets.h
 *		Buckets of a step, trained at once on the nodes of a cluster.
 */
#ifndef HKG_TRAIN_NODE_BUCKETS_H
#define HKG_TRAIN_NODE_BUCKETS_H

#include "server/compat.h"

#include "graph/graph.h"
#include "partition_memory.h"
#include "train/nodes/node_blocks.h"
#include "train/settings.h"

/* Sets the number of buckets that are trained at once, unless it was given: as many as nodes can do. */
extern void node_buckets_fill_in(const Graph *graph, TrainSettings *settings);

/*
 * In the current context; NULL where lanes are trained here, one after the other: one lane, a graph that is not
 * distributed, or a caller who may not write its table bucket.
 */
extern NodeBlocks *node_buckets_open(const Graph *graph, const TrainSettings *settings, bool in_worker);

/* Servers that train; NULL: 1 */
extern int	node_buckets_servers(const NodeBlocks *nodes, const TrainSettings *settings);

/*
 * Trains that many buckets, each in its lane: rows go from the file of partitions to nodes, and come back to it;
 * relations come to lane_relations.  Returns the sum of losses; NaN: one has diverged, and nothing came back.  In a
 * background worker it is a transaction of its own.
 */
extern KgeLossSum node_buckets_train(NodeBlocks *nodes, PartitionMemory *memory, const KgeBucket *bucket, int count,
									 uint64 epoch);

#endif							/* HKG_TRAIN_NODE_BUCKETS_H */
