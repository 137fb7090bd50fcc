/*
 * train.c
 *		hkg_train and hkg_resume: a training in the caller's transaction.
 */
#include "server/compat.h"

#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "procedure.h"
#include "server/argument.h"
#include "server/sql.h"

/* All is one transaction, the caller's. */
static void
begin(const Procedure *procedure)
{
}

static void
commit(const Procedure *procedure)
{
	graph_check_name(procedure->graph);
}

static TrainingCall
this_call(void)
{
	return (TrainingCall) {MyProcPid, GetCurrentTimestamp()};
}

/* All memory of a training, its threads and its row in hkg_progress end with this context. */
static MemoryContext
enter_context(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "hybridkg train", ALLOCSET_DEFAULT_SIZES));
}

static Datum
leave_context(MemoryContext caller, const char *model)
{
	MemoryContext context = MemoryContextSwitchTo(caller);
	text	   *name = cstring_to_text(model);

	MemoryContextDelete(context);
	PG_RETURN_TEXT_P(name);
}

HKG_FUNCTION(hkg_train);
Datum
hkg_train(PG_FUNCTION_ARGS)
{
	MemoryContext caller = enter_context();
	Procedure	procedure = {.begin = begin,.commit = commit,.plan.start = monotonic_now(),.call = this_call()};

	settings_read(fcinfo, &procedure.settings);
	sql_begin();
	procedure.graph = graph_open_to_write(procedure.settings.graph);
	graph_lock_for_training(procedure.graph, procedure.settings.model);
	procedure_read(&procedure);
	plan_notice(procedure.plan.message, procedure.plan.detail);
	procedure_open(&procedure);
	procedure_look_back(&procedure);
	record_begin(procedure.graph, &procedure.settings);
	procedure_run(&procedure);
	graph_leave_training(procedure.graph);
	sql_end();
	return leave_context(caller, procedure.settings.model);
}

HKG_FUNCTION(hkg_resume);
Datum
hkg_resume(PG_FUNCTION_ARGS)
{
	char	   *graph = argument_name(fcinfo, 0, "graph");
	char	   *model = argument_name(fcinfo, 1, "model");
	MemoryContext caller = enter_context();
	Procedure	procedure = {.begin = begin,.commit = commit,.call = this_call()};

	sql_begin();
	procedure.graph = graph_open_to_write(graph);
	graph_lock_for_training(procedure.graph, model);
	record_lock_tables(procedure.graph);
	graph_lock_model_to_read(procedure.graph, model);
	checkpoint_settings(procedure.graph, model, &procedure.settings);
	procedure_read(&procedure);
	procedure_open(&procedure);
	procedure_look_back(&procedure);
	checkpoint_load(&procedure);
	procedure_run(&procedure);
	graph_leave_training(procedure.graph);
	sql_end();
	return leave_context(caller, model);
}
