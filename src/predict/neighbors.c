/*
 * neighbors.c
 *		hkg_neighbors: the entities whose embeddings have the highest cosines with one.
 */
#include "found_rows.h"

#include <math.h>

#include "miscadmin.h"

#include "graph/call.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"

/* The best of those in `found` and of the placed entities that were added */
static void
merge_added_neighbors(const Predictor *predictor, int32 entity, FoundRows *found)
{
	const KgeModel *kge = &predictor->kge;
	ScoredRow  *scored = array_new(ScoredRow, found->count + kge->added);
	int64		count = found->count;

	for (int64 i = 0; i < count; i++)
		scored[i] = (ScoredRow) {.score = found->score[i],.row = found->row[i]};
	for (int32 i = 0; i < kge->added; i++)
	{
		int32		row = kge->entities + i;
		double		cosine = kge_cosine(kge, entity, row);

		CHECK_FOR_INTERRUPTS();
		if (row != entity && predictor->added->placed[i] && !isnan(cosine))
			scored[count++] = (ScoredRow) {.score = cosine,.row = row};
	}
	found_rows_take(found, scored, count, scored_row_compare);
}

/* ERROR 55000 where the entity's neighbours did not place it. */
static void
require_place(const Predictor *predictor, int32 entity, const char *name)
{
	int32		trained = predictor->kge.entities;

	if (entity >= trained && !predictor->added->placed[entity - trained])
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("entity \"%s\" has no place among the embeddings of model \"%s\"", name,
						predictor->model->name),
				 errdetail("It was added after the training, "
						   "and no fact connects it with an entity and by a relation of the training."),
				 errhint("Insert such a fact, or train the model again.")));
}

HKG_FUNCTION(hkg_neighbors);
Datum
hkg_neighbors(PG_FUNCTION_ARGS)
{
	char	   *name = argument_text(fcinfo, 1, "entity");
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	Call		call = call_begin(fcinfo, 3);
	Predictor	predictor = predictor_open(call.graph, call.model, EV_EMBEDDING);
	const KgeModel *kge = &predictor.kge;
	int32		entity = added_entities_row_of_name(predictor.added, call.graph, name);
	FoundRows	found;

	if (entity < 0)
		return call_end(&call);
	found = found_rows_open(hkg_scratch(false), Min(k, predictor_entities(&predictor)),
							kge->added > 0 ? sizeof(ScoredRow) : 0, "entities");
	require_place(&predictor, entity, name);
	found.count = kge_neighbors(&found.arena, model_pool(kge), kge, entity, found.room, found.row, found.score);
	if (kge->added > 0)
		merge_added_neighbors(&predictor, entity, &found);
	found.probability = found.score;	/* the result has no such column */
	found_rows_return(&found, call.graph, &predictor, true, call.result);
	return call_end(&call);
}
