/*
 * node_buckets.c
 *		Buckets of a step, trained at once on the nodes of a cluster (see node_buckets.h).
 *
 * The blocks of each bucket go to a node (node_blocks.h), which trains it (train_slice.c) and so changes them there.
 * Then those that have changed are read, and wait until all of them have come: a node may be lost at any time.  So a step
 * is whole, or did not happen.
 */
#include "node_buckets.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "graph/node_slices.h"

/* ---- where ------------------------------------------------------------------------ */

void
node_buckets_fill_in(const Graph *graph, TrainSettings *settings)
{
	if (settings->nodes > 0)
		return;
	settings->nodes = 1;
	if (settings->partitions > 1 && node_slices_exist(graph))
		settings->nodes = Max(Min(node_slices_count(graph), settings->partitions / 2), 1);
}

NodeBlocks *
node_buckets_open(const Graph *graph, const TrainSettings *settings, bool in_worker)
{
	return settings->nodes == 1 ? NULL : node_blocks_open(graph, settings, in_worker);
}

int
node_buckets_servers(const NodeBlocks *nodes, const TrainSettings *settings)
{
	return nodes == NULL ? 1 : Min(nodes->places, settings->nodes);
}

/* ---- blocks of a lane ---------------------------------------------------------------- */

typedef struct BucketLane
{
	PartitionMemory *memory;
	const KgeBucket *bucket;
	int			number;
	BucketBlocks blocks;
	int64		received;
} BucketLane;

static BucketLane
lane_of(PartitionMemory *memory, const KgeBucket *bucket, int number, uint64 epoch)
{
	BucketHead	head = {
		.seed = bucket->seed,.epoch = epoch,.part = bucket->part,.count = bucket->count,
		.rows = {bucket->rows[0], bucket->rows[1]},.max_positives = memory->sizes.max_positives,
		.entailments = memory->entailment_count,
		.relations = memory->room.relations,.stripe_rows = kge_stripe_rows(memory->partitions),
		.have_worth = bucket->worth != NULL
	};

	return (BucketLane) {
		.memory = memory,.bucket = bucket,.number = number,.blocks = bucket_blocks(&head, &memory->bytes)
	};
}

/* The memory of a part, at the block's start; NULL where it is in the file. */
static void *
memory_of(const BucketLane *lane, KgeRelations relations, const BucketBlock *block)
{
	const void *part[BLOCK_PARTS] = {
		[BLOCK_HEAD] = &lane->blocks.head,
		[BLOCK_POSITIVES] = lane->bucket->positives,
		[BLOCK_WORTH] = lane->bucket->worth,
		[BLOCK_ENTAILMENTS] = lane->memory->entailments,
		[BLOCK_RELATIONS] = relations.relation,
		[BLOCK_RELATION_STATE] = relations.state
	};

	return part[block->part] == NULL ? NULL : (char *) part[block->part] + block->start;
}

static void
copy_entities(const BucketLane *lane, const BucketBlock *block, void *rows, bool writes)
{
	bool		embeddings = block->part == BLOCK_EMBEDDINGS || block->part == BLOCK_EMBEDDINGS_1;
	int			place = block->part >= BLOCK_EMBEDDINGS_1;
	FilePart	part = embeddings ? FILE_EMBEDDINGS : FILE_STATE;
	Size		row_bytes = lane->memory->file.row_bytes[part];
	KgeStripe	stretch = {(int32) (block->start / row_bytes), (int32) (block->bytes / row_bytes)};

	partition_memory_copy(lane->memory, lane->bucket->partition[place], part, stretch, rows, writes);
}

/* ---- a step ------------------------------------------------------------------------- */

static void
read_block(const void *source, const BucketBlock *block, void *bytes)
{
	const BucketLane *lane = source;
	const void *memory = memory_of(lane, lane->memory->lanes.own, block);

	if (memory != NULL)
		memcpy(bytes, memory, block->bytes);
	else
		copy_entities(lane, block, bytes, false);
}

typedef struct Losses
{
	double		sum[KGE_MOST_LANES];
	double		terms[KGE_MOST_LANES];
} Losses;

static void
take_loss(void *argument, int lane, Datum answer)
{
	Losses	   *losses = argument;
	const double *number = node_blocks_numbers("_hkg_train_slice", answer, 2);

	losses->sum[lane] = number[0];
	losses->terms[lane] = number[1];
}

/* Each node trains what it got.  Losses are added up in the order of lanes. */
static KgeLossSum
run_step(NodeBlocks *nodes, int count)
{
	Losses		losses;
	KgeLossSum	sum = {0};

	node_blocks_run(nodes, "_hkg_train_slice", count, take_loss, &losses);
	for (int l = 0; l < count; l++)
	{
		sum.sum += losses.sum[l];
		sum.terms += (int64) losses.terms[l];
	}
	return sum;
}

/* The rows of a step, as they come */
typedef struct Received
{
	BucketLane *lane;
	int			number;			/* of the lane that is read */
	TupleDesc	columns;
	Tuplestorestate *rows;
} Received;

enum
{
	COLUMN_LANE,
	COLUMN_NUMBER,
	COLUMN_BYTES,
	COLUMNS
};

static Received
open_received(const NodeBlocks *nodes, BucketLane *lane)
{
	Received	received = {.lane = lane,.columns = CreateTemplateTupleDesc(COLUMNS)};

	TupleDescInitEntry(received.columns, COLUMN_LANE + 1, "lane", INT4OID, -1, 0);
	TupleDescInitEntry(received.columns, COLUMN_NUMBER + 1, "number", INT8OID, -1, 0);
	TupleDescInitEntry(received.columns, COLUMN_BYTES + 1, "bytes", BYTEAOID, -1, 0);
	received.rows = tuplestore_begin_heap(false, nodes->in_worker, work_mem);
	return received;
}

static void
keep_block(void *argument, const Datum *values, const bool *nulls)
{
	Received   *received = argument;
	BucketLane *lane = &received->lane[received->number];
	bytea	   *bytes = nulls[0] || nulls[1] ? NULL : DatumGetByteaPP(values[1]);
	Datum		row[COLUMNS] = {
		[COLUMN_LANE] = Int32GetDatum(received->number),[COLUMN_NUMBER] = values[0],[COLUMN_BYTES] = PointerGetDatum(bytes)
	};
	bool		none[COLUMNS] = {false};

	if (bytes == NULL)
		bucket_blocks_damaged();
	(void) bucket_block(&lane->blocks, DatumGetInt64(values[0]), VARSIZE_ANY_EXHDR(bytes));
	tuplestore_putvalues(received->rows, received->columns, row, none);
	lane->received++;
	if ((Pointer) bytes != DatumGetPointer(values[1]))
		pfree(bytes);
}

static void
receive_lane(const NodeBlocks *nodes, Received *received)
{
	BucketLane *lane = &received->lane[received->number];
	int64		first = lane->blocks.first[BLOCK_RELATIONS];
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(node_blocks_place(nodes, lane->number)));
	sql_arg(&args, INT4OID, Int32GetDatum(lane->number));
	sql_arg(&args, INT8OID, Int64GetDatum(first));
	sql_stream(psprintf("select number, bytes from %sbucket where place = $1 and lane = $2 and number >= $3",
						nodes->graph->prefix), &args, keep_block, received);
	if (lane->received != bucket_block_count(&lane->blocks) - first)
		bucket_blocks_damaged();
}

static void
take_block(const BucketLane *lane, int64 number, const bytea *value)
{
	BucketBlock block = bucket_block(&lane->blocks, number, VARSIZE_ANY_EXHDR(value));
	void	   *memory = memory_of(lane, lane->memory->lanes.lane[lane->number], &block);

	if (memory != NULL)
		memcpy(memory, VARDATA_ANY(value), block.bytes);
	else
		copy_entities(lane, &block, VARDATA_ANY(value), true);
}

static void
take_received(const Received *received)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(received->columns, &TTSOpsMinimalTuple);

	while (tuplestore_gettupleslot(received->rows, true, false, slot))
	{
		slot_getallattrs(slot);
		take_block(&received->lane[DatumGetInt32(slot->tts_values[COLUMN_LANE])],
				   DatumGetInt64(slot->tts_values[COLUMN_NUMBER]), DatumGetByteaPP(slot->tts_values[COLUMN_BYTES]));
	}
	ExecDropSingleTupleTableSlot(slot);
}

KgeLossSum
node_buckets_train(NodeBlocks *nodes, PartitionMemory *memory, const KgeBucket *bucket, int count, uint64 epoch)
{
	BucketLane *lane = palloc(count * sizeof(BucketLane));
	Received	received;
	KgeLossSum	sum;

	node_blocks_begin(nodes);
	received = open_received(nodes, lane);
	for (int l = 0; l < count; l++)
	{
		lane[l] = lane_of(memory, &bucket[l], l, epoch);
		node_blocks_send(nodes, l, &lane[l].blocks, read_block, &lane[l]);
	}
	sum = run_step(nodes, count);
	for (received.number = 0; isfinite(sum.sum) && received.number < count; received.number++)
		receive_lane(nodes, &received);
	node_blocks_end(nodes);
	memory->at_place = false;
	take_received(&received);
	tuplestore_end(received.rows);
	FreeTupleDesc(received.columns);
	pfree(lane);
	return sum;
}
