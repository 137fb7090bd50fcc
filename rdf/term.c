/*
 * term.c
 *		A name of a graph as a term of N-Triples, and back.
 *
 * Names that are IRIs or blank nodes are written as they are.  Any other name becomes an IRI of its own: a base, and the
 * name with what an IRI cannot have as percent signs and two hexadecimal digits.  So does one that begins with the base,
 * for the way back, and a predicate that is a blank node, which RDF does not have.
 */
#include "postgres.h"

#include <ctype.h>

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "parser.h"
#include "server/compat.h"
#include "term.h"

PG_MODULE_MAGIC;

/* Those of ASCII that N-Triples has in an IRI. */
static bool
stands_in_iri(unsigned char c)
{
	return c > ' ' && c != 0x7f && strchr("<>\"{}|^`\\", c) == NULL;
}

static bool
is_letter(unsigned char c)
{
	return c < 0x80 && isalpha(c);
}

static bool
is_letter_or_digit(unsigned char c)
{
	return c < 0x80 && isalnum(c);
}

/* A scheme, a colon, something, and nothing that an IRI cannot have. */
static bool
is_iri(const char *name)
{
	const char *c = name;

	if (!is_letter(*c))
		return false;
	while (is_letter_or_digit(*c) || (*c != '\0' && strchr("+-.", *c) != NULL))
		c++;
	if (*c != ':' || c[1] == '\0')
		return false;
	for (; *c != '\0'; c++)
		if (!stands_in_iri(*c))
			return false;
	return true;
}

void
rdf_check_base(const char *base)
{
	if (!is_iri(base))
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("base is not an absolute IRI: \"%.*s\"", pg_mbcliplen(base, (int) strlen(base), 100), base),
				errhint("An absolute IRI begins with a scheme, such as http: or urn:."));
}

/* _: and a label of RDF */
static bool
is_blank_node(const char *name)
{
	const char *label;

	if (strncmp(name, "_:", 2) != 0)
		return false;
	label = pg_server_to_any(name + 2, (int) strlen(name + 2), PG_UTF8);
	return rdf_label_stands(label, strlen(label), true);
}

/* What is unreserved in RFC 3986, and all beyond ASCII. */
static bool
stands_in_name(unsigned char c)
{
	return c >= 0x80 || is_letter_or_digit(c) || strchr("-._~", c) != NULL;
}

static void
append_percent_encoded(StringInfo term, const char *name)
{
	for (; *name != '\0'; name++)
		if (stands_in_name(*name))
			appendStringInfoCharMacro(term, *name);
		else
			appendStringInfo(term, "%%%02X", (unsigned char) *name);
}

static int
hexadecimal(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What append_percent_encoded wrote; a percent sign without two digits stays.  NULL: the bytes are no text. */
static char *
percent_decoded(const char *encoded)
{
	char	   *name = palloc(strlen(encoded) + 1);
	char	   *end = name;

	while (*encoded != '\0')
		if (*encoded == '%' && hexadecimal(encoded[1]) >= 0 && hexadecimal(encoded[2]) >= 0 &&
			(encoded[1] != '0' || encoded[2] != '0'))
		{
			*end++ = (char) (hexadecimal(encoded[1]) * 16 + hexadecimal(encoded[2]));
			encoded += 3;
		}
		else
			*end++ = *encoded++;
	*end = '\0';
	return pg_verify_mbstr(GetDatabaseEncoding(), name, end - name, true) ? name : NULL;
}

HKG_FUNCTION(hkg_rdf_term);
Datum
hkg_rdf_term(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *base = text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool		predicate = PG_GETARG_BOOL(2);
	StringInfoData term;

	rdf_check_base(base);
	initStringInfo(&term);
	if (!predicate && is_blank_node(name))
		appendStringInfoString(&term, name);
	else if (is_iri(name) && strncmp(name, base, strlen(base)) != 0)
		appendStringInfo(&term, "<%s>", name);
	else
	{
		appendStringInfo(&term, "<%s", base);
		append_percent_encoded(&term, name);
		appendStringInfoChar(&term, '>');
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(term.data, term.len));
}

HKG_FUNCTION(hkg_rdf_name);
Datum
hkg_rdf_name(PG_FUNCTION_ARGS)
{
	char	   *iri = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *base = text_to_cstring(PG_GETARG_TEXT_PP(1));
	size_t		length = strlen(base);
	char	   *name = NULL;

	if (length > 0 && strncmp(iri, base, length) == 0 && iri[length] != '\0')
		name = percent_decoded(iri + length);
	if (name == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_TEXT_P(cstring_to_text(name));
}
