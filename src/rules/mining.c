/*
 * mining.c
 *		The search for rules and their counts on the facts (see mine.h), and what its parts share (see mining.h).
 *
 * The search finds the rules over the bounds and their supports (rule_search.c).  Then their bodies are evaluated
 * (body_counts.c).
 *
 * All memory is in a context of its own; only the result is in the caller's.
 */
#include "mining.h"

#include <math.h>

#include "utils/float.h"
#include "utils/memutils.h"

#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Candidates between two looks at hybridkg.max_memory, and what one takes in the result, with its text */
#define CHECK_EVERY (1 << 12)
#define RESULT_BYTES 320

void
mining_check_growth(const Mining *mining, uint64 bytes)
{
	hkg_check_memory_or(MemoryContextMemAllocated(mining->memory, true) + bytes, "mining",
						mining->given ? "give fewer rules" : FEWER_RULES);
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

/* ---- candidates ------------------------------------------------------------------- */

static Candidate *
new_candidate(Mining *mining, int32 head)
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
	Candidate  *candidate = new_candidate(mining, head);
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

/* ---- the result ------------------------------------------------------------------- */

static int
compare_by_confidence(const void *a, const void *b)
{
	const MinedRule *left = a;
	const MinedRule *right = b;
	double		left_confidence = MINED_STANDARD_CONFIDENCE(left);
	double		right_confidence = MINED_STANDARD_CONFIDENCE(right);

	if (left_confidence != right_confidence)
		return left_confidence > right_confidence ? -1 : 1;
	if (left->support != right->support)
		return left->support > right->support ? -1 : 1;
	return strcmp(left->text, right->text);
}

static void
make_mined_rule(const Mining *mining, const Candidate *candidate, MinedRule *mined)
{
	mined->rule = candidate->rule;
	mined->text = rule_text(mining->graph, &mined->rule);
	mined->counted = true;
	mined->head_size = mining->start[candidate->head + 1] - mining->start[candidate->head];
	mined->support = candidate->support;
	mined->body_size = candidate->body_size;
	mined->pca_body_size = candidate->pca_body_size;
	mined->embedding_confidence = get_float8_nan();
	mined->confidence_error = get_float8_nan();
	mined->quality = get_float8_nan();
	mined->worth = get_float8_nan();
	mined->evidence_confidence = get_float8_nan();
	mined->kept = true;
}

static MinedRules *
make_result(const Mining *mining)
{
	MinedRules *result = palloc(sizeof(MinedRules));

	result->count = mining->count;
	result->rule = array_new_zero(MinedRule, mining->count);
	for (int64 i = 0; i < mining->count; i++)
	{
		hkg_check_interrupts();
		make_mined_rule(mining, &mining->candidate[i], &result->rule[i]);
	}
	sort_array(hkg_leader(), POOL_LEADER, result->rule, result->count, sizeof(MinedRule), compare_by_confidence);
	return result;
}

/* ---- rules in the order of rule_compare ---------------------------------------------- */

static int
compare_places(const void *a, const void *b)
{
	return rule_compare(&(*(MinedRule *const *) a)->rule, &(*(MinedRule *const *) b)->rule);
}

void
rule_places_sort(MinedRule **place, int64 count)
{
	sort_array(hkg_leader(), POOL_LEADER, place, count, sizeof(MinedRule *), compare_places);
}

MinedRule *
rule_places_find(MinedRule **place, int64 count, const Rule *rule)
{
	MinedRule	key = {.rule = *rule};
	MinedRule  *pointer = &key;
	MinedRule **found = bsearch(&pointer, place, count, sizeof(MinedRule *), compare_places);

	return found == NULL ? NULL : *found;
}

/* ---- all of it --------------------------------------------------------------------- */

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

static MinedRules *
end(Mining *mining, MemoryContext caller)
{
	MinedRules *result;

	MemoryContextSwitchTo(caller);
	result = make_result(mining);
	MemoryContextDelete(mining->memory);
	return result;
}

MinedRules *
mine_rules(Graph *graph, const GraphData *data, const MineOptions *options)
{
	Mining		mining = {.graph = graph,.data = data,.options = options,.slice = ALL_PAIRS,.heads = ALL_PAIRS};
	MemoryContext caller = mining_begin(&mining);

	if (!mine_slices(&mining))
	{
		mining_index(&mining, true);
		search_rules(&mining);
		mine_bodies(&mining);
	}
	return end(&mining, caller);
}

MinedRules *
mine_given(Graph *graph, const GraphData *data, const Rule *rules, int64 count, NodeSlice slice)
{
	Mining		mining = {.graph = graph,.data = data,.given = true,.slice = slice};
	MemoryContext caller = mining_begin(&mining);

	mining_index(&mining, false);
	for (int64 i = 0; i < count; i++)
	{
		Candidate  *candidate = new_candidate(&mining, graph_row(data->relation_id, data->relations, rules[i].head));

		candidate->rule = candidate->body = rules[i];
	}
	mine_bodies(&mining);
	return end(&mining, caller);
}
