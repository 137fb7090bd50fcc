/*
 * mined_rules.c
 *		The search for rules and their counts on the facts (see mine.h).
 *
 * The search finds the rules over the bounds and their supports (rule_search.c).  Then their bodies are evaluated
 * (body_counts.c).  On a cluster, its nodes do both (slices.c).
 *
 * All memory is in a context of its own; only the result is in the caller's.
 */
#include "mining.h"

#include "utils/float.h"
#include "utils/memutils.h"

#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

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

/* The rules that were mined, in the caller's context; that of mining goes. */
static MinedRules *
end(Mining *mining, MemoryContext caller)
{
	MinedRules *result;

	MemoryContextSwitchTo(caller);
	result = palloc(sizeof(MinedRules));
	result->count = mining->count;
	result->rule = array_new_zero(MinedRule, mining->count);
	for (int64 i = 0; i < mining->count; i++)
	{
		hkg_check_interrupts();
		make_mined_rule(mining, &mining->candidate[i], &result->rule[i]);
	}
	sort_array(hkg_leader(), POOL_LEADER, result->rule, result->count, sizeof(MinedRule), compare_by_confidence);
	MemoryContextDelete(mining->memory);
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
		Candidate  *candidate = mining_candidate(&mining, graph_row(data->relation_id, data->relations, rules[i].head));

		candidate->rule = candidate->body = rules[i];
	}
	mine_bodies(&mining);
	return end(&mining, caller);
}
