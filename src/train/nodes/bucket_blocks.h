/*
 * bucket_blocks.h
 *		A bucket as blocks: rows of a table, in which it travels to a node and comes back.  Embeddings by which a node
 *		ranks triples or rates rules are such a bucket, too: of all entities, without the state of an optimizer.
 */
#ifndef HKG_TRAIN_BUCKET_BLOCKS_H
#define HKG_TRAIN_BUCKET_BLOCKS_H

#include "server/compat.h"

#include "kge/learning.h"

/* Bytes of a row of entities, and of all relations; both with the state of their optimizer */
typedef struct BucketSizes
{
	Size		entity;
	Size		entity_state;
	Size		relations;
	Size		relation_state;
} BucketSizes;

extern BucketSizes bucket_sizes(const KgeModel *model, const KgeTraining *training);
extern BucketSizes bucket_sizes_without_state(const KgeModel *model);

/* What is sent first: sizes of the rest, and what the work depends on besides it */
typedef struct BucketHead
{
	uint64		seed;
	uint64		epoch;
	double		part;			/* as these, see KgeBucket */
	double		least_quality;	/* of rules that are rated */
	int64		count;			/* positives, or the triples to be ranked */
	int64		known;			/* triples that are no candidates of these, or all facts; of a training, 0 */
	int64		entailments;	/* between relations; of a training */
	int32		rows[2];		/* of entities, at each place */
	int64		max_positives;	/* of the trainer */
	int32		relations;		/* of the model */
	int32		stripe_rows;	/* blocks have whole stripes of entities */
	int32		have_worth;
	int32		rules;			/* numbers of rules that are rated; 0: none */
} BucketHead;

typedef enum BlockPart
{
	BLOCK_HEAD,
	BLOCK_POSITIVES,
	BLOCK_WORTH,
	BLOCK_ENTAILMENTS,
	BLOCK_KNOWN,
	BLOCK_IDS,					/* of entities, then of relations; where there are rules */
	BLOCK_RULES,
	BLOCK_RELATIONS,			/* from here on, what training changes */
	BLOCK_RELATION_STATE,
	BLOCK_EMBEDDINGS,			/* of place 0 */
	BLOCK_STATE,
	BLOCK_EMBEDDINGS_1,
	BLOCK_STATE_1,
	BLOCK_PARTS
} BlockPart;

/* A bucket's parts follow each other.  Each is cut into blocks, which are numbered from 0 on. */
typedef struct BucketBlocks
{
	BucketHead	head;
	Size		bytes[BLOCK_PARTS];
	Size		block_bytes[BLOCK_PARTS];	/* of all but its last block */
	int64		first[BLOCK_PARTS + 1]; /* number of its first block */
} BucketBlocks;

/* A piece of a part */
typedef struct BucketBlock
{
	BlockPart	part;
	Size		start;
	Size		bytes;
} BucketBlock;

extern BucketBlocks bucket_blocks(const BucketHead *head, const BucketSizes *sizes);
extern int64 bucket_block_count(const BucketBlocks *blocks);

/* ERROR XX001 where there is no block of that number, or it has another size. */
extern BucketBlock bucket_block(const BucketBlocks *blocks, int64 number, Size bytes);

/* The same of a block that is to be written */
extern BucketBlock bucket_block_at(const BucketBlocks *blocks, int64 number);

/* ERROR XX001: blocks are missing, or do not fit each other. */
extern _Noreturn void bucket_blocks_damaged(void);

#endif							/* HKG_TRAIN_BUCKET_BLOCKS_H */
