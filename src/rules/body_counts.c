/*
 * body_counts.c
 *		The sizes of the bodies of mined rules, and the supports of given rules.
 *
 * A body and its mirror image, read from Y to X, are counted as one, on all threads (evidence/body_count.c), some
 * bodies at a time.
 */
#include "mining.h"

#include "evidence/body_count.h"
#include "server/growing_array.h"
#include "server/host.h"

#include "body_pairs.h"

/* Bodies that are counted at a time, and how often that is at least, if there are enough of them */
#define MOST_AT_ONCE 4096
#define LEAST_AT_ONCE 64
#define TIMES 50

typedef struct BodyCounts
{
	Mining	   *mining;
	EvCounter  *counter;
	int32	   *order;			/* numbers of candidates, by body */
	int32		next;			/* place in it of the first candidate that is not counted yet */
	int32		at_once;

	/* the bodies that are counted now */
	EvCountedBody *body;
	int32		bodies;
	EvCountedRule *rule;		/* of the candidates from `next` on */
} BodyCounts;

static Candidate *
candidate_at(const BodyCounts *counts, int32 place)
{
	return &counts->mining->candidate[counts->order[place]];
}

/* The next bodies; returns the end of their candidates. */
static int32
gather_bodies(BodyCounts *counts)
{
	const Mining *mining = counts->mining;
	int32		end = counts->next;

	counts->bodies = 0;
	while (counts->bodies < counts->at_once && end < mining->count)
	{
		EvCountedBody *body = &counts->body[counts->bodies++];
		int32		start = end;
		const Rule *first = &candidate_at(counts, start)->body;
		Rule		whole = rule_with_domain(first);

		hkg_check_interrupts();
		for (; end < mining->count && rule_compare_bodies(first, &candidate_at(counts, end)->body) == 0; end++)
		{
			const Candidate *candidate = candidate_at(counts, end);
			bool		backwards = fact_functional_backwards(&mining->index, candidate->head);

			counts->rule[end] = (EvCountedRule) {
				.relation = mining->given ? candidate->head : -1,
				.side = FORWARDS(candidate->head) + backwards,
				.side_is_y = backwards != candidate->mirrored
			};
		}
		*body = (EvCountedBody) {.rule = &counts->rule[start],.rules = end - start};
		/* a rule that was given may have a body that nothing can match */
		if (!rule_in_rows(mining->data, &whole, NULL, NULL, &body->body))
			counts->bodies--;
	}
	return end;
}

/* The bodies are counted: their rules get their sizes. */
static void
set_sizes(BodyCounts *counts)
{
	for (int32 i = 0; i < counts->bodies; i++)
	{
		const EvCountedBody *body = &counts->body[i];

		for (int32 k = 0; k < body->rules; k++)
		{
			Candidate  *candidate = candidate_at(counts, (int32) (body->rule - counts->rule) + k);

			candidate->body_size = body->pairs;
			candidate->pca_body_size = body->rule[k].known;
			candidate->support += body->rule[k].facts;
		}
	}
}

/* As many threads as there is memory for, one at least. */
static EvCounter *
make_counter(const Mining *mining)
{
	Arena		arena = hkg_arena();
	uint64		left = (uint64) hkg_max_memory * 1024 - Min((uint64) hkg_max_memory * 1024,
															MemoryContextMemAllocated(mining->memory, true));
	uint64		bytes = ev_count_bytes(&mining->index);
	int			threads = (int) Max(1, Min((uint64) hkg_threads, left / bytes));

	hkg_check_memory_or(MemoryContextMemAllocated(mining->memory, true) + threads * bytes, "counting the bodies of rules",
						"keep fewer facts in the graph");
	return ev_counter(&arena, hkg_pool_of(threads), &mining->index);
}

void
mine_bodies(Mining *mining)
{
	int32		count = (int32) mining->count;
	EvSlice		slice = ev_slice(&mining->index, mining->slice.number - 1, mining->slice.count);
	BodyCounts	counts = {.mining = mining,.at_once = Max(LEAST_AT_ONCE, Min(MOST_AT_ONCE, count / TIMES))};
	const Rule **body;

	mining_check_growth(mining, (uint64) count * (sizeof(EvCountedRule) + sizeof(int32) + sizeof(Rule *)) * 2);
	counts.counter = make_counter(mining);
	body = array_new(const Rule *, count);
	for (int32 i = 0; i < count; i++)
		body[i] = &mining->candidate[i].body;
	counts.order = rules_by_body(body, count);
	counts.body = array_new(EvCountedBody, counts.at_once);
	counts.rule = array_new(EvCountedRule, count);
	while (counts.next < count)
	{
		int32		end = gather_bodies(&counts);

		ev_count_bodies(counts.counter, counts.body, counts.bodies, slice);
		set_sizes(&counts);
		mining_report(mining, (1 - SEARCH_WORK) * (end - counts.next) / count);
		counts.next = end;
	}
}
