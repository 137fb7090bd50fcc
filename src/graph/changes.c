/*
 * changes.c
 *		Whether a copy of a graph's facts still holds (see changes.h).
 *
 * Triggers on table triple call hkg_facts_changed before and after each statement that writes it.  That sends a
 * relcache invalidation message, as the server does when a table is altered.  The server delivers it to all sessions
 * of the database, here and on standbys, when the transaction commits, prepared ones included; and to the session
 * itself at the end of the command and when a subtransaction is rolled back.  Writers lock nothing and write no row.
 *
 * The message names the view layout, which nothing but graph_open reads.  One that names triple would have every
 * session rebuild the table's cache entry and plan its statements again.  Measured, single-row inserts of 4 clients,
 * in thousands a second on 2 shared cores (medians of four runs): no trigger 9.6, this 7.0, a message that names triple
 * 3.6, a counter row per writer 6.4.  5,000 inserts in one transaction: 0.51, 0.75, 1.3 and 2.8 s: versions of a
 * counter row pile up until the transaction ends, so its cost is quadratic.
 *
 * A message may arrive in the middle of a statement, and the statement's snapshot may be older than the change.  So
 * when facts_check finds that messages came, it takes a new snapshot (`detected`) and begins a new generation.  A copy
 * that is read with a snapshot that shows all that `detected` shows is right for all such snapshots until the next
 * generation.  A copy that is read with an older snapshot is right for that snapshot alone.  While a statement of this
 * transaction writes facts, equal snapshots show more and more of them: hence `rows` (server/written_rows.h).
 *
 * Others see a commit before its message arrives: by microseconds, or by milliseconds where the system takes the
 * processor from the committing process just then.  So facts_check also looks for writers whose commit the snapshot
 * shows and `detected` does not (writers.h).  On a standby, where none are noted, the facts follow that much later.
 *
 * Why a function in pg_catalog: the triggers' function belongs to the graph, so that a graph can be restored, and can
 * be written, where the extension is not.  It is run by whoever may write facts, and they need no right on the
 * extension's schema.
 */
#include "changes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/written_rows.h"
#include "writers.h"

static dlist_head watches = DLIST_STATIC_INIT(watches);

/* ---- sending -------------------------------------------------------------------- */

/*
 * One message serves all statements of a subtransaction: with thousands in one commit, other sessions would drop all
 * of their caches.  Notes the message; whether it was sent before in this subtransaction.
 */
static bool
note_message(Oid schema)
{
	static Oid	last_schema = InvalidOid;
	static LocalTransactionId last_transaction = InvalidLocalTransactionId;
	static SubTransactionId last_subtransaction = InvalidSubTransactionId;
	bool		sent = last_schema == schema && last_transaction == hkg_transaction() &&
		last_subtransaction == GetCurrentSubTransactionId();

	last_schema = schema;
	last_transaction = hkg_transaction();
	last_subtransaction = GetCurrentSubTransactionId();
	return sent;
}

static void
mark_written(Oid schema)
{
	dlist_iter	iter;

	dlist_foreach(iter, &watches)
	{
		FactsWatch *watch = dlist_container(FactsWatch, node, iter.cur);

		if (watch->schema == schema)
		{
			watch->changed = true;
			watch->writes++;
		}
	}
}

/*
 * Whether a message is right: from who may write the table, or did so by a view of somebody who may.  Others have the
 * lock as soon as they prepare a statement, and could have all sessions read the facts again and again.
 */
static bool
may_announce(Relation table)
{
	const AclMode writing = ACL_INSERT | ACL_UPDATE | ACL_DELETE | ACL_TRUNCATE;

	return pg_class_aclmask(RelationGetRelid(table), GetUserId(), writing, ACLMASK_ANY) != 0 ||
		pg_attribute_aclcheck_all(RelationGetRelid(table), GetUserId(), ACL_INSERT, ACLMASK_ANY) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(RelationGetRelid(table), GetUserId(), ACL_UPDATE, ACLMASK_ANY) == ACLCHECK_OK ||
		!pgstat_track_counts || (table->pgstat_info != NULL && table->pgstat_info->trans != NULL);
}

/*
 * The schema of a table that this transaction writes; InvalidOid where others need not be sent a message of it.  A
 * message for any other table would cost other sessions time for nothing, and a standby cannot send any: there, nobody
 * holds this lock.
 */
static Oid
schema_of_written(Oid oid)
{
	Relation	table = try_relation_open(oid, AccessShareLock);
	Oid			schema;

	if (table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", oid)));
	if (!CheckRelationLockedByMe(table, RowExclusiveLock, true))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this transaction does not write table \"%s\"", RelationGetRelationName(table)),
				 errhint("Triggers on the table triple of a graph call hkg_facts_changed; nobody else needs to.")));
	schema = may_announce(table) ? RelationGetNamespace(table) : InvalidOid;
	relation_close(table, AccessShareLock);
	return schema;
}

void
facts_announce(Oid schema)
{
	Oid			layout = get_relname_relid("layout", schema);

	if (OidIsValid(layout) && !note_message(schema))
		CacheInvalidateRelcacheByRelid(layout);
	writers_note(schema);
	mark_written(schema);
}

static void
announce_written(Oid table)
{
	Oid			schema = schema_of_written(table);

	if (OidIsValid(schema))
		facts_announce(schema);
}

/*
 * hkg_facts_changed of SQL since 0.2.0.  Sessions that have the library of 0.1.0 still, which notes nothing, lack this
 * symbol: after an upgrade they cannot write facts.
 */
HKG_FUNCTION(hkg_facts_written);
Datum
hkg_facts_written(PG_FUNCTION_ARGS)
{
	announce_written(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

/* The same of 0.1.0 */
HKG_FUNCTION(hkg_facts_changed);
Datum
hkg_facts_changed(PG_FUNCTION_ARGS)
{
	announce_written(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

/* ---- receiving ------------------------------------------------------------------ */

/*
 * relation: InvalidOid when messages were lost.  A message that names triple counts as well: it may have been
 * truncated, or its triggers disabled.
 */
static void
take_message(Datum argument, Oid relation)
{
	dlist_iter	iter;

	dlist_foreach(iter, &watches)
	{
		FactsWatch *watch = dlist_container(FactsWatch, node, iter.cur);

		if (!OidIsValid(relation) || relation == watch->layout || relation == watch->triple)
			watch->changed = true;
	}
}

void
facts_watch(FactsWatch *watch, const Graph *graph, MemoryContext context)
{
	static bool registered = false;

	if (!registered)
		CacheRegisterRelcacheCallback(take_message, (Datum) 0);
	registered = true;
	*watch = (FactsWatch) {.context = context,.schema = graph->schema,.changed = true};
	dlist_push_head(&watches, &watch->node);
}

void
facts_unwatch(FactsWatch *watch)
{
	dlist_delete(&watch->node);
}

static Oid
find_sender(void)
{
	Oid			argument = REGCLASSOID;
	oidvector  *arguments = buildoidvector(&argument, 1);
	Oid			sender = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("hkg_facts_changed"),
										 PointerGetDatum(arguments), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));

	pfree(arguments);
	return sender;
}

static void
begin_generation(FactsWatch *watch)
{
	MemoryContext caller = MemoryContextSwitchTo(watch->context);
	Visibility	latest = visibility_latest();

	MemoryContextSwitchTo(caller);
	if (watch->detected.running_xid != NULL)
		visibility_free(&watch->detected);
	watch->detected = latest;
	watch->generation++;
}

/* Other oids: the table was made anew, or nothing was sent while the extension was dropped. */
void
facts_check(FactsWatch *watch)
{
	Oid			triple;
	Oid			layout;
	Oid			sender;

	AcceptInvalidationMessages();
	if (graph_writes_elsewhere(watch->schema, "triple"))
		mark_written(watch->schema);
	triple = graph_table_here(watch->schema, "triple");
	layout = get_relname_relid("layout", watch->schema);
	sender = find_sender();
	if (!watch->changed && watch->triple == triple && watch->layout == layout && watch->sender == sender &&
		!writers_show_more(watch->schema, &watch->detected))
		return;
	begin_generation(watch);
	watch->triple = triple;
	watch->layout = layout;
	watch->sender = sender;
	watch->changed = false;
}

/* ---- triggers ------------------------------------------------------------------- */

bool
trigger_announces(const Trigger *trigger, Oid schema)
{
	const char *function = get_func_name(trigger->tgfoid);

	return get_func_namespace(trigger->tgfoid) == schema && function != NULL && strcmp(function, "facts_changed") == 0;
}

/*
 * The kinds of writing for which the trigger sends a message, if it is the graph's own: after statements; or after
 * rows, in a session that applies replicated changes, which fires no triggers of statements.
 */
static int
events_sent(const Trigger *trigger, Oid schema, bool replicating)
{
	char		elsewhere = replicating ? TRIGGER_FIRES_ON_ORIGIN : TRIGGER_FIRES_ON_REPLICA;

	if ((TRIGGER_FOR_ROW(trigger->tgtype) != 0) != replicating || !TRIGGER_FOR_AFTER(trigger->tgtype) ||
		trigger->tgenabled == TRIGGER_DISABLED || trigger->tgenabled == elsewhere || !trigger_announces(trigger, schema))
		return 0;
	return trigger->tgtype & TRIGGER_TYPE_EVENT_MASK;
}

/*
 * Whether all changes are sent: somebody may have disabled a trigger.  A table that inherits from triple has none, and
 * a statement on a table that triple inherits from fires its own instead.
 */
static bool
all_changes_are_sent(const FactsWatch *watch)
{
	Relation	table = try_table_open(watch->triple, AccessShareLock);
	const TriggerDesc *triggers;
	bool		inherited;
	int			written = 0;
	int			replicated = TRIGGER_TYPE_TRUNCATE; /* the server itself sends a message then */

	if (table == NULL)
		return false;
	triggers = table->trigdesc;
	inherited = table->rd_rel->relhassubclass || has_superclass(watch->triple);
	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		written |= events_sent(&triggers->triggers[i], watch->schema, false);
		replicated |= events_sent(&triggers->triggers[i], watch->schema, true);
	}
	table_close(table, AccessShareLock);
	return !inherited && written == TRIGGER_TYPE_EVENT_MASK && replicated == TRIGGER_TYPE_EVENT_MASK &&
		!table_is_distributed(watch->triple);
}

/*
 * Adds the version of a row of a catalogue.  False where the active snapshot does not show it: before it was written,
 * facts may have been changed without a note, and TRUNCATE takes them from older snapshots, too.
 */
static bool
add_version(HeapTuple row, uint64 *definition)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(row->t_data);
	uint32		version[] = {xmin, ItemPointerGetBlockNumber(&row->t_self), ItemPointerGetOffsetNumber(&row->t_self)};

	if (!HeapTupleHeaderXminFrozen(row->t_data) &&
		(TransactionIdIsCurrentTransactionId(xmin) || XidInMVCCSnapshot(xmin, GetActiveSnapshot())))
		return false;
	*definition = hash_combine64(*definition, hash_bytes_extended((unsigned char *) version, sizeof(version), 0));
	return true;
}

static bool
add_trigger_versions(Oid table, uint64 *definition)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		shown = true;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
		shown = add_version(row, definition) && shown;
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return shown;
}

static bool
add_cached_version(HeapTuple row, uint64 *definition)
{
	bool		shown = HeapTupleIsValid(row) && add_version(row, definition);

	if (HeapTupleIsValid(row))
		ReleaseSysCache(row);
	return shown;
}

bool
facts_are_noted(const FactsWatch *watch, uint64 *definition)
{
	*definition = hash_combine64(watch->triple, watch->sender);
	return OidIsValid(watch->sender) && all_changes_are_sent(watch) &&
		add_cached_version(SearchSysCache1(RELOID, ObjectIdGetDatum(watch->triple)), definition) &&
		add_cached_version(SearchSysCache1(PROCOID, ObjectIdGetDatum(watch->sender)), definition) &&
		add_trigger_versions(watch->triple, definition);
}

/* ---- versions ------------------------------------------------------------------- */

FactsVersion
facts_version(const FactsWatch *watch)
{
	bool		lasts = visibility_is_covered(&watch->detected) && all_changes_are_sent(watch);

	return (FactsVersion) {
		.snapshot = visibility_active(),
		.generation = lasts ? watch->generation : 0,
		.writes = watch->writes,
		.rows = rows_written(list_make1_oid(watch->triple))
	};
}

/*
 * A snapshot in a trigger that runs before rows are written equals the next statement's: hence `writes`.  A serializable
 * transaction reads the table itself, once: the server has to see that it did, to find who writes what it has read.
 */
bool
facts_version_holds(const FactsWatch *watch, const FactsVersion *version)
{
	if (IsolationIsSerializable() && version->snapshot.transaction != hkg_transaction())
		return false;
	if (version->rows != rows_written(list_make1_oid(watch->triple)))
		return false;
	if (version->writes == watch->writes && visibility_is_active(&version->snapshot))
		return true;
	return version->generation == watch->generation && visibility_is_covered(&watch->detected);
}
