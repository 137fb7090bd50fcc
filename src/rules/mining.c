/*
 * mining.c
 *		What the parts of mining share: the index of facts, the candidates, the limit of memory (see mining.h).
 */
#include "mining.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "server/growing_array.h"
#include "server/host.h"

#include "rule_sql.h"

/* Candidates between two looks at hybridkg.max_memory, and what one takes in the result, with its text */
#define CHECK_EVERY (1 << 12)
#define RESULT_BYTES 320

void
mining_check_growth(MemoryContext memory, uint64 bytes)
{
	hkg_check_memory_or(MemoryContextMemAllocated(memory, true) + bytes, "mining",
						"raise min_support or min_head_coverage");
}

/* ---- facts ------------------------------------------------------------------------ */

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

/* A statement makes a directed atom of a relation's id. */
static void
check_relations(const Mining *mining)
{
	for (int32 i = 0; i < mining->data->relations; i++)
	{
		int32		id = mining->data->relation_id[i];

		if (mining->start[i] < mining->start[i + 1] && (id < 0 || id >= RELATION_LIMIT))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("relation id %d is out of range for mining", id),
					 errhint("Ids of relations must be between 0 and %d; update table %srelation.",
							 RELATION_LIMIT - 1, mining->graph->prefix)));
	}
}

void
mining_index_facts(Mining *mining)
{
	const GraphData *data = mining->data;
	Arena		arena = hkg_arena();
	Pool	   *pool = hkg_pool();

	mining->start = facts_by_relation(data->fact, data->facts, data->relations);
	check_relations(mining);
	mining_check_growth(mining->memory, ev_facts_bytes(data->entities, data->relations, data->facts));
	ev_facts(&arena, pool, data->entities, data->relations, data->fact, data->facts, &mining->index);
	if (!mining->given)
		ev_neighbours(&arena, pool, &mining->index);
}

/* ---- candidates ------------------------------------------------------------------- */

static Term
mirrored_term(Term term)
{
	return term == TERM_X ? TERM_Y : term == TERM_Y ? TERM_X : term;
}

/* The body read from Y to X. */
static Rule
mirrored_body(const Rule *rule)
{
	Rule		mirrored = *rule;

	for (int i = 0; i < rule->length; i++)
	{
		mirrored.body[i].first = mirrored_term(rule->body[i].first);
		mirrored.body[i].second = mirrored_term(rule->body[i].second);
	}
	rule_canonicalise(&mirrored);
	return mirrored;
}

static Candidate *
new_candidate(Mining *mining, int32 head)
{
	MemoryContext caller = MemoryContextSwitchTo(mining->memory);
	Candidate  *candidate;

	if (mining->count == mining->room || mining->count % CHECK_EVERY == 0)
		mining_check_growth(mining->memory, mining->count * (sizeof(Candidate) + RESULT_BYTES));
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
	Candidate  *candidate = new_candidate(mining, head);
	Rule		mirrored;

	CHECK_FOR_INTERRUPTS();
	candidate->support = support;
	candidate->rule = *rule;
	rule_canonicalise(&candidate->rule);
	/* of a body and its mirror image, one is evaluated */
	mirrored = mirrored_body(&candidate->rule);
	candidate->mirrored = rule_compare_bodies(&mirrored, &candidate->rule) < 0;
	candidate->body = candidate->mirrored ? mirrored : candidate->rule;
}

void
mining_add_given(Mining *mining, const Rule *rule)
{
	Candidate  *candidate = new_candidate(mining, graph_row(mining->data->relation_id, mining->data->relations, rule->head));

	candidate->rule = candidate->body = *rule;
}
