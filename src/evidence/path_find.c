/*
 * path_find.c
 *		Which bodies connect the two entities of facts.
 *
 * The facts of a relation are taken by one of their entities, the anchor.  Paths that
 * begin at the anchor, up to half as long as the body, are stored by where they end; those from
 * the other entity of each fact meet them there.  Where there are too many ways to go
 * for the work that is allowed, some facts are drawn, and of each side's ways some.
 *
 * Each body counts once for a fact.  The counts are in a table that all threads add to: which
 * slot a body gets depends on who comes first, what it counts does not.  When the bodies of a relation
 * are more than the table holds, they are counted in two halves, and so on.
 */
#include "paths.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FAR_STEPS 3				/* the longer half of the longest path */
#define NEAR_STEPS 2
#define ITEM_FACTS 64			/* facts of an anchor that one item takes */
#define STORED_WAYS 65536		/* of more, some are drawn */
#define SEEN_SLOTS 65536		/* a power of two; bodies of one fact up to 3/4 of it */
#define DRAWN_FACTS 1000		/* facts of a relation, where not all can be looked at */
#define WORK_OF_SLOT 64			/* bodies are found more than once */
#define MAX_SLOTS (INT64_C(1) << 22)
#define MAX_THREADS 1024		/* of a pool: so many bodies may enter a table at once */

/* A way from the anchor */
typedef struct Half
{
	int32_t		next;			/* another one to the same end */
	int32_t		end;
	int32_t		middle;
	uint64_t	digits;			/* of its atoms, read towards the anchor */
} Half;

#define NOTHING (-1)			/* in place of a way or an entity */

/* A thread's own */
typedef struct Walker
{
	Finding    *finding;
	int			thread;
	int32_t		anchor;
	bool		storing;		/* from the anchor; else from the other entity */
	int			depth;
	int32_t		entity[FAR_STEPS + 1];
	int32_t		atom[FAR_STEPS];
	int64_t		steps;

	int64_t		halves;
	Half	   *half;
	int32_t    *first;			/* by entity: a way that ends there */

	uint64_t   *seen;			/* bodies of this fact */
	uint32_t   *seen_by;		/* which fact wrote the slot */
	uint32_t	fact;
	int			seen_count;
} Walker;

typedef struct Item
{
	int32_t		anchor;
	EvGroup		facts;
} Item;

/* How the bodies of one length are sought for a relation */
typedef struct Plan
{
	int32_t		relation;
	int			length;
	int32_t		anchored;		/* the atom of its facts from the anchor */
	double		cost;			/* ways, if all are taken */
	double		facts;			/* the part of them that is looked at */
	double		ways;			/* of each side, at most */
} Plan;

typedef struct Slot
{
	_Atomic uint64_t body;		/* 0: free */
	_Atomic int32_t count;
} Slot;

struct Finding
{
	Paths	   *paths;
	Walker	   *walker;
	double	   *ways[FAR_STEPS + 1];	/* by entity: walks of so many steps from it */
	double	   *fact_ways[FAR_STEPS + 1];	/* by atom: their sum over its edges */
	double		pairing;		/* probability that two random edges lead to one entity */
	double	   *anchor_ways[NEAR_STEPS + 1];	/* by atom: their sum over its anchors */
	Plan	   *plan;			/* of each relation */
	Item	   *item;

	/* what is being counted */
	Plan		now;
	uint64_t	near_power;		/* the base to the power of the steps from the anchor */
	uint64_t	part;			/* of the bodies: those whose hash is this modulo parts */
	uint64_t	parts;
	int64_t		slots;			/* a power of two */
	Slot	   *slot;
	int32_t    *used;			/* slots in use */
	_Atomic int64_t used_count;
	atomic_bool full;
};

/* ---- the table --------------------------------------------------------------- */

static int64_t
slots_for(const Paths *paths)
{
	double		bodies = pow((double) body_base(paths->facts), paths->search->length);
	double		needed = fmin(2 * bodies, paths->search->work / WORK_OF_SLOT);
	int64_t		slots = 64;

	while (slots < MAX_SLOTS && (double) slots < needed)
		slots *= 2;
	return slots;
}

static int64_t
used_room(const Finding *finding)
{
	return finding->slots / 4 * 3;
}

static void
count_body(Finding *finding, uint64_t body)
{
	uint64_t	hash = random_mix(body);
	int64_t		place = (int64_t) (hash & (uint64_t) (finding->slots - 1));

	if ((hash >> 32) % finding->parts != finding->part)
		return;
	for (;; place = (place + 1) & (finding->slots - 1))
	{
		Slot	   *slot = &finding->slot[place];
		uint64_t	there = atomic_load_explicit(&slot->body, memory_order_relaxed);

		if (there == 0)
		{
			if (atomic_load_explicit(&finding->full, memory_order_relaxed))
				return;
			if (atomic_compare_exchange_strong(&slot->body, &there, body))
			{
				int64_t		used = atomic_fetch_add(&finding->used_count, 1);

				/* full if and only if the bodies are too many, whoever comes first */
				finding->used[used] = (int32_t) place;
				if (used >= used_room(finding))
					atomic_store(&finding->full, true);
				there = body;
			}
		}
		if (there == body)
		{
			atomic_fetch_add_explicit(&slot->count, 1, memory_order_relaxed);
			return;
		}
	}
}

static void
clear_table(Finding *finding)
{
	for (int64_t i = 0; i < finding->used_count; i++)
	{
		finding->slot[finding->used[i]].body = 0;
		finding->slot[finding->used[i]].count = 0;
	}
	finding->used_count = 0;
	finding->full = false;
}

/* ---- the paths of a fact ---------------------------------------------------- */

/* Counts a body of this fact, once. */
static void
see_body(Walker *walker, uint64_t body)
{
	uint64_t	place = random_mix(body) % SEEN_SLOTS;

	for (; walker->seen_by[place] == walker->fact; place = (place + 1) % SEEN_SLOTS)
		if (walker->seen[place] == body)
			return;
	if (walker->seen_count >= SEEN_SLOTS / 4 * 3)
		return;
	walker->seen_count++;
	walker->seen[place] = body;
	walker->seen_by[place] = walker->fact;
	count_body(walker->finding, body);
}

static bool
is_on_the_way(const Walker *walker, int32_t entity, int depth)
{
	for (int i = 0; i < depth; i++)
		if (walker->entity[i] == entity)
			return true;
	return false;
}

static void
store(Walker *walker)
{
	uint64_t	base = body_base(walker->finding->paths->facts);
	Half	   *half = &walker->half[walker->halves];

	half->end = walker->entity[walker->depth];
	half->middle = walker->depth == 2 ? walker->entity[1] : NOTHING;
	half->digits = 0;
	for (int i = walker->depth - 1; i >= 0; i--)
		half->digits = half->digits * base + (uint64_t) EV_MIRRORED(walker->atom[i]) + 1;
	half->next = walker->first[half->end];
	walker->first[half->end] = (int32_t) walker->halves++;
}

static void
meet(Walker *walker)
{
	uint64_t	base = body_base(walker->finding->paths->facts);
	uint64_t	digits = 0;

	for (int i = 0; i < walker->depth; i++)
		digits = digits * base + (uint64_t) walker->atom[i] + 1;
	digits *= walker->finding->near_power;
	for (int32_t i = walker->first[walker->entity[walker->depth]]; i != NOTHING; i = walker->half[i].next)
		if (!is_on_the_way(walker, walker->half[i].middle, walker->depth))
			see_body(walker, digits + walker->half[i].digits);
}

static void
arrive(Walker *walker)
{
	pool_yield_at(walker->finding->paths->pool, walker->thread, ++walker->steps);
	if (walker->storing)
		store(walker);
	else
		meet(walker);
}

/* Whether an edge is a path by itself, but not the fact that is looked at, read from either end. */
static bool
is_path(const Walker *walker, EvEdge edge)
{
	bool		reflexive = walker->entity[0] == walker->anchor;
	const Plan *plan = &walker->finding->now;

	return edge.other == walker->anchor &&
		(reflexive ? EV_RELATION(edge.atom) != plan->relation : edge.atom != EV_MIRRORED(plan->anchored));
}

/* Takes an edge, unless it leads to where the way has been. */
static bool
step(Walker *walker, EvEdge edge)
{
	bool		whole = walker->finding->now.length == 1;

	if (whole ? !is_path(walker, edge) :
		is_on_the_way(walker, edge.other, walker->depth + 1) || edge.other == walker->anchor)
		return false;
	walker->atom[walker->depth++] = edge.atom;
	walker->entity[walker->depth] = edge.other;
	return true;
}

static void
go_all_ways(Walker *walker, int steps)
{
	const EvFacts *facts = walker->finding->paths->facts;
	int32_t		entity = walker->entity[walker->depth];

	if (steps == 0)
	{
		arrive(walker);
		return;
	}
	for (int64_t i = facts->start[entity]; i < facts->start[entity + 1]; i++)
		if (step(walker, facts->edge[i]))
		{
			go_all_ways(walker, steps - 1);
			walker->depth--;
		}
}

static void
go_some_ways(Walker *walker, int steps, double ways, uint64_t stream)
{
	const EvFacts *facts = walker->finding->paths->facts;
	uint64_t	draw = 0;

	for (int64_t i = 0; i < (int64_t) ways; i++)
	{
		for (walker->depth = 0; walker->depth < steps; draw++)
		{
			int32_t		entity = walker->entity[walker->depth];
			uint64_t	degree = (uint64_t) (facts->start[entity + 1] - facts->start[entity]);
			uint32_t	edge = random_below(random_bits(stream, draw), degree);

			if (!step(walker, facts->edge[facts->start[entity] + edge]))
				break;
		}
		if (walker->depth == steps)
			arrive(walker);
	}
}

static double
ways_allowed(const Walker *walker, int steps)
{
	double		ways = steps < 2 ? INFINITY : walker->finding->now.ways;

	return walker->storing ? fmin(ways, STORED_WAYS) : ways;
}

/* number: of this start, among those of the same kind */
static void
go(Walker *walker, int32_t entity, int steps, int64_t number)
{
	const Finding *finding = walker->finding;
	double		ways = ways_allowed(walker, steps);
	uint64_t	kind = (uint64_t) finding->now.relation << 8 | (uint64_t) finding->now.length << 1 | walker->storing;

	walker->depth = 0;
	walker->entity[0] = entity;
	if (finding->ways[steps][entity] <= ways)
		go_all_ways(walker, steps);
	else
		go_some_ways(walker, steps, ways,
					 random_stream(finding->paths->search->seed, DRAW_PATH, kind, (uint64_t) number));
}

static void
store_halves(Walker *walker, int32_t anchor, int steps)
{
	walker->anchor = anchor;
	walker->storing = true;
	go(walker, anchor, steps, anchor);
	walker->storing = false;
}

static void
forget_halves(Walker *walker)
{
	for (int64_t i = 0; i < walker->halves; i++)
		walker->first[walker->half[i].end] = NOTHING;
	walker->halves = 0;
}

static bool
is_looked_at(const Finding *finding, int64_t fact)
{
	const Plan *plan = &finding->now;
	uint64_t	stream = random_stream(finding->paths->search->seed, DRAW_FACT,
									(uint64_t) plan->length, (uint64_t) plan->relation);

	return plan->facts >= 1 || random_open(random_bits(stream, (uint64_t) fact)) < plan->facts;
}

static void
find_item(void *argument, int64_t number, int thread)
{
	Finding    *finding = argument;
	const EvFacts *facts = finding->paths->facts;
	Walker	   *walker = &finding->walker[thread];
	Item		item = finding->item[number];
	int			near_steps = finding->now.length / 2;

	if (paths_late(finding->paths))
		return;
	for (int64_t i = item.facts.first; i < item.facts.end; i++)
	{
		int32_t		other = facts->edge[i].other;

		if (!is_looked_at(finding, i))
			continue;
		if (walker->halves == 0)
			store_halves(walker, item.anchor, near_steps);
		walker->fact++;
		walker->seen_count = 0;
		go(walker, other, finding->now.length - near_steps, i);
	}
	forget_halves(walker);
}

/* ---- the bodies of a relation ------------------------------------------------- */

static int64_t
make_items(Finding *finding)
{
	const EvFacts *facts = finding->paths->facts;
	int32_t		atom = finding->now.anchored;
	int64_t		items = 0;

	for (int64_t i = facts->holders[atom]; i < facts->holders[atom + 1]; i++)
	{
		EvHolder	holder = facts->holder[i];
		int64_t		last = ev_group_end(facts, holder.entity, holder.first);

		for (int64_t first = holder.first; first < last; first += ITEM_FACTS)
		{
			int64_t		end = first + ITEM_FACTS < last ? first + ITEM_FACTS : last;

			finding->item[items++] = (Item) {holder.entity, {first, end}};
		}
	}
	return items;
}

static int64_t
count_from(const Finding *finding, int64_t least)
{
	int64_t		found = 0;

	for (int64_t i = 0; i < finding->used_count; i++)
	{
		found += finding->slot[finding->used[i]].count >= least;
		pool_yield_at(finding->paths->pool, POOL_LEADER, i);
	}
	return found;
}

/* The least count from which on there are no more than so many: those of one count are all taken, or none. */
static int64_t
least_count(const Finding *finding, int64_t quota)
{
	int64_t		low = finding->paths->search->min_support;
	int64_t		high = (int64_t) INT32_MAX + 1;

	while (low < high)
	{
		int64_t		middle = low + (high - low) / 2;

		if (count_from(finding, middle) <= quota)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The body that a counted path is: from X to Y. */
static uint64_t
oriented(const Finding *finding, uint64_t number)
{
	const EvFacts *facts = finding->paths->facts;
	Body		body = body_of(facts, number);

	if (finding->now.anchored == EV_FORWARDS(finding->now.relation))
		body = body_mirrored(&body);
	return body_number(facts, &body);
}

static void
take_candidates(Finding *finding, int64_t quota)
{
	Paths	   *paths = finding->paths;
	int64_t		least = least_count(finding, quota);

	for (int64_t i = 0; i < finding->used_count; i++)
	{
		Slot	   *slot = &finding->slot[finding->used[i]];

		if (slot->count >= least)
			paths->candidate[paths->candidates++] = (Candidate) {.body = oriented(finding, slot->body),
			.relation = finding->now.relation,.support = slot->count,.complete = isinf(finding->now.ways)};
		pool_yield_at(paths->pool, POOL_LEADER, i);
	}
}

static void
find_part(Finding *finding, int64_t items, uint64_t part, uint64_t parts, int64_t quota)
{
	bool		full;

	finding->part = part;
	finding->parts = parts;
	pool_run(finding->paths->pool, items, find_item, finding);
	full = finding->full;
	if (!full)
		take_candidates(finding, quota);
	clear_table(finding);
	if (full)
	{
		find_part(finding, items, part, 2 * parts, quota / 2);
		find_part(finding, items, part + parts, 2 * parts, quota / 2);
	}
}

/* ---- what may be spent on each relation ------------------------------------------ */

/* The only item */
static void
count_ways(void *argument, int64_t item, int thread)
{
	Finding    *finding = argument;
	const EvFacts *facts = finding->paths->facts;

	(void) item;
	for (int32_t i = 0; i < facts->entities; i++)
	{
		double		part = (double) (facts->start[i + 1] - facts->start[i]) / (double) facts->edges;

		finding->ways[0][i] = 1;
		finding->pairing += part * part;
	}
	for (int k = 0; k <= FAR_STEPS; k++)
	{
		for (int32_t d = 0; d < 2 * facts->relations; d++)
			finding->fact_ways[k][d] = 0;
		for (int32_t i = 0; i < facts->entities; i++)
		{
			double		sum = 0;

			for (int64_t j = facts->start[i]; j < facts->start[i + 1]; j++)
			{
				finding->fact_ways[k][facts->edge[j].atom] += finding->ways[k][i];
				sum += finding->ways[k][facts->edge[j].other];
			}
			if (k < FAR_STEPS)
				finding->ways[k + 1][i] = sum;
			pool_yield_at(finding->paths->pool, thread, i);
		}
	}
	for (int k = 0; k <= NEAR_STEPS; k++)
		for (int32_t d = 0; d < 2 * facts->relations; d++)
		{
			finding->anchor_ways[k][d] = 0;
			for (int64_t i = facts->holders[d]; i < facts->holders[d + 1]; i++)
				finding->anchor_ways[k][d] += finding->ways[k][facts->holder[i].entity];
		}
}

/* The pairs of ways of a relation's facts that will meet, as if ways ended at random edges. */
static double
meetings_of(const Finding *finding, int length, int32_t anchored)
{
	const EvFacts *facts = finding->paths->facts;
	const double *near = finding->ways[length / 2];
	const double *far = finding->ways[length - length / 2];
	double		pairs = 0;

	for (int64_t i = facts->holders[anchored]; i < facts->holders[anchored + 1]; i++)
	{
		EvHolder	holder = facts->holder[i];
		int64_t		end = ev_group_end(facts, holder.entity, holder.first);

		for (int64_t j = holder.first; j < end; j++)
			pairs += near[holder.entity] * far[facts->edge[j].other];
		pool_yield_at(finding->paths->pool, POOL_LEADER, i);
	}
	return pairs * finding->pairing;
}

static double
cost_of(const Finding *finding, int length, int32_t anchored)
{
	int			near_steps = length / 2;

	return meetings_of(finding, length, anchored) +
		finding->fact_ways[length - near_steps][EV_MIRRORED(anchored)] +
		finding->anchor_ways[near_steps][anchored] +
		finding->fact_ways[near_steps][anchored] / ITEM_FACTS;
}

static int
compare_plans(const void *a, const void *b)
{
	const Plan *left = a;
	const Plan *right = b;

	if (left->cost != right->cost)
		return left->cost < right->cost ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

/* The relations, the cheapest first */
static void
make_plans(Finding *finding, int length)
{
	for (int32_t r = 0; r < finding->paths->facts->relations; r++)
	{
		int32_t		forwards = EV_FORWARDS(r);
		double		from_heads = cost_of(finding, length, forwards);
		double		from_tails = cost_of(finding, length, EV_MIRRORED(forwards));

		finding->plan[r] = (Plan) {.relation = r,.length = length,.facts = 1,.ways = INFINITY};
		finding->plan[r].anchored = from_heads < from_tails ? forwards : EV_MIRRORED(forwards);
		finding->plan[r].cost = fmin(from_heads, from_tails);
	}
	qsort(finding->plan, (size_t) finding->paths->facts->relations, sizeof(Plan), compare_plans);
}

/* Leaves out what would cost more. */
static void
bound_plan(const Finding *finding, Plan *plan, double work)
{
	double		facts = finding->fact_ways[0][plan->anchored];
	double		drawn = fmin(facts, DRAWN_FACTS);

	if (plan->cost <= work || plan->length < 3)
		return;
	plan->facts = drawn / facts;
	/* 2 ways + pairing * ways * ways = work of a fact */
	plan->ways = fmax(1, floor(work / drawn / (1 + sqrt(1 + finding->pairing * work / drawn))));
}

void
find_candidates(Finding *finding)
{
	Paths	   *paths = finding->paths;
	int32_t		relations = paths->facts->relations;
	double		work = paths->work;

	make_plans(finding, paths->length);
	finding->near_power = 1;
	for (int i = 0; i < paths->length / 2; i++)
		finding->near_power *= body_base(paths->facts);
	paths->candidates = 0;
	for (int32_t i = 0; i < relations && !paths_late(paths); i++)
	{
		double		share = work / (relations - i);

		finding->now = finding->plan[i];
		bound_plan(finding, &finding->now, share);
		work -= fmin(finding->now.cost, share);
		find_part(finding, make_items(finding), 0, 1, (paths->room - paths->candidates) / (relations - i));
	}
}

static void
take_walker(Walker *walker, Allocation *allocation, const EvFacts *facts)
{
	walker->half = TAKE(allocation, Half, STORED_WAYS);
	walker->first = TAKE(allocation, int32_t, (size_t) facts->entities);
	walker->seen = TAKE(allocation, uint64_t, SEEN_SLOTS);
	walker->seen_by = TAKE(allocation, uint32_t, SEEN_SLOTS);
}

static void
take_finding(Finding *finding, Allocation *allocation, const EvFacts *facts, int threads)
{
	size_t		entities = (size_t) facts->entities;
	size_t		relations = (size_t) facts->relations;
	Walker		walker;

	for (int k = 0; k <= FAR_STEPS; k++)
	{
		finding->ways[k] = TAKE(allocation, double, entities);
		finding->fact_ways[k] = TAKE(allocation, double, 2 * relations);
	}
	for (int k = 0; k <= NEAR_STEPS; k++)
		finding->anchor_ways[k] = TAKE(allocation, double, 2 * relations);
	finding->plan = TAKE(allocation, Plan, relations);
	finding->item = TAKE(allocation, Item, (size_t) facts->edges / 2);
	finding->slot = TAKE(allocation, Slot, (size_t) finding->slots);
	finding->used = TAKE(allocation, int32_t, (size_t) used_room(finding) + MAX_THREADS);
	finding->walker = TAKE(allocation, Walker, (size_t) threads);
	for (int i = 0; i < threads; i++)
		take_walker(allocation->base == NULL ? &walker : &finding->walker[i], allocation, facts);
}

static void
begin_walker(Walker *walker, Finding *finding, int thread)
{
	walker->finding = finding;
	walker->thread = thread;
	walker->storing = false;
	walker->steps = 0;
	walker->halves = 0;
	for (int32_t i = 0; i < finding->paths->facts->entities; i++)
		walker->first[i] = NOTHING;
	walker->fact = 0;
	memset(walker->seen_by, 0, SEEN_SLOTS * sizeof(uint32_t));
}

size_t
finding_bytes(const Paths *paths, int threads)
{
	Finding		finding = {.slots = slots_for(paths)};
	Allocation	allocation = {0};

	take_finding(&finding, &allocation, paths->facts, threads);
	return sizeof(Finding) + allocation_bytes(&allocation);
}

Finding *
finding_open(Arena *arena, Paths *paths)
{
	Finding    *finding = arena->allocate(arena->context, sizeof(Finding));
	int			threads = pool_threads(paths->pool);
	Allocation	allocation = {0};

	if (finding == NULL)
		return NULL;
	*finding = (Finding) {.paths = paths,.slots = slots_for(paths)};
	take_finding(finding, &allocation, paths->facts, threads);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_finding(finding, &allocation, paths->facts, threads);
	memset(finding->slot, 0, (size_t) finding->slots * sizeof(Slot));
	for (int i = 0; i < threads; i++)
		begin_walker(&finding->walker[i], finding, i);
	pool_run(paths->pool, 1, count_ways, finding);
	return finding;
}
