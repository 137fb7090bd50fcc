/*
 * explain.c
 *		hkg_explain: which rules speak for a triple, and through which facts; the best
 *		selected one for each of many triples.
 *
 * The rules are those of the triple's relation that the model's evidence hears, or that are
 * selected.  Each one's body is grounded with X and Y bound, by a statement of
 * rule_sql.c that takes the two entities as parameters.
 *
 * For many triples each selected rule of their relations, best first, is asked which of those
 * that have no rule yet it infers: a few look-ups a triple, whatever the rule infers
 * besides.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "argument.h"
#include "array.h"
#include "evidence.h"
#include "explain.h"
#include "inquiry.h"
#include "model.h"
#include "sql.h"

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

/* ---- the best rule of each of many triples ---------------------------------------- */

typedef struct Asking
{
	const KgeTriple *triple;
	int64		count;
	int32	   *best;			/* of each triple: the rule, or NO_RULE */
	int64	   *asked;			/* positions of those that a rule is asked about */
	int32	   *x;
	int32	   *y;
	int32		rule;			/* the one that is asked */
} Asking;

static void
take_inferred(void *argument, const Datum *values, const bool *nulls)
{
	Asking	   *asking = argument;

	asking->best[asking->asked[DatumGetInt64(values[0]) - 1]] = asking->rule;
}

static void
ask_rule(const Graph *graph, const SelectedRule *selected, Asking *asking)
{
	SqlArgs		args = {0};
	int			count = 0;

	for (int64 i = 0; i < asking->count; i++)
	{
		if (asking->triple[i].relation != selected->rule.head || asking->best[i] != NO_RULE)
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

int32 *
best_rule_of_each(const Graph *graph, const char *model, const KgeTriple *triple, int64 count)
{
	Asking		asking = {.triple = triple,.count = count};
	MemoryContext context = CurrentMemoryContext;
	Size		room = Max(count, 1);
	ListCell   *cell;

	asking.best = MemoryContextAllocHuge(context, sizeof(int32) * room);
	asking.asked = MemoryContextAllocHuge(context, sizeof(int64) * room);
	asking.x = MemoryContextAllocHuge(context, sizeof(int32) * room);
	asking.y = MemoryContextAllocHuge(context, sizeof(int32) * room);
	for (int64 i = 0; i < count; i++)
		asking.best[i] = NO_RULE;
	foreach(cell, selected_rules(graph, model))
	{
		CHECK_FOR_INTERRUPTS();
		ask_rule(graph, lfirst(cell), &asking);
	}
	pfree(asking.asked);
	pfree(asking.x);
	pfree(asking.y);
	return asking.best;
}

/* ---- what is heard of one triple ---------------------------------------------------- */

typedef struct Explanation
{
	Graph	   *graph;
	const char *model;
	int32		head;			/* ids */
	int32		relation;
	int32		tail;
	SqlResult  *result;

	/* where the model hears rules; else NULL */
	const Model *opened;
	const Evidence *evidence;
	KgeTriple	triple;			/* rows */
	const EvCandidate *candidate;	/* NULL: no rule is heard */
	double		embedding_share;
	double		evidence_share;
} Explanation;

/* A rule with constants that was counted for the question: it is in no table. */
static SelectedRule *
counted_rule(const Explanation *explanation, const EvHeard *heard)
{
	const EvEdge *edge = &explanation->evidence->facts.edge[heard->number];
	bool		backwards = edge->atom != EV_FORWARDS(EV_RELATION(edge->atom));
	Term		free = heard->source == EV_FEATURE ? TERM_X : TERM_Y;
	Term		constant = explanation->opened->entity_id[edge->other];
	SelectedRule *counted = palloc0(sizeof(SelectedRule));
	Rule	   *rule = &counted->rule;

	rule->head = explanation->relation;
	rule->length = 2;
	rule->body[0].relation = explanation->opened->relation_id[EV_RELATION(edge->atom)];
	rule->body[0].first = backwards ? constant : free;
	rule->body[0].second = backwards ? free : constant;
	rule->body[1].relation = RULE_IS;
	rule->body[1].first = free == TERM_X ? TERM_Y : TERM_X;
	rule->body[1].second = free == TERM_X ? explanation->tail : explanation->head;
	rule_canonicalise(rule);
	counted->text = rule_text(explanation->graph, rule);
	counted->quality = heard->confidence;
	return counted;
}

/* The id of a heard rule in table rule; false when it was counted for the question. */
static bool
id_of(const EvRules *rules, const EvHeard *heard, int32 *id)
{
	if (heard->source == EV_PATH)
		*id = rules->rule[heard->number].id;
	else if (heard->source == EV_PATTERN)
		*id = rules->pattern[heard->number].id;
	return heard->source == EV_PATH || heard->source == EV_PATTERN;
}

/* Ids of the rules that are heard; returns how many. */
static int
heard_ids(const Explanation *explanation, int32 *id)
{
	const EvCandidate *candidate = explanation->candidate;
	int			count = 0;

	for (int i = 0; candidate != NULL && i < candidate->count; i++)
		count += id_of(&explanation->evidence->rules, &candidate->heard[i], &id[count]);
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
	int32		id[EV_HEARD];
	List	   *rules;
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(explanation->model));
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->relation));
	sql_arg(&args, INT4ARRAYOID, array_of_int4(id, heard_ids(explanation, id)));
	rules = read_rules(explanation->graph, "head = $2 and (selected or id = any ($3))", &args);
	for (int i = 0; candidate != NULL && i < candidate->count; i++)
	{
		const EvHeard *heard = &candidate->heard[i];
		double		share = explanation->evidence_share * ev_share(candidate, explanation->evidence->weights.discount, i);

		if (id_of(&explanation->evidence->rules, heard, &id[0]))
			share_of(rules, id[0], share);
		else
		{
			SelectedRule *counted = counted_rule(explanation, heard);

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
	EvAsker    *asker;
	bool		lasts;
	int32		key;
	const EvCandidate *candidates;
	const Model *model;

	sql_arg(&args, TEXTOID, CStringGetTextDatum(explanation->model));
	if (!sql_value(psprintf("select true from %smodel where name = $1 and evidence is not null and score_function is not null",
							explanation->graph->prefix), &args, &hears))
		return;
	model = model_open(explanation->graph, explanation->model);
	explanation->opened = model;
	explanation->evidence = model_evidence(explanation->graph, model, &asker, &lasts);
	explanation->triple = (KgeTriple) {
		graph_row(model->entity_id, model->kge.entities, explanation->head),
		graph_row(model->relation_id, model->kge.relations, explanation->relation),
		graph_row(model->entity_id, model->kge.entities, explanation->tail)
	};
	if (explanation->evidence == NULL || explanation->triple.head < 0 || explanation->triple.relation < 0 ||
		explanation->triple.tail < 0)
	{
		explanation->evidence = NULL;
		return;
	}
	key = 2 * explanation->triple.relation + KGE_TAIL;
	ev_ask(asker, KGE_TAIL, explanation->triple.head, explanation->triple.relation, NULL, 0, &candidates);
	explanation->candidate = ev_candidate(asker, explanation->triple.tail);
	explanation->embedding_share = explanation->evidence->weights.scale[key] *
		kge_score(&model->kge, explanation->triple);
	if (explanation->candidate != NULL)
		explanation->evidence_share = explanation->evidence->weights.scale[key] *
			explanation->evidence->weights.weight[key] *
			evidence_heard(explanation->evidence, EV_BOTH, explanation->candidate);
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
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->head));
	sql_arg(&args, INT4OID, Int32GetDatum(explanation->tail));
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
	Inquiry		inquiry = inquiry_begin(fcinfo, 4);
	Explanation explanation = {.graph = inquiry.graph,.model = inquiry.model,.result = inquiry.result};

	model_require(inquiry.graph, inquiry.model);
	explanation.head = graph_entity_id(inquiry.graph, head);
	explanation.relation = graph_relation_id(inquiry.graph, relation);
	explanation.tail = graph_entity_id(inquiry.graph, tail);
	explain(&explanation);
	return inquiry_end(&inquiry);
}
