/*
 * path_network.h
 *		The path network of a model, in column paths of table model and table path_network.
 */
#ifndef HKG_MODEL_PATH_NETWORK_H
#define HKG_MODEL_PATH_NETWORK_H

#include "server/compat.h"

#include "graph/graph.h"
#include "paths/paths.h"

/* What column paths of a model has as "members" or "reversed", 1 at least; 0: the model has no network. */
extern int	path_network_number(const Graph *graph, const char *model, const char *name);

/*
 * It, in the current context, with the relations of `data` as its rows; relations that it has not learnt have initial
 * parameters.  NULL when the model has none; ERROR 22000 when its rows are damaged, 53200 when it does not fit beside
 * the bytes that are taken.
 */
extern PathNetwork *path_network_read(Graph *graph, const char *model, const GraphData *data, uint64 taken);

/*
 * The graph without facts of relations that the model's network has not learnt, which predictions leave out, too; in the
 * current context, or `data` itself where there are none.
 */
extern const GraphData *path_network_facts(const Graph *graph, const char *model, const GraphData *data);

/* What it takes to read it; NULL: 0 */
extern uint64 path_network_bytes(const PathNetwork *network);

/* Writes it in place of the model's, whose row is there; NULL: the model has none. */
extern void path_network_write(const Graph *graph, const char *model, const GraphData *data, const PathNetwork *network);

#endif							/* HKG_MODEL_PATH_NETWORK_H */
