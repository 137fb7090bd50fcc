/*
 * test_gradient.c
 *		Gradients against finite differences of kge_score in double precision.
 *
 * A block of queries is scored against a block of candidates under the logistic loss; the
 * sum of all its losses, by definition, is the function that is differentiated.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/loss/loss.h"
#include "kge/score/engine.h"

#define QUERIES		6
#define CANDIDATES	7
#define ENTITIES	9
#define RELATIONS	2

typedef struct Case
{
	KgeModel	model;
	Side		side;
	int			label;
	bool		rough;			/* of the engine */
	Triple		triple[QUERIES];
	int32_t		candidate[CANDIDATES];
} Case;

static Triple
pair(const Case *test, int query, int candidate)
{
	Triple		triple = test->triple[query];

	*(test->side == SIDE_TAIL ? &triple.tail : &triple.head) = test->candidate[candidate];
	return triple;
}

/* The sum of the losses, from the definition. */
static double
total_loss(const Case *test)
{
	double		sum = 0;

	for (int i = 0; i < QUERIES; i++)
		for (int k = 0; k < CANDIDATES; k++)
		{
			double		score = kge_score(&test->model, kge_asked(&test->model, pair(test, i, k), test->side));

			sum += log1p(exp(test->label == 1 ? -score : score));
		}
	return sum;
}

/* Adds rows of a matrix to the rows they belong to. */
static void
add_rows(int width, const float *from, float *to)
{
	for (int j = 0; j < width; j++)
		to[j] += from[j];
}

/* The same by the engine; as blocks, or pair by pair. */
static void
fast_gradients(const Case *test, bool pairs, float *d_entity, float *d_relation)
{
	const KgeModel *model = &test->model;
	KgeEngine	engine = kge_engine(model);
	int			width = engine.width;
	int			relation_width = kge_relation_width(model->function, model->dimensions);
	float	   *query = take(sizeof(float) * (size_t) (QUERIES * width));
	float	   *d_query = take(sizeof(float) * (size_t) (QUERIES * width));
	float	   *candidate = take(sizeof(float) * (size_t) (CANDIDATES * width));
	float	   *d_candidate = take(sizeof(float) * (size_t) (CANDIDATES * width));
	float	   *scratch;
	float		score[CANDIDATES * QUERIES],
				g[CANDIDATES * QUERIES];
	float		weight[QUERIES] = {1, 1, 1, 1, 1, 1};
	float		loss[QUERIES] = {0};
	KgeRows		q = {QUERIES, width, query};
	KgeRows		c = {CANDIDATES, width, candidate};

	engine.rough = test->rough;
	scratch = take(sizeof(float) * (kge_engine_scratch(&engine, QUERIES) + 1));
	memset(d_query, 0, sizeof(float) * (size_t) (QUERIES * width));
	memset(d_candidate, 0, sizeof(float) * (size_t) (CANDIDATES * width));
	for (int i = 0; i < QUERIES; i++)
		kge_make_query(model, kge_query(model, test->triple[i], test->side), query + i * width);
	for (int k = 0; k < CANDIDATES; k++)
		memcpy(candidate + k * width, kge_entity_row(model, test->candidate[k]),
			   sizeof(float) * (size_t) width);

	kge_engine_prepare(&engine, q, scratch);
	kge_engine_scores(&engine, q, scratch, c, score, QUERIES);
	kge_logistic_loss(CANDIDATES, QUERIES, test->label, score, QUERIES, weight, 0, g, loss);
	if (!pairs)
		kge_engine_gradients(&engine, q, c, score, g, QUERIES, d_query, d_candidate, false);
	for (int n = 0; pairs && n < CANDIDATES * QUERIES; n++)
		kge_engine_gradient(&engine, query + n % QUERIES * width,
							candidate + n / QUERIES * width, score[n], g[n],
							d_query + n % QUERIES * width, d_candidate + n / QUERIES * width);

	for (int k = 0; k < CANDIDATES; k++)
		add_rows(width, d_candidate + k * width, d_entity + test->candidate[k] * width);
	for (int i = 0; i < QUERIES; i++)
	{
		KgeQuery	asked = kge_query(model, test->triple[i], test->side);

		kge_given_gradient(model, asked, d_query + i * width, d_entity + asked.given * width);
		kge_relation_gradient(model, asked, d_query + i * width,
							  d_relation + asked.relation * relation_width);
	}
}

/*
 * Central differences: error of the order of step^2, far below 1e-3 of the
 * derivative, or of the mean derivative where that one is nearly 0.
 */
static void
compare(const Case *test, const char *what, float *parameter, const float *gradient, int count)
{
	double		size = 0;
	double		worst = 0;

	for (int i = 0; i < count; i++)
		size += fabs(gradient[i]) / count;
	for (int i = 0; i < count; i++)
	{
		float		saved = parameter[i];
		float		above = saved + 1e-4f;
		float		below = saved - 1e-4f;
		double		difference;

		parameter[i] = above;
		difference = total_loss(test);
		parameter[i] = below;
		difference = (difference - total_loss(test)) / ((double) above - below);
		parameter[i] = saved;
		worst = worse(worst, fabs(gradient[i] - difference) / fmax(fabs(difference), size));
	}
	CHECK_SAYING(worst < 1e-3, "%s norm %d, side %d, label %d, %s: relative error %g",
				 test->model.function->name, test->model.norm, test->side, test->label,
				 what, worst);
}

static void
test_case(Variant variant, int d, Side side, int label, bool pairs, bool rough)
{
	Case		test = {.model = random_model(variant, d, ENTITIES, RELATIONS, 1.0),
	.side = side,.label = label,.rough = rough};
	int			entity = ENTITIES * kge_entity_width(test.model.function, d);
	int			relation = kge_relation_rows(&test.model) * kge_relation_width(test.model.function, d);
	float	   *d_entity = take(sizeof(float) * (size_t) entity);
	float	   *d_relation = take(sizeof(float) * (size_t) relation);

	memset(d_entity, 0, sizeof(float) * (size_t) entity);
	memset(d_relation, 0, sizeof(float) * (size_t) relation);

	/*
	 * An L1 distance has corners: entities in 1/64, relations in odd 1/128 keep
	 * every difference away from 0.
	 */
	for (int i = 0; i < entity; i++)
		test.model.entity[i] = roundf(64 * test.model.entity[i]) / 64;
	for (int i = 0; i < relation; i++)
		test.model.relation[i] = roundf(64 * test.model.relation[i]) / 64 + 1.0f / 128;

	/* entities 7 and 8 are only candidates, 0 is on both sides */
	for (int i = 0; i < QUERIES; i++)
		test.triple[i] = (Triple) {i % 3, i % RELATIONS, i % 3};
	for (int k = 0; k < CANDIDATES; k++)
		test.candidate[k] = k < 2 ? 0 : k + 2;
	fast_gradients(&test, pairs, d_entity, d_relation);
	compare(&test, "entities", test.model.entity, d_entity, entity);
	compare(&test, "relations", test.model.relation, d_relation, relation);
}

/*
 * Where query and candidate are the same the distance has no derivative; the
 * engine's is finite (and no longer than elsewhere), whatever else is 0.
 */
static void
test_no_distance(Variant variant, int d, float entities)
{
	Case		test = {.model = random_model(variant, d, ENTITIES, RELATIONS, 0.0),
	.side = SIDE_TAIL,.label = 0};
	int			entity = ENTITIES * kge_entity_width(test.model.function, d);
	int			relation = kge_relation_rows(&test.model) * kge_relation_width(test.model.function, d);
	float	   *d_entity = take(sizeof(float) * (size_t) entity);
	float	   *d_relation = take(sizeof(float) * (size_t) relation);
	double		largest = 0;

	for (int i = 0; i < entity; i++)
		test.model.entity[i] = entities;
	for (int n = 0; n < 4; n++)
	{
		test.rough = n & 2;
		memset(d_entity, 0, sizeof(float) * (size_t) entity);
		memset(d_relation, 0, sizeof(float) * (size_t) relation);
		fast_gradients(&test, n & 1, d_entity, d_relation);
		for (int i = 0; i < entity; i++)
			largest = worse(largest, fabs(d_entity[i]));
		for (int i = 0; i < relation; i++)
			largest = worse(largest, fabs(d_relation[i]));
	}

	/* 42 pairs, a derivative of at most 1 each */
	CHECK_SAYING(largest <= 42, "%s norm %d: %g", variant.name, variant.norm, largest);
}

void
test_gradient(void)
{
	for (int i = 0; i < variant_count; i++)
		for (int n = 1; n < 40; n += 3)
		{
			test_no_distance(variants[i], n, 0);
			test_no_distance(variants[i], n, 0.3f);
		}
	for (int i = 0; i < variant_count; i++)
		for (int n = 0; n < (variants[i].norm == 2 ? 32 : 16); n++)
			test_case(variants[i], n & 8 ? 19 : 5, n & 1 ? SIDE_TAIL : SIDE_HEAD,
					  n >> 1 & 1, n & 4, n & 16);
}
