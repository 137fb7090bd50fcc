/*
 * rule_text.c
 *		The text form of a rule, read and written (see rule.h).
 *
 * Text is read by a small recursive-descent parser.  Variables may have any names, the head's included.
 * An error gives the position of the character, counted from 1, and what is expected there.
 */
#include "rule.h"

#include "mb/pg_wchar.h"

#include "server/argument.h"

#define FOUND_BYTES 40			/* of a name in a message */
#define RULE_HINT "A rule reads r(X,Y) <= b1(X,A), b2(A,Y): " \
	"variables start with an upper-case letter, constants are in double quotes."

/* ---- text to rule --------------------------------------------------------- */

typedef struct Parser
{
	Graph	   *graph;
	bool		hints;
	const char *text;			/* all of it */
	const char *at;				/* what is left */
	char	   *variable[RULE_MAX_VARIABLES];	/* the user's names of X, Y, A, ...; empty: for a constant of the head */
	int			variables;
} Parser;

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether c is allowed in a name without quotes. */
static bool
is_bare(char c)
{
	return c != '\0' && !is_space(c) && strchr("(),\"<=", c) == NULL;
}

static void
skip_space(Parser *parser)
{
	while (is_space(*parser->at))
		parser->at++;
}

/* What is at a place, for a message: a whole name, or else one character. */
static char *
found_at(const char *at)
{
	int			length = 0;

	while (is_bare(at[length]))
		length++;
	if (length == 0)
		length = pg_mblen(at);
	if (length > FOUND_BYTES)
		return psprintf("%.*s...", pg_mbcliplen(at, length, FOUND_BYTES), at);
	return pnstrdup(at, length);
}

static void
syntax_error(Parser *parser, const char *at, const char *expected)
{
	int			position = pg_mbstrlen_with_len(parser->text, at - parser->text) + 1;

	if (*at == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("rule ends at character %d where %s is expected", position, expected),
				 errhint(RULE_HINT)));
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("syntax error in rule at character %d: expected %s, found \"%s\"",
					position, expected, found_at(at)),
			 errhint(RULE_HINT)));
}

static void
expect(Parser *parser, const char *symbol)
{
	skip_space(parser);
	if (strncmp(parser->at, symbol, strlen(symbol)) != 0)
		syntax_error(parser, parser->at, psprintf("\"%s\"", symbol));
	parser->at += strlen(symbol);
}

/* A quoted name without its quotes; the opening quote is next. */
static char *
parse_quoted(Parser *parser)
{
	StringInfoData name;

	initStringInfo(&name);
	for (parser->at++;; parser->at++)
	{
		if (*parser->at == '\0')
			syntax_error(parser, parser->at, "a closing double quote");
		if (*parser->at == '"' && *++parser->at != '"')
			return name.data;
		appendStringInfoChar(&name, *parser->at);
	}
}

static char *
parse_bare(Parser *parser)
{
	const char *start = parser->at;

	while (is_bare(*parser->at))
		parser->at++;
	return pnstrdup(start, parser->at - start);
}

static bool
is_variable_name(const char *name)
{
	if (!(*name >= 'A' && *name <= 'Z'))
		return false;
	for (name++; *name != '\0'; name++)
		if (!isalnum((unsigned char) *name) && *name != '_')
			return false;
	return true;
}

static void
unknown_name(Parser *parser, const char *table, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s \"%s\" does not exist in graph \"%s\"", table, argument_shown(name), parser->graph->name)));
}

static Term
parse_constant(Parser *parser)
{
	char	   *name = parse_quoted(parser);
	int32		id = 0;

	if (parser->hints)
		id = graph_entity_id(parser->graph, name);
	else if (!graph_find_entity(parser->graph, name, &id))
		unknown_name(parser, "entity", name);
	if (TERM_IS_VARIABLE(id))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("entity \"%s\" cannot be used in a rule", name),
				 errdetail("Its id is %d; negative ids mark variables.", id)));
	return id;
}

static Term
parse_term(Parser *parser)
{
	const char *start;
	char	   *name;

	skip_space(parser);
	if (*parser->at == '"')
		return parse_constant(parser);
	start = parser->at;
	name = parse_bare(parser);
	if (!is_variable_name(name))
		syntax_error(parser, start, "a variable or a quoted constant");
	for (int i = 0; i < parser->variables; i++)
		if (strcmp(parser->variable[i], name) == 0)
			return -1 - i;
	/* a new name is the next variable */
	parser->variable[parser->variables++] = name;
	return -parser->variables;
}

/* "r(": the relation's id */
static int32
parse_opening(Parser *parser)
{
	char	   *name;
	int32		id = 0;

	skip_space(parser);
	if (*parser->at != '"' && !is_bare(*parser->at))
		syntax_error(parser, parser->at, "a relation's name");
	name = *parser->at == '"' ? parse_quoted(parser) : parse_bare(parser);
	expect(parser, "(");
	if (parser->hints)
		id = graph_relation_id(parser->graph, name);
	else if (!graph_find_relation(parser->graph, name, &id))
		unknown_name(parser, "relation", name);
	if (id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" cannot be used in a rule", name),
				 errdetail("Its id is %d, which is negative.", id)));
	return id;
}

static Atom
parse_atom(Parser *parser)
{
	Atom		atom;

	atom.relation = parse_opening(parser);
	atom.first = parse_term(parser);
	expect(parser, ",");
	atom.second = parse_term(parser);
	expect(parser, ")");
	return atom;
}

/* Returns whether the term is a constant or `variable`. */
static bool
parse_head_term(Parser *parser, Rule *rule, Term variable)
{
	Term		term = parse_term(parser);

	if (TERM_IS_VARIABLE(term))
		return term == variable;
	rule->body[rule->length++] = (Atom) {RULE_IS, variable, term};
	parser->variable[parser->variables++] = "";
	return true;
}

/* Returns whether there is room for all of it; it may be empty. */
static bool
parse_body(Parser *parser, Rule *rule)
{
	skip_space(parser);
	if (*parser->at == '\0')
		return true;
	for (;;)
	{
		if (rule->length == RULE_MAX_BODY)
			return false;
		rule->body[rule->length++] = parse_atom(parser);
		skip_space(parser);
		if (*parser->at == '\0')
			return true;
		if (*parser->at != ',')
			syntax_error(parser, parser->at, "\",\" or the end");
		parser->at++;
	}
}

const char *
rule_read(Graph *graph, const char *text, bool hints, Rule *rule)
{
	Parser		parser = {.graph = graph,.hints = hints,.text = text,.at = text};
	int			constants;
	const char *fault;
	bool		good;

	memset(rule, 0, sizeof(Rule));
	rule->head = parse_opening(&parser);
	good = parse_head_term(&parser, rule, TERM_X);
	expect(&parser, ",");
	good &= parse_head_term(&parser, rule, TERM_Y);
	expect(&parser, ")");
	if (!good)
		return "its head relates a variable to itself";
	constants = rule->length;
	if (constants == 2)
		return "its head has no variable";
	expect(&parser, "<=");
	if (!parse_body(&parser, rule))
		return psprintf("its body has more than %d atoms", RULE_MAX_BODY - constants);
	fault = rule_fault(rule, parser.variable);
	if (fault == NULL)
		rule_canonicalise(rule);
	return fault;
}

void
rule_parse(Graph *graph, const char *text, Rule *rule)
{
	const char *fault = rule_read(graph, text, true, rule);

	if (fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rule is outside the language: %s", fault),
				 errhint("A rule is connected: its body has the variables of its head, and its atoms share variables. "
						 "No atom occurs twice or relates a term to itself, and the body does not contain the head.")));
}

/* ---- rule to text --------------------------------------------------------- */

/* by -1 - term */
static char *const variable_names[RULE_MAX_VARIABLES] = {
	"X", "Y", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"
};

void
rule_append_quoted(StringInfo text, const char *name)
{
	appendStringInfoChar(text, '"');
	for (; *name != '\0'; name++)
	{
		if (*name == '"')
			appendStringInfoChar(text, '"');
		appendStringInfoChar(text, *name);
	}
	appendStringInfoChar(text, '"');
}

/* The name of a relation, quoted where a rule's text needs it */
static void
append_relation(StringInfo text, const char *name)
{
	const char *c = name;

	while (is_bare(*c))
		c++;
	if (*name == '\0' || *c != '\0')
		rule_append_quoted(text, name);
	else
		appendStringInfoString(text, name);
}

static void
append_term(StringInfo text, Graph *graph, Term term)
{
	if (TERM_IS_VARIABLE(term))
		appendStringInfoString(text, variable_names[-1 - term]);
	else
		rule_append_quoted(text, graph_entity_name(graph, term));
}

static void
append_atom(StringInfo text, Graph *graph, const Atom *atom)
{
	append_relation(text, graph_relation_name(graph, atom->relation));
	appendStringInfoChar(text, '(');
	append_term(text, graph, atom->first);
	appendStringInfoChar(text, ',');
	append_term(text, graph, atom->second);
	appendStringInfoChar(text, ')');
}

char *
rule_text(Graph *graph, const Rule *rule)
{
	Atom		head = rule_head(rule);
	StringInfoData text;
	char	   *result;

	initStringInfo(&text);
	append_atom(&text, graph, &head);
	appendStringInfoString(&text, " <=");
	for (int i = 0; i < rule_atoms(rule); i++)
	{
		appendStringInfoString(&text, i == 0 ? " " : ", ");
		append_atom(&text, graph, &rule->body[i]);
	}

	/* without the buffer's unused space: mining prints hundreds of thousands of rules */
	result = pnstrdup(text.data, text.len);
	pfree(text.data);
	return result;
}

static char
path_variable(int length, int place)
{
	return place == 0 ? 'X' : place == length ? 'Y' : (char) ('A' + place - 1);
}

void
rule_append_path(StringInfo text, Graph *graph, const int32 *relation_id, int32 relation,
				 const DirectedAtom *atom, int length)
{
	append_relation(text, graph_relation_name(graph, relation_id[relation]));
	appendStringInfoString(text, "(X,Y) <=");
	for (int i = 0; i < length; i++)
	{
		int			backwards = IS_BACKWARDS(atom[i]);

		appendStringInfoString(text, i == 0 ? " " : ", ");
		append_relation(text, graph_relation_name(graph, relation_id[RELATION_OF(atom[i])]));
		appendStringInfo(text, "(%c,%c)", path_variable(length, i + backwards), path_variable(length, i + 1 - backwards));
	}
}
