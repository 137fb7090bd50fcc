/*
 * node_buckets.c
 *		Buckets of a step, trained at once on the nodes of a cluster (see node_buckets.h).
 *
 * Table bucket of a distributed graph has blocks (bucket_blocks.h) by place, as table slice has slices: Citus moves a
 * row to the node of its place.  A step fills it, has each node train what it got (train_slice.c), which changes the
 * blocks there, reads these, and empties it.  All of that is one transaction, so that a step is whole or did not happen,
 * and the table is empty for all others.  They wait for each other: truncate locks it.
 *
 * The coordinator's own place, if it has one, must be served by a connection, too: in this process its lane would wait
 * for the others.  Citus can be made to do that in a transaction that has not read the place before: in a background
 * worker, where a step is all of the transaction.  Else this place is left out.
 */
#include "node_buckets.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "graph/node_slices.h"
#include "server/host.h"
#include "transaction.h"

struct NodeBuckets
{
	const Graph *graph;
	const char *settings;		/* as JSON */
	int			servers;
	int32		place[KGE_MOST_LANES];	/* of each lane */
	bool		in_worker;
};

/* ---- where ------------------------------------------------------------------------ */

static bool
may_use_nodes(const Graph *graph)
{
	Oid			table = get_relname_relid("bucket", graph->schema);

	return hkg_slice_seconds >= 0 && OidIsValid(table) && node_slices_exist(graph) &&
		pg_class_aclmask(table, GetUserId(), ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_TRUNCATE, ACLMASK_ALL) ==
		(ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_TRUNCATE);
}

void
node_buckets_fill_in(const Graph *graph, TrainSettings *settings)
{
	Datum		slices;

	if (settings->nodes > 0)
		return;
	settings->nodes = 1;
	if (settings->partitions > 1 && may_use_nodes(graph) &&
		sql_value(psprintf("select count(*) from %sslice", graph->prefix), SQL_NO_ARGS, &slices))
		settings->nodes = Max(Min((int) DatumGetInt64(slices), settings->partitions / 2), 1);
}

typedef struct Places
{
	NodeBuckets *nodes;
	int			count;
} Places;

static void
take_place(void *argument, const Datum *values, const bool *nulls)
{
	Places	   *places = argument;

	if (places->count < KGE_MOST_LANES)
		places->nodes->place[places->count++] = DatumGetInt32(values[0]);
}

static bool
is_here(const Graph *graph, int32 place)
{
	SqlArgs		args = sql_args_text(psprintf("%sbucket", graph->prefix));
	Datum		here;

	sql_arg(&args, INT4OID, Int32GetDatum(place));
	return sql_value("select groupid = 0 from pg_catalog.pg_dist_placement "
					 "where shardid = pg_catalog.get_shard_id_for_distribution_column($1::pg_catalog.regclass, $2)", &args, &here) &&
		DatumGetBool(here);
}

static void
leave_out_own(const Graph *graph, Places *places)
{
	int			left = 0;

	for (int i = 0; i < places->count; i++)
		if (!is_here(graph, places->nodes->place[i]))
			places->nodes->place[left++] = places->nodes->place[i];
	places->count = left;
}

NodeBuckets *
node_buckets_open(const Graph *graph, const TrainSettings *settings, bool in_worker)
{
	NodeBuckets *nodes = palloc0(sizeof(NodeBuckets));
	Places		places = {.nodes = nodes};

	if (settings->nodes == 1 || !may_use_nodes(graph))
		return NULL;
	nodes->graph = graph;
	nodes->settings = settings_json(settings);
	nodes->in_worker = in_worker;
	sql_stream(psprintf("select place from %sslice order by slice", graph->prefix), SQL_NO_ARGS, take_place, &places);
	if (!in_worker)
		leave_out_own(graph, &places);
	if (places.count == 0)
		return NULL;
	nodes->servers = Min(places.count, settings->nodes);
	for (int lane = places.count; lane < settings->nodes; lane++)
		nodes->place[lane] = nodes->place[lane % places.count];
	return nodes;
}

int
node_buckets_servers(const NodeBuckets *nodes)
{
	return nodes == NULL ? 1 : nodes->servers;
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
		.relations = memory->room.relations,.stripe_rows = kge_stripe_rows(memory->partitions),
		.weighted = bucket->weights != NULL
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
		[BLOCK_WEIGHTS] = lane->bucket->weights,
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

/* One block's bytes as a value, in the current context */
static bytea *
read_block(const BucketLane *lane, int64 number)
{
	BucketBlock	block = bucket_block_at(&lane->blocks, number);
	bytea	   *value = palloc(VARHDRSZ + block.bytes);
	const void *memory = memory_of(lane, lane->memory->lanes.own, &block);

	SET_VARSIZE(value, VARHDRSZ + block.bytes);
	if (memory != NULL)
		memcpy(VARDATA(value), memory, block.bytes);
	else
		copy_entities(lane, &block, VARDATA(value), false);
	return value;
}

static void
send_lane(const NodeBuckets *nodes, const BucketLane *lane, SqlBatch *batch)
{
	for (int64 number = 0; number < bucket_block_count(&lane->blocks); number++)
	{
		bytea	   *value = read_block(lane, number);
		Datum		row[] = {
			Int32GetDatum(nodes->place[lane->number]), Int32GetDatum(lane->number), Int64GetDatum(number),
			PointerGetDatum(value)
		};

		sql_batch_row(batch, row, NULL);
		pfree(value);
	}
}

static void
send_step(const NodeBuckets *nodes, const BucketLane *lane, int count)
{
	static const Oid types[] = {INT4OID, INT4OID, INT8OID, BYTEAOID};
	SqlBatch   *batch = sql_batch_begin(psprintf("insert into %sbucket select * from unnest($1, $2, $3, $4)", nodes->graph->prefix),
										lengthof(types), types);

	for (int l = 0; l < count; l++)
		send_lane(nodes, &lane[l], batch);
	(void) sql_batch_end(batch);
}

typedef struct Losses
{
	int			lanes;			/* of the step */
	int			received;
	double		sum[KGE_MOST_LANES];
	double		terms[KGE_MOST_LANES];
} Losses;

static void
take_loss(void *argument, const Datum *values, const bool *nulls)
{
	Losses	   *losses = argument;
	int32		lane = nulls[0] ? -1 : DatumGetInt32(values[0]);
	ArrayType  *array = nulls[1] ? NULL : DatumGetArrayTypeP(values[1]);
	const double *number;

	if (lane < 0 || lane >= losses->lanes || array == NULL || ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != 2 || ARR_HASNULL(array))
		bucket_blocks_damaged();
	number = (const double *) ARR_DATA_PTR(array);
	losses->received++;
	losses->sum[lane] = number[0];
	losses->terms[lane] = number[1];
}

/* Each node trains what it got.  Losses are added up in the order of lanes. */
static KgeLossSum
run_step(const NodeBuckets *nodes, int count)
{
	const Graph *graph = nodes->graph;
	SqlArgs		args = sql_args_text(nodes->settings);
	Losses		losses = {.lanes = count};
	KgeLossSum	sum = {0};

	sql_stream(psprintf("select b.lane, %s.hkg_train_slice(%s, $1::pg_catalog.jsonb, b.tableoid::pg_catalog.regclass, b.place, b.lane) "
						"from %sbucket b where b.number = 0", extension_schema(), quote_literal_cstr(graph->name), graph->prefix),
			   &args, take_loss, &losses);
	if (losses.received != count)
		bucket_blocks_damaged();
	for (int l = 0; l < count; l++)
	{
		sum.sum += losses.sum[l];
		sum.terms += (int64) losses.terms[l];
	}
	return sum;
}

static void
take_block(void *argument, const Datum *values, const bool *nulls)
{
	BucketLane *lane = argument;
	bytea	   *value = DatumGetByteaPP(values[1]);
	BucketBlock	block = bucket_block(&lane->blocks, DatumGetInt64(values[0]), VARSIZE_ANY_EXHDR(value));
	void	   *memory = memory_of(lane, lane->memory->lanes.lane[lane->number], &block);

	if (memory != NULL)
		memcpy(memory, VARDATA_ANY(value), block.bytes);
	else
		copy_entities(lane, &block, VARDATA_ANY(value), true);
	lane->received++;
	if ((Pointer) value != DatumGetPointer(values[1]))
		pfree(value);
}

static void
receive_lane(const NodeBuckets *nodes, BucketLane *lane)
{
	int64		first = lane->blocks.first[BLOCK_RELATIONS];
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(nodes->place[lane->number]));
	sql_arg(&args, INT4OID, Int32GetDatum(lane->number));
	sql_arg(&args, INT8OID, Int64GetDatum(first));
	sql_stream(psprintf("select number, bytes from %sbucket where place = $1 and lane = $2 and number >= $3",
						nodes->graph->prefix), &args, take_block, lane);
	if (lane->received != bucket_block_count(&lane->blocks) - first)
		bucket_blocks_damaged();
}

static KgeLossSum
train_step(const NodeBuckets *nodes, BucketLane *lane, int count)
{
	KgeLossSum	sum;

	send_step(nodes, lane, count);
	sum = run_step(nodes, count);
	for (int l = 0; isfinite(sum.sum) && l < count; l++)
		receive_lane(nodes, &lane[l]);
	sql_run(psprintf("truncate %sbucket", nodes->graph->prefix), SQL_NO_ARGS);
	return sum;
}

KgeLossSum
node_buckets_train(NodeBuckets *nodes, PartitionMemory *memory, const KgeBucket *bucket, int count, uint64 epoch)
{
	BucketLane *lane = palloc(count * sizeof(BucketLane));
	KgeLossSum	sum;

	for (int l = 0; l < count; l++)
		lane[l] = lane_of(memory, &bucket[l], l, epoch);
	if (nodes->in_worker)
	{
		transaction_begin();
		(void) set_config_option("citus.enable_local_execution", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	}
	sum = train_step(nodes, lane, count);
	if (nodes->in_worker)
		transaction_end();
	pfree(lane);
	return sum;
}
