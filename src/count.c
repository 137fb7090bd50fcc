/*
 * count.c
 *		The sizes of the bodies of mined rules.
 *
 * Rules with one body share its evaluation, and bodies of one skeleton a
 * statement (bodies.c).  Pairs are counted per x because the PCA confidence needs it: its
 * body is the sum over those x that have some fact of the head relation.  Where the
 * head's functional side is y, the body is read from Y to X: Candidate.side.
 */
#include "mining.h"

#include "miscadmin.h"

#include "bodies.h"

typedef struct Count
{
	Mining	   *mining;
	Candidate **order;			/* by side */
	int64	   *first;			/* position in it of the first candidate of each body; and the end */
	int32	   *weight;			/* pairs of each x */
	Numbers		weighted;		/* the x that have any */
	int64		pairs;
} Count;

static int
compare_sides(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return rule_compare_bodies(&(*(Candidate *const *) a)->side, &(*(Candidate *const *) b)->side);
}

static void
add_weights(void *argument, int32 body, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	Count	   *count = argument;

	numbers_reserve(&count->weighted, count->weighted.count + x_count);
	for (int32 i = 0; i < x_count; i++)
	{
		count->weight[x[i]] = y_count;
		count->weighted.value[count->weighted.count++] = x[i];
	}
	count->pairs += (int64) x_count * y_count;
}

/* The pairs of the body whose x has a fact on the head's functional side. */
static int64
pca_pairs(const Count *count, int32 head)
{
	const Profile *side = mining_functional_side(count->mining, head);
	const int32 *x = count->mining->profile_entity.value + side->start;
	int64		pairs = 0;

	for (int32 i = 0; i < side->count; i++)
		pairs += count->weight[x[i]];
	return pairs;
}

/* The body's weights are complete: gives its candidates their sizes. */
static void
settle_body(void *argument, int32 body)
{
	Count	   *count = argument;

	for (int64 i = count->first[body]; i < count->first[body + 1]; i++)
	{
		Candidate  *candidate = count->order[i];

		candidate->body_size = count->pairs;
		candidate->pca_body_size = pca_pairs(count, candidate->head);
		CHECK_FOR_INTERRUPTS();
	}
	for (int64 i = 0; i < count->weighted.count; i++)
		count->weight[count->weighted.value[i]] = 0;
	count->weighted.count = 0;
	count->pairs = 0;
}

static void
order_candidates(Count *count)
{
	Mining	   *mining = count->mining;

	count->order = MemoryContextAllocHuge(CurrentMemoryContext, Max(mining->count, 1) * sizeof(Candidate *));
	count->first = MemoryContextAllocHuge(CurrentMemoryContext, (mining->count + 1) * sizeof(int64));
	for (int64 i = 0; i < mining->count; i++)
		count->order[i] = &mining->candidate[i];
	qsort(count->order, mining->count, sizeof(Candidate *), compare_sides);
}

void
mine_bodies(Mining *mining)
{
	Count		count = {.mining = mining};
	const Rule **body;
	int32		bodies = 0;

	order_candidates(&count);
	count.weight = MemoryContextAllocExtended(CurrentMemoryContext,
											  Max(mining->entities, 1) * sizeof(int32),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	body = MemoryContextAllocHuge(CurrentMemoryContext, Max(mining->count, 1) * sizeof(Rule *));
	for (int64 i = 0; i < mining->count; i++)
	{
		if (i > 0 && rule_compare_bodies(&count.order[i - 1]->side, &count.order[i]->side) == 0)
			continue;
		count.first[bodies] = i;
		body[bodies++] = &count.order[i]->side;
	}
	count.first[bodies] = mining->count;
	bodies_each(bodies_create(mining->graph, mining->entity_id, mining->entities, 0),
				body, bodies, add_weights, settle_body, &count);
	for (int64 i = 0; i < mining->count; i++)
	{
		if (mining->candidate[i].body_size == 0)
			elog(ERROR, "a rule's body was not counted");
	}
}
