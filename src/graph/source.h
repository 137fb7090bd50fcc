/*
 * source.h
 *		The query that a graph is in step with.
 */
#ifndef HKG_GRAPH_SOURCE_H
#define HKG_GRAPH_SOURCE_H

#include "server/compat.h"

#include "graph.h"

/* Its text, in the current context; NULL when the graph has none. */
extern char *source_read(Graph *graph);

#endif							/* HKG_GRAPH_SOURCE_H */
