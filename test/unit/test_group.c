/*
 * test_group.c
 *		Positives by the query that they share, against pairwise comparison.
 */
#include "check.h"
#include "kge/loss/one_vs_all.h"

enum
{
	ENTITIES = 7, RELATIONS = 3, MOST = 400
};

static bool
same_query(Side side, Triple a, Triple b)
{
	return a.relation == b.relation && (side == SIDE_TAIL ? a.head == b.head : a.tail == b.tail);
}

/* How many groups there must be: each positive opens one that is number 0, limit, ... of its query. */
static int
expected_groups(const Triple *triples, int count, Side side, int limit)
{
	int			groups = 0;

	for (int i = 0; i < count; i++)
	{
		int			before = 0;

		for (int j = 0; j < i; j++)
			before += same_query(side, triples[i], triples[j]);
		groups += before % limit == 0;
	}
	return groups;
}

static void
test_groups(int count, int limit)
{
	KgeGroups	groups = {.room = MOST,.keys = ENTITIES,.limit = limit};
	Allocation	space = {0};
	Triple		triples[MOST];
	int			seen[2][MOST] = {{0}};
	int			wrong = 0;

	kge_groups_take(&groups, &space);
	allocation_open(&space, &arena);
	kge_groups_take(&groups, &space);

	/* filled twice: the second graph must owe nothing to the first */
	for (int round = 0; round < 2; round++)
	{
		for (int i = 0; i < count; i++)
			triples[i] = (Triple) {next_below(ENTITIES), next_below(RELATIONS), next_below(ENTITIES)};
		kge_groups_fill(&groups, pool, triples, count);
	}
	for (int64_t number = 0; number < kge_groups_count(&groups); number++)
	{
		KgeGroup	group = kge_group(&groups, number);

		wrong += group.count < 1 || group.count > limit;
		for (int i = 0; i < group.count; i++)
		{
			seen[group.side][group.member[i]]++;
			wrong += !same_query(group.side, triples[group.member[i]], triples[group.member[0]]);
		}
	}
	for (int side = 0; side < 2; side++)
	{
		wrong += groups.count[side] != expected_groups(triples, count, (Side) side, limit);
		for (int i = 0; i < count; i++)
			wrong += seen[side][i] != 1;
	}
	CHECK_SAYING(wrong == 0, "%d positives, at most %d: %d wrong", count, limit, wrong);
}

void
test_group(void)
{
	test_groups(1, 1);
	test_groups(MOST, 1);
	test_groups(MOST, 5);
	test_groups(MOST, MOST);
	test_groups(37, 3);
}
