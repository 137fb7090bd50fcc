/*
 * progress.c
 *		What a training is doing, for all sessions to see.
 *
 * A table of fixed size in shared memory, made by whoever needs it first: it fits
 * into what every server keeps to spare, so nothing has to be preloaded.
 * Its name carries its layout's number, since the memory lasts as long as the server
 * and may meet another version of this library.
 *
 * An entry goes with the memory context of its training, whether that ends
 * well or in an error, or with the process.  To write an entry, and to read one, hold
 * the spinlock.
 */
#include "progress.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "server/sql.h"

int			hkg_progress_level;

#define LAYOUT "hybridkg progress 1"
#define ENTRIES 64

struct TrainingProgress
{
	int			pid;			/* 0: free */
	Oid			database;
	NameData	graph;
	NameData	model;
	TrainingPhase phase;
	int			iteration;
	int			iterations;
	int			epoch;
	int			epochs;
	int			done;			/* iterations done when it started */
	double		loss;			/* NaN: none yet */
	TimestampTz started_at;
};

typedef struct Board
{
	slock_t		lock;
	TrainingProgress entry[ENTRIES];
} Board;

static const char *const phase_names[] = {
	"reading", "mining", "training", "evaluating", "inferring", "seeking evidence", "writing"
};

static Board *board = NULL;

static Board *
find_board(void)
{
	bool		found;

	if (board != NULL)
		return board;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	board = ShmemInitStruct(LAYOUT, sizeof(Board), &found);
	if (!found)
	{
		memset(board, 0, sizeof(Board));
		SpinLockInit(&board->lock);
	}
	LWLockRelease(AddinShmemInitLock);
	return board;
}

static void
clear_own_entries(int code, Datum argument)
{
	SpinLockAcquire(&board->lock);
	for (int i = 0; i < ENTRIES; i++)
		if (board->entry[i].pid == MyProcPid)
			board->entry[i].pid = 0;
	SpinLockRelease(&board->lock);
}

/* At a process's exit its entries are cleared first: this one may be another's by now. */
static void
clear_entry(void *progress)
{
	TrainingProgress *entry = progress;

	SpinLockAcquire(&board->lock);
	if (entry->pid == MyProcPid)
		entry->pid = 0;
	SpinLockRelease(&board->lock);
}

static TrainingProgress *
take_entry(const TrainingProgress *first)
{
	TrainingProgress *taken = NULL;

	SpinLockAcquire(&board->lock);
	for (int i = 0; i < ENTRIES && taken == NULL; i++)
		if (board->entry[i].pid == 0)
		{
			taken = &board->entry[i];
			*taken = *first;
		}
	SpinLockRelease(&board->lock);
	return taken;
}

TrainingProgress *
progress_begin(const char *graph, const char *model, int iterations, int epochs)
{
	static bool watches_exit = false;
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));
	TrainingProgress first = {
		.pid = MyProcPid,
		.database = MyDatabaseId,
		.phase = PHASE_READING,
		.iterations = iterations,
		.epochs = epochs,
		.loss = NAN,
		.started_at = GetCurrentTimestamp()
	};

	namestrcpy(&first.graph, graph);
	namestrcpy(&first.model, model);
	find_board();
	if (!watches_exit)
		before_shmem_exit(clear_own_entries, (Datum) 0);
	watches_exit = true;
	callback->arg = take_entry(&first);
	callback->func = clear_entry;
	if (callback->arg != NULL)
		MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return callback->arg;
}

void
progress_resume(TrainingProgress *progress, int done)
{
	if (progress == NULL)
		return;
	SpinLockAcquire(&board->lock);
	progress->done = progress->iteration = done;
	SpinLockRelease(&board->lock);
}

void
progress_phase(TrainingProgress *progress, TrainingPhase phase)
{
	if (progress == NULL)
		return;
	SpinLockAcquire(&board->lock);
	progress->phase = phase;
	SpinLockRelease(&board->lock);
}

void
progress_epoch(TrainingProgress *progress, int iteration, int epoch, double loss)
{
	if (progress == NULL)
		return;
	SpinLockAcquire(&board->lock);
	progress->phase = PHASE_TRAINING;
	progress->iteration = iteration;
	progress->epoch = epoch;
	if (epoch > 0)
		progress->loss = loss;
	SpinLockRelease(&board->lock);
}

/* ---- the view --------------------------------------------------------------- */

/* Epochs done of those that this process has to do, as a fraction. */
static double
fraction_done(const TrainingProgress *entry)
{
	double		all = (double) (entry->iterations - entry->done) * entry->epochs;
	double		finished = (double) (Max(entry->iteration, entry->done + 1) - entry->done - 1) * entry->epochs +
		entry->epoch;

	return all > 0 ? finished / all : 1;
}

static void
return_entry(const TrainingProgress *entry, SqlResult *result)
{
	double		fraction = fraction_done(entry);
	double		elapsed = (double) (GetCurrentTimestamp() - entry->started_at);
	Datum		values[12] = {
		NameGetDatum(&entry->graph),
		NameGetDatum(&entry->model),
		Int32GetDatum(entry->pid),
		CStringGetTextDatum(phase_names[entry->phase]),
		Int32GetDatum(entry->iteration),
		Int32GetDatum(entry->iterations),
		Int32GetDatum(entry->epoch),
		Int32GetDatum(entry->epochs),
		Float8GetDatum(entry->loss),
		TimestampTzGetDatum(entry->started_at)
	};
	bool		nulls[12] = {false};

	nulls[8] = isnan(entry->loss);
	nulls[10] = !(fraction > 0) || elapsed / fraction > 1e17;
	if (!nulls[10])
		values[10] = TimestampTzGetDatum(entry->started_at + (int64) (elapsed / fraction));
	values[11] = Float8GetDatum(100 * (entry->done + fraction * (entry->iterations - entry->done)) /
								entry->iterations);
	sql_result_row(result, values, nulls);
}

HKG_FUNCTION(hkg_trainings);
Datum
hkg_trainings(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);

	find_board();
	for (int i = 0; i < ENTRIES; i++)
	{
		TrainingProgress entry;

		SpinLockAcquire(&board->lock);
		entry = board->entry[i];
		SpinLockRelease(&board->lock);
		if (entry.pid != 0 && entry.database == MyDatabaseId)
			return_entry(&entry, result);
	}
	return (Datum) 0;
}
