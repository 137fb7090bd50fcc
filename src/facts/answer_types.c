/*
 * answer_types.c
 *		Which entities may answer questions, by types (see answer_types.h).
 */
#include "answer_types.h"

#include "core/allocation.h"

typedef struct AnswerSets
{
	AnswerSet  *of_key;			/* by 2 * relation + side */
	AnswerSet  *set;
	uint64_t   *bit;			/* of each set, one after the other */
} AnswerSets;

static size_t
words_of(const FactIndex *facts)
{
	return (size_t) (facts->entities / 64 + 1);
}

static void
take_sets(AnswerSets *sets, Allocation *allocation, const FactIndex *facts, int32_t count)
{
	sets->of_key = TAKE(allocation, AnswerSet, 2 * (size_t) facts->relations);
	sets->set = TAKE(allocation, AnswerSet, (size_t) count);
	sets->bit = TAKE(allocation, uint64_t, (size_t) count * words_of(facts));
}

size_t
fact_answer_sets_bytes(const FactIndex *facts, int32_t sets)
{
	AnswerSets	counted;
	Allocation	allocation = {0};

	take_sets(&counted, &allocation, facts, sets);
	return allocation_bytes(&allocation);
}

const AnswerSet *
fact_answer_sets(Arena *arena, Pool *pool, const FactIndex *facts, const TypedSide *sides, int64_t count, int32_t sets)
{
	size_t		words = words_of(facts);
	AnswerSets	taken;
	Allocation	allocation = {0};

	take_sets(&taken, &allocation, facts, sets);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_sets(&taken, &allocation, facts, sets);

	/* 1. Empty sets */
	for (size_t i = 0; i < (size_t) sets * words; i++)
	{
		taken.bit[i] = 0;
		pool_yield_at(pool, POOL_LEADER, (int64_t) i);
	}
	for (int32_t i = 0; i < sets; i++)
		taken.set[i] = (AnswerSet) {taken.bit + (size_t) i * words, 0};
	for (int32_t i = 0; i < 2 * facts->relations; i++)
		taken.of_key[i] = (AnswerSet) {NULL, 0};

	/* 2. Entities that stand on a part of a set: they hold the atom from there */
	for (int64_t i = 0; i < count; i++)
	{
		DirectedAtom atom = asked_atom(sides[i].relation, other_side(sides[i].side));
		uint64_t   *bit = taken.bit + (size_t) sides[i].set * words;

		for (int64_t j = facts->holders[atom]; sides[i].is_part && j < facts->holders[atom + 1]; j++)
		{
			int32_t		entity = fact_holder(facts, j);

			taken.set[sides[i].set].count += (bit[entity / 64] >> entity % 64 & 1) == 0;
			bit[entity / 64] |= UINT64_C(1) << entity % 64;
			pool_yield_at(pool, POOL_LEADER, j);
		}
	}

	/* 3. The set of each side */
	for (int64_t i = 0; i < count; i++)
		if (!sides[i].is_part)
			taken.of_key[2 * sides[i].relation + (int32_t) sides[i].side] = taken.set[sides[i].set];
	return taken.of_key;
}
