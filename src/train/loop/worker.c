/*
 * worker.c
 *		hkg_train_background: a training in a background worker, which commits after every iteration,
 *		and after every epoch of the path network.
 *
 * The launcher, the backend that runs hkg_train_background, passes the settings in a segment of shared memory.  It
 * waits until the worker sets the state there: the training has begun, or failed with an error, which the launcher
 * raises.  Later failures are in the model's status.  When the launcher is cancelled while it waits, it abandons the
 * training, and nothing is left of it; once the worker commits it is too late for that, and the launcher sends it a
 * cancel.  So it does where its transaction fails or is rolled back later: a cancel may come between the training's
 * begin and the statement's end.  When the launcher is terminated, the training goes on: hkg_progress shows it.
 *
 * The worker has the launcher's rights, and the settings of its session, which policies of row security may read: it
 * reads what the launcher may read, of what is committed.  Between two transactions it keeps the lock on the model's
 * name, and the facts in memory: rules are evaluated over those that the training began with, though others change
 * them.  The epochs run outside of any transaction, so no snapshot keeps vacuum from its work.
 */
#include "server/compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"

#include "procedure.h"
#include "server/session_settings.h"
#include "server/sql.h"
#include "server/transaction.h"

/* for locks until the training has begun: the launcher may hold them itself */
#define START_LOCK_TIMEOUT "10s"

/* of the parts of an error that the launcher raises */
#define TEXT_BYTES 1024

typedef enum LaunchState
{
	LAUNCH_STARTING,
	LAUNCH_COMMITTING,			/* the transaction in which it begins */
	LAUNCH_BEGUN,
	LAUNCH_FAILED,
	LAUNCH_ABANDONED			/* by the launcher */
} LaunchState;

/* What launcher and worker exchange; the state is written last */
typedef struct Launch
{
	Oid			database;
	Oid			login;			/* session_user */
	Oid			role;			/* current_user */
	NameData	graph;
	bool		has_valid;		/* a valid split */
	int64		held_out;		/* facts that are held out in its place */
	int64		facts;			/* all of them */
	pid_t		pid;			/* of the worker; it may have ended before the launcher looks */
	pg_atomic_uint32 state;		/* LaunchState */
	int			sqlstate;
	char		plan[TEXT_BYTES];	/* what there is time for; empty: all */
	char		plan_detail[TEXT_BYTES];
	char		message[TEXT_BYTES];
	char		detail[TEXT_BYTES];
	char		hint[TEXT_BYTES];
	char		settings[FLEXIBLE_ARRAY_MEMBER];	/* of the training, then those of the session */
} Launch;

HKG_EXPORT void hkg_worker_main(Datum argument);

/* ---- the launcher --------------------------------------------------------------- */

static dsm_segment *
write_launch(const TrainSettings *settings)
{
	char	   *json = settings_json(settings);
	Size		session_bytes;
	char	   *session = session_settings(&session_bytes);
	dsm_segment *segment = dsm_create(offsetof(Launch, settings) + strlen(json) + 1 + session_bytes, 0);
	Launch	   *launch = dsm_segment_address(segment);

	memset(launch, 0, offsetof(Launch, settings));
	pg_atomic_init_u32(&launch->state, LAUNCH_STARTING);
	launch->database = MyDatabaseId;
	launch->login = GetAuthenticatedUserId();
	launch->role = GetUserId();
	namestrcpy(&launch->graph, settings->graph);
	memcpy(launch->settings, json, strlen(json) + 1);
	memcpy(launch->settings + strlen(json) + 1, session, session_bytes);
	return segment;
}

/* The handle lives as long as the transaction, whose end uses it. */
static BackgroundWorkerHandle *
start_worker(const TrainSettings *settings, dsm_segment *segment)
{
	BackgroundWorker worker = {0};
	BackgroundWorkerHandle *handle;
	MemoryContext context;
	bool		registered;

	snprintf(worker.bgw_name, BGW_MAXLEN, "hybridkg training of %s.%s", settings->graph, settings->model);
	strlcpy(worker.bgw_type, "hybridkg training", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "hybridkg", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "hkg_worker_main", BGW_MAXLEN);
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment));
	worker.bgw_notify_pid = MyProcPid;
	context = MemoryContextSwitchTo(TopTransactionContext);
	registered = RegisterDynamicBackgroundWorker(&worker, &handle);
	MemoryContextSwitchTo(context);
	if (!registered)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start a background worker"),
				 errhint("Wait for another one to end, or raise max_worker_processes.")));
	return handle;
}

static LaunchState
state_of(Launch *launch)
{
	LaunchState state = (LaunchState) pg_atomic_read_u32(&launch->state);

	pg_read_barrier();
	return state;
}

/* Only one can: the worker that commits, or the launcher that gives up. */
static bool
leave_starting(Launch *launch, LaunchState state)
{
	uint32		starting = LAUNCH_STARTING;

	return pg_atomic_compare_exchange_u32(&launch->state, &starting, state);
}

/* ERROR 55P03 when the worker waits for this transaction, which waits for the worker. */
static void
refuse_own_lock(pid_t worker)
{
	SqlArgs		args = {0};
	Datum		held;

	sql_arg(&args, INT4OID, Int32GetDatum(worker));
	sql_begin();
	if (sql_value("select coalesce(min(relation::regclass::text), min(locktype)) from pg_locks "
				  "where pid = $1 and not granted and pg_backend_pid() = any (pg_blocking_pids($1))", &args, &held))
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("the training waits for a lock that this transaction holds on %s", TextDatumGetCString(held)),
				 errhint("Commit what this transaction has done, then train.")));
	sql_end();
}

/* Until the training has begun, or failed. */
static void
wait_for_worker(BackgroundWorkerHandle *handle, Launch *launch)
{
	pid_t		pid;

	for (;;)
	{
		BgwHandleStatus status = GetBackgroundWorkerPid(handle, &pid);
		LaunchState state = state_of(launch);

		if ((state != LAUNCH_STARTING && state != LAUNCH_COMMITTING) || status == BGWH_STOPPED ||
			status == BGWH_POSTMASTER_DIED)
			return;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 100,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (status == BGWH_STARTED)
			refuse_own_lock(pid);
	}
}

static void
raise_failure(Launch *launch)
{
	if (state_of(launch) == LAUNCH_FAILED)
		ereport(ERROR,
				(errcode(launch->sqlstate),
				 errmsg("%s", launch->message),
				 launch->detail[0] == '\0' ? 0 : errdetail("%s", launch->detail),
				 launch->hint[0] == '\0' ? 0 : errhint("%s", launch->hint),
				 errcontext("background training, which sees what is committed")));
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("the background worker ended before it had begun"),
			 errhint("More details may be available in the server log.")));
}

/* Handles of the workers whose trainings have begun in this transaction, in its memory */
static List *begun_workers = NIL;

static void
end_transaction(XactEvent event, void *argument)
{
	ListCell   *cell;
	pid_t		pid;

	if (event != XACT_EVENT_ABORT && event != XACT_EVENT_COMMIT && event != XACT_EVENT_PREPARE)
		return;
	foreach(cell, begun_workers)
		if (event == XACT_EVENT_ABORT && !proc_exit_inprogress && GetBackgroundWorkerPid(lfirst(cell), &pid) == BGWH_STARTED)
			(void) kill(pid, SIGINT);
	begun_workers = NIL;
}

HKG_FUNCTION(hkg_train_background);
Datum
hkg_train_background(PG_FUNCTION_ARGS)
{
	static bool watched = false;
	TrainSettings settings;
	dsm_segment *segment;
	Launch	   *launch;
	BackgroundWorkerHandle *handle;
	MemoryContext caller;
	pid_t		pid;

	settings_read(fcinfo, &settings);
	sql_begin();
	graph_open(settings.graph);
	sql_end();
	PreventCommandIfReadOnly("hkg_train_background()");
	segment = write_launch(&settings);
	launch = dsm_segment_address(segment);
	handle = start_worker(&settings, segment);
	PG_TRY();
	{
		wait_for_worker(handle, launch);
		if (state_of(launch) != LAUNCH_BEGUN)
			raise_failure(launch);
	}
	PG_CATCH();
	{
		/* nothing is left of the training, unless it has begun: then it is cancelled */
		if (leave_starting(launch, LAUNCH_ABANDONED))
			TerminateBackgroundWorker(handle);
		else if (state_of(launch) != LAUNCH_FAILED)
			(void) kill(launch->pid, SIGINT);
		PG_RE_THROW();
	}
	PG_END_TRY();

	/* from here until the transaction commits, its failure cancels the training */
	caller = MemoryContextSwitchTo(TopTransactionContext);
	if (!watched)
		RegisterXactCallback(end_transaction, NULL);
	watched = true;
	begun_workers = lappend(begun_workers, handle);
	MemoryContextSwitchTo(caller);
	if (!launch->has_valid)
		hold_out_notice(settings.graph, &settings, launch->held_out, launch->facts);
	plan_notice(launch->plan, launch->plan_detail);
	pid = launch->pid;
	dsm_detach(segment);
	PG_RETURN_INT32(pid);
}

/* As many characters as fit */
static void
copy_text(char to[TEXT_BYTES], const char *text)
{
	int			bytes = text == NULL ? 0 : pg_mbcliplen(text, (int) strlen(text), TEXT_BYTES - 1);

	if (bytes > 0)
		memcpy(to, text, bytes);
	to[bytes] = '\0';
}

/* ---- the worker: the training ------------------------------------------------------ */

static void
report_to_launcher(Launch *launch, LaunchState state)
{
	PGPROC	   *launcher;

	pg_write_barrier();
	pg_atomic_write_u32(&launch->state, state);
	launcher = BackendPidGetProc(MyBgworkerEntry->bgw_notify_pid);
	if (launcher != NULL)
		SetLatch(&launcher->procLatch);
}

/* Takes the settings, reads and checks all, locks the model's name, and commits that the training has begun. */
static void
begin_training(Launch *launch, Procedure *procedure)
{
	MemoryContext trial;
	MemoryContext context;

	session_settings_take(launch->settings + strlen(launch->settings) + 1, launch->role);
	transaction_begin();
	SetConfigOption("lock_timeout", START_LOCK_TIMEOUT, PGC_USERSET, PGC_S_SESSION);
	settings_parse(NameStr(launch->graph), launch->settings, &procedure->settings);
	procedure->graph = graph_open(procedure->settings.graph);
	graph_lock_session_for_training(procedure->graph, procedure->settings.model);

	procedure->progress = progress_begin(procedure->graph->schema, procedure->settings.model);
	/* to check alone: the worker reads again, under the snapshot that it trains on */
	trial = AllocSetContextCreate(CurrentMemoryContext, "hybridkg trial", ALLOCSET_DEFAULT_SIZES);
	context = MemoryContextSwitchTo(trial);
	procedure_read(procedure);
	launch->facts = procedure->facts.all->facts;
	launch->held_out = launch->facts - procedure->facts.learnt->facts;
	copy_text(launch->plan, procedure->plan.message);
	copy_text(launch->plan_detail, procedure->plan.detail);
	procedure->plan.message = procedure->plan.detail = NULL;	/* they go with the trial */
	launch->has_valid = procedure->facts.valid_count > launch->held_out;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(trial);

	procedure->early.wanted = !record_answers(procedure->graph, procedure->settings.model);
	record_begin(procedure->graph, &procedure->settings);
	record_status(procedure->graph, procedure->settings.model, "training");
	procedure->began = record_began(procedure->graph, procedure->settings.model);
	checkpoint_begin(procedure->graph, &procedure->settings);
	graph_check_name(procedure->graph);
	if (!leave_starting(launch, LAUNCH_COMMITTING))
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the session that started this training gave up")));
	transaction_end();
	SetConfigOption("lock_timeout", "0", PGC_USERSET, PGC_S_SESSION);
}

/* To write for the model, whose row nobody takes away until the transaction ends. */
static void
begin(const Procedure *procedure)
{
	const char *model = procedure->settings.model;

	transaction_begin();
	graph_check_name(procedure->graph);
	if (!record_is_there(procedure->graph, model, procedure->began))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" of graph \"%s\" was renamed or deleted meanwhile", model, procedure->graph->name),
				 errhint("Where it has another name now, hkg_resume with that name goes on from the last iteration.")));
}

/* What was written by the graph's name is the graph's. */
static void
commit(const Procedure *procedure)
{
	graph_check_name(procedure->graph);
	transaction_end();
}

/* ---- the worker: errors -------------------------------------------------------------- */

/* Perhaps: one that is lost in a statement is an internal error. */
static bool
lost_connection(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_TO_CATEGORY(ERRCODE_CONNECTION_FAILURE) ||
		error->sqlerrcode == ERRCODE_INTERNAL_ERROR;
}

/* An error here leaves what the last iteration saved. */
static void
save_place(Procedure *procedure)
{
	PG_TRY();
	{
		begin(procedure);
		checkpoint_save_place(procedure);
		commit(procedure);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(TopMemoryContext);
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
}

/* The graph may have been renamed since, or dropped, or its table model. */
static void
fail_training(Oid schema, TimestampTz began, const TrainingCall *call, const ErrorData *error)
{
	Graph		graph = {.schema = schema};
	char	   *status = psprintf("failed: %s", error->message);

	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		status = "cancelled";
	else if (lost_connection(error) && error->context != NULL)	/* the context has which node it went to */
		status = psprintf("%s, %s", status, error->context);

	/* a second cancel, such as that of a search beside that of its transaction, must not leave the status at training */
	HOLD_CANCEL_INTERRUPTS();
	transaction_begin();
	graph.name = get_namespace_name(schema);
	if (graph.name != NULL && OidIsValid(get_relname_relid("model", schema)))
	{
		graph.prefix = psprintf("%s.", quote_identifier(graph.name));
		record_failure(&graph, began, call, status);
	}
	transaction_end();
	RESUME_CANCEL_INTERRUPTS();
}

/* ---- the worker: start ------------------------------------------------------------------ */

/* Reports the error.  With the training's context its threads end, and its row in hkg_progress. */
static void
end_failed(Launch *launch, Procedure *procedure, bool begun, MemoryContext context)
{
	Oid			schema = begun ? procedure->graph->schema : InvalidOid;
	TimestampTz began = procedure->began;
	ErrorData  *error;

	MemoryContextSwitchTo(TopMemoryContext);
	error = CopyErrorData();
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(TopMemoryContext);
	if (procedure->learner.partitions.at_place && lost_connection(error))
		save_place(procedure);
	MemoryContextSwitchTo(TopMemoryContext);
	MemoryContextDelete(context);
	if (begun)
		fail_training(schema, began, &procedure->call, error);
	else
	{
		launch->sqlstate = error->sqlerrcode;
		copy_text(launch->message, error->message);
		copy_text(launch->detail, error->detail);
		copy_text(launch->hint, error->hint);
		report_to_launcher(launch, LAUNCH_FAILED);
	}
}

void
hkg_worker_main(Datum argument)
{
	dsm_segment *segment;
	Launch	   *launch;
	MemoryContext context;
	Procedure	procedure = {.in_worker = true,.begin = begin,.commit = commit,.roll_back = transaction_roll_back,.plan.start = monotonic_now()};
	volatile bool begun = false;
	int			isolation;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	segment = dsm_attach(DatumGetUInt32(argument));
	if (segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the session that started this training is gone")));
	launch = dsm_segment_address(segment);
	launch->pid = MyProcPid;
	procedure.call = (TrainingCall) {MyBgworkerEntry->bgw_notify_pid, GetCurrentTimestamp()};

	/*
	 * The launcher's transaction may write, so the worker may, whatever is the database's default.  A stricter isolation
	 * would fail where others change rows that the worker changes.
	 */
	BackgroundWorkerInitializeConnectionByOid(launch->database, launch->login, 0);
	transaction_role(launch->role);
	SetConfigOption("default_transaction_isolation", "read committed", PGC_USERSET, PGC_S_SESSION);
	SetConfigOption("default_transaction_read_only", "off", PGC_USERSET, PGC_S_SESSION);
	SetConfigOption("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION);
	SetConfigOption("hybridkg.progress", "off", PGC_USERSET, PGC_S_SESSION);

	context = AllocSetContextCreate(TopMemoryContext, "hybridkg training", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	pgstat_report_activity(STATE_RUNNING, MyBgworkerEntry->bgw_name);
	PG_TRY();
	{
		begin_training(launch, &procedure);
		begun = true;
		report_to_launcher(launch, LAUNCH_BEGUN);

		/* facts and rules are read in one snapshot */
		isolation = DefaultXactIsoLevel;
		DefaultXactIsoLevel = XACT_REPEATABLE_READ;
		transaction_begin();
		DefaultXactIsoLevel = isolation;
		procedure_read(&procedure);
		procedure_open(&procedure);
		commit(&procedure);

		procedure_look_back(&procedure);
		procedure_run(&procedure);
	}
	PG_CATCH();
	{
		end_failed(launch, &procedure, begun, context);
	}
	PG_END_TRY();
	pgstat_report_activity(STATE_IDLE, NULL);
}
