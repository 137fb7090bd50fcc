/*
 * test_conve.c
 *		ConvE against its definition in double precision: queries, a minibatch's queries and their gradients by finite
 *		differences; and training by the loss of all entities.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "core/vector.h"
#include "kge/learning.h"
#include "kge/rank.h"
#include "kge/score/conve.h"
#include "kge/score/engine.h"

#define ENTITIES	11
#define RELATIONS	2
#define QUERIES		9

static const Variant conve = {"conve", 1, true};

/* Random weights; no scale or variance is below 0.3. */
static KgeModel
random_network(int d)
{
	KgeModel	model = random_model(conve, d, ENTITIES, RELATIONS, 0.7);
	ConveWeights weights = conve_weights(conve_shape(d), conve_rows(&model));
	ConveNorm	norm[] = {weights.input, weights.map, weights.hidden};
	int			count[] = {1, CONVE_FILTERS, d};

	for (int stage = 0; stage < 3; stage++)
		for (int i = 0; i < count[stage]; i++)
		{
			norm[stage].scale[i] = (float) next_uniform(0.3, 1.5);
			norm[stage].variance[i] = (float) next_uniform(0.3, 1.5);
		}
	return model;
}

/* ---- the definition ---------------------------------------------------------------- */

/* Of a minibatch of the model's queries: masks, or NULL where the kept means and variances normalise. */
typedef struct Definition
{
	KgeModel	model;			/* of which `number` has the rows in double precision */
	double	   *number[2];		/* entities, relations with weights */
	const KgeQuery *asked;
	int			count;
	const float *mask[3];
} Definition;

static double *
doubled(const float *from, size_t count)
{
	double	   *to = take(count * sizeof(double));

	for (size_t i = 0; i < count; i++)
		to[i] = from[i];
	return to;
}

/* Where one of the weights is among the doubles */
static double
weight_at(const Definition *test, const float *weight)
{
	return test->number[1][weight - test->model.relation];
}

/* Normalises n numbers, x[i * step]: by their own mean and variance, or by those that are kept as number `place`. */
static void
normalise(const Definition *test, double *x, int n, int step, ConveNorm norm, int place)
{
	double		mean = 0;
	double		variance = 0;

	for (int i = 0; i < n; i++)
		mean += x[i * step] / n;
	for (int i = 0; i < n; i++)
		variance += pow(x[i * step] - mean, 2) / n;
	if (test->mask[0] == NULL)
	{
		mean = weight_at(test, &norm.mean[place]);
		variance = weight_at(test, &norm.variance[place]);
	}
	for (int i = 0; i < n; i++)
		x[i * step] = weight_at(test, &norm.scale[place]) * (x[i * step] - mean) / sqrt(variance + 1e-5) +
			weight_at(test, &norm.shift[place]);
}

static double
mask_at(const Definition *test, int stage, int i)
{
	return test->mask[0] == NULL ? 1 : test->mask[stage][i];
}

/* The queries, count x d: Dettmers et al. 2018, sections 4 and 5, loop by loop. */
static double *
define(const Definition *test)
{
	int			d = test->model.dimensions;
	ConveShape	shape = conve_shape(d);
	ConveWeights weights = conve_weights(shape, conve_rows(&test->model));
	int			height = 2 * d / shape.width;
	double	   *image = take(sizeof(double) * (size_t) (test->count * 2 * d));
	double	   *feature = take(sizeof(double) * (size_t) (test->count * shape.features));
	double	   *hidden = take(sizeof(double) * (size_t) (test->count * d));

	for (int i = 0; i < test->count; i++)
		for (int j = 0; j < d; j++)
		{
			image[i * 2 * d + j] = test->number[0][test->asked[i].given * (d + 1) + j];
			image[i * 2 * d + d + j] = test->number[1][test->asked[i].relation * d + j];
		}
	normalise(test, image, test->count * 2 * d, 1, weights.input, 0);
	for (int i = 0; i < test->count * 2 * d; i++)
		image[i] *= mask_at(test, 0, i);
	for (int i = 0; i < test->count; i++)
		for (int y = 0; y + 3 <= height; y++)
			for (int x = 0; x + 3 <= shape.width; x++)
				for (int f = 0; f < 32; f++)
				{
					double		sum = 0;

					for (int k = 0; k < 9; k++)
						sum += weight_at(test, &weights.filter[k * 32 + f]) *
							image[i * 2 * d + (y + k / 3) * shape.width + x + k % 3];
					feature[i * shape.features + (y * (shape.width - 2) + x) * 32 + f] = sum;
				}
	for (int f = 0; f < 32; f++)
		normalise(test, feature + f, test->count * shape.features / 32, 32, weights.map, f);
	for (int i = 0; i < test->count * shape.features; i++)
		feature[i] = fmax(feature[i], 0) * mask_at(test, 1, i / shape.features * 32 + i % 32);
	for (int i = 0; i < test->count; i++)
		for (int j = 0; j < d; j++)
		{
			double		sum = 0;

			for (int k = 0; k < shape.features; k++)
				sum += feature[i * shape.features + k] * weight_at(test, &weights.matrix[k * d + j]);
			hidden[i * d + j] = sum * mask_at(test, 2, i * d + j);
		}
	for (int j = 0; j < d; j++)
		normalise(test, hidden + j, test->count, d, weights.hidden, j);
	for (int i = 0; i < test->count * d; i++)
		hidden[i] = fmax(hidden[i], 0);
	return hidden;
}

static Definition
definition(const KgeModel *model, const KgeQuery *asked, int count)
{
	return (Definition) {
		.model = *model,.asked = asked,.count = count,
		.number = {doubled(model->entity, kge_entity_count(model)), doubled(model->relation, kge_relation_count(model))}
	};
}

static void
draw_queries(KgeQuery *asked, int count)
{
	for (int i = 0; i < count; i++)
		asked[i] = (KgeQuery) {SIDE_TAIL, next_below(2 * RELATIONS), i < 2 ? 0 : next_below(ENTITIES)};
}

/* ---- predictions --------------------------------------------------------------------- */

static void
test_queries(int d, int count)
{
	KgeModel	model = random_network(d);
	KgeQuery   *asked = take(sizeof(KgeQuery) * (size_t) count);
	Definition	test = definition(&model, asked, count);
	int			stride = d + 4;
	float	   *query = take(sizeof(float) * (size_t) (count * stride));
	float	   *alone = take(sizeof(float) * (size_t) (d + 1));
	const double *expected;
	double		worst = 0;
	int			others = 0;

	draw_queries(asked, count);
	expected = define(&test);
	kge_make_queries(&model, asked, count, query, stride);
	for (int i = 0; i < count; i++)
	{
		KgeQuery	one = asked[i];

		kge_make_query(&model, one, alone);
		others += memcmp(alone, query + i * stride, sizeof(float) * (size_t) (d + 1)) != 0;
		for (int j = 0; j < d; j++)
			worst = worse(worst, fabs(query[i * stride + j] - expected[i * d + j]));
		CHECK(alone[d] == 1);
		for (int32_t t = 0; t < ENTITIES && one.relation < RELATIONS; t++)
			CHECK(kge_score(&model, (Triple) {one.given, one.relation, t}) ==
				  kge_query_score(&model, alone, kge_entity_row(&model, t)));
	}
	CHECK_SAYING(worst < 1e-3, "d %d: off by %g", d, worst);
	CHECK_SAYING(others == 0, "d %d: %d queries of other bits among others", d, others);
}

/* A head is asked for as the tail of the inverse relation; exact scores of triples in any order are those one by one. */
static void
test_scores(void)
{
	KgeModel	model = random_network(12);
	Triple		triple = {3, 1, 5};
	KgeQuery	asked = kge_query(&model, triple, SIDE_HEAD);
	KgeExactScore exact = {&model, -1, take(sizeof(double) * kge_exact_numbers(&model)), -1, false};

	CHECK(asked.side == SIDE_TAIL && asked.given == 5 && asked.relation == RELATIONS + 1);
	for (int i = 0; i < 50; i++)
	{
		Triple		one = random_triple(&model);
		Side		side = i % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;

		CHECK(kge_exact_score(&exact, one, side) == kge_score(&model, kge_asked(&model, one, side)));
	}
}

/* Lists of triples: each query is made once while it stays the same, some of them at a time. */
static void
test_listed(void)
{
	KgeModel	model = random_network(12);
	Triple		triple[700];
	float		score[700];
	double		worst = 0;

	for (int i = 0; i < 700; i++)
	{
		triple[i] = random_triple(&model);
		if (i > 0 && i % 3 != 0)
			triple[i] = (Triple) {triple[i - 1].head, triple[i - 1].relation, triple[i].tail};
	}
	CHECK(kge_score_triples(&arena, pool, &model, triple, 700, score));
	for (int i = 0; i < 700; i++)
		worst = worse(worst, fabs(score[i] - kge_score(&model, triple[i])));
	CHECK_SAYING(worst < 1e-4, "off by %g", worst);
}

static void
test_shapes(void)
{
	const KgeScoreFunction *function = kge_score_function("conve");

	CHECK(conve_shape(200).width == 20 && conve_shape(200).places == 18 * 18 && conve_shape(200).features == 10368);
	CHECK(conve_shape(100).width == 10 && conve_shape(6).width == 3 && conve_shape(6).places == 2);
	CHECK(kge_fits(function, 6) && kge_fits(function, 200) && kge_fits(function, 500));
	CHECK(!kge_fits(function, 1) && !kge_fits(function, 4) && !kge_fits(function, 7) && !kge_fits(function, 502));
	CHECK(kge_has_network(function) && !kge_has_network(kge_score_function("rescal")));
	CHECK(kge_entity_width(function, 200) == 201 && kge_relation_width(function, 200) == 200);
}

/* Ranks are those of the definition: all scores compared. */
static void
test_ranks(void)
{
	KgeModel	model = random_network(12);
	Triple		triple[8];
	int32_t		head[8];
	int32_t		tail[8];

	for (int i = 0; i < 8; i++)
		triple[i] = random_triple(&model);
	CHECK(kge_rank(&arena, pool, &model, NULL, (KgeTriples) {triple, 8}, (KgeTriples) {NULL, 0}, 1, (KgeRanks) {head, tail}));
	for (int i = 0; i < 8; i++)
		for (int side = 0; side < 2; side++)
		{
			double		own = kge_score(&model, kge_asked(&model, triple[i], (Side) side));
			int			rank = 1;

			for (int32_t e = 0; e < ENTITIES; e++)
			{
				Triple		other = triple[i];

				*(side == SIDE_TAIL ? &other.tail : &other.head) = e;
				rank += kge_score(&model, kge_asked(&model, other, (Side) side)) > own;
			}
			CHECK_SAYING((side == SIDE_TAIL ? tail : head)[i] == rank, "side %d: %d, not %d", side,
						 (side == SIDE_TAIL ? tail : head)[i], rank);
		}
}

/* ---- a minibatch ------------------------------------------------------------------------ */

/* The draws of conve_batch.c, in the order of the definition; columns of places are `stride` apart */
static float *
draw_mask(uint64_t stream, int kind, double dropout, int rows, int queries, int stride, bool across)
{
	float	   *mask = take(sizeof(float) * (size_t) (rows * queries));

	for (int q = 0; q < queries; q++)
		for (int i = 0; i < rows; i++)
		{
			uint64_t	number = (uint64_t) (across ? q * rows + i : i * stride + q);

			mask[q * rows + i] = random_open(random_bits(random_stream(stream, DRAW_DROPOUT, (uint64_t) kind, 0), number)) < dropout ?
				0 : (float) (1 / (1 - dropout));
		}
	return mask;
}

static double
weighted_sum(const Definition *test, const double *weight)
{
	double	   *query = define(test);
	double		sum = 0;

	for (int i = 0; i < test->count * test->model.dimensions; i++)
		sum += weight[i] * query[i];
	return sum;
}

/* Central differences by all numbers, or by some hundred of them, against gradients relative to the largest of the kind */
static void
compare(Definition *test, const char *what, double *number, size_t count, const double *gradient, const double *weight)
{
	double		largest = 0;
	double		worst = 0;
	size_t		last = 550;		/* numbers, which are all but the matrix's */

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(gradient[i]));
	for (size_t i = 0; i < count; i += count - i > last ? 1 + count / 400 : 1)
	{
		double		saved = number[i];
		double		difference;

		number[i] = saved + 1e-6;
		difference = weighted_sum(test, weight);
		number[i] = saved - 1e-6;
		difference = (difference - weighted_sum(test, weight)) / 2e-6;
		number[i] = saved;
		worst = worse(worst, fabs(gradient[i] - difference));
	}
	CHECK_SAYING(largest > 0 && worst < 1e-3 * largest, "d %d, %s: off by %g of %g", test->model.dimensions, what, worst, largest);
}

typedef struct Minibatch
{
	ConveBatch *batch;
	int			stride;
	float	   *vector;
	float	   *d_given;
	float	   *d_relation;
	float	   *rows;
} Minibatch;

static Minibatch
learn_minibatch(Pool *threads, KgeModel *model, const KgeQuery *asked, int count, ConveStep step, const float *d_vector)
{
	int			d = model->dimensions;
	size_t		room = (size_t) count * (size_t) (d + 1) * sizeof(float);
	Minibatch	learnt = {.stride = vector_stride(count),.vector = take(room),.d_given = take(room),.d_relation = take(room)};
	Allocation	allocation = {0};

	learnt.rows = take((size_t) kge_shared_rows(model) * (size_t) d * sizeof(float));
	conve_batch_take(d, count, pool_threads(threads), &allocation);
	CHECK(allocation_open(&allocation, &arena));
	learnt.batch = conve_batch_take(d, count, pool_threads(threads), &allocation);
	conve_batch_forward(learnt.batch, threads, model, asked, count, step, learnt.vector, d + 1);
	conve_batch_backward(learnt.batch, threads, d_vector, d + 1, (ConveGradients) {
		.given = learnt.d_given,.given_stride = d + 1,.relation = learnt.d_relation,.relation_stride = d + 1,.rows = learnt.rows
	});
	return learnt;
}

static void
test_gradients(int d, double dropout)
{
	KgeModel	model = random_network(d);
	KgeQuery	asked[QUERIES];
	ConveStep	step = {.dropout = {dropout, dropout, dropout},.stream = 99};
	Definition	test = definition(&model, asked, QUERIES);
	double	   *weight = take(sizeof(double) * (size_t) (QUERIES * d));
	float	   *d_vector = take(sizeof(float) * (size_t) (QUERIES * (d + 1)));
	double	   *gradient[2];
	size_t		count[2] = {kge_entity_count(&model), kge_relation_count(&model)};
	size_t		own = count[1] - (size_t) kge_shared_rows(&model) * (size_t) d;
	double		worst = 0;
	double	   *expected;
	Minibatch	learnt;

	draw_queries(asked, QUERIES);
	for (int i = 0; i < QUERIES * d; i++)
		d_vector[i / d * (d + 1) + i % d] = (float) (weight[i] = (float) next_uniform(-1, 1));
	learnt = learn_minibatch(pool, &model, asked, QUERIES, step, d_vector);
	test.mask[0] = draw_mask(step.stream, 0, dropout, 2 * d, QUERIES, learnt.stride, false);
	test.mask[1] = draw_mask(step.stream, 1, dropout, 32, QUERIES, learnt.stride, false);
	test.mask[2] = draw_mask(step.stream, 2, dropout, d, QUERIES, learnt.stride, true);

	expected = define(&test);
	for (int i = 0; i < QUERIES * d; i++)
		worst = worse(worst, fabs(learnt.vector[i / d * (d + 1) + i % d] - expected[i]));
	CHECK_SAYING(worst < 1e-3, "d %d, dropout %g: off by %g", d, dropout, worst);

	for (int kind = 0; kind < 2; kind++)
	{
		gradient[kind] = take(sizeof(double) * count[kind]);
		memset(gradient[kind], 0, sizeof(double) * count[kind]);
	}
	for (int i = 0; i < QUERIES; i++)
		for (int j = 0; j < d; j++)
		{
			gradient[0][asked[i].given * (d + 1) + j] += learnt.d_given[i * (d + 1) + j];
			gradient[1][asked[i].relation * d + j] += learnt.d_relation[i * (d + 1) + j];
		}
	for (size_t i = own; i < count[1]; i++)
		gradient[1][i] = learnt.rows[i - own];
	compare(&test, "entities", test.number[0], count[0], gradient[0], weight);
	compare(&test, "relations", test.number[1], own, gradient[1], weight);
	compare(&test, "weights", test.number[1] + own, count[1] - own, gradient[1] + own, weight);
}

/* Means and variances of minibatches are kept, a tenth of each; or nothing is. */
static void
test_means(void)
{
	KgeModel	model = random_network(6);
	ConveWeights weights = conve_weights(conve_shape(6), conve_rows(&model));
	float		before = weights.input.mean[0];
	float		variance = weights.input.variance[0];
	KgeQuery	asked[2] = {{SIDE_TAIL, 0, 1}, {SIDE_TAIL, 1, 2}};
	float		d_vector[14] = {0};
	double		mean = 0;
	double		square = 0;

	learn_minibatch(pool, &model, asked, 2, (ConveStep) {.stream = 1}, d_vector);
	CHECK(weights.input.mean[0] == before && weights.input.variance[0] == variance);
	learn_minibatch(pool, &model, asked, 2, (ConveStep) {.stream = 1,.keeps_means = true}, d_vector);
	for (int i = 0; i < 24; i++)
	{
		const float *row = i % 12 < 6 ? kge_entity_row(&model, asked[i / 12].given) : kge_relation_row(&model, asked[i / 12].relation);

		mean += row[i % 6] / 24;
		square += pow(row[i % 6], 2) / 24;
	}
	CHECK(fabs(weights.input.mean[0] - (0.9 * before + 0.1 * mean)) < 1e-6);
	CHECK(fabs(weights.input.variance[0] - (0.9 * variance + 0.1 * (square - mean * mean) * 24 / 23)) < 1e-6);
}

/* ---- training ------------------------------------------------------------------------------ */

static KgeTraining
conve_training(void)
{
	return (KgeTraining) {
		.batch_size = 20,.block_size = 1,.negatives = 1,.learning_rate = 0.003,.seed = 5,.loss = kge_loss("k_vs_all"),
		.optimizer = kge_optimizer("adam"),.label_smoothing = 0.1,.dropout = {0.1, 0.1, 0.1}
	};
}

/* Facts (i, 0, i + 1) and (i, 1, i + 3) of a ring */
static int
ring_facts(int32_t entities, Triple *fact)
{
	for (int32_t i = 0; i < entities; i++)
	{
		fact[2 * i] = (Triple) {i, 0, (i + 1) % entities};
		fact[2 * i + 1] = (Triple) {i, 1, (i + 3) % entities};
	}
	return 2 * entities;
}

static void
test_threads(KgePrecision precision)
{
	KgeTraining training = conve_training();
	KgeModel	model[3];
	Triple		fact[400];
	int			count = ring_facts(200, fact);

	training.batch_size = 70;
	training.precision = precision;
	for (int i = 0; i < 3; i++)
	{
		Pool	   *threads = pool_create(i == 2 ? 5 : i + 1, NULL, NULL);
		KgeTrainer *trainer;

		model[i] = random_model(conve, 12, 200, RELATIONS, 0);
		kge_model_initialise(&model[i], threads, 3);
		trainer = kge_trainer_create(&arena, threads, &model[i], &training, count);
		for (uint64_t epoch = 0; epoch < 3; epoch++)
			kge_train_epoch(trainer, fact, NULL, count, epoch);
		pool_destroy(threads);
		CHECK(memcmp(model[i].entity, model[0].entity, entity_bytes(&model[0])) == 0);
		CHECK(memcmp(model[i].relation, model[0].relation, relation_bytes(&model[0])) == 0);
	}
}

/* Facts of a ring are learnt by heart: nearly all answers come first. */
static void
test_learning(KgePrecision precision)
{
	KgeTraining training = conve_training();
	KgeModel	model = random_model(conve, 20, 40, RELATIONS, 0);
	Triple		fact[80];
	int32_t		head[80];
	int32_t		tail[80];
	int			count = ring_facts(40, fact);
	KgeTrainer *trainer;

	training.precision = precision;
	kge_model_initialise(&model, pool, 3);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	for (uint64_t epoch = 0; epoch < 120; epoch++)
		kge_train_epoch(trainer, fact, NULL, count, epoch);
	kge_rank(&arena, pool, &model, NULL, (KgeTriples) {fact, count}, (KgeTriples) {fact, count}, 1, (KgeRanks) {head, tail});
	CHECK_SAYING(kge_metrics(tail, count).mrr > 0.95, "tails: MRR %g", kge_metrics(tail, count).mrr);
	CHECK_SAYING(kge_metrics(head, count).mrr > 0.95, "heads: MRR %g", kge_metrics(head, count).mrr);
}

/* Nothing but the optimizer's state changes while it observes. */
static void
test_observing(void)
{
	KgeTraining training = conve_training();
	KgeModel	model = random_network(12);
	KgeModel	before = copy_of(&model);
	Triple		fact[22];
	int			count = ring_facts(ENTITIES, fact);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, count);

	kge_train_observe(trainer, fact, NULL, count, 0, 3);
	CHECK(memcmp(model.entity, before.entity, entity_bytes(&model)) == 0);
	CHECK(memcmp(model.relation, before.relation, relation_bytes(&model)) == 0);
}

/* The mean loss of the first minibatch, which is all queries, by definition: each answers with its weights as labels. */
static void
test_loss_of_all(const char *name, int norm, double smoothing, bool weighted, KgePrecision precision)
{
	KgeModel	model = random_model((Variant) {name, norm, true}, 5, 150, RELATIONS, 1);
	KgeTraining training = conve_training();
	Triple		fact[] = {{0, 0, 1}, {0, 0, 140}, {3, 1, 1}, {4, 0, 1}, {0, 0, 1}};
	float		weight[] = {1, 0.25f, 1, 0.5f, 0.5f};
	double		sum = 0;
	int			queries = 0;
	KgeTrainer *trainer;

	training.label_smoothing = smoothing;
	training.precision = precision;
	trainer = kge_trainer_create(&arena, pool, &model, &training, 10);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 4; i++)
		{
			KgeQuery	asked = kge_query(&model, fact[i], (Side) side);
			bool		again = false;

			for (int k = 0; k < i; k++)
			{
				KgeQuery	other = kge_query(&model, fact[k], (Side) side);

				again |= other.given == asked.given && other.relation == asked.relation;
			}
			queries += !again;
			for (int32_t e = 0; e < 150 && !again; e++)
			{
				double		score = kge_score(&model, (Triple) {asked.given, asked.relation, e});
				double		label = 0;

				for (int k = 0; k < 5; k++)
				{
					KgeQuery	other = kge_query(&model, fact[k], (Side) side);

					if (other.given == asked.given && other.relation == asked.relation &&
						(side == SIDE_TAIL ? fact[k].tail : fact[k].head) == e)
						label = fmax(label, weighted ? weight[k] : 1);
				}
				label = (1 - smoothing) * label + smoothing / 150;
				sum += log1p(exp(score)) - label * score;
			}
		}
	sum /= queries * 150.0;
	CHECK_SAYING(fabs(kge_train_epoch(trainer, fact, weighted ? weight : NULL, 5, 0) - sum) < (precision == KGE_SINGLE ? 1e-5 : 5e-3) * sum,
				 "%s: not %g", name, sum);
}

/* Of a minibatch, the squares of gradients (Adagrad's state) in bfloat16 are those in single precision, but for rounding. */
static void
test_rounding(const char *name)
{
	KgeModel	model = random_model((Variant) {name, 1, true}, 40, 300, RELATIONS, 0.5);
	KgeTraining training = conve_training();
	Triple		fact[150];
	float	   *state[2][2];
	size_t		count;

	for (int i = 0; i < 150; i++)
		fact[i] = random_triple(&model);
	training.batch_size = 300;
	training.optimizer = kge_optimizer("adagrad");
	for (int precision = KGE_SINGLE; precision <= KGE_BFLOAT16; precision++)
	{
		KgeModel	copy = copy_of(&model);
		KgeTrainer *trainer;

		training.precision = (KgePrecision) precision;
		trainer = kge_trainer_create(&arena, pool, &copy, &training, 300);
		kge_train_epoch(trainer, fact, NULL, 150, 0);
		for (int i = 0; i < 2; i++)
			kge_trainer_state(trainer, i, &state[i][precision], &count);
	}
	for (int i = 0; i < 2; i++)
	{
		size_t		numbers = i == 0 ? kge_entity_count(&model) : kge_relation_count(&model);
		double		largest = 0;
		double		worst = 0;

		for (size_t j = 0; j < numbers; j++)
		{
			largest = fmax(largest, sqrt(state[i][0][j]));
			worst = worse(worst, fabs(sqrt(state[i][0][j]) - sqrt(state[i][1][j])));
		}
		CHECK_SAYING(largest > 0 && worst < 0.02 * largest, "%s, array %d: off by %g of %g", name, i, worst, largest);
	}
}

void
test_conve(void)
{
	test_shapes();
	test_queries(6, 5);
	test_queries(12, 40);
	test_queries(35, 17);
	test_queries(200, 3);
	test_scores();
	test_listed();
	test_ranks();
	test_gradients(6, 0);
	test_gradients(6, 0.3);
	test_gradients(20, 0.2);
	test_means();
	for (int precision = KGE_SINGLE; precision <= KGE_BFLOAT16; precision++)
		if (kge_has_precision((KgePrecision) precision))
		{
			test_threads((KgePrecision) precision);
			test_learning((KgePrecision) precision);
			test_loss_of_all("distmult", 1, 0, false, (KgePrecision) precision);
			test_loss_of_all("complex", 1, 0.1, true, (KgePrecision) precision);
			test_loss_of_all("transe", 2, 0.1, false, (KgePrecision) precision);
		}
	if (kge_has_precision(KGE_BFLOAT16))
	{
		test_rounding("distmult");
		test_rounding("complex");
	}
	test_observing();
}
