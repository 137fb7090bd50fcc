/*
 * path_search.c
 *		The bodies that connect the two entities of facts.
 *
 * The facts of a relation are grouped by one of their entities, the anchor.  Half-paths from the anchor, half
 * as long as the body or half a step less, are stored by the entity where they end.  Half-paths from the
 * other entity of each fact are joined with those stored for the entity where they end.  Where there are
 * too many for the allowed work, some facts are drawn, and some half-paths of each side.
 *
 * What a relation costs is estimated from numbers of walks, which may pass an entity several times: those of k + 1
 * steps from an entity are the sum of those of k steps from its neighbours.  A relation is searched from its heads
 * or from its tails, whichever costs less.
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
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

#define FAR_STEPS 3				/* the longer half of the longest path */
#define NEAR_STEPS 2
#define ITEM_FACTS 64			/* facts of an anchor that one item takes */
#define DRAWN_FACTS 1000		/* facts of a relation, where not all can be searched */
#define STORED_HALVES 65536		/* half-paths of an anchor; of more, some are drawn */
#define SEEN_SLOTS 65536		/* a power of two; for the bodies of one fact, up to 3/4 of it */
#define WORK_OF_SLOT 64			/* a body is found several times */
#define MAX_SLOTS (INT64_C(1) << 22)
#define CLEARED_AT_ONCE (1 << 16)	/* slots between two calls of pool_yield */
#define MAX_THREADS 1024		/* of a pool: each may add one more body to a full table */

/* How the bodies of one length are searched for a relation */
typedef struct PathPlan
{
	int32_t		relation;
	int			length;
	int32_t		anchored;		/* the atom of its facts from the anchor */
	double		cost;			/* half-paths and joins, if all are taken */
	double		facts;			/* the part of the facts that is searched */
	double		halves;			/* half-paths of each side, at most */
} PathPlan;

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
	int32_t		entity[FAR_STEPS + 1];
	int32_t		atom[FAR_STEPS];
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
	double	   *walks[FAR_STEPS + 1];	/* by entity: walks of that many steps from it */
	double	   *fact_walks[FAR_STEPS + 1];	/* by atom: their sum over its edges */
	double	   *anchor_walks[NEAR_STEPS + 1];	/* by atom: their sum over its anchors */
	double		join_probability;	/* that two random edges lead to one entity */
	PathPlan   *plan;			/* of each relation, the cheapest first */
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

/* ---- plans ------------------------------------------------------------------------ */

/* The only item */
static void
count_walks(void *argument, int64_t item, int thread)
{
	PathSearch *search = argument;
	const FactIndex *facts = search->task->facts;
	Pool	   *pool = search->task->pool;

	/* 1. no step */
	search->join_probability = 0;
	for (int32_t i = 0; i < facts->entities; i++)
	{
		double		part = (double) (facts->start[i + 1] - facts->start[i]) / (double) facts->edges;

		search->walks[0][i] = 1;
		search->join_probability += part * part;
	}

	/* 2. the walks of k steps from the edges of each atom, and those of k + 1 from each entity */
	for (int k = 0; k <= FAR_STEPS; k++)
	{
		for (int32_t d = 0; d < 2 * facts->relations; d++)
			search->fact_walks[k][d] = 0;
		for (int32_t i = 0; i < facts->entities; i++)
		{
			double		sum = 0;

			for (int64_t j = facts->start[i]; j < facts->start[i + 1]; j++)
			{
				search->fact_walks[k][facts->edge[j].atom] += search->walks[k][i];
				sum += search->walks[k][facts->edge[j].other];
			}
			if (k < FAR_STEPS)
				search->walks[k + 1][i] = sum;
			pool_yield_at(pool, thread, i);
		}
	}

	/* 3. from the anchors of each atom */
	for (int k = 0; k <= NEAR_STEPS; k++)
		for (int32_t d = 0; d < 2 * facts->relations; d++)
		{
			search->anchor_walks[k][d] = 0;
			for (int64_t i = facts->holders[d]; i < facts->holders[d + 1]; i++)
			{
				pool_yield_at(pool, thread, i);
				search->anchor_walks[k][d] += search->walks[k][fact_holder(facts, i)];
			}
		}
}

/* What the search from the anchors of an atom costs. */
static double
cost_of(const PathSearch *search, int length, int32_t anchored)
{
	const FactIndex *facts = search->task->facts;
	int			near_steps = length / 2;
	const double *near = search->walks[near_steps];
	const double *far = search->walks[length - near_steps];
	double		pairs = 0;

	/* joined half-paths over the facts of the relation, as if each ended at a random edge */
	for (int64_t i = facts->holders[anchored]; i < facts->holders[anchored + 1]; i++)
	{
		int32_t		holder = fact_holder(facts, i);
		FactGroup	group = fact_group_at(facts, facts->holder[i]);

		for (int64_t j = group.first; j < group.end; j++)
			pairs += near[holder] * far[facts->edge[j].other];
		pool_yield_at(search->task->pool, POOL_LEADER, i);
	}
	return pairs * search->join_probability +
		search->fact_walks[length - near_steps][MIRRORED(anchored)] +
		search->anchor_walks[near_steps][anchored] +
		search->fact_walks[near_steps][anchored] / ITEM_FACTS;
}

static int
compare_plans(const void *a, const void *b)
{
	const PathPlan *left = a;
	const PathPlan *right = b;

	if (left->cost != right->cost)
		return left->cost < right->cost ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

/* Makes the plans for a length, the cheapest first, each for all there is. */
static void
make_plans(PathSearch *search, int length)
{
	int32_t		relations = search->task->facts->relations;

	for (int32_t r = 0; r < relations; r++)
	{
		double		from_heads = cost_of(search, length, FORWARDS(r));
		double		from_tails = cost_of(search, length, MIRRORED(FORWARDS(r)));

		search->plan[r] = (PathPlan) {
			.relation = r,
			.length = length,
			.anchored = FORWARDS(r) + !(from_heads < from_tails),
			.cost = fmin(from_heads, from_tails),
			.facts = 1,
			.halves = INFINITY
		};
	}
	qsort(search->plan, (size_t) relations, sizeof(PathPlan), compare_plans);
}

/* ---- the table of counts --------------------------------------------------------- */

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

/*
 * Takes an edge, unless it leads to an entity that the half-path has visited.  One that is the whole path must not be
 * the fact itself, read from either end.
 */
static bool
step(PathWalker *walker, FactEdge edge)
{
	const PathPlan *plan = &walker->search->now;

	if (plan->length == 1)
	{
		bool		reflexive = walker->entity[0] == walker->anchor;

		if (edge.other != walker->anchor ||
			(reflexive ? RELATION_OF(edge.atom) == plan->relation : edge.atom == MIRRORED(plan->anchored)))
			return false;
	}
	else if (is_visited(walker, edge.other, walker->depth + 1) || edge.other == walker->anchor)
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

/* The half-paths from an entity; `number`: of this start, among those of the same kind, which numbers its draws. */
static void
walk(PathWalker *walker, int32_t entity, int steps, int64_t number)
{
	PathSearch *search = walker->search;
	double		halves = steps < 2 ? INFINITY : search->now.halves;
	uint64_t	kind = (uint64_t) search->now.relation << 8 | (uint64_t) search->now.length << 1 | walker->storing;

	if (walker->storing)
		halves = fmin(halves, STORED_HALVES);
	walker->depth = 0;
	walker->entity[0] = entity;
	if (search->walks[steps][entity] <= halves)
	{
		walk_all(walker, steps);
		return;
	}
	atomic_store_explicit(&search->limited, true, memory_order_relaxed);
	walk_some(walker, steps, halves, random_stream(search->task->search->seed, DRAW_PATH, kind, (uint64_t) number));
}

/* Item: some facts of an anchor. */
static void
search_item(void *argument, int64_t number, int thread)
{
	PathSearch *search = argument;
	const FactIndex *facts = search->task->facts;
	const PathPlan *plan = &search->now;
	PathWalker *walker = &search->walker[thread];
	PathItem	item = search->item[number];
	int			near_steps = plan->length / 2;
	uint64_t	stream = random_stream(search->task->search->seed, DRAW_FACT,
									   (uint64_t) plan->length, (uint64_t) plan->relation);

	if (path_task_late(search->task))
		return;
	for (int64_t i = item.facts.first; i < item.facts.end; i++)
	{
		if (plan->facts < 1 && random_open(random_bits(stream, (uint64_t) i)) >= plan->facts)
			continue;

		/* 1. half-paths from the anchor are stored, once */
		if (walker->halves == 0)
		{
			walker->anchor = item.anchor;
			walker->storing = true;
			walk(walker, item.anchor, near_steps, item.anchor);
			walker->storing = false;
		}

		/* 2. those from the other entity are joined with them */
		walker->fact++;
		walker->seen_count = 0;
		walk(walker, facts->edge[i].other, plan->length - near_steps, i);
	}
	for (int64_t i = 0; i < walker->halves; i++)
		walker->first[walker->half[i].end] = NOTHING;
	walker->halves = 0;
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
		for (int64_t first = group.first; first < group.end; first += ITEM_FACTS)
		{
			int64_t		end = first + ITEM_FACTS < group.end ? first + ITEM_FACTS : group.end;

			search->item[items++] = (PathItem) {fact_holder(facts, i), {first, end}};
		}
	}
	return items;
}

/*
 * Makes candidates of the bodies that most facts have, at most `quota`, and none below the least support: those of one
 * count are all taken, or none.
 */
static void
add_candidates(PathSearch *search, int64_t quota)
{
	PathTask   *task = search->task;
	const FactIndex *facts = task->facts;
	int64_t		least = task->search->min_support;
	int64_t		high = (int64_t) INT32_MAX + 1;

	/* 1. the least count from which on no more than the quota are left */
	while (least < high)
	{
		int64_t		middle = least + (high - least) / 2;
		int64_t		found = 0;

		for (int64_t i = 0; i < search->used_count; i++)
		{
			found += search->slot[search->used[i]].count >= middle;
			pool_yield_at(task->pool, POOL_LEADER, i);
		}
		if (found <= quota)
			high = middle;
		else
			least = middle + 1;
	}

	/* 2. these; bodies were counted from the other entity to the anchor, and read from X to Y */
	for (int64_t i = 0; i < search->used_count; i++)
	{
		BodyCount  *slot = &search->slot[search->used[i]];
		uint64_t	body = slot->body;

		pool_yield_at(task->pool, POOL_LEADER, i);
		if (slot->count < least)
			continue;
		if (search->now.anchored == FORWARDS(search->now.relation))
		{
			RelationPath mirrored = path_body(facts, body);

			mirrored = path_body_mirrored(&mirrored);
			body = path_body_number(facts, &mirrored);
		}
		task->candidate[task->candidates++] = (PathCandidate) {
			.body = body,
			.relation = search->now.relation,
			.support = slot->count,
			.complete = !search->limited,
			.left = (int32_t) search->fact_walks[0][search->now.anchored]
		};
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
	for (int64_t i = 0; i < search->used_count; i++)
	{
		search->slot[search->used[i]].body = 0;
		search->slot[search->used[i]].count = 0;
		pool_yield_at(search->task->pool, POOL_LEADER, i);
	}
	search->used_count = 0;
	search->full = false;
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

	make_plans(search, task->length);
	search->near_power = 1;
	for (int i = 0; i < task->length / 2; i++)
		search->near_power *= path_body_base(task->facts);
	task->candidates = 0;
	for (int32_t i = 0; i < relations && !path_task_late(task); i++)
	{
		PathPlan   *now = &search->now;
		double		share = work / (relations - i);

		*now = search->plan[i];
		/* a sample, where all would cost more; of h half-paths of each side: 2 h + join_probability * h * h for a fact */
		if (now->cost > share && now->length >= 3)
		{
			double		facts = search->fact_walks[0][now->anchored];
			double		drawn = fmin(facts, DRAWN_FACTS);

			now->facts = drawn / facts;
			now->halves = fmax(1, floor(share / drawn / (1 + sqrt(1 + search->join_probability * share / drawn))));
		}
		work -= fmin(now->cost, share);
		search->limited = !isinf(now->halves);
		search_part(search, make_items(search), 0, 1, (task->room - task->candidates) / (relations - i));
	}
}

/* ---- memory ------------------------------------------------------------------------ */

PathSearch *
path_search_take(PathTask *task, int threads, Allocation *allocation)
{
	const FactIndex *facts = task->facts;
	size_t		entities = (size_t) facts->entities;
	size_t		relations = (size_t) facts->relations;
	double		bodies = pow((double) path_body_base(facts), task->search->length);
	double		slots = fmin(2 * bodies, task->search->work / WORK_OF_SLOT);
	PathSearch *taken = TAKE(allocation, PathSearch, 1);
	PathSearch	search = {.task = task,.slots = 64};

	while (search.slots < MAX_SLOTS && (double) search.slots < slots)
		search.slots *= 2;
	for (int k = 0; k <= FAR_STEPS; k++)
	{
		search.walks[k] = TAKE(allocation, double, entities);
		search.fact_walks[k] = TAKE(allocation, double, 2 * relations);
	}
	for (int k = 0; k <= NEAR_STEPS; k++)
		search.anchor_walks[k] = TAKE(allocation, double, 2 * relations);
	search.plan = TAKE(allocation, PathPlan, relations);
	search.item = TAKE(allocation, PathItem, (size_t) facts->edges / 2);
	search.slot = TAKE(allocation, BodyCount, (size_t) search.slots);
	search.used = TAKE(allocation, int32_t, (size_t) used_room(&search) + MAX_THREADS);
	search.walker = TAKE(allocation, PathWalker, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		PathWalker	walker = {
			.search = taken,.thread = i,
			.half = TAKE(allocation, HalfPath, STORED_HALVES),
			.first = TAKE(allocation, int32_t, entities),
			.seen = TAKE(allocation, uint64_t, SEEN_SLOTS),
			.seen_by = TAKE(allocation, uint32_t, SEEN_SLOTS)
		};

		if (search.walker != NULL)
			search.walker[i] = walker;
	}
	if (taken != NULL)
		*taken = search;
	return taken;
}

void
path_search_open(PathSearch *search)
{
	const PathTask *task = search->task;

	for (int64_t i = 0; i < search->slots; i += CLEARED_AT_ONCE)
	{
		int64_t		rest = search->slots - i;

		memset(search->slot + i, 0, (size_t) (rest < CLEARED_AT_ONCE ? rest : CLEARED_AT_ONCE) * sizeof(BodyCount));
		pool_yield(task->pool, POOL_LEADER);
	}
	for (int i = 0; i < pool_threads(task->pool); i++)
	{
		PathWalker *walker = &search->walker[i];

		for (int32_t e = 0; e < task->facts->entities; e++)
		{
			walker->first[e] = NOTHING;
			pool_yield_at(task->pool, POOL_LEADER, e);
		}
		memset(walker->seen_by, 0, SEEN_SLOTS * sizeof(uint32_t));
	}
	pool_run(task->pool, 1, count_walks, search);
}
