/*
 * call.h
 *		The beginning and the end of a SQL function that uses a model of a graph.
 *
 *		Call		call = call_begin(fcinfo, 4);
 *		... call.graph, call.model ...
 *		return call_end(&call);
 *
 * A function that runs queries of its caller's does not pin search_path by its declaration:
 *
 *		Call		call = call_begin_unpinned(fcinfo, 4);
 *		... the caller's queries, with their search_path ...
 *		call_pin(&call);
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
	int			nest_level;		/* of sql_pin; 0 where the declaration pins search_path */
} Call;

/* model_argument: number of the argument `model`. */
extern Call call_begin(FunctionCallInfo fcinfo, int model_argument);

/* The same, before the caller's queries and after them */
extern Call call_begin_unpinned(FunctionCallInfo fcinfo, int model_argument);
extern void call_pin(Call *call);

/* Returns what a set-returning function has to return. */
extern Datum call_end(Call *call);

#endif							/* HKG_GRAPH_CALL_H */
