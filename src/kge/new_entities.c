/*
 * new_entities.c
 *		Rows of entities that are new to a trained model, from their neighbours.
 *
 * A fact of a trained entity and a new one is a question that the new one answers:
 * it belongs where the queries of all such facts point, their mean.  Where candidates
 * are compared by their dot product with a query, that is but a direction, and
 * the row gets the mean length of the trained entities' rows.
 */
#include <math.h>
#include <string.h>

#include "score_function.h"

static void
gather(KgeModel *model, KgeNewEntities *new_entities, Triple fact, Side side)
{
	int			width = kge_model_width(model);
	int32_t		entity = side == SIDE_TAIL ? fact.tail : fact.head;
	int32_t		given = side == SIDE_TAIL ? fact.head : fact.tail;
	float	   *row = model->entity + (size_t) entity * (size_t) width;

	if (!new_entities->entity[entity] || new_entities->entity[given] || new_entities->relation[fact.relation])
		return;
	kge_make_query(model, kge_query(model, fact, side), new_entities->query);
	if (new_entities->neighbours[entity]++ == 0)
		memset(row, 0, (size_t) width * sizeof(float));
	for (int j = 0; j < width; j++)
		row[j] += new_entities->query[j];
}

void
kge_new_entities_gather(KgeModel *model, KgeNewEntities *new_entities, const Triple *facts, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		gather(model, new_entities, facts[i], SIDE_TAIL);
		gather(model, new_entities, facts[i], SIDE_HEAD);
	}
}

static double
length(const float *row, int width)
{
	double		sum = 0;

	for (int j = 0; j < width; j++)
		sum += (double) row[j] * row[j];
	return sqrt(sum);
}

static double
mean_length(const KgeModel *model, const KgeNewEntities *new_entities)
{
	double		sum = 0;
	int32_t		trained = 0;

	for (int32_t i = 0; i < model->entities; i++)
		if (!new_entities->entity[i])
		{
			sum += length(kge_entity_row(model, i), kge_model_width(model));
			trained++;
		}
	return trained == 0 ? 0 : sum / trained;
}

void
kge_new_entities_place(KgeModel *model, const KgeNewEntities *new_entities)
{
	int			width = kge_model_width(model);
	bool		is_direction = !kge_is_distance(model->function);
	double		usual = is_direction ? mean_length(model, new_entities) : 0;

	for (int32_t i = 0; i < model->entities; i++)
	{
		float	   *row = model->entity + (size_t) i * (size_t) width;
		double		scale = 1.0 / new_entities->neighbours[i];

		if (new_entities->neighbours[i] == 0)
			continue;
		if (is_direction)
			scale = usual / fmax(length(row, width), 1e-30);
		for (int j = 0; j < width; j++)
			row[j] = (float) (scale * row[j]);
	}
}
