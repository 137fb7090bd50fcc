/*
 * added_entities.h
 *		Entities that came after a model's training and have a fact: rows of their own behind the model's.
 *
 * A model stays as it was trained.  What is here depends on the facts as well, and is read again when they change.
 */
#ifndef HKG_MODEL_ADDED_ENTITIES_H
#define HKG_MODEL_ADDED_ENTITIES_H

#include "server/compat.h"

#include "model.h"

typedef struct AddedEntities
{
	const Model *model;
	int32		count;
	int32	   *id;				/* ascending */
	bool	   *placed;			/* whether neighbours placed it; else its row is neutral */
	float	  **row;
	const AnswerSet *answers;	/* in these rows: who may answer, as whoever reads the facts finds out; NULL: all */
	uint64		bytes;			/* that all of this takes */
} AddedEntities;

/*
 * In the current context, as the active snapshot shows the facts.  Where the rows would not fit hybridkg.max_memory
 * beside `taken` bytes, all are neutral, with a NOTICE.
 */
extern AddedEntities *added_entities_read(Graph *graph, const Model *model, uint64 taken);

/* The model's arrays with the added entities behind them. */
extern KgeModel added_entities_model(const AddedEntities *added);

/* The same with all entities in one array, in the current context: for what passes over all of them. */
extern KgeModel added_entities_array(const AddedEntities *added);

/* model_of_graph with the rows of added entities, in the current context, or the model's own */
extern KgeModel added_entities_of_graph(const AddedEntities *added, const GraphData *data);

/* Which of the graph's entities they are, by row of `data`, in the current context; NULL where there is none. */
extern bool *added_entities_marked(const AddedEntities *added, const GraphData *data);

/* From id to row, -1 where there is none, and back */
extern int32 added_entities_row(const AddedEntities *added, int32 id);
extern int32 added_entities_id(const AddedEntities *added, int32 row);

/* A triple of ids in rows; -1 where there is none. */
extern Triple added_entities_triple(const AddedEntities *added, Triple ids);

/*
 * The row of the entity of that name.  ERROR 42704 where the graph has none, 55000 where it has no fact; with
 * hybridkg.skip_unknown -1.
 */
extern int32 added_entities_row_of_name(const AddedEntities *added, Graph *graph, const char *name);

#endif							/* HKG_MODEL_ADDED_ENTITIES_H */
