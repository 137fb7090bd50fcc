/*
 * bucket_blocks.c
 *		A bucket as blocks (see bucket_blocks.h).
 *
 * A value has less than 1 GB, and a bucket may have more: so it is cut.  The number of a block is its place, so blocks
 * may come in any order, and no side sorts them.  Numbers are sent as they are in memory: nodes have to be
 * machines of one kind.
 */
#include "bucket_blocks.h"

#define BLOCK_BYTES ((Size) 1024 * 1024)

BucketSizes
bucket_sizes_without_state(const KgeModel *model)
{
	return (BucketSizes) {
		.entity = kge_entity_width(model->function, model->dimensions) * sizeof(float),
		.relations = (Size) kge_relation_rows(model) * kge_relation_width(model->function, model->dimensions) *
		sizeof(float)
	};
}

BucketSizes
bucket_sizes(const KgeModel *model, const KgeTraining *training)
{
	KgeModel	one_more = *model;
	Size		state = kge_trainer_state_bytes(model, training);
	BucketSizes sizes = bucket_sizes_without_state(model);

	one_more.entities++;
	sizes.entity_state = kge_trainer_state_bytes(&one_more, training) - state;
	sizes.relation_state = state - model->entities * sizes.entity_state;
	return sizes;
}

/* About BLOCK_BYTES, of whole units; of what is not there, any number does. */
static Size
block_bytes(Size unit)
{
	return unit == 0 ? BLOCK_BYTES : unit * Max(BLOCK_BYTES / unit, 1);
}

BucketBlocks
bucket_blocks(const BucketHead *head, const BucketSizes *sizes)
{
	Size		rows[] = {head->rows[0], head->rows[1]};
	BucketBlocks blocks = {
		.head = *head,
		.bytes = {
			[BLOCK_HEAD] = sizeof(BucketHead),
			[BLOCK_POSITIVES] = head->count * sizeof(Triple),
			[BLOCK_WORTH] = head->have_worth ? head->count * sizeof(float) : 0,
			[BLOCK_ENTAILMENTS] = head->entailments * sizeof(KgeEntailment),
			[BLOCK_KNOWN] = head->known * sizeof(Triple),
			[BLOCK_IDS] = head->rules > 0 ? (rows[0] + rows[1] + head->relations) * sizeof(int32) : 0,
			[BLOCK_RULES] = head->rules * sizeof(int32),
			[BLOCK_RELATIONS] = sizes->relations,
			[BLOCK_RELATION_STATE] = sizes->relation_state,
			[BLOCK_EMBEDDINGS] = rows[0] * sizes->entity,
			[BLOCK_STATE] = rows[0] * sizes->entity_state,
			[BLOCK_EMBEDDINGS_1] = rows[1] * sizes->entity,
			[BLOCK_STATE_1] = rows[1] * sizes->entity_state
		}
	};

	for (BlockPart part = 0; part < BLOCK_PARTS; part++)
		blocks.block_bytes[part] = BLOCK_BYTES;
	blocks.block_bytes[BLOCK_EMBEDDINGS] = blocks.block_bytes[BLOCK_EMBEDDINGS_1] =
		block_bytes(head->stripe_rows * sizes->entity);
	blocks.block_bytes[BLOCK_STATE] = blocks.block_bytes[BLOCK_STATE_1] =
		block_bytes(head->stripe_rows * sizes->entity_state);
	for (BlockPart part = 0; part < BLOCK_PARTS; part++)
		blocks.first[part + 1] = blocks.first[part] + pool_pieces(blocks.bytes[part], blocks.block_bytes[part]);
	return blocks;
}

int64
bucket_block_count(const BucketBlocks *blocks)
{
	return blocks->first[BLOCK_PARTS];
}

BucketBlock
bucket_block_at(const BucketBlocks *blocks, int64 number)
{
	BucketBlock	block = {.part = BLOCK_HEAD};

	while (number >= blocks->first[block.part + 1])
		block.part++;
	block.start = (number - blocks->first[block.part]) * blocks->block_bytes[block.part];
	block.bytes = Min(blocks->block_bytes[block.part], blocks->bytes[block.part] - block.start);
	return block;
}

BucketBlock
bucket_block(const BucketBlocks *blocks, int64 number, Size bytes)
{
	BucketBlock	block;

	if (number < 0 || number >= bucket_block_count(blocks))
		bucket_blocks_damaged();
	block = bucket_block_at(blocks, number);
	if (block.bytes != bytes)
		bucket_blocks_damaged();
	return block;
}

void
bucket_blocks_damaged(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the blocks of a bucket are not whole"),
			 errhint("Table bucket of a graph belongs to hkg_train: nothing else may write it.")));
}
