/*
 * explain.c
 *		hkg_explain: which rules speak for a triple, and through which facts; the best
 *		one for each of many triples.
 *
 * The rules are those of the triple's relation that the model's evidence hears, or that are
 * selected.  Each one's body is grounded with X and Y bound, by a statement of
 * rule_sql.c that takes the two entities as parameters.
 *
 * For many triples the evidence, where it is heard, is asked once for each (head, relation).  Then each
 * selected rule of their relations, best first, is asked which of those that have no rule yet it infers: a
 * few look-ups a triple, whatever the rule infers besides.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/array.h"
#include "explain.h"
#include "server/host.h"
#include "graph/call.h"
#include "model/model_cache.h"
#include "model/rule_table.h"
#include "rules/rule_sql.h"
#include "server/sql.h"

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	List	  **rules = argument;
	SelectedRule *selected = palloc0(sizeof(SelectedRule));

	selected->id = DatumGetInt32(values[0]);
	rule_from_array(DatumGetInt32(values[1]), values[2], &selected->rule);
	selected->share = NAN;
	selected->selected = DatumGetBool(values[5]);
	selected->text = TextDatumGetCString(values[3]);
	selected->quality_is_null = nulls[4];
	if (!nulls[4])
		selected->quality = DatumGetFloat8(values[4]);
	*rules = lappend(*rules, selected);
}

static List *
read_rules(const Graph *graph, const char *condition, const SqlArgs *args)
{
	List	   *rules = NIL;

	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", coalesce(rule::text, ''), "
						"coalesce(quality::float8, evidence_confidence::float8) as quality, coalesce(selected, false) from %srule "
						"where model = $1 and %s order by quality desc nulls last, rule collate \"C\"",
						graph->prefix, condition),
			   args, take_rule, &rules);
	return rules;
}

/* The selected rules of a model, best first. */
static List *
selected_rules(const Graph *graph, const char *model)
{
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	return read_rules(graph, "selected", &args);
}

/* ---- what is heard ---------------------------------------------------------------- */

/* What is heard of a triple (by ids) as an answer to (head, relation, ?); NULL: no rule infers it. */
static const EvCandidate *
ask_evidence(const Evidence *evidence, EvAnswering *answering, Triple triple)
{
	int32		head = graph_row(evidence->entity_id, evidence->facts.entities, triple.head);
	int32		relation = graph_row(evidence->relation_id, evidence->facts.relations, triple.relation);
	int32		tail = graph_row(evidence->entity_id, evidence->facts.entities, triple.tail);
	const EvCandidate *candidates;

	if (head < 0 || relation < 0 || tail < 0)
		return NULL;
	ev_answer(answering, SIDE_TAIL, head, relation, hkg_leader(), POOL_LEADER, &candidates);
	return ev_candidate(answering, tail);
}

/* A rule with constants that was counted for the question: it is in no table. */
static Rule
counted_rule(const Evidence *evidence, Triple triple, const EvFiring *heard)
{
	const EvEdge *edge = &evidence->facts.edge[heard->number];
	bool		backwards = edge->atom != EV_FORWARDS(EV_RELATION(edge->atom));
	Term		free = heard->source == EV_FEATURE ? TERM_X : TERM_Y;
	Term		constant = evidence->entity_id[edge->other];
	Rule		rule = {.head = triple.relation,.length = 2};

	rule.body[0].relation = evidence->relation_id[EV_RELATION(edge->atom)];
	rule.body[0].first = backwards ? constant : free;
	rule.body[0].second = backwards ? free : constant;
	rule.body[1].relation = RULE_IS;
	rule.body[1].first = free == TERM_X ? TERM_Y : TERM_X;
	rule.body[1].second = free == TERM_X ? triple.tail : triple.head;
	rule_canonicalise(&rule);
	return rule;
}

/* The id of a heard rule in table rule; false when it was counted for the question. */
static bool
id_of(const EvRules *rules, const EvFiring *heard, int32 *id)
{
	if (heard->source == EV_PATH)
		*id = rules->rule[heard->number].id;
	else if (heard->source == EV_PATTERN)
		*id = rules->pattern[heard->number].id;
	return heard->source == EV_PATH || heard->source == EV_PATTERN;
}

/* ---- the best rule of each of many triples ---------------------------------------- */

static bool
has_rule(const BestRule *best)
{
	return best->id != NO_RULE || best->counted != NULL;
}

/* Triples in order, so that no question is asked twice */
typedef struct PlacedTriple
{
	Triple	triple;
	int64		place;
} PlacedTriple;

static int
compare_placed(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return triple_compare(a, b);
}

static PlacedTriple *
sort_triples(const Triple *triple, int64 count)
{
	PlacedTriple *sorted = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(PlacedTriple) * Max(count, 1));

	for (int64 i = 0; i < count; i++)
		sorted[i] = (PlacedTriple) {triple[i], i};
	qsort(sorted, count, sizeof(PlacedTriple), compare_placed);
	return sorted;
}

/* The most confident of the rules that are heard of each, which has the greatest share of the evidence. */
static void
hear_rules(Graph *graph, const Evidence *evidence, const Triple *triple, int64 count, BestRule *best)
{
	EvAnswering    *answering = evidence_answering(evidence, 0);
	PlacedTriple *sorted = sort_triples(triple, count);

	for (int64 i = 0; i < count; i++)
	{
		const EvCandidate *candidate = ask_evidence(evidence, answering, sorted[i].triple);
		BestRule   *of = &best[sorted[i].place];

		CHECK_FOR_INTERRUPTS();
		if (candidate != NULL && !id_of(&evidence->rules, &candidate->firing[0], &of->id))
		{
			Rule		rule = counted_rule(evidence, sorted[i].triple, &candidate->firing[0]);

			of->counted = rule_text(graph, &rule);
		}
	}
	pfree(sorted);
}

typedef struct Asking
{
	const Triple *triple;
	int64		count;
	BestRule   *best;			/* of each triple */
	int64	   *asked;			/* positions of those that a rule is asked about */
	int32	   *x;
	int32	   *y;
	int32		rule;			/* the one that is asked */
} Asking;

static void
take_inferred(void *argument, const Datum *values, const bool *nulls)
{
	Asking	   *asking = argument;

	asking->best[asking->asked[DatumGetInt64(values[0]) - 1]].id = asking->rule;
}

static void
ask_rule(const Graph *graph, const SelectedRule *selected, Asking *asking)
{
	SqlArgs		args = {0};
	int			count = 0;

	for (int64 i = 0; i < asking->count; i++)
	{
		if (asking->triple[i].relation != selected->rule.head || has_rule(&asking->best[i]))
			continue;
		asking->asked[count] = i;
		asking->x[count] = asking->triple[i].head;
		asking->y[count++] = asking->triple[i].tail;
	}
	if (count == 0)
		return;
	asking->rule = selected->id;
	sql_arg(&args, INT4ARRAYOID, array_of_int4(asking->x, count));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(asking->y, count));
	sql_stream(rule_sql_holds(graph, &selected->rule), &args, take_inferred, asking);
}

/* The best of the selected rules, for those that have no rule yet */
static void
ask_selected_rules(const Graph *graph, const char *model, const Triple *triple, int64 count, BestRule *best)
{
	MemoryContext context = CurrentMemoryContext;
	Size		room = Max(count, 1);
	Asking		asking = {
		.triple = triple,
		.count = count,
		.best = best,
		.asked = MemoryContextAllocHuge(context, sizeof(int64) * room),
		.x = MemoryContextAllocHuge(context, sizeof(int32) * room),
		.y = MemoryContextAllocHuge(context, sizeof(int32) * room)
	};
	ListCell   *cell;

	foreach(cell, selected_rules(graph, model))
	{
		CHECK_FOR_INTERRUPTS();
		ask_rule(graph, lfirst(cell), &asking);
	}
	pfree(asking.asked);
	pfree(asking.x);
	pfree(asking.y);
}

uint64
best_rule_bytes(int64 count)
{
	return count * (sizeof(BestRule) + sizeof(PlacedTriple));
}

BestRule *
best_rule_of_each(Graph *graph, const char *model, const Evidence *evidence, const Triple *triple, int64 count)
{
	BestRule   *best = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(BestRule) * Max(count, 1));

	for (int64 i = 0; i < count; i++)
		best[i] = (BestRule) {.id = NO_RULE};
	if (evidence != NULL)
		hear_rules(graph, evidence, triple, count, best);
	ask_selected_rules(graph, model, triple, count, best);
	return best;
}

void
arg_best_rules(SqlArgs *args, const BestRule *rule, int count)
{
	int32	   *id = palloc_extended(sizeof(int32) * Max(count, 1), MCXT_ALLOC_HUGE);
	char	  **counted = palloc_extended(sizeof(char *) * Max(count, 1), MCXT_ALLOC_HUGE);

	for (int i = 0; i < count; i++)
	{
		id[i] = rule[i].id;
		counted[i] = rule[i].counted;
	}
	sql_arg(args, INT4ARRAYOID, array_of_int4(id, count));
	sql_arg(args, TEXTARRAYOID, array_of_text(counted, count));
	pfree(id);
	pfree(counted);
}

/* ---- the reasons of one triple ----------------------------------------------------- */

typedef struct Explanation
{
	Graph	   *graph;
	const char *model;
	Triple	triple;			/* by ids */
	SqlResult  *result;

	const Evidence *evidence;	/* where the model hears rules, and knows what the triple is about; else NULL */
	const EvCandidate *candidate;	/* NULL: no rule is heard */
	double		embedding_share;
	double		evidence_share;
} Explanation;

/* Ids of the rules that are heard; returns how many. */
static int
heard_ids(const Explanation *explanation, int32 *id)
{
	const EvCandidate *candidate = explanation->candidate;
	int			count = 0;

	for (int i = 0; candidate != NULL && i < candidate->count; i++)
		count += id_of(&explanation->evidence->rules, &candidate->firing[i], &id[count]);
	return count;
}

static void
share_of(List *rules, int32 id, double share)
{
	ListCell   *cell;

	foreach(cell, rules)
	{
		SelectedRule *rule = lfirst(cell);

		if (rule->id == id)
			rule->share = share;
	}
}

/* The rules of the table that are selected or heard, and those that were counted for the question */
static List *
speaking_rules(const Explanation *explanation)
{
	const EvCandidate *candidate = explanation->candidate;
	int32		id[EV_FIRINGS];
	List	   *rules;
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(explanation->model));
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.relation));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(id, heard_ids(explanation, id)));
	rules = read_rules(explanation->graph, "head = $2 and (selected or id = any ($3))", &args);
	for (int i = 0; candidate != NULL && i < candidate->count; i++)
	{
		const EvFiring *heard = &candidate->firing[i];
		double		share = explanation->evidence_share * ev_share(candidate, explanation->evidence->weights.discount, i);

		if (id_of(&explanation->evidence->rules, heard, &id[0]))
			share_of(rules, id[0], share);
		else
		{
			SelectedRule *counted = palloc0(sizeof(SelectedRule));

			counted->rule = counted_rule(explanation->evidence, explanation->triple, heard);
			counted->text = rule_text(explanation->graph, &counted->rule);
			counted->quality = heard->confidence;
			counted->share = share;
			rules = lappend(rules, counted);
		}
	}
	return rules;
}

/* By share, those that are not heard last and in the order that they had: list_sort keeps it. */
static int
compare_shares(const ListCell *a, const ListCell *b)
{
	const SelectedRule *left = lfirst(a);
	const SelectedRule *right = lfirst(b);
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

/* Scores both halves, if the model hears rules. */
static void
hear_both(Explanation *explanation)
{
	SqlArgs		args = {0};
	Datum		hears;
	EvAnswering    *answering;
	uint64		serial;
	int32		key;
	const Evidence *evidence;
	const Model *model;
	Triple	row;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(explanation->model));
	if (!sql_value(psprintf("select true from %smodel where name = $1 and evidence is not null and score_function is not null",
							explanation->graph->prefix), &args, &hears))
		return;
	model = model_open(explanation->graph, explanation->model);
	evidence = model_evidence(explanation->graph, model, &answering, &serial);
	row = (Triple) {
		graph_row(model->entity_id, model->kge.entities, explanation->triple.head),
		graph_row(model->relation_id, model->kge.relations, explanation->triple.relation),
		graph_row(model->entity_id, model->kge.entities, explanation->triple.tail)
	};
	if (evidence == NULL || row.head < 0 || row.relation < 0 || row.tail < 0)
		return;
	key = 2 * row.relation + SIDE_TAIL;
	explanation->evidence = evidence;
	explanation->candidate = ask_evidence(evidence, answering, explanation->triple);
	explanation->embedding_share = evidence->weights.scale[key] * kge_score(&model->kge, row);
	if (explanation->candidate != NULL)
		explanation->evidence_share = evidence->weights.scale[key] * evidence->weights.weight[key] *
			evidence_of_candidate(evidence, EV_BOTH, explanation->candidate);
}

/* ---- the function ------------------------------------------------------------------- */

typedef struct Telling
{
	const SelectedRule *rule;
	SqlResult  *result;
} Telling;

static void
return_grounding(void *argument, const Datum *values, const bool *nulls)
{
	Telling    *telling = argument;
	const SelectedRule *rule = telling->rule;
	Datum		row[4] = {
		CStringGetTextDatum(rule->text),
		Float8GetDatum(rule->quality),
		values[0],
		Float8GetDatum(rule->share)
	};
	bool		row_nulls[4] = {false, rule->quality_is_null, nulls[0], isnan(rule->share)};

	sql_result_row(telling->result, row, row_nulls);
	pfree(DatumGetPointer(row[0]));
}

static void
return_embedding(const Explanation *explanation)
{
	Datum		row[4] = {CStringGetTextDatum("(embedding)"), 0, 0, Float8GetDatum(explanation->embedding_share)};
	bool		nulls[4] = {false, true, true, false};

	sql_result_row(explanation->result, row, nulls);
}

static void
explain(Explanation *explanation)
{
	List	   *rules;
	ListCell   *cell;
	SqlArgs		args = {0};

	hear_both(explanation);
	if (explanation->evidence != NULL)
		return_embedding(explanation);
	rules = speaking_rules(explanation);
	list_sort(rules, compare_shares);
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.head));
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->triple.tail));
	foreach(cell, rules)
	{
		Telling		telling = {lfirst(cell), explanation->result};
		char	   *groundings = rule_sql_groundings(explanation->graph, &telling.rule->rule);

		CHECK_FOR_INTERRUPTS();
		/* there may be thousands; of the few that are selected all are told */
		if (!telling.rule->selected)
			groundings = psprintf("%s limit 1", groundings);
		sql_stream(groundings, &args, return_grounding, &telling);
	}
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
	explanation.triple.head = graph_entity_id(call.graph, head);
	explanation.triple.relation = graph_relation_id(call.graph, relation);
	explanation.triple.tail = graph_entity_id(call.graph, tail);
	explain(&explanation);
	return call_end(&call);
}
