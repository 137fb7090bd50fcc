/*
 * changes.c
 *		Whether what was read from a graph's facts still holds (see changes.h).
 *
 * Before and after a statement that writes table triple, the graph's trigger facts_changed calls
 * hkg_facts_changed.  That sends a message of the kind that the server sends when a table is altered: with the
 * commit, to all sessions of the database, here and on standbys; to this session at the end of the
 * command, and again when it is rolled back.  It costs nobody a lock or a row.  A message that
 * names the table would have every session read its definition and plan its queries again; ours names a
 * relation that is none: its oid is the schema's.  So nobody but us takes notice.
 *
 * Messages come at any time, also in the middle of a statement whose snapshot is older than the
 * change.  So when one is noticed, we look what a statement would see that began now (`noticed`).
 * What is read with a snapshot that shows no less is right for all such snapshots, until the next message.
 * What is read with an older one is right for that one alone.
 *
 * A commit is announced some microseconds after others begin to see it, but before whoever
 * committed is told.  Within a statement that writes facts, once a trigger BEFORE each row has asked, the
 * triggers of its rows hear the rows that were there then.
 */
#include "changes.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static dlist_head watches = DLIST_STATIC_INIT(watches);

/* ---- announcing ---------------------------------------------------------------- */

static void
announce(Oid schema, HeapTuple table)
{
	HeapTuple	none = heap_copytuple(table);

	((Form_pg_class) GETSTRUCT(none))->oid = schema;
	CacheInvalidateRelcacheByTuple(none);
	heap_freetuple(none);
}

/* One message does for all statements of a subtransaction: thousands in one commit would have others drop all their caches. */
static bool
is_announced(Oid schema)
{
	static Oid	last_schema = InvalidOid;
	static LocalTransactionId last_transaction = InvalidLocalTransactionId;
	static SubTransactionId last_subtransaction = InvalidSubTransactionId;
	bool		announced = last_schema == schema && last_transaction == hkg_transaction() &&
		last_subtransaction == GetCurrentSubTransactionId();

	last_schema = schema;
	last_transaction = hkg_transaction();
	last_subtransaction = GetCurrentSubTransactionId();
	return announced;
}

static void
mark_written(Oid schema)
{
	dlist_iter	iter;

	dlist_foreach(iter, &watches)
	{
		FactsWatch *watch = dlist_container(FactsWatch, node, iter.cur);

		if (watch->schema == schema)
			watch->changed = true;
	}
}

HKG_FUNCTION(hkg_facts_changed);
Datum
hkg_facts_changed(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	HeapTuple	table = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	Oid			schema;

	if (!HeapTupleIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", oid)));
	schema = ((Form_pg_class) GETSTRUCT(table))->relnamespace;
	if (!is_announced(schema))
		announce(schema, table);
	mark_written(schema);
	ReleaseSysCache(table);
	PG_RETURN_VOID();
}

/* ---- noticing ------------------------------------------------------------------ */

/* relation: InvalidOid where messages were lost.  Those about the table itself count: it may be empty, or its trigger disabled. */
static void
take_message(Datum argument, Oid relation)
{
	dlist_iter	iter;

	dlist_foreach(iter, &watches)
	{
		FactsWatch *watch = dlist_container(FactsWatch, node, iter.cur);

		if (!OidIsValid(relation) || relation == watch->schema || relation == watch->triple)
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
find_herald(void)
{
	Oid			argument = REGCLASSOID;
	oidvector  *arguments = buildoidvector(&argument, 1);
	Oid			herald = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("hkg_facts_changed"),
										 PointerGetDatum(arguments), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));

	pfree(arguments);
	return herald;
}

static void
look_again(FactsWatch *watch)
{
	MemoryContext caller = MemoryContextSwitchTo(watch->context);
	Visibility		latest = visibility_latest();

	MemoryContextSwitchTo(caller);
	if (watch->noticed.running_xid != NULL)
		visibility_free(&watch->noticed);
	watch->noticed = latest;
}

void
facts_notice(FactsWatch *watch)
{
	Oid			triple;
	Oid			herald;

	AcceptInvalidationMessages();
	triple = get_relname_relid("triple", watch->schema);
	herald = find_herald();
	if (!watch->changed && watch->triple == triple && watch->herald == herald)
		return;
	look_again(watch);
	watch->notice++;
	watch->triple = triple;
	watch->herald = herald;
	watch->changed = false;
}

bool
facts_are_seen(const FactsWatch *watch)
{
	return visibility_is_covered(&watch->noticed);
}

/*
 * What the trigger announces, if it is the graph's own: after statements; or in a session that replicates, after rows,
 * since a subscriber's changes fire nothing else.
 */
static int
events_announced(const Trigger *trigger, Oid schema, bool replicating)
{
	char	   *function = get_func_name(trigger->tgfoid);
	char		elsewhere = replicating ? TRIGGER_FIRES_ON_ORIGIN : TRIGGER_FIRES_ON_REPLICA;

	if ((TRIGGER_FOR_ROW(trigger->tgtype) != 0) != replicating || !TRIGGER_FOR_AFTER(trigger->tgtype) ||
		trigger->tgenabled == TRIGGER_DISABLED || trigger->tgenabled == elsewhere ||
		get_func_namespace(trigger->tgfoid) != schema || function == NULL || strcmp(function, "facts_changed") != 0)
		return 0;
	return trigger->tgtype & TRIGGER_TYPE_EVENT_MASK;
}

/* Tables that inherit have triggers of their own, or none. */
bool
facts_are_announced(const FactsWatch *watch)
{
	Relation	table = table_open(watch->triple, AccessShareLock);
	const TriggerDesc *triggers = table->trigdesc;
	bool		inherited = table->rd_rel->relhassubclass;
	int			written = 0;
	int			replicated = TRIGGER_TYPE_TRUNCATE; /* which alters the table */

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		written |= events_announced(&triggers->triggers[i], watch->schema, false);
		replicated |= events_announced(&triggers->triggers[i], watch->schema, true);
	}
	table_close(table, AccessShareLock);
	return !inherited && written == TRIGGER_TYPE_EVENT_MASK && replicated == TRIGGER_TYPE_EVENT_MASK;
}
