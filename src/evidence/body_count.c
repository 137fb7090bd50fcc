/*
 * body_count.c
 *		The pairs of bodies, counted on all threads (see body_count.h).
 *
 * PCA confidence needs the pairs whose entity on one side of the head has some fact of the head's relation.  So pairs
 * are counted for each entity, as x or as y, whichever the rules over the body need, and summed over the entities of
 * that side.
 */
#include "body_count.h"

#include "core/allocation.h"

/* The pairs of each entity at one end of a body */
typedef struct EndCounts
{
	bool		needed;
	int32_t    *pairs;			/* by entity */
	int32_t    *counted;		/* the entities that have any; room for one more */
	int32_t		count;
} EndCounts;

/* What a thread has */
typedef struct CountingThread
{
	const FactIndex *facts;
	EvJoin	   *join;
	EndCounts	end[2];			/* x, y */
	uint32_t   *mark;			/* by entity: the serial of the last rectangle whose y it was */
	uint32_t	serial;
	EvJoinTarget target;
	EvCountedBody *body;		/* the current one */
} CountingThread;

struct EvCounter
{
	Pool	   *pool;
	CountingThread *thread;

	/* one call of ev_count_bodies */
	EvCountedBody *body;
	EvSlice		slice;
};

static void
take_thread(CountingThread *thread, const FactIndex *facts, Allocation *allocation)
{
	size_t		entities = (size_t) facts->entities;

	for (int i = 0; i < 2; i++)
	{
		thread->end[i].pairs = TAKE(allocation, int32_t, entities);
		thread->end[i].counted = TAKE(allocation, int32_t, entities + 1);
	}
	thread->mark = TAKE(allocation, uint32_t, entities);
}

size_t
ev_count_bytes(const FactIndex *facts)
{
	CountingThread counted = {0};
	Allocation	allocation = {0};

	take_thread(&counted, facts, &allocation);
	return sizeof(CountingThread) + allocation_bytes(&allocation) + ev_join_bytes(facts);
}

static bool
open_thread(CountingThread *thread, Arena *arena, Pool *pool, const FactIndex *facts)
{
	Allocation	allocation = {0};

	*thread = (CountingThread) {.facts = facts,.join = ev_join(arena, pool, facts)};
	take_thread(thread, facts, &allocation);
	if (thread->join == NULL || !allocation_open(&allocation, arena))
		return false;
	take_thread(thread, facts, &allocation);
	for (int32_t e = 0; e < facts->entities; e++)
	{
		thread->end[0].pairs[e] = thread->end[1].pairs[e] = 0;
		thread->mark[e] = 0;
		pool_yield_at(pool, POOL_LEADER, e);
	}
	return true;
}

EvCounter *
ev_counter(Arena *arena, Pool *pool, const FactIndex *facts)
{
	int			threads = pool_threads(pool);
	EvCounter  *counter = arena_take(arena, sizeof(EvCounter));

	if (counter == NULL)
		return NULL;
	*counter = (EvCounter) {
		.pool = pool,.thread = arena_take(arena, (size_t) threads * sizeof(CountingThread))
	};
	if (counter->thread == NULL)
		return NULL;
	for (int i = 0; i < threads; i++)
		if (!open_thread(&counter->thread[i], arena, pool, facts))
			return NULL;
	return counter;
}

/* ---- rectangles ------------------------------------------------------------------- */

static void
add_pairs(EndCounts *end, const int32_t *entity, int32_t entities, int32_t pairs)
{
	if (!end->needed)
		return;
	for (int32_t i = 0; i < entities; i++)
	{
		end->counted[end->count] = entity[i];
		end->count += end->pairs[entity[i]] == 0;
		end->pairs[entity[i]] += pairs;
	}
}

/* By the facts of each x, whose tails are among y: the pairs may be a thousand times as many. */
static void
count_facts(CountingThread *thread, EvCountedRule *rule, const EvRectangle *pairs)
{
	const EvJoinTarget *target = &thread->target;
	const FactIndex *facts = thread->facts;

	for (int32_t i = 0; i < pairs->x_count; i++)
	{
		FactGroup	group = fact_group(facts, pairs->x[i], FORWARDS(rule->relation));

		for (int64_t k = group.first; k < group.end; k++)
			rule->facts += thread->mark[facts->edge[k].other] == thread->serial;
		pool_yield_at(target->pool, target->thread, i);
	}
}

static void
take_pairs(void *argument, const EvRectangle *pairs)
{
	CountingThread *thread = argument;
	EvCountedBody *body = thread->body;
	bool		marked = false;

	add_pairs(&thread->end[0], pairs->x, pairs->x_count, pairs->y_count);
	add_pairs(&thread->end[1], pairs->y, pairs->y_count, pairs->x_count);
	body->pairs += (int64_t) pairs->x_count * pairs->y_count;
	for (int32_t i = 0; i < body->rules; i++)
	{
		if (body->rule[i].relation < 0)
			continue;
		if (!marked)
		{
			if (++thread->serial == 0)
			{
				for (int32_t e = 0; e < thread->facts->entities; e++)
					thread->mark[e] = 0;
				thread->serial = 1;
			}
			for (int32_t k = 0; k < pairs->y_count; k++)
				thread->mark[pairs->y[k]] = thread->serial;
		}
		marked = true;
		count_facts(thread, &body->rule[i], pairs);
	}
}

/* ---- bodies ---------------------------------------------------------------------------- */

static void
clear_end(EndCounts *end)
{
	for (int32_t i = 0; i < end->count; i++)
		end->pairs[end->counted[i]] = 0;
	end->count = 0;
	end->needed = false;
}

/* Item: a body. */
static void
count_body(void *argument, int64_t item, int number)
{
	EvCounter  *counter = argument;
	CountingThread *thread = &counter->thread[number];
	EvCountedBody *body = &counter->body[item];

	thread->target = (EvJoinTarget) {take_pairs, thread, counter->pool, number};
	thread->body = body;
	for (int32_t i = 0; i < body->rules; i++)
		thread->end[body->rule[i].side_is_y].needed = true;
	ev_join_body(thread->join, &body->body, counter->slice, &thread->target);
	for (int32_t i = 0; i < body->rules; i++)
	{
		EvCountedRule *rule = &body->rule[i];
		const FactIndex *facts = thread->facts;
		const int32_t *pairs = thread->end[rule->side_is_y].pairs;

		for (int64_t k = facts->holders[rule->side]; k < facts->holders[rule->side + 1]; k++)
			rule->known += pairs[fact_holder(facts, k)];
		pool_yield(counter->pool, number);
	}
	clear_end(&thread->end[0]);
	clear_end(&thread->end[1]);
}

void
ev_count_bodies(EvCounter *counter, EvCountedBody *body, int64_t count, EvSlice slice)
{
	counter->body = body;
	counter->slice = slice;
	pool_run(counter->pool, count, count_body, counter);
}
