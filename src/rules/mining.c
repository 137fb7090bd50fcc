/*
 * mining.c
 *		What the parts of mining share: its memory, index of facts, threshold and candidates (see mining.h).
 */
#include "mining.h"

#include <math.h>

#include "utils/memutils.h"

#include "server/growing_array.h"
#include "server/host.h"

/* Candidates between two looks at hybridkg.max_memory, and what one takes in the result, with its text */
#define CHECK_EVERY (1 << 12)
#define RESULT_BYTES 320

MemoryContext
mining_begin(Mining *mining)
{
	MemoryContext caller;

	mining->memory = AllocSetContextCreate(CurrentMemoryContext, "hybridkg mining", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(mining->memory);
	graph_check_relation_ids(mining->graph, mining->data);
	mining->start = facts_by_relation(mining->data->fact, mining->data->facts, mining->data->relations);
	return caller;
}

void
mining_check_growth(const Mining *mining, uint64 bytes)
{
	hkg_check_memory_or(MemoryContextMemAllocated(mining->memory, true) + bytes, "mining",
						mining->given ? "give fewer rules" : FEWER_RULES);
}

/* Head coverage is compared as a quotient, which rounds like the bound itself: 1 of 100 is not under 0.01. */
int32
mining_threshold(const Mining *mining, int32 head)
{
	const MineOptions *options = mining->options;
	int64		facts = mining->start[head + 1] - mining->start[head];
	int64		support = Max(1, (int64) floor(options->min_head_coverage * facts) - 1);

	while ((double) support / (double) facts < options->min_head_coverage)
		support++;
	return (int32) Max(support, options->min_support);
}

uint64
mine_index_bytes(const GraphData *data, bool for_search)
{
	return fact_index_bytes(data->entities, data->relations, data->facts) +
		(for_search ? fact_neighbours_bytes(data->entities, data->facts) : 0);
}

void
mining_index(Mining *mining, bool for_search)
{
	const GraphData *data = mining->data;
	Arena		arena = hkg_arena();
	Pool	   *pool = hkg_pool();

	hkg_check_memory_or(MemoryContextMemAllocated(mining->memory, true) + mine_index_bytes(data, for_search),
						"an index of facts for mining", "keep fewer facts in the graph");
	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &mining->index);
	if (for_search)
		fact_neighbours(&arena, pool, &mining->index);
}

Candidate *
mining_candidate(Mining *mining, int32 head)
{
	MemoryContext caller = MemoryContextSwitchTo(mining->memory);
	Candidate  *candidate;

	if (mining->count == mining->room || mining->count % CHECK_EVERY == 0)
		mining_check_growth(mining, mining->count * (sizeof(Candidate) + RESULT_BYTES));
	mining->candidate = array_reserve(mining->candidate, mining->count + 1, &mining->room, sizeof(Candidate));
	MemoryContextSwitchTo(caller);
	candidate = &mining->candidate[mining->count++];
	memset(candidate, 0, sizeof(Candidate));
	candidate->head = head;
	return candidate;
}

void
mining_add(Mining *mining, int32 head, const Rule *rule, int32 support)
{
	Candidate  *candidate = mining_candidate(mining, head);
	Rule		mirrored;

	hkg_check_interrupts();
	candidate->support = support;
	candidate->rule = *rule;
	rule_canonicalise(&candidate->rule);
	/* of a body and its mirror image, one is evaluated */
	mirrored = rule_mirrored(&candidate->rule);
	rule_canonicalise(&mirrored);
	candidate->mirrored = rule_compare_bodies(&mirrored, &candidate->rule) < 0;
	candidate->body = candidate->mirrored ? mirrored : candidate->rule;
}
