/*
 * train_slice.c
 *		A bucket, trained where its blocks are: what a node does for node_buckets.c.
 *
 * Its training depends on what the blocks have and on the settings alone, so it gives the same bits as here.
 */
#include "server/compat.h"

#include "catalog/pg_type.h"

#include "sent_blocks.h"
#include "server/array.h"
#include "server/host.h"
#include "server/sql.h"

typedef struct TrainSlice
{
	SentBlocks	sent;
	KgeTraining training;
	KgeTrainer *trainer;
	Arena		arena;
} TrainSlice;

/* ---- memory --------------------------------------------------------------------------- */

/* Without partitions, a trainer may have state that no block has room for. */
static void
check_settings(const TrainSettings *settings)
{
	if (settings->partitions == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("settings are of a training without partitions"),
				 errhint("Only a training with partitions has buckets.")));
}

static void
cut_blocks(TrainSlice *slice)
{
	SentBlocks *sent = &slice->sent;
	BucketHead	head = sent->blocks.head;
	BucketSizes sizes = bucket_sizes(&sent->model, &slice->training);

	if (head.known != 0 || head.rules != 0 ||
		(head.entailments != 0 && !kge_constraint_entails(slice->training.constraint)))
		bucket_blocks_damaged();
	sent->blocks = bucket_blocks(&head, &sizes);
	slice->arena = hkg_within_memory(hkg_arena(), sent_blocks_bytes(sent), "training a bucket", "raise partitions");
}

static void
take_memory(TrainSlice *slice)
{
	static const BlockPart parts[] = {
		BLOCK_POSITIVES, BLOCK_WORTH, BLOCK_ENTAILMENTS, BLOCK_RELATIONS, BLOCK_EMBEDDINGS
	};
	SentBlocks *sent = &slice->sent;
	float	   *state;
	size_t		count;

	sent_blocks_take(sent, parts, lengthof(parts));
	slice->trainer = kge_trainer_create(&slice->arena, hkg_pool(), &sent->model, &slice->training,
										sent->blocks.head.max_positives);
	if (slice->trainer == NULL)
		bucket_blocks_damaged();
	(void) kge_trainer_state(slice->trainer, 0, &state, &count);
	sent->part[BLOCK_STATE] = (char *) state;
	sent->part[BLOCK_STATE_1] = sent->part[BLOCK_STATE] + sent->blocks.bytes[BLOCK_STATE];
	(void) kge_trainer_state(slice->trainer, 1, &state, &count);
	sent->part[BLOCK_RELATION_STATE] = (char *) state;
}

/* ---- what comes back --------------------------------------------------------------------- */

static void
write_blocks(const SentBlocks *sent)
{
	static const Oid types[] = {INT8OID, BYTEAOID};
	SqlBatch   *batch = sql_batch_begin(psprintf("update %s t set bytes = n.bytes from unnest($1, $2) n (number, bytes) "
												 "where t.place = %d and t.lane = %d and t.number = n.number",
												 sent->table, sent->place, sent->lane), lengthof(types), types);

	for (int64 number = sent->blocks.first[BLOCK_RELATIONS]; number < bucket_block_count(&sent->blocks); number++)
	{
		BucketBlock	block = bucket_block_at(&sent->blocks, number);
		bytea	   *value = palloc(VARHDRSZ + block.bytes);
		Datum		row[] = {Int64GetDatum(number), PointerGetDatum(value)};

		SET_VARSIZE(value, VARHDRSZ + block.bytes);
		memcpy(VARDATA(value), sent->part[block.part] + block.start, block.bytes);
		sql_batch_row(batch, row, NULL);
		pfree(value);
	}
	(void) sql_batch_end(batch);
}

/* ---- the function ------------------------------------------------------------------------ */

/* Gives the trainer what was sent; whoever wrote it, a byte for a bool may be any number. */
static void
entail(TrainSlice *slice)
{
	const SentBlocks *sent = &slice->sent;
	const KgeEntailment *entailment = (const KgeEntailment *) sent->part[BLOCK_ENTAILMENTS];
	int64		count = sent->blocks.head.entailments;

	if (count == 0)
		return;
	for (int64 i = 0; i < count; i++)
		if (*(const uint8 *) &entailment[i].inverse > 1 || entailment[i].body < 0 ||
			entailment[i].body >= sent->model.relations ||
			entailment[i].head < 0 || entailment[i].head >= sent->model.relations)
			bucket_blocks_damaged();
	if (!kge_trainer_entail(slice->trainer, &slice->arena, entailment, count))
		elog(ERROR, "no memory for entailments");
}

static KgeLossSum
train(const TrainSlice *slice)
{
	const SentBlocks *sent = &slice->sent;
	const BucketHead *head = &sent->blocks.head;
	KgeBucket	bucket = {
		.rows = {head->rows[0], head->rows[1]},.part = head->part,.count = head->count,.seed = head->seed,
		.positives = (const Triple *) sent->part[BLOCK_POSITIVES],
		.worth = head->have_worth ? (const float *) sent->part[BLOCK_WORTH] : NULL
	};

	return kge_train_bucket(slice->trainer, 0, &bucket, head->epoch);
}

HKG_FUNCTION(hkg_train_slice);
Datum
hkg_train_slice(PG_FUNCTION_ARGS)
{
	TrainSlice	slice = {.sent = sent_blocks_open(fcinfo, ACL_SELECT | ACL_UPDATE)};
	KgeLossSum	loss;
	double		numbers[2];

	check_settings(&slice.sent.settings);
	slice.training = settings_training(&slice.sent.settings);
	slice.training.has_false = slice.sent.blocks.head.have_worth;	/* or may have */
	cut_blocks(&slice);
	take_memory(&slice);
	sent_blocks_read(&slice.sent);
	entail(&slice);
	loss = train(&slice);
	hkg_check_interrupts();
	write_blocks(&slice.sent);
	sent_blocks_close(&slice.sent);
	MemoryContextDelete(slice.sent.own);
	numbers[0] = loss.sum;
	numbers[1] = (double) loss.terms;
	return array_of_float8(numbers, 2);
}
