/*
 * call.c
 *		The beginning and the end of a SQL function that uses a model of a graph (see call.h).
 */
#include "call.h"

#include "catalog/pg_proc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "server/argument.h"

Call
call_begin(FunctionCallInfo fcinfo, int model_argument)
{
	Call		call = {.caller = CurrentMemoryContext};
	char	   *graph = argument_name(fcinfo, 0, "graph");

	if (fcinfo->flinfo->fn_retset)
		call.result = sql_result(fcinfo);
	call.work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg call",
									  ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(call.work);
	call.model = argument_name(fcinfo, model_argument, "model");
	sql_begin();
	call.graph = func_volatile(fcinfo->flinfo->fn_oid) == PROVOLATILE_VOLATILE ? graph_open_to_write(graph) : graph_open(graph);
	return call;
}

Datum
call_end(Call *call)
{
	sql_end();
	MemoryContextSwitchTo(call->caller);
	MemoryContextDelete(call->work);
	return (Datum) 0;
}
