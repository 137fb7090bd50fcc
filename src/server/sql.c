/*
 * sql.c
 *		Statements of our own, run through SPI (see sql.h).
 *
 * Queries send their rows to a DestReceiver: rows arrive one by one, none is kept, and the planner may use parallel
 * workers, which it does not for a cursor.
 *
 * SPI makes a memory context of its own current, which sql_end frees.  So every function here makes the caller's
 * current again.
 */
#include "sql.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "executor/spi.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/params.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "host.h"

typedef struct RowReceiver
{
	DestReceiver pub;
	SqlRow		row;
	void	   *argument;
	MemoryContext context;
	TupleDesc	descriptor;		/* set when the query starts */
} RowReceiver;

void
sql_arg(SqlArgs *args, Oid type, Datum value)
{
	Assert(args->count < (int) lengthof(args->types));
	args->types[args->count] = type;
	args->values[args->count] = value;
	args->nulls[args->count] = ' ';
	args->count++;
}

void
sql_arg_text(SqlArgs *args, const char *value)
{
	sql_arg(args, TEXTOID, CStringGetTextDatum(value));
}

SqlArgs
sql_args_text(const char *text)
{
	SqlArgs		args = {0};

	sql_arg_text(&args, text);
	return args;
}

void
sql_arg_digits(SqlArgs *args, double value)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(value, digits);
	sql_arg_text(args, digits);
}

void
sql_arg_null(SqlArgs *args, Oid type)
{
	sql_arg(args, type, (Datum) 0);
	args->nulls[args->count - 1] = 'n';
}

void
sql_args_free(SqlArgs *args)
{
	for (int i = 0; i < args->count; i++)
		pfree(DatumGetPointer(args->values[i]));
	args->count = 0;
}

MemoryContext
sql_begin(void)
{
	MemoryContext caller = CurrentMemoryContext;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	MemoryContextSwitchTo(caller);
	return caller;
}

void
sql_end(void)
{
	MemoryContext caller = CurrentMemoryContext;

	if (SPI_finish() != SPI_OK_FINISH)
		elog(ERROR, "could not disconnect from SPI");
	MemoryContextSwitchTo(caller);
}

void
sql_see_changes(void)
{
	CommandCounterIncrement();
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
}

void
sql_see_changes_end(void)
{
	PopActiveSnapshot();
}

int
sql_pin(void)
{
	int			nest_level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return nest_level;
}

void
sql_unpin(int nest_level)
{
	AtEOXact_GUC(true, nest_level);
}

uint64
sql_run(const char *statement, const SqlArgs *args)
{
	MemoryContext caller = CurrentMemoryContext;
	int			result;

	if (args == SQL_NO_ARGS)
		result = SPI_execute(statement, false, 0);
	else
		result = SPI_execute_with_args(statement, args->count,
									   (Oid *) args->types,
									   (Datum *) args->values,
									   args->nulls, false, 0);
	MemoryContextSwitchTo(caller);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", statement,
			 SPI_result_code_string(result));
	SPI_freetuptable(SPI_tuptable);
	return SPI_processed;
}

static void
receive_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	((RowReceiver *) self)->descriptor = descriptor;
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext executor = MemoryContextSwitchTo(receiver->context);

	hkg_check_interrupts();
	slot_getallattrs(slot);
	receiver->row(receiver->argument, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(executor);
	return true;
}

static void
receive_nothing(DestReceiver *self)
{
}

Datum
sql_present(const Datum *values, const bool *nulls, int i)
{
	if (nulls[i])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a row of the graph has a null where none may be"),
				 errhint("A table of the graph has lost a constraint, or a view stands in its place.")));
	return values[i];
}

static RowReceiver
make_receiver(SqlRow row, void *argument)
{
	RowReceiver receiver = {0};

	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = receive_startup;
	receiver.pub.rShutdown = receive_nothing;
	receiver.pub.rDestroy = receive_nothing;
	receiver.pub.mydest = DestNone;
	receiver.row = row;
	receiver.argument = argument;
	receiver.context = CurrentMemoryContext;
	return receiver;
}

static ParamListInfo
make_parameters(const SqlArgs *args)
{
	ParamListInfo list;

	if (args == SQL_NO_ARGS || args->count == 0)
		return NULL;
	list = makeParamList(args->count);
	for (int i = 0; i < args->count; i++)
	{
		list->params[i].value = args->values[i];
		list->params[i].isnull = args->nulls[i] == 'n';
		list->params[i].pflags = PARAM_FLAG_CONST;
		list->params[i].ptype = args->types[i];
	}
	return list;
}

static uint64
stream(const char *query, const SqlArgs *args, bool read_only, RowReceiver *receiver)
{
	SPIExecuteOptions options = {0};
	int			result;

	options.params = make_parameters(args);
	options.read_only = read_only;
	options.dest = &receiver->pub;
	result = SPI_execute_extended(query, &options);
	MemoryContextSwitchTo(receiver->context);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", query, SPI_result_code_string(result));
	return SPI_processed;
}

uint64
sql_stream(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	RowReceiver receiver = make_receiver(row, argument);

	return stream(query, args, true, &receiver);
}

/* ---- plans that are kept ------------------------------------------------------ */

#define PLANS_KEPT 64

typedef struct KeptPlan
{
	dlist_node	node;
	SPIPlanPtr	plan;			/* the server plans again when a table is altered */
	int			running;
	char		query[FLEXIBLE_ARRAY_MEMBER];
} KeptPlan;

/* the one used last comes first */
static dlist_head kept_plans = DLIST_STATIC_INIT(kept_plans);
static int	kept_plan_count = 0;

static KeptPlan *
find_plan(const char *query)
{
	dlist_iter	iter;

	dlist_foreach(iter, &kept_plans)
	{
		KeptPlan   *kept = dlist_container(KeptPlan, node, iter.cur);

		if (strcmp(kept->query, query) == 0)
		{
			dlist_move_head(&kept_plans, &kept->node);
			return kept;
		}
	}
	return NULL;
}

static void
drop_oldest_plan(void)
{
	KeptPlan   *oldest = dlist_tail_element(KeptPlan, node, &kept_plans);

	if (oldest->running > 0)
		return;
	dlist_delete(&oldest->node);
	kept_plan_count--;
	SPI_freeplan(oldest->plan);
	pfree(oldest);
}

static KeptPlan *
keep_plan(const char *query, const SqlArgs *args)
{
	Size		size = strlen(query) + 1;
	KeptPlan   *kept;
	SPIPlanPtr	plan = args == SQL_NO_ARGS ? SPI_prepare(query, 0, NULL) :
		SPI_prepare(query, args->count, (Oid *) args->types);

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", query, SPI_result_code_string(SPI_result));
	if (kept_plan_count >= PLANS_KEPT)
		drop_oldest_plan();
	kept = MemoryContextAlloc(TopMemoryContext, offsetof(KeptPlan, query) + size);
	SPI_keepplan(plan);
	kept->plan = plan;
	kept->running = 0;
	memcpy(kept->query, query, size);
	dlist_push_head(&kept_plans, &kept->node);
	kept_plan_count++;
	return kept;
}

static uint64
stream_kept(KeptPlan *kept, const SqlArgs *args, RowReceiver *receiver)
{
	SPIExecuteOptions options = {0};
	int			result = 0;

	options.params = make_parameters(args);
	options.read_only = true;
	options.dest = &receiver->pub;
	kept->running++;
	PG_TRY();
	{
		result = SPI_execute_plan_extended(kept->plan, &options);
	}
	PG_FINALLY();
	{
		kept->running--;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(receiver->context);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", kept->query, SPI_result_code_string(result));
	return SPI_processed;
}

static uint64
stream_often(const char *query, const SqlArgs *args, RowReceiver *receiver)
{
	KeptPlan   *kept = find_plan(query);

	if (kept == NULL)
		kept = keep_plan(query, args);
	MemoryContextSwitchTo(receiver->context);
	return stream_kept(kept, args, receiver);
}

uint64
sql_stream_often(const char *query, const SqlArgs *args, SqlRow row, void *argument)
{
	RowReceiver receiver = make_receiver(row, argument);

	return stream_often(query, args, &receiver);
}

/* ---- other ways to run a statement ---------------------------------------------- */

uint64
sql_run_returning(const char *statement, const SqlArgs *args, SqlRow row, void *argument)
{
	RowReceiver receiver = make_receiver(row, argument);

	return stream(statement, args, false, &receiver);
}

typedef struct FirstValue
{
	RowReceiver receiver;
	bool		seen;
	bool		isnull;
	Datum		value;
} FirstValue;

static void
keep_first_value(void *argument, const Datum *values, const bool *nulls)
{
	FirstValue *first = argument;
	Form_pg_attribute attribute = TupleDescAttr(first->receiver.descriptor, 0);

	if (first->seen)
		return;
	first->seen = true;
	first->isnull = nulls[0];
	if (!nulls[0])
		first->value = datumCopy(values[0], attribute->attbyval, attribute->attlen);
}

bool
sql_value(const char *query, const SqlArgs *args, Datum *value)
{
	FirstValue	first = {0};

	first.isnull = true;
	first.receiver = make_receiver(keep_first_value, &first);
	stream_often(query, args, &first.receiver);
	if (!first.isnull)
		*value = first.value;
	return !first.isnull;
}

char *
extension_prefix(void)
{
	Datum		prefix;

	if (!sql_value("select pg_catalog.quote_ident(n.nspname) || '.' from pg_catalog.pg_extension e "
				   "join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'hybridkg'",
				   SQL_NO_ARGS, &prefix))
		elog(ERROR, "there is no extension hybridkg");
	return TextDatumGetCString(prefix);
}

/* ---- results ----------------------------------------------------------------- */

SqlResult *
sql_result(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	SqlResult  *result;
	MemoryContext caller;

	if (info == NULL || !IsA(info, ReturnSetInfo) ||
		(info->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	caller = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	result = palloc(sizeof(SqlResult));
	if (get_call_result_type(fcinfo, NULL, &result->descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	result->store = tuplestore_begin_heap((info->allowedModes & SFRM_Materialize_Random) != 0,
										  false, work_mem);
	info->returnMode = SFRM_Materialize;
	info->setResult = result->store;
	info->setDesc = result->descriptor;
	MemoryContextSwitchTo(caller);
	return result;
}

void
sql_result_row(SqlResult *result, const Datum *values, const bool *nulls)
{
	tuplestore_putvalues(result->store, result->descriptor,
						 unconstify(Datum *, values), unconstify(bool *, nulls));
}

void
sql_add_to_result(void *argument, const Datum *values, const bool *nulls)
{
	sql_result_row(argument, values, nulls);
}

void
sql_result_query(SqlResult *result, const char *query, const SqlArgs *args)
{
	sql_stream(query, args, sql_add_to_result, result);
}

#define MOST_COUNTS 10

Datum
sql_counts(FunctionCallInfo fcinfo, const int64 *values)
{
	TupleDesc	descriptor;
	Datum		counts[MOST_COUNTS];
	bool		nulls[MOST_COUNTS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Assert(descriptor->natts <= MOST_COUNTS);
	for (int i = 0; i < descriptor->natts; i++)
		counts[i] = Int64GetDatum(values[i]);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), counts, nulls));
}
