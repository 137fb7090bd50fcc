/*
 * new_entities.c
 *		Rows of entities that are new to a trained model, from their neighbours.
 *
 * A fact of a trained entity and a new one is a question that the new one answers:
 * it belongs where the queries of all such facts point, their mean.  Where candidates
 * are compared by their dot product with a query, that is but a direction.
 *
 * A training goes on from there, with rows of the usual length.  Predictions compare the new
 * entity with trained ones at once, and the mean of many queries is nearer to any query like them than
 * a trained row is: it would be first in every list.  So the mean of n queries is drawn back: a direction
 * gets LENGTH + (1 - LENGTH) / sqrt(n) of the usual length, and a place is moved by SPREAD * (1 - 1 / n) of
 * the rows' deviation, in a drawn direction, which lies across all queries.  A single query is taken as it
 * is.  Numbers and form were chosen on entities taken out of benchmark graphs (bench/new_entities).
 *
 * The queries of a network are no places of entities: nothing places a new one.
 */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "score_function.h"

#define LENGTH 0.4
#define SPREAD 0.7
#define TYPICAL_ROWS 1024		/* of trained entities, at most */

/* ---- a training that goes on ---------------------------------------------------- */

static bool
is_new(const KgeModel *model, const KgeNewEntities *new_entities, int32_t row)
{
	return new_entities->entity == NULL ? row >= model->entities : new_entities->entity[row];
}

static float *
row_of(const KgeModel *model, int32_t row)
{
	return (float *) kge_entity_row(model, row);
}

static int32_t *
neighbours_of(const KgeModel *model, const KgeNewEntities *new_entities, int32_t row)
{
	return &new_entities->neighbours[new_entities->entity == NULL ? row - model->entities : row];
}

static void
gather(const KgeModel *model, KgeNewEntities *new_entities, Triple fact, Side side)
{
	int			width = kge_model_width(model);
	int32_t		entity = triple_answer(&fact, side);
	int32_t		given = triple_given(&fact, side);
	float	   *row = row_of(model, entity);

	if (!is_new(model, new_entities, entity) || is_new(model, new_entities, given) ||
		(new_entities->relation != NULL && new_entities->relation[fact.relation]))
		return;
	kge_make_query(model, kge_query(model, fact, side), new_entities->query);
	if ((*neighbours_of(model, new_entities, entity))++ == 0)
		memset(row, 0, (size_t) width * sizeof(float));
	for (int j = 0; j < width; j++)
		row[j] += new_entities->query[j];
}

void
kge_new_entities_gather(const KgeModel *model, KgeNewEntities *new_entities, const Triple *facts, int64_t count)
{
	for (int64_t i = 0; i < count && !kge_is_network(model); i++)
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
mean_length(Pool *pool, const KgeModel *model, const KgeNewEntities *new_entities)
{
	double		sum = 0;
	int32_t		trained = 0;

	for (int32_t i = 0; i < model->entities; i++)
	{
		pool_yield_at(pool, POOL_LEADER, i);
		if (!is_new(model, new_entities, i))
		{
			sum += length(kge_entity_row(model, i), kge_model_width(model));
			trained++;
		}
	}
	return trained == 0 ? 0 : sum / trained;
}

static void
scale_row(const KgeModel *model, int32_t row, double scale)
{
	float	   *number = row_of(model, row);

	for (int j = 0; j < kge_model_width(model); j++)
		number[j] = (float) (scale * number[j]);
}

/* What turns a sum of queries into a row of that length, or into their mean */
static double
scale_of(const KgeModel *model, int32_t row, int32_t neighbours, double usual)
{
	if (kge_is_distance(model->function))
		return 1.0 / neighbours;
	return usual / fmax(length(kge_entity_row(model, row), kge_model_width(model)), 1e-30);
}

void
kge_new_entities_place(Pool *pool, const KgeModel *model, const KgeNewEntities *new_entities)
{
	double		usual = kge_is_distance(model->function) ? 0 : mean_length(pool, model, new_entities);

	for (int32_t i = 0; i < model->entities; i++)
	{
		pool_yield_at(pool, POOL_LEADER, i);
		if (new_entities->neighbours[i] > 0)
			scale_row(model, i, scale_of(model, i, new_entities->neighbours[i], usual));
	}
}

/* ---- predictions ------------------------------------------------------------------ */

void
kge_typical_row(const KgeModel *model, KgeTypicalRow *typical)
{
	int			width = kge_model_width(model);
	int32_t		rows = model->entities < TYPICAL_ROWS ? model->entities : TYPICAL_ROWS;
	double		squares = 0;
	double		square_of_mean = 0;

	typical->length = 0;
	memset(typical->mean, 0, (size_t) width * sizeof(float));
	for (int32_t i = 0; i < rows; i++)
	{
		const float *row = kge_entity_row(model, (int32_t) ((int64_t) i * model->entities / rows));

		for (int j = 0; j < width; j++)
			typical->mean[j] += row[j] / (float) rows;
		typical->length += length(row, width) / rows;
		squares += pow(length(row, width), 2) / rows;
	}
	square_of_mean = pow(length(typical->mean, width), 2);
	typical->deviation = sqrt(fmax(squares - square_of_mean, 0) / width);
}

/* A draw from the standard normal distribution (Box and Muller 1958) */
static double
draw_normal(uint64_t stream, uint64_t number)
{
	double		radius = sqrt(-2 * log(random_open(random_bits(stream, 2 * number))));

	return radius * cos(2 * acos(-1.0) * random_open(random_bits(stream, 2 * number + 1)));
}

void
kge_new_entity_place(const KgeModel *model, const KgeNewEntities *new_entities, int32_t row,
					 const KgeTypicalRow *typical, uint64_t key)
{
	int32_t		neighbours = *neighbours_of(model, new_entities, row);
	uint64_t	stream = random_stream(0, DRAW_PLACE, key, 0);
	float	   *number = row_of(model, row);

	double		share = LENGTH + (1 - LENGTH) / sqrt(neighbours);
	double		moved = SPREAD * (1 - 1.0 / neighbours) * typical->deviation;

	scale_row(model, row, scale_of(model, row, neighbours, share * typical->length));
	for (int j = 0; j < kge_model_width(model) && kge_is_distance(model->function); j++)
		number[j] += (float) (moved * draw_normal(stream, (uint64_t) j));
}

void
kge_neutral_row(const KgeModel *model, const KgeTypicalRow *typical, float *row)
{
	memcpy(row, typical->mean, (size_t) kge_model_width(model) * sizeof(float));
	if (kge_is_distance(model->function))
		for (int j = 0; j < kge_model_width(model); j++)
			row[j] += (float) (typical->deviation * draw_normal(random_stream(0, DRAW_PLACE, 0, 1), (uint64_t) j));
}
