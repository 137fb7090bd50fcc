/*
 * group.c
 *		The positives of an epoch, grouped by the query that they answer.
 *
 * Positives (h, r, t) of one h and r ask the same question for tails, those of one
 * t and r the same for heads.  Two stable counting sorts, by given entity and then by
 * relation, bring them together, one side a thread.
 *
 * A group is cut where it has more than `limit` positives, since a minibatch that
 * is filled by one query learns little.
 */
#include <string.h>

#include "one_vs_all.h"
#include "core/pool.h"

typedef struct Grouping
{
	KgeGroups  *groups;
	Pool	   *pool;
	const Triple *positives;
} Grouping;

void
kge_groups_take(KgeGroups *groups, Allocation *allocation)
{
	for (int side = 0; side < 2; side++)
	{
		groups->member[side] = TAKE(allocation, int32_t, (size_t) groups->room);
		groups->start[side] = TAKE(allocation, int32_t, (size_t) groups->room + 1);
		groups->place[side] = TAKE(allocation, int64_t, (size_t) groups->keys + 1);
	}
}

static inline int32_t
key_of(const Triple *triple, Side side, bool by_relation)
{
	return by_relation ? triple->relation : triple_given(triple, side);
}

/* Sorts the positives from[i], or i if from is NULL, by a key, keeping the order of equals. */
static void
sort(const Grouping *work, Side side, bool by_relation, const int32_t *from, int32_t *to, int thread)
{
	const KgeGroups *groups = work->groups;
	int64_t    *place = groups->place[side];

	memset(place, 0, ((size_t) groups->keys + 1) * sizeof(int64_t));
	for (int64_t i = 0; i < groups->positives; i++)
	{
		place[key_of(&work->positives[i], side, by_relation) + 1]++;
		pool_yield_at(work->pool, thread, i);
	}
	for (int32_t key = 0; key < groups->keys; key++)
		place[key + 1] += place[key];
	for (int64_t i = 0; i < groups->positives; i++)
	{
		int32_t		positive = from == NULL ? (int32_t) i : from[i];

		to[place[key_of(&work->positives[positive], side, by_relation)]++] = positive;
		pool_yield_at(work->pool, thread, i);
	}
}

/* Item: a side. */
static void
fill_side(void *argument, int64_t item, int thread)
{
	Grouping   *work = argument;
	KgeGroups  *groups = work->groups;
	Side		side = (Side) item;
	int32_t    *member = groups->member[side];
	int32_t    *start = groups->start[side];
	int64_t		count = 0;

	sort(work, side, false, NULL, start, thread);
	sort(work, side, true, start, member, thread);
	for (int64_t i = 0; i < groups->positives; i++)
	{
		const Triple *triple = &work->positives[member[i]];
		const Triple *before = &work->positives[member[i > 0 ? i - 1 : 0]];

		if (i == 0 || triple->relation != before->relation ||
			triple_given(triple, side) != triple_given(before, side) || i - start[count - 1] == groups->limit)
			start[count++] = (int32_t) i;
		pool_yield_at(work->pool, thread, i);
	}
	start[count] = (int32_t) groups->positives;
	groups->count[side] = count;
}

void
kge_groups_fill(KgeGroups *groups, Pool *pool, const Triple *positives, int64_t count)
{
	Grouping	work = {groups, pool, positives};

	groups->positives = count;
	pool_run(pool, 2, fill_side, &work);
}
