/*
 * shared_weights.h
 *		The weights of the network that makes a model's queries: rows of table shared_weight.
 */
#ifndef HKG_MODEL_SHARED_WEIGHTS_H
#define HKG_MODEL_SHARED_WEIGHTS_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/kge.h"

/*
 * Reads them behind the relations of the model, or writes them; nothing where it has no network.  ERROR 22000 when rows
 * are damaged.
 */
extern void shared_weights_read(Graph *graph, const char *model, const KgeModel *kge);
extern void shared_weights_write(const Graph *graph, const char *model, const KgeModel *kge);

/* Whether all weights are numbers that reading them accepts; those of a training that diverges soon are not. */
extern bool shared_weights_in_range(const KgeModel *kge);

#endif							/* HKG_MODEL_SHARED_WEIGHTS_H */
