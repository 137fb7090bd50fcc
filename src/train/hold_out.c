/*
 * hold_out.c
 *		Facts that are held out in place of a valid split, where the graph has none.
 *
 * They choose the best iteration, and weights of evidence, probabilities and thresholds are learnt from them.
 * Embeddings and mined rules of the iterations are learnt without them; the refit and the last search for path
 * rules use all facts.
 */
#include "training_facts.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/random.h"

/*
 * Below LEAST facts, learnt weights are no better than the defaults; above MOST, they do not improve
 * (bench/RESULTS.md).
 */
#define LEAST 200
#define MOST 5000

/* draws for each fact that is wanted, until fewer are held out */
#define TRIES 20

int64
hold_out_size(double share, int64 facts)
{
	int64		size = Min((int64) (share * facts), MOST);

	return size < LEAST ? 0 : size;
}

static void *
zeros(int64 count, Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, Max(count, 1) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* How many facts of each entity and relation are not held out */
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

/* Draws facts to hold out, and marks them; returns how many. */
static int64
mark(const GraphData *data, int64 wanted, uint64 seed, bool *marked)
{
	uint64		stream = random_stream(seed, DRAW_HELD_OUT, 0, 0);
	Left		left = {zeros(data->entities, sizeof(int64)), zeros(data->relations, sizeof(int64))};
	int64		count = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count_fact(&left, data->fact[i], 1);
	}
	for (int64 try = 0; count < wanted && try < TRIES * wanted; try++)
	{
		int64		i = random_below(random_bits(stream, (uint64) try), (uint64) data->facts);
		Triple		fact = data->fact[i];

		if (marked[i] || left.entity[fact.head] < 2 || left.entity[fact.tail] < 2 || left.relation[fact.relation] < 2)
			continue;
		marked[i] = true;
		count_fact(&left, fact, -1);
		count++;
	}
	pfree(left.entity);
	pfree(left.relation);
	return count;
}

/* Separates the facts that are marked from the rest. */
static Triple *
separate(const GraphData *data, const bool *marked, int64 count, GraphData **rest)
{
	Triple	   *drawn = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Triple));
	Triple	   *others = MemoryContextAllocHuge(CurrentMemoryContext, (data->facts - count) * sizeof(Triple));
	int64		other = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (marked[i])
			drawn[i - other] = data->fact[i];
		else
			others[other++] = data->fact[i];
	}
	*rest = palloc(sizeof(GraphData));
	**rest = *data;
	(*rest)->fact = others;
	(*rest)->facts = other;
	return drawn;
}

Triple *
hold_out_draw(const GraphData *data, double share, uint64 seed, GraphData **rest, int64 *count)
{
	int64		wanted = hold_out_size(share, data->facts);
	bool	   *marked = zeros(data->facts, sizeof(bool));
	Triple	   *drawn = NULL;

	*count = wanted == 0 ? 0 : mark(data, wanted, seed, marked);
	*rest = NULL;
	if (*count < LEAST)
		*count = 0;
	else
		drawn = separate(data, marked, *count, rest);
	pfree(marked);
	return drawn;
}

void
hold_out_notice(const char *graph, int64 count, int64 facts)
{
	ereport(NOTICE,
			(errmsg("graph \"%s\" has no valid split: " INT64_FORMAT " of its " INT64_FORMAT " facts are held out in its place",
					graph, count, facts),
			 errdetail("The best iteration is chosen on them, and weights of rules, probabilities and thresholds are learnt from them. "
					   "Only the last epochs train on them."),
			 errhint("Load a valid split with hkg_load(..., 'valid'), or train on all facts from the start with holdout => 0.")));
}
