/*
 * learnt_rules.c
 *		hkg_learnt_paths: the paths that weigh most in a model's path network, as rules with their counts.
 *
 * paths/survey.c finds the paths, relation by relation; evidence/path_discovery.c counts them as it counts path rules.
 * Names and the ids of equal rules are looked up at last: these statements may run functions of users, which may ask
 * the same model.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "best_rule.h"
#include "core/sort.h"
#include "graph/call.h"
#include "kge/rank.h"
#include "model/predictor.h"
#include "rules/mine.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"
#include "server/host.h"

/* Edges that the counts of a rule may look at: about a second */
#define WORK_OF_RULE 1e7

#define COLUMNS 12

typedef struct LearntRule
{
	int32		relation;		/* row */
	RelationPath path;
	EvPathCounts counts;
	double		share;			/* mean over the questions that were asked */
	int64		facts;			/* of the relation */
	int64		known;			/* pairs that PCA confidence is over */
	int32		id;				/* in table rule; NO_RULE: it is not there */
} LearntRule;

typedef struct RuleSurvey
{
	const FactIndex *facts;
	const PathNetwork *network;
	Pool	   *pool;
	int			k;
	int			sample;			/* facts of a relation that are asked; 0: all */
	int64		seed;
	uint64		taken;			/* bytes of facts and network */
	LearntRule *rule;
	int64		count;
	int64		room;
} RuleSurvey;

/* ---- the rules of a relation ------------------------------------------------------------ */

/* The facts at these places, ascending, among those of the relation by head and tail */
static Triple *
facts_at(const FactIndex *facts, int32 relation, const int64 *place, int64 count)
{
	Triple	   *fact = array_new(Triple, count);
	int64		before = 0;
	int64		found = 0;

	for (int64 i = facts->holders[FORWARDS(relation)]; found < count; i++)
	{
		FactGroup	group = fact_group_at(facts, facts->holder[i]);
		int32		head = fact_holder(facts, i);

		for (; found < count && place[found] - before < group.end - group.first; found++)
			fact[found] = (Triple) {head, relation, facts->edge[group.first + place[found] - before].other};
		before += group.end - group.first;
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return fact;
}

static void
add_rules(RuleSurvey *survey, int32 relation, int64 facts, int64 asked, const RelationPath *path,
		  const EvPathCounts *counts, int64 count)
{
	Side		given = fact_functional_backwards(survey->facts, relation) ? SIDE_HEAD : SIDE_TAIL;

	survey->rule = array_reserve(survey->rule, survey->count + count, &survey->room, sizeof(LearntRule));
	for (int64 i = 0; i < count; i++)
		survey->rule[survey->count++] = (LearntRule) {
			.relation = relation,
			.path = path[i],
			.counts = counts[i],
			.share = path[i].share / (2 * (double) asked),
			.facts = facts,
			.known = counts[i].known[given],
			.id = NO_RULE
		};
}

/* The k best of a relation; all memory but theirs is given back. */
static void
survey_relation(RuleSurvey *survey, int32 relation)
{
	int64		facts = fact_count(survey->facts, relation, survey->pool);
	KgeSample	sample = survey->sample == 0 ? (KgeSample) {facts, facts} : kge_sample(facts, survey->sample);
	EvSearch	search = {.work = WORK_OF_RULE,.seed = (uint64) survey->seed};
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg learnt paths", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Arena		arena = hkg_within_memory(hkg_scratch(false),
										  survey->taken + (survey->count + survey->k) * sizeof(LearntRule),
										  "a survey of learnt paths", "ask for fewer facts with a smaller sample");
	EvPathCounts *counts = array_new(EvPathCounts, survey->k);
	int64	   *place = array_new(int64, sample.count);
	RelationPath *path;
	int64		count;

	kge_sample_draw(sample, (uint64) survey->seed, place);
	count = path_survey(&arena, survey->pool, survey->facts, survey->network,
						facts_at(survey->facts, relation, place, sample.count), sample.count, &path);
	count = Min(count, survey->k);
	ev_count_paths(&arena, survey->pool, survey->facts, &search, relation, path, count, counts);
	MemoryContextSwitchTo(caller);
	if (count > 0)
		add_rules(survey, relation, facts, sample.count, path, counts, count);
	MemoryContextDelete(work);
}

/* ---- the same rules in the table ------------------------------------------------------------ */

static void
set_id(void *argument, const Datum *values, const bool *nulls)
{
	LearntRule *rule = argument;

	rule[DatumGetInt64(values[0]) - 1].id = DatumGetInt32(values[1]);
}

static void
find_ids_of(Graph *graph, const char *model, const int32 *relation_id, LearntRule *rule, int count)
{
	SqlArgs		args = sql_args_text(model);
	int32	   *head = array_new(int32, count);
	char	  **body = array_new_zero(char *, count);

	for (int i = 0; i < count; i++)
	{
		const RelationPath *path = &rule[i].path;

		CHECK_FOR_INTERRUPTS();
		head[i] = relation_id[rule[i].relation];
		if (path->length <= RULE_MAX_BODY)
		{
			Rule		in_rows = ev_path_rule(rule[i].relation, path->atom, path->length);
			Rule		same = rule_in_ids(relation_id, &in_rows);

			body[i] = OidOutputFunctionCall(F_ARRAY_OUT, rule_body_array(&same));
		}
	}
	sql_arg(&args, INT4ARRAYOID, array_of_int4(head, count));
	sql_arg(&args, TEXTARRAYOID, array_of_text(body, count));
	sql_stream(psprintf("select u.place, min(r.id)::int from %srule r "
						"join unnest($2::int[], $3::text[]) with ordinality u (head, body, place) "
						"on r.head = u.head and r.body::int[] = u.body::int[] where r.model = $1 group by u.place",
						graph->prefix), &args, set_id, rule);
}

/* Some at a time, so that bodies as text take little beside the rules. */
static void
find_ids(Graph *graph, const char *model, const int32 *relation_id, RuleSurvey *survey)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "hybridkg rule ids", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);

	for (int64 first = 0; first < survey->count; first += NAMED_ROWS)
	{
		find_ids_of(graph, model, relation_id, survey->rule + first, (int) Min(NAMED_ROWS, survey->count - first));
		MemoryContextReset(work);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* By share, falling; then as the relations and their paths stand */
static int
compare_rules(const void *a, const void *b)
{
	const LearntRule *left = a;
	const LearntRule *right = b;

	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	return memcmp(left->path.atom, right->path.atom, sizeof(left->path.atom));
}

static void
return_rule(Graph *graph, const int32 *relation_id, const LearntRule *rule, SqlResult *result)
{
	const RelationPath *path = &rule->path;
	const EvPathCounts *counts = &rule->counts;
	StringInfoData text;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	initStringInfo(&text);
	rule_append_path(&text, graph, relation_id, rule->relation, path->atom, path->length);
	values[0] = CStringGetTextDatum(graph_relation_name(graph, relation_id[rule->relation]));
	values[1] = CStringGetTextDatum(text.data);
	values[2] = Int32GetDatum(path->length + 1);
	values[3] = Float8GetDatum(rule->share);
	values[4] = Int64GetDatum(path->questions);
	values[5] = Int64GetDatum(counts->support);
	values[6] = Int64GetDatum(counts->body_size);
	values[7] = Float8GetDatum(part_of(counts->support, rule->facts));
	values[8] = Float8GetDatum(counts->confidence);
	values[9] = Float8GetDatum(counts->error);
	values[10] = Float8GetDatum(part_of(counts->support, rule->known));
	values[11] = Int32GetDatum(rule->id);
	for (int i = 5; i <= 10; i++)
		nulls[i] = counts->body_size == 0;
	nulls[11] = rule->id == NO_RULE;
	sql_result_row(result, values, nulls);
}

static void
return_rules(Graph *graph, const int32 *relation_id, const RuleSurvey *survey, SqlResult *result)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "hybridkg row", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	for (int64 i = 0; i < survey->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		return_rule(graph, relation_id, &survey->rule[i], result);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
}

HKG_FUNCTION(hkg_learnt_paths);
Datum
hkg_learnt_paths(PG_FUNCTION_ARGS)
{
	char	   *name = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "relation");
	RuleSurvey	survey = {
		.k = argument_int(fcinfo, 2, "k", 1, 10000),
		.sample = argument_sample(fcinfo, 4),
		.seed = DatumGetInt64(argument(fcinfo, 5, "seed"))
	};
	Call		call = call_begin(fcinfo, 3);
	Predictor	predictor = predictor_open(call.graph, call.model, EV_NETWORK);
	int32		relations = predictor.model->kge.relations;
	int32	   *relation_id = array_new(int32, relations);
	int32		only = name == NULL ? -1 : model_relation_row(predictor.model, call.graph, name);

	memcpy(relation_id, predictor.evidence->relation_id, relations * sizeof(int32));
	survey.facts = &predictor.evidence->facts;
	survey.network = predictor.evidence->network;
	survey.taken = evidence_taken_bytes(predictor.evidence);
	survey.pool = hkg_pool();
	for (int32 i = 0; i < relations; i++)
		if (only < 0 || i == only)
			survey_relation(&survey, i);
	sort_array(survey.pool, POOL_LEADER, survey.rule, survey.count, sizeof(LearntRule), compare_rules);
	find_ids(call.graph, call.model, relation_id, &survey);
	return_rules(call.graph, relation_id, &survey, call.result);
	return call_end(&call);
}
