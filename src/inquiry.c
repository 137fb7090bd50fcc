/*
 * inquiry.c
 *		How the SQL functions that ask about a graph's model begin, and end (see inquiry.h).
 */
#include "inquiry.h"

#include "utils/memutils.h"

#include "argument.h"

Inquiry
inquiry_begin(FunctionCallInfo fcinfo, int model_argument)
{
	Inquiry		inquiry = {.caller = CurrentMemoryContext};
	char	   *graph = argument_name(fcinfo, 0, "graph");

	if (fcinfo->flinfo->fn_retset)
		inquiry.result = sql_result(fcinfo);
	inquiry.work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg inquiry",
										 ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(inquiry.work);
	inquiry.model = argument_name(fcinfo, model_argument, "model");
	sql_begin();
	inquiry.graph = graph_open(graph);
	return inquiry;
}

Datum
inquiry_end(Inquiry *inquiry)
{
	sql_end();
	MemoryContextSwitchTo(inquiry->caller);
	MemoryContextDelete(inquiry->work);
	return (Datum) 0;
}
