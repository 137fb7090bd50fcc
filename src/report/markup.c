/*
 * markup.c
 *		Elements, attributes and text of a page, escaped as they are written (see markup.h).
 */
#include "postgres.h"

#include "markup.h"

#include <math.h>

#include "mb/pg_wchar.h"

#define REPLACEMENT 0xFFFD
#define CONTROL_PICTURES 0x2400
#define DELETE_PICTURE 0x2421

/* isolates of Unicode's bidirectional algorithm */
#define FIRST_STRONG_ISOLATE 0x2068
#define POP_DIRECTIONAL_ISOLATE 0x2069

void
markup_begin(Markup *markup)
{
	*markup = (Markup) {0};
	initStringInfo(&markup->output);
}

void
markup_doctype(Markup *markup)
{
	appendStringInfoString(&markup->output, "<!DOCTYPE html>\n");
}

/* ---- characters ---------------------------------------------------------------------- */

/* What stands for a character that neither XML nor HTML has, or that would be invisible */
static uint32
visible(uint32 code)
{
	if (code == '\t' || code == '\n')
		return code;
	if (code < 0x20)
		return CONTROL_PICTURES + code;
	if (code == 0x7F)
		return DELETE_PICTURE;
	if ((code >= 0x80 && code < 0xA0) || (code >= 0xD800 && code < 0xE000) || (code & 0xFFFE) == 0xFFFE ||
		(code >= 0xFDD0 && code < 0xFDF0) || code > 0x10FFFF)
		return REPLACEMENT;
	return code;
}

static void
append_character(StringInfo output, uint32 code)
{
	code = visible(code);
	switch (code)
	{
		case '<':
			appendStringInfoString(output, "&lt;");
			break;
		case '>':
			appendStringInfoString(output, "&gt;");
			break;
		case '&':
			appendStringInfoString(output, "&amp;");
			break;
		case '"':
			appendStringInfoString(output, "&quot;");
			break;
		default:
			if (code < 0x80 && code != '\'')
				appendStringInfoChar(output, (char) code);
			else
				appendStringInfo(output, "&#%u;", code);
	}
}

/* Bytes of the character at `at`, of which `left` are there; 0: it is not one of UTF-8. */
static int
character_length(const unsigned char *at, int left)
{
	int			length = pg_utf_mblen(at);

	return length <= left && pg_utf8_islegal(at, length) ? length : 0;
}

static void
append_utf8(StringInfo output, const char *text)
{
	const unsigned char *at = (const unsigned char *) text;
	int			left = (int) strlen(text);

	while (left > 0)
	{
		int			length = character_length(at, left);

		append_character(output, length == 0 ? REPLACEMENT : utf8_to_unicode(at));
		at += Max(length, 1);
		left -= Max(length, 1);
	}
}

/* A database without an encoding (SQL_ASCII) is read as UTF-8, and what is not is replaced. */
static void
append_escaped(StringInfo output, const char *text)
{
	bool		is_utf8 = GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;

	append_utf8(output, is_utf8 ? text : pg_server_to_any(text, (int) strlen(text), PG_UTF8));
}

/* ---- elements --------------------------------------------------------------------------- */

/* Elements of HTML that have nothing inside, and those of SVG that are written so */
static bool
is_empty_element(const char *tag)
{
	static const char *const empty[] = {"meta", "br", "circle", "line", "path", "rect", "col", NULL};

	for (int i = 0; empty[i] != NULL; i++)
		if (strcmp(tag, empty[i]) == 0)
			return true;
	return false;
}

static void
end_tag(Markup *markup)
{
	if (markup->in_tag)
		appendStringInfoChar(&markup->output, '>');
	markup->in_tag = false;
}

static void
append_attribute(Markup *markup, const char *name, const char *value)
{
	Assert(markup->in_tag);
	appendStringInfo(&markup->output, " %s=\"", name);
	append_escaped(&markup->output, value);
	appendStringInfoChar(&markup->output, '"');
}

/* Hundredths are enough of a pixel; what is not finite would be no number. */
void
markup_number(Markup *markup, const char *name, double value)
{
	char		digits[64];
	char	   *end;

	snprintf(digits, sizeof(digits), "%.2f", isfinite(value) ? Max(Min(value, 1e9), -1e9) : 0);
	for (end = digits + strlen(digits) - 1; *end == '0'; end--)
		*end = '\0';
	if (*end == '.')
		*end = '\0';
	append_attribute(markup, name, strcmp(digits, "-0") == 0 ? "0" : digits);
}

static void
open_element(Markup *markup, const char *tag, va_list attributes)
{
	const char *name;

	end_tag(markup);
	if (markup->depth == MARKUP_DEPTH)
		elog(ERROR, "elements are nested too deeply");
	markup->open[markup->depth++] = tag;
	appendStringInfo(&markup->output, "<%s", tag);
	markup->in_tag = true;
	while ((name = va_arg(attributes, const char *)) != NULL)
		append_attribute(markup, name, va_arg(attributes, const char *));
}

void
markup_open(Markup *markup, const char *tag,...)
{
	va_list		attributes;

	va_start(attributes, tag);
	open_element(markup, tag, attributes);
	va_end(attributes);
}

/* Lines end after what stands for itself, so that the source can be read. */
void
markup_close(Markup *markup)
{
	const char *tag = markup->open[--markup->depth];
	bool		is_inline = strcmp(tag, "bdi") == 0 || strcmp(tag, "b") == 0 || strcmp(tag, "title") == 0 ||
		strcmp(tag, "code") == 0 || strcmp(tag, "span") == 0 || strcmp(tag, "td") == 0 || strcmp(tag, "a") == 0;

	if (markup->in_tag && is_empty_element(tag))
		appendStringInfoString(&markup->output, "/>");
	else
	{
		end_tag(markup);
		appendStringInfo(&markup->output, "</%s>", tag);
	}
	markup->in_tag = false;
	if (!is_inline)
		appendStringInfoChar(&markup->output, '\n');
}

void
markup_element(Markup *markup, const char *tag, const char *text,...)
{
	va_list		attributes;

	va_start(attributes, text);
	open_element(markup, tag, attributes);
	va_end(attributes);
	markup_text(markup, text);
	markup_close(markup);
}

/* ---- text --------------------------------------------------------------------------------- */

void
markup_text(Markup *markup, const char *text)
{
	end_tag(markup);
	append_escaped(&markup->output, text);
}

static void print_text(Markup *markup, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

static void
print_text(Markup *markup, const char *format, va_list values)
{
	StringInfoData text;
	int			needed;

	initStringInfo(&text);
	for (;;)
	{
		va_list		copy;

		va_copy(copy, values);
		needed = appendStringInfoVA(&text, format, copy);
		va_end(copy);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	markup_text(markup, text.data);
	pfree(text.data);
}

void
markup_print(Markup *markup, const char *format,...)
{
	va_list		values;

	va_start(values, format);
	print_text(markup, format, values);
	va_end(values);
}

static void
append_symbol(Markup *markup, uint32 code)
{
	end_tag(markup);
	append_character(&markup->output, code);
}

void
markup_name(Markup *markup, const char *name)
{
	markup_element(markup, "bdi", name, NULL);
}

void
markup_isolated(Markup *markup, const char *name)
{
	append_symbol(markup, FIRST_STRONG_ISOLATE);
	markup_text(markup, name);
	append_symbol(markup, POP_DIRECTIONAL_ISOLATE);
}

void
markup_paragraph(Markup *markup, const char *class, const char *format,...)
{
	va_list		values;

	markup_open(markup, "p", NULL);
	if (class != NULL)
		append_attribute(markup, "class", class);
	va_start(values, format);
	print_text(markup, format, values);
	va_end(values);
	markup_close(markup);
}

char *
markup_new_id(Markup *markup)
{
	return psprintf("n%d", ++markup->identifiers);
}

/* ---- going back ----------------------------------------------------------------------------- */

MarkupPlace
markup_place(const Markup *markup)
{
	return (MarkupPlace) {markup->output.len, markup->depth, markup->in_tag};
}

void
markup_return(Markup *markup, MarkupPlace place)
{
	markup->output.len = place.length;
	markup->output.data[place.length] = '\0';
	markup->depth = place.depth;
	markup->in_tag = place.in_tag;
}
