/*
 * locks.c
 *		Locks on a graph, on a model of it, and on its tables (see graph.h).
 *
 * Those on a graph and on a model are advisory locks of classes that SQL's advisory functions (classes 1 and 2) cannot
 * take.  Field 1 is the database, field 2 the schema, field 3 the model's hash or 0, field 4 the class.
 *
 * Order: the layout (graph_open reads it), the advisory locks, the tables.  A statement that writes several tables locks
 * all of them before the first one.  No order of tables is that of all statements of the server: ALTER TABLE goes from a
 * table to the one that its key references, TRUNCATE ... CASCADE the other way.  So we wait for one table while we
 * hold none of the others.
 *
 * hkg_upgrade_graph and hkg_drop_graph run statements of the server that lock one table after the other.  So each locks
 * all tables and views of the graph first, in the way above.
 */
#include "graph.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "server/growing_array.h"
#include "server/sql.h"

typedef enum LockClass
{
	LOAD_LOCK = 3,
	TRAINING_LOCK,				/* of a model */
	LAYOUT_LOCK					/* shared by trainings, exclusive for an upgrade, and to remove entities */
} LockClass;

#define LOCK_TRIES 10

/*
 * Tries for a tenth of a second: a training or an upgrade whose end can be seen holds its lock for a moment more.
 */
static bool
lock_soon(const LOCKTAG *tag, LOCKMODE mode, bool session)
{
	for (int try = 0; try < LOCK_TRIES; try++)
	{
		if (LockAcquire(tag, mode, session, true) != LOCKACQUIRE_NOT_AVAIL)
			return true;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(10000);
	}
	return false;
}

void
graph_lock_for_load(Graph *graph, const char *function)
{
	LOCKTAG		tag;

	PreventCommandIfReadOnly(function);
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema, 0, LOAD_LOCK);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	graph_check_layout(graph);
}

static void
lock_for_training(Graph *graph, const char *model, bool session)
{
	uint32		hash = hash_bytes((const unsigned char *) model, strlen(model));
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema, hash, TRAINING_LOCK);
	if (!lock_soon(&tag, ExclusiveLock, session))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("model \"%s\" of graph \"%s\" is being trained by another session",
						model, graph->name),
				 errhint("Wait for it to end, or train under another model name.")));
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema, 0, LAYOUT_LOCK);
	if (!lock_soon(&tag, ShareLock, session))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("graph \"%s\" is being upgraded or pruned by another session", graph->name),
				 errhint("Wait for that to end.")));
	graph_check_layout(graph);
}

void
graph_lock_for_training(Graph *graph, const char *model)
{
	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("model \"%s\" of graph \"%s\" cannot be changed in a read-only transaction", model, graph->name),
				 errhint("Begin a read-write transaction, on the primary server.")));
	lock_for_training(graph, model, false);
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
graph_leave_training(const Graph *graph)
{
	graph_check_name(graph);
	PopActiveSnapshot();
}

void
graph_lock_session_for_training(Graph *graph, const char *model)
{
	lock_for_training(graph, model, true);
}

static void
lock_without_trainings(const Graph *graph, const char *way_out)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, graph->schema, 0, LAYOUT_LOCK);
	if (!lock_soon(&tag, ExclusiveLock, false))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("graph \"%s\" is in use by a training or an upgrade", graph->name),
				 errhint("Wait for it to end%s; the view hkg_progress lists trainings.", way_out)));
}

void
graph_lock_for_upgrade(Graph *graph)
{
	PreventCommandIfReadOnly("hkg_upgrade_graph()");
	lock_without_trainings(graph, "");
}

void
graph_lock_for_pruning(Graph *graph)
{
	lock_without_trainings(graph, ", or leave out prune");
}

/* ---- tables ----------------------------------------------------------------------- */

typedef struct TableLock
{
	const char *table;
	LOCKMODE	mode;
} TableLock;

typedef struct FoundTable
{
	Oid			oid;
	LOCKMODE	mode;
} FoundTable;

typedef struct FoundTables
{
	FoundTable *table;
	int64		count;
	int64		room;
} FoundTables;

static void
add_table(FoundTables *found, Oid oid, LOCKMODE mode)
{
	found->table = array_reserve(found->table, found->count + 1, &found->room, sizeof(FoundTable));
	found->table[found->count++] = (FoundTable) {oid, mode};
}

/* The tables that are there; what is not is left to the statement that needs it. */
static FoundTables
find_tables(const Graph *graph, const TableLock *lock, int count)
{
	FoundTables found = {0};

	for (int i = 0; i < count; i++)
	{
		Oid			oid = get_relname_relid(lock[i].table, graph->schema);

		if (OidIsValid(oid))
			add_table(&found, oid, lock[i].mode);
	}
	return found;
}

/* Locks all and returns their number; or, where one is not free at once, locks none and returns that one's. */
static int64
lock_at_once(const FoundTables *found)
{
	int64		locked = 0;

	while (locked < found->count && ConditionalLockRelationOid(found->table[locked].oid, found->table[locked].mode))
		locked++;
	for (int64 i = 0; locked < found->count && i < locked; i++)
		UnlockRelationOid(found->table[i].oid, found->table[i].mode);
	return locked;
}

static void
lock_found(const FoundTables *found)
{
	int64		next = lock_at_once(found);

	while (next < found->count)
	{
		FoundTable	awaited = found->table[next];

		LockRelationOid(awaited.oid, awaited.mode);
		next = lock_at_once(found);
		UnlockRelationOid(awaited.oid, awaited.mode);
	}
}

static void
lock_tables(const Graph *graph, const TableLock *lock, int count)
{
	FoundTables found = find_tables(graph, lock, count);

	lock_found(&found);
}

void
graph_lock_facts(const Graph *graph, bool prune)
{
	enum
	{
		PRUNED = 4				/* the first table that only pruning changes */
	};
	static const TableLock lock[] = {
		{"triple", RowExclusiveLock}, {"holdout", RowExclusiveLock}, {"entity", RowExclusiveLock},
		{"relation", RowExclusiveLock},
		/* entities that go take rows of these along, and touch the models */
		[PRUNED] = {"rejected", RowExclusiveLock}, {"entity_embedding", RowExclusiveLock}, {"inferred", RowExclusiveLock},
		{"model", RowExclusiveLock}
	};

	lock_tables(graph, lock, prune ? lengthof(lock) : PRUNED);
}

void
graph_lock_splits(const Graph *graph)
{
	static const TableLock lock[] = {
		{"triple", ShareRowExclusiveLock}, {"holdout", ShareRowExclusiveLock}, {"entity", RowShareLock},
		{"relation", RowShareLock}, {"model", AccessShareLock}
	};

	lock_tables(graph, lock, lengthof(lock));
}

void
graph_lock_models(const Graph *graph)
{
	static const TableLock lock[] = {
		{"model", RowExclusiveLock}, {"entity_embedding", RowExclusiveLock}, {"relation_embedding", RowExclusiveLock},
		{"threshold", RowExclusiveLock}, {"evidence_weight", RowExclusiveLock}, {"rule", RowExclusiveLock},
		{"path_network", RowExclusiveLock}, {"shared_weight", RowExclusiveLock}, {"inferred", RowExclusiveLock},
		{"iteration", RowExclusiveLock}, {"path_epoch", RowExclusiveLock}, {"checkpoint", RowExclusiveLock},
		{"checkpoint_inferred", RowExclusiveLock}, {"training", RowExclusiveLock}, {"triple", AccessShareLock}, {"holdout", AccessShareLock},
		{"rejected", AccessShareLock}, {"entity", RowShareLock}, {"relation", RowShareLock}
	};

	lock_tables(graph, lock, lengthof(lock));
}

static void
add_table_row(void *argument, const Datum *values, const bool *nulls)
{
	add_table(argument, DatumGetObjectId(values[0]), AccessExclusiveLock);
}

void
graph_lock_whole(const Graph *graph)
{
	FoundTables found = {0};
	SqlArgs		args = {0};

	sql_arg(&args, OIDOID, ObjectIdGetDatum(graph->schema));
	sql_stream("select oid from pg_class where relnamespace = $1 and relkind in ('r', 'p', 'v', 'm', 'f')",
			   &args, add_table_row, &found);
	lock_found(&found);
}

void
graph_lock_model_row(const Graph *graph, const char *model)
{
	SqlArgs		name = sql_args_text(model);

	sql_run(psprintf("select from %smodel where name = $1 for key share", graph->prefix), &name);
}

void
graph_lock_model_to_read(const Graph *graph, const char *model)
{
	graph_lock_model_row(graph, model);
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
}
