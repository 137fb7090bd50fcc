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
#define MOST_FACTS (INT64_C(1) << 30)

/* No more than edges, and no more than an entity can have. */
int64_t
fact_most_groups(const FactIndex *facts)
{
	double		all = 2.0 * facts->relations * facts->entities;

	return all < (double) facts->edges ? (int64_t) all : facts->edges;
}

static void
take_facts(FactIndex *facts, Allocation *allocation)
{
	size_t		groups = (size_t) fact_most_groups(facts);

	facts->start = TAKE(allocation, int64_t, (size_t) facts->entities + 1);
	facts->edge = TAKE(allocation, FactEdge, (size_t) facts->edges);
	facts->mirror = TAKE(allocation, int32_t, (size_t) facts->edges);
	facts->reflexive = TAKE(allocation, bool, (size_t) facts->relations);
	facts->directory = TAKE(allocation, FactDirectory, (size_t) facts->entities + 1);
	facts->group = TAKE(allocation, FactGroupStart, groups + 1);
	facts->largest = TAKE(allocation, int32_t, 2 * (size_t) facts->relations);
	facts->holders = TAKE(allocation, int64_t, 2 * (size_t) facts->relations + 1);
	facts->holder = TAKE(allocation, int32_t, groups);
}

size_t
fact_index_bytes(int32_t entities, int32_t relations, int64_t facts)
{
	FactIndex	counted = {.entities = entities,.relations = relations,.edges = 2 * facts};
	Allocation	allocation = {0};

	take_facts(&counted, &allocation);
	return facts >= MOST_FACTS ? SIZE_MAX / 8 : allocation_bytes(&allocation);	/* callers add to it */
}

static int
compare_edges(const void *a, const void *b)
{
	const FactEdge *left = a;
	const FactEdge *right = b;

	if (left->atom != right->atom)
		return left->atom < right->atom ? -1 : 1;
	return (left->other > right->other) - (left->other < right->other);
}

/* Facts in the making */
typedef struct Building
{
	FactIndex  *facts;
	const Triple *triples;
	int64_t		count;
	Pool	   *pool;
} Building;

/* Leaves in start[e + 1] where the edges of e begin; filling moves it on to where they end. */
static void
count_edges(const Building *building, int thread)
{
	FactIndex  *facts = building->facts;
	int64_t    *next = facts->start + 1;
	int64_t		first = 0;

	for (int32_t i = 0; i <= facts->entities; i++)
	{
		facts->start[i] = 0;
		pool_yield_at(building->pool, thread, i);
	}
	for (int64_t i = 0; i < building->count; i++)
	{
		next[building->triples[i].head]++;
		next[building->triples[i].tail]++;
		pool_yield_at(building->pool, thread, i);
	}
	for (int32_t i = 0; i < facts->entities; i++)
	{
		int64_t		edges = next[i];

		next[i] = first;
		first += edges;
		pool_yield_at(building->pool, thread, i);
	}
}

/* The end of the facts, from `first` on, that have the same relation. */
static int64_t
end_of_relation(const Building *building, int thread, int64_t first)
{
	int64_t		end = first;

	while (end < building->count && building->triples[end].relation == building->triples[first].relation)
	{
		pool_yield_at(building->pool, thread, end);
		end++;
	}
	return end;
}

/*
 * The only item: each entity gets its edges.  They are in order where the facts come by relation, head and tail, as
 * they are read from a table.
 */
static void
fill_edges(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	FactIndex  *facts = building->facts;
	int64_t    *next = facts->start + 1;

	count_edges(building, thread);
	for (int32_t i = 0; i < facts->relations; i++)
		facts->reflexive[i] = false;
	for (int64_t first = 0, end; first < building->count; first = end)
	{
		DirectedAtom atom = FORWARDS(building->triples[first].relation);

		end = end_of_relation(building, thread, first);
		for (int64_t i = first; i < end; i++)
		{
			Triple		t = building->triples[i];

			facts->edge[next[t.head]++] = (FactEdge) {atom, t.tail};
			facts->reflexive[t.relation] |= t.head == t.tail;
			pool_yield_at(building->pool, thread, i);
		}
		for (int64_t i = first; i < end; i++)
		{
			Triple		t = building->triples[i];

			facts->edge[next[t.tail]++] = (FactEdge) {MIRRORED(atom), t.head};
			pool_yield_at(building->pool, thread, i);
		}
	}
}

static bool
is_sorted(const Building *building, int thread, int64_t entity)
{
	const FactIndex *facts = building->facts;

	for (int64_t i = facts->start[entity] + 1; i < facts->start[entity + 1]; i++)
	{
		if (compare_edges(&facts->edge[i - 1], &facts->edge[i]) > 0)
			return false;
		pool_yield_at(building->pool, thread, i);
	}
	return true;
}

/* Item: some entities. */
static void
sort_edges(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	FactIndex  *facts = building->facts;

	for (int64_t i = item * ENTITIES_AT_ONCE; i < (item + 1) * ENTITIES_AT_ONCE && i < facts->entities; i++)
		if (!is_sorted(building, thread, i))
			sort_array(building->pool, thread, facts->edge + facts->start[i], facts->start[i + 1] - facts->start[i],
					   sizeof(FactEdge), compare_edges);
	pool_yield(building->pool, thread);
}

/* ---- groups ---------------------------------------------------------------------- */

/* Adds the groups of an entity behind those of the entities before it. */
static int32_t
add_groups(FactIndex *facts, int32_t entity, int32_t groups)
{
	FactDirectory directory = {.group = groups};

	for (int64_t i = facts->start[entity]; i < facts->start[entity + 1]; i++)
	{
		DirectedAtom atom = facts->edge[i].atom;

		if (i == facts->start[entity] || facts->edge[i - 1].atom != atom)
		{
			facts->group[groups++] = (FactGroupStart) {(int32_t) i, entity, atom};
			directory.atoms |= UINT64_C(1) << (atom >> facts->atom_shift);
		}
	}
	facts->directory[entity] = directory;
	return groups;
}

/* The groups of each atom, in their order: by entity; and how large they are at most. */
static void
list_holders(const Building *building, int32_t groups, int thread)
{
	FactIndex  *facts = building->facts;
	int64_t		atoms = 2 * (int64_t) facts->relations;

	for (int64_t i = 0; i <= atoms; i++)
		facts->holders[i] = 0;
	for (int64_t i = 0; i < atoms; i++)
		facts->largest[i] = 0;
	for (int32_t i = 0; i < groups; i++)
	{
		DirectedAtom atom = facts->group[i].atom;
		int32_t		edges = facts->group[i + 1].first - facts->group[i].first;

		facts->holders[atom]++;
		if (edges > facts->largest[atom])
			facts->largest[atom] = edges;
		pool_yield_at(building->pool, thread, i);
	}
	for (int64_t i = 0; i < atoms; i++)
		facts->holders[i + 1] += facts->holders[i];
	for (int32_t i = groups - 1; i >= 0; i--)
	{
		facts->holder[--facts->holders[facts->group[i].atom]] = i;
		pool_yield_at(building->pool, thread, i);
	}
}

/* The only item */
static void
index_groups(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	FactIndex  *facts = building->facts;
	int32_t		groups = 0;

	for (int32_t e = 0; e < facts->entities; e++)
	{
		groups = add_groups(facts, e, groups);
		pool_yield_at(building->pool, thread, e);
	}
	facts->directory[facts->entities] = (FactDirectory) {.group = groups};
	facts->group[groups] = (FactGroupStart) {(int32_t) facts->edges, facts->entities, -1};
	list_holders(building, groups, thread);
}

/* Item: some edges. */
static void
index_mirrors(void *argument, int64_t item, int thread)
{
	const Building *building = argument;
	FactIndex  *facts = building->facts;

	for (int64_t i = item * EDGES_AT_ONCE; i < (item + 1) * EDGES_AT_ONCE && i < facts->edges; i++)
		facts->mirror[i] = fact_group_number(facts, facts->edge[i].other, MIRRORED(facts->edge[i].atom));
	pool_yield(building->pool, thread);
}

int32_t
fact_group_search(const FactIndex *facts, int32_t first, int32_t end, DirectedAtom atom)
{
	while (first < end)
	{
		int32_t		middle = first + (end - first) / 2;

		if (facts->group[middle].atom < atom)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

void
fact_groups(const FactIndex *facts, const int32_t *entity, int stride, int count, DirectedAtom atom, FactGroup *group)
{
	for (int i = 0; i < count; i++)
		__builtin_prefetch(&facts->directory[entity[i * stride]]);
	for (int i = 0; i < count; i++)
	{
		group[i] = fact_group(facts, entity[i * stride], atom);
		__builtin_prefetch(&facts->edge[group[i].first]);
	}
}

static int
compare_others(const void *edge, const void *other)
{
	int32_t		left = ((const FactEdge *) edge)->other;
	int32_t		right = *(const int32_t *) other;

	return (left > right) - (left < right);
}

int64_t
fact_group_find(const FactIndex *facts, FactGroup group, int32_t other)
{
	int64_t		place = lower_bound(facts->edge, group.first, group.end, sizeof(FactEdge), &other, compare_others);

	return place < group.end && facts->edge[place].other == other ? place : -1;
}

bool
fact_group_holds(const FactIndex *facts, FactGroup group, int32_t other)
{
	return fact_group_find(facts, group, other) >= 0;
}

bool
fact_holds(const FactIndex *facts, int32_t entity, DirectedAtom atom, int32_t other)
{
	return fact_group_holds(facts, fact_group(facts, entity, atom), other);
}

/* ---- all of it ---------------------------------------------------------------------- */

bool
fact_index(Arena *arena, Pool *pool, int32_t entities, int32_t relations,
		   const Triple *triples, int64_t count, FactIndex *facts)
{
	Building	building = {facts, triples, count, pool};
	Allocation	allocation = {0};

	*facts = (FactIndex) {.entities = entities,.relations = relations,.edges = 2 * count};
	while (2 * (int64_t) relations > INT64_C(64) << facts->atom_shift)
		facts->atom_shift++;
	take_facts(facts, &allocation);
	if (count >= MOST_FACTS || !allocation_open(&allocation, arena))
		return false;
	facts->memory = allocation.base;
	take_facts(facts, &allocation);
	pool_run(pool, 1, fill_edges, &building);
	pool_run(pool, pool_pieces(entities, ENTITIES_AT_ONCE), sort_edges, &building);
	pool_run(pool, 1, index_groups, &building);
	pool_run(pool, pool_pieces(facts->edges, EDGES_AT_ONCE), index_mirrors, &building);
	return true;
}

const void *
fact_index_memory(const FactIndex *facts, size_t *bytes)
{
	FactIndex	counted = *facts;
	Allocation	allocation = {0};

	take_facts(&counted, &allocation);
	*bytes = allocation.used;
	return facts->memory;
}

void
fact_index_move(FactIndex *facts, void *memory)
{
	Allocation	allocation = allocation_over(memory);

	take_facts(facts, &allocation);
	facts->memory = memory;
	facts->neighbour = NULL;
}

int64_t
fact_count(const FactIndex *facts, int32_t relation, Pool *pool)
{
	DirectedAtom atom = FORWARDS(relation);
	int64_t		count = 0;

	for (int64_t i = facts->holders[atom]; i < facts->holders[atom + 1]; i++)
	{
		FactGroup	group = fact_group_at(facts, facts->holder[i]);

		count += group.end - group.first;
		pool_yield_at(pool, POOL_LEADER, i);
	}
	return count;
}

/* ---- the second order ----------------------------------------------------------- */

typedef struct Reordering
{
	const FactIndex *facts;
	Pool	   *pool;
	FactEdge   *neighbour;
	int64_t    *cursor;			/* by entity: the first of its neighbours so far */
} Reordering;

static void
take_neighbours(Reordering *reordering, Allocation *allocation)
{
	reordering->neighbour = TAKE(allocation, FactEdge, (size_t) reordering->facts->edges);
	reordering->cursor = TAKE(allocation, int64_t, (size_t) reordering->facts->entities);
}

/* The only item.  Entities come in descending order, and each goes before the others among its neighbours' own. */
static void
fill_neighbours(void *argument, int64_t item, int thread)
{
	const Reordering *reordering = argument;
	const FactIndex *facts = reordering->facts;

	for (int32_t e = 0; e < facts->entities; e++)
	{
		reordering->cursor[e] = facts->start[e + 1];
		pool_yield_at(reordering->pool, thread, e);
	}
	for (int32_t e = facts->entities - 1; e >= 0; e--)
		for (int64_t i = facts->start[e]; i < facts->start[e + 1]; i++)
		{
			FactEdge	edge = facts->edge[i];

			reordering->neighbour[--reordering->cursor[edge.other]] = (FactEdge) {MIRRORED(edge.atom), e};
			pool_yield_at(reordering->pool, thread, i);
		}
}

size_t
fact_neighbours_bytes(int32_t entities, int64_t facts)
{
	FactIndex	counted = {.entities = entities,.edges = 2 * facts};
	Reordering	reordering = {.facts = &counted};
	Allocation	allocation = {0};

	take_neighbours(&reordering, &allocation);
	return allocation_bytes(&allocation);
}

bool
fact_neighbours(Arena *arena, Pool *pool, FactIndex *facts)
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
