/*
 * evidence_rules.c
 *		The rules of a model that are evidence at prediction, in rows.
 *
 * A rule whose body is a path from X to Y becomes an EvRule; any other one an EvPattern.  A rule that names what has
 * no row infers nothing and is left out.
 */
#include "model_evidence.h"

#include "rule_table.h"
#include "server/growing_array.h"
#include "server/host.h"
#include "server/sql.h"

typedef struct RuleRows
{
	const GraphData *data;
	const AddedEntities *added; /* or NULL */
	EvRule	   *path;
	int64		paths;
	int64		path_room;
	EvPattern  *pattern;
	int64		patterns;
	int64		pattern_room;
} RuleRows;

/* The other end of a body's atom, and its direction; false when the atom has no such end. */
static bool
leave(const Atom *atom, Term from, Term *to, bool *backwards)
{
	*backwards = atom->second == from;
	*to = *backwards ? atom->first : atom->second;
	return atom->first == from || atom->second == from;
}

/*
 * The rule as a path from X to Y, each atom and each variable once; false when it is none.  In a path each variable
 * but X and Y stands in two atoms, so that there is one way to go.
 */
static bool
path_of_rule(const RuleRows *rows, const Rule *rule, EvRule *path)
{
	unsigned	used = 0;
	unsigned	visited = 1u << (-1 - TERM_X);
	Term		at = TERM_X;

	path->length = rule->length;
	for (int i = 0; i < rule->length; i++)
	{
		int			next = 0;
		Term		to = TERM_X;
		bool		backwards = false;
		int32		row;

		while (next < rule->length && ((used & (1u << next)) != 0 || !leave(&rule->body[next], at, &to, &backwards)))
			next++;
		if (next == rule->length || !TERM_IS_VARIABLE(to) || rule->body[next].relation == RULE_IS ||
			(visited & (1u << (-1 - to))) != 0)
			return false;
		row = graph_row(rows->data->relation_id, rows->data->relations, rule->body[next].relation);
		if (row < 0)
			return false;
		path->atom[i] = FORWARDS(row) + backwards;
		used |= 1u << next;
		visited |= 1u << (-1 - to);
		at = to;
		if ((at == TERM_Y) != (i == rule->length - 1))
			return false;
	}
	return rule->length > 0;
}

static bool
row_of_term(const RuleRows *rows, Term term, int32 *row)
{
	if (TERM_IS_VARIABLE(term))
		*row = term;
	else if (rows->added != NULL)
		*row = added_entities_row(rows->added, term);
	else
		*row = graph_row(rows->data->entity_id, rows->data->entities, term);
	return TERM_IS_VARIABLE(term) ? term >= -EV_MAX_VARIABLES : *row >= 0;
}

/* False when the rule names what has no row: it infers nothing then. */
static bool
pattern_of_rule(const RuleRows *rows, const Rule *rule, EvPattern *pattern)
{
	pattern->length = rule->length;
	for (int i = 0; i < rule->length; i++)
	{
		const Atom *atom = &rule->body[i];
		EvAtom	   *matched = &pattern->atom[i];

		matched->relation = atom->relation == RULE_IS ? EV_IS :
			graph_row(rows->data->relation_id, rows->data->relations, atom->relation);
		if ((matched->relation < 0 && atom->relation != RULE_IS) ||
			!row_of_term(rows, atom->first, &matched->first) || !row_of_term(rows, atom->second, &matched->second))
			return false;
	}
	return rule->length > 0;
}

/* Before a list grows */
static void
check_memory(const RuleRows *rows)
{
	hkg_check_memory(3 * (rows->path_room * sizeof(EvRule) + rows->pattern_room * sizeof(EvPattern)),
					 "the evidence of rules");
}

static void
take_rule(void *argument, const Datum *values, const bool *nulls)
{
	RuleRows   *rows = argument;
	Rule		rule = {0};
	int32		id = DatumGetInt32(values[0]);
	int32		relation = graph_row(rows->data->relation_id, rows->data->relations, DatumGetInt32(values[1]));
	float		confidence = (float) DatumGetFloat8(values[3]);
	EvRule		path = {.relation = relation,.confidence = confidence,.id = id};
	EvPattern	pattern = {.relation = relation,.confidence = confidence,.id = id};

	rule_from_array(DatumGetInt32(values[1]), values[2], &rule);
	if (!(confidence > 0 && confidence <= 1) || relation < 0)
		return;
	if (path_of_rule(rows, &rule, &path))
	{
		if (rows->paths == rows->path_room)
			check_memory(rows);
		rows->path = array_reserve(rows->path, rows->paths + 1, &rows->path_room, sizeof(EvRule));
		rows->path[rows->paths++] = path;
	}
	else if (pattern_of_rule(rows, &rule, &pattern))
	{
		if (rows->patterns == rows->pattern_room)
			check_memory(rows);
		rows->pattern = array_reserve(rows->pattern, rows->patterns + 1, &rows->pattern_room, sizeof(EvPattern));
		rows->pattern[rows->patterns++] = pattern;
	}
}

EvRuleSet
evidence_read_rules(const Graph *graph, const char *model, const GraphData *data, const AddedEntities *added)
{
	RuleRows	rows = {.data = data,.added = added};
	SqlArgs		args = sql_args_text(model);

	sql_stream(psprintf("select id::int, " RULE_COLUMNS ", evidence_confidence::float8 from %s "
						"where model = $1 and evidence_confidence is not null order by id",
						graph_table_name(graph, "rule")), &args, take_rule, &rows);
	return (EvRuleSet) {rows.path, rows.paths, rows.pattern, rows.patterns};
}
