/*
 * test_new_entities.c
 *		Rows of new entities: by hand, and by what a place among neighbours means.
 */
#include <math.h>
#include <string.h>

#include "check.h"

#define ENTITIES 12
#define RELATIONS 3
#define D 5

static KgeNewEntities
nobody(const KgeModel *model)
{
	KgeNewEntities new_entities;
	size_t		entities = (size_t) model->entities;
	size_t		relations = (size_t) model->relations;

	new_entities.entity = memset(take(entities * sizeof(bool)), 0, entities * sizeof(bool));
	new_entities.relation = memset(take(relations * sizeof(bool)), 0, relations * sizeof(bool));
	new_entities.neighbours = memset(take(entities * sizeof(int32_t)), 0, entities * sizeof(int32_t));
	new_entities.query = take((size_t) kge_entity_width(model->function, model->dimensions) * sizeof(float));
	return new_entities;
}

/* Facts 0-r-2 and 3-r-1 and back, entity 2 and 3 new: worked out on paper. */
static void
test_by_hand(void)
{
	float		entity[] = {1, 2, 3, 4, 9, 9, 9, 9};
	float		relation[] = {10, 20};
	KgeModel	model = {kge_score_function("transe"), 2, 1, 9.0, 4, 1, entity, relation, false};
	Triple	facts[] = {{0, 0, 2}, {1, 0, 2}, {3, 0, 1}, {2, 0, 3}, {2, 0, 2}, {0, 0, 1}};
	KgeNewEntities new_entities = nobody(&model);

	new_entities.entity[2] = new_entities.entity[3] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 4);
	kge_new_entities_gather(&model, &new_entities, facts + 4, 2);
	kge_new_entities_place(&model, &new_entities);
	/* mean of (1, 2) + r and (3, 4) + r; (3, 4) - r */
	CHECK(new_entities.neighbours[2] == 2 && entity[4] == 12 && entity[5] == 23);
	CHECK(new_entities.neighbours[3] == 1 && entity[6] == -7 && entity[7] == -16);
	CHECK(entity[0] == 1 && entity[1] == 2 && entity[2] == 3 && entity[3] == 4);
}

/* h o r = (3, 8) twice and its like from elsewhere add up; lengths of the known are 5 and 15. */
static void
test_direction_by_hand(void)
{
	float		entity[] = {3, 4, 9, 12, 7, 7};
	float		relation[] = {1, 2};
	KgeModel	model = {kge_score_function("distmult"), 2, 1, 9.0, 3, 1, entity, relation, false};
	Triple	facts[] = {{0, 0, 2}, {2, 0, 1}};
	KgeNewEntities new_entities = nobody(&model);

	new_entities.entity[2] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 2);
	kge_new_entities_place(&model, &new_entities);
	/* (3, 8) + (9, 24) = 4 (3, 8), of length 10 */
	CHECK(fabs(entity[4] - 10 * 3 / sqrt(73)) < 1e-5);
	CHECK(fabs(entity[5] - 10 * 8 / sqrt(73)) < 1e-5);
}

static double
row_length(const KgeModel *model, int32_t row)
{
	int			width = kge_model_width(model);
	double		sum = 0;

	for (int j = 0; j < width; j++)
		sum += pow(kge_entity_row(model, row)[j], 2);
	return sqrt(sum);
}

/* With one neighbour a newcomer is what answers its question best: no row of its length scores higher. */
static void
test_one_neighbour(Variant variant, Side side)
{
	KgeModel	model = random_model(variant, D, ENTITIES, RELATIONS, 1.0);
	KgeNewEntities new_entities = nobody(&model);
	Triple	fact = side == SIDE_TAIL ? (Triple) {4, 1, 7} : (Triple) {7, 1, 4};
	int			width = kge_model_width(&model);
	float	   *row = model.entity + 7 * width;
	Triple	asked;
	double		length;
	double		score;

	new_entities.entity[7] = true;
	kge_new_entities_gather(&model, &new_entities, &fact, 1);
	kge_new_entities_place(&model, &new_entities);
	length = row_length(&model, 7);
	asked = kge_asked(&model, fact, side);
	score = kge_score(&model, asked);
	if (kge_is_distance(model.function))
		CHECK_SAYING(fabs(score - model.gamma) < 1e-5, "%s: score %g", variant.name, score);
	else
	{
		double		mean = 0;

		for (int i = 0; i < ENTITIES; i++)
			mean += i == 7 ? 0 : row_length(&model, i) / (ENTITIES - 1);
		CHECK_SAYING(fabs(length - mean) < 1e-5, "%s: length %g, mean %g", variant.name, length, mean);
	}
	for (int trial = 0; trial < 100; trial++)
	{
		double		scale;

		for (int j = 0; j < width; j++)
			row[j] = (float) next_uniform(-1, 1);
		scale = length / row_length(&model, 7);
		for (int j = 0; j < width; j++)
			row[j] = (float) (scale * row[j]);
		CHECK(kge_score(&model, asked) <= score + 1e-5);
	}
}

/* Nobody known, or by a new relation alone: the row stays. */
static void
test_strangers(Variant variant)
{
	KgeModel	model = random_model(variant, D, ENTITIES, RELATIONS, 1.0);
	Triple	facts[] = {{0, 2, 7}, {8, 1, 7}, {7, 0, 8}};
	KgeNewEntities new_entities = nobody(&model);
	size_t		bytes = (size_t) (ENTITIES * kge_model_width(&model)) * sizeof(float);
	float	   *before = memcpy(take(bytes), model.entity, bytes);

	new_entities.entity[7] = new_entities.entity[8] = true;
	new_entities.relation[2] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 3);
	kge_new_entities_place(&model, &new_entities);
	CHECK_SAYING(memcmp(before, model.entity, bytes) == 0, "%s", variant.name);
}

void
test_new_entities(void)
{
	test_by_hand();
	test_direction_by_hand();
	for (int i = 0; i < variant_count; i++)
	{
		test_one_neighbour(variants[i], SIDE_TAIL);
		test_one_neighbour(variants[i], SIDE_HEAD);
		test_strangers(variants[i]);
	}
}
