/*
 * model.h
 *		A trained model: its rows in the graph's tables, and the copy that
 *		a backend keeps of the one it used last.
 */
#ifndef HKG_MODEL_H
#define HKG_MODEL_H

#include "compat.h"

#include "graph.h"

typedef struct Model
{
	KgeModel	kge;
	int32	   *entity_id;		/* row -> id, ascending */
	int32	   *relation_id;
} Model;

/*
 * The model as the caller's snapshot sees it.  Lives until the next model_open
 * of this backend.  ERROR 42704 with the known models as HINT; 22000 where embeddings
 * are missing, of the wrong length, NULL or not finite; 53200 where they would not fit hybridkg.max_memory.
 */
extern const Model *model_open(Graph *graph, const char *name);

/* Writes embeddings of `kge` (rows as in data) as those of model `name`, whose row is there. */
extern void model_write_embeddings(Graph *graph, const char *name,
								   const GraphData *data, const KgeModel *kge);

#endif							/* HKG_MODEL_H */
