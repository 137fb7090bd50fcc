/*
 * sent_blocks.c
 *		Blocks that a node got (see sent_blocks.h).
 *
 * Whoever calls a function that reads them may have written them: all that is a place or a size is checked.
 */
#include "sent_blocks.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "graph/graph.h"
#include "graph/node_slices.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

/* ---- the table -------------------------------------------------------------------------- */

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
block_table(Oid table, AclMode rights)
{
	char	   *name = get_rel_name(table);

	if (name == NULL || get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("blocks must be a table, which %s is not",
						name == NULL ? psprintf("%u", table) : quote_identifier(name))));
	if (pg_class_aclmask(table, GetUserId(), rights, ACLMASK_ALL) != rights)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, name);
	check_columns(table);
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
}

/* ---- the head --------------------------------------------------------------------------- */

static BucketHead
read_head(const SentBlocks *sent)
{
	SqlArgs		args = {0};
	BucketHead	head;
	Datum		value;

	sql_arg(&args, INT4OID, Int32GetDatum(sent->place));
	sql_arg(&args, INT4OID, Int32GetDatum(sent->lane));
	if (!sql_value(psprintf("select bytes::bytea from %s where place = $1 and lane = $2 and number = 0", sent->table),
				   &args, &value) ||
		VARSIZE_ANY_EXHDR(DatumGetPointer(value)) != sizeof(head))
		bucket_blocks_damaged();
	memcpy(&head, VARDATA_ANY(DatumGetPointer(value)), sizeof(head));
	if (head.rows[0] < 0 || head.rows[1] < 0 || head.rows[0] > INT_MAX - head.rows[1] || head.rows[0] + head.rows[1] == 0 ||
		head.relations < 1 || head.relations > INT_MAX / 2 || head.count < 0 || head.count > head.max_positives ||
		head.max_positives > INT_MAX || head.known < 0 || head.known > PG_INT64_MAX / 64 || head.entailments < 0 ||
		head.entailments > PG_INT64_MAX / 256 || head.stripe_rows < 1 || head.stripe_rows > 1000000 || head.rules < 0 ||
		!(head.part > 0 && head.part <= 1))
		bucket_blocks_damaged();
	return head;
}

/* Makes the function's context current. */
static SentBlocks
begin(void)
{
	SentBlocks	sent = {.caller = CurrentMemoryContext};

	sent.own = AllocSetContextCreate(sent.caller, "hybridkg sent blocks", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(sent.own);
	node_slice_begin();
	sql_begin();
	return sent;
}

SentBlocks
sent_blocks_open(FunctionCallInfo fcinfo, AclMode rights)
{
	SentBlocks	sent = begin();
	BucketHead *head = &sent.blocks.head;
	char	   *graph = argument_name(fcinfo, 0, "graph");
	Jsonb	   *given = DatumGetJsonbP(argument(fcinfo, 1, "settings"));

	sent.place = argument_int(fcinfo, 3, "place", PG_INT32_MIN, PG_INT32_MAX);
	sent.lane = argument_int(fcinfo, 4, "lane", 0, KGE_MOST_LANES - 1);
	(void) graph_open_facts(graph);
	sent.table = block_table(DatumGetObjectId(argument(fcinfo, 2, "blocks")), rights);
	*head = read_head(&sent);
	settings_parse(graph, JsonbToCString(NULL, &given->root, VARSIZE(given)), &sent.settings);
	sent.model = settings_model(&sent.settings);
	sent.model.entities = head->rows[0] + head->rows[1];
	sent.model.relations = head->relations;
	return sent;
}

void
sent_blocks_close(const SentBlocks *sent)
{
	sql_end();
	MemoryContextSwitchTo(sent->caller);
}

/* ---- the rest --------------------------------------------------------------------------- */

Size
sent_blocks_bytes(const SentBlocks *sent)
{
	Size		bytes = 0;

	for (BlockPart part = BLOCK_POSITIVES; part < BLOCK_PARTS; part++)
		bytes += sent->blocks.bytes[part];
	return bytes;
}

void
sent_blocks_take(SentBlocks *sent, const BlockPart *part, int count)
{
	const Size *bytes = sent->blocks.bytes;

	for (int i = 0; i < count; i++)
	{
		Size		behind = part[i] == BLOCK_EMBEDDINGS ? bytes[BLOCK_EMBEDDINGS_1] : 0;

		sent->part[part[i]] = hkg_allocate(CurrentMemoryContext, Max(bytes[part[i]] + behind, 1));
	}
	sent->part[BLOCK_EMBEDDINGS_1] = sent->part[BLOCK_EMBEDDINGS] + bytes[BLOCK_EMBEDDINGS];
	sent->model.entity = (float *) sent->part[BLOCK_EMBEDDINGS];
	sent->model.relation = (float *) sent->part[BLOCK_RELATIONS];
}

static void
take_block(void *argument, const Datum *values, const bool *nulls)
{
	SentBlocks *sent = argument;
	int64		number = DatumGetInt64(values[0]);
	bytea	   *value = nulls[1] ? NULL : DatumGetByteaPP(values[1]);
	BucketBlock	block;

	if (nulls[0] || value == NULL)
		bucket_blocks_damaged();
	block = bucket_block(&sent->blocks, number, VARSIZE_ANY_EXHDR(value));
	sent->received[number] = true;
	if (block.part != BLOCK_HEAD)
	{
		if (sent->part[block.part] == NULL)	/* a part that this function has no use for */
			bucket_blocks_damaged();
		memcpy(sent->part[block.part] + block.start, VARDATA_ANY(value), block.bytes);
	}
	if ((Pointer) value != DatumGetPointer(values[1]))
		pfree(value);
}

static void
check_triples(const SentBlocks *sent, BlockPart part, int64 count)
{
	const Triple *triple = (const Triple *) sent->part[part];

	for (int64 i = 0; i < count; i++)
	{
		Triple		one = triple[i];

		if (one.head < 0 || one.head >= sent->model.entities || one.tail < 0 || one.tail >= sent->model.entities ||
			one.relation < 0 || one.relation >= sent->model.relations)
			bucket_blocks_damaged();
		if (i % 65536 == 0)
			hkg_check_interrupts();
	}
}

void
sent_blocks_read(SentBlocks *sent)
{
	SqlArgs		args = {0};
	int64		count = bucket_block_count(&sent->blocks);

	sent->received = array_new_zero(bool, count);
	sql_arg(&args, INT4OID, Int32GetDatum(sent->place));
	sql_arg(&args, INT4OID, Int32GetDatum(sent->lane));
	sql_stream(psprintf("select number::bigint, bytes::bytea from %s where place = $1 and lane = $2", sent->table), &args,
			   take_block, sent);
	for (int64 i = 0; i < count; i++)
		if (!sent->received[i])
			bucket_blocks_damaged();
	check_triples(sent, BLOCK_POSITIVES, sent->blocks.head.count);
	check_triples(sent, BLOCK_KNOWN, sent->blocks.head.known);
}
