/*
 * pair_facts.c
 *		Which pairs of a body are facts (see pair_facts.h).
 */
#include "pair_facts.h"

#include "server/growing_array.h"
#include "server/host.h"

PairFacts
pair_facts_create(const GraphData *data)
{
	return (PairFacts) {
		.fact = data->fact,
		.start = facts_by_relation(data->fact, data->facts, data->relations),
		.mark = array_new_zero(uint64, data->entities)
	};
}

void
pair_facts_mark(PairFacts *facts, const int32 *entity, int32 count)
{
	facts->serial++;
	for (int32 i = 0; i < count; i++)
		facts->mark[entity[i]] = facts->serial;
}

void
pair_facts_mark_tails(PairFacts *facts, int32 relation, int32 x)
{
	const Triple *fact = facts->fact;
	int64		end = facts->start[relation + 1];

	facts->serial++;
	for (int64 i = facts_of_head(fact, facts->start[relation], end, x); i < end && fact[i].head == x; i++)
		facts->mark[fact[i].tail] = facts->serial;
}

int64
pair_facts_count(const PairFacts *facts, int32 relation, const int32 *x, int32 count)
{
	const Triple *fact = facts->fact;
	int64		end = facts->start[relation + 1];
	int64		found = 0;

	for (int32 j = 0; j < count; j++)
	{
		hkg_check_interrupts();
		for (int64 i = facts_of_head(fact, facts->start[relation], end, x[j]); i < end && fact[i].head == x[j]; i++)
			found += pair_facts_is_marked(facts, fact[i].tail);
	}
	return found;
}
