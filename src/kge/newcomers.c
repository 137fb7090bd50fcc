/*
 * newcomers.c
 *		Rows of entities that a trained model does not know yet, from their neighbours.
 *
 * A fact of a known entity and a new one asks a question that the new one answers:
 * it belongs where the queries of all such facts point, their mean.  Where candidates
 * are compared by their dot product with a query, that is but a direction, and
 * the row gets the length that known entities have on average.
 */
#include <math.h>
#include <string.h>

#include "score.h"

static void
meet(KgeModel *model, KgeNewcomers *newcomers, KgeTriple fact, KgeSide side)
{
	int			width = kge_model_width(model);
	int32_t		newcomer = side == KGE_TAIL ? fact.tail : fact.head;
	int32_t		given = side == KGE_TAIL ? fact.head : fact.tail;
	float	   *row = model->entity + (size_t) newcomer * (size_t) width;

	if (!newcomers->entity[newcomer] || newcomers->entity[given] || newcomers->relation[fact.relation])
		return;
	kge_make_query(model, kge_query(model, fact, side), newcomers->query);
	if (newcomers->neighbours[newcomer]++ == 0)
		memset(row, 0, (size_t) width * sizeof(float));
	for (int j = 0; j < width; j++)
		row[j] += newcomers->query[j];
}

void
kge_newcomers_meet(KgeModel *model, KgeNewcomers *newcomers, const KgeTriple *facts, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		meet(model, newcomers, facts[i], KGE_TAIL);
		meet(model, newcomers, facts[i], KGE_HEAD);
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
mean_length(const KgeModel *model, const KgeNewcomers *newcomers)
{
	double		sum = 0;
	int32_t		known = 0;

	for (int32_t i = 0; i < model->entities; i++)
		if (!newcomers->entity[i])
		{
			sum += length(kge_entity_row(model, i), kge_model_width(model));
			known++;
		}
	return known == 0 ? 0 : sum / known;
}

void
kge_newcomers_place(KgeModel *model, const KgeNewcomers *newcomers)
{
	int			width = kge_model_width(model);
	bool		is_direction = !kge_is_distance(model->function);
	double		usual = is_direction ? mean_length(model, newcomers) : 0;

	for (int32_t i = 0; i < model->entities; i++)
	{
		float	   *row = model->entity + (size_t) i * (size_t) width;
		double		scale = 1.0 / newcomers->neighbours[i];

		if (newcomers->neighbours[i] == 0)
			continue;
		if (is_direction)
			scale = usual / fmax(length(row, width), 1e-30);
		for (int j = 0; j < width; j++)
			row[j] = (float) (scale * row[j]);
	}
}
