/*
 * call.h
 *		How the SQL functions that ask about a graph's model begin, and end.
 *
 *		Call		call = call_begin(fcinfo, 4);
 *		... call.graph, call.model ...
 *		return call_end(&call);
 *
 * The graph is argument 0.  In between, statements can be run (sql.h), and memory is of a context
 * that ends with the call.
 */
#ifndef HKG_GRAPH_CALL_H
#define HKG_GRAPH_CALL_H

#include "server/compat.h"

#include "graph.h"
#include "server/sql.h"

typedef struct Call
{
	Graph	   *graph;
	char	   *model;			/* its name; whether there is one is not known yet */
	SqlResult  *result;			/* of a set-returning function; else NULL */
	MemoryContext caller;
	MemoryContext work;
} Call;

/* model_argument: number of the argument `model`. */
extern Call call_begin(FunctionCallInfo fcinfo, int model_argument);

/* Returns what a set-returning function returns. */
extern Datum call_end(Call *call);

#endif							/* HKG_GRAPH_CALL_H */
