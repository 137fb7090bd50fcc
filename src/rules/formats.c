/*
 * formats.c
 *		Rules as other programs print them (see formats.h).
 *
 * Neither AMIE nor AnyBURL quotes names, which may contain whatever their formats put between names.  So a line is cut
 * in each way that the format allows, until all its names are those of the graph: in AMIE's form wherever there is a
 * space, in AnyBURL's at any parenthesis and comma.  Where no cut fits, the line is cut in the plainest way, for a
 * message about what is wrong.
 *
 * AnyBURL's variables are single capital letters, and so may an entity's name be.  Its heads have no variables but X and
 * Y, in their places, which are in the body, too.  Its bodies are chains that begin at one of these and go on by A, B,
 * C, ...: a letter of the chain stands in two atoms next to each other; the last atom ends with the other of X and Y,
 * with a constant, or with the chain's next letter.  A letter that is in none of these places is a constant, where the
 * graph has it.  The next letter of the chain may be either, and the caller has both readings.
 */
#include "formats.h"

#include <ctype.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "rule.h"

#define MOST_ATOMS 32			/* of a line; our language has fewer */

typedef struct ForeignTerm
{
	char	   *name;			/* as the graph has it, or of a variable */
	bool		is_variable;
	char		letter;			/* of a single capital letter; or 0 */
} ForeignTerm;

typedef struct ForeignAtom
{
	char	   *relation;
	ForeignTerm term[2];
} ForeignAtom;

/* A line that is being cut */
typedef struct Reader
{
	FormatNames *names;
	const char *line;
	const char *end;			/* of the rule */
	bool		plainly;		/* whatever the names are */
	const char *furthest;		/* where reading failed last */
	bool	   *failed;			/* by place in the line: nothing fits there.  Of AMIE, by place and part of an atom */
	ForeignAtom atom[MOST_ATOMS];	/* of AnyBURL, the head is the first */
	int			atoms;
} Reader;

static Reader
begin_reader(FormatNames *names, const char *line, const char *end, bool plainly, int parts)
{
	return (Reader) {
		.names = names,.line = line,.end = end,.plainly = plainly,.furthest = line,
		.failed = array_new_zero(bool, (Size) parts * (end - line + 1))
	};
}

static void
syntax_error(const char *line, const char *at, const char *expected, const char *example)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("syntax error in rule at character %d: expected %s", pg_mbstrlen_with_len(line, at - line) + 1, expected),
			 errhint("Lines of this format read like %s.", example)));
}

static bool
is_known(Reader *reader, bool relation, const char *name)
{
	int32		id;

	return relation ? graph_find_relation(reader->names->graph, name, &id) : graph_find_entity(reader->names->graph, name, &id);
}

/* The name as the graph has it, which may be in angle brackets here or there; NULL where it does not. */
static char *
find_name(Reader *reader, bool relation, const char *start, const char *end)
{
	char	   *name = pnstrdup(start, end - start);
	char	   *inner;

	if (end == start)
		return NULL;
	if (reader->plainly || is_known(reader, relation, name))
		return name;
	if (*start == '<' && end[-1] == '>' && end - start > 2)
	{
		inner = pnstrdup(start + 1, end - start - 2);
		return is_known(reader, relation, inner) ? inner : NULL;
	}
	inner = psprintf("<%s>", name);
	return is_known(reader, relation, inner) ? inner : NULL;
}

/* A variable ?a, which becomes Va */
static bool
read_marked_variable(const char *start, const char *end, ForeignTerm *term)
{
	if (end - start < 2 || start[0] != '?' || !isalnum((unsigned char) start[1]))
		return false;
	for (const char *c = start + 1; c < end; c++)
		if (!isalnum((unsigned char) *c) && *c != '_')
			return false;
	*term = (ForeignTerm) {psprintf("V%.*s", (int) (end - start - 1), start + 1), true, 0};
	return true;
}

/* Variables are the marked ones, and the letters of a set. */
static void
append_atom(StringInfo text, const ForeignAtom *atom, uint32 letters)
{
	rule_append_quoted(text, atom->relation);
	for (int i = 0; i < 2; i++)
	{
		const ForeignTerm *term = &atom->term[i];

		appendStringInfoChar(text, i == 0 ? '(' : ',');
		if (term->is_variable || (term->letter != 0 && (letters >> (term->letter - 'A') & 1)))
			appendStringInfoString(text, term->name);
		else
			rule_append_quoted(text, term->name);
	}
	appendStringInfoChar(text, ')');
}

/* The body is `atoms` atoms from `first` on. */
static char *
rule_of(const ForeignAtom *head, uint32 head_letters, const ForeignAtom *first, int atoms, uint32 letters)
{
	StringInfoData text;

	initStringInfo(&text);
	append_atom(&text, head, head_letters);
	appendStringInfoString(&text, " <=");
	for (int i = 0; i < atoms; i++)
	{
		appendStringInfoString(&text, i == 0 ? " " : ", ");
		append_atom(&text, &first[i], letters);
	}
	return text.data;
}

/* ---- AMIE ---------------------------------------------------------------------------- */

#define AMIE_EXAMPLE "\"?a  r  ?b   => ?a  h  ?b\", two spaces between names, up to a TAB"
#define AMIE_ARROW "=> "
#define AMIE_HEADING "Rule\tHead Coverage"

enum
{
	AMIE_FIRST,
	AMIE_RELATION,
	AMIE_SECOND,
	AMIE_PARTS
};

/*
 * Reads parts of atoms from a place to the end; returns whether all of them fit.  A name goes on up to some space;
 * plainly, up to two of them.
 */
static bool
read_amie(Reader *reader, const char *at, int part)
{
	bool	   *failed;

	check_stack_depth();
	while (at < reader->end && *at == ' ')
		at++;
	if (at > reader->furthest)
		reader->furthest = at;
	if (at == reader->end)
		return part == AMIE_FIRST;
	failed = &reader->failed[AMIE_PARTS * (at - reader->line) + part];
	if (*failed || reader->atoms == MOST_ATOMS)
		return false;
	for (const char *stop = at + 1; stop <= reader->end; stop++)
	{
		ForeignAtom *atom = &reader->atom[reader->atoms];
		ForeignTerm term = {0};

		CHECK_FOR_INTERRUPTS();
		if (stop < reader->end && (*stop != ' ' || stop[-1] == ' ' ||
								   (reader->plainly && (stop + 1 == reader->end || stop[1] != ' '))))
			continue;
		if (part == AMIE_RELATION || !read_marked_variable(at, stop, &term))
			term.name = find_name(reader, part == AMIE_RELATION, at, stop);
		if (term.name == NULL)
			continue;
		if (part == AMIE_RELATION)
			atom->relation = term.name;
		else
			atom->term[part == AMIE_SECOND] = term;
		reader->atoms += part == AMIE_SECOND;
		if (read_amie(reader, stop, (part + 1) % AMIE_PARTS))
			return true;
		reader->atoms -= part == AMIE_SECOND;
		if (reader->plainly)
			break;
	}
	*failed = true;
	return false;
}

/* The arrow before `end`, or NULL: its names may contain others, so the last is tried first. */
static const char *
find_arrow(const char *line, const char *end)
{
	for (int64 at = end - line - (int64) strlen(AMIE_ARROW); at >= 0; at--)
		if (strncmp(line + at, AMIE_ARROW, strlen(AMIE_ARROW)) == 0 && (at == 0 || line[at - 1] == ' '))
			return line + at;
	return NULL;
}

static bool
read_amie_atoms(FormatNames *names, const char *line, const char *start, const char *end, bool plainly, Reader *reader)
{
	bool		read;

	*reader = begin_reader(names, line, end, plainly, AMIE_PARTS);
	read = read_amie(reader, start, AMIE_FIRST);
	pfree(reader->failed);
	return read;
}

static bool
read_amie_rule(FormatNames *names, const char *line, const char *arrow, const char *end, bool plainly, FormatRule *rule)
{
	Reader		body;
	Reader		head;

	if (!read_amie_atoms(names, line, line, arrow, plainly, &body))
	{
		if (plainly)
			syntax_error(line, body.furthest, "an atom of two terms and a relation", AMIE_EXAMPLE);
		return false;
	}
	if (!read_amie_atoms(names, line, arrow + strlen(AMIE_ARROW), end, plainly, &head) || head.atoms != 1)
	{
		if (plainly)
			syntax_error(line, Max(arrow + strlen(AMIE_ARROW), head.furthest), "one atom as the head", AMIE_EXAMPLE);
		return false;
	}
	*rule = (FormatRule) {
		.text = {rule_of(&head.atom[0], 0, body.atom, body.atoms, 0)},.readings = 1,.proper = 1,.predicted = NAN,.correct = NAN
	};
	return true;
}

/* "?a!=c", which is not counted as an atom */
static bool
excludes_entity(const char *line, const char *end)
{
	for (const char *at = line; (at = strstr(at, "!=")) != NULL && at < end; at++)
	{
		const char *start = at;

		while (start > line && start[-1] != ' ')
			start--;
		if (*start == '?')
			return true;
	}
	return false;
}

FormatRule
format_amie(FormatNames *names, const char *line)
{
	const char *end = line + strcspn(line, "\t\r");
	const char *last = find_arrow(line, end);
	FormatRule	rule = {.heading = strncmp(line, AMIE_HEADING, strlen(AMIE_HEADING)) == 0};

	/* as its datalog */
	if (last == NULL && strstr(line, "(?") != NULL && strstr(line, " <=") != NULL)
		return format_anyburl(names, line);
	if (last == NULL)
		return rule;
	if (excludes_entity(line, last))
		return (FormatRule) {.fault = "it excludes an entity for a variable"};
	for (const char *arrow = last; arrow != NULL; arrow = find_arrow(line, arrow))
		if (read_amie_rule(names, line, arrow, end, false, &rule))
			return rule;
	read_amie_rule(names, line, last, end, true, &rule);
	return rule;
}

/* ---- AnyBURL --------------------------------------------------------------------------- */

#define ANYBURL_EXAMPLE "\"h(X,Y) <= r(X,A), s(A,Y)\", which three columns of numbers may precede, with TABs between"
#define ANYBURL_ARROW " <="
#define ANYBURL_ITSELF "me_myself_i"	/* for the second entity of a reflexive fact */

/* Where the next atom begins, or the end, after an atom that ends at a place; NULL where no atom ends there. */
static const char *
after_atom(const Reader *reader, const char *at)
{
	if (reader->atoms > 0)
		return at == reader->end ? at : strncmp(at, ", ", 2) == 0 ? at + 2 : NULL;
	if (strncmp(at, ANYBURL_ARROW, strlen(ANYBURL_ARROW)) != 0)
		return NULL;
	at += strlen(ANYBURL_ARROW);
	return at == reader->end ? at : *at == ' ' ? at + 1 : NULL;
}

static bool
read_term(Reader *reader, const char *start, const char *end, ForeignTerm *term)
{
	if (read_marked_variable(start, end, term))
		return true;
	*term = (ForeignTerm) {0};
	if (end - start == 1 && *start >= 'A' && *start <= 'Z')
		*term = (ForeignTerm) {pnstrdup(start, 1), false, *start};
	else if (end - start == strlen(ANYBURL_ITSELF) && memcmp(start, ANYBURL_ITSELF, end - start) == 0)
		term->name = pstrdup(ANYBURL_ITSELF);
	else
		term->name = find_name(reader, false, start, end);
	return term->name != NULL;
}

/* The next place of a character before the end; NULL when there is none. */
static const char *
next_place(const Reader *reader, const char *at, char c)
{
	CHECK_FOR_INTERRUPTS();
	return at < reader->end ? memchr(at, c, reader->end - at) : NULL;
}

/* Reads atoms from a place to the end; returns whether all of them fit. */
static bool
read_anyburl(Reader *reader, const char *at)
{
	bool	   *failed = &reader->failed[at - reader->line];
	ForeignAtom *atom = &reader->atom[reader->atoms];

	check_stack_depth();
	if (at > reader->furthest)
		reader->furthest = at;
	if (*failed || reader->atoms == MOST_ATOMS)
		return false;
	for (const char *opening = at; (opening = next_place(reader, opening, '(')) != NULL; opening++)
	{
		atom->relation = find_name(reader, true, at, opening);
		if (atom->relation == NULL)
			continue;
		for (const char *comma = opening + 1; (comma = next_place(reader, comma, ',')) != NULL; comma++)
		{
			if (!read_term(reader, opening + 1, comma, &atom->term[0]))
				continue;
			for (const char *closing = comma + 1; (closing = next_place(reader, closing, ')')) != NULL; closing++)
			{
				const char *next = after_atom(reader, closing + 1);

				if (next == NULL || !read_term(reader, comma + 1, closing, &atom->term[1]))
					continue;
				/* plainly, a comma is the one beside a variable */
				if (reader->plainly && atom->term[0].letter == 0 && atom->term[1].letter == 0 &&
					!atom->term[0].is_variable && !atom->term[1].is_variable)
					continue;
				reader->atoms++;
				if (next == reader->end || read_anyburl(reader, next))
					return true;
				reader->atoms--;
			}
		}
		if (reader->plainly)
			break;
	}
	*failed = true;
	return false;
}

/* What a term that is a letter may be: whether a variable, whether a constant */
typedef struct Meaning
{
	bool		variable;
	bool		constant;
} Meaning;

/* Of a letter in atom i, where 0 is the head */
static Meaning
meaning_of(const Reader *reader, int i, int place)
{
	char		letter = reader->atom[i].term[place].letter;
	int			side = letter - 'X';	/* 0 for X, 1 for Y */
	char	   *is = &reader->names->letter[letter - 'A'];
	int			in_body = 0;
	bool		is_variable;
	int32		id;

	if (*is == 0)
		*is = graph_find_entity(reader->names->graph, (char[]) {letter, '\0'}, &id) ? 'e' : 'v';
	if (*is != 'e')
		return (Meaning) {true, false};
	for (int k = 1; k < reader->atoms; k++)
		in_body += (reader->atom[k].term[0].letter == letter) + (reader->atom[k].term[1].letter == letter);
	if (i == 0 || side == 0 || side == 1)
		is_variable = (side == 0 || side == 1) && (i > 0 || side == place) && in_body > 0 && reader->atom[0].term[side].letter == letter;
	else if (in_body == 1 && letter == 'A' + i - 1)
		return (Meaning) {true, true};
	else
		is_variable = in_body > 1;
	return (Meaning) {is_variable, !is_variable};
}

/*
 * The rules that the atoms can be: for each set of those letters that may be either.  A reading with more constants
 * comes first.
 */
static FormatRule
anyburl_readings(const Reader *reader)
{
	FormatRule	rule = {0};
	uint32		variables = 0;	/* of the body */
	uint32		head_variables = 0;
	uint32		either = 0;
	bool		marked = false;	/* variables are, and no letter is one */

	for (int i = 0; i < reader->atoms; i++)
		for (int place = 0; place < 2; place++)
		{
			const ForeignTerm *term = &reader->atom[i].term[place];
			Meaning		meaning;

			if (strcmp(term->name, ANYBURL_ITSELF) == 0)
				return (FormatRule) {.fault = "an atom relates a term to itself"};
			marked |= term->is_variable;
			if (term->letter == 0)
				continue;
			meaning = meaning_of(reader, i, place);
			if (meaning.variable)
				*(i == 0 ? &head_variables : &variables) |= 1U << (term->letter - 'A');
			if (meaning.variable && meaning.constant)
				either |= 1U << (term->letter - 'A');
		}
	if (marked)
		return (FormatRule) {.text = {rule_of(&reader->atom[0], 0, reader->atom + 1, reader->atoms - 1, 0)},.readings = 1,.proper = 1};
	/* all subsets of `either`, the empty one first */
	for (uint32 chosen = 0;; chosen = (chosen - either) & either)
	{
		rule.text[rule.readings++] = rule_of(&reader->atom[0], head_variables,
											 reader->atom + 1, reader->atoms - 1, variables & ~(either & ~chosen));
		if (chosen == either || rule.readings == FORMAT_MOST_READINGS - 1)
			break;
	}
	rule.proper = rule.readings;
	/* somebody else's variables */
	rule.text[rule.readings++] = rule_of(&reader->atom[0], ~0U, reader->atom + 1, reader->atoms - 1, ~0U);
	return rule;
}

/* The column with the arrow, from its beginning to the end of what is not blank; the numbers of the columns before it */
static const char *
find_rule_column(const char *line, const char **end, FormatRule *numbers)
{
	double		number[2] = {NAN, NAN};
	int			column = 0;

	for (const char *start = line;; start = *end + 1, column++)
	{
		char	   *after;

		*end = start + strcspn(start, "\t");
		while (*end > start && isspace((unsigned char) (*end)[-1]))
			(*end)--;
		for (const char *at = start; (at = strstr(at, ANYBURL_ARROW)) != NULL && at < *end; at++)
		{
			*numbers = (FormatRule) {.predicted = column > 1 ? number[0] : NAN,.correct = column > 1 ? number[1] : NAN};
			return start;
		}
		if (column < 2)
		{
			number[column] = strtod(start, &after);
			if (after == start || after != *end)
				number[column] = NAN;
		}
		*end = start + strcspn(start, "\t");
		if (**end == '\0')
			syntax_error(line, *end, "a rule with an arrow <=", ANYBURL_EXAMPLE);
	}
}

FormatRule
format_anyburl(FormatNames *names, const char *line)
{
	FormatRule	numbers;
	FormatRule	rule;
	const char *start;
	const char *end;
	Reader		reader;

	if (line[strspn(line, " \t\r\n\v\f")] == '\0')
		return (FormatRule) {0};
	start = find_rule_column(line, &end, &numbers);
	reader = begin_reader(names, line, end, false, 1);
	if (!read_anyburl(&reader, start))
	{
		reader = begin_reader(names, line, end, true, 1);
		if (!read_anyburl(&reader, start))
			syntax_error(line, reader.furthest, reader.furthest == start ? "a head as h(X,Y), and an arrow <=" : "an atom as r(X,A)",
						 ANYBURL_EXAMPLE);
	}
	rule = anyburl_readings(&reader);
	rule.predicted = numbers.predicted;
	rule.correct = numbers.correct;
	return rule;
}

/* ---- which format it is --------------------------------------------------------------------- */

const char *
format_guess(const char *lines)
{
	for (const char *line = lines; *line != '\0';)
	{
		const char *end = line + strcspn(line, "\n");
		char	   *text = pnstrdup(line, end - line);

		CHECK_FOR_INTERRUPTS();
		if (strstr(text, "(?") != NULL && strstr(text, " <=") != NULL)
			return "amie";
		if (*text == '?' && strstr(text, AMIE_ARROW) != NULL)
			return "amie";
		if (strstr(text, "<=") != NULL && isdigit((unsigned char) *text) && strchr(text, '\t') != NULL)
			return "anyburl";
		if (strstr(text, "<=") != NULL && strchr(text, '(') != NULL)
			return "hybridkg";
		pfree(text);
		line = *end == '\0' ? end : end + 1;
	}
	return NULL;
}
