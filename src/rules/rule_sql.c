/*
 * rule_sql.c
 *		A rule's body as SQL over the graph's own tables (see rule_sql.h).
 *
 * A body is an inner join: atom i is the facts b<i>, a term of two atoms equates two columns, a constant equates
 * a column with an id, and a constant of the head is that id in place of a column.  Of an atom with an open variable one
 * fact is enough: where other atoms, or the caller, bind its other variable, it is a lateral join with limit 1, so that
 * the facts of a hub are not multiplied.  Only ids and the graph's quoted name go into a statement, so it contains no
 * text of a user.  Without such atoms it stays in the subset that distributed engines run: inner joins on equality,
 * DISTINCT, integers.
 */
#include "rule_sql.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "server/argument.h"

#include "mine.h"

/* A statement in the making */
typedef struct BodySql
{
	StringInfoData text;
	const Graph *graph;
	const char *triple;			/* the table of facts */
	Rule		rule;
	const char *given[2];		/* what X and Y are; NULL: the statement finds them */
} BodySql;

static BodySql
body_sql(const Graph *graph, const Rule *rule, const char *x, const char *y)
{
	BodySql		body = {.graph = graph,.triple = psprintf("%striple", graph->prefix),.rule = *rule,.given = {x, y}};

	initStringInfo(&body.text);
	return body;
}

/* ---- atoms and terms -------------------------------------------------------- */

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

/* The place of an atom's open variable; -1 when it has none. */
static int
open_place(const Rule *rule, int i)
{
	for (int place = 0; place < 2; place++)
		if (rule_term_is_open(rule, atom_term(&rule->body[i], place)))
			return place;
	return -1;
}

/* Whether one fact of atom i is as good as all: it has an open variable, and something else binds the other one. */
static bool
is_single(const BodySql *body, int i)
{
	const Rule *rule = &body->rule;
	int			open = open_place(rule, i);
	Term		other = atom_term(&rule->body[i], 1 - open);

	if (open < 0)
		return false;
	if (other >= TERM_Y && other <= TERM_X && body->given[TERM_X - other] != NULL)
		return true;
	for (int j = 0; j < rule->length; j++)
		if (j != i && has_facts(rule, j) && (j < i || open_place(rule, j) < 0) &&
			(rule->body[j].first == other || rule->body[j].second == other))
			return true;
	return false;
}

/* What a variable is: as given, or its first column in the joined atoms before `end`; NULL where it is new. */
static char *
variable_value(const BodySql *body, Term variable, int end)
{
	if (variable >= TERM_Y && body->given[TERM_X - variable] != NULL)
		return pstrdup(body->given[TERM_X - variable]);
	for (int i = 0; i < end; i++)
	{
		for (int place = 0; place < 2 && has_facts(&body->rule, i) && !is_single(body, i); place++)
			if (atom_term(&body->rule.body[i], place) == variable)
				return psprintf("b%d.%s", i + 1, place_name(place));
	}
	return NULL;
}

/* What X or Y is: the head's constant, or its value. */
static char *
head_value(const BodySql *body, Term term)
{
	const Atom *is = &body->rule.body[body->rule.length - 1];

	if (is->relation == RULE_IS && is->first == term)
		return psprintf("%d", is->second);
	return variable_value(body, term, body->rule.length);
}

/* ---- the body as a join ---------------------------------------------------- */

/* The condition on a column of atom i, given the atoms before `end`; none for a new variable. */
static void
append_condition(BodySql *body, int i, int place, int end)
{
	Term		term = atom_term(&body->rule.body[i], place);
	char	   *value = TERM_IS_VARIABLE(term) ? variable_value(body, term, end) : psprintf("%d", term);

	if (value != NULL)
		appendStringInfo(&body->text, " and b%d.%s = %s", i + 1, place_name(place), value);
}

static void
append_conditions(BodySql *body, int i, int end)
{
	appendStringInfo(&body->text, "b%d.relation = %d", i + 1, body->rule.body[i].relation);
	append_condition(body, i, 0, end);
	append_condition(body, i, 1, end);
}

/* The atom that the join begins with: atoms of which one fact is enough come after the others.  -1 where there is none. */
static int
first_atom(const BodySql *body)
{
	int			first = -1;

	for (int i = body->rule.length - 1; i >= 0; i--)
		if (has_facts(&body->rule, i) && (first < 0 || !is_single(body, i) || is_single(body, first)))
			first = i;
	return first;
}

/* from sports.triple b1 join sports.triple b2 on ...; the conditions of the first atom come with append_where. */
static void
append_joins(BodySql *body)
{
	int			first = first_atom(body);

	/* 1. the facts of atoms, on what they have in common with the atoms before */
	for (int i = 0; i < body->rule.length; i++)
		if (has_facts(&body->rule, i) && !is_single(body, i))
		{
			appendStringInfo(&body->text, "%s%s b%d", i == first ? "from " : "\njoin ", body->triple, i + 1);
			if (i == first)
				continue;
			appendStringInfoString(&body->text, " on ");
			append_conditions(body, i, i);
		}

	/* 2. one fact of each of the others */
	for (int i = 0; i < body->rule.length; i++)
		if (has_facts(&body->rule, i) && is_single(body, i))
		{
			appendStringInfo(&body->text, "%slateral (select * from %s b%d where ",
							 i == first ? "from " : "\njoin ", body->triple, i + 1);
			append_conditions(body, i, body->rule.length);
			appendStringInfo(&body->text, " order by %s limit 1) b%d%s", place_name(open_place(&body->rule, i)), i + 1,
							 i == first ? "" : " on true");
		}
}

static void
append_where(BodySql *body)
{
	int			first = first_atom(body);

	appendStringInfoString(&body->text, "\nwhere ");
	if (first < 0 || is_single(body, first))
		appendStringInfoString(&body->text, "true");
	else
		append_conditions(body, first, 0);
}

/* A constant of the head is what is given for its variable. */
static void
append_head_constant(BodySql *body)
{
	const Atom *is = &body->rule.body[body->rule.length - 1];

	if (is->relation == RULE_IS)
		appendStringInfo(&body->text, " and %s = %d", body->given[TERM_X - is->first], is->second);
}

/* ---- one rule ---------------------------------------------------------------- */

/* Slices are by remainders of x. */
static char *
pairs_in_slice(const Graph *graph, const char *triple, const Rule *rule, NodeSlice slice)
{
	Rule		whole = rule_with_domain(rule);
	BodySql		body = body_sql(graph, &whole, NULL, NULL);
	char	   *x = head_value(&body, TERM_X);

	body.triple = triple;
	appendStringInfo(&body.text, "select distinct %s as x, %s as y\n", x, head_value(&body, TERM_Y));
	append_joins(&body);
	append_where(&body);
	if (slice.count > 1)
		appendStringInfo(&body.text, " and pg_catalog.mod(%s & %d, %d) = %d", x, INT_MAX, slice.count, slice.number - 1);
	return body.text.data;
}

char *
rule_sql_pairs(const Graph *graph, const Rule *rule, bool left_out)
{
	char	   *triple = graph_table_name(graph, "triple");

	if (left_out)
		triple = psprintf("(select f.head, f.relation, f.tail from %s f where not exists (select from "
						  "unnest($1::int[], $2::int[], $3::int[]) as o (head, relation, tail) "
						  "where o.head = f.head and o.relation = f.relation and o.tail = f.tail))", triple);
	return psprintf("select x::int, y::int from (%s) pair", pairs_in_slice(graph, triple, rule, ALL_PAIRS));
}

/* OFFSET keeps the planner from working out the whole body first, which may be millions of pairs. */
char *
rule_sql_holds(const Graph *graph, const Rule *rule)
{
	BodySql		body = body_sql(graph, rule, "u.x", "u.y");

	appendStringInfoString(&body.text, "select u.place from unnest($1::int[], $2::int[]) "
						   "with ordinality as u (x, y, place)\nwhere exists (select\n");
	append_joins(&body);
	append_where(&body);
	append_head_constant(&body);
	appendStringInfoString(&body.text, "\noffset 0)");
	return body.text.data;
}

char *
rule_sql_groundings(const Graph *graph, const Rule *rule)
{
	BodySql		body = body_sql(graph, rule, "$1", "$2");
	int			atoms = rule_atoms(rule);

	appendStringInfoString(&body.text, "select (");
	for (int i = 1; i <= atoms; i++)
		appendStringInfo(&body.text, "%sr%d.name || '(' || h%d.name || ', ' || t%d.name || ')'",
						 i == 1 ? "" : " || ', ' || ", i, i, i);
	appendStringInfo(&body.text, "%s)::text as grounding\n", atoms == 0 ? "null" : "");
	append_joins(&body);
	for (int i = 1; i <= atoms; i++)
		appendStringInfo(&body.text,
						 "\njoin %1$srelation r%2$d on r%2$d.id = b%2$d.relation"
						 "\njoin %1$sentity h%2$d on h%2$d.id = b%2$d.head"
						 "\njoin %1$sentity t%2$d on t%2$d.id = b%2$d.tail",
						 graph->prefix, i);
	append_where(&body);
	append_head_constant(&body);
	appendStringInfoString(&body.text, "\norder by 1");
	return body.text.data;
}

/* ---- SQL functions ---------------------------------------------------------- */

static Graph *
open_rule(FunctionCallInfo fcinfo, Rule *rule)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *text = argument_text(fcinfo, 1, "rule");
	Graph	   *graph = graph_open_facts(name);

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
	sql = pairs_in_slice(graph, psprintf("%striple", graph->prefix), &rule, ALL_PAIRS);
	sql_end();
	PG_RETURN_TEXT_P(cstring_to_text(sql));
}

/* What the rule infers, by names: its pairs, and whether each is a fact ($1: the head relation).  A node has copies. */
static char *
applied_rule_sql(const Graph *graph, const Rule *rule, NodeSlice slice)
{
	char	   *triple = graph_table_name(graph, "triple");
	char	   *entity = graph_table_name(graph, "entity");

	return psprintf("select h.name::text, r.name::text, t.name::text, fact.head is not null\n"
					"from (%s) pair\n"
					"join %s h on h.id = pair.x\n"
					"join %s t on t.id = pair.y\n"
					"join %s r on r.id = $1\n"
					"left join %s fact on fact.head = pair.x and fact.relation = $1 and fact.tail = pair.y\n"
					"order by h.name, t.name",
					pairs_in_slice(graph, triple, rule, slice), entity, entity, graph_table_name(graph, "relation"),
					triple);
}

HKG_FUNCTION(hkg_apply_rule);
Datum
hkg_apply_rule(PG_FUNCTION_ARGS)
{
	NodeSlice	slice = node_slice_argument(fcinfo, 2, INT_MAX);
	SqlResult  *result = sql_result(fcinfo);
	SqlArgs		args = {0};
	Rule		rule;
	Graph	   *graph;

	sql_begin();
	graph = open_rule(fcinfo, &rule);
	sql_arg(&args, INT4OID, Int32GetDatum(rule.head));
	sql_result_query(result, applied_rule_sql(graph, &rule, slice), &args);
	sql_end();
	return (Datum) 0;
}
