/*
 * warm_start.h
 *		A training that goes on from the embeddings of the model it will replace.
 */
#ifndef HKG_TRAIN_WARM_START_H
#define HKG_TRAIN_WARM_START_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/kge.h"

/*
 * ERROR 42704 when there is no model of that name, 55000 when it has no embeddings, 22023 when they are of another
 * score function or size than `model`.
 */
extern void warm_start_check(Graph *graph, const char *name, const KgeModel *model);

/* Replaces initial values by those of the model of that name; new entities are placed by their neighbours. */
extern void warm_start_fill(Graph *graph, const char *name, const GraphData *data, KgeModel *model);

#endif							/* HKG_TRAIN_WARM_START_H */
