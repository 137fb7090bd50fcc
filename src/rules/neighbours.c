/*
 * neighbours.c
 *		Neighbourhoods of entities, sorted (see neighbours.h).
 */
#include "neighbours.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "shape.h"

static int
compare_neighbours(const void *a, const void *b)
{
	Neighbour	left = *(const Neighbour *) a;
	Neighbour	right = *(const Neighbour *) b;

	CHECK_FOR_INTERRUPTS();
	return (left > right) - (left < right);
}

Neighbours *
neighbours_of_facts(const Triple *fact, int64 facts, int32 entities, const int32 *relation_id)
{
	Neighbours *neighbours = palloc(sizeof(Neighbours));
	int64	   *next;

	neighbours->neighbour = MemoryContextAllocHuge(CurrentMemoryContext, Max(2 * facts, 1) * sizeof(Neighbour));
	neighbours->start = MemoryContextAllocExtended(CurrentMemoryContext, (entities + 2) * sizeof(int64),
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	/* counts, two places on, become starts, one place on, and these are moved as lists fill */
	next = neighbours->start + 1;
	for (int64 i = 0; i < facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		next[fact[i].head + 1]++;
		next[fact[i].tail + 1]++;
	}
	for (int32 row = 1; row < entities; row++)
		next[row] += next[row - 1];
	for (int64 i = 0; i < facts; i++)
	{
		DirectedAtom atom = FORWARDS(relation_id[fact[i].relation]);

		CHECK_FOR_INTERRUPTS();
		neighbours->neighbour[next[fact[i].head]++] = FIRST_NEIGHBOUR(fact[i].tail) | atom;
		neighbours->neighbour[next[fact[i].tail]++] = FIRST_NEIGHBOUR(fact[i].head) | MIRRORED(atom);
	}
	for (int32 row = 0; row < entities; row++)
		qsort(neighbours->neighbour + neighbours->start[row], neighbours->start[row + 1] - neighbours->start[row],
			  sizeof(Neighbour), compare_neighbours);
	return neighbours;
}
