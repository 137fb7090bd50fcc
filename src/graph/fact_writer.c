/*
 * fact_writer.c
 *		Facts into table triple or holdout at the pace of COPY (see fact_writer.h).
 *
 * An insert statement spends half of its time on the triggers of the foreign keys, one row and one key after the other,
 * and a quarter on index entries that come in no order.  Here, entities and relations that the rows name are locked FOR
 * KEY SHARE once each, by statements that run with the rights of their tables' owners, as those of the triggers do; the
 * rows go into the table many at a time; and then each index gets its entries in its own order.
 *
 * Into an empty table, indexes are built after the rows: that takes half the time, writes a third of the WAL, and
 * leaves full pages.  Between rows and indexes nobody else may look, and the built indexes are new files; so it needs
 * the table's strongest lock, until the transaction ends.  It is taken only if it is free at once, and after the locks
 * on names, so that this load waits for nobody who may wait for it; others lose nothing, since for them the table is
 * empty until then.  A rollback or a crash leaves the old, empty files.
 *
 * What was committed before is left out beforehand.  If somebody else inserts one of the same facts meanwhile, the
 * unique index is in the way; then all of this is rolled back, and the caller's statement, whose "on conflict do
 * nothing" waits for the other one, takes its place.  Hence the subtransaction.
 *
 * Rows are ordered as sessions read them, by relation, head and tail.
 */
#include "fact_writer.h"

#include "access/heapam.h"
#include "access/relation.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "core/sort.h"
#include "plain_table.h"
#include "server/array.h"
#include "server/attempt.h"
#include "server/host.h"
#include "server/sql.h"
#include "version.h"

/* rows that go into the table at a time */
#define BATCH 1000
/* from this number of rows on, building indexes takes less time than inserting into them */
#define BUILD_ROWS 10000
/* ids of one statement */
#define CHUNK_IDS 50000

#define MOST_COLUMNS 4

typedef struct Writer
{
	NewFacts   *facts;
	Relation	table;
	int			columns;		/* 3 of triple, 4 of holdout, of which the first is the split */
	Datum		split;
	bool		names_locked;
	bool		builds;			/* the indexes after the rows */
	EState	   *executor;
	ResultRelInfo *target;		/* with indexes, unless they are built */
	TupleTableSlot *row;
} Writer;

static void
set_values(const Writer *writer, const FactRow *row, Datum *values)
{
	Datum	   *ids = values + writer->columns - 3;

	values[0] = writer->split;
	ids[0] = Int32GetDatum(row->triple.head);
	ids[1] = Int32GetDatum(row->triple.relation);
	ids[2] = Int32GetDatum(row->triple.tail);
}

static void
store_row(const Writer *writer, const FactRow *row, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	set_values(writer, row, slot->tts_values);
	memset(slot->tts_isnull, 0, writer->columns);
	ExecStoreVirtualTuple(slot);
}

/* ---- opening -------------------------------------------------------------------- */

/* Whether some query of this session uses an index of the table, which could not be built then. */
static bool
indexes_are_used(Relation table)
{
	bool		used = false;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		used = used || index->rd_refcnt > 1;
		index_close(index, AccessShareLock);
	}
	return used;
}

static bool
is_empty(Relation table)
{
	return RelationGetNumberOfBlocks(table) == 0;
}

/* If so, the table is locked. */
static bool
can_build(const Writer *writer)
{
	Relation	table = writer->table;
	bool		empty;

	if (writer->facts->count < BUILD_ROWS || !is_empty(table) || indexes_are_used(table) ||
		!ConditionalLockRelation(table, AccessExclusiveLock))
		return false;
	empty = is_empty(table);
	if (!empty)
		UnlockRelation(table, AccessExclusiveLock);
	return empty;
}

static void
open_writer(Writer *writer)
{
	writer->columns = RelationGetDescr(writer->table)->natts;
	writer->split = CStringGetTextDatum(writer->facts->split);
	writer->builds = can_build(writer);
	writer->executor = CreateExecutorState();
	writer->target = makeNode(ResultRelInfo);
	InitResultRelInfo(writer->target, writer->table, 0, NULL, 0);
	if (!writer->builds)
		ExecOpenIndices(writer->target, false);
	writer->row = MakeSingleTupleTableSlot(RelationGetDescr(writer->table), &TTSOpsVirtual);
}

/* ---- known facts ---------------------------------------------------------------- */

/* Whether a row is there exactly when the index finds the values of all its columns. */
static bool
is_key(const Writer *writer, int number)
{
	Relation	index = writer->target->ri_IndexRelationDescs[number];
	const IndexInfo *info = writer->target->ri_IndexRelationInfo[number];
	int			columns = 0;

	if (!info->ii_Unique || !index->rd_index->indisvalid || !index->rd_index->indimmediate ||
		index->rd_rel->relam != BTREE_AM_OID || info->ii_Predicate != NIL || info->ii_NumIndexKeyAttrs != writer->columns)
		return false;
	for (int i = 0; i < writer->columns; i++)
		columns |= 1 << info->ii_IndexAttrNumbers[i];
	return columns == (2 << writer->columns) - 2;
}

/* Whether the index, whose columns are those of the table in some order, has the row. */
static bool
is_known(const Writer *writer, const IndexInfo *info, IndexScanDesc scan, const FactRow *row, TupleTableSlot *found)
{
	Datum		values[MOST_COLUMNS];
	ScanKeyData key[MOST_COLUMNS];

	set_values(writer, row, values);
	for (int i = 0; i < writer->columns; i++)
	{
		int			column = info->ii_IndexAttrNumbers[i] - 1;
		bool		text = column < writer->columns - 3;

		ScanKeyInit(&key[i], i + 1, BTEqualStrategyNumber, text ? F_TEXTEQ : F_INT4EQ, values[column]);
	}
	index_rescan(scan, key, writer->columns, NULL, 0);
	return index_getnext_slot(scan, ForwardScanDirection, found);
}

/* Leaves the rows that the index does not have. */
static void
drop_known(Writer *writer, int number)
{
	NewFacts   *facts = writer->facts;
	Snapshot	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	IndexScanDesc scan = hkg_index_beginscan(writer->table, writer->target->ri_IndexRelationDescs[number], snapshot,
											 writer->columns);
	TupleTableSlot *found = table_slot_create(writer->table, NULL);
	int64		unknown = 0;

	for (int64 i = 0; i < facts->count; i++)
	{
		hkg_check_interrupts();
		if (!is_known(writer, writer->target->ri_IndexRelationInfo[number], scan, &facts->row[i], found))
			facts->row[unknown++] = facts->row[i];
	}
	facts->count = unknown;
	ExecDropSingleTupleTableSlot(found);
	index_endscan(scan);
	UnregisterSnapshot(snapshot);
}

/* ---- locks on names ------------------------------------------------------------- */

static void
count_row(void *count, const Datum *values, const bool *nulls)
{
	(*(int64 *) count)++;
}

static void
lock_chunk(const Graph *graph, const char *table, const int32 *ids, int count)
{
	SqlArgs		args = {0};
	int64		locked = 0;

	sql_arg(&args, INT4ARRAYOID, array_of_int4(ids, count));
	sql_run_returning(psprintf("select 1 from only %s%s where id = any($1) for key share", graph->prefix, table),
					  &args, count_row, &locked);
	sql_args_free(&args);
	if (locked != count)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("table %s%s lost rows that the facts need", graph->prefix, table),
				 errdetail("Another session deleted them meanwhile. Nothing was changed."),
				 errhint("Try again: what is missing is inserted again.")));
}

/* As the triggers of foreign keys do it: with the rights of the owner, regardless of policies. */
static void
lock_ids(const Graph *graph, const char *table, const int32 *ids, int64 count)
{
	Relation	names = relation_open(get_relname_relid(table, graph->schema), RowShareLock);
	Oid			caller;
	int			context;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(names->rd_rel->relowner, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	for (int64 first = 0; first < count; first += CHUNK_IDS)
		lock_chunk(graph, table, &ids[first], (int) Min(CHUNK_IDS, count - first));
	SetUserIdAndSecContext(caller, context);
	relation_close(names, NoLock);
}

static void
mark(bool *needed, const Numbers *known, int32 id)
{
	int32		row = graph_row(known->value, (int32) known->count, id);

	if (row >= 0)
		needed[row] = true;
}

static void
lock_needed(const Graph *graph, const char *table, const Numbers *known, const bool *needed)
{
	Numbers		ids = {0};

	for (int64 i = 0; i < known->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (needed[i])
			numbers_append(&ids, known->value[i]);
	}
	if (ids.count > 0)
		lock_ids(graph, table, ids.value, ids.count);
}

/* Those of the rows; what this transaction inserted nobody else can delete. */
static void
lock_names(const NewFacts *facts)
{
	bool	   *entity = array_new_zero(bool, facts->entities->count);
	bool	   *relation = array_new_zero(bool, facts->relations->count);

	for (int64 i = 0; i < facts->count; i++)
	{
		const Triple *triple = &facts->row[i].triple;

		hkg_check_interrupts();
		mark(entity, facts->entities, triple->head);
		mark(entity, facts->entities, triple->tail);
		mark(relation, facts->relations, triple->relation);
	}
	lock_needed(facts->graph, "entity", facts->entities, entity);
	lock_needed(facts->graph, "relation", facts->relations, relation);
}

/* ---- rows ----------------------------------------------------------------------- */

static void
insert_batch(Writer *writer, FactRow *row, int count, TupleTableSlot **slot, BulkInsertState bulk)
{
	MemoryContext caller;

	hkg_check_interrupts();
	ResetPerTupleExprContext(writer->executor);
	for (int i = 0; i < count; i++)
	{
		store_row(writer, &row[i], slot[i]);
		if (writer->table->rd_att->constr != NULL)
			ExecConstraints(writer->target, slot[i], writer->executor);
	}
	caller = MemoryContextSwitchTo(GetPerTupleMemoryContext(writer->executor));
	table_multi_insert(writer->table, slot, count, GetCurrentCommandId(true), 0, bulk);
	MemoryContextSwitchTo(caller);
	for (int i = 0; i < count; i++)
		row[i].tid = slot[i]->tts_tid;
}

static void
insert_rows(Writer *writer)
{
	NewFacts   *facts = writer->facts;
	BulkInsertState bulk = GetBulkInsertState();
	TupleTableSlot *slot[BATCH];

	for (int i = 0; i < BATCH; i++)
		slot[i] = table_slot_create(writer->table, NULL);
	for (int64 i = 0; i < facts->count; i += BATCH)
	{
		progress_rows(facts->progress, i);
		insert_batch(writer, &facts->row[i], (int) Min(BATCH, facts->count - i), slot, bulk);
	}
	progress_phase(facts->progress, PHASE_INDEXING, (double) facts->count);
	for (int i = 0; i < BATCH; i++)
		ExecDropSingleTupleTableSlot(slot[i]);
	FreeBulkInsertState(bulk);
	table_finish_bulk_insert(writer->table, 0);
}

/* ---- indexes -------------------------------------------------------------------- */

static int
compare_by_head(const void *a, const void *b)
{
	const Triple *left = a;
	const Triple *right = b;

	if (left->head != right->head)
		return left->head < right->head ? -1 : 1;
	return triple_compare(a, b);
}

static int
compare_by_tail(const void *a, const void *b)
{
	const Triple *left = a;
	const Triple *right = b;

	if (left->tail != right->tail)
		return left->tail < right->tail ? -1 : 1;
	return triple_compare(a, b);
}

typedef int (*Order) (const void *a, const void *b);

/* The order of most entries: by the first column that is none of the split's.  NULL: any order does. */
static Order
order_of(const Writer *writer, const IndexInfo *info)
{
	static const Order orders[] = {compare_by_head, triple_compare, compare_by_tail};
	int			first = writer->columns - 3;

	for (int i = 0; i < info->ii_NumIndexKeyAttrs; i++)
		if (info->ii_IndexAttrNumbers[i] > first)
			return orders[info->ii_IndexAttrNumbers[i] - 1 - first];
	return NULL;
}

static void
insert_entries(Writer *writer, int number)
{
	NewFacts   *facts = writer->facts;
	ResultRelInfo index = *writer->target;
	Order		order = order_of(writer, writer->target->ri_IndexRelationInfo[number]);

	index.ri_NumIndices = 1;
	index.ri_IndexRelationDescs += number;
	index.ri_IndexRelationInfo += number;
	if (order != NULL)
		sort_array(hkg_leader(), POOL_LEADER, facts->row, facts->count, sizeof(FactRow), order);
	for (int64 i = 0; i < facts->count; i++)
	{
		hkg_check_interrupts();
		if (i % BATCH == 0)
			ResetPerTupleExprContext(writer->executor);
		store_row(writer, &facts->row[i], writer->row);
		writer->row->tts_tid = facts->row[i].tid;
		writer->row->tts_tableOid = RelationGetRelid(writer->table);
		hkg_insert_index_tuples(&index, writer->row, writer->executor);
	}
}

/* ---- the whole ------------------------------------------------------------------ */

/* False: there is no index that finds known facts. */
static bool
write_rows(Writer *writer)
{
	int			key = 0;

	while (!writer->builds && key < writer->target->ri_NumIndices && !is_key(writer, key))
		key++;
	if (!writer->builds && key == writer->target->ri_NumIndices)
		return false;
	if (!is_empty(writer->table))
		drop_known(writer, key);
	if (!writer->names_locked)
		lock_names(writer->facts);
	insert_rows(writer);
	for (int i = 0; !writer->builds && i < writer->target->ri_NumIndices; i++)
		insert_entries(writer, i);
	return true;
}

static bool
write_table(NewFacts *facts)
{
	Oid			table = get_relname_relid(fact_table_name(facts->split), facts->graph->schema);
	Writer		writer = {.facts = facts};
	bool		written = false;

	writer.table = table_open(table, RowExclusiveLock);
	if (table_is_plain(facts->graph, writer.table))
	{
		/* all are new: before a lock that others may wait for */
		writer.names_locked = is_empty(writer.table);
		if (writer.names_locked)
			lock_names(facts);
		open_writer(&writer);
		written = write_rows(&writer);
		if (!writer.builds)
			ExecCloseIndices(writer.target);
		ExecDropSingleTupleTableSlot(writer.row);
		FreeExecutorState(writer.executor);
	}
	table_close(writer.table, NoLock);
	if (written && writer.builds)
		hkg_reindex(table);
	return written;
}

typedef struct Writing
{
	NewFacts   *facts;
	bool		written;
} Writing;

static void
try_table(void *argument)
{
	Writing    *writing = argument;

	writing->written = write_table(writing->facts);
}

bool
facts_write(NewFacts *facts)
{
	Writing		writing = {.facts = facts};
	ErrorData  *error = attempt(try_table, &writing);

	/* a statement that leaves out what is there would have done it */
	if (error != NULL && error->sqlerrcode != ERRCODE_UNIQUE_VIOLATION && error->sqlerrcode != ERRCODE_EXCLUSION_VIOLATION)
		ReThrowError(error);
	if (error != NULL || !writing.written)
		return false;
	if (is_train(facts->split) && facts->count > 0)
		facts_note(facts->graph->schema);
	CommandCounterIncrement();
	return true;
}
