/*
 * rule_sql.c
 *		A rule's body as SQL over the graph's own tables (see rule_sql.h).
 *
 * A body is an inner join: atom i is the facts b<i>, a term of two atoms equates two columns, a constant equates
 * a column with an id, and a constant of the head is that id in place of a column.  Only ids and the graph's
 * quoted name go into a statement, so it contains no text of a user, and it stays in the subset that
 * distributed engines run: inner joins on equality, UNION ALL, DISTINCT, GROUP BY, integers.
 *
 * Two things differ in the statement for many bodies.  Ids are columns of its parameters: r<i> the relation of
 * atom i, c<i> its constant.  And b<i> is the facts in both directions (edges_sql), with a directed
 * atom (evidence/fact_index.h) of the relation's id, so that bodies that differ in directions share the work.
 */
#include "rule_sql.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "evidence/fact_index.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/growing_array.h"

/* ---- the body as a join ---------------------------------------------------- */

/* Some atoms of a body: a mask of bits */
typedef struct BodyJoin
{
	const Graph *graph;
	const Rule *rule;			/* of many bodies: their form */
	unsigned	atoms;
	const char *edges;			/* NULL: one rule, over the facts as they are */
} BodyJoin;

#define ALL_ATOMS(rule) ((1U << (rule)->length) - 1)

static BodyJoin
join_of_rule(const Graph *graph, const Rule *rule)
{
	return (BodyJoin) {graph, rule, ALL_ATOMS(rule), NULL};
}

static inline bool
has_atom(const BodyJoin *join, int i)
{
	return (join->atoms & (1U << i)) != 0;
}

/* Whether atom i is one that facts match, rather than a constant of the head. */
static inline bool
has_facts(const BodyJoin *join, int i)
{
	return has_atom(join, i) && join->rule->body[i].relation != RULE_IS;
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

/* The relation ('r') or the constant ('c') of atom i */
static char *
label(const BodyJoin *join, char kind, int i, int32 id)
{
	return join->edges != NULL ? psprintf("k.%c%d", kind, i + 1) : psprintf("%d", id);
}

/* The first column of a variable in the atoms before `end`; NULL when there is none. */
static char *
variable_column(const BodyJoin *join, Term variable, int end)
{
	for (int i = 0; i < end; i++)
	{
		for (int place = 0; place < 2 && has_facts(join, i); place++)
			if (atom_term(&join->rule->body[i], place) == variable)
				return psprintf("b%d.%s", i + 1, place_name(place));
	}
	return NULL;
}

/* What X or Y is: a column, or the head's constant. */
static char *
head_column(const BodyJoin *join, Term term)
{
	int			last = join->rule->length - 1;
	const Atom *is = &join->rule->body[last];

	if (is->relation == RULE_IS && is->first == term)
		return label(join, 'c', last, is->second);
	return variable_column(join, term, join->rule->length);
}

/* The condition on a column of atom i, given the atoms before it; none for a new variable. */
static void
append_condition(StringInfo sql, const BodyJoin *join, int i, int place)
{
	Term		term = atom_term(&join->rule->body[i], place);
	char	   *value = TERM_IS_VARIABLE(term) ? variable_column(join, term, i) : label(join, 'c', i, term);

	if (value != NULL)
		appendStringInfo(sql, " and b%d.%s = %s", i + 1, place_name(place), value);
}

static void
append_conditions(StringInfo sql, const BodyJoin *join, int i)
{
	appendStringInfo(sql, "b%d.relation = %s", i + 1, label(join, 'r', i, join->rule->body[i].relation));
	append_condition(sql, join, i, 0);
	append_condition(sql, join, i, 1);
}

/* from sports.triple b1 join sports.triple b2 on ...; of one rule, the first atom's conditions come at the end. */
static void
append_joins(StringInfo sql, const BodyJoin *join)
{
	for (int i = 0; i < join->rule->length; i++)
	{
		if (!has_facts(join, i))
			continue;
		if (i == 0 && join->edges == NULL)
		{
			appendStringInfo(sql, "from %s b1", join->graph->facts);
			continue;
		}
		appendStringInfo(sql, "\njoin %s b%d%s on ", join->edges == NULL ? join->graph->facts : join->edges, i + 1,
						 join->edges == NULL ? "" : " (head, relation, tail)");
		append_conditions(sql, join, i);
	}
}

/* ---- one rule ---------------------------------------------------------------- */

static void
append_first_conditions(StringInfo sql, const BodyJoin *join)
{
	appendStringInfoString(sql, "\nwhere ");
	append_conditions(sql, join, 0);
}

char *
rule_sql_pairs(const Graph *graph, const Rule *rule)
{
	BodyJoin	join = join_of_rule(graph, rule);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "select distinct %s as x, %s as y\n",
					 head_column(&join, TERM_X), head_column(&join, TERM_Y));
	append_joins(&sql, &join);
	append_first_conditions(&sql, &join);
	return sql.data;
}

/* OFFSET keeps the planner from working out the whole body first, which may be millions of pairs. */
char *
rule_sql_holds(const Graph *graph, const Rule *rule)
{
	BodyJoin	join = join_of_rule(graph, rule);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select u.place from unnest($1::int[], $2::int[]) "
						   "with ordinality as u (x, y, place)\nwhere exists (select\n");
	append_joins(&sql, &join);
	append_first_conditions(&sql, &join);
	appendStringInfo(&sql, " and %s = u.x and %s = u.y\noffset 0)",
					 head_column(&join, TERM_X), head_column(&join, TERM_Y));
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

char *
rule_sql_groundings(const Graph *graph, const Rule *rule)
{
	BodyJoin	join = join_of_rule(graph, rule);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select (");
	append_readable_atoms(&sql, rule);
	appendStringInfoString(&sql, ")::text as grounding\n");
	append_joins(&sql, &join);
	append_name_joins(&sql, graph, rule);
	append_first_conditions(&sql, &join);
	appendStringInfo(&sql, " and %s = $1 and %s = $2\norder by 1",
					 head_column(&join, TERM_X), head_column(&join, TERM_Y));
	return sql.data;
}

/* ---- many bodies: the parts of X and of Y ----------------------------------------- */

/* Whether an atom reads from its higher term to its lower one: X, Y, A, B, ..., constants. */
static bool
is_backwards(const Atom *atom)
{
	return !TERM_IS_VARIABLE(atom->first) || (TERM_IS_VARIABLE(atom->second) && atom->first < atom->second);
}

Rule
rule_form(const Rule *rule)
{
	Rule		form = {.length = rule->length};

	for (int i = 0; i < rule->length; i++)
	{
		const Atom *atom = &rule->body[i];
		bool		backwards = is_backwards(atom);

		form.body[i].relation = Min(atom->relation, 0);
		form.body[i].first = backwards ? atom->second : atom->first;
		form.body[i].second = Min(backwards ? atom->first : atom->second, 0);
	}
	return form;
}

static bool
is_in_atom(const Atom *atom, Term variable)
{
	return atom->first == variable || atom->second == variable;
}

static bool
is_in_atoms(const Rule *form, unsigned atoms, Term variable)
{
	for (int i = 0; i < form->length; i++)
		if ((atoms & (1U << i)) != 0 && is_in_atom(&form->body[i], variable))
			return true;
	return false;
}

/* Whether two atoms share a variable other than `middle`. */
static bool
share_variable(const Atom *a, const Atom *b, Term middle)
{
	return (TERM_IS_VARIABLE(a->first) && a->first != middle && is_in_atom(b, a->first)) ||
		(TERM_IS_VARIABLE(a->second) && a->second != middle && is_in_atom(b, a->second));
}

/* The atoms that hang together with Y when the body is cut at `middle`. */
static unsigned
atoms_of_y(const Rule *form, Term middle)
{
	unsigned	atoms = 0;
	unsigned	before;

	do
	{
		before = atoms;
		for (int i = 0; i < form->length; i++)
		{
			if (is_in_atom(&form->body[i], TERM_Y))
				atoms |= 1U << i;
			for (int j = 0; j < form->length; j++)
				if ((atoms & (1U << j)) != 0 && share_variable(&form->body[j], &form->body[i], middle))
					atoms |= 1U << i;
		}
	} while (atoms != before);
	return atoms;
}

static bool
cuts(const Rule *form, Term middle)
{
	return !is_in_atoms(form, atoms_of_y(form, middle), TERM_X);
}

#define NO_VARIABLE ((Term) 0)

/* The variable that joins X's part of the body to Y's: NO_VARIABLE when they are not joined, X when no other cuts. */
static Term
middle_of(const Rule *form)
{
	if (cuts(form, NO_VARIABLE))
		return NO_VARIABLE;
	for (Term term = TERM_A; is_in_atoms(form, ALL_ATOMS(form), term); term--)
		if (cuts(form, term))
			return term;
	return TERM_X;
}

/* ---- many bodies: the statement ----------------------------------------------------- */

/* One more key: "k.r1", or "l.r1 = needed.r1" where there is another table to compare with. */
static void
append_key(StringInfo list, const char *table, const char *compared, const char *separator, char kind, int i)
{
	appendStringInfo(list, "%s%s%c%d", list->len == 0 ? "" : separator, table, kind, i + 1);
	if (compared != NULL)
		appendStringInfo(list, " = %s%c%d", compared, kind, i + 1);
}

/* The keys of bodies in some atoms, each as append_key writes it: their relations and constants. */
static char *
keys(const Rule *form, unsigned atoms, const char *table, const char *compared, const char *separator)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < form->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		if (form->body[i].relation != RULE_IS)
			append_key(&list, table, compared, separator, 'r', i);
		if (!TERM_IS_VARIABLE(form->body[i].second))
			append_key(&list, table, compared, separator, 'c', i);
	}
	return list.data;
}

static char *
key_columns(const Rule *form, unsigned atoms, const char *table)
{
	return keys(form, atoms, table, NULL, ", ");
}

/* Whether atoms hold another variable than these two. */
static bool
hold_others(const Rule *form, unsigned atoms, Term one, Term other)
{
	for (int i = 0; i < form->length; i++)
	{
		for (int place = 0; place < 2 && (atoms & (1U << i)) != 0; place++)
		{
			Term		term = atom_term(&form->body[i], place);

			if (TERM_IS_VARIABLE(term) && term != one && term != other)
				return true;
		}
	}
	return false;
}

/* Whether a part of the body is the head's constant, which is the last atom. */
static bool
is_constant(const Rule *form, unsigned atoms)
{
	int			last = form->length - 1;

	return atoms == 1U << last && form->body[last].relation == RULE_IS;
}

/* The different values of `end` for each key and each value of `middle` (z, if it is a variable). */
static char *
part_sql(const BodyJoin *join, Term end, Term middle)
{
	const Rule *form = join->rule;
	const char *columns = key_columns(form, join->atoms, "");
	const char *z = TERM_IS_VARIABLE(middle) ? psprintf(", %s as z", variable_column(join, middle, form->length)) : "";
	const char *by_z = *z == '\0' ? "" : ", z";
	StringInfoData sql;

	if (is_constant(form, join->atoms))
		return psprintf("(select distinct %s, array[c%d] as list from needed)", columns, form->length);
	initStringInfo(&sql);
	appendStringInfo(&sql, "(select %s%s, array_agg(term) as list\n"
					 "from (select %s%s%s, %s as term\n"
					 "from (select distinct %s from needed) k",
					 columns, by_z, hold_others(form, join->atoms, end, middle) ? "distinct " : "",
					 key_columns(form, join->atoms, "k."), z, variable_column(join, end, form->length), columns);
	append_joins(&sql, join);
	appendStringInfo(&sql, ") pair\ngroup by %s%s)", columns, by_z);
	return sql.data;
}

/* "with needed (body, r1, ...)": the parameters as a table */
static void
append_needed(StringInfo sql, const Rule *form)
{
	int			parameters = 1;

	for (int i = 0; i < form->length; i++)
		parameters += (form->body[i].relation != RULE_IS) + !TERM_IS_VARIABLE(form->body[i].second);
	appendStringInfoString(sql, "with needed as materialized (select * from unnest(");
	for (int i = 1; i <= parameters; i++)
		appendStringInfo(sql, "%s$%d", i == 1 ? "" : ", ", i);
	appendStringInfo(sql, ") body (body, %s))\n", key_columns(form, ALL_ATOMS(form), ""));
}

/* The facts as edges (x, atom, y), both ways. */
static char *
edges_sql(const Graph *graph)
{
	return psprintf("(select head::int as x, 2 * relation::int as atom, tail::int as y from %s"
					" union all select tail::int, 2 * relation::int + 1, head::int from %s)",
					graph->facts, graph->facts);
}

char *
rule_sql_products(const Graph *graph, const Rule *form)
{
	Term		middle = middle_of(form);
	unsigned	y_atoms = middle == TERM_X ? ALL_ATOMS(form) : atoms_of_y(form, middle);
	BodyJoin	left = {graph, form, ALL_ATOMS(form) & ~y_atoms, edges_sql(graph)};
	BodyJoin	right = {graph, form, y_atoms, left.edges};
	StringInfoData sql;

	initStringInfo(&sql);
	append_needed(&sql, form);
	appendStringInfo(&sql, "select needed.body, %s, r.list\nfrom needed", left.atoms == 0 ? "array[r.z]" : "l.list");
	if (left.atoms != 0)
		appendStringInfo(&sql, "\njoin %s l on %s", part_sql(&left, TERM_X, middle),
						 keys(form, left.atoms, "l.", "needed.", " and "));
	appendStringInfo(&sql, "\njoin %s r on %s", part_sql(&right, TERM_Y, middle),
					 keys(form, right.atoms, "r.", "needed.", " and "));
	if (left.atoms != 0 && TERM_IS_VARIABLE(middle))
		appendStringInfoString(&sql, " and r.z = l.z");
	appendStringInfoString(&sql, "\norder by needed.body");
	return sql.data;
}

/* The numbers of all bodies ('n'), or the relation ('r') or the constant ('c') of one atom in each, as a parameter */
static void
arg_label(SqlArgs *args, const Rule *const *rules, int32 count, int atom, char kind)
{
	int32	   *column = array_new(int32, count);

	for (int32 i = 0; i < count; i++)
	{
		const Atom *here = &rules[i]->body[atom];

		column[i] = kind == 'n' ? i :
			kind == 'r' ? FORWARDS(here->relation) + is_backwards(here) : Max(here->first, here->second);
	}
	sql_arg(args, INT4ARRAYOID, array_of_int4(column, count));
	pfree(column);
}

SqlArgs
rule_sql_bodies(const Rule *const *rules, int32 count)
{
	Rule		form = rule_form(rules[0]);
	SqlArgs		args = {0};

	arg_label(&args, rules, count, 0, 'n');
	for (int i = 0; i < form.length; i++)
	{
		if (form.body[i].relation != RULE_IS)
			arg_label(&args, rules, count, i, 'r');
		if (!TERM_IS_VARIABLE(form.body[i].second))
			arg_label(&args, rules, count, i, 'c');
	}
	return args;
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
