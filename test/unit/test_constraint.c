/*
 * test_constraint.c
 *		Constraints: gradients of entailments against finite differences, entities in their bounds, the same bits.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kge/learning.h"
#include "kge/rank.h"

#define DIMENSIONS	5
#define ENTITIES	12
#define RELATIONS	5
#define POSITIVES	40

static const Variant plain = {"complex", 1, false};
static const Variant reciprocal = {"complex", 1, true};

/* Relation 3 reads like its own inverse; 4 is in no entailment. */
static const KgeEntailment entailments[] = {
	{.body = 0,.head = 1,.confidence = 0.9f},
	{.body = 2,.head = 1,.inverse = true,.confidence = 0.8f},
	{.body = 1,.head = 0,.confidence = 0.5f},
	{.body = 3,.head = 3,.inverse = true,.confidence = 1}
};

#define ENTAILMENTS ((int) (sizeof(entailments) / sizeof(entailments[0])))

static KgeTraining
training_with(const char *constraint, double weight)
{
	return (KgeTraining) {
		.batch_size = POSITIVES,.block_size = 4,.negatives = 6,.learning_rate = 0.05,.seed = 5,.loss = kge_loss("logistic"),
		.constraint = kge_constraint(constraint),.entailment_weight = weight
	};
}

/* Facts of all relations but 3. */
static void
draw_facts(Triple *facts)
{
	static const int32_t relation[] = {0, 1, 2, 4};

	for (int i = 0; i < POSITIVES; i++)
		facts[i] = (Triple) {next_below(ENTITIES), relation[i % 4], next_below(ENTITIES)};
}

static KgeTrainer *
open_trainer(Pool *threads, KgeModel *model, KgeTraining training)
{
	KgeTrainer *trainer = kge_trainer_create(&arena, threads, model, &training, POSITIVES);

	if (kge_constraint_entails(training.constraint))
		CHECK(kge_trainer_entail(trainer, &arena, entailments, ENTAILMENTS));
	kge_constrain_entities(training.constraint, model, threads, model->entity, model->entities);
	return trainer;
}

/* ---- the penalty from its definition ----------------------------------------------- */

static double
penalty_of(const float *body, const float *head, bool inverse)
{
	double		sum = 0;

	for (int j = 0; j < DIMENSIONS; j++)
	{
		double		im = inverse ? -body[DIMENSIONS + j] : body[DIMENSIONS + j];

		sum += fmax(0, (double) body[j] - head[j]) + pow(im - head[DIMENSIONS + j], 2);
	}
	return sum;
}

/* Of all entailments, of relations and of their inverses */
static double
penalty(const KgeModel *model, double weight)
{
	double		sum = 0;

	for (int32_t part = 0; part < kge_relation_rows(model); part += model->relations)
		for (int i = 0; i < ENTAILMENTS; i++)
			sum += weight * entailments[i].confidence *
				penalty_of(kge_relation_row(model, entailments[i].body + part),
						   kge_relation_row(model, entailments[i].head + part), entailments[i].inverse);
	return sum;
}

static double
difference(KgeModel *model, double weight, float *parameter)
{
	const float step = 1e-3f;
	float		before = *parameter;
	double		sum;

	*parameter = before + step;
	sum = penalty(model, weight);
	*parameter = before - step;
	sum -= penalty(model, weight);
	*parameter = before;
	return sum / (2 * step);
}

/* A first step's gradients of relations, which adagrad's state has squared; its direction gives the sign. */
static void
gradients_of(const KgeModel *start, KgeTraining training, const Triple *facts, double *gradient)
{
	KgeModel	model = copy_of(start);
	KgeTrainer *trainer = open_trainer(pool, &model, training);
	float	   *state;
	size_t		count;

	kge_train_epoch(trainer, facts, NULL, POSITIVES, 0);
	CHECK(kge_trainer_state(trainer, 1, &state, &count));
	for (size_t i = 0; i < count; i++)
		gradient[i] = model.relation[i] > start->relation[i] ? -sqrt(state[i]) : sqrt(state[i]);
}

static void
test_pulls(Variant variant)
{
	double		weight = 0.7;
	KgeModel	model = random_model(variant, DIMENSIONS, ENTITIES, RELATIONS, 1);
	int			numbers = kge_relation_rows(&model) * 2 * DIMENSIONS;
	double		with[4 * RELATIONS * DIMENSIONS],
				without[4 * RELATIONS * DIMENSIONS];
	Triple		facts[POSITIVES];

	draw_facts(facts);
	gradients_of(&model, training_with("nne_aer", weight), facts, with);
	gradients_of(&model, training_with("nne", weight), facts, without);
	for (int i = 0; i < numbers; i++)
	{
		double		expected = difference(&model, weight, &model.relation[i]);

		CHECK_SAYING(fabs(with[i] - without[i] - expected) < 2e-3, "number %d, reciprocal %d: %g, not %g", i,
					 variant.reciprocal, with[i] - without[i], expected);
	}
}

/* ---- what a training leaves --------------------------------------------------------- */

static bool
in_bounds(const float *number, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(number[i] >= 0 && number[i] <= 1))
			return false;
	return true;
}

static KgeModel
trained(const KgeModel *start, KgeTraining training, int threads)
{
	KgeModel	model = copy_of(start);
	Pool	   *own = pool_create(threads, NULL, NULL);
	KgeTrainer *trainer = open_trainer(own, &model, training);
	Triple		facts[POSITIVES];

	for (int i = 0; i < POSITIVES; i++)
		facts[i] = (Triple) {i % ENTITIES, i % 3, (i * i + 3) % ENTITIES};
	for (uint64_t epoch = 0; epoch < 20; epoch++)
		kge_train_epoch(trainer, facts, NULL, POSITIVES, epoch);
	pool_destroy(own);
	return model;
}

/* `how` has loss, sampler, optimizer and precision. */
static void
test_training(KgeTraining how)
{
	KgeModel	start = random_model(reciprocal, DIMENSIONS, ENTITIES, RELATIONS, 1);
	KgeTraining training = training_with("nne_aer", 10);
	KgeModel	one,
				three,
				free_model,
				bounded;

	training.loss = how.loss;
	training.sampler = how.sampler;
	training.optimizer = how.optimizer;
	training.precision = how.precision;
	training.learning_rate = 0.05;
	training.batch_size = 8;
	one = trained(&start, training, 1);
	three = trained(&start, training, 3);
	CHECK(same_bits(&one, &three));
	CHECK(in_bounds(one.entity, entity_bytes(&one) / sizeof(float)));

	/* a large weight leaves little of the penalty that there is without it */
	training.constraint = kge_constraint("nne");
	bounded = trained(&start, training, 2);
	CHECK(in_bounds(bounded.entity, entity_bytes(&bounded) / sizeof(float)));
	CHECK_SAYING(penalty(&one, 1) < 0.5 * penalty(&bounded, 1), "%g, without %g", penalty(&one, 1), penalty(&bounded, 1));

	training.constraint = kge_constraint("none");
	free_model = trained(&start, training, 2);
	CHECK(!in_bounds(free_model.entity, entity_bytes(&free_model) / sizeof(float)));
	CHECK(!same_bits(&free_model, &bounded));
}

/* A trainer without the field has none. */
static void
test_none(void)
{
	KgeModel	start = random_model(plain, DIMENSIONS, ENTITIES, RELATIONS, 1);
	KgeModel	none = copy_of(&start),
				unset = copy_of(&start);
	KgeTraining training = training_with("none", 1);
	Triple		facts[POSITIVES];

	draw_facts(facts);
	kge_train_epoch(kge_trainer_create(&arena, pool, &none, &training, POSITIVES), facts, NULL, POSITIVES, 0);
	training.constraint = NULL;
	kge_train_epoch(kge_trainer_create(&arena, pool, &unset, &training, POSITIVES), facts, NULL, POSITIVES, 0);
	CHECK(same_bits(&none, &unset));
}

void
test_constraint(void)
{
	test_pulls(plain);
	test_pulls(reciprocal);
	test_none();
	test_training((KgeTraining) {.loss = kge_loss("logistic")});
	test_training((KgeTraining) {.loss = kge_loss("logistic"),.sampler = kge_sampler("kbgan")});
	test_training((KgeTraining) {.loss = kge_loss("margin"),.optimizer = kge_optimizer("adam")});
	test_training((KgeTraining) {.loss = kge_loss("softmax")});
	if (kge_has_precision(KGE_BFLOAT16))
		test_training((KgeTraining) {.loss = kge_loss("softmax"),.precision = KGE_BFLOAT16});
	CHECK(kge_constraint("rule") == NULL);
	CHECK(kge_constraint_function(kge_constraint("none")) == NULL);
	CHECK(strcmp(kge_constraint_function(kge_constraint("nne_aer")), "complex") == 0);
}
