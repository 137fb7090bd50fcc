/*
 * path_search.c
 *		The bodies that connect the two entities of facts.
 *
 * The facts of a relation are grouped by one of their entities, the anchor.  Half-paths from the anchor, half
 * as long as the body or half a step less, are stored by the entity where they end.  Half-paths from the
 * other entity of each fact are joined with those stored for the entity where they end.  Where there are
 * too many for the allowed work, some facts are drawn, and some half-paths of each side (path_plan.c).
 *
 * Each body counts once for a fact.  The counts are in a hash table to which all threads add: which slot a
 * body gets depends on the threads, its count does not.  When a relation has more bodies than the table
 * holds, they are counted in two parts, and each of these in two again, if need be.
 *
 * Threads yield after every some thousand half-paths, the leader in its loops over the table.
 */
#include "path_task.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/random.h"

#define STORED_HALVES 65536		/* half-paths of an anchor; of more, some are drawn */
#define SEEN_SLOTS 65536		/* a power of two; for the bodies of one fact, up to 3/4 of it */
#define WORK_OF_SLOT 64			/* a body is found several times */
#define MAX_SLOTS (INT64_C(1) << 22)
#define CLEARED_AT_ONCE (1 << 16)	/* slots between two calls of pool_yield */
#define MAX_THREADS 1024		/* of a pool: each may add one more body to a full table */

/* A path from the anchor */
typedef struct HalfPath
{
	int32_t		next;			/* another one to the same end */
	int32_t		end;
	int32_t		middle;
	uint64_t	digits;			/* of its atoms, read towards the anchor */
} HalfPath;

#define STEPS_AT_ONCE 4096		/* before a thread yields */
#define NOTHING (-1)			/* in place of a half-path or an entity */

/* A thread's: the half-path at hand, those stored, and the bodies seen */
typedef struct PathWalker
{
	CACHE_ALIGNED PathSearch *search;
	int			thread;
	int32_t		anchor;
	bool		storing;		/* from the anchor; else from the other entity */
	int			depth;
	int32_t		entity[PATH_FAR_STEPS + 1];
	int32_t		atom[PATH_FAR_STEPS];
	int64_t		steps;

	int64_t		halves;
	HalfPath   *half;
	int32_t    *first;			/* by entity: a half-path that ends there */

	uint64_t   *seen;			/* bodies of this fact */
	uint32_t   *seen_by;		/* which fact wrote the slot */
	uint32_t	fact;
	int			seen_count;
} PathWalker;

/* Some facts of an anchor */
typedef struct PathItem
{
	int32_t		anchor;
	FactGroup	facts;
} PathItem;

typedef struct BodyCount
{
	_Atomic uint64_t body;		/* 0: free */
	_Atomic int32_t count;
} BodyCount;

struct PathSearch
{
	PathTask   *task;
	PathWalker *walker;			/* of each thread */
	PathPlanner planner;
	PathItem   *item;

	/* what is being counted */
	PathPlan	now;
	uint64_t	near_power;		/* the base to the power of the steps from the anchor */
	uint64_t	part;			/* of the bodies: those whose hash is this modulo parts */
	uint64_t	parts;
	int64_t		slots;			/* a power of two */
	BodyCount  *slot;
	int32_t    *used;			/* slots in use */
	_Atomic int64_t used_count;
	atomic_bool full;
	atomic_bool limited;		/* of a fact not all paths or bodies were looked at, though the plan is for all */
};

/* ---- the table of counts --------------------------------------------------------- */

static int64_t
slots_for(const PathTask *task)
{
	double		bodies = pow((double) path_body_base(task->facts), task->search->length);
	double		needed = fmin(2 * bodies, task->search->work / WORK_OF_SLOT);
	int64_t		slots = 64;

	while (slots < MAX_SLOTS && (double) slots < needed)
		slots *= 2;
	return slots;
}

static int64_t
used_room(const PathSearch *search)
{
	return search->slots / 4 * 3;
}

static void
count_body(PathSearch *search, uint64_t body)
{
	uint64_t	hash = random_mix(body);
	int64_t		place = (int64_t) (hash & (uint64_t) (search->slots - 1));

	if ((hash >> 32) % search->parts != search->part)
		return;
	for (;; place = (place + 1) & (search->slots - 1))
	{
		BodyCount  *slot = &search->slot[place];
		uint64_t	there = atomic_load_explicit(&slot->body, memory_order_relaxed);

		if (there == 0)
		{
			if (atomic_load_explicit(&search->full, memory_order_relaxed))
				return;
			if (atomic_compare_exchange_strong(&slot->body, &there, body))
			{
				int64_t		used = atomic_fetch_add(&search->used_count, 1);

				/* full if and only if the bodies are too many, in whatever order they come */
				search->used[used] = (int32_t) place;
				if (used >= used_room(search))
					atomic_store(&search->full, true);
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
clear_table(PathSearch *search)
{
	for (int64_t i = 0; i < search->used_count; i++)
	{
		search->slot[search->used[i]].body = 0;
		search->slot[search->used[i]].count = 0;
		pool_yield_at(search->task->pool, POOL_LEADER, i);
	}
	search->used_count = 0;
	search->full = false;
}

/* ---- the paths of a fact ---------------------------------------------------------- */

/* Counts a body of this fact, once. */
static void
count_once(PathWalker *walker, uint64_t body)
{
	uint64_t	place = random_mix(body) % SEEN_SLOTS;

	for (; walker->seen_by[place] == walker->fact; place = (place + 1) % SEEN_SLOTS)
		if (walker->seen[place] == body)
			return;
	if (walker->seen_count >= SEEN_SLOTS / 4 * 3)
	{
		atomic_store_explicit(&walker->search->limited, true, memory_order_relaxed);
		return;
	}
	walker->seen_count++;
	walker->seen[place] = body;
	walker->seen_by[place] = walker->fact;
	count_body(walker->search, body);
}

/* Whether an entity is among the first `depth` of the half-path. */
static bool
is_visited(const PathWalker *walker, int32_t entity, int depth)
{
	for (int i = 0; i < depth; i++)
		if (walker->entity[i] == entity)
			return true;
	return false;
}

static void
store_half(PathWalker *walker)
{
	uint64_t	base = path_body_base(walker->search->task->facts);
	HalfPath   *half = &walker->half[walker->halves];

	half->end = walker->entity[walker->depth];
	half->middle = walker->depth == 2 ? walker->entity[1] : NOTHING;
	half->digits = 0;
	for (int i = walker->depth - 1; i >= 0; i--)
		half->digits = half->digits * base + (uint64_t) MIRRORED(walker->atom[i]) + 1;
	half->next = walker->first[half->end];
	walker->first[half->end] = (int32_t) walker->halves++;
}

/* Yields after some thousand steps. */
static void
add_steps(PathWalker *walker, int64_t steps)
{
	walker->steps += steps;
	if (walker->steps < STEPS_AT_ONCE)
		return;
	walker->steps = 0;
	pool_yield(walker->search->task->pool, walker->thread);
}

/* Joins the half-path with those stored for its end, unless they visit an entity of it. */
static void
join_halves(PathWalker *walker)
{
	uint64_t	base = path_body_base(walker->search->task->facts);
	uint64_t	digits = 0;

	for (int i = 0; i < walker->depth; i++)
		digits = digits * base + (uint64_t) walker->atom[i] + 1;
	digits *= walker->search->near_power;
	for (int32_t i = walker->first[walker->entity[walker->depth]]; i != NOTHING; i = walker->half[i].next)
	{
		add_steps(walker, 1);
		if (!is_visited(walker, walker->half[i].middle, walker->depth))
			count_once(walker, digits + walker->half[i].digits);
	}
}

static void
end_half(PathWalker *walker)
{
	add_steps(walker, 1);
	if (walker->storing)
		store_half(walker);
	else
		join_halves(walker);
}

/* Whether an edge is a whole path, but not the fact itself, read from either end. */
static bool
is_path(const PathWalker *walker, FactEdge edge)
{
	bool		reflexive = walker->entity[0] == walker->anchor;
	const PathPlan *plan = &walker->search->now;

	return edge.other == walker->anchor &&
		(reflexive ? RELATION_OF(edge.atom) != plan->relation : edge.atom != MIRRORED(plan->anchored));
}

/* Takes an edge, unless it leads to an entity that the half-path has visited. */
static bool
step(PathWalker *walker, FactEdge edge)
{
	bool		whole = walker->search->now.length == 1;

	if (whole ? !is_path(walker, edge) :
		is_visited(walker, edge.other, walker->depth + 1) || edge.other == walker->anchor)
		return false;
	walker->atom[walker->depth++] = edge.atom;
	walker->entity[walker->depth] = edge.other;
	return true;
}

/* The last step of half-paths to be joined, by all edges.  Most lead to where no other half-path ends. */
static void
join_edges(PathWalker *walker)
{
	const FactIndex *facts = walker->search->task->facts;
	int32_t		entity = walker->entity[walker->depth];

	for (int64_t i = facts->start[entity]; i < facts->start[entity + 1]; i++)
		if (walker->first[facts->edge[i].other] != NOTHING && step(walker, facts->edge[i]))
		{
			join_halves(walker);
			walker->depth--;
		}
	add_steps(walker, facts->start[entity + 1] - facts->start[entity]);
}

static void
walk_all(PathWalker *walker, int steps)
{
	const FactIndex *facts = walker->search->task->facts;
	int32_t		entity = walker->entity[walker->depth];

	if (steps == 0)
	{
		end_half(walker);
		return;
	}
	if (steps == 1 && !walker->storing)
	{
		join_edges(walker);
		return;
	}
	for (int64_t i = facts->start[entity]; i < facts->start[entity + 1]; i++)
		if (step(walker, facts->edge[i]))
		{
			walk_all(walker, steps - 1);
			walker->depth--;
		}
}

/* Draws half-paths, some of which end early at an entity that they have visited. */
static void
walk_some(PathWalker *walker, int steps, double halves, uint64_t stream)
{
	const FactIndex *facts = walker->search->task->facts;
	uint64_t	draw = 0;

	for (int64_t i = 0; i < (int64_t) halves; i++)
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
			end_half(walker);
	}
}

static double
halves_allowed(const PathWalker *walker, int steps)
{
	double		halves = steps < 2 ? INFINITY : walker->search->now.halves;

	return walker->storing ? fmin(halves, STORED_HALVES) : halves;
}

/* The half-paths from an entity; `number`: of this start, among those of the same kind, which numbers its draws. */
static void
walk(PathWalker *walker, int32_t entity, int steps, int64_t number)
{
	PathSearch *search = walker->search;
	double		halves = halves_allowed(walker, steps);
	uint64_t	kind = (uint64_t) search->now.relation << 8 | (uint64_t) search->now.length << 1 | walker->storing;

	walker->depth = 0;
	walker->entity[0] = entity;
	if (search->planner.walks[steps][entity] <= halves)
	{
		walk_all(walker, steps);
		return;
	}
	atomic_store_explicit(&search->limited, true, memory_order_relaxed);
	walk_some(walker, steps, halves, random_stream(search->task->search->seed, DRAW_PATH, kind, (uint64_t) number));
}

static void
store_halves(PathWalker *walker, int32_t anchor, int steps)
{
	walker->anchor = anchor;
	walker->storing = true;
	walk(walker, anchor, steps, anchor);
	walker->storing = false;
}

static void
clear_halves(PathWalker *walker)
{
	for (int64_t i = 0; i < walker->halves; i++)
		walker->first[walker->half[i].end] = NOTHING;
	walker->halves = 0;
}

static bool
is_drawn(const PathSearch *search, int64_t fact)
{
	const PathPlan *plan = &search->now;
	uint64_t	stream = random_stream(search->task->search->seed, DRAW_FACT,
									   (uint64_t) plan->length, (uint64_t) plan->relation);

	return plan->facts >= 1 || random_open(random_bits(stream, (uint64_t) fact)) < plan->facts;
}

/* Item: some facts of an anchor. */
static void
search_item(void *argument, int64_t number, int thread)
{
	PathSearch *search = argument;
	const FactIndex *facts = search->task->facts;
	PathWalker *walker = &search->walker[thread];
	PathItem	item = search->item[number];
	int			near_steps = search->now.length / 2;

	if (path_task_late(search->task))
		return;
	for (int64_t i = item.facts.first; i < item.facts.end; i++)
	{
		int32_t		other = facts->edge[i].other;

		if (!is_drawn(search, i))
			continue;
		if (walker->halves == 0)
			store_halves(walker, item.anchor, near_steps);
		walker->fact++;
		walker->seen_count = 0;
		walk(walker, other, search->now.length - near_steps, i);
	}
	clear_halves(walker);
}

/* ---- the bodies of a relation ----------------------------------------------------- */

static int64_t
make_items(PathSearch *search)
{
	const FactIndex *facts = search->task->facts;
	int32_t		atom = search->now.anchored;
	int64_t		items = 0;

	for (int64_t i = facts->holders[atom]; i < facts->holders[atom + 1]; i++)
	{
		FactGroup	group = fact_group_at(facts, facts->holder[i]);

		pool_yield_at(search->task->pool, POOL_LEADER, i);
		for (int64_t first = group.first; first < group.end; first += PATH_ITEM_FACTS)
		{
			int64_t		end = first + PATH_ITEM_FACTS < group.end ? first + PATH_ITEM_FACTS : group.end;

			search->item[items++] = (PathItem) {fact_holder(facts, i), {first, end}};
		}
	}
	return items;
}

/* The bodies in the table with at least that count */
static int64_t
bodies_from(const PathSearch *search, int64_t least)
{
	int64_t		found = 0;

	for (int64_t i = 0; i < search->used_count; i++)
	{
		found += search->slot[search->used[i]].count >= least;
		pool_yield_at(search->task->pool, POOL_LEADER, i);
	}
	return found;
}

/* The least count from which on no more than `quota` bodies are left: those of one count are all taken, or none. */
static int64_t
least_count(const PathSearch *search, int64_t quota)
{
	int64_t		low = search->task->search->min_support;
	int64_t		high = (int64_t) INT32_MAX + 1;

	while (low < high)
	{
		int64_t		middle = low + (high - low) / 2;

		if (bodies_from(search, middle) <= quota)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The number of the body from X to Y, of one that was counted from the other entity to the anchor. */
static uint64_t
oriented(const PathSearch *search, uint64_t number)
{
	const FactIndex *facts = search->task->facts;
	RelationPath	body = path_body(facts, number);

	if (search->now.anchored == FORWARDS(search->now.relation))
		body = path_body_mirrored(&body);
	return path_body_number(facts, &body);
}

static void
add_candidates(PathSearch *search, int64_t quota)
{
	PathTask   *task = search->task;
	int64_t		least = least_count(search, quota);

	for (int64_t i = 0; i < search->used_count; i++)
	{
		BodyCount  *slot = &search->slot[search->used[i]];

		if (slot->count >= least)
			task->candidate[task->candidates++] = (PathCandidate) {
				.body = oriented(search, slot->body),
				.relation = search->now.relation,
				.support = slot->count,
				.complete = !search->limited,
				.left = (int32_t) search->planner.fact_walks[0][search->now.anchored]
			};
		pool_yield_at(task->pool, POOL_LEADER, i);
	}
}

/* Counts a part of the bodies of a relation; in two, when they are too many. */
static void
search_part(PathSearch *search, int64_t items, uint64_t part, uint64_t parts, int64_t quota)
{
	bool		full;

	search->part = part;
	search->parts = parts;
	pool_run(search->task->pool, items, search_item, search);
	full = search->full;
	if (!full)
		add_candidates(search, quota);
	clear_table(search);
	if (full)
	{
		search_part(search, items, part, 2 * parts, quota / 2);
		search_part(search, items, part + parts, 2 * parts, quota / 2);
	}
}

void
path_search_run(PathSearch *search)
{
	PathTask   *task = search->task;
	int32_t		relations = task->facts->relations;
	double		work = task->work;

	path_planner_run(&search->planner, task->length);
	search->near_power = 1;
	for (int i = 0; i < task->length / 2; i++)
		search->near_power *= path_body_base(task->facts);
	task->candidates = 0;
	for (int32_t i = 0; i < relations && !path_task_late(task); i++)
	{
		double		share = work / (relations - i);

		search->now = search->planner.plan[i];
		path_plan_limit(&search->planner, &search->now, share);
		work -= fmin(search->now.cost, share);
		search->limited = !isinf(search->now.halves);
		search_part(search, make_items(search), 0, 1, (task->room - task->candidates) / (relations - i));
	}
}

/* ---- memory ------------------------------------------------------------------------ */

static void
take_walker(PathWalker *walker, Allocation *allocation, const FactIndex *facts)
{
	walker->half = TAKE(allocation, HalfPath, STORED_HALVES);
	walker->first = TAKE(allocation, int32_t, (size_t) facts->entities);
	walker->seen = TAKE(allocation, uint64_t, SEEN_SLOTS);
	walker->seen_by = TAKE(allocation, uint32_t, SEEN_SLOTS);
}

PathSearch *
path_search_take(PathTask *task, int threads, Allocation *allocation)
{
	const FactIndex *facts = task->facts;
	PathSearch *taken = TAKE(allocation, PathSearch, 1);
	PathSearch	search = {.task = task,.planner = {.facts = facts,.pool = task->pool},.slots = slots_for(task)};

	path_planner_take(&search.planner, allocation);
	search.item = TAKE(allocation, PathItem, (size_t) facts->edges / 2);
	search.slot = TAKE(allocation, BodyCount, (size_t) search.slots);
	search.used = TAKE(allocation, int32_t, (size_t) used_room(&search) + MAX_THREADS);
	search.walker = TAKE(allocation, PathWalker, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		PathWalker	walker;

		take_walker(search.walker == NULL ? &walker : &search.walker[i], allocation, facts);
	}
	if (taken != NULL)
		*taken = search;
	return taken;
}

static void
open_walker(PathWalker *walker, PathSearch *search, int thread)
{
	walker->search = search;
	walker->thread = thread;
	walker->storing = false;
	walker->steps = 0;
	walker->halves = 0;
	for (int32_t i = 0; i < search->task->facts->entities; i++)
	{
		walker->first[i] = NOTHING;
		pool_yield_at(search->task->pool, POOL_LEADER, i);
	}
	walker->fact = 0;
	memset(walker->seen_by, 0, SEEN_SLOTS * sizeof(uint32_t));
}

void
path_search_open(PathSearch *search)
{
	for (int64_t i = 0; i < search->slots; i += CLEARED_AT_ONCE)
	{
		int64_t		rest = search->slots - i;

		memset(search->slot + i, 0, (size_t) (rest < CLEARED_AT_ONCE ? rest : CLEARED_AT_ONCE) * sizeof(BodyCount));
		pool_yield(search->task->pool, POOL_LEADER);
	}
	for (int i = 0; i < pool_threads(search->task->pool); i++)
		open_walker(&search->walker[i], search, i);
	path_planner_open(&search->planner);
}
