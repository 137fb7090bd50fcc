/*
 * test_labels.c
 *		Labels: the closed form against a numeric minimum of what it minimises, the loss and its derivative, the same bits.
 *		Gradients of minibatches with labels are in test_train.c.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "compared/kge/compared.h"
#include "kge/learning.h"
#include "kge/rank.h"

#define RULES	3

/*
 * The objective of a label by its definition (Guo et al. 2018): near the truth value, and each rule gives up c * (1 - pi),
 * where pi = body * s - body + 1 is the truth of its grounding, whose body are facts.
 */
static double
objective(double s, double score, const double *confidence, double penalty)
{
	const double body = 1;
	double		truth = 1 / (1 + exp(-score));
	double		sum = (s - truth) * (s - truth) / 2;

	for (int i = 0; i < RULES; i++)
		sum += penalty * fmax(0, confidence[i] * (1 - (body * s - body + 1)));
	return sum;
}

/* By thirds: it is convex. */
static double
minimum(double score, const double *confidence, double penalty)
{
	double		low = 0;
	double		high = 1;

	while (high - low > 1e-9)
	{
		double		left = low + (high - low) / 3;
		double		right = high - (high - low) / 3;

		if (objective(left, score, confidence, penalty) < objective(right, score, confidence, penalty))
			high = right;
		else
			low = left;
	}
	return low;
}

static void
test_closed_form(void)
{
	int			at_one = 0;

	for (int i = 0; i < 1000; i++)
	{
		double		score = next_uniform(-8, 8);
		double		penalty = pow(10, next_uniform(-3, 0));
		double		confidence[RULES];
		double		sum = 0;
		double		expected,
					found;

		for (int j = 0; j < RULES; j++)
			sum += confidence[j] = next_below(3) == 0 ? 0 : next_uniform(0, 1);
		expected = minimum(score, confidence, penalty);
		found = kge_labelling("ruge")->label((float) score, (float) (penalty * sum));
		at_one += found == 1;
		CHECK_SAYING(fabs(found - expected) < 1e-5, "score %g, penalty %g: %g, not %g", score, penalty, found, expected);
	}
	CHECK_SAYING(at_one > 100 && at_one < 900, "%d labels of 1", at_one);
}

/* Labels by hand: half true, and a rule of confidence 0.8 that weighs 0.25, and no more than true. */
static void
test_labels_by_hand(void)
{
	const KgeLabelling *ruge = kge_labelling("ruge");

	CHECK(ruge->label(0, 0) == 0.5f);
	CHECK(fabsf(ruge->label(0, 0.25f * 0.8f) - 0.7f) < 1e-6f);
	CHECK(ruge->label(0, 0.75f) == 1);
	CHECK(ruge->label(100, 0) == 1);
	CHECK(ruge->label(-100, 0) < 1e-30f);
	CHECK(kge_labelling("sampled") == NULL);
}

static double
cross_entropy(double score, double label)
{
	return label * log1p(exp(-score)) + (1 - label) * log1p(exp(score));
}

static void
test_label_loss(void)
{
	const float evidence = 0.1f;
	const float weight = 3;

	for (float score = -20; score <= 20; score += 0.25f)
	{
		double		label = kge_labelling("ruge")->label(score, evidence);
		double		slope = (cross_entropy(score + 1e-4, label) - cross_entropy(score - 1e-4, label)) / 2e-4;
		float		g,
					loss = 1;

		kge_label_loss(kge_labelling("ruge"), 1, &score, &evidence, weight, &g, &loss);
		CHECK_SAYING(fabs(loss - 1 - weight * cross_entropy(score, label)) < 1e-5, "score %g: %g", score, loss);
		CHECK_SAYING(fabs(g - weight * slope) < 1e-5, "score %g: %g, not %g", score, g, weight * slope);
	}
}

/* ---- axioms -------------------------------------------------------------------------- */

/* Relations of complex with one dimension: i, -i, 1 and 2; of distmult 0.5, 2 and 1. */
static void
test_axioms(void)
{
	float		complex_relations[] = {0, 1, 0, -1, 1, 0, 2, 0};
	float		real_relations[] = {0.5f, 2, 1};
	KgeModel	complex = {.function = kge_score_function("complex"),.dimensions = 1,.relations = 4,.relation = complex_relations};
	KgeModel	real = {.function = kge_score_function("distmult"),.dimensions = 1,.relations = 3,.relation = real_relations};

	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_INVERSE, 0, {1}})) < 1e-7);	/* i * -i = 1 */
	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_INVERSE, 0, {0}}) - 2) < 1e-7);	/* i * i = -1, not 1 */
	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_INVERSE, 2, {2}})) < 1e-7);
	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_CHAIN, 0, {2, 0}})) < 1e-7);	/* 1 * i = i */
	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_CHAIN, 3, {3, 3}}) - 2) < 1e-7);	/* 2 * 2 = 4, not 2 */
	CHECK(fabs(kge_axiom_distance(&complex, (KgeAxiom) {KGE_AXIOM_SUB, 0, {2}}) - sqrt(2)) < 1e-7);
	CHECK(fabs(kge_axiom_distance(&real, (KgeAxiom) {KGE_AXIOM_INVERSE, 0, {1}})) < 1e-7);
	CHECK(fabs(kge_axiom_distance(&real, (KgeAxiom) {KGE_AXIOM_SUB, 0, {1}}) - 1.5) < 1e-7);
	CHECK(kge_has_axioms(complex.function) && !kge_has_axioms(kge_score_function("transe")));
	CHECK(kge_labelling("itere")->label(3, 0.25f) == 0.25f);
}

/* Where an axiom's distance is 0, what it infers scores as much as what it infers it from: the claim that the scores rest on. */
static void
test_axiom_scores(void)
{
	KgeModel	model = random_model((Variant) {"complex", 1, false}, 6, 10, 3, 1);
	float	   *row = model.relation;

	for (int j = 0; j < 6; j++)
	{
		double		angle = next_uniform(-3, 3);

		row[j] = row[12 + j] = row[24 + j] = (float) cos(angle);
		row[6 + j] = row[24 + 6 + j] = (float) sin(angle);
		row[12 + 6 + j] = (float) -sin(angle);
	}
	CHECK(kge_axiom_distance(&model, (KgeAxiom) {KGE_AXIOM_INVERSE, 0, {1}}) < 1e-6);
	CHECK(kge_axiom_distance(&model, (KgeAxiom) {KGE_AXIOM_SUB, 0, {2}}) < 1e-6);
	for (int i = 0; i < 50; i++)
	{
		int32_t		x = next_below(10);
		int32_t		y = next_below(10);

		CHECK(fabs(kge_score(&model, (Triple) {x, 0, y}) - kge_score(&model, (Triple) {y, 1, x})) < 1e-5);
		CHECK(fabs(kge_score(&model, (Triple) {x, 0, y}) - kge_score(&model, (Triple) {x, 2, y})) < 1e-6);
	}
}

/* ---- a Markov logic network ------------------------------------------------------------ */

#define TRIPLES		40
#define WEIGHTS		5

/* Triples that random rules infer, with random truths; facts are every third. */
static KgeRuleNetwork
random_network(void)
{
	KgeInferred *inferred = take(TRIPLES * sizeof(KgeInferred));

	for (int i = 0; i < TRIPLES; i++)
	{
		int32_t    *rule = take(WEIGHTS * sizeof(int32_t));
		int64_t		triples = 1 + next_below(50);
		int			rules = 0;

		for (int32_t j = 0; j < WEIGHTS; j++)
			if (next_below(2) == 0)
				rule[rules++] = j;
		if (rules == 0)
			rule[rules++] = 0;
		inferred[i] = (KgeInferred) {rule, rules, triples, i % 3 == 0 ? (double) triples : next_uniform(0, (double) triples)};
	}
	return (KgeRuleNetwork) {WEIGHTS, TRIPLES, inferred};
}

/* By definition: each triple is true or not, and log p or log(1 - p) is what it adds, in the mean over its truth. */
static double
likelihood(const KgeRuleNetwork *network, const double *weight)
{
	double		sum = 0;

	for (int64_t i = 0; i < network->count; i++)
	{
		const KgeInferred *inferred = &network->inferred[i];
		double		mean = 0;
		double		p;

		for (int64_t j = 0; j < inferred->rules; j++)
			mean += weight[inferred->rule[j]] / (double) inferred->rules;
		p = 1 / (1 + exp(-mean));
		sum += inferred->truth * log(p) + ((double) inferred->triples - inferred->truth) * log(1 - p);
	}
	return sum;
}

static void
test_rule_gradient(void)
{
	for (int round = 0; round < 20; round++)
	{
		KgeRuleNetwork	network = random_network();
		double		weight[WEIGHTS];
		double		gradient[WEIGHTS];
		double		found;

		for (int i = 0; i < WEIGHTS; i++)
			weight[i] = next_uniform(-3, 3);
		found = kge_rules_likelihood(pool, &network, weight, gradient);
		CHECK_SAYING(fabs(found / likelihood(&network, weight) - 1) < 1e-10, "likelihood %g", found);
		CHECK(kge_rules_likelihood(pool, &network, weight, NULL) == found);
		for (int i = 0; i < WEIGHTS; i++)
		{
			const double h = 1e-5;
			double		here = weight[i];
			double		slope;

			weight[i] = here + h;
			slope = likelihood(&network, weight);
			weight[i] = here - h;
			slope = (slope - likelihood(&network, weight)) / (2 * h);
			weight[i] = here;
			CHECK_SAYING(fabs(gradient[i] - slope) < 1e-5 * (1 + fabs(slope)), "gradient %g, not %g", gradient[i], slope);
		}
	}
}

/*
 * Steps never lower the likelihood, however high the rate.  Of one rule the maximum is log(t / (n - t)): 16 facts and four
 * triples that are as good as false, log 4.
 */
static void
test_rule_steps(void)
{
	const int32_t one = 0;
	const KgeInferred pairs[] = {{&one, 1, 16, 16}, {&one, 1, 4, 0}};
	const int32_t both[] = {0, 1};
	const KgeRuleNetwork single = {1, 2, pairs};
	KgeRuleNetwork	network = random_network();
	double		weight[WEIGHTS] = {0};
	double		gradient[WEIGHTS];
	double		step[WEIGHTS];
	double		before = -INFINITY;
	int			falls = 0;

	kge_rules_steps(pool, &network, 1e6, step);
	for (int i = 0; i < 500; i++)
	{
		double		now = kge_rules_likelihood(pool, &network, weight, gradient);

		falls += now < before - 1e-9;
		before = now;
		for (int j = 0; j < WEIGHTS; j++)
			weight[j] += step[j] * gradient[j];
	}
	CHECK_SAYING(falls == 0, "%d falls", falls);
	for (int j = 0; j < WEIGHTS; j++)
		CHECK_SAYING(fabs(gradient[j]) < 1e-3, "gradient %g at the end", gradient[j]);

	kge_rules_steps(pool, &single, 1e6, step);
	CHECK(step[0] == 0.2);		/* 1 / (20 / 4) */
	weight[0] = 0;
	for (int i = 0; i < 500; i++)
	{
		kge_rules_likelihood(pool, &single, weight, gradient);
		weight[0] += step[0] * gradient[0];
	}
	CHECK_SAYING(fabs(weight[0] - log(4)) < 1e-9, "weight %g", weight[0]);
	CHECK(fabs(kge_rules_probability(weight, &one, 1) - 0.8) < 1e-9);
	kge_rules_steps(pool, &single, 1e-4, step);
	CHECK(step[0] == 1e-4);

	/* the mean of log 4 and -log 4 is 0, that of log 4 and 0 is log 2 */
	weight[0] = log(4);
	weight[1] = -log(4);
	CHECK(fabs(kge_rules_probability(weight, both, 2) - 0.5) < 1e-12);
	weight[1] = 0;
	CHECK(fabs(kge_rules_probability(weight, both, 2) - 2.0 / 3) < 1e-12);
	CHECK(kge_labelling("plogicnet")->label(3, 0.25f) == 0.25f);
}

/* ---- what a training leaves --------------------------------------------------------- */

#define ENTITIES	30
#define POSITIVES	200

static KgeModel
trained(const KgeModel *start, KgeTraining training, const float *evidence, int threads)
{
	KgeModel	model = copy_of(start);
	Pool	   *own = pool_create(threads, NULL, NULL);
	KgeTrainer *trainer = kge_trainer_create(&arena, own, &model, &training, POSITIVES);
	Triple		triples[POSITIVES];

	for (int i = 0; i < POSITIVES; i++)
		triples[i] = (Triple) {i % ENTITIES, i % 3, (i * i + 3) % ENTITIES};
	for (uint64_t epoch = 0; epoch < 10; epoch++)
		kge_train_epoch(trainer, triples, evidence, POSITIVES, epoch);
	pool_destroy(own);
	return model;
}

/* On any number of threads; evidence is not ignored. */
static void
test_bits(const char *sampler)
{
	KgeModel	start = random_model((Variant) {"complex", 1, true}, 6, ENTITIES, 3, 1);
	KgeTraining training = {
		.batch_size = 48,.block_size = 5,.negatives = 7,.learning_rate = 0.05,.seed = 5,.loss = kge_loss("logistic"),
		.sampler = kge_sampler(sampler),.temperature = 1,.regularization = 0.01,.labelling = kge_labelling("ruge")
	};
	float		evidence[POSITIVES];
	KgeModel	one,
				three,
				other;

	for (int i = 0; i < POSITIVES; i++)
		evidence[i] = i % 4 == 0 ? 0.1f : KGE_FACT;
	one = trained(&start, training, evidence, 1);
	three = trained(&start, training, evidence, 3);
	CHECK(same_bits(&one, &three));
	evidence[0] = 0.2f;
	other = trained(&start, training, evidence, 2);
	CHECK(!same_bits(&one, &other));
}

void
test_labels(void)
{
	test_closed_form();
	test_labels_by_hand();
	test_label_loss();
	test_axioms();
	test_axiom_scores();
	test_rule_gradient();
	test_rule_steps();
	test_bits("uniform");
	test_bits("self_adversarial");
	test_bits("bernoulli");
	test_bits("kbgan");
}
