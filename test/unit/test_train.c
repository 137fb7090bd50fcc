/*
 * test_train.c
 *		Epochs under every loss: against the definition, the same bits, learning, diverging.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "kge/learning.h"
#include "kge/loss/negatives.h"
#include "kge/rank.h"

size_t
entity_bytes(const KgeModel *model)
{
	return sizeof(float) * (size_t) model->entities *
		(size_t) kge_entity_width(model->function, model->dimensions);
}

size_t
relation_bytes(const KgeModel *model)
{
	return sizeof(float) * (size_t) kge_relation_rows(model) *
		(size_t) kge_relation_width(model->function, model->dimensions);
}

KgeModel
copy_of(const KgeModel *model)
{
	KgeModel	copy = *model;

	copy.entity = take(entity_bytes(model));
	copy.relation = take(relation_bytes(model));
	memcpy(copy.entity, model->entity, entity_bytes(model));
	memcpy(copy.relation, model->relation, relation_bytes(model));
	return copy;
}

bool
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

/* Its weights are labels, and its minibatches are of queries. */
static bool
is_k_vs_all(const KgeLoss *loss)
{
	return loss == kge_loss("k_vs_all");
}

/* ---- a minibatch from the definition ---------------------------------------- */

typedef struct Minibatch
{
	KgeModel   *model;
	const KgeModel *constant;	/* the same, but for what is varied */
	const KgeModel *generator;	/* of kbgan */
	KgeTraining training;
	const Triple *triples;
	const float *weights;
	int			count;
	uint64_t	epoch;
	int			start;
	int			size;
} Minibatch;

static bool
is_sampler(const Minibatch *batch, const char *name)
{
	return batch->training.sampler == kge_sampler(name);
}

/* Entities on one side of the relation among all positives. */
static int
distinct(const Minibatch *batch, int32_t relation, Side side)
{
	int			count = 0;

	for (int i = 0; i < batch->count; i++)
	{
		bool		seen = batch->triples[i].relation != relation;

		for (int j = 0; j < i && !seen; j++)
			seen = batch->triples[j].relation == relation &&
				(side == SIDE_TAIL ? batch->triples[j].tail == batch->triples[i].tail :
				 batch->triples[j].head == batch->triples[i].head);
		count += !seen;
	}
	return count;
}

/* The place of positive i of the minibatch, and which side of it is corrupted. */
static Side
side_of(const Minibatch *batch, int i, uint64_t *place)
{
	const KgeTraining *training = &batch->training;
	KgeOrder	order = kge_order(training->seed, batch->epoch, (uint64_t) batch->count);
	int			place_in_epoch = batch->start + i;

	*place = kge_order_place(&order, (uint64_t) place_in_epoch);
	if (is_sampler(batch, "bernoulli"))
	{
		int32_t		relation = batch->triples[*place].relation;
		double		heads_per_tail = 1.0 / distinct(batch, relation, SIDE_TAIL);
		double		tails_per_head = 1.0 / distinct(batch, relation, SIDE_HEAD);
		uint64_t	stream = random_stream(training->seed, DRAW_SIDE, batch->epoch, 0);

		return random_open(random_bits(stream, (uint64_t) place_in_epoch)) <
			tails_per_head / (tails_per_head + heads_per_tail) ? SIDE_HEAD : SIDE_TAIL;
	}
	return (batch->start / training->batch_size + i / training->block_size +
			(int) batch->epoch) % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;
}

/* A positive, and its negatives: those of its block */
typedef struct Negatives
{
	Triple		triple;
	double		weight;
	Side		side;
	int			block;			/* in the epoch */
	int			place;			/* in the block */
	int			count;
	Triple		other[64];
	int			number[64];		/* of each in the block */
} Negatives;

/* The negatives of a positive, without its own answer. */
static void
draw_negatives(const Minibatch *batch, Negatives *drawn)
{
	const KgeTraining *training = &batch->training;
	int32_t		negative[64];

	kge_draw_negatives(training->seed, batch->epoch, (uint64_t) drawn->block,
					   batch->model->entities, training->negatives, negative);
	for (int k = 0; k < training->negatives; k++)
	{
		Triple		other = drawn->triple;

		*(drawn->side == SIDE_TAIL ? &other.tail : &other.head) = negative[k];
		if (other.head == drawn->triple.head && other.tail == drawn->triple.tail)
			continue;
		drawn->number[drawn->count] = k;
		drawn->other[drawn->count++] = other;
	}
}

/* Whether positive i of the minibatch has a label: then its weight is evidence, or it is false. */
static bool
has_label(const Minibatch *batch, int i)
{
	uint64_t	place;

	side_of(batch, i, &place);
	return batch->weights != NULL &&
		((batch->training.has_false && batch->weights[place] == KGE_FALSE) ||
		 (batch->training.labelling != NULL && batch->weights[place] < KGE_FACT));
}

/* Deals the facts of the minibatch to blocks of one side: tails first, each in their order.  Returns how many these are. */
static int
deal(const Minibatch *batch, Negatives *drawn)
{
	const KgeTraining *training = &batch->training;
	int			dealt = 0;
	int			block = batch->start / training->batch_size *
		((training->batch_size - 1) / training->block_size + (training->labelling == NULL ? 2 : 3));

	for (int side = SIDE_TAIL; side >= SIDE_HEAD; side--)
	{
		int			of_side = 0;

		for (int i = 0; i < batch->size; i++)
		{
			uint64_t	place;

			if (side_of(batch, i, &place) != (Side) side || has_label(batch, i))
				continue;
			drawn[dealt].triple = batch->triples[place];
			drawn[dealt].weight = batch->weights == NULL || training->labelling != NULL ? 1 : batch->weights[place];
			drawn[dealt].side = (Side) side;
			drawn[dealt].block = block + of_side / training->block_size;
			drawn[dealt].place = of_side % training->block_size;
			drawn[dealt].count = 0;
			draw_negatives(batch, &drawn[dealt]);
			dealt++;
			of_side++;
		}
		block += (of_side + training->block_size - 1) / training->block_size;
	}
	return dealt;
}

/* Which negative the generator picks, -1 if there is none. */
static int
pick(const Minibatch *batch, const Negatives *drawn)
{
	const KgeModel *generator = batch->generator;
	uint64_t	stream = random_stream(batch->training.seed, DRAW_GENERATOR, 1 + batch->epoch,
									(uint64_t) drawn->block);
	double		level = random_open(random_bits(stream, (uint64_t) drawn->place));
	double		sum = 0;
	double		passed = 0;

	for (int k = 0; k < drawn->count; k++)
		sum += exp(kge_score(generator, drawn->other[k]));
	for (int k = 0; k < drawn->count; k++)
	{
		passed += exp(kge_score(generator, drawn->other[k])) / sum;
		if (passed > level)
			return k;
	}
	return -1;
}

/*
 * The weights of a positive's negatives: all 1, a softmax that `constant` makes, or 1 for
 * the generator's pick.  Returns whether they add up to one term.
 */
static bool
weigh(const Minibatch *batch, const Negatives *drawn, double *weight)
{
	bool		soft = is_sampler(batch, "self_adversarial");
	int			picked = is_sampler(batch, "kbgan") ? pick(batch, drawn) : -1;
	double		sum = 0;

	for (int k = 0; k < drawn->count; k++)
	{
		weight[k] = soft ? exp(batch->training.temperature *
							   kge_score(batch->constant,
										 kge_asked(batch->constant, drawn->other[k], drawn->side))) :
			is_sampler(batch, "kbgan") ? picked == k : 1;
		sum += weight[k];
	}
	for (int k = 0; k < drawn->count && soft; k++)
		weight[k] /= sum;
	return soft || is_sampler(batch, "kbgan");
}

/* A mean is sum / terms. */
typedef struct Mean
{
	double		sum;
	int			terms;
} Mean;

static double
penalty_of(const KgeModel *model, const Negatives *drawn)
{
	Triple		asked = kge_asked(model, drawn->triple, drawn->side);
	int			width = kge_entity_width(model->function, model->dimensions);
	double		penalty = 0;

	for (int j = 0; j < width; j++)
		penalty += pow(model->entity[drawn->triple.head * width + j], 2) +
			pow(model->entity[drawn->triple.tail * width + j], 2);
	width = kge_relation_width(model->function, model->dimensions);
	for (int j = 0; j < width && strcmp(model->function->name, "rotate") != 0; j++)
		penalty += pow(model->relation[asked.relation * width + j], 2);
	return penalty;
}

static double
score_of(const Minibatch *batch, const Negatives *drawn, Triple triple)
{
	return kge_score(batch->model, kge_asked(batch->model, triple, drawn->side));
}

/* Of a positive among its negatives: -log(exp(own) / (exp(own) + sum of exp(score))) */
static void
add_cross_entropy(const Minibatch *batch, const Negatives *drawn, Mean *loss)
{
	double		sum = exp(score_of(batch, drawn, drawn->triple));

	for (int k = 0; k < drawn->count; k++)
		sum += exp(score_of(batch, drawn, drawn->other[k]));
	loss->sum += drawn->weight * (log(sum) - score_of(batch, drawn, drawn->triple));
	loss->terms++;
}

/* Adds the losses of a positive and of its negatives. */
static void
add_losses(const Minibatch *batch, const Negatives *drawn, Mean *loss)
{
	bool		margin = batch->training.loss == kge_loss("margin");
	double		own = score_of(batch, drawn, drawn->triple);
	double		share[64];
	bool		one = weigh(batch, drawn, share);

	loss->sum += margin ? 0 : drawn->weight * log1p(exp(-own));
	for (int k = 0; k < drawn->count; k++)
	{
		double		score = score_of(batch, drawn, drawn->other[k]);

		loss->sum += drawn->weight * share[k] *
			(margin ? fmax(0, batch->model->gamma + score - own) : log1p(exp(score)));
	}
	loss->terms += (margin ? 0 : 1) + (one ? 1 : drawn->count);
}

/*
 * Adds the cross entropy of each triple with a label, of ruge by `constant`: their mean counts as much as that of the
 * terms of `facts` facts, of which masked negatives are some.  Of itere, labels are evidence, and each is a term; and so
 * is what is false, with a label of 0.
 */
static void
add_labelled(const Minibatch *batch, int facts, Mean *loss)
{
	const KgeTraining *training = &batch->training;
	int			terms = is_sampler(batch, "self_adversarial") ? 2 : 1 + training->negatives;
	bool		ruge = training->labelling == kge_labelling("ruge");
	Side		side = (batch->start / training->batch_size + (int) batch->epoch) % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;

	for (int i = 0; i < batch->size; i++)
	{
		uint64_t	place;
		double		weight = facts == 0 || !ruge ? 1 : (double) facts * terms / (batch->size - facts);
		double		score,
					label;
		Triple		triple;

		side_of(batch, i, &place);
		if (!has_label(batch, i))
			continue;
		triple = kge_asked(batch->model, batch->triples[place], side);
		score = kge_score(batch->model, triple);
		label = batch->weights[place] == KGE_FALSE ? 0 : fmin(1, (ruge ? 1 / (1 + exp(-kge_score(batch->constant, triple))) : 0) + batch->weights[place]);
		loss->sum += weight * (label * log1p(exp(-score)) + (1 - label) * log1p(exp(score)));
		loss->terms += facts == 0 || !ruge;
	}
}

/* The mean loss and the penalty of a minibatch, in double, term by term. */
static double
objective(const Minibatch *batch, Mean *loss)
{
	Negatives	drawn[16];
	double		penalty = 0;
	int			facts;

	*loss = (Mean) {0, 0};
	facts = deal(batch, drawn);
	for (int i = 0; i < facts; i++)
	{
		if (batch->training.loss == kge_loss("sampled_softmax"))
			add_cross_entropy(batch, &drawn[i], loss);
		else
			add_losses(batch, &drawn[i], loss);
		penalty += drawn[i].weight * penalty_of(batch->model, &drawn[i]);
	}
	add_labelled(batch, facts, loss);
	return (loss->terms == 0 ? 0 : loss->sum / loss->terms) +
		batch->training.regularization * penalty / (facts == 0 ? batch->size : facts);
}

/*
 * The objective's derivative by a parameter, as a central difference; of a step so short that
 * hardly any corner (of L1, of the margin) falls into it.
 */
static double
derivative(Minibatch *batch, float *parameter)
{
	float		saved = *parameter;
	float		above = saved + 1e-6f;
	float		below = saved - 1e-6f;
	double		difference;
	Mean		loss;

	*parameter = above;
	difference = objective(batch, &loss);
	*parameter = below;
	difference -= objective(batch, &loss);
	*parameter = saved;
	difference /= (double) above - below;
	return fabs(difference) < 1e-9 ? 0 : difference;
}

/* What an optimizer keeps of a parameter: the sum or the mean of squares, the mean, steps. */
typedef struct Known
{
	double		square;
	double		mean;
	int			steps;
} Known;

/* A step by the optimizer's definition. */
static double
step(const KgeTraining *training, double g, Known *known)
{
	if (training->optimizer != kge_optimizer("adam"))
	{
		known->square += g * g;
		return g == 0 ? 0 : training->learning_rate * g / sqrt(known->square);
	}
	known->steps++;
	known->mean = 0.9 * known->mean + 0.1 * g;
	known->square = 0.999 * known->square + 0.001 * g * g;
	return training->learning_rate * known->mean / (1 - pow(0.9, known->steps)) /
		(sqrt(known->square / (1 - pow(0.999, known->steps))) + 1e-8);
}

/* A step of all parameters; Adam leaves a row alone that has no gradient. */
static void
definition_step(Minibatch *batch, float *parameter, Known *known, float *to, int count, int width)
{
	for (int row = 0; row < count; row += width)
	{
		double		g[64];
		bool		touched = false;

		for (int j = 0; j < width; j++)
		{
			g[j] = derivative(batch, &parameter[row + j]);
			touched |= g[j] != 0;
		}
		for (int j = 0; j < width && touched; j++)
			to[row + j] = (float) (parameter[row + j] - step(&batch->training, g[j], &known[row + j]));
	}
}

/* Of a loop, complex has gradients that are 0, and a sign by rounding, where no penalty is beside them. */
static void
draw_positive(const KgeModel *model, const KgeTraining *training, int i, Triple *triple, float *weight)
{
	bool		labelled = training->labelling != NULL;

	do
		*triple = random_triple(model);
	while ((labelled || training->has_false) && triple->head == triple->tail);
	*weight = !labelled ? (float) (i % 3) / 2 : i % 3 == 0 ? KGE_FACT : (float) i / 10;
	if (training->has_false && i % 4 == 1)
		*weight = KGE_FALSE;
}

/*
 * Three minibatches of a tiny graph, the last one short, blocks shorter than
 * others, masked negatives certain (5 entities, 6 negatives).
 */
static void
test_definition(Variant variant, KgeTraining training, bool weighted)
{
	enum
	{
		POSITIVES = 10
	};
	KgeModel	model = random_model(variant, 3, 5, 2, 1.0);
	KgeModel	expected = copy_of(&model);
	int			width = kge_entity_width(model.function, 3);
	int			relation_width = kge_relation_width(model.function, 3);
	int			relations = kge_relation_rows(&model);
	Known		entity_known[100] = {{0, 0, 0}},
				relation_known[100] = {{0, 0, 0}};
	Triple		triples[POSITIVES];
	float		weights[POSITIVES];
	Mean		total = {0, 0};
	double		worst = 0;
	double		loss;
	KgeTrainer *trainer;

	training.batch_size = 4;
	training.block_size = 3;
	training.negatives = 6;
	training.learning_rate = 0.01;
	training.regularization = 0.01;
	training.seed = 11;
	for (int i = 0; i < POSITIVES; i++)
		draw_positive(&model, &training, i, &triples[i], &weights[i]);
	for (int start = 0; start < POSITIVES; start += 4)
	{
		KgeModel	before = copy_of(&expected);
		KgeModel	constant = copy_of(&expected);
		Mean		part;
		Minibatch	batch = {&before, &constant, NULL, training, triples, weighted ? weights : NULL,
		POSITIVES, 5, start, start + 4 > POSITIVES ? POSITIVES - start : 4};

		objective(&batch, &part);
		total.sum += part.sum;
		total.terms += part.terms;
		definition_step(&batch, before.entity, entity_known, expected.entity, 5 * width, width);
		definition_step(&batch, before.relation, relation_known, expected.relation,
						relations * relation_width, relation_width);
	}

	trainer = kge_trainer_create(&arena, pool, &model, &training, POSITIVES);
	loss = kge_train_epoch(trainer, triples, weighted ? weights : NULL, POSITIVES, 5);
	CHECK_SAYING(fabs(loss / (total.sum / total.terms) - 1) < 1e-4, "%s norm %d: loss %g, not %g",
				 variant.name, variant.norm, loss, total.sum / total.terms);
	for (int i = 0; i < 5 * width; i++)
		worst = worse(worst, fabs(model.entity[i] - expected.entity[i]));
	for (int i = 0; i < relations * relation_width; i++)
		worst = worse(worst, fabs(model.relation[i] - expected.relation[i]));

	/* three steps of about 0.01 each, right to a few thousandths of themselves */
	CHECK_SAYING(worst < 1e-4, "%s norm %d, weighted %d: off by %g", variant.name, variant.norm,
				 weighted, worst);
}

/* Every loss over negatives, sampler and optimizer that a definition is written for here. */
static void
test_definitions(Variant variant, bool weighted)
{
	static const char *const losses[] = {"logistic", "margin", "sampled_softmax"};
	static const char *const samplers[] = {"uniform", "bernoulli", "self_adversarial"};
	static const char *const labellings[] = {"ruge", "itere", "plogicnet"};

	for (int i = 0; i < 9; i++)
		if (kge_goes_with(kge_loss(losses[i / 3]), kge_sampler(samplers[i % 3])))
			test_definition(variant, (KgeTraining) {.loss = kge_loss(losses[i / 3]),
							.sampler = kge_sampler(samplers[i % 3]),.temperature = 2}, weighted);

	/* without a temperature the weights are equal, and what is masked still has none */
	test_definition(variant, (KgeTraining) {.loss = kge_loss("logistic"),
					.sampler = kge_sampler("self_adversarial"),.temperature = 0}, weighted);

	/* without weights of 0, which touch a row without a gradient */
	if (!weighted)
		test_definition(variant, (KgeTraining) {.loss = kge_loss("logistic"),
						.optimizer = kge_optimizer("adam")}, false);

	/* some with labels beside facts; of ten positives in fours, a minibatch may have no fact */
	if (weighted)
		for (int i = 0; i < 9; i++)
			test_definition(variant, (KgeTraining) {.loss = kge_loss("logistic"),.sampler = kge_sampler(samplers[i / 3]),
							.temperature = 2,.labelling = kge_labelling(labellings[i % 3])}, true);

	/* some that are false beside facts, and beside labels */
	if (weighted)
		for (int i = 0; i < 12; i++)
			if (kge_goes_with(kge_loss(losses[i / 3 % 3]), kge_sampler(samplers[i % 3])))
				test_definition(variant, (KgeTraining) {.loss = kge_loss(losses[i / 3 % 3]),.sampler = kge_sampler(samplers[i % 3]),
								.temperature = 2,.labelling = i < 9 ? NULL : kge_labelling(labellings[i % 3]),.has_false = true}, true);
}

/* ---- softmax and N3 from the definition ------------------------------------ */

/* log of the sum of exp(phi) over all entities on one side of the triple, less phi. */
static double
cross_entropy(const KgeModel *model, Triple triple, Side side)
{
	double		own = kge_score(model, kge_asked(model, triple, side));
	double		sum = 0;

	for (int32_t i = 0; i < model->entities; i++)
	{
		*(side == SIDE_TAIL ? &triple.tail : &triple.head) = i;
		sum += exp(kge_score(model, kge_asked(model, triple, side)) - own);
	}
	return log(sum);
}

/* Likewise over all relations, given head and tail, of the triple that is asked. */
static double
relation_cross_entropy(const KgeModel *model, Triple triple, Side side)
{
	Triple		asked = kge_asked(model, triple, side);
	double		own = kge_score(model, asked);
	double		sum = 0;

	for (asked.relation = 0; asked.relation < kge_relation_rows(model); asked.relation++)
		sum += exp(kge_score(model, asked) - own);
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

/* Under N3: cubes of head, tail, and relation, by halves where it differs on the two sides. */
static double
penalty_n3(const KgeModel *model, Triple triple)
{
	int			width = kge_entity_width(model->function, model->dimensions);
	int			relation_width = kge_relation_width(model->function, model->dimensions);
	bool		is_complex = strcmp(model->function->name, "complex") == 0 || strcmp(model->function->name, "rotate") == 0;
	int			half = is_complex ? model->dimensions : 0;
	double		sum = cubes(kge_entity_row(model, triple.head), width, half) +
		cubes(kge_entity_row(model, triple.tail), width, half);

	if (strcmp(model->function->name, "rotate") == 0)
		return sum;
	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
		sum += cubes(kge_relation_row(model, kge_asked(model, triple, side).relation),
					 relation_width, half) / 2;
	return sum;
}

static double
squares(const float *row, int width)
{
	double		sum = 0;

	for (int j = 0; j < width; j++)
		sum += (double) row[j] * row[j];
	return sum;
}

/*
 * Under DURA: squares of head, tail and both queries, whose number j is the score of an
 * answer that has 1 at j and 0 elsewhere.
 */
static double
penalty_dura(const KgeModel *model, Triple triple)
{
	int			width = kge_entity_width(model->function, model->dimensions);
	double		sum = squares(kge_entity_row(model, triple.head), width) +
		squares(kge_entity_row(model, triple.tail), width);

	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
		for (int j = 0; j < width; j++)
		{
			Triple		asked = kge_asked(model, triple, side);
			bool		of_head = side == SIDE_HEAD && !model->reciprocal;
			float		unit[64] = {0};

			unit[j] = 1;
			sum += pow(kge_row_score(model, of_head ? unit : kge_entity_row(model, asked.head),
									 kge_relation_row(model, asked.relation),
									 of_head ? kge_entity_row(model, asked.tail) : unit), 2);
		}
	return sum;
}

/* The mean loss and the penalty of all triples as one minibatch. */
static double
softmax_objective(const Minibatch *batch, double *loss)
{
	const KgeModel *model = batch->model;
	double		penalty = 0;

	*loss = 0;
	for (int i = 0; i < batch->count; i++)
	{
		Triple		triple = batch->triples[i];
		double		weight = batch->weights == NULL ? 1 : batch->weights[i];

		*loss += weight * (cross_entropy(model, triple, SIDE_TAIL) +
						   cross_entropy(model, triple, SIDE_HEAD)) / (2 * batch->count);
		*loss += weight * batch->training.relation_weight *
			(relation_cross_entropy(model, triple, SIDE_TAIL) +
			 relation_cross_entropy(model, triple, SIDE_HEAD)) / (2 * batch->count);
		penalty += weight * (batch->training.regularizer == KGE_REGULARIZER_DURA ?
							 penalty_dura(model, triple) : penalty_n3(model, triple));
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
		worst = worse(worst, fabs(gradient - difference) / fmax(fabs(difference), size));
	}
	return worst;
}

static void
test_softmax(Variant variant, int d, int entities, int relations, int positives, bool weighted,
			 KgeTraining how)
{
	enum
	{
		MOST = 500
	};
	KgeTraining training = {.batch_size = positives, .block_size = 1, .negatives = 1,
	.learning_rate = 0.01, .regularization = 0.1, .seed = 11, .loss = kge_loss("softmax"),
	.relation_weight = how.relation_weight,.regularizer = how.regularizer,.precision = how.precision};
	double		factor = how.precision == KGE_SINGLE ? 1 : 100; /* of 8 bits */
	KgeModel	model = random_model(variant, d, entities, relations, 1.0);
	int			entity = entities * kge_entity_width(model.function, d);
	int			relation = kge_relation_rows(&model) * kge_relation_width(model.function, d);
	Triple		triples[MOST];
	float		weights[MOST];
	float	   *state;
	double		expected,
				loss,
				worst;
	size_t		size;
	KgeTrainer *trainer;
	KgeModel	before;
	Minibatch	batch = {&before, &before, NULL, training, triples, weighted ? weights : NULL, positives, 0, 0, positives};

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
	CHECK_SAYING(fabs(loss - expected) < factor * 1e-5 * expected, "%s norm %d: loss %.9g, not %.9g",
				 variant.name, variant.norm, loss, expected);

	CHECK(kge_trainer_state(trainer, 0, &state, &size) && size == (size_t) entity);
	worst = worst_gradient(&batch, before.entity, model.entity, state, entity, 30);
	CHECK_SAYING(worst < factor * 1e-3, "%s norm %d, %d entities: relative error %g of entities",
				 variant.name, variant.norm, entities, worst);
	CHECK(kge_trainer_state(trainer, 1, &state, &size) && size == (size_t) relation);
	worst = worst_gradient(&batch, before.relation, model.relation, state, relation,
						   relation < 200 ? relation : 30);
	CHECK_SAYING(worst < factor * 1e-3, "%s norm %d, %d entities: relative error %g of relations",
				 variant.name, variant.norm, entities, worst);
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
	.learning_rate = 1e-9, .seed = 11, .loss = kge_loss("softmax"), .precision = precision,
	.relation_weight = 0.7};
	KgeModel	model = random_model(variants[3], 3, 9, 2, 1.0);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, POSITIVES);
	Triple		triples[POSITIVES];
	float		weights[POSITIVES];
	Minibatch	batch = {&model, &model, NULL, training, triples, weights, POSITIVES, 0, 0, POSITIVES};
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
}

/* A graph of two relations over `entities` numbers: next, and next but one. */
static int
ring(int entities, Triple *triples)
{
	for (int i = 0; i < entities; i++)
	{
		triples[2 * i] = (Triple) {i, 0, (i + 1) % entities};
		triples[2 * i + 1] = (Triple) {i, 1, (i + 2) % entities};
	}
	return 2 * entities;
}

/* A grid of 5 x 6 under "right of" and "below": every score function here can learn it. */
static int
grid(Triple *triples)
{
	int			count = 0;

	for (int i = 0; i < 30; i++)
	{
		if (i % 5 < 4)
			triples[count++] = (Triple) {i, 0, i + 1};
		if (i < 25)
			triples[count++] = (Triple) {i, 1, i + 5};
	}
	return count;
}

/* ---- kbgan from the definition ----------------------------------------------- */

/* A model that no one changes, of the generator in the trainer's state. */
static KgeModel
generator_of(const KgeTrainer *trainer, const KgeModel *model)
{
	KgeModel	generator = {.function = kge_score_function("distmult"),
		.dimensions = model->dimensions, .norm = 1, .entities = model->entities,
	.relations = model->relations};
	size_t		count;

	CHECK(kge_trainer_state(trainer, 2, &generator.entity, &count) &&
		  count == (size_t) (model->entities * model->dimensions));
	CHECK(kge_trainer_state(trainer, 3, &generator.relation, &count) &&
		  count == (size_t) (model->relations * model->dimensions));
	return copy_of(&generator);
}

/* What the generator descends: minus the mean of reward * log p of its picks. */
static double
policy(const Minibatch *batch, const int *picked, const Negatives *drawn, const double *reward)
{
	double		sum = 0;

	for (int i = 0; i < batch->size; i++)
	{
		double		total = 0;

		for (int k = 0; k < drawn[i].count; k++)
			total += exp(kge_score(batch->generator, drawn[i].other[k]));
		if (picked[i] >= 0)
			sum -= drawn[i].weight * reward[i] *
				(kge_score(batch->generator, drawn[i].other[picked[i]]) - log(total));
	}
	return sum / batch->size;
}

/*
 * The reward's mean over the picks is the next minibatch's baseline; the first one's is 0.  A reward is a score, of which
 * a sum of moduli may be off by 6.2e-5 of itself.
 */
static void
check_baseline(const KgeTrainer *trainer, const int *picked, const double *reward, int size)
{
	KgeEngine	engine = kge_engine(trainer->model);
	double		off = 1e-5;
	double		sum = 0;
	int			picks = 0;
	float	   *baseline;
	size_t		count;

	for (int i = 0; i < size; i++)
	{
		sum += picked[i] >= 0 ? reward[i] : 0;
		picks += picked[i] >= 0;
	}
	CHECK(kge_trainer_state(trainer, 6, &baseline, &count) && count == 1);
	if (engine.similarity == KGE_MODULI)
		off += 6.2e-5 * (engine.gamma - sum / picks);
	CHECK_SAYING(fabs(*baseline - sum / picks) < off, "baseline %g, not %g", *baseline, sum / picks);
	CHECK(!kge_trainer_state(trainer, 7, &baseline, &count));
}

/*
 * The generator's gradient, against differences of `policy`: a first step of Adagrad leaves g^2, and moves against the
 * sign of g.  `generator` is the one of `batch`, as it was before the step.
 */
static void
check_policy_gradient(const char *what, const KgeTrainer *trainer, const Minibatch *batch, KgeModel *generator,
					  const int *picked, const Negatives *drawn, const double *reward)
{
	double		worst = 0;
	float	   *moved;
	float	   *squares;
	size_t		count;

	kge_trainer_state(trainer, 2, &moved, &count);
	kge_trainer_state(trainer, 4, &squares, &count);
	for (size_t i = 0; i < count; i++)
	{
		float		saved = generator->entity[i];
		double		gradient = (moved[i] < saved ? 1 : -1) * sqrt(squares[i]);
		double		difference;

		generator->entity[i] = saved + 1e-3f;
		difference = policy(batch, picked, drawn, reward);
		generator->entity[i] = saved - 1e-3f;
		difference = (difference - policy(batch, picked, drawn, reward)) / 2e-3;
		generator->entity[i] = saved;
		worst = worse(worst, fabs(gradient - difference));
	}
	CHECK_SAYING(worst < 1e-4, "%s: policy gradient off by %g", what, worst);
}

/* One minibatch: the generator's picks, the discriminator's step, the generator's gradient. */
static void
test_kbgan(Variant variant, const char *loss_name)
{
	enum
	{
		POSITIVES = 10
	};
	KgeTraining training = {.batch_size = POSITIVES, .block_size = 3, .negatives = 20,
		.learning_rate = 0.01, .regularization = 0.01, .seed = 12, .loss = kge_loss(loss_name),
	.sampler = kge_sampler("kbgan")};
	KgeModel	model = random_model(variant, 3, 9, 2, 1.0);
	KgeModel	before = copy_of(&model);
	KgeModel	expected = copy_of(&model);
	KgeModel	generator;
	int			width = kge_entity_width(model.function, 3);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, POSITIVES);
	Known		known[100] = {{0, 0, 0}};
	Triple		triples[POSITIVES];
	Negatives	drawn[POSITIVES];
	int			picked[POSITIVES];
	double		reward[POSITIVES];
	double		worst = 0;
	double		loss;
	Mean		mean;
	float	   *moved;
	size_t		count;
	Minibatch	batch = {&before, &before, &generator, training, triples, NULL, POSITIVES, 4, 0, POSITIVES};

	for (int i = 0; i < POSITIVES; i++)
		triples[i] = random_triple(&model);
	CHECK(kge_trainer_state(trainer, 2, &moved, &count));
	for (size_t i = 0; i < count; i++)	/* far from all alike */
		moved[i] *= 10;
	generator = generator_of(trainer, &model);
	deal(&batch, drawn);
	for (int i = 0; i < POSITIVES; i++)
	{
		picked[i] = pick(&batch, &drawn[i]);
		if (picked[i] >= 0)
			reward[i] = kge_score(&before, kge_asked(&before, drawn[i].other[picked[i]], drawn[i].side));
	}

	objective(&batch, &mean);
	definition_step(&batch, before.entity, known, expected.entity, 9 * width, width);
	loss = kge_train_epoch(trainer, triples, NULL, POSITIVES, 4);
	CHECK_SAYING(fabs(loss / (mean.sum / mean.terms) - 1) < 1e-4, "%s: loss %g, not %g",
				 variant.name, loss, mean.sum / mean.terms);
	for (int i = 0; i < 9 * width; i++)
		worst = worse(worst, fabs(model.entity[i] - expected.entity[i]));
	CHECK_SAYING(worst < 1e-4, "%s norm %d: off by %g", variant.name, variant.norm, worst);

	check_baseline(trainer, picked, reward, POSITIVES);
	check_policy_gradient(variant.name, trainer, &batch, &generator, picked, drawn, reward);
}

/* ---- samplers ------------------------------------------------------------------- */

/*
 * Three tails of one head under relation 0, and a one to one relation 1: heads are
 * corrupted in 3/(3 + 1) and in 1/2 of all draws, within 5 standard deviations.
 */
static void
test_bernoulli(void)
{
	enum
	{
		EPOCHS = 2000
	};
	KgeTraining training = {.batch_size = 10, .block_size = 10, .negatives = 1,
		.learning_rate = 0.01, .seed = 1, .loss = kge_loss("logistic"),
	.sampler = kge_sampler("bernoulli")};
	KgeModel	model = random_model(variants[2], 1, 6, 2, 0.5);
	Pool	   *pool = pool_create(1, NULL, NULL);
	Triple		triples[] = {{0, 0, 1}, {2, 1, 3}, {0, 0, 2}, {4, 1, 5}, {0, 0, 3}, {3, 1, 0}};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 6);
	double		heads[2] = {0, 0};

	trainer->positives = triples;
	trainer->order.count = 6;
	for (int epoch = 0; epoch < EPOCHS; epoch++)
	{
		trainer->epoch = (uint64_t) epoch;
		training.sampler->open(trainer);
		for (int i = 0; i < 6; i++)
			heads[i % 2] += training.sampler->side(trainer, triples[i], i) == SIDE_HEAD;
	}
	CHECK_SAYING(fabs(heads[0] / (3 * EPOCHS) - 0.75) < 5 * sqrt(0.75 * 0.25 / (3 * EPOCHS)),
				 "%g of relation 0", heads[0] / (3 * EPOCHS));
	CHECK_SAYING(fabs(heads[1] / (3 * EPOCHS) - 0.5) < 5 * sqrt(0.5 * 0.5 / (3 * EPOCHS)),
				 "%g of relation 1", heads[1] / (3 * EPOCHS));
	pool_destroy(pool);
}

/* Minibatches of a few blocks, for a ring of 20 entities */
static KgeTraining
ring_training(KgeTraining how)
{
	how.batch_size = 20;
	how.block_size = 8;
	how.negatives = 10;
	how.seed = 3;
	how.temperature = 1;
	return how;
}

/* Returns its bytes. */
static size_t
copy_state(KgeTrainer *from, KgeTrainer *to)
{
	size_t		all = 0;
	size_t		count;
	size_t		same;
	float	   *values;
	float	   *place;

	for (int i = 0; kge_trainer_state(from, i, &values, &count); i++)
	{
		CHECK(kge_trainer_state(to, i, &place, &same) && same == count);
		memcpy(place, values, count * sizeof(float));
		all += count * sizeof(float);
	}
	return all;
}

static double
max_difference(const float *a, const float *b, size_t count)
{
	double		worst = 0;

	for (size_t i = 0; i < count; i++)
		worst = worse(worst, fabs((double) a[i] - b[i]));
	return worst;
}

/* The largest difference of two trainers' states, a sampler's own model included. */
static double
state_difference(KgeTrainer *a, KgeTrainer *b)
{
	double		worst = 0;
	size_t		count;
	float	   *x;
	float	   *y;

	for (int i = 0; kge_trainer_state(a, i, &x, &count) && kge_trainer_state(b, i, &y, &count); i++)
		worst = worse(worst, max_difference(x, y, count));
	return worst;
}

/* A trainer whose state is another's goes on where that one stopped, to the bit. */
static void
test_resume(KgeTraining how)
{
	KgeTraining training = ring_training(how);
	KgeModel	unbroken = random_model(variants[3], 6, 20, 2, 0.5);
	KgeModel	resumed = copy_of(&unbroken);
	Triple		triples[40];
	int			count = ring(20, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &unbroken, &training, count);
	KgeTrainer *first = kge_trainer_create(&arena, pool, &resumed, &training, count);
	KgeTrainer *second;

	for (uint64_t epoch = 0; epoch < 3; epoch++)
		kge_train_epoch(trainer, triples, NULL, count, epoch);
	kge_train_epoch(first, triples, NULL, count, 0);
	second = kge_trainer_create(&arena, pool, &resumed, &training, count);
	CHECK(copy_state(first, second) == kge_trainer_state_bytes(&resumed, &training));
	for (uint64_t epoch = 1; epoch < 3; epoch++)
		kge_train_epoch(second, triples, NULL, count, epoch);
	CHECK(same_bits(&unbroken, &resumed));
}

/*
 * A learning rate that goes from 0.03 to 0.01 in three epochs, and stays there, is 0.03, 0.02, 0.01 and 0.01: what trainers
 * of these rates do, each going on from the state of the one before.
 */
static void
test_learning_rate_end(KgeTraining how)
{
	static const double rates[] = {0.03, 0.02, 0.01, 0.01};
	KgeTraining training = ring_training(how);
	KgeModel	falling = random_model(variants[3], 6, 20, 2, 0.5);
	KgeModel	stepwise = copy_of(&falling);
	Triple		triples[40];
	int			count = ring(20, triples);
	KgeTrainer *trainer;
	KgeTrainer *before = NULL;

	training.learning_rate = rates[0];
	training.learning_rate_end = rates[2];
	training.epochs = 3;
	trainer = kge_trainer_create(&arena, pool, &falling, &training, count);
	training.epochs = 0;
	for (uint64_t epoch = 0; epoch < 4; epoch++)
	{
		KgeTrainer *step;

		training.learning_rate = rates[epoch];
		step = kge_trainer_create(&arena, pool, &stepwise, &training, count);
		if (before != NULL)
			copy_state(before, step);
		kge_train_epoch(trainer, triples, NULL, count, epoch);
		kge_train_epoch(step, triples, NULL, count, epoch);
		before = step;
	}
	CHECK(max_difference(falling.entity, stepwise.entity, entity_bytes(&falling) / sizeof(float)) < 1e-6);
	CHECK(max_difference(falling.relation, stepwise.relation, relation_bytes(&falling) / sizeof(float)) < 1e-6);
	CHECK_SAYING(state_difference(trainer, before) < 1e-6, "%s: off by %g", how.sampler->name, state_difference(trainer, before));
}

/* More negatives than a tile holds: the softmax over them is put together from its tiles. */
static void
test_tiles(void)
{
	KgeTraining training = {.batch_size = 1, .block_size = 1, .negatives = 300,
		.learning_rate = 0.01, .seed = 1, .loss = kge_loss("logistic"),
	.sampler = kge_sampler("self_adversarial"), .temperature = 3};
	KgeModel	model = random_model(variants[3], 4, 500, 1, 1.0);
	Pool	   *pool = pool_create(1, NULL, NULL);
	Triple		triple = {0, 0, 1};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 1);
	int32_t		negative[300];
	double		sum = 0;
	double		loss = 0;

	/* tails are replaced in epoch 0, by the negatives of block 0 */
	kge_draw_negatives(1, 0, 0, 500, 300, negative);
	for (int k = 0; k < 300; k++)
	{
		double		phi = kge_score(&model, (Triple) {0, 0, negative[k]});

		if (negative[k] == 1)
			continue;
		sum += exp(3 * phi);
		loss += exp(3 * phi) * log1p(exp(phi));
	}
	loss = (loss / sum + log1p(exp(-kge_score(&model, triple)))) / 2;
	CHECK_SAYING(fabs(kge_train_epoch(trainer, &triple, NULL, 1, 0) / loss - 1) < 1e-5, "not %g", loss);
	pool_destroy(pool);
}

/* ---- properties ---------------------------------------------------------------- */

/* `how` has the loss, the sampler and the optimizer. */
static void
test_same_bits(Variant variant, KgeTraining how)
{
	KgeTraining training = {.batch_size = 100, .block_size = 16, .negatives = 30,
	.learning_rate = 0.01, .regularization = 0.001, .seed = 3, .loss = how.loss,
	.sampler = how.sampler, .optimizer = how.optimizer, .temperature = 1, .precision = how.precision};
	KgeModel	start = random_model(variant, 20, 150, 2, 0.5);
	KgeModel	result[4];
	Triple		triples[300];
	int			count = ring(150, triples);

	for (int run = 0; run < 4; run++)
	{
		int			threads = run % 3 + 1;
		Pool	   *pool = pool_create(threads, NULL, NULL);
		KgeTrainer *trainer;

		result[run] = copy_of(&start);
		trainer = kge_trainer_create(&arena, pool, &result[run], &training, count);
		for (uint64_t epoch = 0; epoch < 3; epoch++)
			kge_train_epoch(trainer, triples, NULL, count, epoch);
		pool_destroy(pool);
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
	Triple		triples[60];
	int			count = grid(triples);
	int32_t		head[60],
				tail[60];
	KgeTrainer *trainer;
	double		first,
				last = 0;

	/* under the margin loss gamma is what scores have to differ by, and this is a small grid */
	if (loss == kge_loss("margin"))
		model.gamma = 1;
	kge_model_initialise(&model, pool, 1);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	first = kge_train_epoch(trainer, triples, NULL, count, 0);
	for (uint64_t epoch = 1; epoch < 500; epoch++)
		last = kge_train_epoch(trainer, triples, NULL, count, epoch);
	CHECK_SAYING(last < first / 3, "%s norm %d: loss %g, then %g", variant.name,
				 variant.norm, first, last);
	kge_rank(&arena, pool, &model, NULL,
			 (KgeTriples) {triples, count}, (KgeTriples) {triples, count}, 1, (KgeRanks) {head, tail});

	/*
	 * DistMult cannot tell (a, r, b) from (b, r, a), so that the left neighbour
	 * ties with the right one: ranks of 1 or 2, a mean of 3/4 or more.
	 */
	CHECK_SAYING(kge_metrics(tail, count).mrr > (strcmp(variant.name, "distmult") == 0 ? 0.7 : 0.8),
				 "%s norm %d: MRR %g", variant.name, variant.norm, kge_metrics(tail, count).mrr);
}

/*
 * Observing moves nothing and returns the loss.  The first step after it sees each
 * squared gradient for the fourth time, and is half as long as the one without.
 */
static void
test_observing(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = is_k_vs_all(loss) ? 200 : 100, .block_size = 16, .negatives = 30,
	.learning_rate = 0.1, .regularization = 0.001, .seed = 3, .loss = loss};
	KgeModel	start = random_model(variant, 20, 50, 2, 0.5);
	KgeModel	plain = copy_of(&start);
	KgeModel	observed = copy_of(&start);
	Triple		triples[100];
	int			count = ring(50, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &plain, &training, 2 * count);
	double		first = kge_train_epoch(trainer, triples, NULL, count, 0);
	size_t		numbers = entity_bytes(&start) / sizeof(float);
	double		worst = 0;
	int			compared = 0;

	trainer = kge_trainer_create(&arena, pool, &observed, &training, 2 * count);
	CHECK(kge_train_observe(trainer, triples, NULL, count, 0, 3) == first);
	CHECK_SAYING(same_bits(&observed, &start), "%s: observing moves", variant.name);
	kge_train_epoch(trainer, triples, NULL, count, 0);
	for (size_t i = 0; i < numbers; i++)
	{
		double		step = plain.entity[i] - start.entity[i];

		/* a shorter one is of next to no gradient, which Adagrad divides by a little more */
		if (fabs(step) > 0.0999)
		{
			worst = worse(worst, fabs((observed.entity[i] - start.entity[i]) / step - 0.5));
			compared++;
		}
	}
	CHECK_SAYING(compared > 10, "%s: %d steps are compared", variant.name, compared);
	CHECK_SAYING(worst < 1e-3, "%s: a step is off by %g", variant.name, worst);
}

/* Observing does not move what picks negatives, either, nor its state. */
static void
test_observing_generator(void)
{
	KgeTraining training = ring_training((KgeTraining) {.learning_rate = 0.1,.loss = kge_loss("logistic"),
														.sampler = kge_sampler("kbgan")});
	KgeModel	model = random_model(variants[3], 6, 20, 2, 0.5);
	Triple		triples[40];
	int			count = ring(20, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	KgeTrainer *other = kge_trainer_create(&arena, pool, &model, &training, count);
	float	   *observed;
	float	   *fresh;
	size_t		size;
	int			arrays = 2;		/* those before are the model's own */

	kge_train_observe(trainer, triples, NULL, count, 0, 3);
	for (; kge_trainer_state(trainer, arrays, &observed, &size); arrays++)
		CHECK_SAYING(kge_trainer_state(other, arrays, &fresh, &size) &&
					 memcmp(observed, fresh, size * sizeof(float)) == 0, "array %d of the state", arrays);
	CHECK(arrays == 7);
	/* and an epoch does */
	kge_train_epoch(trainer, triples, NULL, count, 0);
	CHECK(kge_trainer_state(trainer, 2, &observed, &size) && kge_trainer_state(other, 2, &fresh, &size) &&
		  memcmp(observed, fresh, size * sizeof(float)) != 0);
}

/* What has no weight moves nothing, be it all positives or a part. */
static void
test_no_weight(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 8, .block_size = 4, .negatives = 5,
	.learning_rate = 0.1, .regularization = 0.1, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[3], 6, 20, 2, 0.5);
	KgeModel	before = copy_of(&model);
	Triple		triples[40];
	float		weights[40] = {0};
	int			count = ring(20, triples);
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, count);

	if (!is_k_vs_all(loss))
		CHECK(kge_train_epoch(trainer, triples, weights, count, 0) == 0);
	CHECK(same_bits(&model, &before));
	CHECK(kge_train_epoch(trainer, triples, NULL, 0, 0) == 0);
	CHECK(same_bits(&model, &before));
}

/* Two entities: half of all negatives are masked, and a batch is larger than the data. */
static void
test_two_entities(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 512, .block_size = 64, .negatives = 16,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variant, 8, 2, 1, 0.5);
	Triple		triple = {0, 0, 1};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 1);

	for (uint64_t epoch = 0; epoch < 300; epoch++)
		kge_train_epoch(trainer, &triple, NULL, 1, epoch);

	/*
	 * Were the positive its own negative, 8 times in the mean for once as a
	 * positive, its best score would be -log 8 = -2.1.
	 */
	CHECK_SAYING(kge_score(&model, triple) > 0 || is_softmax(loss), "%s norm %d: score %g", variant.name,
				 variant.norm, kge_score(&model, triple));
	CHECK(kge_score(&model, triple) > kge_score(&model, (Triple) {0, 0, 0}));
}

static void
test_one_entity(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 4, .block_size = 4, .negatives = 4,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[3], 8, 1, 1, 0.5);
	Pool	   *pool = pool_create(1, NULL, NULL);
	Triple		triple = {0, 0, 0};
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, &model, &training, 2);

	/* nothing but the positive is left; its loss is log(1 + exp(-phi)), or log 1, or there is no pair */
	double		expected = loss != kge_loss("logistic") && !is_k_vs_all(loss) ? 0 : log1p(exp(-kge_score(&model, triple)));

	CHECK(fabs(kge_train_epoch(trainer, &triple, NULL, 1, 0) - expected) < 1e-5);
	pool_destroy(pool);
}

static void
test_divergence(Variant variant, const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 8, .block_size = 4, .negatives = 5,
	.learning_rate = 1e30, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variant, 6, 20, 2, 0.5);
	Triple		triples[40];
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
}

/* What kge_trainer_bytes states is what is taken, and nothing is when there is none. */
static void
test_memory(const KgeLoss *loss)
{
	KgeTraining training = {.batch_size = 512, .block_size = 64, .negatives = 256,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[4], 50, 20, 2, 0.5);
	Pool	   *pool = pool_create(3, NULL, NULL);

	arena_bytes = 0;
	CHECK(kge_trainer_create(&counting_arena, pool, &model, &training, 10000) != NULL);
	CHECK(arena_bytes == kge_trainer_bytes(&model, &training, 10000, 3));
	CHECK(kge_trainer_create(&empty_arena, pool, &model, &training, 10000) == NULL);

	/* 2^31 negatives of 400 bytes in each of 8 blocks and 3 threads: 9e12 bytes and more */
	training.negatives = INT32_MAX;
	CHECK(is_softmax(loss) || is_k_vs_all(loss) || kge_trainer_bytes(&model, &training, 10000, 3) > 9000000000000);

	/* 2^31 entities: parameters' squares and a dense gradient of 400 bytes each */
	training.negatives = 1;
	model.entities = INT32_MAX;
	CHECK(!is_softmax(loss) || kge_trainer_bytes(&model, &training, 10000, 3) > 1700000000000);
	pool_destroy(pool);
}

/* Training can be left in the middle of a block of a second or so. */
static void
test_leaving(const KgeLoss *loss)
{
	static Leaving leaving;
	KgeTraining training = {.batch_size = 64, .block_size = 64, .negatives = 4096,
	.learning_rate = 0.1, .regularization = 0, .seed = 3, .loss = loss};
	KgeModel	model = random_model(variants[4], 200, 500, 2, 0.5);
	Triple		triples[1000];
	int			count = ring(500, triples);
	Pool	   *pool;
	KgeTrainer *trainer;

	leaving = (Leaving) {.leave_at = 3};
	pool = pool_create(2, leave, &leaving);
	trainer = kge_trainer_create(&arena, pool, &model, &training, count);
	if (setjmp(leaving.place) == 0)
	{
		kge_train_epoch(trainer, triples, NULL, count, 0);
		CHECK_SAYING(false, "the epoch was not left");
	}
	CHECK(leaving.pauses == 3);
	pool_destroy(pool);
}

/* bfloat16 is of losses over all entities by dot products: no other training takes less time with it. */
static void
test_epoch_seconds(Variant variant, const KgeLoss *loss)
{
	KgeModel	model = random_model(variant, 20, 16, 2, 0.1);
	KgeTraining training = ring_training((KgeTraining) {.loss = loss,.sampler = kge_sampler("uniform"),
										 .optimizer = kge_optimizer("adagrad")});
	KgeTraining rounded = training;
	bool		by_dot = kge_engine(&model).similarity == KGE_DOT;
	double		seconds = kge_epoch_seconds(&model, &training, 1000, 500);

	rounded.precision = KGE_BFLOAT16;
	CHECK(seconds > 0);
	CHECK_SAYING((kge_epoch_seconds(&model, &rounded, 1000, 500) < seconds) == (loss->negatives == NULL && by_dot),
				 "%s, loss %s: the time of bfloat16", variant.name, loss->name);
}

static void
test_loss_function(const KgeLoss *loss)
{
	for (int i = 0; i < variant_count; i++)
	{
		test_same_bits(variants[i], (KgeTraining) {.loss = loss});
		test_epoch_seconds(variants[i], loss);
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

#define WIDE 80

/* check_pauses' `work`: an epoch of one minibatch, all of one relation. */
static void
train_wide(Pool *pool, void *argument)
{
	KgeTraining training = {.batch_size = WIDE,.block_size = 1,.negatives = 1,.learning_rate = 0.1,
	.regularization = 0.01,.loss = kge_loss("softmax"),.relation_weight = 0.7};
	Triple		triples[WIDE];
	KgeTrainer *trainer = kge_trainer_create(&arena, pool, argument, &training, WIDE);

	for (int i = 0; i < WIDE; i++)
		triples[i] = (Triple) {i, 0, (i + 1) % WIDE};
	start_stretch();
	kge_train_epoch(trainer, triples, NULL, WIDE, 0);
}

/*
 * However wide a relation is, and however many of a minibatch's queries are its: a slice takes 10 ms, and what
 * begins in it must soon pause.  All of this minibatch's relation at once would take several times the limit.
 */
static void
test_pauses(Variant variant)
{
	KgeModel	model = random_model(variant, 500, WIDE, 1, 0.1);

	check_pauses(1, 0.06, train_wide, &model, variant.name);
}

static void
test_softmax_of(Variant variant, bool weighted)
{
	KgeTraining usual = {0};
	KgeTraining relations = {.relation_weight = 0.7};
	KgeTraining dura = {.regularizer = KGE_REGULARIZER_DURA};

	test_softmax(variant, 3, 7, 2, 5, weighted, usual);

	/* three tiles, and two blocks, the last ones not full */
	test_softmax(variant, 3, 260, 2, 70, weighted, usual);

	/* the loss of relations, whose tiles and blocks are smaller */
	if (!kge_is_distance(kge_score_function(variant.name)))
	{
		test_softmax(variant, 3, 7, 11, 75, weighted, relations);
		test_softmax(variant, 3, 7, 2, 75, weighted, dura);
	}
}

static void
test_waves(void)
{
	KgeTraining usual = {0};
	KgeTraining relations = {.relation_weight = 0.7};

	/* more queries than a wave holds */
	test_softmax(variants[3], 3, 300, 2, 500, true, usual);

	/* matrices of 33 KB, of which a wave holds one block */
	test_softmax(variants[6], 91, 3, 2, 40, true, relations);
}

static void
test_rounded(void)
{
	KgeTraining rounded = {.relation_weight = 0.7,.precision = KGE_BFLOAT16};

	test_softmax_epoch(100, KGE_BFLOAT16);

	/* more relations than a tile holds */
	test_softmax(variants[8], 3, 7, 40, 75, true, rounded);

	/* matrices of 144 numbers, more than a slice holds */
	test_softmax(variants[6], 12, 7, 3, 75, true, rounded);
	test_same_bits(variants[3], (KgeTraining) {.loss = kge_loss("softmax"),
				   .precision = KGE_BFLOAT16});
	test_learning(variants[3], kge_loss("softmax"), KGE_BFLOAT16);
}

void
test_train(void)
{
	for (int i = 0; i < variant_count; i++)
		for (int weighted = 0; weighted < 2; weighted++)
		{
			test_definitions(variants[i], weighted == 1);
			test_softmax_of(variants[i], weighted == 1);
		}
	test_waves();
	for (int batch = 1; batch <= 1000; batch *= 10)
		test_softmax_epoch(batch, KGE_SINGLE);
	if (kge_has_precision(KGE_BFLOAT16))
		test_rounded();
	for (int i = 0; kge_loss_name(i) != NULL; i++)
		test_loss_function(kge_loss(kge_loss_name(i)));
	for (int i = 0; i < variant_count; i++)
	{
		test_kbgan(variants[i], "logistic");
		test_kbgan(variants[i], "margin");
	}
	for (int i = 0; kge_sampler_name(i) != NULL; i++)
	{
		KgeTraining how = {.learning_rate = 0.01, .loss = kge_loss(i % 2 == 0 ? "margin" : "logistic"),
			.sampler = kge_sampler(kge_sampler_name(i)), .optimizer = kge_optimizer("adam")};

		test_same_bits(variants[3], how);
		test_resume(how);
		test_learning_rate_end(how);
	}
	test_observing_generator();
	test_bernoulli();
	test_tiles();
	test_pauses(variants[6]);
	CHECK(kge_loss("hinge") == NULL && kge_sampler("hard") == NULL && kge_optimizer("sgd") == NULL);
}
