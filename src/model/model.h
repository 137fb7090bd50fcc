/*
 * model.h
 *		A trained model: read from the graph's tables into arrays, written back.
 *
 * Functions that use a model take a backend's copy of it: see model_cache.h.
 */
#ifndef HKG_MODEL_MODEL_H
#define HKG_MODEL_MODEL_H

#include "server/compat.h"

#include "storage/itemptr.h"

#include "evidence/evidence.h"
#include "graph/graph.h"

typedef struct Model
{
	KgeModel	kge;
	const KgeSketch *sketch;
	int32	   *entity_id;		/* row -> id, ascending */
	int32	   *relation_id;
	char	   *name;
	EvCalibrations *calibration;	/* how scores become probabilities, see model_calibration */
	bool		probable;		/* that was learnt, as method.md defines it: not by version 0.1.0 */
	uint64		serial;			/* of this copy: no other one of this backend has it; 0: the copy is not kept */
} Model;

/* The model's row in table model */
typedef struct ModelRow
{
	bool		found;
	TransactionId xmin;			/* this and the next: the version of the row */
	ItemPointerData ctid;
	char	   *score_function; /* NULL: the model has no embeddings, only rules */
	int			dimensions;
	char	   *status;
	char	   *gamma;			/* from settings; NULL when it is not there */
	char	   *norm;
	bool		reciprocal;
	bool		has_evidence;	/* of rules or paths */
} ModelRow;

/* ERROR 42704, with the names of models as HINT, unless the graph has a model of that name. */
extern ModelRow model_read_row(Graph *graph, const char *name);
extern void model_require(Graph *graph, const char *name);

/*
 * Reading a model takes two steps, so that the caller can make room in between.  The first one fills in all but the
 * numbers and returns the bytes that the model will take; the second one reads the numbers.  All is in that context.
 * model_read_settings alone fills in what is in the model's row: its name, its score function and what that takes.
 * A model with rules or paths may have lost the embeddings of all entities: these can still answer.
 * ERROR 55000 where the model was never trained, or has no embeddings; 22000 where embeddings are missing, of the
 * wrong length, NULL or not finite, with that hint (NULL: to train the model again); 53200 where they would not fit
 * hybridkg.max_memory.
 */
extern void model_read_settings(const char *name, const ModelRow *row, MemoryContext context, Model *model);
extern uint64 model_read_shape(Graph *graph, const char *name, const ModelRow *row, MemoryContext context, const char *hint,
							   Model *model);
extern void model_read_numbers(Graph *graph, MemoryContext context, const char *hint, Model *model);

static inline Size
model_calibration_bytes(const Model *model)
{
	return sizeof(EvCalibrations) * 2 * EV_KINDS * model->kge.relations;
}

/* That of the answers of one side to questions with a relation, by what a prediction is made from */
static inline EvCalibrations *
model_calibration(const Model *model, EvKind kind, int32 relation, Side side)
{
	return &model->calibration[((Size) 2 * relation + side) * EV_KINDS + kind];
}

/* ERROR 55000 unless an entity of the training is left: for what the embedding alone answers. */
extern void model_require_entities(const Model *model);

/* Whether there is a model of that name with embeddings; if so, fills in the omega it was trained with. */
extern bool model_has_embeddings(Graph *graph, const char *name, double *omega);

/* The names of all score functions, for a hint. */
extern char *model_score_functions(void);

/* A pool no larger than one pass over the model's entities is worth. */
extern Pool *model_pool(const KgeModel *kge);

/*
 * The model with a row for each entity and relation of the graph, as `data` has them: NaN where there is no
 * embedding.  In the current context, or the model's own.  (added_entities_of_graph places new entities as well.)
 */
extern KgeModel model_of_graph(const Model *model, const GraphData *data);

/* ERROR 55000: the model has no embedding of the relation of that name. */
extern _Noreturn void model_refuse_relation(const Model *model, const Graph *graph, const char *name);

/* The row of the relation of that name.  ERROR 42704 where the graph has none, 55000 where the model has none. */
extern int32 model_relation_row(const Model *model, Graph *graph, const char *name);

/*
 * Writes embeddings of `kge` (rows as in data) as those of model `name`, which is in table model and has none yet: of
 * entities from .. from+count-1, and of all relations.
 */
extern void model_write_entities(Graph *graph, const char *name, const GraphData *data, const KgeModel *kge,
								 int32 from, int32 count);
extern void model_write_relations(Graph *graph, const char *name, const GraphData *data, const KgeModel *kge);

#endif							/* HKG_MODEL_MODEL_H */
