/*
 * test_answer.c
 *		Facts as edges, and the rules that fire for a question, against the definitions: every rule and
 *		every pair of entities, on graphs that are small enough for that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "evidence/evidence.h"

#define ENTITIES 14
#define RELATIONS 4
#define ATOMS (2 * RELATIONS)
#define PATTERNS 12
#define COMMON (2 * ATOMS + PATTERNS)
#define CLUSTERS (COMMON + 1)
#define A (-3)
#define B (-4)
#define FACTS 90
#define RULES 40

typedef struct World
{
	bool		edge[ENTITIES][ATOMS][ENTITIES];
	bool		reflexive[RELATIONS];
	Triple		fact[FACTS];
	int			facts;
	EvRule		rule[RULES + PATTERNS];	/* paths; then patterns, by relation */
} World;

/*
 * Bodies of patterns by their terms; 0 is some entity.  One more atom may name Y in the head, and does where the body
 * has no Y.
 */
static const int32_t shapes[][3][2] = {
	{{TERM_X, TERM_Y}, {TERM_Y, TERM_X}},
	{{TERM_X, 0}, {TERM_X, TERM_Y}},
	{{TERM_X, A}, {A, 0}, {TERM_Y, A}},
	{{TERM_X, 0}, {0, TERM_Y}},
	{{A, TERM_X}, {A, TERM_Y}, {TERM_Y, A}},
	{{TERM_X, A}, {A, B}, {A, TERM_Y}},
	{{TERM_X, 0}, {TERM_Y, 0}},
	{{TERM_X, A}, {TERM_X, TERM_Y}},
	{{A, TERM_X}, {A, B}, {TERM_Y, TERM_X}},
	{{TERM_X, A}, {B, TERM_Y}},
	{{TERM_X, A}},
	{{A, TERM_X}, {B, A}},
	{{0}}
};

static EvRule
random_pattern(int number)
{
	const int32_t (*shape)[2] = shapes[next_below((int) (sizeof(shapes) / sizeof(shapes[0])))];
	EvRule		pattern = {.rule = {.head = number * RELATIONS / PATTERNS},.confidence = (float) next_uniform(0, 1),.id = number};
	Rule	   *rule = &pattern.rule;
	bool		has_y = false;

	for (; rule->length < 3 && shape[rule->length][0] != shape[rule->length][1]; rule->length++)
	{
		has_y |= shape[rule->length][0] == TERM_Y || shape[rule->length][1] == TERM_Y;
		rule->body[rule->length] = (Atom) {next_below(RELATIONS),
			shape[rule->length][0] == 0 ? next_below(ENTITIES) : shape[rule->length][0],
			shape[rule->length][1] == 0 ? next_below(ENTITIES) : shape[rule->length][1]};
	}
	if (!has_y || next_below(4) == 0)
		rule->body[rule->length++] = (Atom) {RULE_IS, TERM_Y, next_below(ENTITIES)};
	return pattern;
}

/* Only the first relation has reflexive facts. */
static void
make_world(World *world)
{
	memset(world, 0, sizeof(World));
	while (world->facts < FACTS)
	{
		Triple		t = {next_below(ENTITIES), next_below(RELATIONS), next_below(ENTITIES)};

		/* an entity with many facts */
		if (next_below(3) == 0)
			t.tail = 0;
		if ((t.head == t.tail && t.relation > 0) || world->edge[t.head][2 * t.relation][t.tail])
			continue;
		world->edge[t.head][2 * t.relation][t.tail] = true;
		world->edge[t.tail][2 * t.relation + 1][t.head] = true;
		world->reflexive[t.relation] |= t.head == t.tail;
		world->fact[world->facts++] = t;
	}
	for (int i = 0; i < RULES; i++)
	{
		DirectedAtom atom[3];
		int			head = next_below(RELATIONS);
		int			length = 1 + next_below(3);

		for (int j = 0; j < length; j++)
			atom[j] = next_below(ATOMS);
		world->rule[i] = (EvRule) {.rule = ev_path_rule(head, atom, length),.confidence = (float) next_uniform(0, 1),.id = i};
	}
	for (int i = 0; i < PATTERNS; i++)
		world->rule[RULES + i] = random_pattern(i);
}

/* Whether some entities in the places of A and B make all atoms facts. */
static bool
pattern_holds(const World *world, const Rule *pattern, int x, int y)
{
	for (int ab = 0; ab < ENTITIES * ENTITIES; ab++)
	{
		int			bound[4] = {x, y, ab / ENTITIES, ab % ENTITIES};
		bool		holds = true;

		for (int i = 0; i < pattern->length; i++)
		{
			Atom		atom = pattern->body[i];
			int			first = atom.first < 0 ? bound[-1 - atom.first] : atom.first;
			int			second = atom.second < 0 ? bound[-1 - atom.second] : atom.second;

			holds = holds && (atom.relation == RULE_IS ? first == second : world->edge[first][2 * atom.relation][second]);
		}
		if (holds)
			return true;
	}
	return false;
}

static bool
path_leads(const World *world, const Rule *rule, int from, int x, int y)
{
	if (from == rule->length)
		return x == y;
	for (int z = 0; z < ENTITIES; z++)
		if (world->edge[x][ev_atom(rule, SIDE_TAIL, from)][z] && path_leads(world, rule, from + 1, z, y))
			return true;
	return false;
}

/* Of the entities with the feature (atom, other): how many there are, and how many lead to `to` by another atom. */
static int
count_sharing(const World *world, int atom, int other, int by, int to, int *support)
{
	int			size = 0;

	*support = 0;
	for (int e = 0; e < ENTITIES; e++)
	{
		size += world->edge[e][atom][other];
		*support += world->edge[e][atom][other] && world->edge[e][by][to];
	}
	return size;
}

static void
take_higher(double *best, double confidence)
{
	if (confidence > *best)
		*best = confidence;
}

/* The highest confidence in each cluster of the rules that infer `e`; 0: none. */
static void
brute_force(const World *world, Side side, int given, int relation, int e, double *best)
{
	int			atom = 2 * relation + (side == SIDE_HEAD);
	int			x = side == SIDE_TAIL ? given : e;
	int			y = side == SIDE_TAIL ? e : given;
	int			cluster = 0;	/* of a pattern of the relation */
	int			with_answers = 0;
	int			with_e = 0;

	memset(best, 0, CLUSTERS * sizeof(double));
	if (e == given && !world->reflexive[relation])
		return;
	for (int i = 0; i < RULES; i++)
	{
		const Rule *rule = &world->rule[i].rule;

		if (rule->head == relation && path_leads(world, rule, 0, x, y))
			take_higher(&best[ATOMS + ev_atom(rule, SIDE_TAIL, rule->length - 1)], world->rule[i].confidence);
	}
	for (int i = 0; i < PATTERNS; i++)
	{
		const Rule *rule = &world->rule[RULES + i].rule;

		if (rule->head != relation)
			continue;
		/* X of an empty body is the entity that is asked about */
		if ((side == SIDE_TAIL || rule->length > 1 || rule->body[0].relation != RULE_IS) && pattern_holds(world, rule, x, y))
			best[2 * ATOMS + cluster] = world->rule[RULES + i].confidence;
		cluster++;
	}
	for (int a = 0; a < ATOMS; a++)
		for (int d = 0; d < ENTITIES; d++)
		{
			int			support;
			int			size;

			/* r(X,e) <= a(X,d) */
			size = count_sharing(world, a, d, atom, e, &support);
			if (world->edge[given][a][d] && support >= 2 && !(a == atom && d == e))
				take_higher(&best[a], (double) support / (size + 5));
			/* r(given,Y) <= a(Y,d) */
			size = count_sharing(world, a, d, atom ^ 1, given, &support);
			if (world->edge[e][a][d] && support >= 2 && !(a == (atom ^ 1) && d == given))
				take_higher(&best[a], (double) support / (size + 5));
		}

	/* r(X,e) <=: a tenth counts */
	for (int i = 0; i < ENTITIES; i++)
	{
		bool		answered = false;

		for (int j = 0; j < ENTITIES; j++)
			answered |= world->edge[i][atom][j];
		with_answers += answered;
		with_e += world->edge[i][atom][e];
	}
	best[COMMON] = 0.1 * ((double) with_e / (with_answers + 5));
}

static void
check_firing(const EvCandidate *candidate, const double *best)
{
	double		left[CLUSTERS];
	int			clusters = 0;

	memcpy(left, best, sizeof(left));
	for (int i = 0; i < CLUSTERS; i++)
		clusters += best[i] > 0;
	CHECK((candidate == NULL) == (clusters == 0));
	if (candidate == NULL || clusters == 0)
		return;
	CHECK(candidate->count == (clusters < EV_FIRINGS ? clusters : EV_FIRINGS));
	for (int i = 0; i < candidate->count; i++)
	{
		unsigned	cluster = candidate->firing[i].cluster == EV_COMMON_CLUSTER ? COMMON : candidate->firing[i].cluster;

		CHECK(candidate->firing[i].confidence == left[cluster]);
		for (int j = 0; j < CLUSTERS; j++)
			CHECK(left[j] <= candidate->firing[i].confidence);
		left[cluster] = 0;
	}
}

static void
check_question(const World *world, EvAnswering *answering, Side side, int given, int relation)
{
	const EvCandidate *candidates;
	int64_t		count = ev_answer(answering, EV_RULES, question_of(side, given, relation), leader, POOL_LEADER, &candidates);

	for (int e = 0; e < ENTITIES; e++)
	{
		const EvCandidate *candidate = NULL;
		double		best[CLUSTERS];

		for (int64_t i = 0; i < count; i++)
			if (candidates[i].entity == e)
			{
				CHECK(candidate == NULL);
				candidate = &candidates[i];
			}
		CHECK(candidate == ev_candidate(answering, e));
		brute_force(world, side, given, relation, e, best);
		check_firing(candidate, best);
	}
}

static void
check_edges(const World *world, const FactIndex *facts)
{
	CHECK(facts->edges == 2 * world->facts);
	for (int e = 0; e < ENTITIES; e++)
		for (int atom = 0; atom < ATOMS; atom++)
		{
			FactGroup	group = fact_group(facts, e, atom);
			int64_t		i = group.first;

			for (int other = 0; other < ENTITIES; other++)
			{
				CHECK(fact_holds(facts, e, atom, other) == world->edge[e][atom][other]);
				if (!world->edge[e][atom][other])
					continue;
				CHECK(i < group.end && facts->edge[i].atom == atom && facts->edge[i].other == other);
				CHECK(fact_group_at(facts, facts->mirror[i]).first == fact_group(facts, other, MIRRORED(atom)).first);
				CHECK(facts->group[facts->mirror[i]].entity == other && facts->group[facts->mirror[i]].atom == MIRRORED(atom));
				i++;
			}
			CHECK(i == group.end);
		}
	for (int relation = 0; relation < RELATIONS; relation++)
		CHECK(facts->reflexive[relation] == world->reflexive[relation]);
}

static void
check_holders(const FactIndex *facts)
{
	for (int atom = 0; atom < ATOMS; atom++)
	{
		int64_t		holder = facts->holders[atom];

		for (int e = 0; e < ENTITIES; e++)
		{
			FactGroup	group = fact_group(facts, e, atom);

			if (group.first == group.end)
				continue;
			CHECK(holder < facts->holders[atom + 1] && fact_holder(facts, holder) == e &&
				  fact_group_at(facts, facts->holder[holder]).first == group.first &&
				  fact_group_at(facts, facts->holder[holder]).end == group.end);
			CHECK(group.end - group.first <= facts->largest[atom]);
			holder++;
		}
		CHECK(holder == facts->holders[atom + 1]);
	}
}

/* By other; between two entities, all edges; two entities have in common whoever has edges from both. */
static void
check_neighbours(const World *world, const FactIndex *facts)
{
	for (int a = 0; a < ENTITIES; a++)
		for (int b = 0; b < ENTITIES; b++)
		{
			FactSpan	between = fact_edges_between(facts, a, b);
			FactSpan	one = fact_span(facts, a);
			FactSpan	other = fact_span(facts, b);
			int			edges = 0;

			for (const FactEdge *edge = between.at; edge < between.end; edge++)
				CHECK(edge->other == b && world->edge[a][edge->atom][b]);
			for (int atom = 0; atom < ATOMS; atom++)
				edges += world->edge[a][atom][b];
			CHECK(between.end - between.at == edges);
			for (int c = 0; c < ENTITIES; c++)
			{
				FactSpan	to_one = fact_edges_between(facts, a, c);
				FactSpan	to_other = fact_edges_between(facts, b, c);

				if (to_one.at == to_one.end || to_other.at == to_other.end)
					continue;
				CHECK(fact_spans_common(&one, &other));
				CHECK(fact_span_take(&one).at == to_one.at && fact_span_take(&other).at == to_other.at);
			}
			CHECK(!fact_spans_common(&one, &other));
		}
}

/* As sessions that share one have it */
static void
move_index(FactIndex *facts, EvRules *rules)
{
	size_t		bytes;
	const void *memory = fact_index_memory(facts, &bytes);

	fact_index_move(facts, moved(memory, bytes));
	CHECK(facts->neighbour == NULL);
	memory = ev_rules_memory(rules, RELATIONS, &bytes);
	ev_rules_move(rules, RELATIONS, moved(memory, bytes));
}

static void
check_world(void)
{
	World		world;
	EvRuleSet	set;
	FactIndex	facts;
	EvRules		rules;
	EvAnswering *answering;

	make_world(&world);
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, world.fact, world.facts, &facts));
	check_edges(&world, &facts);
	check_holders(&facts);
	CHECK(fact_neighbours(&arena, pool, &facts));
	check_neighbours(&world, &facts);
	CHECK(!fact_neighbours(&empty_arena, pool, &facts));
	set = (EvRuleSet) {world.rule, RULES + PATTERNS};
	CHECK(ev_rules(&arena, leader, RELATIONS, &set, &rules));
	move_index(&facts, &rules);
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	for (int i = 0; i < 120; i++)
		check_question(&world, answering, next_below(2) == 0 ? SIDE_TAIL : SIDE_HEAD,
					   next_below(ENTITIES), next_below(RELATIONS));
}

/* What is asked by both is what rules infer and what the network scores, and no more. */
static void
check_union(EvAnswering *answering, PathReader *reader, const FactIndex *facts, Side side, int given, int relation)
{
	double		paths[ENTITIES] = {0};
	int			firing[ENTITIES] = {0};
	const EvCandidate *candidates;
	const PathAnswer *answer;
	int64_t		count = path_answers(reader, question_of(side, given, relation), leader, POOL_LEADER, &answer);
	int64_t		all = 0;

	for (int64_t i = 0; i < count; i++)
		paths[answer[i].entity] = answer[i].score;
	if (!facts->reflexive[relation])
		paths[given] = 0;
	count = ev_answer(answering, EV_RULES, question_of(side, given, relation), leader, POOL_LEADER, &candidates);
	for (int64_t i = 0; i < count; i++)
	{
		CHECK(candidates[i].count > 0 && candidates[i].network == 0);
		firing[candidates[i].entity] = candidates[i].count;
	}
	count = ev_answer(answering, EV_NETWORK, question_of(side, given, relation), leader, POOL_LEADER, &candidates);
	for (int e = 0; e < ENTITIES; e++)
	{
		const EvCandidate *candidate = ev_candidate(answering, e);

		CHECK(candidate == NULL ? paths[e] == 0 : candidate->network == paths[e] && candidate->count == 0);
		count -= candidate != NULL;
	}
	CHECK(count == 0);
	count = ev_answer(answering, EV_BOTH, question_of(side, given, relation), leader, POOL_LEADER, &candidates);
	for (int64_t i = 0; i < count; i++)
		CHECK(candidates[i].network == paths[candidates[i].entity] && candidates[i].count == firing[candidates[i].entity]);
	for (int e = 0; e < ENTITIES; e++)
		all += paths[e] > 0 || firing[e] > 0;
	CHECK(count == all);
}

static void
check_network(void)
{
	PathShape	shape = {.relations = RELATIONS,.layers = 2,.width = PATH_WIDTH_STEP,.kept = 5};
	PathNetwork network = {.shape = shape,.parameter = take(path_parameters(shape) * sizeof(float)),.members = 1};
	World		world;
	EvRuleSet	set;
	FactIndex	facts;
	EvRules		rules;
	EvBasis		basis = {&facts, &rules, &network};
	EvAnswering *answering;
	const EvCandidate *candidates;

	make_world(&world);
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, world.fact, world.facts, &facts));
	set = (EvRuleSet) {world.rule, RULES + PATTERNS};
	CHECK(ev_rules(&arena, leader, RELATIONS, &set, &rules));
	path_initialise(&network, next_draw());
	CHECK(ev_answering_bytes(&basis) > ev_answering_bytes(&(EvBasis) {&facts, &rules, NULL}));
	answering = ev_answering(&arena, &basis);
	for (int i = 0; i < 60; i++)
		check_union(answering, path_reader(&arena, &facts, &network), &facts, next_below(2) == 0 ? SIDE_TAIL : SIDE_HEAD,
					next_below(ENTITIES), next_below(RELATIONS));
	/* a network alone: no rule is counted either */
	answering = ev_answering(&arena, &(EvBasis) {&facts, NULL, &network});
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) == 0);
	CHECK(ev_answer(answering, EV_BOTH, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) ==
		  ev_answer(answering, EV_NETWORK, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates));
}

/* A graph without a fact, rules without one, and no memory. */
static void
check_nothing(void)
{
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	EvAnswering *answering;
	const EvCandidate *candidates;

	CHECK(fact_index(&arena, pool, 3, 2, NULL, 0, &facts));
	CHECK(ev_rules(&arena, leader, 2, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 2, 1), leader, POOL_LEADER, &candidates) == 0);
	CHECK(ev_candidate(answering, 0) == NULL);
	CHECK(!fact_index(&empty_arena, pool, 3, 2, NULL, 0, &facts));
	CHECK(!ev_rules(&empty_arena, leader, 2, &set, &rules));
	CHECK(ev_answering(&empty_arena, &(EvBasis) {&facts, &rules, NULL}) == NULL);
}

/*
 * All facts there can be but those of one entity alone: every feature is of many answers.  Of the 13 that share a feature
 * all have the answer, where the feature is of the answer or of the given entity, in each cluster.
 */
static void
check_all_facts(void)
{
	Triple		fact[ENTITIES * RELATIONS * ENTITIES];
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	EvAnswering *answering;
	const EvCandidate *candidates;
	int			count = 0;

	for (int i = 0; i < ENTITIES * RELATIONS * ENTITIES; i++)
		if (i / RELATIONS % ENTITIES != i / RELATIONS / ENTITIES)
			fact[count++] = (Triple) {i / RELATIONS / ENTITIES, i % RELATIONS, i / RELATIONS % ENTITIES};
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, fact, count, &facts));
	CHECK(ev_rules(&arena, leader, RELATIONS, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	for (int question = 0; question < 2 * ENTITIES * RELATIONS; question++)
	{
		int			given = question / 2 % ENTITIES;
		int64_t		found = ev_answer(answering, EV_RULES, question_of((Side) (question % 2), given, question / 2 / ENTITIES), leader,
									  POOL_LEADER, &candidates);

		CHECK(found == ENTITIES - 1);
		for (int64_t i = 0; i < found; i++)
		{
			CHECK(candidates[i].entity != given && candidates[i].count == EV_FIRINGS);
			for (int j = 0; j < candidates[i].count; j++)
				CHECK(candidates[i].firing[j].confidence == (ENTITIES - 1.0) / (ENTITIES - 1 + EV_SMOOTHING));
		}
	}
}

/* A million facts take a second to put in order, which can be left. */
static void
test_leaving(void)
{
	enum
	{
		MANY = 1000000
	};
	static Leaving leaving;
	Triple	   *fact = take(MANY * sizeof(Triple));
	FactIndex	facts;
	Pool	   *pool;

	leaving = (Leaving) {.leave_at = 2};
	pool = pool_create(2, leave, &leaving);
	for (int i = 0; i < MANY; i++)
		fact[i] = (Triple) {next_below(MANY), next_below(RELATIONS), next_below(MANY)};
	if (setjmp(leaving.place) == 0)
	{
		fact_index(&arena, pool, MANY, RELATIONS, fact, MANY, &facts);
		CHECK_SAYING(false, "the making of facts was not left");
	}
	CHECK(leaving.pauses == 2);
	pool_destroy(pool);
}

static bool
same_candidate(const EvCandidate *a, const EvCandidate *b)
{
	bool		same = a->entity == b->entity && a->count == b->count;

	for (int i = 0; same && i < a->count; i++)
		same = a->firing[i].confidence == b->firing[i].confidence && a->firing[i].number == b->firing[i].number;
	return same;
}

/* check_pauses' `work`: the question of test_leaving_question, after another one. */
static void
answer_both(Pool *leader, void *answering)
{
	const EvCandidate *candidates;

	ev_answer(answering, EV_RULES, question_of(SIDE_HEAD, 1, 1), leader, POOL_LEADER, &candidates);
	ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates);
}

/*
 * A long call can be left at any yield, often, and the next one finds all candidates and rules.  Each of `MANY` answers of
 * entity 0 has each of as many features: MANY rules name 0 in the head, and each infers MANY entities.
 */
static void
test_leaving_question(void)
{
	enum
	{
		MANY = 600
	};
	static Leaving leaving;
	static EvAnswering *answering;
	static const EvCandidate *candidates;
	static int64_t count;
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	Pool	   *left = pool_create(0, leave, &leaving);
	Triple	   *fact = take(MANY * (MANY + 1) * sizeof(Triple));
	EvCandidate *first;
	int64_t		first_count;

	for (int i = 0; i < MANY; i++)
	{
		fact[i] = (Triple) {0, 0, 1 + i};
		for (int j = 0; j < MANY; j++)
			fact[MANY + MANY * i + j] = (Triple) {1 + i, 1, 1 + MANY + j};
	}
	CHECK(fact_index(&arena, pool, 1 + 2 * MANY, 2, fact, MANY * (MANY + 1), &facts));
	CHECK(ev_rules(&arena, leader, 2, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	first_count = ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates);
	CHECK(first_count == MANY);
	first = take((size_t) first_count * sizeof(EvCandidate));
	memcpy(first, candidates, (size_t) first_count * sizeof(EvCandidate));
	leaving = (Leaving) {0};
	do
	{
		leaving = (Leaving) {.leave_at = leaving.leave_at + 1};
		count = -1;
		ev_answer(answering, EV_RULES, question_of(SIDE_HEAD, 1, 1), leader, POOL_LEADER, &candidates);
		if (setjmp(leaving.place) == 0)
			count = ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), left, POOL_LEADER, &candidates);
		else
		{
			CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) == first_count);
			for (int64_t i = 0; i < first_count; i++)
				CHECK(same_candidate(&candidates[i], &first[i]));
		}
	} while (count < 0);
	CHECK_SAYING(leaving.leave_at > 1, "%d times", leaving.leave_at);
	pool_destroy(left);

	check_pauses(0, 0.03, answer_both, answering, "answering");
}

/*
 * So can one that spends its time on the answers of entities that share a feature: each of `MANY` has each of as many
 * answers.
 */
static void
test_leaving_answers(void)
{
	enum
	{
		MANY = 160				/* the more, the fewer are looked at */
	};
	static Leaving leaving;
	static EvAnswering *answering;
	static const EvCandidate *candidates;
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	Pool	   *left = pool_create(0, leave, &leaving);
	Triple	   *fact = take(MANY * MANY * sizeof(Triple));
	EvCandidate first[MANY];

	for (int i = 0; i < MANY * MANY; i++)
		fact[i] = (Triple) {i / MANY, 0, MANY + i % MANY};
	CHECK(fact_index(&arena, pool, 2 * MANY, 1, fact, MANY * MANY, &facts));
	CHECK(ev_rules(&arena, leader, 1, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) == MANY);
	memcpy(first, candidates, sizeof(first));
	leaving = (Leaving) {.leave_at = 1};
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 1, 0), leader, POOL_LEADER, &candidates) == MANY);
	/* the slice is over before the answer begins: whatever looks for its end leaves */
	for (int64_t start = monotonic_now(); seconds_since(start) < 0.02;)
		;
	if (setjmp(leaving.place) == 0)
	{
		ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), left, POOL_LEADER, &candidates);
		CHECK_SAYING(false, "%d answers were not left", MANY);
	}
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) == MANY);
	for (int i = 0; i < MANY; i++)
		CHECK(same_candidate(&candidates[i], &first[i]));
	pool_destroy(left);
}

/*
 * More atoms than an entity has bits for: each group, found and not, against a table.  Facts in the order of a table
 * and in any other one make the same index.
 */
static void
test_many_atoms(void)
{
	enum
	{
		FEW = 30, MANY = 150, ALL = 3000
	};
	static bool edge[FEW][2 * MANY][FEW];
	Triple	   *fact = take(ALL * sizeof(Triple));
	Triple	   *sorted = take(ALL * sizeof(Triple));
	FactIndex	facts[2];
	int			count = 0;

	memset(edge, 0, sizeof(edge));
	while (count < ALL)
	{
		/* half of the facts are of a hub */
		Triple		t = {next_below(2) == 0 ? 0 : next_below(FEW), next_below(MANY), next_below(FEW)};

		if (edge[t.head][2 * t.relation][t.tail])
			continue;
		edge[t.head][2 * t.relation][t.tail] = edge[t.tail][2 * t.relation + 1][t.head] = true;
		fact[count++] = t;
	}
	count = 0;
	for (int r = 0; r < MANY; r++)
		for (int h = 0; h < FEW; h++)
			for (int t = 0; t < FEW; t++)
				if (edge[h][2 * r][t])
					sorted[count++] = (Triple) {h, r, t};
	CHECK(fact_index(&arena, pool, FEW, MANY, fact, ALL, &facts[0]));
	CHECK(fact_index(&arena, pool, FEW, MANY, sorted, ALL, &facts[1]));
	CHECK(memcmp(facts[0].edge, facts[1].edge, 2 * ALL * sizeof(FactEdge)) == 0);
	for (int e = 0; e < FEW; e++)
		for (int atom = 0; atom < 2 * MANY; atom++)
		{
			FactGroup	group = fact_group(&facts[0], e, atom);
			int64_t		i = group.first;

			for (int other = 0; other < FEW; other++)
			{
				CHECK(fact_holds(&facts[0], e, atom, other) == edge[e][atom][other]);
				if (edge[e][atom][other])
				{
					CHECK(facts[0].edge[i].atom == atom && facts[0].edge[i].other == other);
					i++;
				}
			}
			CHECK(i == group.end);
		}
}

static double
best_feature(const EvCandidate *candidate)
{
	for (int i = 0; candidate != NULL && i < candidate->count; i++)
		if (candidate->firing[i].source == EV_FEATURE)
			return candidate->firing[i].confidence;
	return 0;
}

/*
 * Where features need too many edges, samples are smaller: each best confidence is near that of all.  Of MANY entities
 * each has each of MANY answers in one case of two.
 */
static void
test_bound(void)
{
	enum
	{
		MANY = 340
	};
	static bool has[MANY][MANY];
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	EvAnswering *answering;
	const EvCandidate *candidates;
	Triple	   *fact = take(MANY * MANY * sizeof(Triple));
	int			count = 0;
	int			differ = 0;

	for (int e = 0; e < MANY; e++)
		for (int c = 0; c < MANY; c++)
		{
			has[e][c] = next_below(2) == 0;
			if (has[e][c])
				fact[count++] = (Triple) {e, 0, MANY + c};
		}
	CHECK(fact_index(&arena, pool, 2 * MANY, 1, fact, count, &facts));
	CHECK(ev_rules(&arena, leader, 1, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	CHECK(ev_answer(answering, EV_RULES, question_of(SIDE_TAIL, 0, 0), leader, POOL_LEADER, &candidates) == MANY);
	for (int c = 0; c < MANY; c++)
	{
		double		best = 0;
		double		found;

		for (int d = 0; d < MANY; d++)
		{
			int			size = 0;
			int			support = 0;

			for (int e = 0; e < MANY && has[0][d] && d != c; e++)
			{
				size += has[e][d];
				support += has[e][d] && has[e][c];
			}
			best = fmax(best, (double) support / (size + EV_SMOOTHING));
		}
		found = best_feature(ev_candidate(answering, MANY + c));
		CHECK_SAYING(fabs(found - best) < 0.2, "%g, not %g", found, best);
		differ += found != best;
	}
	CHECK_SAYING(differ > MANY / 2, "%d are estimates", differ);
}

/* Sorts facts, and leaves each once; returns how many are left. */
static int
distinct(Triple *fact, int count)
{
	int			kept = 0;

	qsort(fact, (size_t) count, sizeof(Triple), triple_compare);
	for (int i = 0; i < count; i++)
		if (kept == 0 || triple_compare(&fact[kept - 1], &fact[i]) != 0)
			fact[kept++] = fact[i];
	return kept;
}

/* Whether two lists of candidates are the same, firings and order included. */
static bool
same_candidates(const EvCandidate *a, const EvCandidate *b, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		if (a[i].entity != b[i].entity || a[i].count != b[i].count)
			return false;
		for (int j = 0; j < a[i].count; j++)
		{
			const EvFiring *left = &a[i].firing[j];
			const EvFiring *right = &b[i].firing[j];

			if (left->confidence != right->confidence || left->cluster != right->cluster || left->source != right->source ||
				left->number != right->number)
				return false;
		}
	}
	return true;
}

/*
 * What was counted for other questions changes no answer: questions about hubs with hundreds of answers, and about
 * others, in a drawn order, against the first question of an answering.
 */
static void
test_remembered(void)
{
	enum
	{
		PEOPLE = 300, THINGS = 120, RELATIONS_HERE = 3, QUESTIONS = 150
	};
	EvRuleSet	set = {0};
	FactIndex	facts;
	EvRules		rules;
	EvAnswering *answering;
	Triple	   *fact = take(RELATIONS_HERE * PEOPLE * 12 * sizeof(Triple));
	int			count = 0;
	int			wrong = 0;

	for (int r = 0; r < RELATIONS_HERE; r++)
		for (int i = 0; i < PEOPLE; i++)
			for (int j = 0; j < 12; j++)
			{
				int			thing = next_below(next_below(next_below(THINGS / 12) + 1) + 1);

				/* the lower its number, the more people have a thing; some people have nothing */
				if (i % 7 != r)
					fact[count++] = (Triple) {i, r, PEOPLE + j * (THINGS / 12) + thing};
			}
	count = distinct(fact, count);
	CHECK(fact_index(&arena, pool, PEOPLE + THINGS, RELATIONS_HERE, fact, count, &facts));
	CHECK(facts.largest[MIRRORED(FORWARDS(0))] > 100);
	CHECK(ev_rules(&arena, leader, RELATIONS_HERE, &set, &rules));
	answering = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
	for (int i = 0; i < QUESTIONS; i++)
	{
		Side		side = i % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;
		/* a thing that few have, then one that many have, whose own answers count, too */
		int32_t		thing = next_below(12) * (THINGS / 12) + (i % 4 == 1 ? THINGS / 12 - 1 : 0);
		int32_t		given = side == SIDE_TAIL ? next_below(PEOPLE) : PEOPLE + thing;
		int32_t		relation = i / 4 % RELATIONS_HERE;
		EvAnswering *fresh = ev_answering(&arena, &(EvBasis) {&facts, &rules, NULL});
		const EvCandidate *expected;
		const EvCandidate *found;
		int64_t		all = ev_answer(fresh, EV_RULES, question_of(side, given, relation), leader, POOL_LEADER, &expected);

		wrong += ev_answer(answering, EV_RULES, question_of(side, given, relation), leader, POOL_LEADER, &found) != all ||
			!same_candidates(expected, found, all);
	}
	CHECK_SAYING(wrong == 0, "%d of %d questions differ", wrong, QUESTIONS);
}

void
test_answer(void)
{
	for (int i = 0; i < 10; i++)
		check_world();
	check_network();
	check_nothing();
	check_all_facts();
	test_many_atoms();
	test_bound();
	test_remembered();
	test_leaving();
	test_leaving_question();
	test_leaving_answers();
}
