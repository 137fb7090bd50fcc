/*
 * test_sketch.c
 *		The sketch never says less than a score, where its bound is tight (sketch.h).
 *
 * Relations change nothing, so that a query is the given row.  Either it or all candidates are numbers that codes hold
 * exactly; what the others lose must be in the bound.
 */
#include <math.h>

#include "check.h"
#include "kge/search/sketch.h"

#define ENTITIES 300			/* more than are looked at at once */

/* The numbers of a row: codes over 128, of which one is the largest, so that they are in units of a code; or any. */
static void
fill_row(float *row, int width, bool exact)
{
	for (int j = 0; j < width; j++)
		row[j] = exact ? (float) (j == 0 ? 127 : next_below(255) - 127) / 128 : (float) next_uniform(-1, 1);
}

/* Rows whose distance from 0 the sums of moduli bound most closely: 70 to 29 (sketch_moduli.c) */
static void
fill_moduli(float *row, int half, bool exact, bool given)
{
	for (int j = 0; j < half; j++)
	{
		double		length = exact ? 1.0 / 128 : next_uniform(0.3, 1) / 70;

		row[j] = (float) (given ? next_uniform(-0.02, 0.02) * !exact : 70 * length * (next_below(2) == 0 ? 1 : -1));
		row[half + j] = (float) (given ? next_uniform(-0.02, 0.02) * !exact : 29 * length);
	}
	if (!given && exact)
		row[0] = 127.0f / 128;
}

/* Row 0 is given; relations are 1, or 0 where they are added or turn. */
static KgeModel
tight_model(Variant variant, int d, bool exact_given)
{
	KgeModel	model = random_model(variant, d, ENTITIES, 1, 1);
	int			width = kge_entity_width(model.function, d);
	int			relation_width = kge_relation_width(model.function, d);
	KgeEngine	engine = kge_engine(&model);

	for (int i = 0; i < ENTITIES; i++)
	{
		bool		exact = (i == 0) == exact_given;

		if (engine.similarity == KGE_MODULI)
			fill_moduli(model.entity + i * width, engine.half, exact, i == 0);
		else
			fill_row(model.entity + i * width, width, exact);
	}
	for (int row = 0; row < kge_relation_rows(&model); row++)
		for (int j = 0; j < relation_width; j++)
			model.relation[row * relation_width + j] = engine.similarity != KGE_DOT ? 0 :
				relation_width == d * d ? j % (d + 1) == 0 : j < d;
	return model;
}

/* Whether what the sketch says of each row is no less than its score, and not much more */
static void
compare(const KgeModel *model, const KgeSketchQuery *query, const char *what)
{
	int			d = model->dimensions;
	float	   *row = take(sizeof(float) * (size_t) (2 * d + 64));
	float	   *most = take(sizeof(float) * ENTITIES);
	int			low = 0;
	int			high = 0;

	for (int from = 0; from < ENTITIES; from += KGE_LOOKED_AT)
		kge_sketch_look(query, from, from + KGE_LOOKED_AT < ENTITIES ? from + KGE_LOOKED_AT : ENTITIES, row, most);
	for (int i = 1; i < ENTITIES; i++)
	{
		double		score = kge_score(model, kge_asked(model, (Triple) {0, 0, i}, SIDE_TAIL));

		low += !((double) most[i] >= score);
		high += (double) most[i] > score + 0.25 * (4 + fabs(score));
	}
	CHECK_SAYING(low == 0 && high == 0, "%s norm %d, d %d, %s: %d are too low, %d too high", model->function->name, model->norm, d,
				 what, low, high);
}

static void
test_variant(Variant variant, int d, bool exact_given)
{
	KgeModel	model = tight_model(variant, d, exact_given);
	Pool	   *pool = pool_create(1, NULL, NULL);
	const KgeSketch *sketch = kge_sketch(&arena, pool, &model);
	float	   *query = take(sizeof(float) * (size_t) (2 * d + 64));
	KgeSketchQuery asked;

	kge_make_query(&model, kge_query(&model, kge_asked(&model, (Triple) {0, 0, 1}, SIDE_TAIL), SIDE_TAIL), query);
	asked = kge_sketch_query(sketch, query, take(kge_sketch_query_bytes(&model)));
	compare(&model, &asked, exact_given ? "exact query" : "exact rows");
	if (asked.codes.code != NULL)
	{
		asked.codes.code = NULL;
		compare(&model, &asked, exact_given ? "exact query, by floats" : "exact rows, by floats");
	}
	pool_destroy(pool);
}

void
test_sketch(void)
{
	for (int i = 0; i < variant_count; i++)
		for (int exact_given = 0; exact_given < 2; exact_given++)
		{
			test_variant(variants[i], 20, exact_given);
			test_variant(variants[i], 65, exact_given);
			test_variant(variants[i], 200, exact_given);
		}
}
