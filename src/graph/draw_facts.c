/*
 * draw_facts.c
 *		Facts that are drawn at random, to be held out (see draw_facts.h).
 */
#include "draw_facts.h"

#include "miscadmin.h"

#include "core/random.h"
#include "server/growing_array.h"

/* draws for each fact that is wanted, until fewer are marked */
#define TRIES 20

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

static Left
count_left(const GraphData *data, const char *mark)
{
	Left		left = {array_new_zero(int64, data->entities), array_new_zero(int64, data->relations)};

	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (mark[i] == 0)
			count_fact(&left, data->fact[i], 1);
	}
	return left;
}

int64
draw_facts(const GraphData *data, int64 wanted, uint64 stream, char value, char *mark)
{
	Left		left = count_left(data, mark);
	int64		count = 0;

	for (int64 try = 0; count < wanted && try < TRIES * wanted; try++)
	{
		int64		i = random_below(random_bits(stream, (uint64) try), (uint64) data->facts);
		Triple		fact = data->fact[i];

		CHECK_FOR_INTERRUPTS();
		if (mark[i] != 0 || left.entity[fact.head] < 2 || left.entity[fact.tail] < 2 || left.relation[fact.relation] < 2)
			continue;
		mark[i] = value;
		count_fact(&left, fact, -1);
		count++;
	}
	pfree(left.entity);
	pfree(left.relation);
	return count;
}
