/*
 * removed.c
 *		Facts that a walk does not use.
 */
#include "walk.h"

#include <string.h>

#define LOOKED_AT 2000			/* of the triples, spread evenly: are their entities related? */

static size_t
edge_words(const FactIndex *facts)
{
	return (size_t) (facts->edges / 64 + 1);
}

void
path_removed_take(PathRemoved *removed, Allocation *allocation, const FactIndex *facts)
{
	removed->entity = TAKE(allocation, bool, (size_t) facts->entities);
	removed->edge = TAKE(allocation, uint64_t, edge_words(facts));
}

void
path_removed_open(PathRemoved *removed, const FactIndex *facts)
{
	memset(removed->entity, 0, (size_t) facts->entities * sizeof(bool));
	memset(removed->edge, 0, edge_words(facts) * sizeof(uint64_t));
}

static void
set_edge(const PathRemoved *removed, int64_t edge, bool is_removed)
{
	uint64_t	bit = UINT64_C(1) << edge % 64;

	if (is_removed)
		removed->edge[edge / 64] |= bit;
	else
		removed->edge[edge / 64] &= ~bit;
}

/* Both edges of a fact, if it is one */
static void
set_edges(const PathRemoved *removed, const FactIndex *facts, int32_t from, DirectedAtom atom, int32_t to, bool is_removed)
{
	int64_t		edge = fact_group_find(facts, fact_group(facts, from, atom), to);

	if (edge < 0)
		return;
	set_edge(removed, edge, is_removed);
	set_edge(removed, fact_group_find(facts, fact_group(facts, to, MIRRORED(atom)), from), is_removed);
}

void
path_set_removed(PathRemoved *removed, const FactIndex *facts, Triple fact, bool is_removed)
{
	removed->entity[fact.head] = removed->entity[fact.tail] = is_removed;
	set_edges(removed, facts, fact.head, FORWARDS(fact.relation), fact.tail, is_removed);
}

void
path_set_all_removed(PathRemoved *removed, const FactIndex *facts, Triple fact, bool is_removed)
{
	const FactDirectory *head = &facts->directory[fact.head];
	const FactDirectory *tail = &facts->directory[fact.tail];
	bool		from_tail = tail[1].group - tail[0].group < head[1].group - head[0].group;
	const FactDirectory *directory = from_tail ? tail : head;

	removed->entity[fact.head] = removed->entity[fact.tail] = is_removed;
	for (int32_t i = directory[0].group; i < directory[1].group; i++)
		set_edges(removed, facts, from_tail ? fact.tail : fact.head, facts->group[i].atom,
				  from_tail ? fact.head : fact.tail, is_removed);
}

/* Whether a fact relates the entities of a triple. */
static bool
are_related(const FactIndex *facts, Triple triple)
{
	const FactDirectory *head = &facts->directory[triple.head];

	for (int32_t i = head[0].group; i < head[1].group; i++)
		if (fact_group_holds(facts, fact_group_at(facts, i), triple.tail))
			return true;
	return false;
}

bool
path_is_direct(const FactIndex *facts, const Triple *triple, int64_t count)
{
	int64_t		asked = count < LOOKED_AT ? count : LOOKED_AT;
	int64_t		related = 0;

	for (int64_t i = 0; i < asked && related * 100 <= asked; i++)
		related += are_related(facts, triple[i * count / asked]);
	return count == 0 || related * 100 > asked;
}
