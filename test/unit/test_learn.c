/*
 * test_learn.c
 *		Weights and calibration, from true answers that are drawn with given weights.
 *
 * Each head has one tail by each target relation, drawn with probability softmax(a * phi + b * evidence) over
 * all entities.  Target relations have no facts, so the only rules that fire are those given here: one for each of
 * the other relations.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "evidence/examples.h"

#define ENTITIES 150
#define TARGETS 2				/* relations 0 .. TARGETS - 1 */
#define BODIES 4				/* then those of the bodies of the rules */
#define RELATIONS (TARGETS + BODIES)
#define TRIPLES (TARGETS * ENTITIES)

static const float confidences[BODIES] = {0.1f, 0.3f, 0.5f, 0.7f};

typedef struct World
{
	KgeModel	model;
	FactIndex	facts;
	EvRules		rules;
	double		a;
	double		b[TARGETS];
	double		discount;
	bool		fires[BODIES][ENTITIES][ENTITIES];
	Triple		triple[TRIPLES];
} World;

static void
make_facts(World *world)
{
	EvRuleSet	set;
	Triple	   *fact = take(sizeof(Triple) * BODIES * ENTITIES * ENTITIES);
	EvRule		rule[TARGETS * BODIES];
	int64_t		count = 0;
	double		pairs = 0.04;

	for (int h = 0; h < ENTITIES; h++)
		for (int t = 0; t < ENTITIES; t++)
		{
			/* at a few pairs, each rule fires half of the time */
			bool		drawn = next_uniform(0, 1) < pairs;

			for (int i = 0; i < BODIES; i++)
			{
				world->fires[i][h][t] = drawn && next_below(2) == 0;
				if (world->fires[i][h][t])
					fact[count++] = (Triple) {h, TARGETS + i, t};
			}
		}
	for (int i = 0; i < TARGETS * BODIES; i++)
		rule[i] = (EvRule) {.rule = {i / BODIES, 1, {{TARGETS + i % BODIES, TERM_X, TERM_Y}}},
			.confidence = confidences[i % BODIES]};
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, fact, count, &world->facts));
	set = (EvRuleSet) {.rule = rule,.count = TARGETS * BODIES};
	CHECK(ev_rules(&arena, leader, RELATIONS, &set, &world->rules));
}

/* By the definition, the most confident first. */
static double
evidence_of(const World *world, int h, int t)
{
	double		share = 1;
	double		sum = 0;

	for (int i = BODIES - 1; i >= 0; i--)
		if (world->fires[i][h][t])
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
		int			h = i / TARGETS;
		int			r = i % TARGETS;
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
	for (int r = 0; r < TARGETS; r++)
		world->b[r] = r % 2 == 0 ? even_b : odd_b;
	make_facts(world);
	draw_triples(world);
	return world;
}

/* The first triples; they filter each other. */
static EvExampleSource
source_of(const World *world, int64_t count)
{
	return (EvExampleSource) {.model = &world->model,.facts = &world->facts,.rules = &world->rules,.triples = world->triple,.count = count,
		.filter = world->triple,.filter_count = count};
}

static EvLearnt
learn(const World *world, int64_t count)
{
	EvExampleSource source = source_of(world, count);
	EvLearnt	learnt;

	CHECK(ev_learn(&arena, pool, &source, &learnt));
	return learnt;
}

/* The weights of tails, and that scores of all relations are in one unit. */
static void
test_weights(void)
{
	World	   *world = make_world(1, 0.4, 1.6, 1);
	EvLearnt	learnt = learn(world, TRIPLES);

	for (int r = 0; r < TARGETS; r++)
	{
		int			key = 2 * r + SIDE_TAIL;
		double		weight = learnt.weights.weight[key];

		CHECK(learnt.questions[key] == ENTITIES);
		CHECK_SAYING(weight > 0.7 * world->b[r] && weight < 1.4 * world->b[r], "relation %d: weight %g, not %g",
					 r, weight, world->b[r]);
		CHECK_SAYING(fabs(learnt.weights.scale[key] - 1) < 0.35, "relation %d: scale %g", r, learnt.weights.scale[key]);
	}
	CHECK(learnt.weights.weight[2 * TARGETS] > 0 && learnt.questions[2 * TARGETS] == 0 && learnt.weights.scale[2 * TARGETS] == 1);
}

static void
test_discount(void)
{
	double		one = learn(make_world(1, 2, 2, 1), TRIPLES).weights.discount;
	double		none = learn(make_world(1, 2, 2, 0), TRIPLES).weights.discount;

	CHECK_SAYING(one >= 0.75 && none <= 0.25, "discounts %g of 1, %g of 0", one, none);
}

/* The probability that a tail is predicted with, by both halves. */
static double
probability_of(const World *world, const EvLearnt *learnt, Triple triple)
{
	int			key = 2 * triple.relation + SIDE_TAIL;
	EvJudged	judged = {.phi = kge_score(&world->model, triple),.evidence = evidence_of(world, triple.head, triple.tail)};

	judged.score = learnt->weights.scale[key] * (judged.phi + learnt->weights.weight[key] * judged.evidence);
	return ev_probability(&learnt->calibration[EV_BOTH][key].alone, judged);
}

/* The predicted probabilities of likely tails, against those with which they were drawn. */
static void
test_calibration(void)
{
	World	   *world = make_world(1, 1, 1, 1);
	EvLearnt	learnt = learn(world, TRIPLES);
	double		predicted = 0;
	double		drawn = 0;
	int			count = 0;

	world->discount = learnt.weights.discount;
	for (int i = 0; i < TRIPLES; i++)
	{
		double		p[ENTITIES];

		tails_of(world, world->triple[i].head, world->triple[i].relation, p);
		for (int t = 0; t < ENTITIES; t++)
		{
			Triple		triple = {world->triple[i].head, world->triple[i].relation, t};
			double		probability = probability_of(world, &learnt, triple);

			if (probability < 0.2)
				continue;
			predicted += probability;
			drawn += p[t];
			count++;
		}
	}
	CHECK_SAYING(count > 100 && fabs(predicted - drawn) < 0.07 * count, "%d likely ones: predicted %g, drawn with %g", count,
				 predicted / count, drawn / count);
	CHECK(learnt.error[EV_BOTH] < 0.05);
	for (int kind = 0; kind < EV_KINDS; kind++)
		CHECK(kind == EV_NETWORK ||
			  (learnt.calibration[kind][SIDE_TAIL].alone.slope > 0 && learnt.common[kind].ranked.slope > 0));
}

/* ---- missing facts ------------------------------------------------------------------------- */

#define PEOPLE 3000
#define WAYS 3					/* bodies */
#define LINKS 3					/* pairs of each body that an entity is in */
#define MISSING 0.2
#define HELD_OUT 0.1
#define SOCIETY (PEOPLE * (1 + WAYS * LINKS))	/* each has answers of its own */

/*
 * How often what a rule of a body infers is true, by relation.  Those of relation 0 give probabilities whose logits are
 * on a line above the evidence: 0.95, 0.5 and 0.01.  The chances to be held out are 0.28, 0.16 and 0.004.
 */
static const double truth_of[2][WAYS] = {{0.99, 0.83, 0.05}, {0.3, 0.1, 0.03}};
static const float confidence_of[WAYS] = {0.9f, 0.5f, 0.1f};

/*
 * Relations 0 and 1 are inferred by the bodies 2, 3 and 4.  What they infer is true with given probabilities; of what is
 * true a share is missing, and of the rest a share is held out.
 */
typedef struct Society
{
	Triple	   *fact;			/* with the bodies */
	int64_t		facts;
	Triple	   *held_out;
	int64_t		held_outs;
	Triple	   *unknown;		/* that neither is a fact nor was held out */
	int64_t		unknowns;
	int		   *body;			/* that infers it */
} Society;

static void
decide(Society *society, Triple triple, int body)
{
	if (next_uniform(0, 1) >= truth_of[triple.relation][body] || next_uniform(0, 1) < MISSING)
	{
		society->body[society->unknowns] = body;
		society->unknown[society->unknowns++] = triple;
	}
	else if (next_uniform(0, 1) < HELD_OUT)
		society->held_out[society->held_outs++] = triple;
	else
		society->fact[society->facts++] = triple;
}

static int32_t
answer_of(int32_t head, int i)
{
	return PEOPLE + head * WAYS * LINKS + i;
}

static Society
draw_society(void)
{
	size_t		pairs = WAYS * LINKS * PEOPLE;
	Society		society = {.fact = take(sizeof(Triple) * 3 * pairs),.held_out = take(sizeof(Triple) * 2 * pairs)};

	society.unknown = take(sizeof(Triple) * 2 * pairs);
	society.body = take(sizeof(int) * 2 * pairs);
	for (int h = 0; h < PEOPLE; h++)
		for (int i = 0; i < WAYS * LINKS; i++)
			society.fact[society.facts++] = (Triple) {h, 2 + i % WAYS, answer_of(h, i)};
	for (int h = 0; h < PEOPLE; h++)
		for (int r = 0; r < 2; r++)
			for (int i = 0; i < WAYS * LINKS; i++)
				decide(&society, (Triple) {h, r, answer_of(h, i)}, i % WAYS);
	return society;
}

/* Sums over what each body infers for a relation */
typedef struct Stated
{
	double		probability[WAYS];
	int			count[WAYS];
} Stated;

/* The evidence for unknown triples first .. end - 1 of one head */
static EvQuestionScores
find_scores(const Society *society, EvAnswering *answering, double discount, int64_t first, int64_t end, double *score)
{
	Triple		triple = society->unknown[first];
	EvQuestionScores question = {0};
	const EvCandidate *candidates;

	ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, triple.head, triple.relation), leader, POOL_LEADER, &candidates);
	for (int64_t i = first; i < end; i++)
	{
		score[i - first] = ev_evidence(ev_candidate(answering, society->unknown[i].tail), discount);
		question.best = fmax(question.best, score[i - first]);
	}
	return question;
}

/* What is stated of a relation's unknown triples, as answers of questions for tails */
static Stated
state(const Society *society, EvAnswering *answering, const FactIndex *facts, const EvLearnt *learnt, int relation)
{
	EvCalibration calibration = learnt->calibration[EV_RULES][2 * relation + SIDE_TAIL].ranked;
	Stated		stated = {0};
	int64_t		end;

	calibration.odds = calibration.fitted_odds = ev_odds(learnt->held_out[relation], MISSING);
	for (int64_t first = 0; first < society->unknowns; first = end)
	{
		Triple		triple = society->unknown[first];
		double		score[2 * WAYS * LINKS];
		EvQuestionScores question;

		for (end = first + 1; end < society->unknowns && society->unknown[end].head == triple.head &&
			 society->unknown[end].relation == triple.relation;)
			end++;
		if (triple.relation != relation)
			continue;
		question = find_scores(society, answering, learnt->alone, first, end, score);
		question.known = fact_group(facts, triple.head, FORWARDS(relation)).end - fact_group(facts, triple.head, FORWARDS(relation)).first;
		for (int64_t i = first; i < end; i++)
		{
			stated.probability[society->body[i]] += ev_probability(&calibration, (EvJudged) {.score = score[i - first],.question = question});
			stated.count[society->body[i]]++;
		}
	}
	return stated;
}

/*
 * Probabilities are those of missing facts, by relation, over all questions: of what a rule infers and is unknown, what
 * is true with probability q is missing with q m / (1 - q + q m).
 */
static void
test_missing(void)
{
	Society		society = draw_society();
	KgeModel	model = random_model(variants[3], 4, SOCIETY, 2 + WAYS, 1.1);
	Triple	   *filter = take(sizeof(Triple) * (size_t) (society.facts + society.held_outs));
	FactIndex	facts;
	EvRules		rules;
	EvRule		rule[2 * WAYS];
	EvRuleSet	set = {.rule = rule,.count = 2 * WAYS};
	EvExampleSource source = {.model = &model,.facts = &facts,.rules = &rules,.triples = society.held_out,.count = society.held_outs,
	.filter = filter,.filter_count = society.facts + society.held_outs,.missing = MISSING};
	EvLearnt	learnt;
	EvAnswering *answering;

	memcpy(filter, society.fact, sizeof(Triple) * (size_t) society.facts);
	memcpy(filter + society.facts, society.held_out, sizeof(Triple) * (size_t) society.held_outs);
	for (int i = 0; i < 2 * WAYS; i++)
		rule[i] = (EvRule) {.rule = {i / WAYS, 1, {{2 + i % WAYS, TERM_X, TERM_Y}}},.confidence = confidence_of[i % WAYS]};
	CHECK(fact_index(&arena, pool, SOCIETY, 2 + WAYS, society.fact, society.facts, &facts));
	CHECK(ev_rules(&arena, leader, 2 + WAYS, &set, &rules));
	CHECK(ev_learn(&arena, pool, &source, &learnt));
	/* of about 130 held-out answers in the half that measures it */
	CHECK_SAYING(learnt.error[EV_RULES] < 0.06, "error %g", learnt.error[EV_RULES]);
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	CHECK(answering != NULL);
	for (int r = 0; r < 2; r++)
	{
		Stated		stated = state(&society, answering, &facts, &learnt, r);

		for (int body = 0; body < WAYS; body++)
		{
			double		due = truth_of[r][body] * MISSING / (1 - truth_of[r][body] + truth_of[r][body] * MISSING);
			double		mean = stated.probability[body] / stated.count[body];

			CHECK_SAYING(fabs(mean - due) < 0.01 + 0.1 * due, "relation %d, body %d: stated %g, not %g", r, body, mean, due);
		}
	}
}

#define FAMILIES 1000

/*
 * Two rules, one of them strong, each infer an answer for everybody; both are true for one half, and none for the other.
 * So either is as probable as not, also where the strong one is the best.  That holds of lists with all answers.  There
 * are so many answers that none is common.
 */
static void
test_several_answers(void)
{
	KgeModel	model = random_model(variants[3], 4, 4 * FAMILIES, 3, 0.01);
	EvRule		rule[2];
	EvRuleSet	set = {.rule = rule,.count = 2};
	Triple		fact[4 * FAMILIES];
	Triple	   *held_out = &fact[3 * FAMILIES];
	FactIndex	facts;
	EvRules		rules;
	EvExampleSource source = {.model = &model,.facts = &facts,.rules = &rules,.triples = held_out,.count = FAMILIES,
	.filter = fact,.filter_count = 4 * FAMILIES};
	EvLearnt	learnt;

	for (int h = 0; h < FAMILIES; h++)
	{
		for (int i = 0; i < 3; i++)
			fact[3 * h + i] = (Triple) {h, i, (i + 1) * FAMILIES + h};
		held_out[h] = (Triple) {h / 2, 0, (h % 2 + 2) * FAMILIES + h / 2};
	}
	for (int i = 0; i < 2; i++)
		rule[i] = (EvRule) {.rule = {0, 1, {{i + 1, TERM_X, TERM_Y}}},.confidence = i == 0 ? 0.9f : 0.3f};
	CHECK(fact_index(&arena, pool, 4 * FAMILIES, 3, fact, 3 * FAMILIES, &facts));
	CHECK(ev_rules(&arena, leader, 3, &set, &rules));
	CHECK(ev_learn(&arena, pool, &source, &learnt));
	for (int i = 0; i < 2; i++)
	{
		EvJudged	judged = {.score = log(1 - 100 * log(1 - (double) rule[i].confidence)),.question = {.known = 1}};
		double		stated;

		judged.question.best = log(1 - 100 * log(1 - (double) rule[0].confidence));
		stated = ev_probability(&learnt.calibration[EV_RULES][SIDE_TAIL].ranked, judged);
		CHECK_SAYING(fabs(stated - 0.5) < 0.05, "answer %d: stated %g", i, stated);
	}
}

/* The score that the best answer needs has that probability, whatever was fitted and is asked for; or none has it. */
static void
test_score_needed(void)
{
	static const double due[] = {0.001, 0.3, 0.5, 0.9};
	EvCalibration calibration = {.slope = 2,.intercept = -5,.unanswered = -1,.answers = 0.5,.best = 0.5};

	for (int odds = 0; odds < 9; odds++)
		for (int i = 0; i < 4; i++)
		{
			double		most;
			double		score;
			EvJudged	judged;

			calibration.odds = odds % 3 * 0.7;
			calibration.fitted_odds = odds / 3 * 0.9;
			/* what is certainly true was held out with chance 1 / (1 + fitted_odds) */
			most = fmin(1, (1 + calibration.odds) / (1 + calibration.fitted_odds));
			if (calibration.odds > 0)
				most = calibration.odds * most / (1 + calibration.odds - most);
			score = ev_score_needed(&calibration, 2, 0, due[i]);
			judged = (EvJudged) {.score = score,.question = {.known = 2,.best = score}};
			CHECK(due[i] > most ? score == INFINITY : fabs(ev_probability(&calibration, judged) - due[i]) < 1e-7);
		}
}

/* ---- weights again ----------------------------------------------------------------------------- */

/* With an embedding that is always wrong, rules decide, and no higher score makes anything less probable. */
static void
test_wrong_embedding(void)
{
	EvLearnt	learnt = learn(make_world(-1, 1.5, 1.5, 1), TRIPLES);

	for (int i = 0; i < 2 * RELATIONS; i++)
		CHECK_SAYING(learnt.weights.weight[i] > 10 && learnt.weights.weight[i] < 100.001, "weight %g of %d",
					 learnt.weights.weight[i], i);
	CHECK(learnt.calibration[EV_EMBEDDING][SIDE_TAIL].alone.slope == 0);
	CHECK(learnt.calibration[EV_BOTH][SIDE_TAIL].alone.slope > 0);
}

/* A few true answers, all with evidence, do not make evidence decide alone. */
static void
test_few(void)
{
	World	   *world = make_world(0, 20, 20, 1);
	double		few = learn(world, 2).weights.weight[SIDE_TAIL];
	double		many = learn(world, TRIPLES).weights.weight[SIDE_TAIL];

	CHECK_SAYING(few < 4 && many > 10, "weight %g by few, %g by many", few, many);
}

/*
 * A rule infers all of n true answers, of two triples on either side, and nothing else.  The next one may be
 * false: n of n say no more than n / (n + 1), nor much less.
 */
static void
test_certain(void)
{
	World		world = {.model = random_model(variants[3], 8, ENTITIES, RELATIONS, 1.1)};
	EvRule		rule = {.rule = {0, 1, {{TARGETS, TERM_X, TERM_Y}}},.confidence = 0.5f};
	EvRuleSet	set = {.rule = &rule,.count = 1};
	Triple		fact[2];
	EvCalibration rules;
	double		probability;

	for (int i = 0; i < 2; i++)
	{
		fact[i] = (Triple) {2 * i, TARGETS, 2 * i + 1};
		world.triple[i] = (Triple) {2 * i, 0, 2 * i + 1};
	}
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, fact, 2, &world.facts));
	CHECK(ev_rules(&arena, leader, RELATIONS, &set, &world.rules));
	rules = learn(&world, 2).common[EV_RULES].alone;
	probability = ev_probability(&rules, (EvJudged) {.score = log(1 + 100 * log(2))});
	CHECK_SAYING(probability <= 4.0 / 5 && probability > 2.0 / 3, "probability %g", probability);
}

#define LISTS 1000
#define OTHER_LISTS 200			/* of them of key 1 */
#define CANDIDATES 128

static void
list_candidate(EvExample *example, double phi, double evidence)
{
	EvListed   *listed = &example->listed[example->count++];

	listed->phi = (float) phi;
	listed->network = 0;
	for (int i = 0; i < EV_DISCOUNTS; i++)
		listed->evidence[i] = (float) evidence;
}

/* The mean reciprocal rank of the true answers of a key with a weight; they come last among equals. */
static double
rank_lists(const EvExamples *examples, int key, double weight)
{
	double		sum = 0;

	for (int64_t i = examples->answered.first[key]; i < examples->answered.first[key + 1]; i++)
	{
		const EvExample *example = ev_example(examples, i);
		double		answer = example->listed[0].phi + weight * example->listed[0].evidence[0];
		int			rank = 1;

		for (int j = 1; j < example->count; j++)
			rank += example->listed[j].phi + weight * example->listed[j].evidence[0] >= answer;
		sum += 1.0 / rank;
	}
	return sum / (double) (examples->answered.first[key + 1] - examples->answered.first[key]);
}

/*
 * Key 0: most true answers have evidence, and the lowest scores.  Key 1: one true answer of five has evidence, as half
 * of the candidates have, and the fourth score of these, so that evidence ranks it fourth and leaves it improbable.
 * The other true answers have none, and are the more probable the less it counts.  So the likelihood is highest without
 * evidence, where ranks are far worse.  Key 2 has no examples, and gets the common weights.
 */
static void
test_rules_without_weight(void)
{
	EvExample	example[LISTS] = {0};
	int64_t		order[LISTS];
	int64_t		first[4] = {0, LISTS - OTHER_LISTS, LISTS, LISTS};
	EvExamples	examples = {.keys = 3,.example = example,.answered = {order, first}};
	EvLearnt	learnt;
	int			discount[EV_KINDS];
	double		own;
	double		common;

	for (int i = 0; i < LISTS; i++)
	{
		bool		other = i >= first[1];
		bool		inferred = i % 5 <= (other ? 0 : 2);

		order[i] = i;
		example[i] = (EvExample) {.key = other,.listed = take(sizeof(EvListed) * CANDIDATES)};
		list_candidate(&example[i], other ? 0 : -1, inferred);
		for (int j = 1; j < CANDIDATES; j++)
			if (other)
				list_candidate(&example[i], next_uniform(-1, j < 4 || j >= CANDIDATES / 2 ? 1 : 0), j < CANDIDATES / 2);
			else
				list_candidate(&example[i], next_uniform(-1, 1), j < CANDIDATES / 4);
	}
	CHECK(weights_fit(&arena, pool, &examples, &learnt, discount));
	own = rank_lists(&examples, 1, learnt.weights.weight[1]);
	common = rank_lists(&examples, 1, learnt.weights.weight[2]);
	CHECK_SAYING(own > common - 1e-9 && common > 0.1, "weight %g ranks them %g, the common one, %g, %g",
				 learnt.weights.weight[1], own, learnt.weights.weight[2], common);
}

#define DRAWN_LISTS 4000
#define DRAWN_CANDIDATES 20

/* The loss of all lists, by its definition */
static double
loss_of(const EvExamples *examples, double a, double b, double c)
{
	double		loss = 0;

	for (int64_t i = 0; i < ev_examples_count(examples); i++)
	{
		const EvExample *example = ev_example(examples, i);
		double		total = 0;
		double		first = 0;

		for (int j = example->count - 1; j >= 0; j--)
		{
			const EvListed *listed = &example->listed[j];

			first = exp(a * listed->phi + b * listed->evidence[0] + c * listed->network);
			total += first;
		}
		loss -= log(0.02 + first / total);
	}
	return loss;
}

/* A list whose true answer, which comes first, is drawn by softmax(phi + sign * (0.5 evidence + 2 paths)) */
static void
draw_list(EvExample *example, double sign)
{
	double		part[DRAWN_CANDIDATES];
	double		total = 0;
	double		left;
	int			answer = 0;
	EvListed	first;

	for (int j = 0; j < DRAWN_CANDIDATES; j++)
	{
		EvListed   *listed = &example->listed[j];

		list_candidate(example, next_uniform(-2, 2), next_below(2) * next_uniform(0, 4));
		listed->network = next_below(2) == 0 ? 0 : (float) next_uniform(0, 2);
		part[j] = exp(listed->phi + sign * (0.5 * listed->evidence[0] + 2 * listed->network));
		total += part[j];
	}
	left = next_uniform(0, total);
	while (answer < DRAWN_CANDIDATES - 1 && left >= part[answer])
		left -= part[answer++];
	first = example->listed[0];
	example->listed[0] = example->listed[answer];
	example->listed[answer] = first;
}

/*
 * Newton's method in three variables finds what truths were drawn with, and where the loss is least: further off in
 * each variable it is higher.  (Weights are ratios: of all numbers in that ratio, the best ones are tried.)
 */
static void
test_three_parts(void)
{
	EvExample  *example = take(sizeof(EvExample) * DRAWN_LISTS);
	int64_t		order[DRAWN_LISTS];
	int64_t		first[3] = {0, DRAWN_LISTS, DRAWN_LISTS};
	EvExamples	examples = {.keys = 2,.example = example,.answered = {order, first},.has_network = true};
	EvLearnt	learnt;
	int			discount[EV_KINDS];
	double		weight;
	double		paths;
	double		a = 1;
	double		least = INFINITY;

	for (int i = 0; i < DRAWN_LISTS; i++)
	{
		order[i] = i;
		example[i] = (EvExample) {.listed = take(sizeof(EvListed) * DRAWN_CANDIDATES)};
		draw_list(&example[i], 1);
	}
	CHECK(weights_fit(&arena, pool, &examples, &learnt, discount));
	weight = learnt.weights.weight[1];
	paths = learnt.weights.network[1];
	CHECK_SAYING(fabs(weight - 0.5) < 0.05 && fabs(paths - 4) < 0.4, "weight %g, not 0.5; paths count %g, not 4", weight, paths);
	for (double tried = 0.7; tried < 1.3; tried += 0.02)
		if (loss_of(&examples, tried, tried * weight, tried * weight * paths) < least)
		{
			a = tried;
			least = loss_of(&examples, a, a * weight, a * weight * paths);
		}
	for (int off = -1; off <= 1; off += 2)
	{
		double		more = 1 + 0.05 * off;

		CHECK(loss_of(&examples, a * more, a * weight, a * weight * paths) > least);
		CHECK(loss_of(&examples, a, a * weight * more, a * weight * paths) > least);
		CHECK(loss_of(&examples, a, a * weight, a * weight * paths * more) > least);
	}
	/* the same lists without a network: paths count nothing, whatever their scores are */
	examples.has_network = false;
	for (int i = 0; i < DRAWN_LISTS * DRAWN_CANDIDATES; i++)
		example[i / DRAWN_CANDIDATES].listed[i % DRAWN_CANDIDATES].network = 0;
	CHECK(weights_fit(&arena, pool, &examples, &learnt, discount));
	CHECK(learnt.weights.network[0] == 0 && learnt.weights.network[1] == 0);
}

/* Where rules and paths mislead, neither counts. */
static void
test_misleading_parts(void)
{
	EvExample  *example = take(sizeof(EvExample) * DRAWN_LISTS);
	int64_t		order[DRAWN_LISTS];
	int64_t		first[3] = {0, DRAWN_LISTS / 2, DRAWN_LISTS};
	EvExamples	examples = {.keys = 2,.example = example,.answered = {order, first},.has_network = true};
	EvLearnt	learnt;
	int			discount[EV_KINDS];

	for (int i = 0; i < DRAWN_LISTS; i++)
	{
		order[i] = i;
		example[i] = (EvExample) {.listed = take(sizeof(EvListed) * DRAWN_CANDIDATES)};
		draw_list(&example[i], i < first[1] ? 1 : -1);
	}
	CHECK(weights_fit(&arena, pool, &examples, &learnt, discount));
	CHECK(learnt.weights.weight[0] > 0.4 && learnt.weights.network[0] > 2);
	CHECK(learnt.weights.weight[1] == 0 && learnt.weights.network[1] == 0);
}

/* Initial parameters */
static PathNetwork
random_network(int32_t relations, int32_t kept)
{
	PathShape	shape = {.relations = relations,.layers = 2,.width = PATH_WIDTH_STEP,.kept = kept};
	PathNetwork network = {.shape = shape,.parameter = take(path_parameters(shape) * sizeof(float)),.members = 1};

	path_initialise(&network, next_draw());
	return network;
}

/* True answers are drawn by the scores of a network alone: it gets the weight, and predicts them by itself. */
static void
test_network(void)
{
	World	   *world = make_world(0, 0, 0, 1);
	PathNetwork network = random_network(RELATIONS, ENTITIES);
	EvExampleSource source = source_of(world, TRIPLES);
	PathReader *reader = path_reader(&arena, &world->facts, &network);
	EvLearnt	learnt;
	double		mean = 0;

	for (int i = 0; i < TRIPLES; i++)
	{
		const PathAnswer *answer;
		int64_t		count = path_answers(reader, question_of(SIDE_TAIL, i / TARGETS, i % TARGETS), leader, POOL_LEADER, &answer);
		int64_t		best = 0;

		for (int64_t j = 0; j < count; j++)
			if (answer[j].score > answer[best].score)
				best = j;
		world->triple[i] = (Triple) {i / TARGETS, i % TARGETS, answer[best].entity};
		mean += answer[best].score / TRIPLES;
	}
	source.network = &network;
	CHECK(ev_learn(&arena, pool, &source, &learnt));
	for (int r = 0; r < TARGETS; r++)
	{
		int			key = 2 * r + SIDE_TAIL;

		CHECK_SAYING(learnt.weights.weight[key] * learnt.weights.network[key] > 1, "relation %d: weight %g, paths %g", r,
					 learnt.weights.weight[key], learnt.weights.network[key]);
		/* each question has one answer: a score decides between them */
		CHECK(learnt.calibration[EV_NETWORK][key].ranked.exclusive && learnt.calibration[EV_NETWORK][key].ranked.choice > 0);
	}
	CHECK(mean > 0);
	/* without rules */
	source.rules = NULL;
	CHECK(ev_learn(&arena, pool, &source, &learnt));
	CHECK(learnt.weights.weight[SIDE_TAIL] * learnt.weights.network[SIDE_TAIL] > 1);
}

/* Examples of a network that takes long are few, and no fewer of a small one. */
static void
test_fewer_examples(void)
{
	FactIndex	facts = {.entities = 15000,.relations = 237,.edges = 540000};
	KgeModel	model = {.entities = 15000,.relations = 237};
	PathNetwork large = {.shape = {237, 7, 48, 2000},.members = 1};
	PathNetwork small = {.shape = {237, 1, PATH_WIDTH_STEP, 1},.members = 1};
	EvExampleSource source = {.model = &model,.facts = &facts,.count = 17000};
	Degree		even[] = {{36, 15000}};
	Degree		hubs[] = {{26, 14985}, {10026, 15}};	/* as many facts */
	int64_t		all = ev_examples_all(&source);
	int64_t		of_even;

	CHECK(ev_examples_answered(&source) == 20000);
	source.network = &large;
	source.degrees = (Degrees) {even, 1};
	of_even = ev_examples_answered(&source);
	CHECK_SAYING(ev_examples_all(&source) < 20000 && ev_examples_answered(&source) > 200, "%lld of %lld examples",
				 (long long) ev_examples_answered(&source), (long long) ev_examples_all(&source));
	source.degrees = (Degrees) {hubs, 2};
	CHECK(ev_examples_answered(&source) < of_even);	/* hubs make a network slower */
	source.degrees = (Degrees) {even, 1};
	large.reversed = 4;
	CHECK(5 * ev_examples_answered(&source) <= of_even + 10);	/* four reverse questions, five times */
	source.network = &small;
	CHECK(ev_examples_all(&source) <= all);
	/* as few as are asked for: as many drawn like them, and half as many besides */
	source.network = NULL;
	source.most = 500;
	CHECK(ev_examples_answered(&source) == 1000 && ev_examples_all(&source) <= 2500);
}

static void
test_nothing(void)
{
	World	   *world = make_world(1, 1, 1, 1);
	Pool	   *pool = pool_create(1, NULL, NULL);
	EvExampleSource source = source_of(world, 10);
	EvLearnt	learnt;

	CHECK(!ev_learn(&empty_arena, pool, &source, &learnt));
	pool_destroy(pool);
	/* no true answer has an embedding */
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
	test_rules_without_weight();
	test_three_parts();
	test_misleading_parts();
	test_network();
	test_fewer_examples();
	test_nothing();
	test_missing();
	test_several_answers();
	test_score_needed();
}
