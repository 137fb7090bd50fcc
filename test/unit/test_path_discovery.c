/*
 * test_path_discovery.c
 *		Path rules against every possible one, counted pair by pair on small graphs.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "evidence/evidence.h"

#define ENTITIES 11
#define RELATIONS 2
#define ATOMS (2 * RELATIONS)
#define FACTS 36

typedef struct Toy
{
	Triple		triple[FACTS];
	bool		holds[ENTITIES][ATOMS][ENTITIES];
	bool		reflexive[RELATIONS];
	FactIndex	facts;
} Toy;

static void
make_toy(Toy *toy)
{
	int			count = 0;

	memset(toy, 0, sizeof(*toy));
	while (count < FACTS)
	{
		Triple		t = {next_below(ENTITIES), next_below(RELATIONS), next_below(ENTITIES)};

		/* only relation 1 has reflexive facts */
		if (toy->holds[t.head][FORWARDS(t.relation)][t.tail] || (t.relation == 0 && t.head == t.tail))
			continue;
		toy->holds[t.head][FORWARDS(t.relation)][t.tail] = true;
		toy->holds[t.tail][MIRRORED(FORWARDS(t.relation))][t.head] = true;
		toy->reflexive[t.relation] |= t.head == t.tail;
		toy->triple[count++] = t;
	}
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, toy->triple, FACTS, &toy->facts));
}

/* Whether a path of these atoms leads from path[depth] to y over different entities; the ends may be the same. */
static bool
leads(const Toy *toy, const int32_t *atom, int length, int32_t *path, int depth, int32_t y)
{
	if (depth == length - 1)
		return toy->holds[path[depth]][atom[depth]][y];
	for (int32_t next = 0; next < ENTITIES; next++)
	{
		bool		visited = next == y;

		for (int i = 0; i <= depth; i++)
			visited |= path[i] == next;
		path[depth + 1] = next;
		if (!visited && toy->holds[path[depth]][atom[depth]][next] &&
			leads(toy, atom, length, path, depth + 1, y))
			return true;
	}
	return false;
}

static bool
has_fact(const Toy *toy, int32_t entity, int32_t atom)
{
	for (int32_t other = 0; other < ENTITIES; other++)
		if (toy->holds[entity][atom][other])
			return true;
	return false;
}

/* Counts the rule's pairs by the definition. */
static EvPathCounts
count_by_hand(const Toy *toy, int32_t relation, const int32_t *atom, int length)
{
	EvPathCounts counts = {0};
	bool		is_symmetry = length == 1 && RELATION_OF(atom[0]) == relation;
	int32_t		entity[PATH_MAX_LAYERS + 1];

	for (entity[0] = 0; entity[0] < ENTITIES; entity[0]++)
		for (int32_t y = 0; y < ENTITIES; y++)
			if ((entity[0] != y || (toy->reflexive[relation] && !is_symmetry)) &&
				leads(toy, atom, length, entity, 0, y))
			{
				counts.body_size++;
				counts.support += toy->holds[entity[0]][FORWARDS(relation)][y];
				counts.known[SIDE_TAIL] += has_fact(toy, entity[0], FORWARDS(relation));
				counts.known[SIDE_HEAD] += has_fact(toy, y, MIRRORED(FORWARDS(relation)));
			}
	return counts;
}

static const EvPathRule *
find_same(const EvPathRule *paths, int64_t count, const EvPathRule *path)
{
	for (int64_t i = 0; i < count; i++)
		if (memcmp(&paths[i].rule, &path->rule, sizeof(Rule)) == 0)
			return &paths[i];
	return NULL;
}

static const EvPathRule *
find(const EvPathRule *paths, int64_t count, int32_t relation, const int32_t *atom, int length)
{
	EvPathRule	path = {.rule = ev_path_rule(relation, atom, length)};

	return find_same(paths, count, &path);
}

static EvSearch
all_of(int length)
{
	return (EvSearch) {.length = length,.limit = 100000,.min_support = 2,.work = 1e9,.seed = 7};
}

static Pool *
pool_of(int threads)
{
	Pool	   *pool = pool_create(threads, NULL, NULL);

	CHECK(pool != NULL);
	return pool;
}

/* Body number n of that length; false past the last one. */
static bool
body_number(int n, int length, int32_t *atom)
{
	for (int i = 0; i < length; i++, n /= ATOMS)
		atom[i] = n % ATOMS;
	return n == 0;
}

static void
test_complete_search(Pool *pool)
{
	EvSearch	search = all_of(RULE_MAX_BODY);
	Toy			toy;
	EvPathRule *found;
	int64_t		count;
	int64_t		expected = 0;

	make_toy(&toy);
	count = ev_path_rules(&arena, pool, &toy.facts, &search, &found);
	for (int32_t relation = 0; relation < RELATIONS; relation++)
		for (int length = 1; length <= RULE_MAX_BODY; length++)
		{
			int32_t		atom[RULE_MAX_BODY];

			for (int n = 0; body_number(n, length, atom); n++)
			{
				EvPathCounts by_hand = count_by_hand(&toy, relation, atom, length);
				const EvPathRule *path = find(found, count, relation, atom, length);
				bool		is_itself = length == 1 && atom[0] == FORWARDS(relation);

				if (is_itself || by_hand.support < search.min_support)
				{
					CHECK(path == NULL);
					continue;
				}
				expected++;
				CHECK_SAYING(path != NULL && path->counts.support == by_hand.support &&
							 path->counts.body_size == by_hand.body_size && path->counts.error == 0 &&
							 path->counts.confidence == (double) by_hand.support / (double) by_hand.body_size,
							 "relation %d, length %d, body %d: %ld of %ld, by hand %ld of %ld", relation, length, n,
							 path == NULL ? -1 : (long) path->counts.support,
							 path == NULL ? -1 : (long) path->counts.body_size,
							 (long) by_hand.support, (long) by_hand.body_size);
				CHECK(path != NULL && memcmp(path->counts.known, by_hand.known, sizeof(by_hand.known)) == 0);
			}
		}
	CHECK_SAYING(count == expected && count > 100, "%ld found, %ld by hand", (long) count, (long) expected);
}

static double
worth(const EvPathRule *path)
{
	return (double) path->counts.support / ((double) path->counts.body_size + 5);
}

/* Whether a rule that was left out should have been kept instead of this one. */
static bool
is_better(const EvPathRule *left_out, const EvPathRule *kept)
{
	return left_out->rule.length < kept->rule.length ||
		(left_out->rule.length == kept->rule.length && left_out->rule.head == kept->rule.head &&
		 worth(left_out) > worth(kept) + 1e-12);
}

/*
 * A lower limit keeps all shorter rules and, of the longest, the best of each relation, as many of one as of the
 * other; an odd one goes to the first relation.
 */
static void
test_limit(Pool *pool)
{
	EvSearch	search = all_of(3);
	Toy			toy;
	EvPathRule *all;
	EvPathRule *best;
	int64_t		count;
	int64_t		shorter = 0;
	int64_t		kept;
	int64_t		longest[RELATIONS] = {0};
	bool		any_better = false;

	make_toy(&toy);
	count = ev_path_rules(&arena, pool, &toy.facts, &search, &all);
	for (int64_t i = 0; i < count; i++)
		shorter += all[i].rule.length < 3;
	search.limit = shorter + 21;
	CHECK(count > search.limit);
	kept = ev_path_rules(&arena, pool, &toy.facts, &search, &best);
	CHECK(kept == shorter + 21);
	for (int64_t i = 0; i < kept; i++)
		longest[best[i].rule.head] += best[i].rule.length == 3;
	CHECK(longest[0] == 11 && longest[1] == 10);
	for (int64_t i = 0; i < count; i++)
		for (int64_t j = 0; find_same(best, kept, &all[i]) == NULL && j < kept; j++)
			any_better |= is_better(&all[i], &best[j]);
	CHECK(!any_better);
	search.limit = 1;
	CHECK(ev_path_rules(&arena, pool, &toy.facts, &search, &best) == 1);
}

static void
test_min_confidence(Pool *pool)
{
	EvSearch	search = all_of(3);
	Toy			toy;
	EvPathRule *found;
	int64_t		count;
	int64_t		expected = 0;

	make_toy(&toy);
	count = ev_path_rules(&arena, pool, &toy.facts, &search, &found);
	for (int64_t i = 0; i < count; i++)
		expected += found[i].counts.confidence >= 0.25 && found[i].counts.support >= 4;
	search.min_confidence = 0.25;
	search.min_support = 4;
	CHECK(expected > 0 && expected < count);
	CHECK(ev_path_rules(&arena, pool, &toy.facts, &search, &found) == expected);
}

/* ---- by a sample ---------------------------------------------------------------- */

#define CROWD 600
#define CROWD_RELATIONS 3
#define CROWD_FACTS 5400

static void
make_crowd(FactIndex *facts)
{
	Triple	   *triple = take(CROWD_FACTS * sizeof(Triple));

	/* no triple twice: the tail is drawn from a range that depends on the round */
	for (int i = 0; i < CROWD_FACTS; i++)
	{
		int			head = i % CROWD;
		int			relation = i / CROWD % CROWD_RELATIONS;
		int			round = i / (CROWD * CROWD_RELATIONS);

		triple[i] = (Triple) {head, relation, (head * (relation + 2) + round * 190 + next_below(180)) % CROWD};
	}
	CHECK(fact_index(&arena, pool, CROWD, CROWD_RELATIONS, triple, CROWD_FACTS, facts));
}

/* Errors in units of the standard error have a mean square of about 1. */
static void
test_sample(Pool *pool)
{
	EvSearch	search = all_of(3);
	FactIndex	facts;
	EvPathRule *exact;
	EvPathRule *found;
	int64_t		exact_count;
	int64_t		count;
	int64_t		estimates = 0;
	double		squares = 0;

	make_crowd(&facts);
	search.work = 1e12;
	exact_count = ev_path_rules(&arena, pool, &facts, &search, &exact);
	search.work = 1e5;
	count = ev_path_rules(&arena, pool, &facts, &search, &found);
	for (int64_t i = 0; i < count; i++)
	{
		const EvPathRule *counted = find_same(exact, exact_count, &found[i]);

		CHECK(counted != NULL && counted->counts.error == 0);
		if (counted == NULL || found[i].counts.error == 0)
			continue;
		squares += pow((found[i].counts.confidence - counted->counts.confidence) / found[i].counts.error, 2);
		estimates++;
	}
	CHECK_SAYING(count > 200 && estimates > 100, "%ld found, %ld estimates", (long) count, (long) estimates);
	CHECK_SAYING(squares / (double) estimates > 0.5 && squares / (double) estimates < 2, "%g",
				 squares / (double) estimates);
}

/* Whether they have the same bits, but for bytes between members */
static bool
same_paths(const EvPathRule *a, const EvPathRule *b, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		const EvPathCounts *left = &a[i].counts;
		const EvPathCounts *right = &b[i].counts;

		if (memcmp(&a[i].rule, &b[i].rule, sizeof(Rule)) != 0 || left->support != right->support ||
			left->body_size != right->body_size || left->confidence != right->confidence || left->error != right->error)
			return false;
	}
	return true;
}

/* A bound on confidence leaves out what is below it; whoever is no longer counted for it changes nothing that is kept. */
static void
test_hopeless(Pool *pool, double work)
{
	EvSearch	search = all_of(3);
	FactIndex	facts;
	EvPathRule *all;
	EvPathRule *kept;
	int64_t		count;
	int64_t		expected = 0;
	double		mean = 0;

	make_crowd(&facts);
	search.work = work;
	count = ev_path_rules(&arena, pool, &facts, &search, &all);
	for (int64_t i = 0; i < count; i++)
		mean += (all[i].counts.confidence - all[i].counts.error) / (double) count;
	for (int64_t i = 0; i < count; i++)
		if (all[i].counts.confidence - all[i].counts.error >= mean)
			all[expected++] = all[i];
	CHECK_SAYING(expected > 50 && expected < count - 50, "%ld of %ld", (long) expected, (long) count);
	search.min_confidence = mean;
	count = ev_path_rules(&arena, pool, &facts, &search, &kept);
	CHECK(count == expected && same_paths(all, kept, count));
}

/* The same bytes with any number of threads, another sample with another seed. */
static void
test_bits(Pool *pool, Pool *other_pool)
{
	EvSearch	search = all_of(4);
	FactIndex	facts;
	EvPathRule *a;
	EvPathRule *b;
	int64_t		count;

	make_crowd(&facts);
	search.work = 1e5;
	count = ev_path_rules(&arena, pool, &facts, &search, &a);
	CHECK(ev_path_rules(&arena, other_pool, &facts, &search, &b) == count);
	CHECK(count > 200 && same_paths(a, b, count));
	search.seed++;
	CHECK(ev_path_rules(&arena, pool, &facts, &search, &b) != count || !same_paths(a, b, count));
}

/* Rules that are found without some facts and counted again with them have the counts of all facts. */
static void
test_recount(Pool *pool)
{
	enum
	{
		LEFT_OUT = 5
	};
	EvSearch	search = all_of(3);
	Toy			toy;
	FactIndex	fewer;
	EvPathRule *found;
	int64_t		count;
	int			changed = 0;

	make_toy(&toy);
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, toy.triple, FACTS - LEFT_OUT, &fewer));
	count = ev_path_rules(&arena, pool, &fewer, &search, &found);
	CHECK(!ev_recount_path_rules(&empty_arena, pool, &toy.facts, &search, found, count));
	for (int i = 0; i < 2; i++)
	{
		for (int64_t j = 0; j < count; j++)
		{
			const Rule *rule = &found[j].rule;
			DirectedAtom atom[RULE_MAX_BODY];
			const EvPathCounts *counts = &found[j].counts;
			EvPathCounts by_hand;

			for (int k = 0; k < rule->length; k++)
				atom[k] = ev_atom(rule, SIDE_TAIL, k);
			by_hand = count_by_hand(&toy, rule->head, atom, rule->length);
			changed += counts->support != by_hand.support || counts->body_size != by_hand.body_size;
			CHECK(i == 0 || (counts->support == by_hand.support && counts->body_size == by_hand.body_size &&
							 counts->error == 0));
		}
		CHECK_SAYING(changed > 10, "%d rules have other counts", changed);
		if (i == 0)
			CHECK(ev_recount_path_rules(&arena, pool, &toy.facts, &search, found, count));
	}
}

/* ---- given paths ---------------------------------------------------------------- */

/* All counts of given paths, some longer than those that are searched for, are those of the definition. */
static void
test_given(Pool *pool)
{
	EvSearch	search = {.work = INFINITY,.seed = 3};
	Toy			toy;
	int			differ = 0;

	make_toy(&toy);
	for (int32_t relation = 0; relation < RELATIONS; relation++)
		for (int length = 1; length <= RULE_MAX_BODY + 1; length++)
		{
			static RelationPath path[ATOMS * ATOMS * ATOMS * ATOMS * ATOMS * ATOMS + 1];
			static EvPathCounts counts[ATOMS * ATOMS * ATOMS * ATOMS * ATOMS * ATOMS];
			int			count = 0;

			for (; body_number(count, length, path[count].atom); count++)
				path[count].length = length;
			CHECK(ev_count_paths(&arena, pool, &toy.facts, &search, relation, path, count, counts));
			for (int i = 0; i < count; i++)
			{
				EvPathCounts by_hand = count_by_hand(&toy, relation, path[i].atom, length);

				differ += counts[i].support != by_hand.support || counts[i].body_size != by_hand.body_size ||
					memcmp(counts[i].known, by_hand.known, sizeof(by_hand.known)) != 0 || counts[i].error != 0 ||
					fabs(counts[i].confidence * (double) by_hand.body_size - (double) by_hand.support) > 1e-9;
			}
		}
	CHECK_SAYING(differ == 0, "%d paths have other counts", differ);
}

/* With less work counts are estimates, of which the errors are as large as stated; with next to none, none. */
static void
test_given_sample(Pool *pool)
{
	EvSearch	search = {.work = INFINITY,.seed = 3};
	RelationPath path[6 * 6 * 6 * 6];
	EvPathCounts exact[6 * 6 * 6 * 6];
	EvPathCounts counts[6 * 6 * 6 * 6];
	FactIndex	facts;
	int			count = 0;
	int			estimates = 0;
	double		squares = 0;

	make_crowd(&facts);
	for (; count < 6 * 6 * 6 * 6; count++)
		path[count] = (RelationPath) {4, {count % 6, count / 6 % 6, count / 36 % 6, count / 216}, 0, 0};
	CHECK(!ev_count_paths(&empty_arena, pool, &facts, &search, 1, path, count, exact));
	CHECK(ev_count_paths(&arena, pool, &facts, &search, 1, path, count, exact));
	search.work = 3e4;
	CHECK(ev_count_paths(&arena, pool, &facts, &search, 1, path, count, counts));
	for (int i = 0; i < count; i++)
		if (counts[i].error > 0)
		{
			squares += pow((counts[i].confidence - exact[i].confidence) / counts[i].error, 2);
			estimates++;
		}
	CHECK_SAYING(estimates > count / 2 && squares / estimates > 0.5 && squares / estimates < 2, "%d: %g", estimates,
				 squares / estimates);
	search.work = 100;
	CHECK(ev_count_paths(&arena, pool, &facts, &search, 1, path, count, counts));
	for (int i = 0; i < count; i++)
		CHECK(counts[i].body_size == 0);
}

/* A search without time finds no rules. */
static void
test_time(Pool *pool)
{
	EvSearch	search = all_of(RULE_MAX_BODY);
	FactIndex	facts;
	EvPathRule *found;

	make_crowd(&facts);
	search.seconds = 1e-9;
	CHECK(ev_path_rules(&arena, pool, &facts, &search, &found) == 0);
}

static void
test_memory(Pool *pool)
{
	EvSearch	search = all_of(2);
	Toy			toy;
	EvPathRule *found;

	make_toy(&toy);
	CHECK(ev_path_rules(&empty_arena, pool, &toy.facts, &search, &found) == -1);
}

void
test_path_discovery(void)
{
	Pool	   *one = pool_of(1);
	Pool	   *three = pool_of(3);

	test_complete_search(three);
	test_limit(three);
	test_min_confidence(three);
	test_hopeless(three, 1e12);
	test_hopeless(one, 1e5);
	test_sample(three);
	test_bits(one, three);
	test_recount(three);
	test_given(three);
	test_given_sample(three);
	test_time(one);
	test_memory(one);
	pool_destroy(one);
	pool_destroy(three);
}
