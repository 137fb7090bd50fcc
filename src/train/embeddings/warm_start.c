/*
 * warm_start.c
 *		A training that goes on from the embeddings of the model it will replace.
 *
 * Entities and relations are the same when their ids are.  A new relation starts as in any training; a new entity
 * starts where its neighbours with embeddings place it (kge/score/new_entities.c), or, with a network, as in any training.
 */
#include "learner.h"

#include "miscadmin.h"

#include "core/names.h"
#include "model/model_cache.h"
#include "server/host.h"

/* facts between two checks for interrupts */
#define FACTS_AT_ONCE 1000

/* What a score depends on besides the parameters.  Only distances have a norm. */
static char *
kind_of(const KgeModel *model)
{
	char	   *norm = kge_is_distance(model->function) ? psprintf(" and norm %d", model->norm) : "";

	return psprintf("score_function \"%s\", %d dimensions%s, %s reciprocal relations", name_of(model->function),
					model->dimensions, norm, model->reciprocal ? "with" : "without");
}

void
warm_start_check(Graph *graph, const char *name, const KgeModel *model)
{
	char	   *old = kind_of(&model_open(graph, name)->kge);
	char	   *new = kind_of(model);

	if (strcmp(old, new) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("warm_start cannot turn model \"%s\" into one of %s", name, new),
				 errdetail("It has %s.", old),
				 errhint("Give those, or train anew without warm_start.")));
}

/* Rows of a matrix, each with an id; ids ascend */
typedef struct Rows
{
	const int32 *id;
	int32		count;
	float	   *values;
} Rows;

/* Copies the rows of ids that the old matrix has; marks the others as new. */
static void
copy_rows(Rows rows, Rows old, int width, bool *is_new)
{
	for (int32 i = 0; i < rows.count; i++)
	{
		int32		row = graph_row(old.id, old.count, rows.id[i]);

		CHECK_FOR_INTERRUPTS();
		is_new[i] = row < 0;
		if (row >= 0)
			memcpy(rows.values + (Size) i * width, old.values + (Size) row * width, width * sizeof(float));
	}
}

/* Inverse relations have rows of their own, behind those of all relations. */
static Rows
relation_rows(const int32 *id, const KgeModel *model, int part, int width)
{
	return (Rows) {id, model->relations, model->relation + (Size) part * model->relations * width};
}

/* Weights that all queries share are behind them. */
static float *
shared_rows(const KgeModel *model, int width)
{
	return model->relation + (Size) (kge_relation_rows(model) - kge_shared_rows(model)) * width;
}

static void
copy_relations(const GraphData *data, const KgeModel *model, const Model *old, bool *is_new)
{
	int			width = kge_relation_width(model->function, model->dimensions);

	for (int part = 0; part < (model->reciprocal ? 2 : 1); part++)
		copy_rows(relation_rows(data->relation_id, model, part, width),
				  relation_rows(old->relation_id, &old->kge, part, width), width, is_new);
	memcpy(shared_rows(model, width), shared_rows(&old->kge, width), sizeof(float) * (Size) kge_shared_rows(model) * width);
}

void
warm_start_fill(Graph *graph, const char *name, const GraphData *data, KgeModel *model)
{
	const Model *old = model_open(graph, name);
	int			width = kge_entity_width(model->function, model->dimensions);
	KgeNewEntities new_entities = {
		.entity = palloc_extended(data->entities * sizeof(bool), MCXT_ALLOC_HUGE),
		.relation = palloc_extended(data->relations * sizeof(bool), MCXT_ALLOC_HUGE),
		.neighbours = palloc_extended(data->entities * sizeof(int32), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO),
		.query = palloc(width * sizeof(float))
	};

	copy_rows((Rows) {data->entity_id, data->entities, model->entity},
			  (Rows) {old->entity_id, old->kge.entities, old->kge.entity}, width, new_entities.entity);
	copy_relations(data, model, old, new_entities.relation);
	for (int64 first = 0; first < data->facts; first += FACTS_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		kge_new_entities_gather(model, &new_entities, data->fact + first, Min(FACTS_AT_ONCE, data->facts - first));
	}
	if (!kge_has_network(model->function))
		kge_new_entities_place(hkg_pool(), model, &new_entities);
	pfree(new_entities.entity);
	pfree(new_entities.relation);
	pfree(new_entities.neighbours);
	pfree(new_entities.query);
}
