/*
 * test_train.c
 *		Epochs under every loss: against the definition, the same bits, learning, diverging.
 */
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "check.h"
#include "sampler.h"

static size_t
entity_bytes(const KgeModel *model)
{
	return sizeof(float) * (size_t) model->entities *
		(size_t) kge_entity_width(model->function, model->dimensions);
}

static size_t
relation_bytes(const KgeModel *model)
{
	return sizeof(float) * (size_t) kge_relation_rows(model) *
		(size_t) kge_relation_width(model->function, model->dimensions);
}

static KgeModel
copy_of(const KgeModel *model)
{
	KgeModel	copy = *model;

	copy.entity = take(entity_bytes(model));
	copy.relation = take(relation_bytes(model));
	memcpy(copy.entity, model->entity, entity_bytes(model));
	memcpy(copy.relation, model->relation, relation_bytes(model));
	return copy;
}

static bool
same_bits(const KgeModel *a, const KgeModel *b)
{
	return memcmp(a->entity, b->entity, entity_bytes(a)) == 0 &&
		memcmp(a->relation, b->relation, relation_bytes(a)) == 0;
}

static bool
is_softmax(const KgeLoss *loss)
{
	return loss == kge_loss("softmax");
}

/* ---- a minibatch from the definition ---------------------------------------- */

typedef struct Minibatch
{
	KgeModel   *model;
	const KgeModel *constant;	/* the same, but for what is varied */
	KgeTraining training;
	const KgeTriple *triples;
	const float *weights;
	int			count;
	uint64_t	epoch;
	int			start;
	int			size;
} Minibatch;

/* The weights of a positive's negatives: all 1, or a softmax that `constant` makes. */
static void
weigh(const KgeTraining *training, const KgeModel *constant, KgeSide side, const KgeTriple *others,
	  int count, double *weight)
{
	double		sum = 0;

	for (int k = 0; k < count; k++)
	{
		weight[k] = training->sampler == kge_sampler("self_adversarial") ?
			exp(training->temperature * kge_score(constant, kge_asked(constant, others[k], side))) : 1;
		sum += weight[k];
	}
	for (int k = 0; k < count && training->sampler == kge_sampler("self_adversarial"); k++)
		weight[k] /= sum;
}

/* The side that a block corrupts. */
static KgeSide
side_of(const Minibatch *batch, int block)
{
	return (block + (int) batch->epoch) % 2 == 0 ? KGE_TAIL : KGE_HEAD;
}

/* The negatives of a positive, without its own answer; tells how many. */
static int
negatives_of(const Minibatch *batch, KgeTriple triple, int block, KgeTriple *others)
{
	const KgeTraining *training = &batch->training;
	bool		tails = side_of(batch, block) == KGE_TAIL;
	int32_t		negative[64];
	int			count = 0;

	kge_draw_negatives(training->seed, batch->epoch, (uint64_t) block,
					   batch->model->entities, training->negatives, negative);
	for (int k = 0; k < training->negatives; k++)
	{
		others[count] = triple;
		*(tails ? &others[count].tail : &others[count].head) = negative[k];
		count += negative[k] != (tails ? triple.tail : triple.head);
	}
	return count;
}

/* A mean is sum / terms. */
typedef struct Mean
{
	double		sum;
	int			terms;
} Mean;

/* The mean loss and the penalty of a minibatch, in double, term by term. */
static double
objective(const Minibatch *batch, Mean *loss)
{
	const KgeTraining *training = &batch->training;
	KgeOrder	order = kge_order(training->seed, batch->epoch, (uint64_t) batch->count);
	int			blocks = (training->batch_size + training->block_size - 1) / training->block_size;
	double		penalty = 0;

	*loss = (Mean) {0, 0};
	for (int i = 0; i < batch->size; i++)
	{
		uint64_t	place = kge_order_place(&order, (uint64_t) (batch->start + i));
		KgeTriple	triple = batch->triples[place];
		double		weight = batch->weights == NULL ? 1 : batch->weights[place];
		int			block = batch->start / training->batch_size * blocks + i / training->block_size;
		KgeSide		side = side_of(batch, block);
		KgeTriple	asked = kge_asked(batch->model, triple, side);
		int			width = kge_entity_width(batch->model->function, batch->model->dimensions);
		KgeTriple	others[64];
		double		share[64];
		int			count = negatives_of(batch, triple, block, others);

		weigh(training, batch->constant, side, others, count, share);
		loss->sum += weight * log1p(exp(-kge_score(batch->model, asked)));
		for (int k = 0; k < count; k++)
			loss->sum += weight * share[k] * log1p(exp(kge_score(batch->model, kge_asked(batch->model, others[k], side))));
		loss->terms += 1 + (training->sampler == kge_sampler("self_adversarial") ? 1 : count);
		for (int j = 0; j < width; j++)
			penalty += weight * (pow(batch->model->entity[triple.head * width + j], 2) +
								 pow(batch->model->entity[triple.tail * width + j], 2));
		width = kge_relation_width(batch->model->function, batch->model->dimensions);
		for (int j = 0; j < width && strcmp(batch->model->function->name, "rotate") != 0; j++)
			penalty += weight * pow(batch->model->relation[asked.relation * width + j], 2);
	}
	return loss->sum / loss->terms + training->regularization * penalty / batch->size;
}

/* Adagrad on all of `parameter`, with the gradient by finite differences. */
static void
definition_step(Minibatch *batch, float *parameter, const float *from, double *state,
				float *to, int count)
{
	Mean		loss;

	for (int i = 0; i < count; i++)
	{
		float		saved = parameter[i];
		float		above = saved + 1e-4f;
		float		below = saved - 1e-4f;
		double		g;

		parameter[i] = above;
		g = objective(batch, &loss);
		parameter[i] = below;
		g = (g - objective(batch, &loss)) / ((double) above - below);
		parameter[i] = saved;
		state[i] += g * g;
		to[i] = (float) (from[i] - (fabs(g) < 1e-12 ? 0 :
									batch->training.learning_rate * g / sqrt(state[i])));
	}
}

/*
 * Three minibatches of a tiny graph, the last one short, blocks shorter than
 * others, masked negatives certain (5 entities, 6 negatives).
 */
static void
test_definition(Variant variant, const char *sampler, bool weighted)
{
	enum
	{
		POSITIVES = 10
	};
	KgeTraining training = {.batch_size = 4, .block_size = 3, .negatives = 6,
	.learning_rate = 0.01, .regularization = 0.01, .seed = 11, .loss = kge_loss("logistic"),
	.sampler = kge_sampler(sampler), .temperature = 2};
	KgeModel	model = random_model(variant, 3, 5, 2, 1.0);
	KgeModel	expected = copy_of(&model);
	int			entity = 5 * kge_entity_width(model.function, 3);
	int			relation = kge_relation_rows(&model) * kge_relation_width(model.function, 3);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	double		entity_state[100] = {0},
				relation_state[100] = {0};
	KgeTriple	triples[POSITIVES];
	float		weights[POSITIVES];
	Mean		total = {0, 0};
	double		worst = 0;
	double		loss;
	KgeTrainer *trainer;

	for (int i = 0; i < POSITIVES; i++)
	{
		triples[i] = random_triple(&model);
		weights[i] = (float) (i % 3) / 2;
	}
	for (int start = 0; start < POSITIVES; start += 4)
	{
		KgeModel	before = copy_of(&expected);
		KgeModel	constant = copy_of(&expected);
		Mean		part;
		Minibatch	batch = {&before, &constant, training, triples, weighted ? weights : NULL, POSITIVES,
		5, start, start + 4 > POSITIVES ? POSITIVES - start : 4};

		objective(&batch, &part);
		total.sum += part.sum;
		total.terms += part.terms;
		definition_step(&batch, before.entity, before.entity, entity_state,
						expected.entity, entity);
		definition_step(&batch, before.relation, before.relation, relation_state,
						expected.relation, relation);
	}

	trainer = kge_trainer_create(&arena, pool, &model, &training, POSITIVES);
	loss = kge_train_epoch(trainer, triples, weighted ? weights : NULL, POSITIVES, 5);

	CHECK_SAYING(fabs(loss / (total.sum / total.terms) - 1) < 1e-4, "%s norm %d, %s: loss %g, not %g",
				 variant.name, variant.norm, sampler, loss, total.sum / total.terms);
	for (int i = 0; i < entity; i++)
		worst = fmax(worst, fabs(model.entity[i] - expected.entity[i]));
	for (int i = 0; i < relation; i++)
		worst = fmax(worst, fabs(model.relation[i] - expected.relation[i]));

	/* three steps of about 0.01 each, right to a few thousandths of themselves */
	CHECK_SAYING(worst < 1e-4, "%s norm %d, %s, weighted %d: off by %g", variant.name,
				 variant.norm, sampler, weighted, worst);
	kge_pool_destroy(pool);
}

/* ---- softmax and N3 from the definition ------------------------------------ */

/* log of the sum of exp(phi) over all entities on one side of the triple, less phi. */
static double
cross_entropy(const KgeModel *model, KgeTriple triple, KgeSide side)
{
	double		own = kge_score(model, kge_asked(model, triple, side));
	double		sum = 0;

	for (int32_t i = 0; i < model->entities; i++)
	{
		*(side == KGE_TAIL ? &triple.tail : &triple.head) = i;
		sum += exp(kge_score(model, kge_asked(model, triple, side)) - own);
	}
	return log(sum);
}

/* Sum of cubed moduli of a row, whose imaginary parts start at `half` if that is not 0. */
static double
cubes(const float *row, int width, int half)
{
	double		sum = 0;

	for (int j = 0; j < (half > 0 ? half : width); j++)
		sum += pow(half > 0 ? hypot(row[j], row[half + j]) : fabs(row[j]), 3);
	return sum;
}

/* The mean loss and the penalty of all triples as one minibatch. */
static double
softmax_objective(const Minibatch *batch, double *loss)
{
	const KgeModel *model = batch->model;
	int			width = kge_entity_width(model->function, model->dimensions);
	int			relation_width = kge_relation_width(model->function, model->dimensions);
	int			half = width > model->dimensions ? model->dimensions : 0;
	bool		angles = strcmp(model->function->name, "rotate") == 0;
	double		penalty = 0;

	*loss = 0;
	for (int i = 0; i < batch->count; i++)
	{
		KgeTriple	triple = batch->triples[i];
		double		weight = batch->weights == NULL ? 1 : batch->weights[i];

		*loss += weight * (cross_entropy(model, triple, KGE_TAIL) +
						   cross_entropy(model, triple, KGE_HEAD)) / (2 * batch->count);
		penalty += weight * (cubes(kge_entity_row(model, triple.head), width, half) +
							 cubes(kge_entity_row(model, triple.tail), width, half));
		for (int side = KGE_HEAD; side <= KGE_TAIL && !angles; side++)
			penalty += weight / 2 * cubes(kge_relation_row(model, kge_asked(model, triple, side).relation),
										  relation_width, half);
	}
	return *loss + batch->training.regularization * penalty / batch->count;
}

/*
 * Compares `samples` of the gradients with central differences.  A first step of Adagrad
 * from state 0 leaves g^2 as its state, and moves against the sign of g.
 */
static double
worst_gradient(const Minibatch *batch, float *before, const float *after, const float *state,
			   int count, int samples)
{
	double		size = 0;
	double		worst = 0;
	double		loss;

	for (int i = 0; i < count; i++)
		size += sqrt(state[i]) / count;
	for (int i = 0; i < samples; i++)
	{
		int			place = samples < count ? next_below(count) : i % count;
		float		saved = before[place];
		float		above = saved + 1e-4f;
		float		below = saved - 1e-4f;
		double		gradient = after[place] < saved ? sqrt(state[place]) : -sqrt(state[place]);
		double		difference;

		before[place] = above;
		difference = softmax_objective(batch, &loss);
		before[place] = below;
		difference = (difference - softmax_objective(batch, &loss)) / ((double) above - below);
		before[place] = saved;
		worst = fmax(worst, fabs(gradient - difference) / fmax(fabs(difference), size));
	}
	return worst;
}

static void
test_softmax(Variant variant, int entities, int positives, bool weighted)
{
	enum
	{
		RELATIONS = 2, MOST = 500, D = 3
	};
	KgeTraining training = {.batch_size = positives, .block_size = 1, .negatives = 1,
	.learning_rate = 0.01, .regularization = 0.1, .seed = 11, .loss = kge_loss("softmax")};
	KgeModel	model = random_model(variant, D, entities, RELATIONS, 1.0);
	int			entity = entities * kge_entity_width(model.function, D);
	int			relation = kge_relation_rows(&model) * kge_relation_width(model.function, D);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triples[MOST];
	float		weights[MOST];
	float	   *state;
	double		expected,
				loss,
				worst;
	size_t		size;
	KgeTrainer *trainer;
	KgeModel	before;
	Minibatch	batch = {&before, &before, training, triples, weighted ? weights : NULL, positives, 0, 0, positives};

	/* no L1 distance near its corners, as in test_gradient.c */
	for (int i = 0; i < entity; i++)
		model.entity[i] = roundf(64 * model.entity[i]) / 64;
	for (int i = 0; i < relation; i++)
		model.relation[i] = roundf(64 * model.relation[i]) / 64 + 1.0f / 128;
	for (int i = 0; i < positives; i++)
	{
		triples[i] = random_triple(&model);
		weights[i] = (float) (i % 3) / 2;
	}
	before = copy_of(&model);
	softmax_objective(&batch, &expected);
	trainer = kge_trainer_create(&arena, pool, &model, &training, positives);
	loss = kge_train_epoch(trainer, triples, batch.weights, positives, 0);
	CHECK_SAYING(fabs(loss - expected) < 1e-5 * expected, "%s norm %d: loss %.9g, not %.9g",
				 variant.name, variant.norm, loss, expected);

	CHECK(kge_trainer_state(trainer, 0, &state, &size) && size == (size_t) entity);
	worst = worst_gradient(&batch, before.entity, model.entity, state, entity, 30);
	CHECK_SAYING(worst < 1e-3, "%s norm %d, %d entities: relative error %g of entities",
				 variant.name, variant.norm, entities, worst);
	CHECK(kge_trainer_state(trainer, 1, &state, &size) && size == (size_t) relation);
	worst = worst_gradient(&batch, before.relation, model.relation, state, relation, relation);
	CHECK_SAYING(worst < 1e-3, "%s norm %d, %d entities: relative error %g of relations",
				 variant.name, variant.norm, entities, worst);
	kge_pool_destroy(pool);
}

/*
 * However an epoch is cut into minibatches, it learns every positive once on either side:
 * where nothing moves, its loss is that of all positives as one minibatch.
 */
static void
test_softmax_epoch(int batch_size, KgePrecision precision)
{
	enum
	{
		POSITIVES = 200
	};
	KgeTraining training = {.batch_size = batch_size, .block_size = 1, .negatives = 1,
	.learning_rate = 1e-9, .seed = 11, .loss = kge_loss("softmax"), .precision = precision};
	KgeModel	model = random_model(variants[3], 3, 9, 2, 1.0);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, POSITIVES);
	KgeTriple	triples[POSITIVES];
	float		weights[POSITIVES];
	Minibatch	batch = {&model, &model, training, triples, weights, POSITIVES, 0, 0, POSITIVES};
	double		tolerance = precision == KGE_SINGLE ? 1e-5 : 1e-3;
	double		expected,
				loss;

	for (int i = 0; i < POSITIVES; i++)
	{
		triples[i] = random_triple(&model);
		weights[i] = (float) (i % 5) / 2;
	}
	softmax_objective(&batch, &expected);
	for (uint64_t epoch = 0; epoch < 3; epoch++)
	{
		loss = kge_train_epoch(trainer, triples, weights, POSITIVES, epoch);
		CHECK_SAYING(fabs(loss - expected) < tolerance * expected, "batches of %d: loss %.9g, not %.9g",
					 batch_size, loss, expected);
	}
	kge_pool_destroy(pool);
}

/* ---- properties ---------------------------------------------------------------- */

/* A graph of two relations over `entities` numbers: next, and next but one. */
static int
ring(int entities, KgeTriple *triples)
{
	for (int i = 0; i < entities; i++)
	{
		triples[2 * i] = (KgeTriple) {i, 0, (i + 1) % entities};
		triples[2 * i + 1] = (KgeTriple) {i, 1, (i + 2) % entities};
	}
	return 2 * entities;
}

/* A grid of 5 x 6 under "right of" and "below": every score function here can learn it. */
static int
grid(KgeTriple *triples)
{
	int			count = 0;

	for (int i = 0; i < 30; i++)
	{
		if (i % 5 < 4)
			triples[count++] = (KgeTriple) {i, 0, i + 1};
		if (i < 25)
			triples[count++] = (KgeTriple) {i, 1, i + 5};
	}
	return count;
}

static void
test_same_bits(Variant variant, const KgeLoss *loss, KgePrecision precision)
{
	KgeTraining training = {.batch_size = 100, .block_size = 16, .negatives = 30,
	.learning_rate = 0.1, .regularization = 0.001, .seed = 3, .loss = loss, .precision = precision};
	KgeModel	start = random_model(variant, 20, 150, 2, 0.5);
	KgeModel	result[4];
	KgeTriple	triples[300];
	int			count = ring(150, triples);

	for (int run = 0; run < 4; run++)
	{
		int			threads = run % 3 + 1;
		KgePool    *pool = kge_pool_create(threads, NULL, NULL);
		KgeTrainer *trainer;

		result[run] = copy_of(&start);
		trainer = kge_trainer_create(&arena, pool, &result[run], &training, count);
		for (uint64_t epoch = 0; epoch < 3; epoch++)
			kge_train_epoch(trainer, triples, NULL, count, epoch);
		kge_pool_destroy(pool);
	}
	for (int run = 1; run < 4; run++)
		CHECK_SAYING(same_bits(&result[0], &result[run]), "%s, run %d", variant.name, run);
	CHECK(!same_bits(&result[0], &start));
}

/* After 500 epochs nearly every training triple ranks first. */
static void
test_learning(Variant variant, const KgeLoss *loss, KgePrecision precision)
{
	KgeTraining training = {.batch_size = 16, .block_size = 8, .negatives = 16,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss, .precision = precision};
	KgeModel	model = random_model(variant, 16, 30, 2, 0);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triples[60];
	int			count = grid(triples);
	int32_t		head[60],
				tail[60];
	KgeTrainer *trainer;
	double		first,
				last = 0;

	kge_model_initialise(&model, 1);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	first = kge_train_epoch(trainer, triples, NULL, count, 0);
	for (uint64_t epoch = 1; epoch < 500; epoch++)
		last = kge_train_epoch(trainer, triples, NULL, count, epoch);
	CHECK_SAYING(last < first / 3, "%s norm %d: loss %g, then %g", variant.name,
				 variant.norm, first, last);
	kge_rank(&arena, pool, &model, triples, count, triples, count, 1, head, tail);

	/*
	 * DistMult cannot tell (a, r, b) from (b, r, a), so that the left neighbour
	 * ties with the right one: ranks of 1 or 2, a mean of 3/4 or more.
	 */
	CHECK_SAYING(kge_metrics(tail, count).mrr > (strcmp(variant.name, "distmult") == 0 ? 0.7 : 0.8),
				 "%s norm %d: MRR %g", variant.name, variant.norm, kge_metrics(tail, count).mrr);
	kge_pool_destroy(pool);
}

/*
 * Observing moves nothing and tells the loss.  The first step after it sees each
 * squared gradient for the fourth time, and is half as long as the one without.
 */
static void
test_observing(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 100, .block_size = 16, .negatives = 30,
	.learning_rate = 0.1, .regularization = 0.001, .seed = 3, .loss = loss};
	KgeModel	start = random_model(variant, 20, 50, 2, 0.5);
	KgeModel	plain = copy_of(&start);
	KgeModel	observed = copy_of(&start);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triples[100];
	int			count = ring(50, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &plain, &training, count);
	double		first = kge_train_epoch(trainer, triples, NULL, count, 0);
	size_t		numbers = entity_bytes(&start) / sizeof(float);
	double		worst = 0;

	trainer = kge_trainer_create(&arena, pool, &observed, &training, count);
	CHECK(kge_train_observe(trainer, triples, NULL, count, 0, 3) == first);
	CHECK_SAYING(same_bits(&observed, &start), "%s: observing moves", variant.name);
	kge_train_epoch(trainer, triples, NULL, count, 0);
	for (size_t i = 0; i < numbers; i++)
	{
		double		step = plain.entity[i] - start.entity[i];

		/* a shorter one is of next to no gradient, which Adagrad divides by a little more */
		if (fabs(step) > 0.0999)
			worst = fmax(worst, fabs((observed.entity[i] - start.entity[i]) / step - 0.5));
	}
	CHECK_SAYING(worst < 1e-3, "%s: a step is off by %g", variant.name, worst);
	kge_pool_destroy(pool);
}

/* What has no weight moves nothing, be it all positives or a part. */
static void
test_no_weight(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 8, .block_size = 4, .negatives = 5,
	.learning_rate = 0.1, .regularization = 0.1, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[3], 6, 20, 2, 0.5);
	KgeModel	before = copy_of(&model);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triples[40];
	float		weights[40] = {0};
	int			count = ring(20, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, count);

	CHECK(kge_train_epoch(trainer, triples, weights, count, 0) == 0);
	CHECK(same_bits(&model, &before));
	CHECK(kge_train_epoch(trainer, triples, NULL, 0, 0) == 0);
	CHECK(same_bits(&model, &before));
	kge_pool_destroy(pool);
}

/* Two entities: half of all negatives are masked, and a batch is larger than the data. */
static void
test_two_entities(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 512, .block_size = 64, .negatives = 16,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variant, 8, 2, 1, 0.5);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triple = {0, 0, 1};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 1);

	for (uint64_t epoch = 0; epoch < 1000; epoch++)
		kge_train_epoch(trainer, &triple, NULL, 1, epoch);

	/*
	 * Were the positive its own negative, 8 times in the mean for once as a
	 * positive, its best score would be -log 8 = -2.1.
	 */
	CHECK_SAYING(kge_score(&model, triple) > 0 || is_softmax(loss), "%s norm %d: score %g", variant.name,
				 variant.norm, kge_score(&model, triple));
	CHECK(kge_score(&model, triple) > kge_score(&model, (KgeTriple) {0, 0, 0}));
	kge_pool_destroy(pool);
}

static void
test_one_entity(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 4, .block_size = 4, .negatives = 4,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[3], 8, 1, 1, 0.5);
	KgePool    *pool = kge_pool_create(1, NULL, NULL);
	KgeTriple	triple = {0, 0, 0};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 1);

	/* nothing but the positive is left; its loss is log(1 + exp(-phi)), or log 1 */
	double		expected = is_softmax(loss) ? 0 : log1p(exp(-kge_score(&model, triple)));

	CHECK(fabs(kge_train_epoch(trainer, &triple, NULL, 1, 0) - expected) < 1e-5);
	kge_pool_destroy(pool);
}

static void
test_divergence(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 8, .block_size = 4, .negatives = 5,
	.learning_rate = 1e30, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variant, 6, 20, 2, 0.5);
	KgePool    *pool = kge_pool_create(2, NULL, NULL);
	KgeTriple	triples[40];
	int			count = ring(20, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	double		mean = 0;

	for (uint64_t epoch = 0; epoch < 5 && !isnan(mean); epoch++)
		mean = kge_train_epoch(trainer, triples, NULL, count, epoch);
	CHECK_SAYING(isnan(mean) || strcmp(variant.name, "transe") == 0 ||
				 strcmp(variant.name, "rotate") == 0, "%s: loss %g", variant.name, mean);

	training.learning_rate = 0.1;
	model = random_model(variant, 6, 20, 2, 0.5);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	model.entity[13] = NAN;
	CHECK(isnan(kge_train_epoch(trainer, triples, NULL, count, 0)));
	kge_pool_destroy(pool);
}

static size_t counted;

static void *
count_bytes(void *context, size_t bytes)
{
	(void) context;
	counted += bytes;
	return take(bytes);
}

/* What kge_trainer_bytes says is what is taken, and nothing is when there is none. */
static void
test_memory(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 512, .block_size = 64, .negatives = 256,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[4], 50, 20, 2, 0.5);
	KgePool    *pool = kge_pool_create(3, NULL, NULL);
	KgeArena	counting = {count_bytes, NULL};

	counted = 0;
	CHECK(kge_trainer_create(&counting, pool, &model, &training, 10000) != NULL);
	CHECK(counted == kge_trainer_bytes(&model, &training, 10000, 3));
	CHECK(kge_trainer_create(&empty_arena, pool, &model, &training, 10000) == NULL);

	/* 2^31 negatives of 400 bytes in each of 8 blocks and 3 threads: 9e12 bytes and more */
	training.negatives = INT32_MAX;
	CHECK(is_softmax(loss) || kge_trainer_bytes(&model, &training, 10000, 3) > 9000000000000);

	/* 2^31 entities: parameters' squares and a dense gradient of 400 bytes each */
	training.negatives = 1;
	model.entities = INT32_MAX;
	CHECK(!is_softmax(loss) || kge_trainer_bytes(&model, &training, 10000, 3) > 1700000000000);
	kge_pool_destroy(pool);
}

static jmp_buf out;

static void
leave(void *argument)
{
	int		   *pauses = argument;

	if (++*pauses == 3)
		longjmp(out, 1);
}

/* Training can be left in the middle of a block of a second or so. */
static void
test_leaving(const KgeLoss *loss)
{
	static int	pauses;
	KgeTraining training = {.batch_size = 64, .block_size = 64, .negatives = 4096,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[4], 200, 500, 2, 0.5);
	KgeTriple	triples[1000];
	int			count = ring(500, triples);
	KgePool    *pool;
	KgeTrainer *trainer;

	pauses = 0;
	pool = kge_pool_create(2, leave, &pauses);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	if (setjmp(out) == 0)
	{
		kge_train_epoch(trainer, triples, NULL, count, 0);
		CHECK_SAYING(false, "the epoch was not left");
	}
	CHECK(pauses == 3);
	kge_pool_destroy(pool);
}

static void
test_loss_function(const KgeLoss *loss)
{
	for (int i = 0; i < variant_count; i++)
	{
		test_same_bits(variants[i], loss, KGE_SINGLE);
		test_learning(variants[i], loss, KGE_SINGLE);
		test_observing(variants[i], loss);
		test_two_entities(variants[i], loss);
		test_divergence(variants[i], loss);
	}
	test_no_weight(loss);
	test_one_entity(loss);
	test_memory(loss);
	test_leaving(loss);
}

void
test_train(void)
{
	for (int i = 0; i < variant_count; i++)
		for (int weighted = 0; weighted < 2; weighted++)
		{
			for (int j = 0; kge_sampler_name(j) != NULL; j++)
				test_definition(variants[i], kge_sampler_name(j), weighted == 1);
			test_softmax(variants[i], 7, 5, weighted == 1);

			/* three tiles, and several blocks, the last ones not full */
			test_softmax(variants[i], 300, 150, weighted == 1);
		}

	/* more queries than a wave holds */
	test_softmax(variants[3], 300, 500, true);
	for (int batch = 1; batch <= 1000; batch *= 10)
		test_softmax_epoch(batch, KGE_SINGLE);
	if (kge_has_precision(KGE_BFLOAT16))
	{
		test_softmax_epoch(100, KGE_BFLOAT16);
		test_same_bits(variants[3], kge_loss("softmax"), KGE_BFLOAT16);
		test_learning(variants[3], kge_loss("softmax"), KGE_BFLOAT16);
	}
	for (int i = 0; kge_loss_name(i) != NULL; i++)
		test_loss_function(kge_loss(kge_loss_name(i)));
	CHECK(kge_loss("hinge") == NULL);
}
