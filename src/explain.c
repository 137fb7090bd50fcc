/*
 * explain.c
 *		hkg_explain: which selected rules infer a triple, and through which facts; the best
 *		one for each of many triples.
 *
 * The rules are the selected ones of the model whose head is the triple's
 * relation.  Each one's body is grounded with X and Y bound, by a statement of
 * rule_sql.c that takes the two entities as parameters.
 *
 * For many triples each selected rule of their relations, best first, is asked which of those
 * that have no rule yet it infers: a few look-ups a triple, whatever the rule infers
 * besides.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "argument.h"
#include "array.h"
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
	selected->text = TextDatumGetCString(values[3]);
	selected->quality_is_null = nulls[4];
	if (!nulls[4])
		selected->quality = DatumGetFloat8(values[4]);
	*rules = lappend(*rules, selected);
}

List *
selected_rules(const Graph *graph, const char *model, const int32 *relation)
{
	List	   *rules = NIL;
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	if (relation != NULL)
		sql_arg(&args, INT4OID, Int32GetDatum(*relation));
	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", coalesce(rule::text, ''), quality::float8 from %srule "
						"where model = $1 and selected %s "
						"order by quality desc nulls last, rule collate \"C\"",
						graph->prefix, relation == NULL ? "" : "and head = $2"),
			   &args, take_rule, &rules);
	return rules;
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
	foreach(cell, selected_rules(graph, model, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		ask_rule(graph, lfirst(cell), &asking);
	}
	pfree(asking.asked);
	pfree(asking.x);
	pfree(asking.y);
	return asking.best;
}

/* ---- the function ------------------------------------------------------------------- */

typedef struct Explanation
{
	const SelectedRule *selected;
	SqlResult  *result;
} Explanation;

static void
return_grounding(void *argument, const Datum *values, const bool *nulls)
{
	Explanation *explanation = argument;
	const SelectedRule *selected = explanation->selected;
	Datum		row[3] = {
		CStringGetTextDatum(selected->text),
		Float8GetDatum(selected->quality),
		values[0]
	};
	bool		row_nulls[3] = {false, selected->quality_is_null, nulls[0]};

	sql_result_row(explanation->result, row, row_nulls);
	pfree(DatumGetPointer(row[0]));
}

static void
explain(Graph *graph, const char *model, int32 head, int32 relation, int32 tail,
		SqlResult *result)
{
	ListCell   *cell;
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(head));
	sql_arg(&args, INT4OID, Int32GetDatum(tail));
	foreach(cell, selected_rules(graph, model, &relation))
	{
		Explanation explanation = {lfirst(cell), result};

		CHECK_FOR_INTERRUPTS();
		sql_stream(rule_sql_groundings(graph, &explanation.selected->rule), &args,
				   return_grounding, &explanation);
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
	Graph	   *graph = inquiry.graph;
	int32		head_id;
	int32		relation_id;

	model_require(graph, inquiry.model);
	head_id = graph_entity_id(graph, head);
	relation_id = graph_relation_id(graph, relation);
	explain(graph, inquiry.model, head_id, relation_id, graph_entity_id(graph, tail), inquiry.result);
	return inquiry_end(&inquiry);
}
