/*
 * path_rules.c
 *		The rules that a model takes as evidence at prediction: path rules, found in the facts
 *		alone (evidence/path_discovery.c), beside those that the procedure selected.
 *
 * Their counts are not those of mining, see EvPath; a rule that was mined has both.
 */
#include "path_rules.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "server/host.h"

/* Measured: what a rule says that holds for one in a thousand still tells answers apart. */
#define MIN_SUPPORT 2
#define MIN_CONFIDENCE 0.001

/* Edges that the search may look at, for each fact: 300,000 of them take ten to twenty seconds. */
#define WORK_OF_FACT 10000

EvSearch
evidence_search(const TrainSettings *settings, int64 facts)
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

/* A term on the path: X, A, B, ..., Y */
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
		bool		backwards = path->atom[i] != EV_FORWARDS(EV_RELATION(path->atom[i]));

		rule.body[i].relation = data->relation_id[EV_RELATION(path->atom[i])];
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

/* ---- which of them are there already ------------------------------------------- */

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

static MinedRules *
merge(Procedure *procedure, const MinedRules *given, const EvPath *paths, int64 count)
{
	MinedRules *all = palloc(sizeof(MinedRules));
	MinedRule **sorted = MemoryContextAllocHuge(CurrentMemoryContext, Max(given->count, 1) * sizeof(MinedRule *));

	all->count = given->count;
	all->rule = MemoryContextAllocHuge(CurrentMemoryContext, Max(given->count + count, 1) * sizeof(MinedRule));
	memcpy(all->rule, given->rule, given->count * sizeof(MinedRule));
	for (int64 i = 0; i < given->count; i++)
		sorted[i] = &all->rule[i];
	qsort(sorted, given->count, sizeof(MinedRule *), compare_places);
	for (int64 i = 0; i < count; i++)
	{
		MinedRule	mined = mined_of(procedure->data, &paths[i]);
		MinedRule  *known = find_rule(sorted, given->count, &mined);

		CHECK_FOR_INTERRUPTS();
		if (known == NULL)
		{
			known = &all->rule[all->count++];
			*known = mined;
			known->text = rule_text(procedure->graph, &mined.rule);
		}
		known->evidence_support = paths[i].support;
		known->evidence_body_size = paths[i].body_size;
		known->evidence_error = paths[i].error;
		known->evidence_confidence = ev_smoothed_confidence(paths[i].support, paths[i].body_size, paths[i].error);
	}
	return all;
}

/* ---- the search ------------------------------------------------------------------- */

static int64
find_paths(Procedure *procedure, EvPath **paths)
{
	const GraphData *data = procedure->data;
	EvSearch	search = evidence_search(&procedure->settings, data->facts);
	Arena	arena = hkg_arena();
	EvFacts		facts;

	ev_facts(&arena, procedure->pool, data->entities, data->relations, data->fact, data->facts, &facts);
	return ev_paths(&arena, procedure->pool, &facts, &search, paths);
}

MinedRules *
evidence_rules(Procedure *procedure, const MinedRules *given)
{
	MemoryContext search = AllocSetContextCreate(CurrentMemoryContext, "hybridkg evidence", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(search);
	EvPath	   *paths = NULL;
	int64		count = 0;
	MinedRules *all;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	if (procedure->settings.evidence_rules > 0)
	{
		progress_phase(procedure->progress, PHASE_SEEKING);
		count = find_paths(procedure, &paths);
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	MemoryContextSwitchTo(caller);
	all = merge(procedure, given, paths, count);
	MemoryContextDelete(search);
	if (hkg_progress_level != PROGRESS_OFF && procedure->settings.evidence_rules > 0)
		ereport(NOTICE,
				(errmsg_internal("evidence: " INT64_FORMAT " path rules (%.1f s)", count, INSTR_TIME_GET_DOUBLE(end))));
	return all;
}
