/*
 * body_counts.c
 *		The sizes of the bodies of mined rules.
 *
 * Rules with one body share its evaluation, and bodies of one shape a statement
 * (body_pairs.c); a body and its mirror image, read from Y to X, are one here.  PCA confidence
 * asks for the pairs whose entity on the head's functional side has some fact of
 * the head's relation.  So pairs are counted for each entity, as x or as y, whichever the rules
 * over the body ask for, and summed over the entities of that side.
 *
 * The supports of rules that were given are counted here as well: a rectangle of pairs
 * holds those facts of its x whose tail is among its y.
 */
#include "mining.h"

#include "miscadmin.h"

#include "body_pairs.h"

/* The pairs of each entity at one end of a body */
typedef struct End
{
	int32	   *weight;			/* by row */
	Numbers		weighted;		/* the rows that have any */
} End;

typedef struct Count
{
	Mining	   *mining;
	Candidate **order;			/* by body */
	int64	   *first;			/* position in it of the first candidate of each body; and the end */
	uint8	   *ends;			/* of each body: a bit for each end that is asked for */
	End			end[2];			/* of x, of y */
	int64		pairs;

	/* with facts */
	int64	   *start;			/* by relation: its first fact; and the end */
	uint64	   *stamp;			/* by entity: the serial of the last rectangle that had it as y */
	uint64		serial;
} Count;

static int
compare_by_body(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return rule_compare_bodies(&(*(Candidate *const *) a)->body, &(*(Candidate *const *) b)->body);
}

/* Which end of the evaluated body is on the head's functional side: 0 for x. */
static int
functional_end(const Count *count, const Candidate *candidate)
{
	return mining_functional_backwards(count->mining, candidate->head) ^ candidate->mirrored;
}

static void
add_weights(End *end, const int32 *row, int32 rows, int32 pairs)
{
	numbers_reserve(&end->weighted, end->weighted.count + rows);
	for (int32 i = 0; i < rows; i++)
	{
		end->weighted.value[end->weighted.count] = row[i];
		end->weighted.count += end->weight[row[i]] == 0;
		end->weight[row[i]] += pairs;
	}
}

/* ---- supports --------------------------------------------------------------------- */

static void
index_facts(Count *count)
{
	Mining	   *mining = count->mining;

	mining_read_facts(mining);
	count->start = facts_by_relation(mining->fact, mining->facts, mining->relations);
	count->stamp = MemoryContextAllocExtended(CurrentMemoryContext, Max(mining->entities, 1) * sizeof(uint64),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Facts (x, relation, y) with a stamped y */
static int64
facts_of(const Count *count, int32 relation, int32 x)
{
	const Triple *fact = count->mining->fact;
	int64		end = count->start[relation + 1];
	int64		facts = 0;

	for (int64 i = facts_of_head(fact, count->start[relation], end, x); i < end && fact[i].head == x; i++)
		facts += count->stamp[fact[i].tail] == count->serial;
	return facts;
}

static void
add_supports(Count *count, int32 body, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	count->serial++;
	for (int32 i = 0; i < y_count; i++)
		count->stamp[y[i]] = count->serial;
	for (int64 i = count->first[body]; i < count->first[body + 1]; i++)
	{
		Candidate  *candidate = count->order[i];

		for (int32 j = 0; j < x_count && candidate->head >= 0; j++)
		{
			CHECK_FOR_INTERRUPTS();
			candidate->support += facts_of(count, candidate->head, x[j]);
		}
	}
}

/* ---- body after body ------------------------------------------------------------------ */

static void
take_rectangle(void *argument, int32 body, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	Count	   *count = argument;

	if (count->ends[body] & 1)
		add_weights(&count->end[0], x, x_count, y_count);
	if (count->ends[body] & 2)
		add_weights(&count->end[1], y, y_count, x_count);
	if (count->start != NULL)
		add_supports(count, body, x, x_count, y, y_count);
	count->pairs += (int64) x_count * y_count;
}

/* The pairs of the body that have a fact on the head's functional side. */
static int64
pca_pairs(const Count *count, const Candidate *candidate)
{
	const Mining *mining = count->mining;
	const Profile *side = &mining->profile[2 * candidate->head + mining_functional_backwards(mining, candidate->head)];
	const int32 *row = mining->profile_entity.value + side->start;
	const int32 *weight = count->end[functional_end(count, candidate)].weight;
	int64		pairs = 0;

	for (int32 i = 0; i < side->count; i++)
		pairs += weight[row[i]];
	return pairs;
}

static void
clear_weights(End *end)
{
	for (int64 i = 0; i < end->weighted.count; i++)
		end->weight[end->weighted.value[i]] = 0;
	end->weighted.count = 0;
}

/* The body is complete: gives its candidates their sizes. */
static void
settle_body(void *argument, int32 body)
{
	Count	   *count = argument;

	for (int64 i = count->first[body]; i < count->first[body + 1]; i++)
	{
		Candidate  *candidate = count->order[i];

		candidate->body_size = count->pairs;
		if (candidate->head >= 0)
			candidate->pca_body_size = pca_pairs(count, candidate);
		CHECK_FOR_INTERRUPTS();
	}
	clear_weights(&count->end[0]);
	clear_weights(&count->end[1]);
	count->pairs = 0;
}

static void
order_candidates(Count *count)
{
	Mining	   *mining = count->mining;

	count->order = MemoryContextAllocHuge(CurrentMemoryContext, Max(mining->count, 1) * sizeof(Candidate *));
	for (int64 i = 0; i < mining->count; i++)
		count->order[i] = &mining->candidate[i];
	qsort(count->order, mining->count, sizeof(Candidate *), compare_by_body);
}

/* Fills first and ends; returns the bodies, and how many. */
static const Rule **
group_by_body(Count *count, int32 *bodies)
{
	int64		candidates = count->mining->count;
	const Rule **body = MemoryContextAllocHuge(CurrentMemoryContext, Max(candidates, 1) * sizeof(Rule *));

	count->first = MemoryContextAllocHuge(CurrentMemoryContext, (candidates + 1) * sizeof(int64));
	count->ends = MemoryContextAllocExtended(CurrentMemoryContext, Max(candidates, 1),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	*bodies = 0;
	for (int64 i = 0; i < candidates; i++)
	{
		Candidate  *candidate = count->order[i];

		if (i == 0 || rule_compare_bodies(&count->order[i - 1]->body, &candidate->body) != 0)
		{
			count->first[*bodies] = i;
			body[(*bodies)++] = &candidate->body;
		}
		if (candidate->head >= 0)
			count->ends[*bodies - 1] |= 1 << functional_end(count, candidate);
	}
	count->first[*bodies] = candidates;
	return body;
}

void
mine_bodies(Mining *mining)
{
	Count		count = {.mining = mining};
	const Rule **body;
	int32		bodies;

	order_candidates(&count);
	body = group_by_body(&count, &bodies);
	for (int i = 0; i < 2; i++)
		count.end[i].weight = MemoryContextAllocExtended(CurrentMemoryContext,
														 Max(mining->entities, 1) * sizeof(int32),
														 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (mining->given)
		index_facts(&count);
	body_pairs_each(body_pairs_create(mining->graph, mining->entity_id, mining->entities, 0),
				body, bodies, take_rectangle, settle_body, &count);
}
