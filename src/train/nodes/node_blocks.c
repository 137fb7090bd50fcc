/*
 * node_blocks.c
 *		Blocks on their way to the nodes of a cluster (see node_blocks.h).
 *
 * Table bucket of a distributed graph has blocks (bucket_blocks.h) by place, as table slice has slices: Citus moves a
 * row to the node of its place.  Who uses nodes fills it, has each node work on what it got (sent_blocks.h), reads what
 * this has changed, and empties it.  All of that is one transaction, so that it is whole or did not happen, and the table
 * is empty for all others.  They wait for each other by a lock of their own: those of the table would let two of them
 * begin, of which the first to truncate waits for the rows of the second, and the second for those of the first.
 *
 * The coordinator's own place, if it has one, must be served by a connection, too: in this process its lane would wait
 * for the others.  Citus can be made to do that in a transaction that has not read the place before: in a background
 * worker, where this is all of the transaction.  Else this place is left out.
 */
#include "node_blocks.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "graph/node_slices.h"
#include "server/host.h"
#include "server/transaction.h"

/* Bytes of blocks that are sent in a second, about (bench/RESULTS.md, Nodes, 500000 facts) */
#define SENT_IN_A_SECOND 40e6

/* A call of nodes that sends next to nothing and computes next to nothing (bench/RESULTS.md, What hkg_progress promises) */
#define CALL_SECONDS 0.027

/* ---- where ------------------------------------------------------------------------ */

/* Whether the caller may use nodes for this at all */
static void
take_place(void *argument, const Datum *values, const bool *nulls)
{
	NodeBlocks *nodes = argument;

	if (nodes->places < KGE_MOST_LANES)
		nodes->place[nodes->places++] = DatumGetInt32(values[0]);
}

static bool
is_here(const Graph *graph, int32 place)
{
	SqlArgs		args = sql_args_text(psprintf("%sbucket", graph->prefix));
	Datum		here;

	sql_arg(&args, INT4OID, Int32GetDatum(place));
	return sql_value("select groupid = 0 from pg_catalog.pg_dist_placement "
					 "where shardid = pg_catalog.get_shard_id_for_distribution_column($1::pg_catalog.regclass, $2)", &args,
					 &here) &&
		DatumGetBool(here);
}

NodeBlocks *
node_blocks_open(const Graph *graph, const TrainSettings *settings, bool in_worker)
{
	NodeBlocks *nodes;
	TrainSettings sent = *settings;
	Oid			table = get_relname_relid("bucket", graph->schema);
	const AclMode rights = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_TRUNCATE;
	int			left = 0;

	if (hkg_slice_seconds < 0 || !OidIsValid(table) || !node_slices_exist(graph) ||
		pg_class_aclmask(table, GetUserId(), rights, ACLMASK_ALL) != rights)
		return NULL;
	sent.precision = KGE_SINGLE; /* bfloat16 is of losses that nodes do not train by */
	nodes = palloc0(sizeof(NodeBlocks));
	nodes->graph = graph;
	nodes->settings = settings_json(&sent);
	nodes->in_worker = in_worker;
	sql_stream(psprintf("select place from %sslice order by slice", graph->prefix), SQL_NO_ARGS, take_place, nodes);
	for (int i = 0; i < nodes->places; i++)
		if (in_worker || !is_here(graph, nodes->place[i]))
			nodes->place[left++] = nodes->place[i];
	nodes->places = left;
	return nodes->places == 0 ? NULL : nodes;
}

double
node_seconds_to_send(double bytes, double calls)
{
	return bytes / SENT_IN_A_SECOND + calls * CALL_SECONDS;
}

int32
node_blocks_place(const NodeBlocks *nodes, int lane)
{
	return nodes->place[lane % nodes->places];
}

/* ---- there ------------------------------------------------------------------------ */

void
node_blocks_begin(NodeBlocks *nodes)
{
	static const Oid types[] = {INT4OID, INT4OID, INT8OID, BYTEAOID};
	SqlArgs		table = {0};

	if (nodes->in_worker)
	{
		transaction_begin();
		(void) set_config_option("citus.enable_local_execution", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true,
								 0, false);
	}
	sql_arg(&table, OIDOID, ObjectIdGetDatum(get_relname_relid("bucket", nodes->graph->schema)));
	sql_run("select pg_catalog.pg_advisory_xact_lock($1::bigint)", &table);
	nodes->batch = sql_batch_begin(psprintf("insert into %sbucket select * from unnest($1, $2, $3, $4)",
											nodes->graph->prefix),
								   lengthof(types), types);
}

void
node_blocks_send(const NodeBlocks *nodes, int lane, const BucketBlocks *blocks, BlockReader read, const void *source)
{
	for (int64 number = 0; number < bucket_block_count(blocks); number++)
	{
		BucketBlock	block = bucket_block_at(blocks, number);
		bytea	   *value = palloc(VARHDRSZ + block.bytes);
		Datum		row[] = {
			Int32GetDatum(node_blocks_place(nodes, lane)), Int32GetDatum(lane), Int64GetDatum(number),
			PointerGetDatum(value)
		};

		SET_VARSIZE(value, VARHDRSZ + block.bytes);
		read(source, &block, VARDATA(value));
		sql_batch_row(nodes->batch, row, NULL);
		pfree(value);
	}
}

typedef struct LaneAnswers
{
	int			lanes;
	bool		answered[KGE_MOST_LANES];
	int			count;
	void		(*take) (void *argument, int lane, Datum answer);
	void	   *argument;
} LaneAnswers;

static void
take_answer(void *argument, const Datum *values, const bool *nulls)
{
	LaneAnswers *answers = argument;
	int32		lane = nulls[0] ? -1 : DatumGetInt32(values[0]);

	if (lane < 0 || lane >= answers->lanes || nulls[1] || answers->answered[lane])
		bucket_blocks_damaged();
	answers->answered[lane] = true;
	answers->count++;
	answers->take(answers->argument, lane, values[1]);
}

void
node_blocks_run(NodeBlocks *nodes, const char *function, int lanes,
				void (*take) (void *argument, int lane, Datum answer), void *argument)
{
	const Graph *graph = nodes->graph;
	SqlArgs		args = sql_args_text(nodes->settings);
	LaneAnswers answers = {.lanes = lanes,.take = take,.argument = argument};

	(void) sql_batch_end(nodes->batch);
	sql_stream(psprintf("select b.lane, %s%s(%s, $1::pg_catalog.jsonb, b.tableoid::pg_catalog.regclass, b.place, b.lane) "
						"from %sbucket b where b.number = 0", extension_prefix(), function, quote_literal_cstr(graph->name),
						graph->prefix),
			   &args, take_answer, &answers);
	if (answers.count != lanes)
		bucket_blocks_damaged();
}

void
node_blocks_end(const NodeBlocks *nodes)
{
	sql_run(psprintf("truncate %sbucket", nodes->graph->prefix), SQL_NO_ARGS);
	if (nodes->in_worker)
		transaction_end();
}

const void *
node_blocks_numbers(const char *function, Datum answer, int64 count)
{
	ArrayType  *array = DatumGetArrayTypeP(answer);

	if (ARR_HASNULL(array))
		node_answer_refused(function, "It has nulls.");
	node_answer_check(function, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), count);
	return ARR_DATA_PTR(array);
}
