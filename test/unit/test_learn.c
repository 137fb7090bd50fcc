/*
 * test_learn.c
 *		Weights and calibration, from truths that are drawn with weights that are known.
 *
 * Heads have one tail each, by relation, drawn with probability softmax(a * phi + b * evidence) over
 * all entities.  Relations that are asked about have no facts, so that nothing is heard but
 * one rule for each of the others.
 */
#include <math.h>

#include "check.h"
#include "evidence/learn.h"

#define ENTITIES 150
#define ASKED 2					/* relations 0 .. ASKED - 1 */
#define SPEAKING 4				/* then those of the rules' bodies */
#define RELATIONS (ASKED + SPEAKING)
#define TRIPLES (ASKED * ENTITIES)

static const float confidences[SPEAKING] = {0.1f, 0.3f, 0.5f, 0.7f};

typedef struct World
{
	KgeModel	model;
	EvFacts		facts;
	EvRules		rules;
	double		a;
	double		b[ASKED];
	double		discount;
	bool		speaks[SPEAKING][ENTITIES][ENTITIES];
	Triple	triple[TRIPLES];
} World;

static void
make_facts(World *world)
{
	EvRuleSet	set;
	Triple  *fact = take(sizeof(Triple) * SPEAKING * ENTITIES * ENTITIES);
	EvRule		rule[ASKED * SPEAKING];
	int64_t		count = 0;
	double		speakers = 0.04;

	for (int h = 0; h < ENTITIES; h++)
		for (int t = 0; t < ENTITIES; t++)
		{
			/* where one speaks, the others do half of the time */
			bool		spoken = next_uniform(0, 1) < speakers;

			for (int i = 0; i < SPEAKING; i++)
			{
				world->speaks[i][h][t] = spoken && next_below(2) == 0;
				if (world->speaks[i][h][t])
					fact[count++] = (Triple) {h, ASKED + i, t};
			}
		}
	for (int i = 0; i < ASKED * SPEAKING; i++)
		rule[i] = (EvRule) {.relation = i / SPEAKING,.length = 1,.atom = {EV_FORWARDS(ASKED + i % SPEAKING)},
			.confidence = confidences[i % SPEAKING]};
	CHECK(build_facts(&arena, ENTITIES, RELATIONS, fact, count, &world->facts));
	set = (EvRuleSet) {.rule = rule,.count = ASKED * SPEAKING};
	CHECK(build_rules(&arena, RELATIONS, &set, &world->rules));
}

/* By the definition, the most confident first. */
static double
evidence_of(const World *world, int h, int t)
{
	double		share = 1;
	double		sum = 0;

	for (int i = SPEAKING - 1; i >= 0; i--)
		if (world->speaks[i][h][t])
		{
			sum -= share * log(1 - (double) confidences[i]);
			share *= world->discount;
		}
	return log(1 + 100 * sum);
}

/* The probabilities of all tails. */
static void
tails_of(const World *world, int h, int r, double *p)
{
	double		total = 0;

	for (int t = 0; t < ENTITIES; t++)
	{
		p[t] = exp(world->a * kge_score(&world->model, (Triple) {h, r, t}) + world->b[r] * evidence_of(world, h, t));
		total += p[t];
	}
	for (int t = 0; t < ENTITIES; t++)
		p[t] /= total;
}

static void
draw_triples(World *world)
{
	for (int i = 0; i < TRIPLES; i++)
	{
		int			h = i / ASKED;
		int			r = i % ASKED;
		double		left = next_uniform(0, 1);
		double		p[ENTITIES];
		int			t = 0;

		tails_of(world, h, r, p);
		while (t < ENTITIES - 1 && left >= p[t])
			left -= p[t++];
		world->triple[i] = (Triple) {h, r, t};
	}
}

static World *
make_world(double a, double even_b, double odd_b, double discount)
{
	World	   *world = take(sizeof(World));

	*world = (World) {.model = random_model(variants[3], 8, ENTITIES, RELATIONS, 1.1),.a = a,.discount = discount};
	for (int r = 0; r < ASKED; r++)
		world->b[r] = r % 2 == 0 ? even_b : odd_b;
	make_facts(world);
	draw_triples(world);
	return world;
}

static EvLearnt
learn(const World *world, int64_t count)
{
	Pool    *pool = pool_create(2, NULL, NULL);
	EvLearnt	learnt;

	CHECK(ev_learn(&arena, pool, &world->model, &world->facts, &world->rules, world->triple, count,
				   world->triple, count, &learnt));
	pool_destroy(pool);
	return learnt;
}

/* The weights of tails, and that scores of all relations are in one unit. */
static void
test_weights(void)
{
	World	   *world = make_world(1, 0.4, 1.6, 1);
	EvLearnt	learnt = learn(world, TRIPLES);

	for (int r = 0; r < ASKED; r++)
	{
		int			key = 2 * r + SIDE_TAIL;
		double		weight = learnt.weights.weight[key];

		CHECK(learnt.questions[key] == ENTITIES);
		CHECK_SAYING(weight > 0.7 * world->b[r] && weight < 1.4 * world->b[r], "relation %d: weight %g, not %g",
					 r, weight, world->b[r]);
		CHECK_SAYING(fabs(learnt.weights.scale[key] - 1) < 0.35, "relation %d: scale %g", r, learnt.weights.scale[key]);
	}
	CHECK(learnt.weights.weight[2 * ASKED] > 0 && learnt.questions[2 * ASKED] == 0 && learnt.weights.scale[2 * ASKED] == 1);
}

static void
test_discount(void)
{
	double		one = learn(make_world(1, 2, 2, 1), TRIPLES).weights.discount;
	double		none = learn(make_world(1, 2, 2, 0), TRIPLES).weights.discount;

	CHECK_SAYING(one >= 0.75 && none <= 0.25, "discounts %g of 1, %g of 0", one, none);
}

/* What is said of those who are likely, against the probability that they were drawn with. */
static void
test_calibration(void)
{
	World	   *world = make_world(1, 1, 1, 1);
	EvLearnt	learnt = learn(world, TRIPLES);
	EvCalibration both = learnt.calibration[EV_BOTH];
	double		said = 0;
	double		drawn = 0;
	int			count = 0;

	world->discount = learnt.weights.discount;
	for (int i = 0; i < TRIPLES; i++)
	{
		double		p[ENTITIES];

		tails_of(world, world->triple[i].head, world->triple[i].relation, p);
		for (int t = 0; t < ENTITIES; t++)
		{
			Triple	triple = {world->triple[i].head, world->triple[i].relation, t};
			double		probability = kge_sigmoid(both.score_slope * kge_score(&world->model, triple) +
												  both.evidence_slope * evidence_of(world, triple.head, t) + both.offset);

			if (probability < 0.2)
				continue;
			said += probability;
			drawn += p[t];
			count++;
		}
	}
	CHECK_SAYING(count > 100 && fabs(said - drawn) < 0.07 * count, "%d likely ones: said %g, drawn with %g", count,
				 said / count, drawn / count);
	CHECK(both.error < 0.005);
	CHECK(learnt.calibration[EV_EMBEDDING].evidence_slope == 0 && learnt.calibration[EV_EMBEDDING].score_slope > 0);
	CHECK(learnt.calibration[EV_RULES].score_slope == 0 && learnt.calibration[EV_RULES].evidence_slope > 0);
}

/* An embedding that is always wrong: rules decide, and it never makes anything less probable. */
static void
test_wrong_embedding(void)
{
	EvLearnt	learnt = learn(make_world(-1, 1.5, 1.5, 1), TRIPLES);

	for (int i = 0; i < 2 * RELATIONS; i++)
		CHECK_SAYING(learnt.weights.weight[i] > 10 && learnt.weights.weight[i] < 100.001, "weight %g of %d",
					 learnt.weights.weight[i], i);
	CHECK(learnt.calibration[EV_EMBEDDING].score_slope == 0);
	CHECK(learnt.calibration[EV_BOTH].score_slope == 0 && learnt.calibration[EV_BOTH].evidence_slope > 0);
}

/* Truths that all have evidence, and few of them, do not make it all that counts. */
static void
test_few(void)
{
	World	   *world = make_world(0, 20, 20, 1);
	double		few = learn(world, 2).weights.weight[SIDE_TAIL];
	double		many = learn(world, TRIPLES).weights.weight[SIDE_TAIL];

	CHECK_SAYING(few < 4 && many > 10, "weight %g by few, %g by many", few, many);
}

/*
 * A rule that is right about all of n truths, two triples from either side, and infers nothing else: the next one may be
 * false, so that it is right with probability (n + 1) / (n + 2).
 */
static void
test_certain(void)
{
	World		world = {.model = random_model(variants[3], 8, ENTITIES, RELATIONS, 1.1)};
	EvRule		rule = {.relation = 0,.length = 1,.atom = {EV_FORWARDS(ASKED)},.confidence = 0.5f};
	EvRuleSet	set = {.rule = &rule,.count = 1};
	Triple	fact[2];
	EvCalibration rules;
	double		probability;

	for (int i = 0; i < 2; i++)
	{
		fact[i] = (Triple) {2 * i, ASKED, 2 * i + 1};
		world.triple[i] = (Triple) {2 * i, 0, 2 * i + 1};
	}
	CHECK(build_facts(&arena, ENTITIES, RELATIONS, fact, 2, &world.facts));
	CHECK(build_rules(&arena, RELATIONS, &set, &world.rules));
	rules = learn(&world, 2).calibration[EV_RULES];
	probability = kge_sigmoid(rules.evidence_slope * log(1 + 100 * log(2)) + rules.offset);
	CHECK_SAYING(fabs(probability - 5.0 / 6) < 1e-4, "probability %g", probability);
}

#define LISTS 1000
#define OTHER_LISTS 200			/* of them of key 1 */
#define CANDIDATES 128

static void
list_candidate(Example *example, double phi, double evidence)
{
	Listed	   *listed = &example->listed[example->count++];

	listed->phi = (float) phi;
	for (int i = 0; i < DISCOUNTS; i++)
		listed->evidence[i] = (float) evidence;
}

/* By weights: how well the truths of a key are ranked, equals last. */
static double
rank_lists(const Examples *examples, int key, double weight)
{
	double		sum = 0;

	for (int64_t i = examples->first[key]; i < examples->first[key + 1]; i++)
	{
		const Example *example = example_at(examples, i);
		double		truth = example->listed[0].phi + weight * example->listed[0].evidence[0];
		int			rank = 1;

		for (int j = 1; j < example->count; j++)
			rank += example->listed[j].phi + weight * example->listed[j].evidence[0] >= truth;
		sum += 1.0 / rank;
	}
	return sum / (double) (examples->first[key + 1] - examples->first[key]);
}

/*
 * Key 0: most truths have evidence, and the lowest scores.  Key 1: one truth of five has evidence, as half of the others
 * have, and the fourth score of them, so that evidence ranks it fourth and leaves it improbable; the others have none, and
 * are the more probable the less it counts.  So a likelihood is the highest without evidence, and ranks are far worse.
 * Key 2 has no examples, and the common weights.
 */
static void
test_silent_rules(void)
{
	Pool    *pool = pool_create(2, NULL, NULL);
	Allocation	space = {0};
	Example		example[LISTS] = {0};
	int64_t		order[LISTS];
	int64_t		first[4] = {0, LISTS - OTHER_LISTS, LISTS, LISTS};
	Examples	examples = {.keys = 3,.example = example,.order = order,.first = first};
	Weighing	weighing = {.pool = pool,.examples = &examples};
	EvLearnt	learnt;
	double		own;
	double		common;

	for (int i = 0; i < LISTS; i++)
	{
		bool		other = i >= first[1];
		bool		silent = i % 5 > (other ? 0 : 2);

		order[i] = i;
		example[i] = (Example) {.key = other,.listed = take(sizeof(Listed) * CANDIDATES)};
		list_candidate(&example[i], other ? 0 : -1, !silent);
		for (int j = 1; j < CANDIDATES; j++)
			if (other)
				list_candidate(&example[i], next_uniform(-1, j < 4 || j >= CANDIDATES / 2 ? 1 : 0), j < CANDIDATES / 2);
			else
				list_candidate(&example[i], next_uniform(-1, 1), j < CANDIDATES / 4);
	}
	for (int taken = 0; taken < 2; taken++)
	{
		if (taken)
			CHECK(allocation_open(&space, &arena));
		weighing_take(&weighing, &space, LISTS, examples.keys);
		learnt.weights.weight = TAKE(&space, double, 3);
		learnt.weights.scale = TAKE(&space, double, 3);
		learnt.questions = TAKE(&space, int64_t, 3);
	}
	learn_weights(&weighing, &learnt);
	pool_destroy(pool);
	own = rank_lists(&examples, 1, learnt.weights.weight[1]);
	common = rank_lists(&examples, 1, learnt.weights.weight[2]);
	CHECK_SAYING(own > common - 1e-9 && common > 0.1, "weight %g ranks them %g, the common one, %g, %g",
				 learnt.weights.weight[1], own, learnt.weights.weight[2], common);
}

static void
test_nothing(void)
{
	World	   *world = make_world(1, 1, 1, 1);
	Pool    *pool = pool_create(1, NULL, NULL);
	EvLearnt	learnt;

	CHECK(!ev_learn(&empty_arena, pool, &world->model, &world->facts, &world->rules, world->triple, 10,
					world->triple, 10, &learnt));
	pool_destroy(pool);
	/* no truth has an embedding */
	for (int i = 0; i < ENTITIES * kge_entity_width(world->model.function, 8); i++)
		world->model.entity[i] = NAN;
	learnt = learn(world, 100);
	CHECK(learnt.weights.weight[0] == 1 && learnt.weights.scale[0] == 1 && learnt.questions[0] == 0);
}

void
test_learn(void)
{
	test_weights();
	test_discount();
	test_calibration();
	test_wrong_embedding();
	test_few();
	test_certain();
	test_silent_rules();
	test_nothing();
}
