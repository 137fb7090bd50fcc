/*
 * test_paths.c
 *		The path network: its gradients against finite differences, its messages against their definition on a small
 *		graph, what it learns of a rule, and bits that do not depend on the threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "paths/walk.h"

#define ENTITIES 30
#define RELATIONS 3
#define FACTS 80

static FactIndex
random_facts(Triple *triple, int entities, int relations, int count)
{
	FactIndex	facts;
	int			distinct = 0;

	for (int i = 0; i < count; i++)
		triple[i] = (Triple) {next_below(entities), next_below(relations), next_below(entities)};
	qsort(triple, (size_t) count, sizeof(Triple), triple_compare);
	for (int i = 0; i < count; i++)
		if (i == 0 || triple_compare(&triple[i], &triple[distinct - 1]) != 0)
			triple[distinct++] = triple[i];
	CHECK(fact_index(&arena, pool, entities, relations, triple, distinct, &facts));
	return facts;
}

static PathNetwork
random_members(PathShape shape, int members)
{
	size_t		count = path_parameters(shape);
	PathNetwork network = {.shape = shape,.parameter = take(members * count * sizeof(float)),.members = members};

	for (int i = 0; i < members; i++)
	{
		PathNetwork member = path_member(&network, i);

		path_initialise(&member, next_draw());
	}
	for (size_t i = 0; i < members * count; i++)
		network.parameter[i] += (float) next_uniform(-0.1, 0.1);
	return network;
}

static PathNetwork
random_network(PathShape shape)
{
	return random_members(shape, 1);
}

static PathWalk
open_walk(const FactIndex *facts, const PathNetwork *network, bool recorded)
{
	PathWalk	walk = {.facts = facts,.shape = network->shape,.recorded = recorded};
	Allocation	allocation = {0};

	path_walk_take(&walk, &allocation);
	CHECK(allocation_open(&allocation, &arena));
	path_walk_take(&walk, &allocation);
	walk.weights = path_weights(network->shape, network->parameter);
	walk.pool = leader;
	walk.thread = POOL_LEADER;
	path_walk_open(&walk);
	return walk;
}

/* The question whose answers an atom leads to */
static Question
question_by(int32_t given, DirectedAtom atom)
{
	return question_of(IS_BACKWARDS(atom) ? SIDE_HEAD : SIDE_TAIL, given, RELATION_OF(atom));
}

/* ---- gradients ----------------------------------------------------------------------------- */

/* A sum of scores, weighted by entity */
static double
weighed_scores(PathWalk *walk, Question question, const float *weight)
{
	double		sum = 0;

	path_walk(walk, question);
	for (int32_t i = 0; i < path_walk_count(walk); i++)
		sum += (double) weight[walk->entity[i]] * walk->score[i];
	return sum;
}

/* The same derivative by the difference of two sums, at some numbers of one array */
static void
check_array(const char *name, PathWalk *walk, Question question, const float *weight, float *parameter,
			const float *gradient, size_t count)
{
	double		largest = 0;
	double		scale = 0;

	for (int i = 0; i < 12; i++)
	{
		size_t		at = (size_t) next_below((int) count);
		float		kept = parameter[at];
		float		step = 3e-3f;		/* rarely changes who is kept */
		double		above;
		double		below;

		parameter[at] = kept + step;
		above = weighed_scores(walk, question, weight);
		parameter[at] = kept - step;
		below = weighed_scores(walk, question, weight);
		parameter[at] = kept;
		largest = worse(largest, fabs((above - below) / (2 * step) - gradient[at]));
		scale = worse(scale, fabs(gradient[at]));
	}
	CHECK_SAYING(largest <= 2e-3 + 0.02 * scale, "%s: %g of %g", name, largest, scale);
}

#define CHECK_ARRAY(field, count) \
	check_array(#field, &walk, question, weight, walk.weights.field, gradients.field, count)

static void
check_gradients(int layers, int32_t kept, double dropout, double exploration)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathShape	shape = {RELATIONS, layers, 16, kept};
	PathNetwork network = random_network(shape);
	PathWalk	walk = open_walk(&facts, &network, true);
	float	   *numbers = take(path_parameters(shape) * sizeof(float));
	PathWeights gradients = path_weights(shape, numbers);
	Question	question = question_of(SIDE_TAIL, triple[0].head, triple[0].relation);
	float		weight[ENTITIES];
	size_t		atoms = 2 * RELATIONS + 1;

	for (int i = 0; i < ENTITIES; i++)
		weight[i] = (float) next_uniform(-1, 1);
	walk.noise = (PathNoise) {dropout, exploration, next_draw()};
	memset(numbers, 0, path_parameters(shape) * sizeof(float));
	weighed_scores(&walk, question, weight);
	for (int32_t i = 0; i < path_walk_count(&walk); i++)
		walk.score[i] = weight[walk.entity[i]];
	path_walk_turn(&walk);
	path_walk_back(&walk, &gradients);
	CHECK_ARRAY(start, 2 * RELATIONS * 16);
	CHECK_ARRAY(readout, 17);
	for (int i = 0; i < layers; i++)
	{
		CHECK_ARRAY(layer[i].scale, atoms * 16);
		CHECK_ARRAY(layer[i].shift, atoms * 16);
		CHECK_ARRAY(layer[i].attend_atom, atoms * ATTENTION);
		CHECK_ARRAY(layer[i].attend_asked, 2 * RELATIONS * ATTENTION);
		CHECK_ARRAY(layer[i].attend_state, 16 * ATTENTION);
		CHECK_ARRAY(layer[i].attend, ATTENTION + 1);
		CHECK_ARRAY(layer[i].map, 16 * 32);
		CHECK_ARRAY(layer[i].level, 32);
		CHECK_ARRAY(layer[i].keep, 16 * 16);
		CHECK_ARRAY(layer[i].bias, 32);
		CHECK_ARRAY(layer[i].priority, 17);
	}
}

/* ---- exploration --------------------------------------------------------------------------- */

#define WALKS 4000

/*
 * Of entities with priorities p, noise of Gumbel's distribution, of the scale of their standard deviation d, keeps one
 * with the chance e^(p/d) / sum of e^(p/d).
 */
static void
check_exploration(void)
{
	Triple		triple[] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
	FactIndex	facts;
	PathNetwork network = random_network((PathShape) {RELATIONS, 2, 16, ENTITIES});
	Question	question = question_of(SIDE_TAIL, 0, 0);
	PathWalk	walk;
	double		priority[4] = {0};
	double		weight[4] = {0};
	double		mean = 0;
	double		deviation = 0;
	double		sum = 0;
	int			kept[4] = {0};

	CHECK(fact_index(&arena, pool, 4, RELATIONS, triple, 3, &facts));
	walk = open_walk(&facts, &network, true);
	path_walk(&walk, question);
	for (int i = 1; i < 4; i++)
	{
		double		chance = walk.stage[0].chance[i - 1];

		priority[walk.entity[i]] = log(chance / (1 - chance));
		mean += priority[walk.entity[i]] / 3;
	}
	for (int i = 1; i < 4; i++)
		deviation += (priority[i] - mean) * (priority[i] - mean) / 3;
	deviation = sqrt(deviation);
	for (int i = 1; i < 4; i++)
	{
		weight[i] = exp(priority[i] / deviation);
		sum += weight[i];
	}
	CHECK(path_keeps_all(&facts, network.shape));
	network.shape.kept = 1;
	walk = open_walk(&facts, &network, true);
	walk.noise.exploration = 1;
	for (int i = 0; i < WALKS; i++)
	{
		walk.noise.stream = next_draw();
		path_walk(&walk, question);
		kept[walk.entity[1]]++;
	}
	for (int i = 1; i < 4; i++)
	{
		double		share = weight[i] / sum;

		CHECK_SAYING(fabs((double) kept[i] / WALKS - share) < 5 * sqrt(share * (1 - share) / WALKS), "%d of %d, %g expected", kept[i],
					 WALKS, share);
	}
}

/* Two layers of three keep the given entity, 3, and 8 times 3: not all of 30. */
static void
check_room(void)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);

	CHECK(!path_keeps_all(&facts, (PathShape) {RELATIONS, 2, 16, 3}));
	CHECK(path_keeps_all(&facts, (PathShape) {RELATIONS, 2, 16, 4}));
	CHECK(path_keeps_all(&facts, (PathShape) {RELATIONS, 3, 16, 3}));
}

/* ---- the definition -------------------------------------------------------------------------- */

static double
logistic(double x)
{
	return 1 / (1 + exp(-x));
}

/* A network as doc/method.md defines it, entity by entity, where all that is reached is kept */
typedef struct Definition
{
	const PathWeights *weights;
	Question	question;
	const Triple *triple;
	int			triples;
	int			width;
	bool		reached[ENTITIES];
	double		state[ENTITIES][16];
} Definition;

static double
attention_of(const Definition *definition, const PathLayer *layer, const double *state, int atom)
{
	double		sum = layer->attend[ATTENTION];

	for (int k = 0; k < ATTENTION; k++)
	{
		double		x = layer->attend_atom[atom * ATTENTION + k] +
			layer->attend_asked[asked_atom(definition->question.relation, definition->question.side) * ATTENTION + k];

		for (int j = 0; j < 16; j++)
			x += state[j] * layer->attend_state[j * ATTENTION + k];
		sum += layer->attend[k] * fmax(x, 0);
	}
	return logistic(sum);
}

static void
add_message(const Definition *definition, const PathLayer *layer, int from, int atom, double *sum)
{
	const double *state = definition->state[from];
	double		attention = attention_of(definition, layer, state, atom);

	for (int j = 0; j < 16; j++)
		sum[j] += attention * (state[j] * layer->scale[atom * 16 + j] + layer->shift[atom * 16 + j]);
}

static void
next_state(const PathLayer *layer, const double *sum, bool new, double *state)
{
	double		m = 0;
	double		chance = layer->priority[16];
	double		next[16];

	for (int j = 0; j < 16; j++)
	{
		m += sum[j] * sum[j] / 16;
		chance += sum[j] * layer->priority[j];
	}
	for (int j = 0; j < 16; j++)
	{
		double		x = layer->bias[j] + log1p(m) * layer->level[j];
		double		z = layer->bias[16 + j] + log1p(m) * layer->level[16 + j];

		for (int i = 0; i < 16; i++)
		{
			x += sum[i] / sqrt(1 + m) * layer->map[i * 32 + j];
			z += sum[i] / sqrt(1 + m) * layer->map[i * 32 + 16 + j] + state[i] * layer->keep[i * 16 + j];
		}
		next[j] = state[j] + logistic(z) * (tanh(x) - state[j]);
	}
	for (int j = 0; j < 16; j++)
		state[j] = next[j] * (new ? logistic(chance) : 1);
}

static void
define_layer(Definition *definition, const PathLayer *layer)
{
	double		sum[ENTITIES][16] = {{0}};
	bool		reached[ENTITIES];

	memcpy(reached, definition->reached, sizeof(reached));
	for (int i = 0; i < definition->triples; i++)
	{
		Triple		t = definition->triple[i];

		if (definition->reached[t.head])
			add_message(definition, layer, t.head, FORWARDS(t.relation), sum[t.tail]);
		if (definition->reached[t.tail])
			add_message(definition, layer, t.tail, MIRRORED(FORWARDS(t.relation)), sum[t.head]);
		reached[t.tail] = reached[t.tail] || definition->reached[t.head];
		reached[t.head] = reached[t.head] || definition->reached[t.tail];
	}
	for (int i = 0; i < ENTITIES; i++)
		if (definition->reached[i])
			add_message(definition, layer, i, 2 * RELATIONS, sum[i]);
	for (int i = 0; i < ENTITIES; i++)
		if (reached[i])
			next_state(layer, sum[i], !definition->reached[i], definition->state[i]);
	memcpy(definition->reached, reached, sizeof(reached));
}

static void
define(Definition *definition, int layers)
{
	memset(definition->reached, 0, sizeof(definition->reached));
	memset(definition->state, 0, sizeof(definition->state));
	definition->reached[definition->question.given] = true;
	for (int j = 0; j < 16; j++)
		definition->state[definition->question.given][j] = definition->weights->start[asked_atom(definition->question.relation, definition->question.side) * 16 + j];
	for (int i = 0; i < layers; i++)
		define_layer(definition, &definition->weights->layer[i]);
}

static void
check_definition(bool recorded)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathNetwork network = random_network((PathShape) {RELATIONS, 3, 16, ENTITIES});
	PathWalk	walk = open_walk(&facts, &network, recorded);
	Definition	definition = {.weights = &walk.weights,.triple = triple,.triples = (int) facts.edges / 2};

	for (int asked = 0; asked < 2 * RELATIONS; asked++)
	{
		int			kept = 0;

		definition.question = question_by(next_below(ENTITIES), asked);
		define(&definition, 3);
		path_walk(&walk, definition.question);
		for (int i = 0; i < ENTITIES; i++)
		{
			double		score = walk.weights.readout[16];

			for (int j = 0; j < 16; j++)
				score += definition.state[i][j] * walk.weights.readout[j];
			kept += definition.reached[i];
			CHECK((walk.place[i] >= 0) == definition.reached[i]);
			if (definition.reached[i])
				CHECK_SAYING(fabs(score - walk.score[walk.place[i]]) < 1e-4, "%g, %g", score, walk.score[walk.place[i]]);
		}
		CHECK(path_walk_count(&walk) == kept);
	}
}

/* ---- who is kept ---------------------------------------------------------------------------- */

/* Of the entities that the first layer reaches, those with the highest priorities, as a network that keeps all has them. */
static void
check_kept(void)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathNetwork all = random_network((PathShape) {RELATIONS, 2, 16, ENTITIES});
	PathNetwork few = {.shape = {RELATIONS, 2, 16, 3},.parameter = all.parameter,.members = 1};
	PathWalk	walk_all = open_walk(&facts, &all, true);
	PathWalk	walk_few = open_walk(&facts, &few, true);

	for (int given = 0; given < ENTITIES; given++)
	{
		int			kept = 0;
		float		least = 1;
		float		most = 0;

		path_walk(&walk_all, question_of(SIDE_TAIL, given, 0));
		path_walk(&walk_few, question_of(SIDE_TAIL, given, 0));
		for (int32_t i = 1; i < walk_all.stage[0].count; i++)
		{
			float		chance = walk_all.stage[0].chance[i - 1];
			int32_t		place = walk_few.place[walk_all.entity[i]];
			bool		is_kept = place >= 0 && place < walk_few.stage[0].count;

			kept += is_kept;
			least = is_kept && chance < least ? chance : least;
			most = !is_kept && chance > most ? chance : most;
		}
		CHECK(kept == (walk_all.stage[0].count - 1 < 3 ? walk_all.stage[0].count - 1 : 3));
		CHECK(least >= most);
		CHECK(walk_few.place[given] == 0);
	}
}

/* The last layer keeps eight times as many: 16 of the 29 that are around the given entity. */
static void
check_last_kept(void)
{
	Triple		triple[ENTITIES - 1];
	FactIndex	facts;
	PathNetwork network = random_network((PathShape) {1, 1, 16, 2});
	PathWalk	walk;

	for (int i = 0; i < ENTITIES - 1; i++)
		triple[i] = (Triple) {0, 0, 1 + i};
	CHECK(fact_index(&arena, pool, ENTITIES, 1, triple, ENTITIES - 1, &facts));
	walk = open_walk(&facts, &network, false);
	path_walk(&walk, question_of(SIDE_TAIL, 0, 0));
	CHECK(path_walk_count(&walk) == 1 + 16);
}

/*
 * Shares of all entities by their definition: e^s of the sum, without known answers; s is 0 for what was not kept, whose
 * share is returned.
 */
static double
shares_of(const FactIndex *facts, const PathNetwork *member, Question question, double *share, bool *is_kept)
{
	PathWalk	walk = open_walk(facts, member, false);
	double		sum = 0;

	path_walk(&walk, question);
	for (int32_t i = 0; i < facts->entities; i++)
	{
		is_kept[i] = walk.place[i] >= 0;
		share[i] = exp(is_kept[i] ? walk.score[walk.place[i]] : 0);
		if (!fact_holds(facts, question.given, asked_atom(question.relation, question.side), i))
			sum += share[i];
	}
	for (int32_t i = 0; i < facts->entities; i++)
		share[i] /= sum;
	return 1 / sum;
}

/* The member that gives an answer the largest share is the one whose reasons an explanation has. */
static void
check_reasons_of_members(const FactIndex *facts, const PathNetwork *network, Triple triple, int best)
{
	PathNetwork member = path_member(network, best);
	PathReason	expected[4];
	PathReason	reasons[4];
	int			count = path_reasons(path_reasoner(&arena, facts, &member, false), triple, SIDE_TAIL, false, 3, expected, leader,
									 POOL_LEADER);

	CHECK(path_reasons(path_reasoner(&arena, facts, network, false), triple, SIDE_TAIL, false, 3, reasons, leader, POOL_LEADER) == count);
	for (int i = 0; i < count; i++)
	{
		CHECK(reasons[i].share == expected[i].share && reasons[i].length == expected[i].length);
		CHECK(memcmp(reasons[i].step, expected[i].step, (size_t) reasons[i].length * sizeof(PathStep)) == 0);
	}
}

/* An answer's score, as e^score over that of an entity that no member kept, is by the mean of the members' shares. */
static void
check_members(void)
{
	enum
	{
		MEMBERS = 3
	};
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathNetwork network = random_members((PathShape) {RELATIONS, 2, 16, 2}, MEMBERS);
	PathReader *reader = path_reader(&arena, &facts, &network);

	for (int given = 0; given < ENTITIES; given++)
	{
		Question	question = question_of(SIDE_TAIL, given, next_below(RELATIONS));
		const PathAnswer *answer;
		int64_t		count;
		bool		is_kept[MEMBERS][ENTITIES];
		double		share[MEMBERS][ENTITIES];
		double		not_kept = 0;
		int			kept = 0;

		for (int m = 0; m < MEMBERS; m++)
		{
			PathNetwork member = path_member(&network, m);

			/* from the middle on, what is kept is less likely than what is not */
			if (given == ENTITIES / 2)
				path_weights(member.shape, member.parameter).readout[16] = -30;
			not_kept += shares_of(&facts, &member, question, share[m], is_kept[m]);
		}
		count = path_answers(reader, question, leader, POOL_LEADER, &answer);
		for (int32_t i = 0; i < ENTITIES; i++)
		{
			double		sum = 0;
			int			best = -1;	/* of those that kept it */
			double		score;

			for (int m = 0; m < MEMBERS; m++)
			{
				sum += share[m][i];
				if (is_kept[m][i] && (best < 0 || share[m][i] > share[best][i]))
					best = m;
			}
			score = best < 0 ? 0 : log1p(sum / not_kept);
			CHECK_SAYING(fabs(path_score(reader, i) - score) < 1e-4, "%g, %g", path_score(reader, i), score);
			kept += best >= 0;
			if (best >= 0)
				check_reasons_of_members(&facts, &network, (Triple) {given, question.relation, i}, best);
		}
		CHECK(kept == count);
		for (int64_t i = 0; i < count; i++)
			CHECK(answer[i].score == path_score(reader, answer[i].entity) && answer[i].score <= path_most_score(reader));
	}
}

/*
 * The best answers that are no facts have together what they had, in proportion to what each had times
 * sqrt(q sqrt(1 + n)), q the mean share of the given entity in the reverse question, n its known answers; others stay.
 */
static void
check_reversed(void)
{
	enum
	{
		MEMBERS = 2,
		REVERSED = 4
	};
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathNetwork network = random_members((PathShape) {RELATIONS, 2, 16, 2}, MEMBERS);
	PathNetwork reversing = network;
	PathReader *reader;
	PathReader *reverse;
	int			changed = 0;

	reversing.reversed = REVERSED;
	reader = path_reader(&arena, &facts, &network);
	reverse = path_reader(&arena, &facts, &reversing);
	for (int trial = 0; trial < 2 * ENTITIES; trial++)
	{
		Question	question = question_of((Side) (trial % 2), trial / 2, next_below(RELATIONS));
		const PathAnswer *answer;
		int64_t		count = path_answers(reader, question, leader, POOL_LEADER, &answer);
		double		expected[ENTITIES];
		double		all_before = 0;
		double		all_after = 0;
		int32_t		best[REVERSED];
		int			found = 0;

		for (int32_t i = 0; i < ENTITIES; i++)
			expected[i] = path_score(reader, i);
		while (found < REVERSED)
		{
			int32_t		next = -1;

			for (int32_t i = 0; i < ENTITIES; i++)
				if (i != question.given && expected[i] > (next < 0 ? 0 : path_score(reader, next)) &&
					!fact_holds(&facts, question.given, asked_atom(question.relation, question.side), i))
					next = i;
			if (next < 0)
				break;
			best[found++] = next;
			expected[next] = -1;	/* until it is known */
		}
		for (int i = 0; i < found; i++)
		{
			Question	asked = question_of(other_side(question.side), best[i], question.relation);
			double		share[MEMBERS][ENTITIES];
			bool		is_kept[ENTITIES];
			double		before = expm1(path_score(reader, best[i]));
			int			known = 0;

			for (int m = 0; m < MEMBERS; m++)
			{
				PathNetwork member = path_member(&network, m);

				shares_of(&facts, &member, asked, share[m], is_kept);
			}
			for (int32_t j = 0; j < ENTITIES; j++)
				known += fact_holds(&facts, best[i], asked_atom(asked.relation, asked.side), j);
			expected[best[i]] = before * sqrt((share[0][question.given] + share[1][question.given]) / 2 * sqrt(1 + known));
			all_before += before;
			all_after += expected[best[i]];
		}
		for (int i = 0; i < found; i++)
			expected[best[i]] = log1p(expected[best[i]] * all_before / all_after);
		CHECK(path_answers(reverse, question, leader, POOL_LEADER, &answer) == count);
		for (int64_t i = 0; i < count; i++)
			CHECK(answer[i].score == path_score(reverse, answer[i].entity) && answer[i].score <= path_most_score(reverse));
		for (int32_t i = 0; i < ENTITIES; i++)
		{
			CHECK_SAYING(fabs(path_score(reverse, i) - expected[i]) < 1e-4, "%d: %g, %g", i, path_score(reverse, i), expected[i]);
			changed += fabs(path_score(reverse, i) - path_score(reader, i)) > 0.01;
		}
	}
	CHECK(changed > ENTITIES);
}

/*
 * Where all that is kept scores the same, one answer gets more than any has without reverse questions, and no more than
 * the bound; scores far too large leave numbers.
 */
static void
check_reversed_extremes(void)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathNetwork network = random_network((PathShape) {RELATIONS, 2, 16, 2});
	float	   *readout = path_weights(network.shape, network.parameter).readout;
	double		above = 0;

	for (int large = 0; large < 2; large++)
	{
		double		forwards;
		PathReader *reader;

		for (int i = 0; i < 16; i++)
			readout[i] = large ? (float) next_uniform(-1e6, 1e6) : 0;
		readout[16] = large ? 0 : 5;
		network.reversed = 0;
		forwards = path_most_score(path_reader(&arena, &facts, &network));
		network.reversed = large ? 2 : 4;
		reader = path_reader(&arena, &facts, &network);
		for (int trial = 0; trial < 2 * ENTITIES * RELATIONS; trial++)
		{
			Question	question = question_of((Side) (trial % 2), trial / 2 % ENTITIES, trial / (2 * ENTITIES));
			const PathAnswer *answer;
			int64_t		count = path_answers(reader, question, leader, POOL_LEADER, &answer);

			for (int64_t i = 0; i < count; i++)
			{
				CHECK(isfinite(answer[i].score) && answer[i].score <= path_most_score(reader));
				above = large ? above : fmax(above, answer[i].score - forwards);
			}
		}
	}
	CHECK_SAYING(above > 0.1, "%g", above);
}

/* Priorities of parameters that are far too large are infinite or no numbers: no more are kept than there is room for. */
static void
check_too_large(void)
{
	Triple		triple[2 * ENTITIES];

	for (int trial = 0; trial < 200; trial++)
	{
		FactIndex	facts;
		PathNetwork network = random_network((PathShape) {RELATIONS, 2, 16, 1});
		PathWalk	walk;

		for (int i = 0; i < 2 * ENTITIES; i++)
			triple[i] = (Triple) {0, next_below(RELATIONS), i / 2};
		qsort(triple, 2 * ENTITIES, sizeof(Triple), triple_compare);
		CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, triple, 2 * ENTITIES, &facts));
		walk = open_walk(&facts, &network, true);
		for (int j = 0; j < 16; j++)
		{
			walk.weights.layer[0].shift[FORWARDS(0) * 16 + j] = 3e38f;
			walk.weights.layer[0].priority[j] = next_below(2) == 0 ? 10 : -10;
		}
		path_walk(&walk, question_of(SIDE_TAIL, 0, 0));
		CHECK(walk.stage[0].count <= 2);
		CHECK(path_walk_count(&walk) <= 10);
	}
}

/* ---- facts taken out, relations renamed -------------------------------------------------------- */

static void
check_same_scores(PathWalk *a, PathWalk *b, Question of_a, Question of_b)
{
	path_walk(a, of_a);
	path_walk(b, of_b);
	for (int i = 0; i < a->facts->entities; i++)
	{
		CHECK((a->place[i] < 0) == (b->place[i] < 0));
		if (a->place[i] >= 0 && b->place[i] >= 0)
			CHECK_SAYING(fabsf(a->score[a->place[i]] - b->score[b->place[i]]) < 1e-5f, "%g, %g", a->score[a->place[i]],
						 b->score[b->place[i]]);
	}
}

/* A fact that is taken out is as if it were none; with all facts of its entities, as if there were none of these. */
static void
check_removed(bool all)
{
	Triple		triple[FACTS];
	Triple		left[FACTS];
	FactIndex	facts = random_facts(triple, 8, RELATIONS, FACTS);
	FactIndex	without;
	Triple		removed = triple[3];
	PathNetwork network = random_network((PathShape) {RELATIONS, 3, 16, ENTITIES});
	PathWalk	walk = open_walk(&facts, &network, true);
	PathWalk	other;
	PathRemoved out;
	Allocation	allocation = {0};
	int			count = 0;

	for (int64_t i = 0; i < facts.edges / 2; i++)
	{
		bool		between = (triple[i].head == removed.head && triple[i].tail == removed.tail) ||
			(triple[i].head == removed.tail && triple[i].tail == removed.head);

		if (all ? !between : i != 3)
			left[count++] = triple[i];
	}
	CHECK(fact_index(&arena, pool, 8, RELATIONS, left, count, &without));
	other = open_walk(&without, &network, false);
	path_removed_take(&out, &allocation, &facts);
	CHECK(allocation_open(&allocation, &arena));
	path_removed_take(&out, &allocation, &facts);
	path_removed_open(&out, &facts);
	walk.removed = &out;
	for (int asked = 0; asked < 2 * RELATIONS; asked++)
	{
		Question	question = question_by(removed.head, asked);

		(all ? path_set_all_removed : path_set_removed) (&out, &facts, removed, true);
		check_same_scores(&walk, &other, question, question);
		(all ? path_set_all_removed : path_set_removed) (&out, &facts, removed, false);
	}
	for (int64_t i = 0; i < facts.edges; i++)
		CHECK(!path_is_removed(&out, i));
}

static void
check_direct(void)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	Triple		backwards = {triple[0].tail, RELATIONS - 1, triple[0].head};
	Triple		apart = {0, 0, 0};
	Triple		many[300];

	for (int32_t i = 0; i < ENTITIES; i++)
	{
		bool		found = false;

		for (int64_t j = facts.start[0]; j < facts.start[1]; j++)
			found = found || facts.edge[j].other == i;
		if (!found)
			apart.tail = i;
	}
	CHECK(path_is_direct(&facts, &backwards, 1));
	CHECK(!path_is_direct(&facts, &apart, 1));
	CHECK(path_is_direct(&facts, NULL, 0));
	for (int i = 0; i < 300; i++)
		many[i] = i < 3 ? backwards : apart;
	CHECK(!path_is_direct(&facts, many, 300));
	CHECK(path_is_direct(&facts, many, 299));
}

/* ---- the loss --------------------------------------------------------------------------------- */

/* A minibatch of one triple, that changes nothing at rate 0; `state`: the optimizer's after it, unless NULL */
static double
loss_of_draw(const FactIndex *facts, PathNetwork *network, Triple triple, bool direct, uint64_t draw, float **state)
{
	PathTraining training = {.batch_size = 2,.direct = direct,.seed = 5};
	PathTrainer *trainer = path_trainer(&arena, facts, network, &training, pool_threads(pool));
	size_t		count;
	double		loss = path_train(trainer, pool, &triple, 1, (PathPace) {0, network->shape.kept, 0}, draw);

	if (state != NULL)
		*state = path_trainer_state(trainer, &count);
	return loss;
}

static double
loss_of(const FactIndex *facts, PathNetwork *network, Triple triple, float **state)
{
	return loss_of_draw(facts, network, triple, true, 1, state);
}

/* -log of the answer's share, from the scores of a network over the facts without the triple */
static double
defined_loss(const FactIndex *without, const PathNetwork *network, Side side, int32_t given, Triple triple, int32_t answer)
{
	PathWalk	walk = open_walk(without, network, false);
	DirectedAtom asked = side == SIDE_TAIL ? FORWARDS(triple.relation) : MIRRORED(FORWARDS(triple.relation));
	double		sum = 0;

	path_walk(&walk, question_by(given, asked));
	for (int32_t i = 0; i < without->entities; i++)
		if (!fact_holds(without, given, asked, i))
			sum += exp(walk.place[i] < 0 ? 0 : walk.score[walk.place[i]]);
	return log(sum) - (walk.place[answer] < 0 ? 0 : walk.score[walk.place[answer]]);
}

/*
 * One answer a question: a ring by relation 0, and chords by relation 1.  The optimizer's mean after the first step is a
 * tenth of the gradient.
 */
static void
check_loss(void)
{
	Triple		triple[2 * ENTITIES];
	FactIndex	facts;
	FactIndex	without;
	PathNetwork network = random_network((PathShape) {2, 3, 16, ENTITIES});
	Triple		asked;
	float	   *state;
	float	   *ignored;
	double		loss;

	for (int i = 0; i < ENTITIES; i++)
	{
		triple[2 * i] = (Triple) {i, 0, (i + 1) % ENTITIES};
		triple[2 * i + 1] = (Triple) {i, 1, (i + 7) % ENTITIES};
	}
	asked = triple[0];
	CHECK(fact_index(&arena, pool, ENTITIES, 2, triple, 2 * ENTITIES, &facts));
	CHECK(fact_index(&arena, pool, ENTITIES, 2, triple + 1, 2 * ENTITIES - 1, &without));
	loss = loss_of(&facts, &network, asked, &state);
	CHECK_SAYING(fabs(loss - (defined_loss(&without, &network, SIDE_HEAD, asked.tail, asked, asked.head) +
							  defined_loss(&without, &network, SIDE_TAIL, asked.head, asked, asked.tail)) / 2) < 1e-4,
				 "%g", loss);
	for (int i = 0; i < 40; i++)
	{
		int			at = next_below(1024);
		float		number = network.parameter[at];
		double		above;
		double		below;

		network.parameter[at] = number + 1e-2f;
		above = loss_of(&facts, &network, asked, &ignored);
		network.parameter[at] = number - 1e-2f;
		below = loss_of(&facts, &network, asked, &ignored);
		network.parameter[at] = number;
		CHECK_SAYING(fabs((above - below) / 2e-2 - state[1 + at] / 0.1) < 2e-3 + 0.02 * fabs(state[1 + at] / 0.1),
					 "%d: %g, %g", at, (above - below) / 2e-2, state[1 + at] / 0.1);
	}
}

/*
 * A network whose scores are all 0: of n known answers those that are asked for are each one of 1 + (entities - n),
 * though the last layer keeps eight entities.
 */
static void
check_loss_of_hub(void)
{
	Triple		triple[25];
	FactIndex	facts;
	PathNetwork network = {.shape = {1, 1, 16, 1},.members = 1};
	float	   *ignored;
	double		loss;

	network.parameter = take(path_parameters(network.shape) * sizeof(float));
	memset(network.parameter, 0, path_parameters(network.shape) * sizeof(float));
	for (int i = 0; i < 25; i++)
		triple[i] = (Triple) {0, 0, 1 + i};
	CHECK(fact_index(&arena, pool, ENTITIES, 1, triple, 25, &facts));
	loss = loss_of(&facts, &network, triple[4], &ignored);
	CHECK_SAYING(fabs(loss - (log(1 + ENTITIES - 25) + log(1 + ENTITIES - 1)) / 2) < 1e-6, "%g", loss);
}

/* With all facts that relate the two entities taken out, where they are to be */
static void
check_loss_without_direct(void)
{
	Triple		triple[ENTITIES + 2];
	FactIndex	facts;
	FactIndex	without;
	PathNetwork network = random_network((PathShape) {RELATIONS, 3, 16, ENTITIES});
	double		loss;

	for (int i = 0; i < ENTITIES; i++)
		triple[i] = (Triple) {i, 0, (i + 1) % ENTITIES};
	triple[ENTITIES] = (Triple) {8, 1, 9};
	triple[ENTITIES + 1] = (Triple) {9, 2, 8};
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, triple, ENTITIES + 2, &facts));
	triple[8] = triple[ENTITIES - 1];
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, triple, ENTITIES - 1, &without));
	loss = loss_of_draw(&facts, &network, (Triple) {8, 0, 9}, false, 1, NULL);
	CHECK_SAYING(fabs(loss - (defined_loss(&without, &network, SIDE_HEAD, 9, (Triple) {8, 0, 9}, 8) +
							  defined_loss(&without, &network, SIDE_TAIL, 8, (Triple) {8, 0, 9}, 9)) / 2) < 1e-4, "%g", loss);
}

#define LEAVES 400

/*
 * The loss of a fact of entity 0 with one of its leaves, where so many leaves are asked for.  These are out of reach, with
 * score 0; entity 0 and one more are the only ones that are no known answers, and have scores by the leaves that are left.
 */
static double
loss_of_leaves(const PathNetwork *network, const Triple *triple, int asked)
{
	FactIndex	without;
	PathWalk	walk;
	double		heads;
	double		tails;

	CHECK(fact_index(&arena, pool, LEAVES + 2, 2, triple + asked, LEAVES + 1 - asked, &without));
	walk = open_walk(&without, network, false);
	path_walk(&walk, question_of(SIDE_TAIL, 0, 0));
	tails = log(1 + exp(walk.score[walk.place[0]]) + exp(walk.score[walk.place[LEAVES + 1]]));
	path_walk(&walk, question_of(SIDE_HEAD, 1, 0));
	heads = log(LEAVES + 1 + exp(walk.score[walk.place[1]]));
	return (heads + tails) / 2;
}

/* Of 400 known answers 32 more are asked for in the mean: which number it was is seen by the loss. */
static void
check_more_answers(void)
{
	Triple		triple[LEAVES + 1];
	FactIndex	facts;
	PathNetwork network = random_network((PathShape) {2, 2, 16, LEAVES + 2});
	double		defined[101];
	double		asked = 0;

	for (int i = 0; i < LEAVES; i++)
		triple[i] = (Triple) {0, 0, 1 + i};
	triple[LEAVES] = (Triple) {0, 1, LEAVES + 1};
	CHECK(fact_index(&arena, pool, LEAVES + 2, 2, triple, LEAVES + 1, &facts));
	for (int i = 1; i <= 100; i++)
		defined[i] = loss_of_leaves(&network, triple, i);
	for (uint64_t draw = 0; draw < 16; draw++)
	{
		double		loss = loss_of_draw(&facts, &network, triple[0], true, draw, NULL);
		int			nearest = 1;

		for (int i = 2; i <= 100; i++)
			if (fabs(defined[i] - loss) < fabs(defined[nearest] - loss))
				nearest = i;
		CHECK_SAYING(fabs(defined[nearest] - loss) < 1e-5, "%g, %g", defined[nearest], loss);
		asked += nearest / 16.0;
	}
	/* one and 32 * 399 / 400, with a standard deviation of 5.4 / 4 */
	CHECK_SAYING(asked > 29 && asked < 37, "%g in the mean", asked);
}

/* ---- learning ---------------------------------------------------------------------------------- */

#define PERSONS 60
#define CITIES 12
#define COUNTRIES 4

/*
 * Persons live in cities, cities are in countries and were in others, and a person's nationality is that of the city:
 * two thirds of the nationalities are facts, the others are to be found.
 */
typedef struct Nations
{
	Triple		fact[2 * PERSONS + 2 * CITIES];
	int			facts;
	Triple		missing[PERSONS];
	int			missings;
	FactIndex	index;
} Nations;

static void
make_nations(Nations *nations)
{
	*nations = (Nations) {.facts = 0};
	for (int i = 0; i < CITIES; i++)
	{
		nations->fact[nations->facts++] = (Triple) {PERSONS + i, 1, PERSONS + CITIES + i % COUNTRIES};
		nations->fact[nations->facts++] = (Triple) {PERSONS + i, 3, PERSONS + CITIES + (i + 1 + i / COUNTRIES) % COUNTRIES};
	}
	for (int i = 0; i < PERSONS; i++)
	{
		int			city = next_below(CITIES);
		Triple		nationality = {i, 2, PERSONS + CITIES + city % COUNTRIES};

		nations->fact[nations->facts++] = (Triple) {i, 0, PERSONS + city};
		if (i % 3 == 0)
			nations->missing[nations->missings++] = nationality;
		else
			nations->fact[nations->facts++] = nationality;
	}
	CHECK(fact_index(&arena, pool, PERSONS + CITIES + COUNTRIES, 4, nations->fact, nations->facts, &nations->index));
}

/* room: entities that the network may keep; kept: that it keeps while it is learnt */
static PathNetwork
learn_nations(Nations *nations, Pool *by, int32_t room, int32_t kept, int passes)
{
	PathShape	shape = {4, 3, 16, room};
	PathNetwork network = {.shape = shape,.parameter = take(path_parameters(shape) * sizeof(float)),.members = 1};
	PathTraining training = {.batch_size = 8,.dropout = 0.1,.direct = true,.seed = 5};
	PathTrainer *trainer;

	path_initialise(&network, 3);
	trainer = path_trainer(&arena, &nations->index, &network, &training, pool_threads(by));
	for (int i = 0; i < passes; i++)
		path_train(trainer, by, nations->fact, nations->facts, (PathPace) {0.01, kept, 1}, (uint64_t) i);
	return network;
}

/* By its definition: minibatch t = 1, 2, ... weighs in proportion to t (t + 1) ... (t + 7). */
static void
check_average(const Nations *nations)
{
	PathShape	shape = {4, 2, 16, 50};
	size_t		count = path_parameters(shape);
	PathNetwork network = {.shape = shape,.parameter = take(count * sizeof(float)),.members = 1};
	PathTraining training = {.batch_size = 2,.direct = true,.seed = 5};
	PathTrainer *trainer;
	float	   *average = take(count * sizeof(float));
	double	   *sum = take(count * sizeof(double));
	double		total = 0;
	double		largest = 0;

	path_initialise(&network, 3);
	trainer = path_trainer(&arena, &nations->index, &network, &training, pool_threads(pool));
	path_trainer_average(trainer, average);
	CHECK(memcmp(average, network.parameter, count * sizeof(float)) == 0);
	memset(sum, 0, count * sizeof(double));
	for (int t = 1; t <= 25; t++)
	{
		double		weight = 1;

		path_train(trainer, pool, &nations->fact[t], 1, (PathPace) {0.01, 50, 0}, (uint64_t) t);
		for (int i = 0; i < 8; i++)
			weight *= t + i;
		total += weight;
		for (size_t i = 0; i < count; i++)
			sum[i] += weight * network.parameter[i];
	}
	path_trainer_average(trainer, average);
	for (size_t i = 0; i < count; i++)
	{
		CHECK_SAYING(fabs(average[i] - sum[i] / total) < 1e-5, "%g, %g", average[i], sum[i] / total);
		largest = worse(largest, fabs(average[i] - network.parameter[i]));
	}
	CHECK_SAYING(largest > 0.005, "%g", largest);
}

/* How many missing nationalities have a higher score than all other countries */
static int
count_found(const Nations *nations, const PathNetwork *network)
{
	PathReader *reader = path_reader(&arena, &nations->index, network);
	const PathAnswer *answers;
	int			found = 0;

	for (int i = 0; i < nations->missings; i++)
	{
		int64_t		count = path_answers(reader, question_of(SIDE_TAIL, nations->missing[i].head, 2), leader, POOL_LEADER, &answers);
		bool		best = true;

		for (int64_t j = 0; j < count; j++)
			CHECK(answers[j].score <= path_most_score(reader));
		for (int j = 0; j < COUNTRIES; j++)
			best = best && (PERSONS + CITIES + j == nations->missing[i].tail ||
							path_score(reader, PERSONS + CITIES + j) < path_score(reader, nations->missing[i].tail));
		found += best;
	}
	return found;
}

/* The first reason is the city's country, all reasons are paths of facts, and their shares add up to 1. */
static void
check_reasons(const Nations *nations, const PathNetwork *network)
{
	PathReasoner *reasoner = path_reasoner(&arena, &nations->index, network, false);
	PathReason	reasons[6];
	int			by_city = 0;

	for (int i = 0; i < nations->missings; i++)
	{
		Triple		triple = nations->missing[i];
		int			count = path_reasons(reasoner, (Triple) {triple.head, 2, triple.tail}, SIDE_TAIL, false, 5, reasons, leader,
										 POOL_LEADER);
		double		sum = 0;

		CHECK(count > 0 && count <= 6);
		for (int j = 0; j < count; j++)
		{
			int32_t		at = triple.head;

			sum += reasons[j].share;
			for (int k = 0; k < reasons[j].length; k++)
			{
				CHECK(fact_holds(&nations->index, at, reasons[j].step[k].atom, reasons[j].step[k].to));
				at = reasons[j].step[k].to;
			}
			CHECK(reasons[j].length == 0 ? j == count - 1 : at == triple.tail);
		}
		CHECK(fabs(sum - 1) < 1e-6);
		by_city += reasons[0].length == 2 && reasons[0].step[0].atom == FORWARDS(0) && reasons[0].step[1].atom == FORWARDS(1);
	}
	CHECK_SAYING(by_city >= nations->missings * 9 / 10, "%d of %d", by_city, nations->missings);
}

/* The score of an entity that some numbers have reached in the only layer */
static double
score_of(const PathWeights *weights, const double *sum)
{
	double		state[16] = {0};
	double		score = weights->readout[16];

	next_state(&weights->layer[0], sum, true, state);
	for (int j = 0; j < 16; j++)
		score += state[j] * weights->readout[j];
	return score;
}

/* What a message adds to the score, to first order */
static double
message_adds(const PathWeights *weights, const double *sum, const double *message)
{
	double		adds = 0;

	for (int j = 0; j < 16; j++)
	{
		double		above[16];
		double		below[16];

		memcpy(above, sum, sizeof(above));
		memcpy(below, sum, sizeof(below));
		above[j] += 1e-4;
		below[j] -= 1e-4;
		adds += message[j] * (score_of(weights, above) - score_of(weights, below)) / 2e-4;
	}
	return fmax(adds, 0);
}

/* Two facts between two entities: each has the share of what its message adds. */
static void
check_shares(void)
{
	Triple		triple[] = {{0, 0, 1}, {0, 1, 1}, {1, 2, 2}};
	int			both = 0;

	for (int trial = 0; trial < 20; trial++)
	{
		FactIndex	facts;
		PathNetwork network = random_network((PathShape) {RELATIONS, 1, 16, 3});
		PathWeights weights = path_weights(network.shape, network.parameter);
		Definition	definition = {.weights = &weights,.question = question_of(SIDE_TAIL, 0, 2)};
		double		message[2][16] = {{0}};
		double		sum[16];
		double		adds[2];
		PathReason	reasons[4];
		int			count;

		CHECK(fact_index(&arena, pool, 3, RELATIONS, triple, 3, &facts));
		memset(definition.state, 0, sizeof(definition.state));
		for (int j = 0; j < 16; j++)
			definition.state[0][j] = weights.start[FORWARDS(2) * 16 + j];
		for (int r = 0; r < 2; r++)
			add_message(&definition, &weights.layer[0], 0, FORWARDS(r), message[r]);
		for (int j = 0; j < 16; j++)
			sum[j] = message[0][j] + message[1][j];
		for (int r = 0; r < 2; r++)
			adds[r] = message_adds(&weights, sum, message[r]);
		count = path_reasons(path_reasoner(&arena, &facts, &network, false), (Triple) {0, 2, 1}, SIDE_TAIL, false, 3, reasons, leader,
							 POOL_LEADER);
		both += adds[0] > 0 && adds[1] > 0;
		for (int i = 0; i < count; i++)
			if (reasons[i].length == 1)
				CHECK_SAYING(fabs(reasons[i].share - adds[RELATION_OF(reasons[i].step[0].atom)] / (adds[0] + adds[1])) < 1e-3,
							 "%g of %g, %g", reasons[i].share, adds[0], adds[1]);
		CHECK(count >= 1 + (adds[0] > 0) + (adds[1] > 0) - (adds[0] + adds[1] == 0));
	}
	CHECK(both > 0);
}

/* The score of an entity from its sum in the second of two layers, and its state before */
static double
second_score(const PathWeights *weights, const double *sum, const double *before)
{
	double		state[16];
	double		score = weights->readout[16];

	memcpy(state, before, sizeof(state));
	next_state(&weights->layer[1], sum, false, state);
	for (int j = 0; j < 16; j++)
		score += state[j] * weights->readout[j];
	return score;
}

/* What a vector adds to it, to first order: as a part of the sum, or as the state before */
static double
second_adds(const PathWeights *weights, const double *sum, const double *before, const double *vector, bool is_state)
{
	double		score[2];

	for (int sign = 0; sign < 2; sign++)
	{
		double		moved_sum[16];
		double		moved_state[16];

		for (int j = 0; j < 16; j++)
		{
			double		step = (sign == 0 ? 1e-4 : -1e-4) * vector[j];

			moved_sum[j] = sum[j] + (is_state ? 0 : step);
			moved_state[j] = before[j] + (is_state ? step : 0);
		}
		score[sign] = second_score(weights, moved_sum, moved_state);
	}
	return (score[0] - score[1]) / 2e-4;
}

/*
 * Two ways to an answer, of one step and of two.  In the second layer it has messages over both, one of its own, and its
 * state: the share of the long way is that of the message over it.
 */
static void
check_waiting(void)
{
	Triple		triple[] = {{0, 0, 1}, {0, 1, 2}, {2, 2, 1}};
	FactIndex	facts;
	int			longer = 0;

	CHECK(fact_index(&arena, pool, 3, RELATIONS, triple, 3, &facts));
	for (int trial = 0; trial < 40; trial++)
	{
		PathNetwork network = random_network((PathShape) {RELATIONS, 2, 16, 3});
		PathWeights weights = path_weights(network.shape, network.parameter);
		Definition	definition = {.weights = &weights,.question = question_of(SIDE_TAIL, 0, 1),.triple = triple,.triples = 3};
		double		message[3][16] = {{0}};
		double		sum[16];
		double		adds[3];
		double		expected;
		PathReason	reasons[4];
		int			count;

		define(&definition, 1);
		add_message(&definition, &weights.layer[1], 0, FORWARDS(0), message[0]);
		add_message(&definition, &weights.layer[1], 2, FORWARDS(2), message[1]);
		add_message(&definition, &weights.layer[1], 1, 2 * RELATIONS, message[2]);
		for (int j = 0; j < 16; j++)
			sum[j] = message[0][j] + message[1][j] + message[2][j];
		for (int i = 0; i < 3; i++)
			adds[i] = second_adds(&weights, sum, definition.state[1], message[i], false);
		adds[2] += second_adds(&weights, sum, definition.state[1], definition.state[1], true);
		expected = fmax(adds[1], 0) / (fmax(adds[0], 0) + fmax(adds[1], 0) + fmax(adds[2], 0));
		count = path_reasons(path_reasoner(&arena, &facts, &network, trial % 2 == 0), (Triple) {0, 1, 1}, SIDE_TAIL, false, 3, reasons,
							 leader, POOL_LEADER);
		for (int i = 0; i < count; i++)
			if (reasons[i].length == 2 && reasons[i].step[0].to == 2)
			{
				longer++;
				CHECK_SAYING(fabs(reasons[i].share - expected) < 1e-3, "%g, %g", reasons[i].share, expected);
			}
	}
	CHECK_SAYING(longer > 5, "%d", longer);
}

/* ---- relation paths ------------------------------------------------------------------------ */

/* The city's country is what nationalities are found by, at least from the person. */
static void
check_survey(const Nations *nations, const PathNetwork *network)
{
	Triple		asked[PERSONS];
	int			count = 0;
	RelationPath *path;

	for (int i = 0; i < nations->facts; i++)
		if (nations->fact[i].relation == 2)
			asked[count++] = nations->fact[i];
	CHECK(path_survey(&empty_arena, pool, &nations->index, network, asked, count, &path) == -1);
	CHECK(path_survey(&arena, pool, &nations->index, network, asked, count, &path) > 0);
	CHECK(path[0].length == 2 && path[0].atom[0] == FORWARDS(0) && path[0].atom[1] == FORWARDS(1));
	CHECK(path[0].questions >= count && path[0].share > 0.9 * count);
}

/*
 * Of any network, over facts with loops and reflexive ones: each relation path is that of a path over different entities
 * for each question that it has a share of, is listed once, and shares add up to no more than the questions.
 */
static void
check_any_survey(int layers)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, 12, RELATIONS, FACTS);
	PathNetwork network = random_network((PathShape) {RELATIONS, layers, 16, 12});
	EvSearch	search = {.work = INFINITY};
	RelationPath *path;
	Triple		asked[FACTS];
	int			all = 0;
	int			looped = 0;
	int			returned = 0;

	for (int32_t r = 0; r < RELATIONS; r++)
	{
		int			count = 0;
		int64_t		found;
		EvPathCounts *counts;
		double		sum = 0;

		for (int i = 0; i < facts.edges / 2; i++)
			if (triple[i].relation == r)
				asked[count++] = triple[i];
		found = path_survey(&arena, pool, &facts, &network, asked, count, &path);
		counts = take((size_t) found * sizeof(EvPathCounts));
		CHECK(ev_count_paths(&arena, pool, &facts, &search, r, path, found, counts));
		for (int64_t i = 0; i < found; i++)
		{
			sum += path[i].share;
			CHECK_SAYING(path[i].questions <= 2 * counts[i].support, "%d atoms: %ld questions, support %ld", path[i].length,
						 (long) path[i].questions, (long) counts[i].support);
			CHECK(i == 0 || path[i].share <= path[i - 1].share);
			for (int64_t j = 0; j < i; j++)
				CHECK(path[i].length != path[j].length || memcmp(path[i].atom, path[j].atom, sizeof(path[i].atom)) != 0);
			for (int j = 1; j < path[i].length; j++)
				looped += path[i].atom[j] == MIRRORED(path[i].atom[j - 1]);
		}
		CHECK(sum > 0 && sum <= 2 * count + 1e-6);
		all += (int) found;
		for (int i = 0; i < count; i++)
			if (asked[i].head == asked[i].tail)
				returned += path_survey(&arena, pool, &facts, &network, &asked[i], 1, &path) > 0;
	}
	CHECK_SAYING(returned > 0, "no path leads back to the given entity");
	CHECK_SAYING(all > 100 && looped > 0, "%d paths, %d atoms that lead back by their relation", all, looped);
}

static void
check_learning(void)
{
	Nations		nations;
	PathNetwork network;
	PathNetwork untaught;

	make_nations(&nations);
	network = learn_nations(&nations, pool, 100, 100, 30);
	untaught = learn_nations(&nations, leader, 100, 100, 0);
	CHECK_SAYING(count_found(&nations, &network) == nations.missings, "%d of %d", count_found(&nations, &network),
				 nations.missings);
	CHECK(count_found(&nations, &untaught) < nations.missings);
	check_reasons(&nations, &network);
	check_survey(&nations, &network);
	check_average(&nations);
}

/* The same bits on one thread and on two, where noise chooses who is kept, and in a network that could keep more */
static void
check_bits(void)
{
	Pool	   *one = pool_create(1, NULL, NULL);
	Nations		nations;
	PathNetwork by_two;
	PathNetwork by_one;
	PathNetwork with_room;
	RelationPath *path;
	RelationPath *path_by_one;
	int64_t		paths;

	make_nations(&nations);
	by_two = learn_nations(&nations, pool, 5, 5, 2);
	by_one = learn_nations(&nations, one, 5, 5, 2);
	with_room = learn_nations(&nations, one, 40, 5, 2);
	CHECK(memcmp(by_two.parameter, by_one.parameter, path_parameters(by_two.shape) * sizeof(float)) == 0);
	CHECK(memcmp(by_two.parameter, with_room.parameter, path_parameters(by_two.shape) * sizeof(float)) == 0);
	paths = path_survey(&arena, pool, &nations.index, &by_two, nations.fact, nations.facts, &path);
	CHECK(path_survey(&arena, one, &nations.index, &by_one, nations.fact, nations.facts, &path_by_one) == paths);
	CHECK(memcmp(path, path_by_one, (size_t) paths * sizeof(RelationPath)) == 0);
	pool_destroy(one);
}

/*
 * One layer from one entity: if all have two facts it sends 3 messages, with its own, to 3 entities.  If one of 1,001 has
 * 1,000 facts and the others one each, it is the hub with a chance of 1 - x, where x = e^-x = 0.567143.
 */
static void
check_flops(void)
{
	PathShape	shape = {RELATIONS, 1, 16, 100};
	Degree		even[] = {{2, 1000}};
	Degree		hub[] = {{1, 1000}, {1000, 1}};
	double		messages = 1 + 1000 * (1 - 0.567143) + 0.567143;
	double		of_message = 4 * 16 + 6 * 16 * 16;

	CHECK(fabs(path_flops(shape, 1000, (Degrees) {even, 1}) / (3 * of_message) - 1) < 0.002);
	CHECK(fabs(path_flops(shape, 1001, (Degrees) {hub, 2}) / (messages * of_message) - 1) < 0.002);
}

void
test_paths(void)
{
	check_flops();
	check_gradients(1, ENTITIES, 0, 0);
	check_gradients(3, ENTITIES, 0, 0);
	check_gradients(3, ENTITIES, 0.3, 0);
	check_gradients(3, 2, 0, 0);
	check_gradients(3, 2, 0, 8);	/* so much noise that a small step rarely changes who is kept */
	check_exploration();
	check_room();
	check_definition(false);
	check_definition(true);
	check_kept();
	check_last_kept();
	check_removed(false);
	check_removed(true);
	check_direct();
	check_loss();
	check_loss_of_hub();
	check_loss_without_direct();
	check_more_answers();
	check_too_large();
	check_shares();
	check_waiting();
	check_learning();
	check_any_survey(3);
	check_any_survey(5);
	check_bits();
	check_members();
	check_reversed();
	check_reversed_extremes();
}
