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
	KgeModel	model = {kge_score_function("transe"), 2, 1, 9.0, 4, 1, entity, relation, false, 0, NULL, NULL};
	Triple		facts[] = {{0, 0, 2}, {1, 0, 2}, {3, 0, 1}, {2, 0, 3}, {2, 0, 2}, {0, 0, 1}};
	KgeNewEntities new_entities = nobody(&model);

	new_entities.entity[2] = new_entities.entity[3] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 4);
	kge_new_entities_gather(&model, &new_entities, facts + 4, 2);
	kge_new_entities_place(pool, &model, &new_entities);
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
	KgeModel	model = {kge_score_function("distmult"), 2, 1, 9.0, 3, 1, entity, relation, false, 0, NULL, NULL};
	Triple		facts[] = {{0, 0, 2}, {2, 0, 1}};
	KgeNewEntities new_entities = nobody(&model);

	new_entities.entity[2] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 2);
	kge_new_entities_place(pool, &model, &new_entities);
	/* (3, 8) + (9, 24) = 4 (3, 8), of length 10 */
	CHECK(fabs(entity[4] - 10 * 3 / sqrt(73)) < 1e-5);
	CHECK(fabs(entity[5] - 10 * 8 / sqrt(73)) < 1e-5);
}

static double
vector_length(int width, const float *row)
{
	double		sum = 0;

	for (int j = 0; j < width; j++)
		sum += pow(row[j], 2);
	return sqrt(sum);
}

static double
row_length(const KgeModel *model, int32_t row)
{
	return vector_length(kge_model_width(model), kge_entity_row(model, row));
}

/* With one neighbour a newcomer is what answers its question best: no row of its length scores higher. */
static void
test_one_neighbour(Variant variant, Side side)
{
	KgeModel	model = random_model(variant, D, ENTITIES, RELATIONS, 1.0);
	KgeNewEntities new_entities = nobody(&model);
	Triple		fact = side == SIDE_TAIL ? (Triple) {4, 1, 7} : (Triple) {7, 1, 4};
	int			width = kge_model_width(&model);
	float	   *row = model.entity + 7 * width;
	Triple		asked;
	double		length;
	double		score;

	new_entities.entity[7] = true;
	kge_new_entities_gather(&model, &new_entities, &fact, 1);
	kge_new_entities_place(pool, &model, &new_entities);
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
	Triple		facts[] = {{0, 2, 7}, {8, 1, 7}, {7, 0, 8}};
	KgeNewEntities new_entities = nobody(&model);
	size_t		bytes = (size_t) (ENTITIES * kge_model_width(&model)) * sizeof(float);
	float	   *before = memcpy(take(bytes), model.entity, bytes);

	new_entities.entity[7] = new_entities.entity[8] = true;
	new_entities.relation[2] = true;
	kge_new_entities_gather(&model, &new_entities, facts, 3);
	kge_new_entities_place(pool, &model, &new_entities);
	CHECK_SAYING(memcmp(before, model.entity, bytes) == 0, "%s", variant.name);
}

/* ---- beside a model that stays as it is ------------------------------------------ */

#define ADDED 3

/* With rows of their own, which are zero */
static KgeModel
with_added(KgeModel model)
{
	size_t		width = (size_t) kge_model_width(&model);

	model.added = ADDED;
	model.added_row = take(ADDED * sizeof(float *));
	for (int i = 0; i < ADDED; i++)
		model.added_row[i] = memset(take(width * sizeof(float)), 0, width * sizeof(float));
	return model;
}

static KgeNewEntities
added_entities(const KgeModel *model)
{
	KgeNewEntities new_entities = {0};

	new_entities.neighbours = memset(take(ADDED * sizeof(int32_t)), 0, ADDED * sizeof(int32_t));
	new_entities.query = take((size_t) kge_model_width(model) * sizeof(float));
	return new_entities;
}

static KgeTypicalRow
typical_of(const KgeModel *model)
{
	KgeTypicalRow typical = {.mean = take((size_t) kge_model_width(model) * sizeof(float))};

	kge_typical_row(model, &typical);
	return typical;
}

static void
test_typical_by_hand(void)
{
	float		entity[] = {3, 4, 9, 12, 0, 5, 8, 6};
	float		relation[] = {1, 2};
	KgeModel	model = {kge_score_function("distmult"), 2, 1, 9.0, 4, 1, entity, relation, false, 0, NULL, NULL};
	KgeTypicalRow typical = typical_of(&model);

	/* lengths 5, 15, 5, 10; squared 25, 225, 25, 100; mean row (5, 6.75) */
	CHECK(typical.mean[0] == 5 && typical.mean[1] == 6.75);
	CHECK(fabs(typical.length - 35.0 / 4) < 1e-12);
	CHECK(fabs(typical.deviation - sqrt((375.0 / 4 - 25 - 6.75 * 6.75) / 2)) < 1e-12);
}

/*
 * One fact: the added entity points where its only query does, at the usual length, or lies at the query itself.
 * A fact of two added entities places none of them.
 */
static void
test_added_by_one(Variant variant)
{
	KgeModel	model = with_added(random_model(variant, D, ENTITIES, RELATIONS, 1.0));
	KgeNewEntities new_entities = added_entities(&model);
	KgeTypicalRow typical = typical_of(&model);
	Triple		facts[] = {{4, 1, ENTITIES + 1}, {ENTITIES, 1, ENTITIES + 2}};
	int			width = kge_model_width(&model);
	float	   *query = take((size_t) width * sizeof(float));
	double		length;
	double		scale;

	kge_new_entities_gather(&model, &new_entities, facts, 2);
	CHECK(new_entities.neighbours[0] == 0 && new_entities.neighbours[1] == 1 && new_entities.neighbours[2] == 0);
	kge_new_entity_place(&model, &new_entities, ENTITIES + 1, &typical, 7);
	kge_make_query(&model, kge_query(&model, facts[0], SIDE_TAIL), query);
	length = row_length(&model, ENTITIES + 1);
	scale = kge_is_distance(model.function) ? 1 : length / vector_length(width, query);
	for (int j = 0; j < width; j++)
		CHECK_SAYING(fabs(kge_entity_row(&model, ENTITIES + 1)[j] - scale * query[j]) < 1e-5, "%s", variant.name);
	if (!kge_is_distance(model.function))
		CHECK_SAYING(fabs(length - typical.length) < 1e-5, "%s: length %g", variant.name, length);
}

/*
 * With more facts a direction is shorter, between the bounds, and a place is off the mean; the same key, the same bits.
 */
static void
test_added_by_many(Variant variant)
{
	KgeModel	model = with_added(random_model(variant, D, ENTITIES, RELATIONS, 1.0));
	KgeNewEntities new_entities = added_entities(&model);
	KgeTypicalRow typical = typical_of(&model);
	int			width = kge_model_width(&model);
	size_t		bytes = (size_t) width * sizeof(float);

	for (int32_t i = 0; i < 4; i++)
		for (int32_t e = 0; e < ADDED; e++)
			kge_new_entities_gather(&model, &new_entities, &(Triple) {i, 0, ENTITIES + e}, 1);
	for (int32_t e = 0; e < ADDED; e++)
		kge_new_entity_place(&model, &new_entities, ENTITIES + e, &typical, e == 2 ? 2 : 1);
	CHECK(memcmp(model.added_row[0], model.added_row[1], bytes) == 0);
	if (kge_is_distance(model.function))
		CHECK(memcmp(model.added_row[0], model.added_row[2], bytes) != 0);
	else
		/* 4 queries: 0.4 + (1 - 0.4) / 2 */
		CHECK_SAYING(fabs(row_length(&model, ENTITIES) - 0.7 * typical.length) < 1e-5, "%s", variant.name);
}

/* A model whose last rows are added scores as one that has them all. */
static void
test_added_scores(Variant variant)
{
	KgeModel	all = random_model(variant, D, ENTITIES, RELATIONS, 1.0);
	KgeModel	model = with_added(all);
	size_t		width = (size_t) kge_model_width(&all);

	model.entities = ENTITIES - ADDED;
	for (int i = 0; i < ADDED; i++)
		memcpy(model.added_row[i], all.entity + (size_t) (model.entities + i) * width, width * sizeof(float));
	for (int trial = 0; trial < 50; trial++)
	{
		Triple		triple = random_triple(&all);

		CHECK_SAYING(kge_score(&model, triple) == kge_score(&all, triple), "%s", variant.name);
		CHECK(kge_cosine(&model, triple.head, triple.tail) == kge_cosine(&all, triple.head, triple.tail));
	}
}

void
test_new_entities(void)
{
	test_typical_by_hand();
	test_by_hand();
	test_direction_by_hand();
	for (int i = 0; i < variant_count; i++)
	{
		test_one_neighbour(variants[i], SIDE_TAIL);
		test_one_neighbour(variants[i], SIDE_HEAD);
		test_strangers(variants[i]);
		test_added_by_one(variants[i]);
		test_added_by_many(variants[i]);
		test_added_scores(variants[i]);
	}
}
