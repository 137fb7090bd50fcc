/*
 * rule_sql.c
 *		A rule's body as SQL over the graph's own tables (see rule_sql.h).
 *
 * A body is an inner join: atom i is the facts b<i>, a term of two atoms equates two columns, a constant equates
 * a column with an id, and a constant of the head is that id in place of a column.  Only ids and the graph's
 * quoted name go into a statement, so it contains no text of a user, and it stays in the subset that
 * distributed engines run: inner joins on equality, DISTINCT, integers.
 */
#include "rule_sql.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "server/argument.h"

/* ---- the body as a join ---------------------------------------------------- */

/* Whether atom i is one that facts match, rather than a constant of the head. */
static inline bool
has_facts(const Rule *rule, int i)
{
	return rule->body[i].relation != RULE_IS;
}

static Term
atom_term(const Atom *atom, int place)
{
	return place == 0 ? atom->first : atom->second;
}

static const char *
place_name(int place)
{
	return place == 0 ? "head" : "tail";
}

/* The first column of a variable in the atoms before `end`; NULL when there is none. */
static char *
variable_column(const Rule *rule, Term variable, int end)
{
	for (int i = 0; i < end; i++)
	{
		for (int place = 0; place < 2 && has_facts(rule, i); place++)
			if (atom_term(&rule->body[i], place) == variable)
				return psprintf("b%d.%s", i + 1, place_name(place));
	}
	return NULL;
}

/* What X or Y is: a column, or the head's constant. */
static char *
head_column(const Rule *rule, Term term)
{
	const Atom *is = &rule->body[rule->length - 1];

	if (is->relation == RULE_IS && is->first == term)
		return psprintf("%d", is->second);
	return variable_column(rule, term, rule->length);
}

/* The condition on a column of atom i, given the atoms before it; none for a new variable. */
static void
append_condition(StringInfo sql, const Rule *rule, int i, int place)
{
	Term		term = atom_term(&rule->body[i], place);
	char	   *value = TERM_IS_VARIABLE(term) ? variable_column(rule, term, i) : psprintf("%d", term);

	if (value != NULL)
		appendStringInfo(sql, " and b%d.%s = %s", i + 1, place_name(place), value);
}

static void
append_conditions(StringInfo sql, const Rule *rule, int i)
{
	appendStringInfo(sql, "b%d.relation = %d", i + 1, rule->body[i].relation);
	append_condition(sql, rule, i, 0);
	append_condition(sql, rule, i, 1);
}

/* from sports.triple b1 join sports.triple b2 on ...; the first atom's conditions come at the end. */
static void
append_joins(StringInfo sql, const Graph *graph, const Rule *rule)
{
	appendStringInfo(sql, "from %striple b1", graph->prefix);
	for (int i = 1; i < rule->length; i++)
	{
		if (!has_facts(rule, i))
			continue;
		appendStringInfo(sql, "\njoin %striple b%d on ", graph->prefix, i + 1);
		append_conditions(sql, rule, i);
	}
}

/* ---- one rule ---------------------------------------------------------------- */

static void
append_first_conditions(StringInfo sql, const Rule *rule)
{
	appendStringInfoString(sql, "\nwhere ");
	append_conditions(sql, rule, 0);
}

char *
rule_sql_pairs(const Graph *graph, const Rule *rule)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "select distinct %s as x, %s as y\n",
					 head_column(rule, TERM_X), head_column(rule, TERM_Y));
	append_joins(&sql, graph, rule);
	append_first_conditions(&sql, rule);
	return sql.data;
}

/* OFFSET keeps the planner from working out the whole body first, which may be millions of pairs. */
char *
rule_sql_holds(const Graph *graph, const Rule *rule)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select u.place from unnest($1::int[], $2::int[]) "
						   "with ordinality as u (x, y, place)\nwhere exists (select\n");
	append_joins(&sql, graph, rule);
	append_first_conditions(&sql, rule);
	appendStringInfo(&sql, " and %s = u.x and %s = u.y\noffset 0)",
					 head_column(rule, TERM_X), head_column(rule, TERM_Y));
	return sql.data;
}

/* r1.name || '(' || h1.name || ', ' || t1.name || ')' */
static void
append_readable_atoms(StringInfo sql, const Rule *rule)
{
	for (int i = 1; i <= rule_atoms(rule); i++)
		appendStringInfo(sql, "%sr%d.name || '(' || h%d.name || ', ' || t%d.name || ')'",
						 i == 1 ? "" : " || ', ' || ", i, i, i);
}

static void
append_name_joins(StringInfo sql, const Graph *graph, const Rule *rule)
{
	for (int i = 1; i <= rule_atoms(rule); i++)
		appendStringInfo(sql,
						 "\njoin %1$srelation r%2$d on r%2$d.id = b%2$d.relation"
						 "\njoin %1$sentity h%2$d on h%2$d.id = b%2$d.head"
						 "\njoin %1$sentity t%2$d on t%2$d.id = b%2$d.tail",
						 graph->prefix, i);
}

/* Appends what is selected and where it comes from. */
static void
append_groundings(StringInfo sql, const Graph *graph, const Rule *rule)
{
	appendStringInfoChar(sql, '\n');
	append_joins(sql, graph, rule);
	append_name_joins(sql, graph, rule);
	append_first_conditions(sql, rule);
	appendStringInfo(sql, " and %s = $1 and %s = $2\norder by 1",
					 head_column(rule, TERM_X), head_column(rule, TERM_Y));
}

char *
rule_sql_groundings(const Graph *graph, const Rule *rule)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select (");
	append_readable_atoms(&sql, rule);
	appendStringInfoString(&sql, ")::text as grounding");
	append_groundings(&sql, graph, rule);
	return sql.data;
}

char *
rule_sql_grounding_names(const Graph *graph, const Rule *rule)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select array[");
	for (int i = 1; i <= rule_atoms(rule); i++)
		appendStringInfo(&sql, "%sr%d.name::text, h%d.name::text, t%d.name::text", i == 1 ? "" : ", ", i, i, i);
	appendStringInfoString(&sql, "] as names");
	append_groundings(&sql, graph, rule);
	return sql.data;
}

/* ---- SQL functions ---------------------------------------------------------- */

static Graph *
open_rule(FunctionCallInfo fcinfo, Rule *rule)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *text = argument_text(fcinfo, 1, "rule");
	Graph	   *graph = graph_open(name);

	rule_parse(graph, text, rule);
	return graph;
}

HKG_FUNCTION(hkg_rule_sql);
Datum
hkg_rule_sql(PG_FUNCTION_ARGS)
{
	Rule		rule;
	Graph	   *graph;
	char	   *sql;

	sql_begin();
	graph = open_rule(fcinfo, &rule);
	sql = rule_sql_pairs(graph, &rule);
	sql_end();
	PG_RETURN_TEXT_P(cstring_to_text(sql));
}

/* What the rule infers, by names: its pairs, and whether each is a fact ($1: the head relation). */
static char *
applied_rule_sql(const Graph *graph, const Rule *rule)
{
	return psprintf("select h.name::text, r.name::text, t.name::text, fact.head is not null\n"
					"from (%s) pair\n"
					"join %sentity h on h.id = pair.x\n"
					"join %sentity t on t.id = pair.y\n"
					"join %srelation r on r.id = $1\n"
					"left join %striple fact on fact.head = pair.x and fact.relation = $1 and fact.tail = pair.y\n"
					"order by h.name, t.name",
					rule_sql_pairs(graph, rule), graph->prefix, graph->prefix,
					graph->prefix, graph->prefix);
}

HKG_FUNCTION(hkg_apply_rule);
Datum
hkg_apply_rule(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	SqlArgs		args = {0};
	Rule		rule;
	Graph	   *graph;

	sql_begin();
	graph = open_rule(fcinfo, &rule);
	sql_arg(&args, INT4OID, Int32GetDatum(rule.head));
	sql_result_query(result, applied_rule_sql(graph, &rule), &args);
	sql_end();
	PG_RETURN_NULL();
}
