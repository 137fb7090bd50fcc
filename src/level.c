/*
 * level.c
 *		The supports of rules with constants, and of rules of four atoms.
 *
 * Their bodies are closed: each variable stands in two atoms at least, the head
 * h(X,Y) counted.  With up to three atoms that leaves, for instantiated atoms (c: any entity),
 *		a(X,c), b(Y,d);  a(X,Y), b(X,c);  a(X,Y), b(Y,c)
 * (one instantiated atom alone, or a chain that ends in one, leaves X or Y open), which constant.c
 * counts; with four atoms, those of the table below.
 *
 * The search goes level by level.  Support never rises when an atom is added, so a
 * body is looked for only over parts of it that are over the bounds themselves: each level's
 * statement joins the facts with edges, and with the parts that were found before, some of
 * which are open bodies.  One statement counts all rules of a skeleton.
 *
 * An instantiated atom is not unifiable with another atom of the rule: their
 * relations differ, or else both have constants, in the same place, and these differ.
 * (Two places unify when they are equal or one is a variable.  So no instantiated
 * atom has the head's relation.)  And its variable has two bindings, at least, where
 * rule and head hold.  Entities of negative ids are no constants: such ids mark variables.
 */
#include "mining.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "array.h"
#include "plan.h"
#include "sql.h"

#define MAX_PARTS 3
#define CHECK_EVERY (1 << 16)

/* Part of a body: its skeleton, and which atoms of the body (from 1) it is */
typedef struct Part
{
	const char *skeleton;
	int			atom[2];
} Part;

typedef struct Level
{
	const char *skeleton;
	bool		closed;
	int			length;			/* max_rule_length that asks for it */
	bool		constants;		/* whether constants must be asked for */
	Part		part[MAX_PARTS];
} Level;

#define OPEN false
#define CLOSED true

/* Instantiated atoms alone, the parts of what constant.c counts */
static const Level ends[] = {
	{"Xc", OPEN, 3, true, {{0}}},
	{"Yc", OPEN, 3, true, {{0}}}
};

static const Level levels[] = {
	{"XA", OPEN, 4, false, {{0}}},
	{"AY", OPEN, 4, false, {{0}}},
	{"XA AB", OPEN, 4, false, {{"XA", {1}}}},
	{"AB BY", OPEN, 4, false, {{"AY", {2}}}},
	{"XY XY XY", CLOSED, 4, false, {{"XY XY", {1, 2}}, {"XY XY", {1, 3}}, {"XY XY", {2, 3}}}},
	{"XY XA AY", CLOSED, 4, false, {{"XY", {1}}, {"XA AY", {2, 3}}}},
	{"XA XA AY", CLOSED, 4, false, {{"XA AY", {1, 3}}, {"XA AY", {2, 3}}}},
	{"XA AY AY", CLOSED, 4, false, {{"XA AY", {1, 2}}, {"XA AY", {1, 3}}}},
	{"XY XA XA", CLOSED, 4, false, {{"XY", {1}}, {"XA", {2}}, {"XA", {3}}}},
	{"XY AY AY", CLOSED, 4, false, {{"XY", {1}}, {"AY", {2}}, {"AY", {3}}}},
	{"XA AB BY", CLOSED, 4, false, {{"XA AB", {1, 2}}, {"AB BY", {2, 3}}}},

	{"XY XY Xc", CLOSED, 4, true, {{"XY XY", {1, 2}}, {"XY Xc", {1, 3}}, {"XY Xc", {2, 3}}}},
	{"XY XY Yc", CLOSED, 4, true, {{"XY XY", {1, 2}}, {"XY Yc", {1, 3}}, {"XY Yc", {2, 3}}}},
	{"XA AY Xc", CLOSED, 4, true, {{"XA AY", {1, 2}}, {"Xc", {3}}}},
	{"XA AY Yc", CLOSED, 4, true, {{"XA AY", {1, 2}}, {"Yc", {3}}}},
	{"XA AY Ac", CLOSED, 4, true, {{"XA AY", {1, 2}}}},
	{"XY XA Ac", CLOSED, 4, true, {{"XY", {1}}, {"XA", {2}}}},
	{"XY AY Ac", CLOSED, 4, true, {{"XY", {1}}, {"AY", {2}}}},
	{"XA XA Yc", CLOSED, 4, true, {{"XA", {1}}, {"XA", {2}}, {"Yc", {3}}}},
	{"AY AY Xc", CLOSED, 4, true, {{"AY", {1}}, {"AY", {2}}, {"Xc", {3}}}},
	{"XY Xc Xc", CLOSED, 4, true, {{"XY Xc", {1, 2}}, {"XY Xc", {1, 3}}}},
	{"XY Yc Yc", CLOSED, 4, true, {{"XY Yc", {1, 2}}, {"XY Yc", {1, 3}}}},
	{"XY Xc Yc", CLOSED, 4, true, {{"XY Xc", {1, 2}}, {"XY Yc", {1, 3}}, {"Xc Yc", {2, 3}}}},
	{"XA Ac Yc", CLOSED, 4, true, {{"XA", {1}}, {"Yc", {3}}}},
	{"AY Ac Xc", CLOSED, 4, true, {{"AY", {1}}, {"Xc", {3}}}},
	{"Xc Xc Yc", CLOSED, 4, true, {{"Xc Yc", {1, 3}}, {"Xc Yc", {2, 3}}}},
	{"Xc Yc Yc", CLOSED, 4, true, {{"Xc Yc", {1, 2}}, {"Xc Yc", {1, 3}}}}
};

static bool
is_instantiated(const Skeleton *skeleton, int i)
{
	return skeleton->place[i].to == TERM_CONSTANT;
}

/* ---- parts that are over the bounds ------------------------------------------------- */

static void
add_frequent(Frequent *frequent, const Skeleton *skeleton, int32 head, const Flesh *flesh)
{
	int			column = 0;

	numbers_append(&frequent->column[column++], head);
	for (int i = 0; i < skeleton->length; i++)
	{
		numbers_append(&frequent->column[column++], flesh->atom[i]);
		if (is_instantiated(skeleton, i))
			numbers_append(&frequent->column[column++], flesh->constant[i]);
	}
	frequent->columns = column;
	if (frequent->column[0].count % CHECK_EVERY == 0)
		mine_check_memory(3 * column * frequent->column[0].count * sizeof(int32));
}

static Frequent *
new_frequent(Mining *mining, const char *skeleton)
{
	Frequent   *frequent = &mining->frequent[mining->frequents++];

	Assert(mining->frequents <= MAX_FREQUENT);
	frequent->skeleton = skeleton;
	return frequent;
}

/* Atoms in equal places stand in the order of their numbers, as in the statements. */
static void
order_equals(const Skeleton *skeleton, Flesh *flesh)
{
	if (skeleton->length == 2 && memcmp(&skeleton->place[0], &skeleton->place[1], sizeof(Place)) == 0 &&
		flesh->atom[0] > flesh->atom[1])
	{
		DirectedAtom first = flesh->atom[0];

		flesh->atom[0] = flesh->atom[1];
		flesh->atom[1] = first;
	}
}

/* The closed bodies of a skeleton are among the candidates. */
static Frequent *
gather_candidates(Mining *mining, const char *text)
{
	Frequent   *frequent = new_frequent(mining, text);
	Skeleton	wanted;

	skeleton_parse(text, &wanted);
	for (int64 i = 0; i < mining->count; i++)
	{
		Skeleton	skeleton;
		Flesh		flesh;

		CHECK_FOR_INTERRUPTS();
		skeleton_of(&mining->candidate[i].rule, &skeleton, &flesh);
		if (skeleton_compare(&skeleton, &wanted) != 0)
			continue;
		order_equals(&skeleton, &flesh);
		add_frequent(frequent, &skeleton, mining->candidate[i].rule.head, &flesh);
	}
	return frequent;
}

/* Open ones were put there by their level, which comes first. */
Frequent *
mining_frequent(Mining *mining, const char *skeleton)
{
	for (int i = 0; i < mining->frequents; i++)
	{
		if (strcmp(mining->frequent[i].skeleton, skeleton) == 0)
			return &mining->frequent[i];
	}
	return gather_candidates(mining, skeleton);
}

/* ---- the statement of a level --------------------------------------------------------- */

typedef struct LevelSearch
{
	Mining	   *mining;
	const Level *level;
	Skeleton	skeleton;
	SqlArgs		args;
	StringInfoData with;		/* the parts, as tables */
	StringInfoData join;		/* of a body with its parts */
	Frequent   *open;			/* what an open level finds */
} LevelSearch;

/* unnest($1, $2, ...) of columns that become parameters */
static char *
unnest_sql(SqlArgs *args, const Numbers *column, int columns)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < columns; i++)
	{
		sql_arg(args, INT4ARRAYOID, array_of_int4(column[i].value, column[i].count));
		appendStringInfo(&sql, "%s$%d", i == 0 ? "" : ", ", args->count);
	}
	return psprintf("unnest(%s)", sql.data);
}

/* Names of a part's columns: head, a1, c1, a2 ... */
static char *
columns_sql(const Skeleton *part)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "head");
	for (int i = 0; i < part->length; i++)
	{
		appendStringInfo(&sql, ", a%d", i + 1);
		if (is_instantiated(part, i))
			appendStringInfo(&sql, ", c%d", i + 1);
	}
	return sql.data;
}

/* The number of the first part of the level that has this one's skeleton. */
static int
table_of(const Level *level, int number)
{
	for (int i = 0; i < number; i++)
	{
		if (strcmp(level->part[i].skeleton, level->part[number].skeleton) == 0)
			return i;
	}
	return number;
}

/* Adds a part to the statement; false when there is none over the bounds, so no body either. */
static bool
add_part(LevelSearch *search, int number)
{
	const Part *part = &search->level->part[number];
	int			table = table_of(search->level, number);
	Frequent   *frequent = mining_frequent(search->mining, part->skeleton);
	Skeleton	skeleton;

	if (frequent->column[0].count == 0)
		return false;
	skeleton_parse(part->skeleton, &skeleton);
	if (table == number)
		appendStringInfo(&search->with, "%s part%d as materialized (select * from %s part (%s))",
						 search->with.len == 0 ? "with" : ",\n", number,
						 unnest_sql(&search->args, frequent->column, frequent->columns),
						 columns_sql(&skeleton));
	appendStringInfo(&search->join, "\njoin part%d p%d on p%d.head = f.relation", table, number, number);
	for (int i = 0; i < skeleton.length; i++)
	{
		appendStringInfo(&search->join, " and p%d.a%d = e%d.atom", number, i + 1, part->atom[i]);
		if (is_instantiated(&skeleton, i))
			appendStringInfo(&search->join, " and p%d.c%d = e%d.y", number, i + 1, part->atom[i]);
	}
	return true;
}

/* What two atoms ask of each other. */
static void
append_pair_condition(StringInfo sql, const Skeleton *skeleton, int i, int j)
{
	bool		one = is_instantiated(skeleton, i);
	bool		other = is_instantiated(skeleton, j);

	if (one && other)
		appendStringInfo(sql, " and (e%1$d.atom / 2 <> e%2$d.atom / 2 or (e%1$d.atom = e%2$d.atom and e%1$d.y <> e%2$d.y))",
						 i + 1, j + 1);
	else if (one || other)
		appendStringInfo(sql, " and e%d.atom / 2 <> e%d.atom / 2", i + 1, j + 1);
	if (memcmp(&skeleton->place[i], &skeleton->place[j], sizeof(Place)) != 0)
		return;
	if (one)
		appendStringInfo(sql, " and (e%1$d.atom, e%1$d.y) < (e%2$d.atom, e%2$d.y)", i + 1, j + 1);
	else
		appendStringInfo(sql, " and e%d.atom < e%d.atom", i + 1, j + 1);
}

static char *
conditions_sql(const Skeleton *skeleton)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "\nwhere true");
	for (int i = 0; i < skeleton->length; i++)
	{
		Place		place = skeleton->place[i];

		if (is_instantiated(skeleton, i))
			appendStringInfo(&sql, " and e%d.y >= 0 and e%d.atom / 2 <> f.relation", i + 1, i + 1);
		else if (place.from == TERM_X && place.to == TERM_Y)
			appendStringInfo(&sql, " and e%d.atom <> 2 * f.relation", i + 1);
		for (int j = 0; j < i; j++)
			append_pair_condition(&sql, skeleton, j, i);
	}
	return sql.data;
}

/* The facts, or how many of them each entity has on the side that an open body hangs at. */
static const char *
facts_sql(const Graph *graph, const Level *level)
{
	if (level->closed)
		return psprintf("(select relation, head as x, tail as y, 1 as facts from %s)", graph->facts);
	if (strchr(level->skeleton, 'X') != NULL)
		return psprintf("(select relation, head as x, null::int as y, count(*)::int as facts from %s group by relation, head)",
						graph->facts);
	return psprintf("(select relation, null::int as x, tail as y, count(*)::int as facts from %s group by relation, tail)",
					graph->facts);
}

/*
 * Selects a body's atoms and constants, "e1.atom as a1, e1.y as c1, ...", or their names alone.
 */
static char *
flesh_sql(const Skeleton *skeleton, bool names)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < skeleton->length; i++)
	{
		const char *comma = i == 0 ? "" : ", ";

		if (names)
			appendStringInfo(&sql, "%sa%d", comma, i + 1);
		else
			appendStringInfo(&sql, "%se%d.atom as a%d", comma, i + 1, i + 1);
		if (is_instantiated(skeleton, i) && names)
			appendStringInfo(&sql, ", c%d", i + 1);
		else if (is_instantiated(skeleton, i))
			appendStringInfo(&sql, ", e%d.y as c%d", i + 1, i + 1);
	}
	return sql.data;
}

/* "and min(x) <> max(x)": variables of instantiated atoms have two bindings. */
static char *
bindings_sql(const Skeleton *skeleton)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < skeleton->length; i++)
	{
		if (!is_instantiated(skeleton, i))
			continue;
		if (skeleton->place[i].from == TERM_X)
			appendStringInfoString(&sql, " and min(x) <> max(x)");
		else if (skeleton->place[i].from == TERM_Y)
			appendStringInfoString(&sql, " and min(y) <> max(y)");
		else
			appendStringInfoString(&sql, " and min(least_a) <> max(most_a)");
	}
	return sql.data;
}

/* Bodies that hold of facts, each fact once: (relation, x, y, facts, atoms and constants). */
static char *
matches_sql(LevelSearch *search)
{
	const Graph *graph = search->mining->graph;
	const Skeleton *skeleton = &search->skeleton;
	unsigned	all = (1U << skeleton->length) - 1;
	char	   *tables = psprintf("from %s f%s%s%s", facts_sql(graph, search->level),
								  skeleton_joins(graph, skeleton, all, "f.x", "f.y"),
								  search->join.data, conditions_sql(skeleton));
	char	   *a = skeleton_column(skeleton, all, TERM_A);

	if (a == NULL)
		return psprintf("select f.*, %s\n%s", flesh_sql(skeleton, false), tables);
	if (strstr(search->level->skeleton, "Ac") == NULL)
		return psprintf("select distinct f.*, %s\n%s", flesh_sql(skeleton, false), tables);
	return psprintf("select relation, x, y, facts, %s, min(a) as least_a, max(a) as most_a\n"
					"from (select f.*, %s, %s as a\n%s) grounding\ngroup by relation, x, y, facts, %s",
					flesh_sql(skeleton, true), flesh_sql(skeleton, false), a, tables, flesh_sql(skeleton, true));
}

static char *
level_sql(LevelSearch *search)
{
	Mining	   *mining = search->mining;
	char	   *names = flesh_sql(&search->skeleton, true);
	char	   *matches = matches_sql(search);
	Numbers		bounds[2] = {
		{mining->relation_id, mining->relations, mining->relations},
		{mining->threshold, mining->relations, mining->relations}
	};

	return psprintf("%s\nselect match.relation, sum(facts)::bigint, %s\n"
					"from (%s) match\n"
					"join %s bound (relation, support) on bound.relation = match.relation\n"
					"group by match.relation, %s\n"
					"having sum(facts) >= min(bound.support)%s",
					search->with.data, names, matches, unnest_sql(&search->args, bounds, 2), names,
					bindings_sql(&search->skeleton));
}

/* ---- the search -------------------------------------------------------------------------- */

static void
take_body(void *argument, const Datum *values, const bool *nulls)
{
	LevelSearch *search = argument;
	Flesh		flesh = {0};
	int			column = 2;

	for (int i = 0; i < search->skeleton.length; i++)
	{
		flesh.atom[i] = DatumGetInt32(values[column++]);
		if (is_instantiated(&search->skeleton, i))
			flesh.constant[i] = DatumGetInt32(values[column++]);
	}
	if (search->open != NULL)
		add_frequent(search->open, &search->skeleton, DatumGetInt32(values[0]), &flesh);
	else
		mining_add(search->mining, DatumGetInt32(values[0]), &search->skeleton, &flesh,
				   DatumGetInt64(values[1]));
}

static void
search_level(Mining *mining, const Level *level)
{
	LevelSearch search = {.mining = mining,.level = level};

	skeleton_parse(level->skeleton, &search.skeleton);
	initStringInfo(&search.with);
	initStringInfo(&search.join);
	if (!level->closed)
		search.open = new_frequent(mining, level->skeleton);
	for (int i = 0; i < MAX_PARTS && level->part[i].skeleton != NULL; i++)
	{
		if (!add_part(&search, i))
			return;
	}
	sql_stream(level_sql(&search), &search.args, take_body, &search);
	for (int i = 0; i < search.args.count; i++)
		pfree(DatumGetPointer(search.args.values[i]));
}

void
mine_levels(Mining *mining)
{
	const MineOptions *options = mining->options;
	int			nest_level = plan_begin();

	if (options->constants && options->max_rule_length > 2)
	{
		search_level(mining, &ends[0]);
		search_level(mining, &ends[1]);
		mine_constants(mining);
	}
	for (int i = 0; i < (int) lengthof(levels); i++)
	{
		if (levels[i].length <= options->max_rule_length && (options->constants || !levels[i].constants))
			search_level(mining, &levels[i]);
	}
	plan_end(nest_level);
}
