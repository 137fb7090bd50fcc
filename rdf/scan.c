/*
 * scan.c
 *		Terms of an RDF document, read from its text onto the stack of terms.
 *
 * Each function begins at parser->next and leaves it after what it read.  The names in capitals are those of the grammar
 * of Turtle 1.1, section 6.5.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "parser.h"

#define XSD "http://www.w3.org/2001/XMLSchema#"

/* How much of a document an error shows. */
#define SHOWN_BYTES 40

/* Interrupts are checked at least after so many bytes. */
#define RUN_BYTES 65536

/* ---- errors ------------------------------------------------------------- */

void
rdf_fail(RdfParser *parser, const char *at, const char *format, ...)
{
	StringInfoData error;
	va_list		arguments;
	int			needed;

	initStringInfo(&error);
	do
	{
		va_start(arguments, format);
		needed = appendStringInfoVA(&error, format, arguments);
		va_end(arguments);
		if (needed > 0)
			enlargeStringInfo(&error, needed);
	} while (needed > 0);
	parser->error = error.data;
	parser->error_at = at;
	siglongjmp(parser->failed, 1);
}

/* The length of the character at text, 0 if there is none or its bytes are not UTF-8. */
static int
character_length(const char *text, const char *end)
{
	int			length;

	if (text >= end || *text == '\0')
		return 0;
	if ((unsigned char) *text < 0x80)
		return 1;
	length = pg_utf_mblen((const unsigned char *) text);
	return length <= end - text && pg_utf8_islegal((const unsigned char *) text, length) ? length : 0;
}

/* "expected WHAT, found" and what stands at parser->next, as far as it is text */
void
rdf_expected(RdfParser *parser, const char *what)
{
	const char *found = parser->next;
	const char *end = found;
	int			length;

	if (found == parser->end)
		rdf_fail(parser, found, "expected %s, found the end of the document", what);
	if (*found == '\n' || *found == '\r')
		rdf_fail(parser, found, "expected %s, found the end of the line", what);
	while (end - found < SHOWN_BYTES && (length = character_length(end, parser->end)) > 0 && *end != '\n' && *end != '\r')
		end += length;
	if (end == found)
		rdf_fail(parser, found, "expected %s, found byte 0x%02x", what, (unsigned char) *found);
	rdf_fail(parser, found, "expected %s, found \"%.*s\"", what, (int) (end - found), found);
}

/* A text of the stack, cut for an error. */
static int
shown_length(const char *text)
{
	return pg_encoding_mbcliplen(PG_UTF8, text, (int) strlen(text), 100);
}

/* ---- characters --------------------------------------------------------- */

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* PN_CHARS_U or a digit: what labels and local names begin with */
static bool
begins_name(pg_wchar c)
{
	static const pg_wchar ranges[][2] = {
		{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F},
		{0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}
	};

	if (c < 0x80)
		return is_letter((int) c) || is_digit((int) c) || c == '_';
	for (size_t i = 0; i < lengthof(ranges); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

/* PN_CHARS */
static bool
goes_on_in_name(pg_wchar c)
{
	return begins_name(c) || c == '-' || c == 0xB7 || (c >= 0x300 && c <= 0x36F) || c == 0x203F || c == 0x2040;
}

/* The length of the character at text where it is one of these, else 0. */
static int
name_length(const char *text, const char *end, bool (*is) (pg_wchar c))
{
	int			length = character_length(text, end);

	if (length == 1)
		return is((unsigned char) *text) ? 1 : 0;
	return length > 0 && is(utf8_to_unicode((const unsigned char *) text)) ? length : 0;
}

/* Those of ASCII that stand in an IRI as they are */
static bool
stands_in_iri(int c)
{
	return c > ' ' && c < 0x80 && strchr("<>\"{}|^`\\", c) == NULL;
}

/* Those of ASCII that stand in a string whatever its quotes */
static bool
stands_in_string(int c)
{
	return c > 0 && c < 0x80 && strchr("\"'\\\n\r", c) == NULL;
}

/* BLANK_NODE_LABEL without _:, or, if not whole, what such a label may begin with */
bool
rdf_label_stands(const char *label, size_t length, bool whole)
{
	const char *end = label + length;
	const char *c = label + name_length(label, end, begins_name);
	int			bytes;

	if (c == label)
		return false;
	while ((bytes = c < end && *c == '.' ? 1 : name_length(c, end, goes_on_in_name)) > 0)
		c += bytes;
	return c == end && !(whole && c[-1] == '.');
}

/* ---- the document ------------------------------------------------------- */

bool
rdf_line_based(const RdfParser *parser)
{
	return parser->format == RDF_NTRIPLES || parser->format == RDF_NQUADS;
}

/* A byte that is still to be read, the next one for 0; -1 after the end */
int
rdf_peek_after(const RdfParser *parser, int bytes)
{
	return parser->end - parser->next > bytes ? (unsigned char) parser->next[bytes] : -1;
}

int
rdf_peek(const RdfParser *parser)
{
	return rdf_peek_after(parser, 0);
}

/* White space and comments; of one line where a statement is a line.  A token begins after it. */
void
rdf_skip_white(RdfParser *parser)
{
	bool		in_line = rdf_line_based(parser);
	bool		comment = false;
	int			c;

	while ((c = rdf_peek(parser)) >= 0)
	{
		if (c == '\n' || c == '\r')
			comment = false;
		else if (c == '#' && !in_line)
			comment = true;
		else if (!comment && c != ' ' && c != '\t')
			break;
		if (in_line && (c == '\n' || c == '\r'))
			break;
		CHECK_FOR_INTERRUPTS();
		parser->next++;
	}
	parser->token = parser->next;
}

bool
rdf_eat(RdfParser *parser, char c)
{
	rdf_skip_white(parser);
	if (rdf_peek(parser) != (unsigned char) c)
		return false;
	parser->next++;
	return true;
}

/* A word of the grammar, which is not the beginning of a name */
bool
rdf_eat_word(RdfParser *parser, const char *word, bool any_case)
{
	size_t		length = strlen(word);
	int			after;

	if ((size_t) (parser->end - parser->next) < length ||
		(any_case ? pg_strncasecmp(parser->next, word, length) : strncmp(parser->next, word, length)) != 0)
		return false;
	after = rdf_peek_after(parser, (int) length);
	if (name_length(parser->next + length, parser->end, goes_on_in_name) > 0 ||
		(*word != '@' && (after == ':' || after == '.')))
		return false;
	parser->next += length;
	return true;
}

/* ---- the stack of terms ------------------------------------------------- */

RdfTerm
rdf_push(RdfParser *parser, const char *text)
{
	RdfTerm		term = parser->terms.len;

	appendBinaryStringInfo(&parser->terms, text, (int) strlen(text) + 1);
	return term;
}

/* Takes off the term, and those above it. */
void
rdf_pop(RdfParser *parser, RdfTerm term)
{
	parser->terms.len = term;
}

static void
end_term(RdfParser *parser)
{
	appendStringInfoChar(&parser->terms, '\0');
}

static void
take(RdfParser *parser, int bytes)
{
	appendBinaryStringInfo(&parser->terms, parser->next, bytes);
	parser->next += bytes;
}

/* Takes the characters that stand for themselves, a run of ASCII or one of more bytes. */
static bool
take_run(RdfParser *parser, bool (*stands) (int c))
{
	const char *end = parser->end - parser->next > RUN_BYTES ? parser->next + RUN_BYTES : parser->end;
	const char *c = parser->next;

	CHECK_FOR_INTERRUPTS();
	while (c < end && stands((unsigned char) *c))
		c++;
	if (c == parser->next && c < end && (unsigned char) *c >= 0x80)
	{
		c += character_length(c, parser->end);
		if (c == parser->next)
			rdf_fail(parser, c, "byte 0x%02x is not UTF-8 here", (unsigned char) *c);
	}
	if (c == parser->next)
		return false;
	take(parser, (int) (c - parser->next));
	return true;
}

/* ---- escapes ------------------------------------------------------------ */

static int
hexadecimal(int c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* UCHAR, whose backslash and letter are the next bytes */
static pg_wchar
take_numbered_character(RdfParser *parser, int digits)
{
	unsigned char utf8[5] = {0};
	uint64		code = 0;

	for (int i = 2; i < digits + 2; i++)
	{
		int			value = hexadecimal(rdf_peek_after(parser, i));

		if (value < 0)
			rdf_fail(parser, parser->next, "an escape by \\%c has %d hexadecimal digits", parser->next[1], digits);
		code = code * 16 + (uint64) value;
	}
	if (code == 0)
		rdf_fail(parser, parser->next, "a value of type text cannot have the character U+0000");
	if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		rdf_fail(parser, parser->next, "U+%04X is no character", (unsigned) code);
	unicode_to_utf8((pg_wchar) code, utf8);
	appendStringInfoString(&parser->terms, (char *) utf8);
	parser->next += digits + 2;
	return (pg_wchar) code;
}

/* ECHAR or UCHAR */
static void
take_escape(RdfParser *parser)
{
	static const char letters[] = "tbnrf\"'\\";
	static const char meant[] = "\t\b\n\r\f\"'\\";
	int			c = rdf_peek_after(parser, 1);
	const char *letter = c > 0 ? strchr(letters, c) : NULL;

	if (c == 'u' || c == 'U')
		(void) take_numbered_character(parser, c == 'u' ? 4 : 8);
	else if (letter != NULL)
	{
		appendStringInfoChar(&parser->terms, meant[letter - letters]);
		parser->next += 2;
	}
	else
		rdf_expected(parser, "an escape such as \\n or \\u00E9");
}

/* PLX: a percent sign and two digits stay as they are, a backslash goes */
static bool
take_local_escape(RdfParser *parser)
{
	int			c = rdf_peek_after(parser, 1);

	if (rdf_peek(parser) == '%')
	{
		if (hexadecimal(c) < 0 || hexadecimal(rdf_peek_after(parser, 2)) < 0)
			rdf_expected(parser, "a percent sign with two hexadecimal digits");
		take(parser, 3);
		return true;
	}
	if (rdf_peek(parser) != '\\')
		return false;
	if (c <= 0 || strchr("_~.-!$&'()*+,;=/?#@%", c) == NULL)
		rdf_expected(parser, "an escape of a name such as \\, or \\-");
	parser->next++;
	take(parser, 1);
	return true;
}

/* ---- names -------------------------------------------------------------- */

/* Takes what follows the first character of a name.  Dots are of it where more follows. */
static void
take_rest_of_name(RdfParser *parser, bool local)
{
	const char *good = parser->next;
	int			good_length = parser->terms.len;

	for (;;)
	{
		int			length = name_length(parser->next, parser->end, goes_on_in_name);

		CHECK_FOR_INTERRUPTS();
		if (length == 0 && rdf_peek(parser) == '.')
		{
			take(parser, 1);
			continue;
		}
		if (length == 0 && local && rdf_peek(parser) == ':')
			length = 1;
		if (length > 0)
			take(parser, length);
		else if (!local || !take_local_escape(parser))
			break;
		good = parser->next;
		good_length = parser->terms.len;
	}
	parser->next = good;
	rdf_pop(parser, good_length);
}

/* PN_PREFIX, which may be empty */
static RdfTerm
push_prefix(RdfParser *parser)
{
	RdfTerm		term = parser->terms.len;
	int			c = rdf_peek(parser);
	int			length = name_length(parser->next, parser->end, begins_name);

	if (length > 0 && !is_digit(c) && c != '_')
	{
		take(parser, length);
		take_rest_of_name(parser, false);
	}
	end_term(parser);
	return term;
}

/* PN_LOCAL, which may be empty, is added to the text on top of the stack. */
static void
take_local_name(RdfParser *parser)
{
	int			length = rdf_peek(parser) == ':' ? 1 : name_length(parser->next, parser->end, begins_name);

	if (length > 0)
		take(parser, length);
	else if (!take_local_escape(parser))
		return;
	take_rest_of_name(parser, true);
}

/* PNAME_NS of a directive: the prefix without its colon */
RdfTerm
rdf_push_prefix_name(RdfParser *parser)
{
	RdfTerm		term;

	rdf_skip_white(parser);
	term = push_prefix(parser);
	if (rdf_peek(parser) != ':')
	{
		parser->next = parser->token;
		rdf_expected(parser, "a prefix and a colon");
	}
	parser->next++;
	return term;
}

static const char *
find_prefix(RdfParser *parser, const char *name)
{
	for (int i = 0; i < parser->prefix_count; i++)
		if (strcmp(parser->prefixes[i].name, name) == 0)
			return parser->prefixes[i].iri;
	rdf_fail(parser, parser->token, "there is no such prefix: \"%.*s:\"", shown_length(name), name);
}

/* PrefixedName, as an IRI, or a word of the grammar, which has no colon and may be empty */
RdfTerm
rdf_push_name_or_word(RdfParser *parser, bool *word)
{
	RdfTerm		term = push_prefix(parser);
	const char *iri;

	*word = rdf_peek(parser) != ':';
	if (*word)
		return term;
	parser->next++;
	iri = find_prefix(parser, parser->terms.data + term);
	rdf_pop(parser, term);
	appendStringInfoString(&parser->terms, iri);
	take_local_name(parser);
	end_term(parser);
	return term;
}

/* BLANK_NODE_LABEL, as it is written, after the caller's prefix */
RdfTerm
rdf_push_label(RdfParser *parser)
{
	RdfTerm		term = parser->terms.len;
	int			length;

	if (rdf_peek_after(parser, 1) != ':')
		rdf_expected(parser, "_: and a label");
	parser->next += 2;
	length = name_length(parser->next, parser->end, begins_name);
	if (length == 0)
		rdf_expected(parser, "a label of a blank node");
	appendStringInfo(&parser->terms, "_:%s", parser->blank_prefix);
	take(parser, length);
	take_rest_of_name(parser, false);
	end_term(parser);
	return term;
}

/* ---- IRIs --------------------------------------------------------------- */

/* The text on top of the stack is relative: the IRI that it stands for takes its place. */
static void
resolve_top(RdfParser *parser, RdfTerm term)
{
	StringInfoData whole;
	char	   *reference = parser->terms.data + term;

	if (rdf_line_based(parser) || parser->base == NULL)
	{
		parser->hint = rdf_line_based(parser) ? NULL : "The argument base gives one.";
		rdf_fail(parser, parser->token, rdf_line_based(parser) ? "the IRI is not absolute: \"%.*s\"" :
				 "there is no base for the relative IRI \"%.*s\"", shown_length(reference), reference);
	}
	initStringInfo(&whole);
	rdf_resolve_iri(&whole, parser->base, reference);
	rdf_pop(parser, term);
	appendStringInfoString(&parser->terms, whole.data);
	end_term(parser);
	pfree(whole.data);
}

/* IRIREF, as an absolute IRI */
RdfTerm
rdf_push_iri_reference(RdfParser *parser)
{
	RdfTerm		term = parser->terms.len;
	int			c;

	parser->token = parser->next;
	if (rdf_peek(parser) != '<')
		rdf_expected(parser, "an IRI in angle brackets");
	parser->next++;
	while ((c = rdf_peek(parser)) != '>')
	{
		const char *at = parser->next;
		pg_wchar	escaped = 0;

		if (c < 0)
			rdf_fail(parser, parser->token, "the IRI does not end");
		if (take_run(parser, stands_in_iri))
			continue;
		c = rdf_peek_after(parser, 1);
		if (*at == '\\' && (c == 'u' || c == 'U'))
			escaped = take_numbered_character(parser, c == 'u' ? 4 : 8);
		if (escaped < 0x80 && !stands_in_iri((int) escaped))
			rdf_fail(parser, at, "an IRI cannot have the character U+%04X", escaped == 0 ? (unsigned char) *at : escaped);
	}
	parser->next++;
	end_term(parser);
	if (!rdf_has_scheme(parser->terms.data + term))
		resolve_top(parser, term);
	return term;
}

/* ---- literals ----------------------------------------------------------- */

/* Whether the next bytes are three quotes */
static bool
three_quotes(const RdfParser *parser, int quote)
{
	return rdf_peek(parser) == quote && rdf_peek_after(parser, 1) == quote && rdf_peek_after(parser, 2) == quote;
}

/* STRING_LITERAL_QUOTE and its three like, without the quotes */
RdfTerm
rdf_push_string(RdfParser *parser)
{
	RdfTerm		term = parser->terms.len;
	int			quote = rdf_peek(parser);
	bool		is_long = !rdf_line_based(parser) && three_quotes(parser, quote);
	int			c;

	parser->token = parser->next;
	parser->next += is_long ? 3 : 1;
	while ((c = rdf_peek(parser)) != quote || (is_long && !three_quotes(parser, quote)))
	{
		if (c < 0 || (!is_long && (c == '\n' || c == '\r')))
			rdf_fail(parser, parser->token, "the string does not end%s", c < 0 ? "" : " in its line");
		if (c == '\\')
			take_escape(parser);
		else if (c == 0)
			rdf_fail(parser, parser->next, "a value of type text cannot have the character U+0000");
		else if (!take_run(parser, stands_in_string))
			take(parser, 1);
	}
	parser->next += is_long ? 3 : 1;
	end_term(parser);
	return term;
}

/* LANGTAG, without the @ */
RdfTerm
rdf_push_language(RdfParser *parser)
{
	RdfTerm		term = parser->terms.len;
	bool		first = true;

	do
	{
		int			length = 0;

		while (is_letter(rdf_peek_after(parser, length + 1)) || (!first && is_digit(rdf_peek_after(parser, length + 1))))
			length++;
		if (length == 0)
			rdf_expected(parser, "a language tag such as @en or @en-GB");
		take(parser, length + 1);
		first = false;
	} while (rdf_peek(parser) == '-');
	end_term(parser);
	memmove(parser->terms.data + term, parser->terms.data + term + 1, (size_t) (--parser->terms.len - term));
	return term;
}

static int
count_digits(const RdfParser *parser, int from)
{
	int			count = 0;

	while (is_digit(rdf_peek_after(parser, from + count)))
		count++;
	return count;
}

/* The length of EXPONENT, 0 if there is none. */
static int
exponent_length(const RdfParser *parser, int from)
{
	int			c = rdf_peek_after(parser, from);
	int			sign = rdf_peek_after(parser, from + 1);
	int			digits_from = from + (sign == '+' || sign == '-' ? 2 : 1);
	int			digits = c == 'e' || c == 'E' ? count_digits(parser, digits_from) : 0;

	return digits == 0 ? 0 : digits_from + digits - from;
}

/* INTEGER, DECIMAL or DOUBLE */
RdfTerm
rdf_push_number(RdfParser *parser, RdfTerm *datatype)
{
	RdfTerm		term = parser->terms.len;
	int			c = rdf_peek(parser);
	int			length = c == '+' || c == '-' ? 1 : 0;
	int			whole = count_digits(parser, length);
	int			fraction = 0;
	int			exponent;
	const char *type = XSD "integer";

	length += whole;
	if (rdf_peek_after(parser, length) == '.')
	{
		fraction = count_digits(parser, length + 1);
		if (fraction > 0 || (whole > 0 && exponent_length(parser, length + 1) > 0))
			length += 1 + fraction;
		if (fraction > 0)
			type = XSD "decimal";
	}
	if (whole + fraction == 0)
		rdf_expected(parser, "an object");
	exponent = exponent_length(parser, length);
	if (exponent > 0)
		type = XSD "double";
	take(parser, length + exponent);
	end_term(parser);
	*datatype = rdf_push(parser, type);
	return term;
}

/* ---- after an error ----------------------------------------------------- */

/* Skips a string; where its quotes do not end, the line.  Three quotes that do not end are no string. */
static void
skip_string(RdfParser *parser)
{
	int			quote = rdf_peek(parser);
	int			quotes = three_quotes(parser, quote) ? 3 : 1;
	const char *c = parser->next + quotes;

	for (; c < parser->end && (quotes == 3 || (*c != '\n' && *c != '\r')); c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (*c == '\\' && c + 1 < parser->end && c[1] != '\n')
			c++;
		else if (*c == quote && (quotes == 1 || (parser->end - c >= 3 && c[1] == quote && c[2] == quote)))
		{
			parser->next = c + quotes;
			return;
		}
	}
	parser->next = quotes == 3 ? parser->next + 3 : c;
}

/* Skips what an IRI in brackets may be with characters that it cannot have, else the bracket. */
static void
skip_brackets(RdfParser *parser)
{
	const char *c = parser->next + 1;

	while (c < parser->end && *c != '>' && *c != '<' && *c != '\n' && *c != '\r')
	{
		CHECK_FOR_INTERRUPTS();
		c++;
	}
	parser->next = c < parser->end && *c == '>' ? c + 1 : parser->next + 1;
}

/*
 * Skips what may be a token, whether it is a good one or not, and what is within a string, an IRI or a comment with it.
 * Returns whether it was a dot that ends a statement: none that stands in a name or in a number.
 */
bool
rdf_skip_token(RdfParser *parser)
{
	int			c = rdf_peek(parser);

	if (c == '#' || c == ' ' || c == '\t' || c == '\n' || c == '\r')
		rdf_skip_white(parser);
	else if (c == '"' || c == '\'')
		skip_string(parser);
	else if (c == '<')
		skip_brackets(parser);
	else
		parser->next += c == '\\' && rdf_peek_after(parser, 1) >= 0 ? 2 : 1;
	return c == '.' && name_length(parser->next, parser->end, goes_on_in_name) == 0;
}
