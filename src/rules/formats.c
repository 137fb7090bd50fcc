/*
 * formats.c
 *		Rules as other programs print them (see formats.h).
 *
 * Neither AMIE nor AnyBURL quotes names, so a line is cut where a name is unlikely to go on.  AMIE puts two
 * spaces between names.  In AnyBURL's form an atom ends with a parenthesis before a comma and a space, or
 * before the end, and at least one of its terms is a variable, a single upper-case letter.  Names that contain
 * such marks are read wrongly, and then reported as unknown.
 */
#include "formats.h"

#include <ctype.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "rule.h"

typedef struct ForeignTerm
{
	char	   *name;
	bool		is_variable;
} ForeignTerm;

typedef struct ForeignAtom
{
	char	   *relation;
	ForeignTerm term[2];
} ForeignAtom;

/* What is left of a line */
typedef struct Reader
{
	const char *line;
	const char *at;
	const char *end;
	const char *example;		/* a line of the format, for a hint */
} Reader;

static void
syntax_error(const Reader *reader, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("syntax error in rule at character %d: expected %s",
					pg_mbstrlen_with_len(reader->line, reader->at - reader->line) + 1, expected),
			 errhint("Lines of this format read like %s.", reader->example)));
}

static void
append_atom(StringInfo text, const ForeignAtom *atom)
{
	rule_append_quoted(text, atom->relation);
	for (int i = 0; i < 2; i++)
	{
		appendStringInfoChar(text, i == 0 ? '(' : ',');
		if (atom->term[i].is_variable)
			appendStringInfoString(text, atom->term[i].name);
		else
			rule_append_quoted(text, atom->term[i].name);
	}
	appendStringInfoChar(text, ')');
}

static FormatRule
make_rule(const ForeignAtom *head, const StringInfoData *body)
{
	StringInfoData text;

	initStringInfo(&text);
	append_atom(&text, head);
	appendStringInfo(&text, " <= %s", body->data);
	return (FormatRule) {.text = text.data};
}

/* ---- AMIE ---------------------------------------------------------------------------- */

#define AMIE_EXAMPLE "\"?a  r  ?b   => ?a  h  ?b\", two spaces between names, up to a TAB"
#define AMIE_ARROW " => "
#define AMIE_GAP "  "

static void
skip_spaces(Reader *reader)
{
	while (reader->at < reader->end && *reader->at == ' ')
		reader->at++;
}

static char *
read_amie_name(Reader *reader, const char *expected)
{
	const char *start;
	const char *gap;

	skip_spaces(reader);
	if (reader->at == reader->end)
		syntax_error(reader, expected);
	start = reader->at;
	gap = strstr(start, AMIE_GAP);
	reader->at = gap != NULL && gap < reader->end ? gap : reader->end;
	return pnstrdup(start, reader->at - start);
}

/* A variable ?a becomes Va. */
static ForeignTerm
read_amie_term(Reader *reader)
{
	ForeignTerm term = {.name = read_amie_name(reader, "a variable or an entity")};

	term.is_variable = term.name[0] == '?' && isalnum((unsigned char) term.name[1]);
	for (char *c = term.name + 1; term.is_variable && *c != '\0'; c++)
		term.is_variable = isalnum((unsigned char) *c) || *c == '_';
	if (term.is_variable)
		term.name[0] = 'V';
	return term;
}

static ForeignAtom
read_amie_atom(Reader *reader)
{
	ForeignAtom atom;

	atom.term[0] = read_amie_term(reader);
	atom.relation = read_amie_name(reader, "a relation");
	atom.term[1] = read_amie_term(reader);
	skip_spaces(reader);
	return atom;
}

/* The last arrow before the measures; NULL when there is none. */
static const char *
find_arrow(const char *line, const char *end)
{
	const char *arrow = NULL;

	for (const char *at = line; (at = strstr(at, AMIE_ARROW)) != NULL && at < end; at++)
		arrow = at;
	return arrow;
}

FormatRule
format_amie(const char *line)
{
	const char *end = line + strcspn(line, "\t\r");
	const char *arrow = find_arrow(line, end);
	Reader		reader = {line, line, arrow, AMIE_EXAMPLE};
	ForeignAtom head;
	StringInfoData body;

	if (arrow == NULL)
		return (FormatRule) {0};
	initStringInfo(&body);
	for (skip_spaces(&reader); body.len == 0 || reader.at < arrow;)
	{
		ForeignAtom atom;

		/* "?a!=c", which is not counted as an atom */
		if (*reader.at == '?' && memchr(reader.at, '!', strcspn(reader.at, " ")) != NULL)
			return (FormatRule) {.fault = "it excludes an entity for a variable"};
		atom = read_amie_atom(&reader);
		if (body.len > 0)
			appendStringInfoString(&body, ", ");
		append_atom(&body, &atom);
	}
	reader.at = arrow + strlen(AMIE_ARROW);
	reader.end = end;
	head = read_amie_atom(&reader);
	if (reader.at < end)
		syntax_error(&reader, "a TAB or the end");
	return make_rule(&head, &body);
}

/* ---- AnyBURL --------------------------------------------------------------------------- */

#define ANYBURL_EXAMPLE "\"h(X,Y) <= r(X,A), s(A,Y)\" after three columns of numbers, with TABs between"
#define ANYBURL_ARROW " <= "
#define ANYBURL_COLUMNS 3
#define ANYBURL_ITSELF "me_myself_i"	/* for the second entity of a reflexive fact */

static bool
is_anyburl_variable(const char *at)
{
	return *at >= 'A' && *at <= 'Z';
}

static ForeignTerm
anyburl_term(const char *start, const char *end)
{
	return (ForeignTerm) {pnstrdup(start, end - start), end - start == 1 && is_anyburl_variable(start)};
}

/* The terms between two parentheses: the comma is the one beside a single letter. */
static void
read_anyburl_terms(Reader *reader, const char *start, const char *end, ForeignTerm *term)
{
	const char *comma = NULL;

	if (end - start >= 3 && is_anyburl_variable(start) && start[1] == ',')
		comma = start + 1;
	else if (end - start >= 3 && is_anyburl_variable(end - 1) && end[-2] == ',')
		comma = end - 2;
	if (comma == NULL)
	{
		reader->at = start;
		syntax_error(reader, "two terms, one of them a variable");
	}
	term[0] = anyburl_term(start, comma);
	term[1] = anyburl_term(comma + 1, end);
}

/* Where the atom's closing parenthesis is. */
static const char *
find_closing(Reader *reader)
{
	const char *at;

	for (at = reader->at; at < reader->end; at++)
		if (*at == ')' && (at + 1 == reader->end || strncmp(at + 1, ", ", 2) == 0))
			return at;
	reader->at = reader->end;
	syntax_error(reader, "a closing parenthesis");
	return NULL;				/* not reached */
}

/* The opening parenthesis: just before two variables, or else the first. */
static const char *
find_opening(Reader *reader, const char *closing)
{
	const char *opening = closing - strlen("(X,Y");

	if (opening > reader->at && opening[0] == '(' && is_anyburl_variable(opening + 1) &&
		opening[2] == ',' && is_anyburl_variable(opening + 3))
		return opening;
	opening = memchr(reader->at, '(', closing - reader->at);
	if (opening == NULL || opening == reader->at)
		syntax_error(reader, "a relation and an opening parenthesis");
	return opening;
}

static ForeignAtom
read_anyburl_atom(Reader *reader)
{
	const char *closing = find_closing(reader);
	const char *opening = find_opening(reader, closing);
	ForeignAtom atom;

	atom.relation = pnstrdup(reader->at, opening - reader->at);
	read_anyburl_terms(reader, opening + 1, closing, atom.term);
	reader->at = closing + 1;
	return atom;
}

static bool
is_anyburl_reflexive(const ForeignAtom *atom)
{
	return strcmp(atom->term[0].name, ANYBURL_ITSELF) == 0 || strcmp(atom->term[1].name, ANYBURL_ITSELF) == 0;
}

/* Skips the columns before the rule. */
static void
skip_columns(Reader *reader)
{
	for (int i = 0; i < ANYBURL_COLUMNS; i++)
	{
		const char *tab = memchr(reader->at, '\t', reader->end - reader->at);

		if (tab == NULL)
			syntax_error(reader, "four columns, with TABs between");
		reader->at = tab + 1;
	}
}

/* Where the arrow is; at the end, where the body is empty, the space after it may be missing. */
static const char *
find_anyburl_arrow(Reader *reader)
{
	const char *arrow = strstr(reader->at, ANYBURL_ARROW);
	int			least = strlen(ANYBURL_ARROW) - 1;

	if (arrow == NULL && reader->end - reader->at > least && memcmp(reader->end - least, ANYBURL_ARROW, least) == 0)
		arrow = reader->end - least;
	if (arrow == NULL)
		syntax_error(reader, "a rule with an arrow <=");
	return arrow;
}

/* All atoms of the body, which may be none; returns whether one is reflexive. */
static bool
read_anyburl_body(Reader *reader, StringInfo body)
{
	bool		reflexive = false;
	ForeignAtom atom;

	if (reader->at >= reader->end)
		return false;
	for (;;)
	{
		atom = read_anyburl_atom(reader);
		reflexive |= is_anyburl_reflexive(&atom);
		append_atom(body, &atom);
		if (reader->at == reader->end)
			return reflexive;
		appendStringInfoString(body, ", ");
		reader->at += strlen(", ");
	}
}

FormatRule
format_anyburl(const char *line)
{
	Reader		reader = {line, line, line + strlen(line), ANYBURL_EXAMPLE};
	const char *end;
	ForeignAtom head;
	bool		reflexive;
	StringInfoData body;

	while (reader.end > line && isspace((unsigned char) reader.end[-1]))
		reader.end--;
	end = reader.end;
	if (end == line)
		return (FormatRule) {0};
	skip_columns(&reader);
	reader.end = find_anyburl_arrow(&reader);
	head = read_anyburl_atom(&reader);
	if (reader.at < reader.end)
		syntax_error(&reader, "an arrow <=");
	reader.at = reader.end + strlen(ANYBURL_ARROW);
	reader.end = end;
	initStringInfo(&body);
	reflexive = read_anyburl_body(&reader, &body);
	if (reflexive || is_anyburl_reflexive(&head))
		return (FormatRule) {.fault = "an atom relates a term to itself"};
	return make_rule(&head, &body);
}
