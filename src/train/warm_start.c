/*
 * warm_start.c
 *		A training that goes on from the embeddings of the model it will replace.
 *
 * Entities and relations are the same when their ids are.  One that has gone is not
 * looked for, a relation that is new starts like any, and an entity that is new starts
 * where its known neighbours say (kge/new_entities.c).
 */
#include "warm_start.h"

#include "miscadmin.h"

#include "model/model_cache.h"

/* facts between two looks at interrupts */
#define FACTS_AT_ONCE 10000

static const char *
name_of(const KgeScoreFunction *function)
{
	int			i = 0;

	while (kge_score_function(kge_score_function_name(i)) != function)
		i++;
	return kge_score_function_name(i);
}

void
warm_start_check(const Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const KgeModel *old = &model_open(procedure->graph, settings->model)->kge;

	if (old->function != procedure->model.function || old->dimensions != settings->dimensions ||
		old->reciprocal != procedure->model.reciprocal)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("warm_start cannot turn model \"%s\" into score_function \"%s\" of %d dimensions",
						settings->model, settings->score_function, settings->dimensions),
				 errdetail("It has score_function \"%s\" and %d dimensions, %s reciprocal relations.",
						   name_of(old->function), old->dimensions, old->reciprocal ? "with" : "without"),
				 errhint("Give those, or train anew without warm_start.")));
}

/* Rows of ids that the old model knows; the others stay, and are new. */
static void
copy_rows(const int32 *id, int32 count, float *values, int width,
		  const int32 *old_id, int32 old_count, const float *old_values, bool *is_new)
{
	for (int32 i = 0; i < count; i++)
	{
		int32		row = graph_row(old_id, old_count, id[i]);

		CHECK_FOR_INTERRUPTS();
		is_new[i] = row < 0;
		if (row >= 0)
			memcpy(values + (Size) i * width, old_values + (Size) row * width, width * sizeof(float));
	}
}

void
warm_start_fill(Procedure *procedure)
{
	const GraphData *data = procedure->data;
	KgeModel   *model = &procedure->model;
	const Model *old = model_open(procedure->graph, procedure->settings.model);
	int			width = kge_entity_width(model->function, model->dimensions);
	int			relation_width = kge_relation_width(model->function, model->dimensions);
	KgeNewEntities new_entities = {
		.entity = palloc_extended(data->entities * sizeof(bool), MCXT_ALLOC_HUGE),
		.relation = palloc_extended(data->relations * sizeof(bool), MCXT_ALLOC_HUGE),
		.neighbours = palloc_extended(data->entities * sizeof(int32), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO),
		.query = palloc(width * sizeof(float))
	};

	copy_rows(data->entity_id, data->entities, model->entity, width,
			  old->entity_id, old->kge.entities, old->kge.entity, new_entities.entity);
	/* inverse relations follow the relations */
	for (int part = 0; part < kge_relation_rows(model) / model->relations; part++)
		copy_rows(data->relation_id, data->relations,
				  model->relation + (Size) part * model->relations * relation_width, relation_width,
				  old->relation_id, old->kge.relations,
				  old->kge.relation + (Size) part * old->kge.relations * relation_width, new_entities.relation);
	for (int64 first = 0; first < data->facts; first += FACTS_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		kge_new_entities_gather(model, &new_entities, data->fact + first, Min(FACTS_AT_ONCE, data->facts - first));
	}
	kge_new_entities_place(model, &new_entities);
	pfree(new_entities.entity);
	pfree(new_entities.relation);
	pfree(new_entities.neighbours);
	pfree(new_entities.query);
}
