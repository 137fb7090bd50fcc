/*
 * call.h
 *		The beginning and the end of a SQL function that uses a model of a graph.
 *
 *		Call		call = call_begin(fcinfo, 4);
 *		... call.graph, call.model ...
 *		return call_end(&call);
 *
 * The graph is argument 0.  Between the two, statements can be run (sql.h), and memory is allocated in a context that
 * is deleted by call_end.
 */
#ifndef HKG_GRAPH_CALL_H
#define HKG_GRAPH_CALL_H

#include "server/compat.h"

#include "graph.h"
#include "server/sql.h"

typedef struct Call
{
	Graph	   *graph;
	char	   *model;			/* its name; whether it exists is not checked */
	SqlResult  *result;			/* of a set-returning function; else NULL */
	MemoryContext caller;
	MemoryContext work;
} Call;

/* model_argument: number of the argument `model`. */
extern Call call_begin(FunctionCallInfo fcinfo, int model_argument);

/* Returns what a set-returning function has to return. */
extern Datum call_end(Call *call);

#endif							/* HKG_GRAPH_CALL_H */
