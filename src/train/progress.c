/*
 * progress.c
 *		What a training is doing, for all sessions to see.
 *
 * A table of fixed size in shared memory.  Where the server has no room for it, trainings are not shown.
 *
 * A training's entry is freed with its memory context, after an error too, or with the process.  The spinlock is
 * held to write an entry, and to read one.
 *
 * Percent and eta come from the time that is left: each phase has work in units of its own, and a unit that is to
 * come takes as long as the units of its phase took on average, or, as long as none was measured, as long as was
 * guessed (estimate.c).  What is being done takes a tenth longer than it has taken so far, at least; so the
 * percentage approaches 100 and does not reach it.  It never falls, though estimates change.
 */
#include "progress.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/spin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "server/shared_memory.h"
#include "server/sql.h"

int			hkg_progress_level;

#define LAYOUT "hybridkg progress 2"
#define ENTRIES 64

#define MOST_PERCENT 99			/* before the end */
#define MOST_SECONDS 1e11		/* that an eta can be away */

/* The work of a phase; besides, a training has one visit to a phase under way, whose units are in none of these. */
typedef struct PhaseState
{
	double		left;			/* units that follow */
	double		done;
	double		seconds;		/* that these took */
	double		guess;			/* seconds of a unit */
} PhaseState;

struct TrainingProgress
{
	int			pid;			/* 0: free */
	Oid			database;
	NameData	graph;
	NameData	model;
	TrainingPhase phase;
	double		units;			/* of the visit to that phase */
	TimestampTz since;			/* its start */
	int			iteration;
	int			iterations;
	int			earlier;		/* iterations that another process did, before the training was resumed */
	int			epoch;
	int			epochs;
	double		loss;			/* NaN: none yet */
	TimestampTz started_at;
	bool		planned;
	PhaseState	phases[TRAINING_PHASES];
	double		percent;		/* the highest that was shown */
};

typedef struct Board
{
	slock_t		lock;
	TrainingProgress entry[ENTRIES];
} Board;

static const char *const phase_names[] = {
	"reading", "mining", "training", "evaluating", "inferring", "finding path rules", "learning weights", "writing"
};

static Board *board = NULL;
static TrainingProgress not_shown;	/* of a training that found no free entry */

static void
make_board(void *memory)
{
	Board	   *made = memory;

	SpinLockInit(&made->lock);
}

static void
find_board(void)
{
	static Board not_shared;

	if (board == NULL)
		board = shared_memory(LAYOUT, sizeof(Board), make_board);
	if (board != NULL)
		return;
	board = &not_shared;
	make_board(board);
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

/* At a process's exit clear_own_entries comes first: the entry may be another process's by now. */
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
	TrainingProgress *taken = &not_shown;

	SpinLockAcquire(&board->lock);
	for (int i = ENTRIES - 1; i >= 0; i--)
		if (board->entry[i].pid == 0)
			taken = &board->entry[i];
	*taken = *first;
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
		.since = GetCurrentTimestamp(),
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
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return callback->arg;
}

/* ---- work done ----------------------------------------------------------------- */

static double
seconds_between(TimestampTz start, TimestampTz end)
{
	return (double) (end - start) / USECS_PER_SEC;
}

/* Its units are done, or, of a visit that ends in the midst of one, still to be done. */
static void
end_visit(TrainingProgress *progress, bool done, TimestampTz now)
{
	PhaseState *phase = &progress->phases[progress->phase];

	phase->seconds += seconds_between(progress->since, now);
	if (done)
		phase->done += progress->units;
	else
		phase->left += progress->units;
}

static void
begin_visit(TrainingProgress *progress, TrainingPhase phase, double units, TimestampTz now)
{
	progress->phase = phase;
	progress->units = Min(units, progress->phases[phase].left);
	progress->since = now;
	progress->phases[phase].left -= progress->units;
}

void
progress_plan(TrainingProgress *progress, const PhaseWork work[TRAINING_PHASES])
{
	SpinLockAcquire(&board->lock);
	for (int i = 0; i < TRAINING_PHASES; i++)
		progress->phases[i] = (PhaseState) {.left = work[i].units,.guess = work[i].units > 0 ? work[i].seconds : 0};
	progress->planned = true;
	SpinLockRelease(&board->lock);
}

static double
units_of_iteration(const TrainingProgress *progress, TrainingPhase phase)
{
	if (phase == PHASE_TRAINING)
		return progress->epochs;
	return phase == PHASE_EVALUATING || phase == PHASE_INFERRING;
}

void
progress_resume(TrainingProgress *progress, int done)
{
	SpinLockAcquire(&board->lock);
	progress->iteration = progress->earlier = done;
	for (int i = 0; i < TRAINING_PHASES; i++)
	{
		double		units = done * units_of_iteration(progress, (TrainingPhase) i);

		progress->phases[i].left -= Min(units, progress->phases[i].left);
	}
	SpinLockRelease(&board->lock);
}

/* In PHASE_TRAINING a visit is an epoch, which progress_epoch ends. */
void
progress_phase(TrainingProgress *progress, TrainingPhase phase, double units)
{
	TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&board->lock);
	end_visit(progress, progress->phase != PHASE_TRAINING, now);
	begin_visit(progress, phase, units, now);
	SpinLockRelease(&board->lock);
}

void
progress_iteration(TrainingProgress *progress, int iteration)
{
	progress_phase(progress, PHASE_TRAINING, 1);
	SpinLockAcquire(&board->lock);
	progress->iteration = iteration;
	progress->epoch = 0;
	SpinLockRelease(&board->lock);
}

void
progress_epoch(TrainingProgress *progress, int epoch, double loss)
{
	TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&board->lock);
	end_visit(progress, true, now);
	begin_visit(progress, PHASE_TRAINING, 1, now);
	progress->epoch = epoch;
	progress->loss = loss;
	SpinLockRelease(&board->lock);
}

void
progress_refit(TrainingProgress *progress, int64 epochs)
{
	progress_phase(progress, PHASE_TRAINING, 0);
	SpinLockAcquire(&board->lock);
	progress->phases[PHASE_EVALUATING].left = progress->phases[PHASE_INFERRING].left = 0;
	progress->phases[PHASE_TRAINING].left = (double) epochs;
	begin_visit(progress, PHASE_TRAINING, 1, progress->since);
	SpinLockRelease(&board->lock);
}

/* ---- the view ------------------------------------------------------------------- */

static double
seconds_of_unit(const PhaseState *phase)
{
	return phase->done > 0 ? phase->seconds / phase->done : phase->guess;
}

static double
seconds_left(const TrainingProgress *entry, TimestampTz now)
{
	double		taken = seconds_between(entry->since, now);
	double		left = Max(entry->units * seconds_of_unit(&entry->phases[entry->phase]) - taken, taken / 10);

	for (int i = 0; i < TRAINING_PHASES; i++)
		left += entry->phases[i].left * seconds_of_unit(&entry->phases[i]);
	return left;
}

static double
seconds_past(const TrainingProgress *entry, TimestampTz now)
{
	double		past = seconds_between(entry->started_at, now);

	for (int i = 0; i < TRAINING_PHASES; i++)
		past += entry->earlier * units_of_iteration(entry, (TrainingPhase) i) * seconds_of_unit(&entry->phases[i]);
	return past;
}

/* The highest percentage that any session was shown */
static double
raise_percent(TrainingProgress *entry, TimestampTz started_at, double percent)
{
	SpinLockAcquire(&board->lock);
	/* it may be another training's by now */
	if (entry->started_at == started_at)
		percent = entry->percent = Max(entry->percent, percent);
	SpinLockRelease(&board->lock);
	return percent;
}

static void
return_entry(const TrainingProgress *entry, TimestampTz now, double percent, SqlResult *result)
{
	double		left = seconds_left(entry, now);
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
	nulls[10] = !entry->planned || left > MOST_SECONDS;
	if (!nulls[10])
		values[10] = TimestampTzGetDatum(now + (int64) (left * USECS_PER_SEC));
	values[11] = Float8GetDatum(percent);
	sql_result_row(result, values, nulls);
}

static double
percent_of(const TrainingProgress *entry, TimestampTz now)
{
	double		past = seconds_past(entry, now);

	return entry->planned && past > 0 ? Min(100 * past / (past + seconds_left(entry, now)), MOST_PERCENT) : 0;
}

HKG_FUNCTION(hkg_trainings);
Datum
hkg_trainings(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	TimestampTz now = GetCurrentTimestamp();

	find_board();
	for (int i = 0; i < ENTRIES; i++)
	{
		TrainingProgress *entry = &board->entry[i];
		TrainingProgress copy;

		SpinLockAcquire(&board->lock);
		copy = *entry;
		SpinLockRelease(&board->lock);
		if (copy.pid != 0 && copy.database == MyDatabaseId)
			return_entry(&copy, now, raise_percent(entry, copy.started_at, percent_of(&copy, now)), result);
	}
	return (Datum) 0;
}
