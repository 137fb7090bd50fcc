/*
 * copy_directory.c
 *		Which copies the server has, in shared memory (see copy_directory.h).
 *
 * A mapping stays valid when its file is removed.  So to evict a copy is to remove its file and to find it no more; its
 * slot is free when the last process has let go of it.  Copies that running transactions use are pinned; of the others
 * the one used least recently goes first.  What is evicted, but still mapped somewhere, does not count against
 * hybridkg.shared_cache: an idle session would keep a new model out.
 *
 * One process builds a copy.  It claims a slot, and others wait for it, but not while it waits for a lock itself, which
 * one of them may hold: nobody would find such a deadlock.
 *
 * Another build of this library may lay out what it shares in another way, and both may run in one server for a while,
 * after an upgrade without a restart.  So copies are found by the library as well.
 *
 * Where the server has no room left for the directory, nothing is shared.
 */
#include "copy_directory.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include "access/parallel.h"
#include "access/transam.h"
#include "access/xact.h"
#include "commands/dbcommands.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "copy_file.h"
#include "shared_memory.h"
#include "sql.h"
#include "visibility.h"

int			hkg_shared_cache;

#define LAYOUT "hybridkg copies " COPY_LAYOUT
#define SLOTS 64
#define KIND_BYTES 8

/* A builder that takes longer than these together is not waited for. */
#define WAIT_MILLISECONDS 100
#define MOST_WAITS 600

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_BUILDING,
	SLOT_READY,
	SLOT_EVICTED				/* but somebody has it mapped */
} SlotState;

static const char *const state_names[] = {"free", "building", "ready", "evicted"};

typedef struct Slot
{
	SlotState	state;
	char		kind[KIND_BYTES];
	Oid			database;
	Oid			schema;
	uint64		version;
	TransactionId xmax;
	uint64		library;
	NameData	graph;
	NameData	model;
	uint64		number;
	int			builder;		/* its pid */
	int			users;			/* processes that have it mapped */
	uint64		bytes;
	TimestampTz built_at;		/* or when the build began */
	pg_atomic_uint32 pins;		/* running transactions that use it */
	pg_atomic_uint64 used_at;
} Slot;

/* The lock is held to read or change slots, but for the two atomics. */
typedef struct Directory
{
	LWLock		lock;
	ConditionVariable ended;	/* a build has */
	uint64		last_number;
	Slot		slot[SLOTS];
} Directory;

static Directory *directory = NULL;
static uint64 library = 0;		/* what no other build of it has; 0 where that cannot be found out */

static void
make_directory(void *memory)
{
	Directory  *made = memory;

	LWLockInitialize(&made->lock, LWLockNewTrancheId());
	ConditionVariableInit(&made->ended);
	for (int i = 0; i < SLOTS; i++)
	{
		pg_atomic_init_u32(&made->slot[i].pins, 0);
		pg_atomic_init_u64(&made->slot[i].used_at, 0);
	}
	copy_file_remove_all();
}

/* False where nothing is shared. */
static bool
find_directory(void)
{
	if (directory != NULL)
		return true;
	directory = shared_memory(LAYOUT, sizeof(Directory), make_directory);
	if (directory != NULL)
		LWLockRegisterTranche(directory->lock.tranche, "hybridkg_copies");
	return directory != NULL;
}

void
copy_begin(void)
{
	Dl_info		info;
	struct stat status;

	if (dladdr((void *) copy_begin, &info) != 0 && stat(info.dli_fname, &status) == 0)
	{
		uint64		identity[] = {(uint64) status.st_ino, (uint64) status.st_size, (uint64) status.st_mtime};

		library = hash_bytes_extended((unsigned char *) identity, sizeof(identity), 0);
	}
}

/* ---- slots, with the lock held ------------------------------------------------------- */

static bool
is_of_model(const Slot *slot, const CopyKey *key)
{
	return slot->database == MyDatabaseId && slot->schema == key->schema && slot->library == library &&
		strcmp(slot->kind, key->kind) == 0 && strcmp(NameStr(slot->model), key->model) == 0;
}

static Slot *
find_slot(SlotState state, const CopyKey *key)
{
	for (int i = 0; i < SLOTS; i++)
	{
		Slot	   *slot = &directory->slot[i];

		if (slot->state == state && is_of_model(slot, key) && slot->version == key->version)
			return slot;
	}
	return NULL;
}

static CopyEntry
entry_of(const Slot *slot)
{
	return (CopyEntry) {(int) (slot - directory->slot), slot->number};
}

/* NULL: the slot has another copy by now. */
static Slot *
slot_of(CopyEntry entry)
{
	Slot	   *slot = &directory->slot[entry.slot];

	return slot->number == entry.number ? slot : NULL;
}

/* Files that are to be removed when the lock is free: that takes time. */
typedef struct Evicted
{
	int			count;
	uint64		number[SLOTS];
} Evicted;

static void
evict(Slot *slot, Evicted *evicted)
{
	evicted->number[evicted->count++] = slot->number;
	slot->state = slot->users > 0 ? SLOT_EVICTED : SLOT_FREE;
}

static void
remove_files(const Evicted *evicted)
{
	for (int i = 0; i < evicted->count; i++)
		copy_file_remove(evicted->number[i]);
}

/* The one used least recently that no transaction uses, nor a process has mapped unless it may; NULL: there is none. */
static Slot *
find_victim(bool may_be_mapped)
{
	Slot	   *victim = NULL;

	for (int i = 0; i < SLOTS; i++)
	{
		Slot	   *slot = &directory->slot[i];

		if (slot->state == SLOT_READY && pg_atomic_read_u32(&slot->pins) == 0 && (may_be_mapped || slot->users == 0) &&
			(victim == NULL || pg_atomic_read_u64(&slot->used_at) < pg_atomic_read_u64(&victim->used_at)))
			victim = slot;
	}
	return victim;
}

static uint64
bytes_in_use(void)
{
	uint64		bytes = 0;

	for (int i = 0; i < SLOTS; i++)
		if (directory->slot[i].state == SLOT_READY || directory->slot[i].state == SLOT_BUILDING)
			bytes += directory->slot[i].bytes;
	return bytes;
}

/* ---- copies of what is gone ------------------------------------------------------------ */

void
copy_evict(CopyEntry entry)
{
	Evicted		evicted = {0};
	Slot	   *slot;

	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	slot = slot_of(entry);
	if (slot != NULL && slot->state == SLOT_READY)
		evict(slot, &evicted);
	LWLockRelease(&directory->lock);
	remove_files(&evicted);
}

static Slot
slot_copy(int i)
{
	Slot		slot;

	LWLockAcquire(&directory->lock, LW_SHARED);
	slot = directory->slot[i];
	LWLockRelease(&directory->lock);
	return slot;
}

/* Of schemas and databases that were dropped.  A server has no hook for that, so it is looked at now and then. */
static void
evict_gone(void)
{
	for (int i = 0; i < SLOTS; i++)
	{
		Slot		slot = slot_copy(i);
		bool		here = slot.database == MyDatabaseId;

		if (slot.state == SLOT_READY && !SearchSysCacheExists1(here ? NAMESPACEOID : DATABASEOID,
															   ObjectIdGetDatum(here ? slot.schema : slot.database)))
			copy_evict((CopyEntry) {i, slot.number});
	}
}

void
copy_look_up(void)
{
	(void) find_directory();
}

void
copy_evict_schema(Oid schema)
{
	for (int i = 0; directory != NULL && i < SLOTS; i++)
	{
		Slot		slot = slot_copy(i);

		if (slot.state == SLOT_READY && slot.database == MyDatabaseId && slot.schema == schema)
			copy_evict((CopyEntry) {i, slot.number});
	}
}

/* ---- using ----------------------------------------------------------------------------- */

static void
touch(Slot *slot)
{
	pg_atomic_write_u64(&slot->used_at, (uint64) GetCurrentStatementStartTimestamp());
}

bool
copy_find(const CopyKey *key, CopyEntry *entry)
{
	Slot	   *slot;

	if (hkg_shared_cache == 0 || !find_directory())
		return false;
	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	slot = find_slot(SLOT_READY, key);
	if (slot != NULL)
	{
		slot->users++;
		pg_atomic_fetch_add_u32(&slot->pins, 1);
		touch(slot);
		*entry = entry_of(slot);
	}
	LWLockRelease(&directory->lock);
	return slot != NULL;
}

bool
copy_pin(CopyEntry entry)
{
	bool		ready;

	pg_atomic_fetch_add_u32(&directory->slot[entry.slot].pins, 1);
	touch(&directory->slot[entry.slot]);
	LWLockAcquire(&directory->lock, LW_SHARED);
	ready = slot_of(entry) != NULL && slot_of(entry)->state == SLOT_READY;
	LWLockRelease(&directory->lock);
	return ready;
}

void
copy_unpin(CopyEntry entry)
{
	pg_atomic_fetch_sub_u32(&directory->slot[entry.slot].pins, 1);
}

void
copy_release(CopyEntry entry)
{
	Slot	   *slot = &directory->slot[entry.slot];

	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	if (--slot->users == 0 && slot->state == SLOT_EVICTED)
		slot->state = SLOT_FREE;
	LWLockRelease(&directory->lock);
}

/* ---- building --------------------------------------------------------------------------- */

static Slot *
take_free_slot(Evicted *evicted)
{
	Slot	   *victim;

	for (int i = 0; i < SLOTS; i++)
		if (directory->slot[i].state == SLOT_FREE)
			return &directory->slot[i];
	victim = find_victim(false);
	if (victim != NULL)
		evict(victim, evicted);
	return victim;
}

static void
begin_build(Slot *slot, const CopyKey *key)
{
	slot->state = SLOT_BUILDING;
	strlcpy(slot->kind, key->kind, KIND_BYTES);
	slot->database = MyDatabaseId;
	slot->schema = key->schema;
	slot->version = key->version;
	slot->xmax = key->xmax;
	slot->library = library;
	namestrcpy(&slot->graph, key->graph);
	namestrcpy(&slot->model, key->model);
	slot->number = ++directory->last_number;
	slot->builder = MyProcPid;
	slot->users = 0;
	slot->bytes = 0;
	slot->built_at = GetCurrentTimestamp();
	touch(slot);
}

bool
copy_claim(const CopyKey *key, CopyEntry *entry)
{
	Evicted		evicted = {0};
	Slot	   *slot = NULL;
	bool		may = true;

	if (hkg_shared_cache == 0 || !find_directory() || library == 0)
		return false;
	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	for (int i = 0; i < SLOTS; i++)
		/* a copy of a later snapshot stays */
		if (directory->slot[i].state == SLOT_READY && is_of_model(&directory->slot[i], key) &&
			TransactionIdFollows(directory->slot[i].xmax, key->xmax))
			may = false;
	if (may && find_slot(SLOT_BUILDING, key) == NULL)
		slot = take_free_slot(&evicted);
	if (slot != NULL)
	{
		begin_build(slot, key);
		*entry = entry_of(slot);
	}
	LWLockRelease(&directory->lock);
	remove_files(&evicted);
	return slot != NULL;
}

/* The pid of who builds it; 0: nobody does. */
static int
builder_of(const CopyKey *key)
{
	Slot	   *slot;
	int			builder;

	LWLockAcquire(&directory->lock, LW_SHARED);
	slot = find_slot(SLOT_BUILDING, key);
	builder = slot == NULL ? 0 : slot->builder;
	LWLockRelease(&directory->lock);
	return builder;
}

/*
 * Waiting would be a deadlock in a parallel worker for which the builder waits, and in a function that a query of the
 * builder calls.
 */
bool
copy_wait(const CopyKey *key)
{
	int			builder;
	int			waits = 0;

	if (hkg_shared_cache == 0 || !find_directory() || IsParallelWorker())
		return false;
	ConditionVariablePrepareToSleep(&directory->ended);
	while ((builder = builder_of(key)) != 0 && builder != MyProcPid && waits++ < MOST_WAITS)
	{
		PGPROC	   *process = BackendPidGetProc(builder);

		if (process != NULL && process->waitStatus == PROC_WAIT_STATUS_WAITING)
			break;
		(void) ConditionVariableTimedSleep(&directory->ended, WAIT_MILLISECONDS, PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
	return builder == 0;
}

bool
copy_make_room(CopyEntry claim, uint64 bytes)
{
	uint64		limit = (uint64) hkg_shared_cache * 1024;
	Evicted		evicted = {0};
	Slot	   *victim = NULL;
	bool		fits;

	evict_gone();
	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	while (bytes <= limit && bytes_in_use() + bytes > limit && (victim = find_victim(true)) != NULL)
		evict(victim, &evicted);
	fits = bytes_in_use() + bytes <= limit;
	if (fits)
		directory->slot[claim.slot].bytes = bytes;
	LWLockRelease(&directory->lock);
	remove_files(&evicted);
	return fits;
}

void
copy_complete(CopyEntry claim)
{
	Slot	   *slot = &directory->slot[claim.slot];
	CopyKey		key = {.kind = slot->kind,.schema = slot->schema,.model = NameStr(slot->model)};
	Evicted		evicted = {0};

	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	for (int i = 0; i < SLOTS; i++)
		if (directory->slot[i].state == SLOT_READY && is_of_model(&directory->slot[i], &key))
			evict(&directory->slot[i], &evicted);
	slot->state = SLOT_READY;
	slot->users = 1;
	slot->built_at = GetCurrentTimestamp();
	pg_atomic_write_u32(&slot->pins, 1);
	LWLockRelease(&directory->lock);
	ConditionVariableBroadcast(&directory->ended);
	remove_files(&evicted);
}

void
copy_abandon(CopyEntry claim)
{
	LWLockAcquire(&directory->lock, LW_EXCLUSIVE);
	directory->slot[claim.slot].state = SLOT_FREE;
	LWLockRelease(&directory->lock);
	ConditionVariableBroadcast(&directory->ended);
	copy_file_remove(claim.number);
}

/* ---- hkg_cache --------------------------------------------------------------------------- */

/* The names of a graph and a model are shown to who sees all of the graph's table model, in this database. */
static void
return_slot(const Slot *slot, SqlResult *result)
{
	bool		named = slot->database == MyDatabaseId && visibility_of_all_rows(get_relname_relid("model", slot->schema));
	char	   *database = get_database_name(slot->database);
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz used_at = (TimestampTz) pg_atomic_read_u64((pg_atomic_uint64 *) &slot->used_at);
	Datum		values[9] = {
		database == NULL ? (Datum) 0 : CStringGetTextDatum(database),
		NameGetDatum(&slot->graph),
		NameGetDatum(&slot->model),
		CStringGetTextDatum(slot->kind),
		CStringGetTextDatum(state_names[slot->state]),
		Int64GetDatum((int64) slot->bytes),
		Int32GetDatum(slot->users),
		TimestampTzGetDatum(slot->built_at),
		TimestampTzGetDatum(Min(used_at, now))
	};
	bool		nulls[9] = {database == NULL, !named, !named};

	sql_result_row(result, values, nulls);
}

HKG_FUNCTION(hkg_cache);
Datum
hkg_cache(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);

	if (!find_directory())
		return (Datum) 0;
	evict_gone();
	for (int i = 0; i < SLOTS; i++)
	{
		Slot		slot = slot_copy(i);

		if (slot.state != SLOT_FREE)
			return_slot(&slot, result);
	}
	return (Datum) 0;
}
