/*
 * train_slice.c
 *		A bucket, trained where its blocks are: what a node does for node_buckets.c.
 *
 * Its training depends on what the blocks have and on the settings alone, so it gives the same bits as here.  Whoever
 * calls the function may have written the blocks: all that is a place or a size is checked.
 */
#include "server/compat.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "bucket_blocks.h"
#include "graph/graph.h"
#include "graph/node_slices.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/host.h"
#include "server/sql.h"
#include "settings.h"

typedef struct TrainSlice
{
	char	   *table;			/* quoted */
	int32		place;
	int32		lane;
	KgeModel	model;			/* of the bucket's entities */
	KgeTraining training;
	KgeTrainer *trainer;
	BucketBlocks blocks;
	char	   *part[BLOCK_PARTS];
	int64		received;
} TrainSlice;

/* ---- sizes ---------------------------------------------------------------------------- */

static BucketHead
read_head(const TrainSlice *slice)
{
	SqlArgs		args = {0};
	BucketHead	head;
	Datum		value;

	sql_arg(&args, INT4OID, Int32GetDatum(slice->place));
	sql_arg(&args, INT4OID, Int32GetDatum(slice->lane));
	if (!sql_value(psprintf("select bytes::bytea from %s where place = $1 and lane = $2 and number = 0", slice->table), &args, &value) ||
		VARSIZE_ANY_EXHDR(DatumGetPointer(value)) != sizeof(head))
		bucket_blocks_damaged();
	memcpy(&head, VARDATA_ANY(DatumGetPointer(value)), sizeof(head));
	if (head.rows[0] < 0 || head.rows[1] < 0 || head.rows[0] > INT_MAX - head.rows[1] || head.rows[0] + head.rows[1] == 0 ||
		head.relations < 1 || head.relations > INT_MAX / 2 || head.count < 0 || head.count > head.max_positives ||
		head.max_positives > INT_MAX || head.stripe_rows < 1 || head.stripe_rows > 1000000 || !(head.part > 0 && head.part <= 1))
		bucket_blocks_damaged();
	return head;
}

static void
check_memory(const TrainSlice *slice)
{
	uint64		bytes = kge_trainer_bytes(&slice->model, &slice->training, slice->blocks.head.max_positives, hkg_threads);

	for (BlockPart part = BLOCK_POSITIVES; part < BLOCK_PARTS; part++)
		bytes += slice->blocks.bytes[part];
	hkg_check_memory_or(bytes, "training a bucket", "raise partitions");
}

/* ---- memory --------------------------------------------------------------------------- */

static char *
take_bytes(Size bytes)
{
	return hkg_allocate(CurrentMemoryContext, Max(bytes, 1));
}

/* Rows of both places follow each other. */
static void
open_slice(TrainSlice *slice)
{
	const Size *bytes = slice->blocks.bytes;
	Arena		arena = hkg_arena();
	float	   *state;
	size_t		count;

	slice->part[BLOCK_POSITIVES] = take_bytes(bytes[BLOCK_POSITIVES]);
	slice->part[BLOCK_WEIGHTS] = take_bytes(bytes[BLOCK_WEIGHTS]);
	slice->part[BLOCK_RELATIONS] = take_bytes(bytes[BLOCK_RELATIONS]);
	slice->part[BLOCK_EMBEDDINGS] = take_bytes(bytes[BLOCK_EMBEDDINGS] + bytes[BLOCK_EMBEDDINGS_1]);
	slice->part[BLOCK_EMBEDDINGS_1] = slice->part[BLOCK_EMBEDDINGS] + bytes[BLOCK_EMBEDDINGS];
	slice->model.entity = (float *) slice->part[BLOCK_EMBEDDINGS];
	slice->model.relation = (float *) slice->part[BLOCK_RELATIONS];
	slice->trainer = kge_trainer_create(&arena, hkg_pool(), &slice->model, &slice->training, slice->blocks.head.max_positives);
	if (slice->trainer == NULL)
		bucket_blocks_damaged();
	(void) kge_trainer_state(slice->trainer, 0, &state, &count);
	slice->part[BLOCK_STATE] = (char *) state;
	slice->part[BLOCK_STATE_1] = slice->part[BLOCK_STATE] + bytes[BLOCK_STATE];
	(void) kge_trainer_state(slice->trainer, 1, &state, &count);
	slice->part[BLOCK_RELATION_STATE] = (char *) state;
}

/* ---- blocks --------------------------------------------------------------------------- */

static void
take_block(void *argument, const Datum *values, const bool *nulls)
{
	TrainSlice *slice = argument;
	bytea	   *value = nulls[1] ? NULL : DatumGetByteaPP(values[1]);
	BucketBlock	block;

	if (nulls[0] || value == NULL)
		bucket_blocks_damaged();
	block = bucket_block(&slice->blocks, DatumGetInt64(values[0]), VARSIZE_ANY_EXHDR(value));
	if (block.part != BLOCK_HEAD)
		memcpy(slice->part[block.part] + block.start, VARDATA_ANY(value), block.bytes);
	slice->received++;
	if ((Pointer) value != DatumGetPointer(values[1]))
		pfree(value);
}

static void
check_positives(const TrainSlice *slice)
{
	const BucketHead *head = &slice->blocks.head;
	const Triple *positive = (const Triple *) slice->part[BLOCK_POSITIVES];

	for (int64 i = 0; i < head->count; i++)
	{
		Triple		one = positive[i];

		if (one.head < 0 || one.head >= slice->model.entities || one.tail < 0 || one.tail >= slice->model.entities ||
			one.relation < 0 || one.relation >= head->relations)
			bucket_blocks_damaged();
		if (i % 65536 == 0)
			hkg_check_interrupts();
	}
}

static void
read_blocks(TrainSlice *slice)
{
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(slice->place));
	sql_arg(&args, INT4OID, Int32GetDatum(slice->lane));
	sql_stream(psprintf("select number::bigint, bytes::bytea from %s where place = $1 and lane = $2", slice->table), &args, take_block, slice);
	if (slice->received != bucket_block_count(&slice->blocks))
		bucket_blocks_damaged();
	check_positives(slice);
}

static void
write_blocks(const TrainSlice *slice)
{
	static const Oid types[] = {INT8OID, BYTEAOID};
	SqlBatch   *batch = sql_batch_begin(psprintf("update %s t set bytes = n.bytes from unnest($1, $2) n (number, bytes) "
												 "where t.place = %d and t.lane = %d and t.number = n.number",
												 slice->table, slice->place, slice->lane), lengthof(types), types);

	for (int64 number = slice->blocks.first[BLOCK_RELATIONS]; number < bucket_block_count(&slice->blocks); number++)
	{
		BucketBlock	block = bucket_block_at(&slice->blocks, number);
		bytea	   *value = palloc(VARHDRSZ + block.bytes);
		Datum		row[] = {Int64GetDatum(number), PointerGetDatum(value)};

		SET_VARSIZE(value, VARHDRSZ + block.bytes);
		memcpy(VARDATA(value), slice->part[block.part] + block.start, block.bytes);
		sql_batch_row(batch, row, NULL);
		pfree(value);
	}
	(void) sql_batch_end(batch);
}

/* ---- the function ------------------------------------------------------------------------ */

static KgeLossSum
train(TrainSlice *slice)
{
	const BucketHead *head = &slice->blocks.head;
	KgeBucket	bucket = {
		.rows = {head->rows[0], head->rows[1]},.part = head->part,.count = head->count,.seed = head->seed,
		.positives = (const Triple *) slice->part[BLOCK_POSITIVES],
		.weights = head->weighted ? (const float *) slice->part[BLOCK_WEIGHTS] : NULL
	};

	return kge_train_bucket(slice->trainer, 0, &bucket, head->epoch);
}

static KgeLossSum
train_slice(TrainSlice *slice, const BucketHead *head, const TrainSettings *settings)
{
	BucketSizes sizes;
	KgeLossSum	loss;

	slice->model = settings_model(settings);
	slice->model.entities = head->rows[0] + head->rows[1];
	slice->model.relations = head->relations;
	slice->training = settings_training(settings);
	sizes = bucket_sizes(&slice->model, &slice->training);
	slice->blocks = bucket_blocks(head, &sizes);
	check_memory(slice);
	open_slice(slice);
	read_blocks(slice);
	loss = train(slice);
	hkg_check_interrupts();
	write_blocks(slice);
	return loss;
}

static void
check_columns(Oid table)
{
	static const char *const columns[] = {"place", "lane", "number", "bytes"};

	for (int i = 0; i < (int) lengthof(columns); i++)
		if (get_attnum(table, columns[i]) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("blocks has no column \"%s\"", columns[i]),
					 errhint("Give table bucket of a distributed graph, or a shard of it.")));
}

/* The table as a statement names it; any number can be a regclass. */
static char *
block_table(Oid table)
{
	char	   *name = get_rel_name(table);

	if (name == NULL || get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("blocks must be a table, which %s is not", name == NULL ? psprintf("%u", table) : quote_identifier(name))));
	if (pg_class_aclmask(table, GetUserId(), ACL_SELECT | ACL_UPDATE, ACLMASK_ALL) != (ACL_SELECT | ACL_UPDATE))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, name);
	check_columns(table);
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
}

HKG_FUNCTION(hkg_train_slice);
Datum
hkg_train_slice(PG_FUNCTION_ARGS)
{
	char	   *graph = argument_name(fcinfo, 0, "graph");
	Jsonb	   *given = DatumGetJsonbP(argument(fcinfo, 1, "settings"));
	TrainSlice	slice = {
		.place = argument_int(fcinfo, 3, "place", PG_INT32_MIN, PG_INT32_MAX),
		.lane = argument_int(fcinfo, 4, "lane", 0, KGE_MOST_LANES - 1)
	};
	BucketHead	head;
	TrainSettings settings;
	KgeLossSum	loss;
	double		numbers[2];
	MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "hybridkg bucket", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(own);

	node_slice_begin();
	sql_begin();
	(void) graph_open_facts(graph);
	slice.table = block_table(DatumGetObjectId(argument(fcinfo, 2, "blocks")));
	head = read_head(&slice);
	settings_parse(graph, JsonbToCString(NULL, &given->root, VARSIZE(given)), &settings);
	loss = train_slice(&slice, &head, &settings);
	sql_end();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(own);
	numbers[0] = loss.sum;
	numbers[1] = (double) loss.terms;
	return array_of_float8(numbers, 2);
}
