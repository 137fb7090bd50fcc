/*
 * inquiry.h
 *		How the SQL functions that ask about a graph's model begin, and end.
 *
 *		Inquiry		inquiry = inquiry_begin(fcinfo, 4);
 *		... inquiry.graph, inquiry.model ...
 *		return inquiry_end(&inquiry);
 *
 * The graph is argument 0.  In between, statements can be run (sql.h), and memory is of a context
 * that ends with the inquiry.
 */
#ifndef HKG_INQUIRY_H
#define HKG_INQUIRY_H

#include "compat.h"

#include "graph.h"
#include "sql.h"

typedef struct Inquiry
{
	Graph	   *graph;
	char	   *model;			/* its name; whether there is one is not known yet */
	SqlResult  *result;			/* of a set-returning function; else NULL */
	MemoryContext caller;
	MemoryContext work;
} Inquiry;

/* model_argument: number of the argument `model`. */
extern Inquiry inquiry_begin(FunctionCallInfo fcinfo, int model_argument);

/* Returns what a set-returning function returns. */
extern Datum inquiry_end(Inquiry *inquiry);

#endif							/* HKG_INQUIRY_H */
