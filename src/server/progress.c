/*
 * progress.c
 *		What a training, a load or a sync is doing, for all sessions to see.
 *
 * A table of fixed size in shared memory.  Where the server has no room for it, trainings are not shown.
 *
 * An entry names a graph and a model.  It is shown to the role that it runs as, to roles that see all of the graph's
 * table model, and, as those of pg_stat_activity, to members of pg_read_all_stats.
 *
 * An entry is freed with its memory context, after an error too, or with the process.  The spinlock is
 * held to write an entry, and to read one.
 *
 * Percent and eta come from the time that is left: each phase has work in units of its own, and a unit that is to
 * come takes as long as the units of its phase took on average.  As long as none was measured, it is guessed
 * (train/loop/work.c); guesses are multiplied by the time that the phases so far took, divided by what was guessed for
 * them: machines differ, and other processes slow them down.  What is being done takes a quarter longer than it has
 * taken so far, at least; so the percentage approaches 100 and does not reach it.  It never falls, though estimates
 * change.
 */
#include "progress.h"

#include <math.h>

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pause.h"
#include "shared_memory.h"
#include "sql.h"
#include "visibility.h"

int			hkg_progress_level;

#define LAYOUT "hybridkg progress 9"
#define ENTRIES 64

#define MOST_PERCENT 99			/* before the end */
#define MOST_SECONDS 1e11		/* that an eta can be away */
#define BAR_CELLS 20

/* An MRR that a training has measured */
typedef struct Measured
{
	float		seconds;		/* from its start */
	float		mrr;
	ProgressRanking by;
} Measured;

static const char *const ranking_names[] = {"embedding", "paths", "all"};

#define MOST_MEASURED 24		/* of more, every second one stays, and those of models that answer */

/* The work of a phase; besides, a training has one visit to a phase under way, whose units are in none of these. */
typedef struct PhaseState
{
	double		planned;		/* units */
	double		left;			/* of them, that follow */
	double		done;
	double		seconds;		/* that these took */
	double		guess;			/* seconds of a unit */
} PhaseState;

struct Progress
{
	int			pid;			/* 0: free */
	Oid			database;
	Oid			role;
	Oid			schema;
	NameData	graph;
	NameData	model;			/* empty: of a load */
	ProgressPhase phase;
	double		units;			/* of the visit to that phase */
	TimestampTz since;			/* its start */
	int			iteration;
	int			iterations;
	int			earlier;		/* iterations that another process did, before the training was resumed */
	int			epoch;
	int			epochs;
	int			nodes;			/* servers that do the work of the phase */
	double		loss;			/* NaN: none yet */
	int64		rows;			/* of a load, in this phase */
	TimestampTz started_at;
	bool		planned;
	PhaseState	phases[PROGRESS_PHASES];
	double		percent;		/* the highest that was shown */
	double		answers_at;		/* share of all time after which a first model answers; 0: none does */
	int			measured;
	Measured	curve[MOST_MEASURED];
};

typedef struct Board
{
	slock_t		lock;
	Progress	entry[ENTRIES];
} Board;

static const char *const phase_names[] = {
	"reading", "mining", "training", "evaluating", "inferring", "learning paths", "finding path rules", "learning weights",
	"comparing", "deleting", "writing", "indexing"
};

static Board *board = NULL;
static Progress not_shown;	/* of a training that found no free entry */

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
	Progress   *entry = progress;

	SpinLockAcquire(&board->lock);
	if (entry->pid == MyProcPid)
		entry->pid = 0;
	SpinLockRelease(&board->lock);
}

static Progress *
take_entry(const Progress *first)
{
	Progress   *taken = &not_shown;

	SpinLockAcquire(&board->lock);
	for (int i = ENTRIES - 1; i >= 0; i--)
		if (board->entry[i].pid == 0)
			taken = &board->entry[i];
	*taken = *first;
	SpinLockRelease(&board->lock);
	return taken;
}

static Progress *
begin(Oid schema, Progress first)
{
	static bool watches_exit = false;
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	first.pid = MyProcPid;
	first.database = MyDatabaseId;
	first.role = GetUserId();
	first.schema = schema;
	first.phase = PHASE_READING;
	first.since = first.started_at = GetCurrentTimestamp();
	namestrcpy(&first.graph, get_namespace_name(schema));
	find_board();
	if (!watches_exit)
		before_shmem_exit(clear_own_entries, (Datum) 0);
	watches_exit = true;
	callback->arg = take_entry(&first);
	callback->func = clear_entry;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	hkg_pause_at(phase_names[PHASE_READING]);
	return callback->arg;
}

Progress *
progress_begin(Oid schema, const char *model)
{
	Progress	first = {.nodes = 1,.loss = NAN};

	namestrcpy(&first.model, model);
	return begin(schema, first);
}

Progress *
progress_begin_load(Oid schema)
{
	return begin(schema, (Progress) {.loss = NAN});
}

/* ---- work done ----------------------------------------------------------------- */

static double
seconds_between(TimestampTz start, TimestampTz end)
{
	return (double) (end - start) / USECS_PER_SEC;
}

/* Its units are done, or, of a visit that ends in the midst of one, still to be done. */
static void
end_visit(Progress *progress, bool done, TimestampTz now)
{
	PhaseState *phase = &progress->phases[progress->phase];

	phase->seconds += seconds_between(progress->since, now);
	if (done)
		phase->done += progress->units;
	else
		phase->left += progress->units;
}

static void
begin_visit(Progress *progress, ProgressPhase phase, double units, TimestampTz now)
{
	progress->phase = phase;
	progress->units = Min(units, progress->phases[phase].left);
	progress->since = now;
	progress->phases[phase].left -= progress->units;
}

void
progress_sizes(Progress *progress, int iterations, int epochs)
{
	SpinLockAcquire(&board->lock);
	progress->iterations = iterations;
	progress->epochs = epochs;
	SpinLockRelease(&board->lock);
}

void
progress_plan(Progress *progress, const PhaseWork work[PROGRESS_PHASES])
{
	SpinLockAcquire(&board->lock);
	for (int i = 0; i < PROGRESS_PHASES; i++)
		progress->phases[i] = (PhaseState) {.planned = work[i].units,.left = work[i].units,
			.guess = work[i].units > 0 ? work[i].seconds : 0};
	progress->planned = true;
	SpinLockRelease(&board->lock);
}

void
progress_add(Progress *progress, ProgressPhase phase, double units)
{
	SpinLockAcquire(&board->lock);
	progress->phases[phase].planned += units;
	progress->phases[phase].left += units;
	SpinLockRelease(&board->lock);
}

static double
units_of_iteration(const Progress *progress, ProgressPhase phase)
{
	if (phase == PHASE_TRAINING)
		return progress->epochs;
	return phase == PHASE_EVALUATING || phase == PHASE_INFERRING;
}

void
progress_resume(Progress *progress, int done)
{
	SpinLockAcquire(&board->lock);
	progress->iteration = progress->earlier = done;
	for (int i = 0; i < PROGRESS_PHASES; i++)
	{
		double		units = done * units_of_iteration(progress, (ProgressPhase) i);

		progress->phases[i].left -= Min(units, progress->phases[i].left);
	}
	SpinLockRelease(&board->lock);
}

void
progress_skip(Progress *progress, ProgressPhase phase, double units)
{
	SpinLockAcquire(&board->lock);
	progress->phases[phase].left -= Min(units, progress->phases[phase].left);
	SpinLockRelease(&board->lock);
}

/* In PHASE_TRAINING a visit is an epoch, which progress_epoch ends. */
void
progress_phase(Progress *progress, ProgressPhase phase, double units)
{
	TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&board->lock);
	end_visit(progress, progress->phase != PHASE_TRAINING, now);
	begin_visit(progress, phase, units, now);
	progress->rows = 0;
	progress->nodes = 1;
	SpinLockRelease(&board->lock);
	hkg_pause_at(phase_names[phase]);
}

void
progress_advance(Progress *progress, double units)
{
	TimestampTz now = GetCurrentTimestamp();
	PhaseState *phase = &progress->phases[progress->phase];

	SpinLockAcquire(&board->lock);
	units = Min(units, progress->units);
	phase->seconds += seconds_between(progress->since, now);
	phase->done += units;
	progress->units -= units;
	progress->since = now;
	SpinLockRelease(&board->lock);
}

void
progress_rows(Progress *progress, int64 rows)
{
	double		more = (double) (rows - progress->rows);

	if (progress->units > 0 && more > 0)
		progress_advance(progress, more);
	SpinLockAcquire(&board->lock);
	progress->rows = rows;
	SpinLockRelease(&board->lock);
}

void
progress_iteration(Progress *progress, int iteration)
{
	progress_phase(progress, PHASE_TRAINING, 1);
	SpinLockAcquire(&board->lock);
	progress->iteration = iteration;
	progress->epoch = 0;
	SpinLockRelease(&board->lock);
}

void
progress_epoch(Progress *progress, int epoch, double loss)
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
progress_measured(Progress *progress, ProgressRanking by, double mrr)
{
	Measured	latest = {(float) seconds_between(progress->started_at, GetCurrentTimestamp()), (float) mrr, by};

	SpinLockAcquire(&board->lock);
	if (progress->measured == MOST_MEASURED)
	{
		int			stay = 0;

		for (int i = 0; i < MOST_MEASURED; i++)
			if (progress->curve[i].by == RANKED_BY_ALL || i % 2 == 1)
				progress->curve[stay++] = progress->curve[i];
		progress->measured = Min(stay, MOST_MEASURED - 1);
	}
	progress->curve[progress->measured++] = latest;
	SpinLockRelease(&board->lock);
}

void
progress_answers_at(Progress *progress, double share)
{
	SpinLockAcquire(&board->lock);
	progress->answers_at = share;
	SpinLockRelease(&board->lock);
}

void
progress_nodes(Progress *progress, int nodes)
{
	SpinLockAcquire(&board->lock);
	progress->nodes = nodes;
	SpinLockRelease(&board->lock);
}

void
progress_refit(Progress *progress, int64 epochs)
{
	progress_phase(progress, PHASE_TRAINING, 0);
	SpinLockAcquire(&board->lock);
	progress->phases[PHASE_EVALUATING].left = progress->phases[PHASE_INFERRING].left = 0;
	progress->phases[PHASE_TRAINING].left = (double) epochs;
	begin_visit(progress, PHASE_TRAINING, 1, progress->since);
	SpinLockRelease(&board->lock);
}

/* ---- the view ------------------------------------------------------------------- */

/* How much longer a phase took than was guessed, and the seconds that were guessed */
typedef struct Slowness
{
	double		factor;
	double		weight;
} Slowness;

static int
compare_factors(const void *a, const void *b)
{
	double		difference = ((const Slowness *) a)->factor - ((const Slowness *) b)->factor;

	return (difference > 0) - (difference < 0);
}

/* The weighted median of the phases so far, since a guess can be far off; 1 in the first second. */
static double
slowness(const Progress *entry)
{
	Slowness	of[PROGRESS_PHASES + 1] = {{1, 1}};
	int			count = 1;
	double		total = 1;
	double		below = 0;
	int			middle = 0;

	for (int i = 0; i < PROGRESS_PHASES; i++)
	{
		const PhaseState *phase = &entry->phases[i];
		double		guessed = phase->done * phase->guess;

		if (guessed > 0)
			of[count++] = (Slowness) {phase->seconds / guessed, guessed};
		total += guessed;
	}
	qsort(of, count, sizeof(Slowness), compare_factors);
	while ((below += of[middle].weight) < total / 2)
		middle++;
	return of[middle].factor;
}

/* What was measured, and the guess as if a twentieth of the phase had confirmed it: few units need not be like the rest. */
double
progress_unit_seconds(const Progress *entry, ProgressPhase phase)
{
	const PhaseState *state = &entry->phases[phase];
	double		guessed = state->planned / 20;
	double		guess = state->guess * slowness(entry);

	return state->done + guessed > 0 ? (state->seconds + guessed * guess) / (state->done + guessed) : guess;
}

static double
seconds_left(const Progress *entry, TimestampTz now)
{
	double		taken = seconds_between(entry->since, now);
	double		left = Max(entry->units * progress_unit_seconds(entry, entry->phase) - taken, taken / 4);

	for (int i = 0; i < PROGRESS_PHASES; i++)
		left += entry->phases[i].left * progress_unit_seconds(entry, (ProgressPhase) i);
	return left;
}

double
progress_left(const Progress *progress, ProgressPhase first)
{
	double		left = 0;

	for (int i = (int) first; i < PROGRESS_PHASES; i++)
		left += progress->phases[i].left * progress_unit_seconds(progress, (ProgressPhase) i);
	return left;
}

static double
seconds_past(const Progress *entry, TimestampTz now)
{
	double		past = seconds_between(entry->started_at, now);

	for (int i = 0; i < PROGRESS_PHASES; i++)
		past += entry->earlier * units_of_iteration(entry, (ProgressPhase) i) * progress_unit_seconds(entry, (ProgressPhase) i);
	return past;
}

/* The highest percentage that any session was shown */
static double
raise_percent(Progress *entry, TimestampTz started_at, double percent)
{
	SpinLockAcquire(&board->lock);
	/* it may be another training's by now */
	if (entry->started_at == started_at)
		percent = entry->percent = Max(entry->percent, percent);
	SpinLockRelease(&board->lock);
	return percent;
}

/* [=========>          ]  48 %, 0:01:10 left; never full, since a percentage before the end is below 100 */
static char *
draw_bar(double percent, bool estimated, double left)
{
	char		cells[BAR_CELLS + 1];
	int			done = (int) (percent * BAR_CELLS / 100);
	int64		seconds = (int64) ceil(left);

	memset(cells, ' ', BAR_CELLS);
	memset(cells, '=', done);
	cells[done] = '>';
	cells[BAR_CELLS] = '\0';
	if (!estimated)
		return psprintf("[%s] %3d %%", cells, (int) percent);
	return psprintf("[%s] %3d %%, " INT64_FORMAT ":%02d:%02d left", cells, (int) percent,
					seconds / 3600, (int) (seconds / 60 % 60), (int) (seconds % 60));
}

/* [{"seconds": 14.2, "mrr": 0.3121, "by": "embedding"}, ...] */
static Datum
curve_of(const Progress *entry)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < entry->measured; i++)
		appendStringInfo(&json, "%s{\"seconds\": %.1f, \"mrr\": %.4f, \"by\": \"%s\"}", i == 0 ? "[" : ", ",
						 entry->curve[i].seconds, entry->curve[i].mrr, ranking_names[entry->curve[i].by]);
	appendStringInfoString(&json, entry->measured == 0 ? "[]" : "]");
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* [{"seconds": 51, "what": "embeddings"}, ...]: what will be there, and when, from the start on */
static Datum
coming_of(const Progress *entry, TimestampTz now)
{
	double		past = seconds_between(entry->started_at, now);
	double		all = past + seconds_left(entry, now);
	double		after[PROGRESS_PHASES];	/* the end of each phase */
	bool		answers = entry->answers_at == 0;
	StringInfoData json;

	for (int i = PROGRESS_PHASES - 1; i >= 0; i--)
		after[i] = i == PROGRESS_PHASES - 1 ? all :
			after[i + 1] - entry->phases[i + 1].left * progress_unit_seconds(entry, (ProgressPhase) (i + 1));
	for (int i = 0; i < entry->measured; i++)
		answers = answers || entry->curve[i].by == RANKED_BY_ALL;
	initStringInfo(&json);
	appendStringInfoChar(&json, '[');
	if (!answers)
		appendStringInfo(&json, "{\"seconds\": %.1f, \"what\": \"a first model\"}, ", Max(past, entry->answers_at * all));
	if (entry->phases[PHASE_TRAINING].left > 0 || entry->phase <= PHASE_INFERRING)
		appendStringInfo(&json, "{\"seconds\": %.1f, \"what\": \"embeddings\"}, ", after[PHASE_INFERRING]);
	if (entry->phases[PHASE_PATHS].left > 0 || entry->phase == PHASE_PATHS)
		appendStringInfo(&json, "{\"seconds\": %.1f, \"what\": \"paths\"}, ", after[PHASE_PATHS]);
	appendStringInfo(&json, "{\"seconds\": %.1f, \"what\": \"the model\"}]", all);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

static void
return_entry(const Progress *entry, TimestampTz now, double percent, SqlResult *result)
{
	double		left = seconds_left(entry, now);
	bool		estimated = entry->planned && left <= MOST_SECONDS;
	bool		is_load = NameStr(entry->model)[0] == '\0';
	Datum		values[17] = {
		NameGetDatum(&entry->graph),
		NameGetDatum(&entry->model),
		Int32GetDatum(entry->pid),
		CStringGetTextDatum(phase_names[entry->phase]),
		Int32GetDatum(entry->iteration),
		Int32GetDatum(entry->iterations),
		Int32GetDatum(entry->epoch),
		Int32GetDatum(entry->epochs),
		Float8GetDatum(entry->loss),
		TimestampTzGetDatum(entry->started_at),
		TimestampTzGetDatum(now + (int64) (estimated ? left * USECS_PER_SEC : 0)),
		Float8GetDatum(percent),
		CStringGetTextDatum(draw_bar(percent, estimated, left)),
		Int64GetDatum(entry->rows),
		Int32GetDatum(entry->nodes),
		is_load ? (Datum) 0 : curve_of(entry),
		is_load || !estimated ? (Datum) 0 : coming_of(entry, now)
	};
	bool		nulls[17] = {
		[1] = is_load,[4] = is_load,[5] = is_load,[6] = is_load,[7] = is_load,
		[8] = isnan(entry->loss),[10] = !estimated,[13] = !is_load || entry->phase == PHASE_INDEXING,[14] = is_load,
		[15] = is_load,[16] = is_load || !estimated
	};

	sql_result_row(result, values, nulls);
}

static double
percent_of(const Progress *entry, TimestampTz now)
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
		Progress   *entry = &board->entry[i];
		Progress	copy;

		SpinLockAcquire(&board->lock);
		copy = *entry;
		SpinLockRelease(&board->lock);
		if (copy.pid != 0 && copy.database == MyDatabaseId &&
			(has_privs_of_role(GetUserId(), copy.role) || has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
			 visibility_of_all_rows(get_relname_relid("model", copy.schema))))
			return_entry(&copy, now, raise_percent(entry, copy.started_at, percent_of(&copy, now)), result);
	}
	return (Datum) 0;
}
