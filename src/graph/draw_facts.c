/*
 * draw_facts.c
 *		Facts that are drawn at random, to be held out (see draw_facts.h).
 *
 * The facts are shuffled, and gone through once.  One that is passed over, because it is the last one of an entity or a
 * relation, remains the last one: so nothing is missed, and no more are held out by another pass.
 */
#include "draw_facts.h"

#include "miscadmin.h"

#include "core/random.h"
#include "server/growing_array.h"
#include "server/host.h"

/* How many facts of each entity and relation are not marked */
typedef struct Left
{
	int64	   *entity;
	int64	   *relation;
} Left;

static void
count_fact(Left *left, Triple fact, int64 facts)
{
	left->entity[fact.head] += facts;
	if (fact.tail != fact.head)
		left->entity[fact.tail] += facts;
	left->relation[fact.relation] += facts;
}

static void
check_memory(const GraphData *data)
{
	uint64		bytes = (sizeof(char) + sizeof(uint32)) * (uint64) data->facts +
		sizeof(int64) * ((uint64) data->entities + (uint64) data->relations);

	hkg_check_memory_or(MemoryContextMemAllocated(CurrentMemoryContext, true) + bytes, "holding facts out",
						"keep fewer of them in the graph");
}

char *
draw_facts(const GraphData *data, uint64 seed, int64 *wanted)
{
	uint64		stream = random_stream(seed, DRAW_HELD_OUT, 0, 0);
	Left		left;
	uint32	   *order;
	char	   *mark;
	int64		count = 0;

	check_memory(data);
	left = (Left) {array_new_zero(int64, data->entities), array_new_zero(int64, data->relations)};
	order = array_new(uint32, data->facts);
	mark = array_new_zero(char, data->facts);
	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count_fact(&left, data->fact[i], 1);
		order[i] = (uint32) i;
	}
	for (int64 i = 0; i < data->facts && count < *wanted; i++)
	{
		int64		place = i + random_below(random_bits(stream, (uint64) i), (uint64) (data->facts - i));
		uint32		drawn = order[place];

		CHECK_FOR_INTERRUPTS();
		order[place] = order[i];
		const Triple *fact = &data->fact[drawn];

		if (left.entity[fact->head] < 2 || left.entity[fact->tail] < 2 || left.relation[fact->relation] < 2)
			continue;
		mark[drawn] = 1;
		count_fact(&left, data->fact[drawn], -1);
		count++;
	}
	pfree(left.entity);
	pfree(left.relation);
	pfree(order);
	*wanted = count;
	return mark;
}
