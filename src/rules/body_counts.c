/*
 * body_counts.c
 *		The sizes of the bodies of mined rules, and the supports of given rules.
 *
 * A body and its mirror image, read from Y to X, are evaluated as one (body_pairs.c).  PCA confidence needs the pairs
 * with some fact of the head's relation at the entity on the head's functional side.  So pairs are counted for each
 * entity, as x or as y, whichever the rules over the body need, and summed over the entities of that side.
 */
#include "mining.h"

#include "server/growing_array.h"

#include "body_pairs.h"
#include "pair_facts.h"
#include "server/host.h"

/* The pairs of each entity at one end of a body */
typedef struct EndCounts
{
	bool		needed;
	int32	   *pairs;			/* by row */
	Numbers		counted;		/* the rows that have any */
} EndCounts;

typedef struct PairCounts
{
	Mining	   *mining;
	PairFacts	facts;			/* for given rules */

	/* the current body */
	bool		begun;
	EndCounts	end[2];			/* x, y */
	int64		pairs;
} PairCounts;

/* Which end of the evaluated body is on the head's functional side: 0 for x. */
static int
functional_end(const PairCounts *count, const Candidate *candidate)
{
	return mining_functional_backwards(count->mining, candidate->head) ^ candidate->mirrored;
}

static void
add_pairs(EndCounts *end, const int32 *row, int32 rows, int32 pairs)
{
	numbers_reserve(&end->counted, end->counted.count + rows);
	for (int32 i = 0; i < rows; i++)
	{
		end->counted.value[end->counted.count] = row[i];
		end->counted.count += end->pairs[row[i]] == 0;
		end->pairs[row[i]] += pairs;
	}
}

/* Which ends the rules over a body need. */
static void
begin_body(PairCounts *count, const BodyRules *rules)
{
	for (int32 i = 0; i < rules->count; i++)
	{
		const Candidate *candidate = &count->mining->candidate[rules->rule[i]];

		count->end[functional_end(count, candidate)].needed = true;
	}
	count->begun = true;
}

static void
add_supports(PairCounts *count, const BodyRules *rules, const Rectangle *pairs)
{
	pair_facts_mark(&count->facts, pairs->y, pairs->y_count);
	for (int32 i = 0; i < rules->count; i++)
	{
		Candidate  *candidate = &count->mining->candidate[rules->rule[i]];

		candidate->support += pair_facts_count(&count->facts, candidate->head, pairs->x, pairs->x_count);
	}
}

static void
take_pairs(void *argument, const BodyRules *rules, const Rectangle *pairs)
{
	PairCounts *count = argument;

	if (!count->begun)
		begin_body(count, rules);
	if (count->end[0].needed)
		add_pairs(&count->end[0], pairs->x, pairs->x_count, pairs->y_count);
	if (count->end[1].needed)
		add_pairs(&count->end[1], pairs->y, pairs->y_count, pairs->x_count);
	if (count->mining->given)
		add_supports(count, rules, pairs);
	count->pairs += (int64) pairs->x_count * pairs->y_count;
}

/* The pairs of the body that have a fact on the head's functional side. */
static int64
pca_pairs(const PairCounts *count, const Candidate *candidate)
{
	const Mining *mining = count->mining;
	DirectedAtom side = FORWARDS(candidate->head) + mining_functional_backwards(mining, candidate->head);
	const int32 *pairs = count->end[functional_end(count, candidate)].pairs;
	int64		sum = 0;

	for (int64 i = 0; i < mining_holders(mining, side); i++)
		sum += pairs[ev_holder(&mining->index, mining->index.holders[side] + i)];
	return sum;
}

static void
clear_end(EndCounts *end)
{
	for (int64 i = 0; i < end->counted.count; i++)
		end->pairs[end->counted.value[i]] = 0;
	end->counted.count = 0;
	end->needed = false;
}

/* The body is complete: its rules get their sizes. */
static void
set_sizes(void *argument, const BodyRules *rules)
{
	PairCounts *count = argument;

	for (int32 i = 0; i < rules->count; i++)
	{
		Candidate  *candidate = &count->mining->candidate[rules->rule[i]];

		hkg_check_interrupts();
		candidate->body_size = count->pairs;
		candidate->pca_body_size = pca_pairs(count, candidate);
	}
	clear_end(&count->end[0]);
	clear_end(&count->end[1]);
	count->pairs = 0;
	count->begun = false;
}

void
mine_bodies(Mining *mining)
{
	PairCounts	count = {.mining = mining};
	const GraphData *data = mining->data;
	PairsTarget target = {take_pairs, set_sizes, &count};
	const Rule **body = array_new(const Rule *, mining->count);

	for (int64 i = 0; i < mining->count; i++)
		body[i] = &mining->candidate[i].body;
	for (int i = 0; i < 2; i++)
		count.end[i].pairs = array_new_zero(int32, data->entities);
	if (mining->given)
		count.facts = pair_facts_create(data);
	body_pairs_each(body_pairs_create(mining->graph, data, 0),
					body, (int32) mining->count, &target);
}
