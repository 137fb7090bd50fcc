/*
 * fact_index.c
 *		The one index of facts in memory (see fact_index.h).
 */
#include "fact_index.h"

#include "core/allocation.h"
#include "core/search.h"
#include "core/sort.h"

#define ENTITIES_AT_ONCE 64		/* of an item */
#define EDGES_AT_ONCE 4096

static void
take_facts(EvFacts *facts, Allocation *allocation)
{
	facts->start = TAKE(allocation, int64_t, (size_t) facts->entities + 1);
	facts->edge = TAKE(allocation, EvEdge, (size_t) facts->edges);
	facts->mirror = TAKE(allocation, int64_t, (size_t) facts->edges);
	facts->reflexive = TAKE(allocation, bool, (size_t) facts->relations);
	facts->holders = TAKE(allocation, int64_t, 2 * (size_t) facts->relations + 1);
	facts->holder = TAKE(allocation, EvHolder, (size_t) facts->edges);
}

size_t
ev_facts_bytes(int32_t entities, int32_t relations, int64_t facts)
{
	EvFacts		counted = {.entities = entities,.relations = relations,.edges = 2 * facts};
	Allocation	allocation = {0};

	take_facts(&counted, &allocation);
	return allocation_bytes(&allocation);
}

static int
compare_edges(const void *a, const void *b)
{
	const EvEdge *left = a;
	const EvEdge *right = b;

	if (left->atom != right->atom)
		return left->atom < right->atom ? -1 : 1;
	return (left->other > right->other) - (left->other < right->other);
}

/* Facts in the making */
typedef struct Building
{
	EvFacts    *facts;
	const Triple *triples;
	int64_t		count;
	Pool    *pool;
} Building;

static void
count_edges(const Building *building, int thread)
{
	EvFacts    *facts = building->facts;

	for (int32_t i = 0; i <= facts->entities; i++)
		facts->start[i] = 0;
	for (int64_t i = 0; i < building->count; i++)
	{
		facts->start[building->triples[i].head]++;
		facts->start[building->triples[i].tail]++;
		pool_yield_at(building->pool, thread, i);
	}
	/* the end of each entity's edges, from where filling them goes down to the first */
	for (int32_t i = 0; i < facts->entities; i++)
		facts->start[i + 1] += facts->start[i];
}

/* The only item: each entity gets its edges, in no order. */
static void
fill_edges(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	EvFacts    *facts = building->facts;

	count_edges(building, thread);
	for (int32_t i = 0; i < facts->relations; i++)
		facts->reflexive[i] = false;
	for (int64_t i = 0; i < building->count; i++)
	{
		Triple	t = building->triples[i];
		DirectedAtom atom = FORWARDS(t.relation);

		facts->edge[--facts->start[t.head]] = (EvEdge) {atom, t.tail};
		facts->edge[--facts->start[t.tail]] = (EvEdge) {MIRRORED(atom), t.head};
		facts->reflexive[t.relation] |= t.head == t.tail;
		pool_yield_at(building->pool, thread, i);
	}
}

/* Item: some entities. */
static void
sort_edges(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	EvFacts    *facts = building->facts;

	for (int64_t i = item * ENTITIES_AT_ONCE; i < (item + 1) * ENTITIES_AT_ONCE && i < facts->entities; i++)
		sort_array(building->pool, thread, facts->edge + facts->start[i], facts->start[i + 1] - facts->start[i],
				 sizeof(EvEdge), compare_edges);
}

static bool
begins_group(const EvFacts *facts, int32_t entity, int64_t edge)
{
	return edge == facts->start[entity] || facts->edge[edge - 1].atom != facts->edge[edge].atom;
}

/* The only item.  Entities come in ascending order, so holders do. */
static void
index_holders(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	EvFacts    *facts = building->facts;
	int64_t		atoms = 2 * (int64_t) facts->relations;

	for (int64_t i = 0; i <= atoms; i++)
		facts->holders[i] = 0;
	for (int32_t e = 0; e < facts->entities; e++)
		for (int64_t i = facts->start[e]; i < facts->start[e + 1]; i++)
		{
			facts->holders[facts->edge[i].atom] += begins_group(facts, e, i);
			pool_yield_at(building->pool, thread, i);
		}
	for (int64_t i = 0; i < atoms; i++)
		facts->holders[i + 1] += facts->holders[i];
	for (int32_t e = facts->entities - 1; e >= 0; e--)
		for (int64_t i = facts->start[e]; i < facts->start[e + 1]; i++)
		{
			if (begins_group(facts, e, i))
				facts->holder[--facts->holders[facts->edge[i].atom]] = (EvHolder) {e, i};
			pool_yield_at(building->pool, thread, i);
		}
}

/* Item: some edges. */
static void
index_mirrors(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	EvFacts    *facts = building->facts;

	for (int64_t i = item * EDGES_AT_ONCE; i < (item + 1) * EDGES_AT_ONCE && i < facts->edges; i++)
		facts->mirror[i] = ev_group(facts, facts->edge[i].other, MIRRORED(facts->edge[i].atom)).first;
	pool_yield(building->pool, thread);
}

bool
ev_facts(Arena *arena, Pool *pool, int32_t entities, int32_t relations,
		 const Triple *triples, int64_t count, EvFacts *facts)
{
	Building	building = {facts, triples, count, pool};
	Allocation	allocation = {0};

	*facts = (EvFacts) {.entities = entities,.relations = relations,.edges = 2 * count};
	take_facts(facts, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	facts->memory = allocation.base;
	take_facts(facts, &allocation);
	pool_run(pool, 1, fill_edges, &building);
	pool_run(pool, pool_pieces(entities, ENTITIES_AT_ONCE), sort_edges, &building);
	pool_run(pool, pool_pieces(facts->edges, EDGES_AT_ONCE), index_mirrors, &building);
	pool_run(pool, 1, index_holders, &building);
	return true;
}

const void *
ev_facts_memory(const EvFacts *facts, size_t *bytes)
{
	EvFacts		counted = *facts;
	Allocation	allocation = {0};

	take_facts(&counted, &allocation);
	*bytes = allocation.used;
	return facts->memory;
}

void
ev_facts_move(EvFacts *facts, void *memory)
{
	Allocation	allocation = allocation_over(memory);

	take_facts(facts, &allocation);
	facts->memory = memory;
	facts->neighbour = NULL;
}

/* ---- the second order ----------------------------------------------------------- */

typedef struct Reordering
{
	const EvFacts *facts;
	Pool	   *pool;
	EvEdge	   *neighbour;
	int64_t    *cursor;			/* by entity: the first of its neighbours so far */
} Reordering;

static void
take_neighbours(Reordering *reordering, Allocation *allocation)
{
	reordering->neighbour = TAKE(allocation, EvEdge, (size_t) reordering->facts->edges);
	reordering->cursor = TAKE(allocation, int64_t, (size_t) reordering->facts->entities);
}

/* The only item.  Entities come in descending order, and each goes before the others among its neighbours' own. */
static void
fill_neighbours(void *argument, int64_t item, int thread)
{
	const Reordering *reordering = argument;
	const EvFacts *facts = reordering->facts;

	for (int32_t e = 0; e < facts->entities; e++)
		reordering->cursor[e] = facts->start[e + 1];
	for (int32_t e = facts->entities - 1; e >= 0; e--)
		for (int64_t i = facts->start[e]; i < facts->start[e + 1]; i++)
		{
			EvEdge		edge = facts->edge[i];

			reordering->neighbour[--reordering->cursor[edge.other]] = (EvEdge) {MIRRORED(edge.atom), e};
			pool_yield_at(reordering->pool, thread, i);
		}
}

bool
ev_neighbours(Arena *arena, Pool *pool, EvFacts *facts)
{
	Reordering	reordering = {.facts = facts,.pool = pool};
	Allocation	allocation = {0};

	take_neighbours(&reordering, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	take_neighbours(&reordering, &allocation);
	pool_run(pool, 1, fill_neighbours, &reordering);
	facts->neighbour = reordering.neighbour;
	return true;
}

/* ---- groups ---------------------------------------------------------------------- */

/* The first of an entity's edges that is not below `edge`. */
static int64_t
first_edge(const EvFacts *facts, int32_t entity, EvEdge edge)
{
	return lower_bound(facts->edge, facts->start[entity], facts->start[entity + 1],
					   sizeof(EvEdge), &edge, compare_edges);
}

EvGroup
ev_group(const EvFacts *facts, int32_t entity, DirectedAtom atom)
{
	return (EvGroup) {first_edge(facts, entity, (EvEdge) {atom, 0}),
		first_edge(facts, entity, (EvEdge) {atom + 1, 0})};
}

int64_t
ev_group_end(const EvFacts *facts, int32_t entity, int64_t first)
{
	int64_t		i = first;

	while (i < facts->start[entity + 1] && facts->edge[i].atom == facts->edge[first].atom)
		i++;
	return i;
}

bool
ev_holds(const EvFacts *facts, int32_t entity, DirectedAtom atom, int32_t other)
{
	EvEdge		edge = {atom, other};
	int64_t		place = first_edge(facts, entity, edge);

	return place < facts->start[entity + 1] && compare_edges(&facts->edge[place], &edge) == 0;
}
