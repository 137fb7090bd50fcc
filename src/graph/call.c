/*
 * call.c
 *		The beginning and the end of a SQL function that uses a model of a graph (see call.h).
 */
#include "call.h"

#include "utils/memutils.h"

#include "server/argument.h"

static Call
begin(FunctionCallInfo fcinfo, int model_argument, Graph *(*open) (const char *))
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
	call.graph = open(graph);
	return call;
}

Call
call_begin(FunctionCallInfo fcinfo, int model_argument)
{
	return begin(fcinfo, model_argument, graph_open);
}

Call
call_begin_unpinned(FunctionCallInfo fcinfo, int model_argument)
{
	return begin(fcinfo, model_argument, graph_open_pinned);
}

void
call_pin(Call *call)
{
	call->nest_level = sql_pin();
}

Datum
call_end(Call *call)
{
	if (call->nest_level > 0)
		sql_unpin(call->nest_level);
	sql_end();
	MemoryContextSwitchTo(call->caller);
	MemoryContextDelete(call->work);
	return (Datum) 0;
}
