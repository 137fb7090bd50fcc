/*
 * path_rules.c
 *		The rules that a model uses as evidence at prediction: the rules of the best iteration, and path rules that are
 *		found in the facts alone (evidence/path_discovery.c).
 *
 * Path rules are counted under object identity (EvPath), mined rules are not.  A rule that is both has both counts.
 */
#include "path_rules.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "server/progress.h"
#include "server/host.h"

/* Measured: rules of a confidence of one in a thousand still improve the order of answers. */
#define MIN_SUPPORT 2
#define MIN_CONFIDENCE 0.001

/* Edges that the search may visit for each fact: with 300,000 facts it takes ten to twenty seconds. */
#define WORK_OF_FACT 10000

EvSearch
path_rules_search(const TrainSettings *settings, int64 facts)
{
	EvSearch	search = {
		.length = settings->evidence_length - 1,
		.limit = settings->evidence_rules,
		.min_support = MIN_SUPPORT,
		.min_confidence = MIN_CONFIDENCE,
		.work = (double) WORK_OF_FACT * facts,
		.seconds = settings->evidence_seconds,
		.seed = (uint64) settings->seed
	};

	return search;
}

/* The term at a place of the path X, A, B, ..., Y */
static Term
term_of(const EvPath *path, int place)
{
	return place == 0 ? TERM_X : place == path->length ? TERM_Y : TERM_A - (place - 1);
}

static Rule
rule_of(const GraphData *data, const EvPath *path)
{
	Rule		rule = {.head = data->relation_id[path->relation],.length = path->length};

	for (int i = 0; i < path->length; i++)
	{
		bool		backwards = IS_BACKWARDS(path->atom[i]);

		rule.body[i].relation = data->relation_id[RELATION_OF(path->atom[i])];
		rule.body[i].first = term_of(path, backwards ? i + 1 : i);
		rule.body[i].second = term_of(path, backwards ? i : i + 1);
	}
	rule_canonicalise(&rule);
	return rule;
}

static MinedRule
mined_of(const GraphData *data, const EvPath *path)
{
	MinedRule	mined = {.rule = rule_of(data, path)};

	mined.embedding_confidence = mined.confidence_error = mined.quality = get_float8_nan();
	return mined;
}

/* ---- together with the given rules ----------------------------------------------- */

static int
compare_places(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return rule_compare(&(*(MinedRule *const *) a)->rule, &(*(MinedRule *const *) b)->rule);
}

static MinedRule *
find_rule(MinedRule **sorted, int64 count, MinedRule *rule)
{
	MinedRule **found = bsearch(&rule, sorted, count, sizeof(MinedRule *), compare_places);

	return found == NULL ? NULL : *found;
}

/* Places of the rules, ordered as rule_compare orders them */
static MinedRule **
sort_rules(const MinedRules *rules)
{
	MinedRule **sorted = MemoryContextAllocHuge(CurrentMemoryContext, Max(rules->count, 1) * sizeof(MinedRule *));

	for (int64 i = 0; i < rules->count; i++)
		sorted[i] = &rules->rule[i];
	qsort(sorted, rules->count, sizeof(MinedRule *), compare_places);
	return sorted;
}

static MinedRules *
copy_rules(const MinedRules *given, int64 room)
{
	MinedRules *copy = palloc(sizeof(MinedRules));

	copy->count = given->count;
	copy->rule = MemoryContextAllocHuge(CurrentMemoryContext, Max(given->count + room, 1) * sizeof(MinedRule));
	memcpy(copy->rule, given->rule, given->count * sizeof(MinedRule));
	return copy;
}

static MinedRules *
merge(Graph *graph, const GraphData *data, const MinedRules *given, const EvPath *paths, int64 count)
{
	MinedRules *all = copy_rules(given, count);
	MinedRule **sorted = sort_rules(all);

	for (int64 i = 0; i < count; i++)
	{
		MinedRule	mined = mined_of(data, &paths[i]);
		MinedRule  *rule = find_rule(sorted, given->count, &mined);

		CHECK_FOR_INTERRUPTS();
		if (rule == NULL)
		{
			rule = &all->rule[all->count++];
			*rule = mined;
			rule->text = rule_text(graph, &mined.rule);
		}
		rule->evidence_support = paths[i].support;
		rule->evidence_body_size = paths[i].body_size;
		rule->evidence_error = paths[i].error;
		rule->evidence_confidence = ev_smoothed_confidence(paths[i].support, paths[i].body_size, paths[i].error);
	}
	return all;
}

/* ---- the search ------------------------------------------------------------------- */

static int64
find_paths(const GraphData *data, const TrainSettings *settings, Pool *pool, EvPath **paths)
{
	EvSearch	search = path_rules_search(settings, data->facts);
	Arena		arena = hkg_arena();
	EvFacts		facts;

	ev_facts(&arena, pool, data->entities, data->relations, data->fact, data->facts, &facts);
	return ev_paths(&arena, pool, &facts, &search, paths);
}

MinedRules *
path_rules_find(Graph *graph, const GraphData *data, const TrainSettings *settings, Pool *pool, const MinedRules *given)
{
	MemoryContext search = AllocSetContextCreate(CurrentMemoryContext, "hybridkg path rules", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(search);
	EvPath	   *paths = NULL;
	int64		count;
	MinedRules *all;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	count = find_paths(data, settings, pool, &paths);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	MemoryContextSwitchTo(caller);
	all = merge(graph, data, given, paths, count);
	MemoryContextDelete(search);
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE,
				(errmsg_internal("found " INT64_FORMAT " path rules (%.1f s)", count, INSTR_TIME_GET_DOUBLE(end))));
	return all;
}
