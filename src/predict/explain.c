/*
 * explain.c
 *		hkg_explain: the embedding's, each rule's and each path's share of a triple's score, and the facts of rules and
 *		paths.
 *
 * The rules are those of the triple's relation that are evidence for the triple, and the selected ones.  Each one's
 * body is grounded with X and Y bound, by a statement of rules/rule_sql.c that takes the two entities as parameters.
 *
 * These statements may run functions of users (tables of a graph can be views), which may ask the same model other
 * questions.  The evidence stays, shared or not: this call is one of its users (model/model_cache.c).  What answers
 * questions is used again, so the rules that fire are copied from it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "best_rule.h"
#include "graph/call.h"
#include "model/predictor.h"
#include "model/reason.h"
#include "path_explanation.h"
#include "rules/rule_sql.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/host.h"

typedef struct Explanation
{
	Graph	   *graph;
	const char *relation;		/* its name */
	const char *model;
	Triple		triple;			/* by ids */
	SqlResult  *result;

	const Evidence *evidence;	/* NULL: the model has none, or no rows for the triple */
	const EvCandidate *candidate;	/* NULL: no rule fires */
	const char *embedding;		/* what it is of entities that came after the training */
	double		embedding_share;
	double		evidence_share; /* of rules */
	double		paths_share;
	ExplainedPath path[EXPLAINED_PATHS + 1];
	int			paths;
	int			listed;			/* of the paths so far */
} Explanation;

/* Ids of the rules that fire; returns how many. */
static int
firing_ids(const Explanation *explanation, int32 *id)
{
	const EvCandidate *candidate = explanation->candidate;
	int			count = 0;

	for (int i = 0; candidate != NULL && i < candidate->count; i++)
		count += firing_id(&explanation->evidence->rules, &candidate->firing[i], &id[count]);
	return count;
}

/* The rules of the table that are selected or fire, and those that were counted for the question */
static List *
rules_for_triple(const Explanation *explanation)
{
	const EvCandidate *candidate = explanation->candidate;
	int32		id[EV_FIRINGS];
	List	   *rules;
	SqlArgs		args = sql_args_text(explanation->model);

	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.relation));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(id, firing_ids(explanation, id)));
	rules = model_rules_read(explanation->graph, "head = $2 and (selected or id = any ($3))", &args);
	for (int i = 0; candidate != NULL && i < candidate->count; i++)
	{
		const EvFiring *firing = &candidate->firing[i];

		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a candidate is one of evidence that is there */
		double		share = explanation->evidence_share *
			ev_share(candidate, explanation->evidence->weights.discount, i);
		bool		in_table = firing_id(&explanation->evidence->rules, firing, &id[0]);
		Rule		counted = {0};
		ModelRule  *fired = NULL;
		ListCell   *cell;

		if (!in_table)
			counted = firing_counted_rule(explanation->evidence, explanation->triple, firing);
		/* a counted rule may be selected, too; in a model of an older version both fire */
		foreach(cell, rules)
		{
			ModelRule  *rule = lfirst(cell);

			if (in_table ? rule->id == id[0] : rule_compare(&rule->rule, &counted) == 0)
				fired = rule;
		}
		if (fired == NULL)
		{
			fired = palloc0(sizeof(ModelRule));
			fired->rule = counted;
			fired->text = rule_text(explanation->graph, &counted);
			fired->quality = firing->confidence;
			rules = lappend(rules, fired);
		}
		fired->share = isnan(fired->share) ? share : fired->share + share;
	}
	return rules;
}

/* By share; rules that add nothing come last, best first. */
static int
compare_shares(const ListCell *a, const ListCell *b)
{
	const ModelRule *left = lfirst(a);
	const ModelRule *right = lfirst(b);
	double		left_share = isnan(left->share) ? -1 : left->share;
	double		right_share = isnan(right->share) ? -1 : right->share;

	if (left_share != right_share)
		return left_share > right_share ? -1 : 1;
	if (left->quality_is_null != right->quality_is_null)
		return left->quality_is_null ? 1 : -1;
	if (left->quality != right->quality)
		return left->quality > right->quality ? -1 : 1;
	return strcmp(left->text, right->text);
}

/* How an entity of that row got its embedding */
typedef enum Origin
{
	LEARNT,
	PLACED,
	NEUTRAL
} Origin;

static Origin
origin_of(const AddedEntities *added, int32 row)
{
	int32		trained = added->model->kge.entities;

	return row < trained ? LEARNT : added->placed[row - trained] ? PLACED : NEUTRAL;
}

static const char *
embedding_of(const AddedEntities *added, Triple row)
{
	static const char *const ends[] = {"", "placed among its neighbours", "none"};
	Origin		head = origin_of(added, row.head);
	Origin		tail = origin_of(added, row.tail);

	if (head == LEARNT && tail == LEARNT)
		return REASON_EMBEDDING ")";
	if (head == LEARNT || tail == LEARNT)
		return psprintf(REASON_EMBEDDING "; of %s: %s)", head == LEARNT ? "tail" : "head",
						ends[head == LEARNT ? tail : head]);
	return psprintf(REASON_EMBEDDING "; of head: %s; of tail: %s)", ends[head], ends[tail]);
}

/* The shares of rules and of paths, which statements of users do not change any more */
static void
find_evidence_shares(Explanation *explanation, EvAnswering *answering, Triple row)
{
	const Evidence *evidence = explanation->evidence;
	KgeAdjustment weighing = ev_weighing(&evidence->weights);
	const EvCandidate *candidate = evidence_for_triple(evidence, answering, EV_BOTH, explanation->triple);
	EvCandidate *copy;

	if (candidate == NULL)
		return;
	explanation->candidate = copy = palloc(sizeof(EvCandidate));
	*copy = *candidate;
	explanation->evidence_share = kge_adjusted_share(&weighing, row.relation, SIDE_TAIL,
													 ev_evidence(candidate, evidence->weights.discount));
	explanation->paths_share = kge_adjusted_share(&weighing, row.relation, SIDE_TAIL,
												  ev_combined(&evidence->weights, EV_BOTH, 2 * row.relation + SIDE_TAIL,
															  0, candidate->network));
	if (explanation->paths_share > 0)
		explanation->paths = path_explanation(explanation->graph, evidence, row, explanation->path);
}

/* The shares of embedding and evidence, if the model has evidence. */
static void
find_shares(Explanation *explanation)
{
	SqlArgs		args = sql_args_text(explanation->model);
	Datum		found;
	const Evidence *evidence;
	const Model *model;
	ModelFacts	facts;
	Predictor	predictor;
	Triple		row;

	if (!sql_value(psprintf("select true from %smodel where name = $1 and num_nonnulls(evidence, paths) > 0 "
							"and score_function is not null", explanation->graph->prefix), &args, &found))
		return;
	model = model_open(explanation->graph, explanation->model);
	facts = model_facts(explanation->graph, model, true);
	evidence = facts.evidence;
	row = added_entities_triple(facts.added, explanation->triple);
	if (row.relation < 0)
		model_refuse_relation(model, explanation->graph, explanation->relation);
	if (evidence == NULL || row.head < 0 || row.tail < 0)
		return;
	predictor = predictor_of(model, facts, EV_BOTH);
	explanation->evidence = evidence;
	explanation->embedding = embedding_of(facts.added, row);
	explanation->embedding_share = predictor_score(&predictor, SIDE_TAIL, row.relation,
												   (ScoreParts) {predictor_parts(&predictor, row).phi, 0});
	find_evidence_shares(explanation, facts.answering, row);
}

/* ---- the function ------------------------------------------------------------------- */

typedef struct GroundingResult
{
	const ModelRule *rule;
	SqlResult  *result;
} GroundingResult;

static void
return_grounding(void *argument, const Datum *values, const bool *nulls)
{
	GroundingResult *output = argument;
	const ModelRule *rule = output->rule;
	Datum		row[4] = {
		CStringGetTextDatum(rule->text),
		Float8GetDatum(rule->quality),
		values[0],
		Float8GetDatum(rule->share)
	};
	bool		row_nulls[4] = {false, rule->quality_is_null, nulls[0], isnan(rule->share)};

	sql_result_row(output->result, row, row_nulls);
	pfree(DatumGetPointer(row[0]));
}

/* Lists those paths that have at least that share, and were not listed yet. */
static void
return_paths(Explanation *explanation, double least)
{
	for (; explanation->listed < explanation->paths; explanation->listed++)
	{
		const ExplainedPath *path = &explanation->path[explanation->listed];
		double		share = explanation->paths_share * path->share;
		Datum		row[4] = {CStringGetTextDatum(path->text), 0, 0, Float8GetDatum(share)};
		bool		nulls[4] = {false, true, path->facts == NULL, false};

		if (!(share >= least))
			return;
		if (path->facts != NULL)
			row[2] = CStringGetTextDatum(path->facts);
		sql_result_row(explanation->result, row, nulls);
	}
}

static void
explain(Explanation *explanation)
{
	List	   *rules;
	ListCell   *cell;
	SqlArgs		args = {0};

	find_shares(explanation);
	if (explanation->evidence != NULL)
	{
		Datum		row[4] = {CStringGetTextDatum(explanation->embedding), 0, 0,
			Float8GetDatum(explanation->embedding_share)};
		bool		nulls[4] = {false, true, true, false};

		sql_result_row(explanation->result, row, nulls);
	}
	rules = rules_for_triple(explanation);
	list_sort(rules, compare_shares);
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.head));
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.tail));
	foreach(cell, rules)
	{
		GroundingResult output = {lfirst(cell), explanation->result};
		char	   *groundings;

		CHECK_FOR_INTERRUPTS();
		if (!rule_head_matches(&output.rule->rule, explanation->triple.head, explanation->triple.tail))
			continue;
		return_paths(explanation, isnan(output.rule->share) ? 0 : output.rule->share);
		groundings = rule_sql_groundings(explanation->graph, &output.rule->rule);
		/* there may be thousands: all are returned for the few selected rules, one for another rule */
		if (!output.rule->selected)
			groundings = psprintf("%s limit 1", groundings);
		sql_stream(groundings, &args, return_grounding, &output);
	}
	return_paths(explanation, -INFINITY);
}

HKG_FUNCTION(hkg_explain);
Datum
hkg_explain(PG_FUNCTION_ARGS)
{
	char	   *head = argument_text(fcinfo, 1, "head");
	char	   *relation = argument_text(fcinfo, 2, "relation");
	char	   *tail = argument_text(fcinfo, 3, "tail");
	Call		call = call_begin(fcinfo, 4);
	Explanation explanation = {.graph = call.graph,.model = call.model,.result = call.result};

	model_require(call.graph, call.model);
	if (hkg_skip_unknown && (!graph_find_entity(call.graph, head, &explanation.triple.head) ||
							 !graph_find_entity(call.graph, tail, &explanation.triple.tail)))
		return call_end(&call);
	explanation.triple.head = graph_entity_id(call.graph, head);
	explanation.triple.relation = graph_relation_id(call.graph, relation);
	explanation.relation = relation;
	explanation.triple.tail = graph_entity_id(call.graph, tail);
	explain(&explanation);
	return call_end(&call);
}
