/*
 * writers.c
 *		Which transactions have written the facts of a graph (see writers.h).
 *
 * Messages (changes.c) reach the sessions that are there.  A session that has begun since cannot find out from them
 * whether a copy of the facts, which another session has made, is still right.  So whoever writes facts leaves the
 * number of its transaction in shared memory, before it commits.  Two snapshots show the same facts if each of these
 * transactions is shown by both, or by neither.
 *
 * For each graph the latest few are kept.  Of the others it is known that they are below `floor`, so that both
 * snapshots have to be past it.  A graph without an entry was not written since the server started, or its entry was
 * given up; then the floor of all such graphs counts.
 *
 * A transaction that was prepared before the server started is not noted: as long as it may be there, no two snapshots
 * agree.  On a standby nothing is noted.
 *
 * Numbers wrap around: one that seems to come after the next number is from an age ago.
 */
#include "writers.h"

#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/snapmgr.h"

#include "server/shared_memory.h"

#define LAYOUT "hybridkg writers 1"
#define GRAPHS 64
#define LATEST 16

typedef struct GraphWriters
{
	Oid			database;
	Oid			schema;
	TransactionId floor;		/* those below it are not kept; invalid: all are */
	int			count;
	TransactionId xid[LATEST];	/* in no order */
} GraphWriters;

typedef struct Registry
{
	LWLock		lock;
	bool		begun;
	TransactionId floor;		/* of graphs without an entry */
	int			next;			/* the entry that is given up next */
	GraphWriters graph[GRAPHS];
} Registry;

static Registry *registry = NULL;

static void
make_registry(void *memory)
{
	LWLockInitialize(&((Registry *) memory)->lock, LWLockNewTrancheId());
}

/* False where nothing can be noted. */
static bool
find_registry(void)
{
	if (registry == NULL)
	{
		registry = shared_memory(LAYOUT, sizeof(Registry), make_registry);
		if (registry != NULL)
			LWLockRegisterTranche(registry->lock.tranche, "hybridkg_writers");
	}
	return registry != NULL && !RecoveryInProgress();
}

/* ---- with the lock held ---------------------------------------------------------- */

static GraphWriters *
find_graph(Oid schema)
{
	for (int i = 0; i < GRAPHS; i++)
		if (registry->graph[i].database == MyDatabaseId && registry->graph[i].schema == schema)
			return &registry->graph[i];
	return NULL;
}

/* After a start, or the promotion of a standby, there may be transactions that were prepared before. */
static void
begin_registry(void)
{
	if (!registry->begun && max_prepared_xacts > 0)
		registry->floor = ReadNextTransactionId();
	registry->begun = true;
}

static void
raise_floor(TransactionId *floor, TransactionId xid)
{
	if (TransactionIdIsValid(xid) && (!TransactionIdIsValid(*floor) || TransactionIdPrecedes(*floor, xid)))
		*floor = xid;
}

static TransactionId
after(TransactionId xid)
{
	TransactionIdAdvance(xid);
	return xid;
}

static GraphWriters *
add_graph(Oid schema)
{
	GraphWriters *graph = &registry->graph[registry->next];

	registry->next = (registry->next + 1) % GRAPHS;
	raise_floor(&registry->floor, graph->floor);
	for (int i = 0; i < graph->count; i++)
		raise_floor(&registry->floor, after(graph->xid[i]));
	*graph = (GraphWriters) {.database = MyDatabaseId,.schema = schema,.floor = registry->floor};
	return graph;
}

/* The lowest of them makes room for another one. */
static void
add_writer(GraphWriters *graph, TransactionId xid)
{
	int			lowest = 0;

	for (int i = 0; i < graph->count; i++)
		if (graph->xid[i] == xid)
			return;
	if (graph->count < LATEST)
	{
		graph->xid[graph->count++] = xid;
		return;
	}
	for (int i = 1; i < LATEST; i++)
		if (TransactionIdPrecedes(graph->xid[i], graph->xid[lowest]))
			lowest = i;
	raise_floor(&graph->floor, after(graph->xid[lowest]));
	graph->xid[lowest] = xid;
}

/* ---- noting ------------------------------------------------------------------------ */

/* Where rows were written, the transaction has a number. */
void
writers_note(Oid schema)
{
	static Oid	last_schema = InvalidOid;
	static TransactionId last_xid = InvalidTransactionId;
	TransactionId xid = GetTopTransactionIdIfAny();
	GraphWriters *graph;

	if (!TransactionIdIsValid(xid) || (schema == last_schema && xid == last_xid) || !find_registry())
		return;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	begin_registry();
	graph = find_graph(schema);
	if (graph == NULL)
		graph = add_graph(schema);
	add_writer(graph, xid);
	LWLockRelease(&registry->lock);
	last_schema = schema;
	last_xid = xid;
}

/* ---- comparing --------------------------------------------------------------------- */

/* What others are to compare with: for them, this transaction is one that runs. */
Visibility
writers_view(void)
{
	Visibility	view = visibility_active();
	TransactionId xid = GetTopTransactionIdIfAny();

	if (TransactionIdIsValid(xid))
	{
		view.running_xid = repalloc(view.running_xid, (view.running + 1) * sizeof(TransactionId));
		view.running_xid[view.running++] = xid;
	}
	return view;
}

static GraphWriters
read_writers(Oid schema)
{
	GraphWriters writers = {0};
	GraphWriters *graph;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	begin_registry();
	graph = find_graph(schema);
	writers.floor = registry->floor;
	if (graph != NULL)
		writers = *graph;
	LWLockRelease(&registry->lock);
	return writers;
}

static bool
is_past(TransactionId xmin, TransactionId floor, TransactionId next)
{
	return !TransactionIdIsValid(floor) || TransactionIdFollows(floor, next) || TransactionIdFollowsOrEquals(xmin, floor);
}

bool
writers_agree(Oid schema, const Visibility *other)
{
	Visibility	active;
	GraphWriters writers;
	TransactionId next;

	if (!find_registry() || GetActiveSnapshot()->takenDuringRecovery)
		return false;
	active = visibility_active();
	writers = read_writers(schema);
	next = ReadNextTransactionId();
	if (!is_past(active.xmin, writers.floor, next) || !is_past(other->xmin, writers.floor, next))
		return false;
	for (int i = 0; i < writers.count; i++)
		if (TransactionIdIsCurrentTransactionId(writers.xid[i]) ||
			(TransactionIdPrecedes(writers.xid[i], next) &&
			 visibility_shows(&active, writers.xid[i]) != visibility_shows(other, writers.xid[i])))
			return false;
	return true;
}

/* What a transaction that was rolled back has written is shown to nobody. */
bool
writers_show_more(Oid schema, const Visibility *other)
{
	GraphWriters writers;

	if (!find_registry())
		return false;
	writers = read_writers(schema);
	for (int i = 0; i < writers.count; i++)
	{
		TransactionId xid = writers.xid[i];

		if (!visibility_shows(other, xid) && !TransactionIdIsCurrentTransactionId(xid) &&
			!XidInMVCCSnapshot(xid, GetActiveSnapshot()) && TransactionIdDidCommit(xid))
			return true;
	}
	return false;
}
