/*
 * version.c
 *		Whether a copy of what a graph's tables hold is still valid (see version.h).
 *
 * A copy is valid while a number is the same, which is found by reading a few rows with the active snapshot:
 *
 * - Of a model, xmin and ctid of its row in table model.  A training replaces that row.  Triggers update it when
 *   somebody changes an embedding, a rule or a weight by hand.
 * - Of the facts, of what was rejected, and of the types of answers, the rows of table facts_version.  Each transaction
 *   that writes them puts a random number there, in place of one that it finds.  It waits for nobody: where others are
 *   about to replace all that are there, it adds one, so that there are as many as transactions have written at the
 *   same time.
 *
 * Why two snapshots that show the same rows of facts_version show the same facts: let T be a transaction that one shows
 * and the other one does not, the last of all such to commit.  The other one does not show T's row.  The first one
 * shows it, unless it also shows a transaction that replaced it; that one committed after T, so the other one shows it,
 * too, and with it T, whose commit it had seen.
 *
 * The server's own rules do the rest.  A rollback, of a savepoint too, takes the row along.  A prepared transaction
 * shows it when it is committed.  A standby has it.  A serializable transaction that has read the row fails where it
 * would if it had read the facts.
 *
 * A version lasts, for other statements and sessions, unless
 *
 * - this transaction has written the tables: it reads for itself, and again whenever it has written more;
 * - somebody may write facts without a row in facts_version.  So the number covers the triggers, the tables and the
 *   functions that see to it: their rows in catalogues change when they are disabled, for a while or for good.  The
 *   active snapshot has to show these.  Then the version is that of this snapshot.
 */
#include "version.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/visibility.h"

/* ---- what the number covers ------------------------------------------------------- */

static Oid
find_function(const char *name, Oid schema, Oid argument)
{
	oidvector  *arguments = buildoidvector(&argument, OidIsValid(argument) ? 1 : 0);
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
										   PointerGetDatum(arguments), ObjectIdGetDatum(schema));

	pfree(arguments);
	return function;
}

Oid
facts_trigger(Oid schema)
{
	return find_function("facts_changed", schema, InvalidOid);
}

/* Adds the version of a row of a catalogue; false where the active snapshot does not show it. */
static bool
add_row(HeapTuple row, uint64 *number)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(row->t_data);
	uint32		version[] = {xmin, ItemPointerGetBlockNumber(&row->t_self), ItemPointerGetOffsetNumber(&row->t_self)};

	*number = hash_bytes_extended((unsigned char *) version, sizeof(version), *number);
	return HeapTupleHeaderXminFrozen(row->t_data) ||
		!(TransactionIdIsCurrentTransactionId(xmin) || XidInMVCCSnapshot(xmin, GetActiveSnapshot()));
}

static bool
add_cached_row(HeapTuple row, uint64 *number)
{
	bool		shown = HeapTupleIsValid(row) && add_row(row, number);

	if (HeapTupleIsValid(row))
		ReleaseSysCache(row);
	return shown;
}

/*
 * Adds the triggers that note who writes the table; false unless they are there and enabled, after statements of all
 * kinds; and after rows, in a session that applies replicated changes, which fires no triggers of statements.
 */
static bool
add_triggers(Oid table, Oid function, uint64 *number)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	int			noted[] = {0, TRIGGER_TYPE_TRUNCATE};	/* TRUNCATE makes another row of pg_class */
	bool		shown = true;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		Form_pg_trigger trigger = (Form_pg_trigger) GETSTRUCT(row);
		bool		replicating = TRIGGER_FOR_ROW(trigger->tgtype) != 0;
		char		elsewhere = replicating ? TRIGGER_FIRES_ON_ORIGIN : TRIGGER_FIRES_ON_REPLICA;

		if (trigger->tgfoid != function)
			continue;
		shown = add_row(row, number) && shown;
		if (TRIGGER_FOR_AFTER(trigger->tgtype) && trigger->tgenabled != TRIGGER_DISABLED && trigger->tgenabled != elsewhere)
			noted[replicating] |= trigger->tgtype & TRIGGER_TYPE_EVENT_MASK;
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return shown && noted[false] == TRIGGER_TYPE_EVENT_MASK && noted[true] == TRIGGER_TYPE_EVENT_MASK;
}

/*
 * Table facts_version of this node, locked; NULL where there is none that can be written without its owner's functions
 * and indexes.
 */
static Relation
open_notes(Oid schema, LOCKMODE mode)
{
	Oid			oid = graph_table_here(schema, "facts_version");
	Relation	table = OidIsValid(oid) && get_rel_relkind(oid) == RELKIND_RELATION ? try_table_open(oid, mode) : NULL;

	if (table == NULL)
		return NULL;
	if (table->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT && !table->rd_rel->relhasindex &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID &&
		RelationGetDescr(table)->natts == 1 && TupleDescAttr(RelationGetDescr(table), 0)->atttypid == INT8OID)
		return table;
	table_close(table, mode);
	return NULL;
}

static bool
is_own(TupleTableSlot *row)
{
	bool		null;

	return TransactionIdIsCurrentTransactionId(DatumGetTransactionId(
											   slot_getsysattr(row, MinTransactionIdAttributeNumber, &null)));
}

/* Adds the rows of facts_version; false where they are not there, or one of them is of this transaction. */
static bool
add_notes(Oid schema, uint64 *number)
{
	Relation	table = open_notes(schema, AccessShareLock);
	TupleTableSlot *row;
	TableScanDesc scan;
	uint64		sum = 0;
	bool		own = false;

	if (table == NULL)
		return false;
	row = table_slot_create(table, NULL);
	scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL);
	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		bool		null;

		sum += DatumGetInt64(slot_getattr(row, 1, &null));
		own = own || is_own(row);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
	*number = hash_combine64(*number, sum);
	table_close(table, AccessShareLock);
	return !own;
}

/* ---- versions ---------------------------------------------------------------------- */

List *
tables_written(const Graph *graph, const char *const *tables)
{
	List	   *written = NIL;

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return NIL;
	for (int i = 0; tables[i] != NULL; i++)
	{
		Oid			table = graph_table(graph->schema, tables[i]);
		Oid			here = graph_table_here(graph->schema, tables[i]);

		if (table_is_written(table))
			written = lappend_oid(written, table);
		if (here != table && table_is_written(here))
			written = lappend_oid(written, here);
	}
	return written;
}

Version
facts_version(const Graph *graph)
{
	static const char *const tables[] = {"triple", "rejected", NULL};
	static const char *const of_facts[] = {"triple", "rejected", "relation", NULL};	/* which has the types of answers */
	static uint64 elsewhere = 0;
	Oid			function = facts_trigger(graph->schema);
	Oid			sender = find_function("hkg_facts_changed", PG_CATALOG_NAMESPACE, REGCLASSOID);
	uint64		number = hash_combine64(graph_table_here(graph->schema, "facts_version"), sender);
	List	   *written = tables_written(graph, of_facts);
	bool		noted;
	bool		own;

	noted = add_cached_row(SearchSysCache1(PROCOID, ObjectIdGetDatum(sender)), &number) &&
		add_cached_row(SearchSysCache1(PROCOID, ObjectIdGetDatum(function)), &number);
	for (int i = 0; tables[i] != NULL; i++)
	{
		Oid			table = graph_table_here(graph->schema, tables[i]);

		number = hash_combine64(number, table);
		noted = noted && add_cached_row(SearchSysCache1(RELOID, ObjectIdGetDatum(table)), &number) &&
			add_triggers(table, function, &number) &&
			/* a table that inherits from this one has no triggers, one that this one inherits from fires its own */
			!has_subclass(table) && !has_superclass(table);
	}
	own = !add_notes(graph->schema, &number) || written != NIL;
	if (written != NIL && table_is_distributed(get_relname_relid("triple", graph->schema)))
		number = hash_combine64(number, ++elsewhere);	/* another connection writes the rows */
	if (!noted)
		number = hash_combine64(number, snapshot_number(written));
	else if (own)
		number = hash_combine64(number, transaction_number(written));
	return (Version) {number, noted && !own};
}

Version
model_rows_version(const Graph *graph, TransactionId xmin, ItemPointerData ctid, const char *const *tables)
{
	uint32		row[] = {xmin, ItemPointerGetBlockNumber(&ctid), ItemPointerGetOffsetNumber(&ctid)};
	uint64		number = hash_bytes_extended((unsigned char *) row, sizeof(row), 0);
	List	   *written = tables_written(graph, tables);

	if (written == NIL && !TransactionIdIsCurrentTransactionId(xmin))
		return (Version) {number, true};
	return (Version) {hash_combine64(number, transaction_number(written)), false};
}

Version
version_of_both(Version a, Version b)
{
	return (Version) {hash_combine64(a.number, b.number), a.lasts && b.lasts};
}

bool
tables_are_shown_whole(const Graph *graph, const char *const *tables)
{
	for (int i = 0; tables[i] != NULL; i++)
		if (!visibility_of_all_rows(graph_table(graph->schema, tables[i])))
			return false;
	return true;
}

/* ---- writing ------------------------------------------------------------------------- */

/* Once in each subtransaction, at most. */
void
facts_note(Oid schema)
{
	static Oid	last_schema = InvalidOid;
	static uint64 last_transaction = 0;
	uint64		transaction = ((uint64) hkg_transaction() << 32) | GetCurrentSubTransactionId();
	Relation	table;
	TupleTableSlot *found;
	TupleTableSlot *row;
	TableScanDesc scan;
	BlockNumber page;
	uint64		number;
	bool		noted = false;

	if (schema == last_schema && transaction == last_transaction)
		return;
	table = open_notes(schema, RowExclusiveLock);
	if (table == NULL)
		return;
	if (!pg_strong_random(&number, sizeof(number)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	row = MakeSingleTupleTableSlot(RelationGetDescr(table), &TTSOpsVirtual);
	row->tts_values[0] = Int64GetDatum((int64) number);
	row->tts_isnull[0] = false;
	ExecStoreVirtualTuple(row);

	/* 1. Of the rows that are there at this moment, the first one that nobody else is about to replace, or that is ours */
	found = table_slot_create(table, NULL);
	scan = table_beginscan(table, SnapshotSelf, 0, NULL);
	while (!noted && table_scan_getnextslot(scan, ForwardScanDirection, found))
		noted = is_own(found) || hkg_replace_row(table, &found->tts_tid, row);
	page = ItemPointerGetBlockNumberNoCheck(&found->tts_tid);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(found);
	/* 2. Where there is none, another one: as many as transactions that write at the same time */
	if (!noted)
		table_tuple_insert(table, row, GetCurrentCommandId(true), 0, NULL);
	/* 3. Versions that nobody sees any more make room in the page, as for an update by a statement. */
	else
	{
		Buffer		buffer = ReadBuffer(table, page);

		heap_page_prune_opt(table, buffer);
		ReleaseBuffer(buffer);
	}
	ExecDropSingleTupleTableSlot(row);
	table_close(table, NoLock);
	last_schema = schema;
	last_transaction = transaction;
}

/*
 * What triggers on tables triple, rejected and relation call.  The function is in pg_catalog: triggers belong to the
 * graph, so that it can be restored, and written, where the extension is not; and those who may write facts need no
 * right on the extension's schema.  Others have the lock as soon as they prepare a statement, but no row.
 */
HKG_FUNCTION(hkg_facts_written);
Datum
hkg_facts_written(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	Relation	table = try_relation_open(oid, AccessShareLock);

	if (table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", oid)));
	if (!hkg_has_lock(oid, RowExclusiveLock))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this transaction does not write table \"%s\"", RelationGetRelationName(table)),
				 errhint("Triggers on tables of a graph call hkg_facts_changed; nobody else needs to.")));
	if (!pgstat_should_count_relation(table) || table->pgstat_info->trans != NULL)
		facts_note(RelationGetNamespace(table));
	relation_close(table, AccessShareLock);
	PG_RETURN_VOID();
}

/* The same of 0.1.0 */
HKG_FUNCTION(hkg_facts_changed);
Datum
hkg_facts_changed(PG_FUNCTION_ARGS)
{
	return hkg_facts_written(fcinfo);
}
