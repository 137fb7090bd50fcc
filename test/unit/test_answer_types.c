/*
 * test_answer_types.c
 *		The sets of entities that may answer, by their definition; and searches among them against searches that leave all
 *		other entities out.
 */
#include <stdlib.h>

#include "check.h"

#include "facts/answer_types.h"
#include "kge/rank.h"

#define ENTITIES 700			/* of which whole tiles are of no type */
#define TYPED 100
#define RELATIONS 3
#define KEYS (2 * RELATIONS)
#define FACTS 900
#define QUESTIONS 90
#define SETS 3

/* Set 0 has one side that it stands on, set 1 two, set 2 none; the tails of relation 0 and the heads of 2 have no set. */
static const TypedSide sides[] = {
	{0, 0, SIDE_HEAD, false}, {1, 1, SIDE_TAIL, false}, {1, 1, SIDE_HEAD, false}, {2, 2, SIDE_TAIL, false},
	{0, 0, SIDE_HEAD, true}, {1, 1, SIDE_HEAD, true}, {1, 2, SIDE_TAIL, true}
};

#define SIDES ((int) (sizeof(sides) / sizeof(sides[0])))

/* Heads are few, in two places of the rows; tails are some others.  Each fact is another one. */
static void
draw_facts(Triple *fact)
{
	for (int i = 0; i < FACTS; i++)
		fact[i] = (Triple) {i % TYPED + i % 2 * 500, next_below(RELATIONS), (i / TYPED * 7 + i) % TYPED + 300};
	qsort(fact, FACTS, sizeof(Triple), triple_compare);
}

static bool
stands_on(const Triple *fact, TypedSide side, int32_t entity)
{
	for (int i = 0; i < FACTS; i++)
		if (fact[i].relation == side.relation && triple_answer(&fact[i], side.side) == entity)
			return true;
	return false;
}

static bool
is_member(const Triple *fact, int32_t set, int32_t entity)
{
	for (int i = 0; i < SIDES; i++)
		if (sides[i].is_part && sides[i].set == set && stands_on(fact, sides[i], entity))
			return true;
	return false;
}

static void
test_sets(const Triple *fact, const AnswerSet *sets)
{
	int			wrong = 0;

	for (int key = 0; key < KEYS; key++)
	{
		int			set = -1;
		int32_t		members = 0;

		for (int i = 0; i < SIDES; i++)
			if (!sides[i].is_part && 2 * sides[i].relation + (int) sides[i].side == key)
				set = sides[i].set;
		for (int32_t e = 0; e < ENTITIES; e++)
		{
			bool		allowed = set < 0 || is_member(fact, set, e);

			members += allowed;
			wrong += answer_is_allowed(sets, key / 2, (Side) (key % 2), e) != allowed;
		}
		wrong += set >= 0 && sets[key].count != members;
		wrong += (set < 0) != (sets[key].bit == NULL);
		for (int32_t first = 0; first < ENTITIES; first += 64)
		{
			bool		any = false;

			for (int32_t e = first; e < first + 64 && e < ENTITIES; e++)
				any |= answer_is_allowed(sets, key / 2, (Side) (key % 2), e);
			wrong += answer_any_allowed(sets, key / 2, (Side) (key % 2), first, first + 64) != any;
		}
	}
	CHECK(wrong == 0);
}

/* ---- searches ------------------------------------------------------------------------- */

/* Every fifth entity, of any type */
static int64_t
list_additions(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	KgeAddition *list = (KgeAddition *) argument + thread * ENTITIES;
	int64_t		count = 0;

	for (int32_t e = question->given % 5; e < ENTITIES; e += 5)
		list[count++] = (KgeAddition) {e, 0.1 * (e % 7)};
	*additions = list;
	return count;
}

/* The same question with all that may not answer left out */
static Question
leaving_out(const AnswerSet *sets, const Question *question)
{
	int32_t    *excluded = take(sizeof(int32_t) * ENTITIES);
	int64_t		count = 0;

	for (int32_t e = 0; e < ENTITIES; e++)
		if (!answer_is_allowed(sets, question->relation, question->side, e))
			excluded[count++] = e;
	return (Question) {question->side, question->given, question->relation, excluded, count};
}

static int
differ(const KgeAnswer *a, const KgeAnswer *b, int64_t count)
{
	int			wrong = 0;

	for (int64_t i = 0; i < count; i++)
		wrong += a[i].row != b[i].row || a[i].score != b[i].score;
	return wrong;
}

static void
test_searches(const KgeModel *model, const AnswerSet *sets, const KgeAdjustment *adjustment, bool listed, int64_t k)
{
	KgeModel	typed = *model;
	const KgeSketch *sketch = kge_sketch(&arena, pool, model);
	Question	question[QUESTIONS];
	Question	whole[QUESTIONS];
	KgeAnswer  *answer = take(sizeof(KgeAnswer) * (size_t) (QUESTIONS * k));
	KgeAnswer  *expected = take(sizeof(KgeAnswer) * (size_t) (QUESTIONS * k));
	int64_t		found[QUESTIONS];
	int64_t		found_whole[QUESTIONS];
	int			wrong = 0;

	typed.answers = sets;
	for (int i = 0; i < QUESTIONS; i++)
	{
		question[i] = question_of((Side) (i % 2), next_below(ENTITIES), i / 2 % RELATIONS);
		whole[i] = leaving_out(sets, &question[i]);
	}
	kge_top_many_ask(kge_top_many(&arena, pool, &typed, sketch, adjustment, listed), question, QUESTIONS, k, answer, found);
	kge_top_many_ask(kge_top_many(&arena, pool, model, sketch, adjustment, listed), whole, QUESTIONS, k, expected, found_whole);
	for (int i = 0; i < QUESTIONS; i++)
		wrong += found[i] != found_whole[i] || differ(answer + i * k, expected + i * k, found[i]) > 0;
	CHECK_SAYING(wrong == 0, "%s: many", model->function->name);

	/* rows of a chosen model are others: all even entities */
	if (!listed)
	{
		int32_t		even[ENTITIES / 2];
		KgeChosen  *chosen;

		for (int i = 0; i < ENTITIES / 2; i++)
			even[i] = 2 * i;
		chosen = kge_chosen(&arena, pool, &typed, adjustment, even, ENTITIES / 2);
		wrong = 0;
		for (int i = 0; i < QUESTIONS; i++)
		{
			Question	among = question_of(question[i].side, kge_chosen_given(chosen, question[i].given), question[i].relation);
			int64_t		place = 0;

			kge_top_many_ask(kge_top_many(&arena, pool, &chosen->model, NULL, chosen->adjustment, false), &among, 1,
							 ENTITIES / 2, answer, found);
			for (int64_t j = 0; j < found_whole[i] && k == ENTITIES; j++)
				if (expected[i * k + j].row % 2 == 0)
				{
					wrong += chosen->entity[answer[place].row] != expected[i * k + j].row || answer[place].score != expected[i * k + j].score;
					place++;
				}
			wrong += k == ENTITIES && place != found[0];
		}
		CHECK_SAYING(wrong == 0, "%s: chosen", model->function->name);
	}
	for (int i = 0; i < QUESTIONS && !listed; i++)
	{
		found[i] = kge_top(&arena, pool, &typed, sketch, question[i], adjustment, k, answer);
		CHECK_SAYING(found[i] == found_whole[i] && differ(answer, expected + i * k, found[i]) == 0, "%s: one",
					 model->function->name);
	}
}

/* With a filter of all that may not answer; an answer of another type is last. */
static void
test_ranks(const KgeModel *model, const AnswerSet *sets, const KgeAdjustment *adjustment)
{
	KgeModel	typed = *model;
	int			wrong = 0;

	typed.answers = sets;
	for (int i = 0; i < QUESTIONS; i++)
	{
		Triple		triple = {next_below(ENTITIES), i % RELATIONS, next_below(ENTITIES)};
		int32_t		rank[2];
		int32_t		expected[2];
		Triple	   *filter = take(sizeof(Triple) * 2 * ENTITIES);
		int64_t		count = 0;

		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			for (int32_t e = 0; e < ENTITIES; e++)
				if (!answer_is_allowed(sets, triple.relation, (Side) side, e))
					filter[count++] = triple_of_answer((Side) side, triple_given(&triple, (Side) side), triple.relation, e);
		kge_rank(&arena, pool, &typed, adjustment, (KgeTriples) {&triple, 1}, (KgeTriples) {NULL, 0}, 1, (KgeRanks) {&rank[0], &rank[1]});
		kge_rank(&arena, pool, model, adjustment, (KgeTriples) {&triple, 1}, (KgeTriples) {filter, count}, 1,
				 (KgeRanks) {&expected[0], &expected[1]});
		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			if (!answer_is_allowed(sets, triple.relation, (Side) side, triple_answer(&triple, (Side) side)))
				expected[side] = 1 + sets[2 * triple.relation + side].count;
		wrong += rank[0] != expected[0] || rank[1] != expected[1];
	}
	CHECK_SAYING(wrong == 0, "%s: %d ranks wrong", model->function->name, wrong);
}

void
test_answer_types(void)
{
	Triple		fact[FACTS];
	FactIndex	facts;
	const AnswerSet *sets;

	draw_facts(fact);
	CHECK(fact_index(&arena, pool, ENTITIES, RELATIONS, fact, FACTS, &facts));
	CHECK(fact_answer_sets(&empty_arena, leader, &facts, sides, SIDES, SETS) == NULL);
	sets = fact_answer_sets(&arena, leader, &facts, sides, SIDES, SETS);
	test_sets(fact, sets);
	for (int i = 0; i < variant_count; i++)
	{
		KgeModel	model = random_model(variants[i], 8, ENTITIES, RELATIONS, 1);
		KgeAddition *list = take(sizeof(KgeAddition) * 2 * ENTITIES);
		KgeAdjustment adjustment = {.list = list_additions,.argument = list};

		test_searches(&model, sets, NULL, false, 10);
		test_searches(&model, sets, &adjustment, false, ENTITIES);
		test_searches(&model, sets, &adjustment, true, 10);
		test_ranks(&model, sets, i % 2 == 0 ? NULL : &adjustment);
	}
}
