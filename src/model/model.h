/*
 * model.h
 *		A trained model: its rows in the graph's tables, and the copies that
 *		a backend keeps of those it used last.
 */
#ifndef HKG_MODEL_MODEL_H
#define HKG_MODEL_MODEL_H

#include "server/compat.h"

#include "evidence/evidence.h"
#include "graph/graph.h"

typedef struct Evidence Evidence;	/* model_evidence.h */

typedef struct Model
{
	KgeModel	kge;
	const KgeSketch *sketch;
	int32	   *entity_id;		/* row -> id, ascending */
	int32	   *relation_id;
	char	   *name;
	EvCalibration calibration[EV_KINDS];	/* sigma(score), where nothing was learnt */
	uint64		serial;			/* of this copy: no other has it in this backend; 0: not kept */
} Model;

/*
 * The model as the caller's snapshot sees it.  Lives until the current context is reset.
 * ERROR 42704 with the known models as HINT; 55000 where it was never trained, or is made of rules alone; 22000
 * where embeddings are missing, of the wrong length, NULL or not finite; 53200 where they would not fit
 * hybridkg.max_memory.
 */
extern const Model *model_open(Graph *graph, const char *name);

/*
 * The evidence of an opened model's rules; NULL when it has none.  `answering` is for one question at a
 * time.  They show the facts that the active snapshot shows, and live until the current context is
 * reset; where *serial is not 0, as long as model_has_evidence.
 */
extern const Evidence *model_evidence(Graph *graph, const Model *model, EvAnswering **answering, uint64 *serial);

/* Whether the evidence of that serial still lives. */
extern bool model_has_evidence(const Model *model, uint64 serial);

/* A pool no larger than one pass over the model's entities is worth. */
extern Pool *model_pool(const KgeModel *kge);

/*
 * The model with a row for everything in the graph, as `data` has it: NaN where there is no
 * embedding.  In the current context, or the model's own.
 */
extern KgeModel model_of_graph(const Model *model, const GraphData *data);

/* The copy of that serial, if this backend still has it; else NULL. */
extern const Model *model_recall(uint64 serial);

/* ERROR 42704, as above, unless the graph has a model of that name; reads no embedding. */
extern void model_require(Graph *graph, const char *name);

/* Whether there is a model of that name with embeddings; if so, fills in the omega it was trained with. */
extern bool model_has_embeddings(Graph *graph, const char *name, double *omega);

/*
 * The row of the entity or relation with that name.  ERROR 42704 for a name that the graph does
 * not know, 55000 for one that the model does not.
 */
extern int32 model_entity_row(const Model *model, Graph *graph, const char *name);
extern int32 model_relation_row(const Model *model, Graph *graph, const char *name);

/* Writes embeddings of `kge` (rows as in data) as those of model `name`, whose row is there and which has none yet. */
extern void model_write_embeddings(Graph *graph, const char *name,
								   const GraphData *data, const KgeModel *kge);

#endif							/* HKG_MODEL_MODEL_H */
