/*
 * node_blocks.h
 *		Blocks on their way to the nodes of a cluster.
 */
#ifndef HKG_TRAIN_NODE_BLOCKS_H
#define HKG_TRAIN_NODE_BLOCKS_H

#include "server/compat.h"

#include "bucket_blocks.h"
#include "graph/graph.h"
#include "server/sql.h"
#include "train/settings.h"

typedef struct NodeBlocks
{
	const Graph *graph;
	const char *settings;		/* as JSON */
	bool		in_worker;
	int			places;			/* at least 1 */
	int32		place[KGE_MOST_LANES];
	SqlBatch   *batch;			/* while blocks are sent */
} NodeBlocks;

/* Copies a block's bytes from where they are. */
typedef void (*BlockReader) (const void *source, const BucketBlock *block, void *bytes);

/* In the current context; NULL where no node but this one can take blocks.  The graph lives on. */
extern NodeBlocks *node_blocks_open(const Graph *graph, const TrainSettings *settings, bool in_worker);

/* How long so many bytes take to the nodes in so many calls, about */
extern double node_seconds_to_send(double bytes, double calls);

/* The place that the blocks of a lane go to; lanes share places where there are fewer of these. */
extern int32 node_blocks_place(const NodeBlocks *nodes, int lane);

/*
 * These follow each other: begin; send for each lane; run; what the caller reads of table bucket; end.  In a background
 * worker they are a transaction of its own.
 *
 * run: each node calls the function, which takes graph, settings, blocks, place and lane; `take` gets the lane and what
 * it returned.  ERROR XX001 unless all lanes answer.
 */
extern void node_blocks_begin(NodeBlocks *nodes);
extern void node_blocks_send(const NodeBlocks *nodes, int lane, const BucketBlocks *blocks, BlockReader read,
							 const void *source);
extern void node_blocks_run(NodeBlocks *nodes, const char *function, int lanes,
							void (*take) (void *argument, int lane, Datum answer), void *argument);
extern void node_blocks_end(const NodeBlocks *nodes);

/* The elements of the array that the function returned; ERROR 55000 unless there are `count` and none is null. */
extern const void *node_blocks_numbers(const char *function, Datum answer, int64 count);

#endif							/* HKG_TRAIN_NODE_BLOCKS_H */
