/*
 * mine.c
 *		The search for rules and their counts on the facts (see mine.h).
 *
 * The search finds the rules over the bounds and their supports, in memory (rule_search.c).  Their bodies are then
 * evaluated by statements, one for all bodies of a form (body_counts.c).
 *
 * All memory is in a context of its own; only the result is in the caller's.
 */
#include "mine.h"

#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "mining.h"
#include "rule_search.h"

static int
compare_by_confidence(const void *a, const void *b)
{
	const MinedRule *left = a;
	const MinedRule *right = b;
	double		left_confidence = MINED_STANDARD_CONFIDENCE(left);
	double		right_confidence = MINED_STANDARD_CONFIDENCE(right);

	CHECK_FOR_INTERRUPTS();
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
	mined->evidence_confidence = get_float8_nan();
	mined->kept = true;
}

static MinedRules *
make_result(const Mining *mining)
{
	MinedRules *result = palloc(sizeof(MinedRules));

	result->count = mining->count;
	result->rule = MemoryContextAllocExtended(CurrentMemoryContext,
											  Max(mining->count, 1) * sizeof(MinedRule),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int64 i = 0; i < mining->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		make_mined_rule(mining, &mining->candidate[i], &result->rule[i]);
	}
	qsort(result->rule, result->count, sizeof(MinedRule), compare_by_confidence);
	return result;
}

/* Either all rules over the bounds, or those that are given. */
static MinedRules *
mine(Graph *graph, const GraphData *data, const MineOptions *options, const Rule *rules, int64 count)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "hybridkg mining", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Mining		mining = {.memory = memory,.graph = graph,.data = data,.options = options,.given = rules != NULL};
	MinedRules *result;

	mining_index_facts(&mining);
	if (rules == NULL)
		search_rules(&mining);
	for (int64 i = 0; i < count; i++)
		mining_add_given(&mining, &rules[i]);
	mine_bodies(&mining);
	MemoryContextSwitchTo(caller);
	result = make_result(&mining);
	MemoryContextDelete(memory);
	return result;
}

MinedRules *
mine_rules(Graph *graph, const GraphData *data, const MineOptions *options)
{
	return mine(graph, data, options, NULL, 0);
}

MinedRules *
mine_given(Graph *graph, const GraphData *data, const Rule *rules, int64 count)
{
	static const MineOptions no_bounds = {0};

	return mine(graph, data, &no_bounds, rules, count);
}
