/*
 * sent_blocks.h
 *		Blocks that a node got: what a function does that node_blocks.h runs.
 */
#ifndef HKG_TRAIN_SENT_BLOCKS_H
#define HKG_TRAIN_SENT_BLOCKS_H

#include "server/compat.h"

#include "utils/acl.h"

#include "bucket_blocks.h"
#include "train/settings.h"

typedef struct SentBlocks
{
	MemoryContext caller;
	MemoryContext own;			/* of all that the function takes but its answer */
	char	   *table;			/* quoted */
	int32		place;
	int32		lane;
	TrainSettings settings;
	KgeModel	model;			/* of the entities that were sent; sent_blocks_take sets its embeddings */
	BucketBlocks blocks;		/* their head; the caller cuts the rest by its sizes */
	char	   *part[BLOCK_PARTS];	/* memory of each; NULL: the caller has no use for it */
	bool	   *received;		/* whether the block of that number was */
} SentBlocks;

/*
 * Begins a function with the arguments graph, settings, blocks, place, lane, and makes a memory context of its own
 * current.  `rights`: those that the caller needs on the table.  ERROR XX001 where the head cannot be one, 42501, 42703
 * or 42P01 for another table.
 */
extern SentBlocks sent_blocks_open(FunctionCallInfo fcinfo, AclMode rights);

/* Makes the caller's context current again, for the answer.  Then the function deletes its own. */
extern void sent_blocks_close(const SentBlocks *sent);

/* Of all parts */
extern Size sent_blocks_bytes(const SentBlocks *sent);

/*
 * Takes memory for these parts, whose sizes the caller has checked.  Those of relations and of embeddings, which are
 * among them, are the model's from then on; of embeddings, rows of both places follow each other.
 */
extern void sent_blocks_take(SentBlocks *sent, const BlockPart *part, int count);

/* Reads all blocks to memory, and checks the triples among them.  ERROR XX001 where they are not whole. */
extern void sent_blocks_read(SentBlocks *sent);

#endif							/* HKG_TRAIN_SENT_BLOCKS_H */
