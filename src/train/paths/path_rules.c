/*
 * path_rules.c
 *		The rules that a model uses as evidence at prediction: the rules of the best iteration, and path rules that are
 *		found in the facts alone (evidence/path_discovery.c).
 *
 * Path rules are counted under object identity (EvPathCounts), mined rules are not.  A rule that is both has both
 * counts.
 */
#include "path_rules.h"

#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "server/growing_array.h"
#include "server/host.h"
#include "server/progress.h"

#define EVIDENCE_LENGTH 4

/* Measured: rules of a confidence of one in a thousand still improve the order of answers. */
#define MIN_SUPPORT 2
#define MIN_CONFIDENCE 0.001

/* Edges that the search may visit for each fact, and in all: some ten seconds for each length of rules */
#define WORK_OF_FACT 10000
#define MOST_WORK 3e9

EvSearch
path_rules_search(const TrainSettings *settings, int64 facts)
{
	EvSearch	search = {
		.length = (settings->evidence_length > 0 ? settings->evidence_length : EVIDENCE_LENGTH) - 1,
		.limit = settings->evidence_rules,
		.min_support = MIN_SUPPORT,
		.min_confidence = MIN_CONFIDENCE,
		.work = Min((double) WORK_OF_FACT * facts, MOST_WORK),
		.seconds = settings->evidence_seconds,
		.seed = (uint64) settings->seed
	};

	return search;
}

/* ---- together with the given rules ----------------------------------------------- */

MinedRules *
path_rules_merge(Graph *graph, const GraphData *data, const MinedRules *given, const PathRules *paths)
{
	MinedRules *all = palloc(sizeof(MinedRules));
	MinedRule **sorted = array_new(MinedRule *, given->count);	/* as rule_compare orders them */

	all->count = given->count;
	all->rule = array_new(MinedRule, given->count + paths->count);
	memcpy(all->rule, given->rule, given->count * sizeof(MinedRule));
	for (int64 i = 0; i < given->count; i++)
		sorted[i] = &all->rule[i];
	rule_places_sort(sorted, given->count);
	for (int64 i = 0; i < paths->count; i++)
	{
		const EvPathRule *path = &paths->path[i];
		const EvPathCounts *counts = &path->counts;
		MinedRule	mined = {.rule = rule_in_ids(data->relation_id, &path->rule)};
		MinedRule  *rule = rule_places_find(sorted, given->count, &mined.rule);

		CHECK_FOR_INTERRUPTS();
		if (rule == NULL)
		{
			rule = &all->rule[all->count++];
			mined.embedding_confidence = mined.confidence_error = mined.quality = mined.worth = get_float8_nan();
			*rule = mined;
			rule->text = rule_text(graph, &mined.rule);
		}
		rule->evidence_support = counts->support;
		rule->evidence_body_size = counts->body_size;
		rule->evidence_error = counts->error;
		rule->evidence_confidence = ev_smoothed_confidence(counts->support, counts->body_size, counts->error);
	}
	return all;
}

/* ---- the search ------------------------------------------------------------------- */

PathRules
path_rules_find(const GraphData *data, const TrainSettings *settings, Pool *pool)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg path rules", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	EvSearch	search = path_rules_search(settings, data->facts);
	Arena		arena = hkg_arena();
	EvPathRule *path = NULL;
	FactIndex	facts;
	int64		count;
	PathRules	found;
	int64		start = monotonic_now();

	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &facts);
	count = ev_path_rules(&arena, pool, &facts, &search, &path);
	MemoryContextSwitchTo(caller);
	/* of all that the search takes, only the rules stay */
	found = (PathRules) {count, array_new(EvPathRule, count)};
	memcpy(found.path, path, count * sizeof(EvPathRule));
	MemoryContextDelete(work);
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE,
				(errmsg_plural("found %lld path rule (%.1f s)", "found %lld path rules (%.1f s)",
							   (unsigned long) count, (long long) count, seconds_since(start))));
	return found;
}

void
path_rules_recount(PathRules *rules, const GraphData *data, const TrainSettings *settings, Pool *pool)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg path rules", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	EvSearch	search = path_rules_search(settings, data->facts);
	Arena		arena = hkg_arena();
	FactIndex	facts;
	int64		start = monotonic_now();

	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &facts);
	ev_recount_path_rules(&arena, pool, &facts, &search, rules->path, rules->count);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE, (errmsg_internal("counted path rules on all facts (%.1f s)", seconds_since(start))));
}
