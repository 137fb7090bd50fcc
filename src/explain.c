/*
 * explain.c
 *		hkg_explain: which selected rules infer a triple, and through which facts.
 *
 * The rules are the selected ones of the model whose head is the triple's
 * relation.  Each one's body is grounded with X and Y bound, by a statement of
 * rule_sql.c that takes the two entities as parameters.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"

#include "argument.h"
#include "inquiry.h"
#include "model.h"
#include "rule.h"
#include "sql.h"

typedef struct Explanation
{
	Rule		rule;
	char	   *text;
	double		quality;
	bool		quality_is_null;
	SqlResult  *result;
} Explanation;

typedef struct ExplanationList
{
	int32		head;			/* a relation's id */
	List	   *rules;			/* of Explanation */
} ExplanationList;

static void
take_explanation(void *argument, const Datum *values, const bool *nulls)
{
	ExplanationList *list = argument;
	Explanation *explanation = palloc0(sizeof(Explanation));

	rule_from_array(list->head, values[0], &explanation->rule);
	explanation->text = TextDatumGetCString(values[1]);
	explanation->quality_is_null = nulls[2];
	if (!nulls[2])
		explanation->quality = DatumGetFloat8(values[2]);
	list->rules = lappend(list->rules, explanation);
}

/* The model's selected rules for a relation, best first. */
static List *
selected_rules(const Graph *graph, const char *model, int32 relation)
{
	ExplanationList list = {.head = relation};
	SqlArgs		args = {0};

	sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
	sql_arg(&args, INT4OID, Int32GetDatum(relation));
	sql_stream(psprintf("select body, rule, quality from %srule "
						"where model = $1 and head = $2 and selected "
						"order by quality desc nulls last, rule collate \"C\"",
						graph->prefix),
			   &args, take_explanation, &list);
	return list.rules;
}

static void
return_grounding(void *argument, const Datum *values, const bool *nulls)
{
	Explanation *explanation = argument;
	Datum		row[3] = {
		CStringGetTextDatum(explanation->text),
		Float8GetDatum(explanation->quality),
		values[0]
	};
	bool		row_nulls[3] = {false, explanation->quality_is_null, nulls[0]};

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
	foreach(cell, selected_rules(graph, model, relation))
	{
		Explanation *explanation = lfirst(cell);

		CHECK_FOR_INTERRUPTS();
		explanation->result = result;
		sql_stream(rule_sql_groundings(graph, &explanation->rule), &args, return_grounding, explanation);
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
