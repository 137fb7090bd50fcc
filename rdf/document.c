/*
 * document.c
 *		An RDF document as rows: hkg_parse_rdf.
 *
 * The library serd reads the grammar; here its statements become rows.  serd recurses into nested nodes and calls back
 * for each byte and each statement, so interrupts and the depth of the stack are checked in these callbacks.  An ERROR
 * that leaves a callback leaves serd's functions, too: they own no lock and no memory but the reader's, which is freed
 * on the way.
 */
#include "postgres.h"

#include <serd/serd.h>

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "server/compat.h"
#include "term.h"

#define XSD_STRING "http://www.w3.org/2001/XMLSchema#string"

typedef enum Column
{
	COLUMN_SUBJECT,
	COLUMN_PREDICATE,
	COLUMN_OBJECT,
	COLUMN_GRAPH,
	COLUMN_DATATYPE,
	COLUMN_LANGUAGE,
	COLUMN_COUNT
} Column;

typedef struct Document
{
	/* what is still to be read, as UTF-8 */
	const char *next;
	const char *end;

	bool		with_literals;

	/* serd's, freed by free_reader */
	SerdReader *reader;
	SerdEnv    *names;

	/* the first error of the document */
	char		error[256];
	unsigned	line;
	unsigned	column;

	/* where the next byte stands, from 1 */
	unsigned	next_line;
	unsigned	next_column;

	/* the rows */
	Tuplestorestate *rows;
	TupleDesc	descriptor;
	MemoryContext row_memory;
	StringInfoData value;
} Document;

/* The bytes for serd, one at a time: serd calls this between any two steps, also of nested nodes. */
static size_t
read_byte(void *buffer, size_t size, size_t count, void *stream)
{
	Document   *document = stream;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (document->next == document->end)
		return 0;
	*(char *) buffer = *document->next;
	if (*document->next++ == '\n')
	{
		document->next_line++;
		document->next_column = 0;
	}
	document->next_column++;
	return 1;
}

/* The place in the document, for errors of the server. */
static void
add_place(void *argument)
{
	Document   *document = argument;

	errcontext("line %u, column %u of an RDF document", document->next_line, document->next_column);
}

static int
no_stream_error(void *stream)
{
	return 0;
}

/* Replaces bytes that are no whole character of UTF-8: serd shows some one by one, and a long text ends anywhere. */
static void
replace_broken(char *text)
{
	int			length;

	for (; *text != '\0'; text += length)
	{
		length = pg_utf_mblen((unsigned char *) text);
		if (strnlen(text, length) == (size_t) length && pg_utf8_islegal((unsigned char *) text, length))
			continue;
		*text = '?';
		length = 1;
	}
}

/* Keeps the first error, which names the place; those that follow from it do not. */
static SerdStatus
keep_error(void *handle, const SerdError *error)
{
	Document   *document = handle;

	if (document->error[0] == '\0')
	{
		vsnprintf(document->error, sizeof document->error, error->fmt, *error->args);
		document->error[strcspn(document->error, "\n")] = '\0';
		replace_broken(document->error);
		document->line = error->line;
		document->column = error->col;
	}
	return error->status;
}

/* Keeps an error that serd does not report, about a text that may be long, at the place that was read last. */
static SerdStatus
refuse(Document *document, const char *message, const char *what)
{
	if (document->error[0] == '\0')
	{
		snprintf(document->error, sizeof document->error, "%s \"%.*s\"", message,
				 pg_encoding_mbcliplen(PG_UTF8, what, strlen(what), 100), what);
		document->line = document->next_line;
		document->column = document->next_column;
	}
	return SERD_ERR_BAD_SYNTAX;
}

static SerdStatus
set_base(void *handle, const SerdNode *iri)
{
	return serd_env_set_base_uri(((Document *) handle)->names, iri);
}

static SerdStatus
set_prefix(void *handle, const SerdNode *name, const SerdNode *iri)
{
	return serd_env_set_prefix(((Document *) handle)->names, name, iri);
}

/* document->value becomes the text of an IRI, whole. */
static SerdStatus
expand_iri(Document *document, const SerdNode *node)
{
	SerdNode	whole;

	if (serd_uri_string_has_scheme(node->buf))
	{
		appendBinaryStringInfo(&document->value, (const char *) node->buf, node->n_bytes);
		return SERD_SUCCESS;
	}
	whole = serd_env_expand_node(document->names, node);
	if (whole.buf == NULL || !serd_uri_string_has_scheme(whole.buf))
	{
		serd_node_free(&whole);
		return refuse(document, "there is no base for the relative IRI", (const char *) node->buf);
	}
	appendBinaryStringInfo(&document->value, (const char *) whole.buf, whole.n_bytes);
	serd_node_free(&whole);
	return SERD_SUCCESS;
}

/* Likewise of prefix:name. */
static SerdStatus
expand_prefixed_name(Document *document, const SerdNode *node)
{
	SerdChunk	prefix;
	SerdChunk	rest;

	if (serd_env_expand(document->names, node, &prefix, &rest) != SERD_SUCCESS)
		return refuse(document, "there is no such prefix:", (const char *) node->buf);
	appendBinaryStringInfo(&document->value, (const char *) prefix.buf, prefix.len);
	appendBinaryStringInfo(&document->value, (const char *) rest.buf, rest.len);
	return SERD_SUCCESS;
}

/* document->value becomes the text of a node: an IRI without its brackets, _:label, or what a literal has in quotes. */
static SerdStatus
expand(Document *document, const SerdNode *node)
{
	resetStringInfo(&document->value);
	switch (node->type)
	{
		case SERD_URI:
			return expand_iri(document, node);
		case SERD_CURIE:
			return expand_prefixed_name(document, node);
		case SERD_BLANK:
			appendStringInfoString(&document->value, "_:");
			break;
		default:
			break;
	}
	appendBinaryStringInfo(&document->value, (const char *) node->buf, node->n_bytes);
	return SERD_SUCCESS;
}

/* The node as a value of a row, in the encoding of the server. */
static SerdStatus
put(Document *document, const SerdNode *node, Datum *value, bool *isnull)
{
	SerdStatus	status;

	*isnull = node == NULL || node->type == SERD_NOTHING;
	if (*isnull)
		return SERD_SUCCESS;
	status = expand(document, node);
	if (status != SERD_SUCCESS)
		return status;
	if (memchr(document->value.data, '\0', document->value.len) != NULL)
		return refuse(document, "a value of type text cannot have the character U+0000, as in", document->value.data);
	*value = CStringGetTextDatum(pg_any_to_server(document->value.data, document->value.len, PG_UTF8));
	return SERD_SUCCESS;
}

/* The datatype of a literal: the one that it has by the standard where the document gives none. */
static SerdStatus
put_datatype(Document *document, const SerdNode *datatype, const SerdNode *language, Datum *value, bool *isnull)
{
	static const SerdNode string = {(const uint8_t *) XSD_STRING, sizeof XSD_STRING - 1, sizeof XSD_STRING - 1, 0, SERD_URI};
	bool		plain = (datatype == NULL || datatype->type == SERD_NOTHING) && (language == NULL || language->type == SERD_NOTHING);

	return put(document, plain ? &string : datatype, value, isnull);
}

/* A statement becomes a row. */
static SerdStatus
put_statement(void *handle, SerdStatementFlags flags, const SerdNode *graph, const SerdNode *subject,
			  const SerdNode *predicate, const SerdNode *object, const SerdNode *datatype, const SerdNode *language)
{
	Document   *document = handle;
	MemoryContext caller = CurrentMemoryContext;
	bool		literal = object->type == SERD_LITERAL;
	Datum		values[COLUMN_COUNT] = {0};
	bool		nulls[COLUMN_COUNT];
	SerdStatus	status;

	if (literal && !document->with_literals)
		return SERD_SUCCESS;
	memset(nulls, true, sizeof nulls);
	MemoryContextSwitchTo(document->row_memory);
	status = put(document, subject, &values[COLUMN_SUBJECT], &nulls[COLUMN_SUBJECT]);
	if (status == SERD_SUCCESS)
		status = put(document, predicate, &values[COLUMN_PREDICATE], &nulls[COLUMN_PREDICATE]);
	if (status == SERD_SUCCESS)
		status = put(document, object, &values[COLUMN_OBJECT], &nulls[COLUMN_OBJECT]);
	if (status == SERD_SUCCESS)
		status = put(document, graph, &values[COLUMN_GRAPH], &nulls[COLUMN_GRAPH]);
	if (status == SERD_SUCCESS && literal)
		status = put_datatype(document, datatype, language, &values[COLUMN_DATATYPE], &nulls[COLUMN_DATATYPE]);
	if (status == SERD_SUCCESS && literal)
		status = put(document, language, &values[COLUMN_LANGUAGE], &nulls[COLUMN_LANGUAGE]);
	MemoryContextSwitchTo(caller);
	if (status == SERD_SUCCESS)
		tuplestore_putvalues(document->rows, document->descriptor, values, nulls);
	MemoryContextReset(document->row_memory);
	return status;
}

static SerdSyntax
syntax_of(const char *format)
{
	static const struct
	{
		const char *name;
		SerdSyntax	syntax;
	}			formats[] = {
		{"turtle", SERD_TURTLE}, {"ntriples", SERD_NTRIPLES}, {"nquads", SERD_NQUADS}, {"trig", SERD_TRIG}
	};

	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(format, formats[i].name) == 0)
			return formats[i].syntax;
	ereport(ERROR,
			errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("there is no RDF format \"%.*s\"", pg_mbcliplen(format, strlen(format), NAMEDATALEN), format),
			errhint("Formats are turtle, ntriples, nquads and trig."));
}

/* The base against which relative IRIs are resolved, when it is given. */
static SerdEnv *
new_names(const char *base)
{
	SerdNode	node;
	SerdEnv    *names;

	if (base == NULL)
		return serd_env_new(NULL);
	if (!serd_uri_string_has_scheme((const uint8_t *) base))
		rdf_refuse_base(base);
	node = serd_node_from_string(SERD_URI, (const uint8_t *) base);
	names = serd_env_new(&node);
	return names;
}

static void
free_reader(Document *document)
{
	serd_reader_free(document->reader);
	serd_env_free(document->names);
}

static void
read_rows(Document *document, SerdSyntax syntax, const char *base, const char *blank_prefix)
{
	ErrorContextCallback place = {.callback = add_place, .arg = document, .previous = error_context_stack};
	volatile SerdStatus status = SERD_SUCCESS;

	document->names = new_names(base);
	document->reader = serd_reader_new(syntax, document, NULL, set_base, set_prefix, put_statement, NULL);
	serd_reader_set_strict(document->reader, true);
	serd_reader_set_error_sink(document->reader, keep_error, document);
	serd_reader_add_blank_prefix(document->reader, (const uint8_t *) blank_prefix);
	error_context_stack = &place;
	PG_TRY();
	{
		status = serd_reader_read_source(document->reader, read_byte, no_stream_error, document, NULL, 1);
	}
	PG_FINALLY();
	{
		free_reader(document);
	}
	PG_END_TRY();
	error_context_stack = place.previous;

	/* serd returns "failure" without an error where only white space and comments are left */
	if (document->error[0] == '\0' && (status > SERD_FAILURE || document->next != document->end))
		(void) refuse(document, "invalid syntax just before", document->next);
	if (document->error[0] != '\0')
		ereport(ERROR,
				errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("line %u, column %u: %s", document->line, document->column,
					   pg_any_to_server(document->error, strlen(document->error), PG_UTF8)));
}

/* The rows go into a store that the executor reads; it is on disk where work_mem is not enough. */
static void
open_rows(Document *document, FunctionCallInfo fcinfo)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller;

	if (info == NULL || !IsA(info, ReturnSetInfo) || (info->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("hkg_parse_rdf returns rows, and is called where they are not accepted"),
				errhint("Write it after FROM."));
	if (get_call_result_type(fcinfo, NULL, &document->descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "hkg_parse_rdf is declared with another result");
	caller = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	document->descriptor = CreateTupleDescCopy(document->descriptor);
	document->rows = tuplestore_begin_heap((info->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
	MemoryContextSwitchTo(caller);
	info->returnMode = SFRM_Materialize;
	info->setResult = document->rows;
	info->setDesc = document->descriptor;
	document->row_memory = AllocSetContextCreate(CurrentMemoryContext, "row of hkg_parse_rdf", ALLOCSET_DEFAULT_SIZES);
	initStringInfo(&document->value);
}

static char *
argument_or(FunctionCallInfo fcinfo, int number, const char *otherwise)
{
	return PG_ARGISNULL(number) ? (otherwise == NULL ? NULL : pstrdup(otherwise)) : text_to_cstring(PG_GETARG_TEXT_PP(number));
}

static void
parse(FunctionCallInfo fcinfo, const char *content, size_t length)
{
	Document	document = {.next = content, .end = content + length, .next_line = 1, .next_column = 1};
	char	   *format = argument_or(fcinfo, 1, "turtle");
	char	   *base = argument_or(fcinfo, 2, NULL);
	char	   *blank_prefix = argument_or(fcinfo, 4, "");

	document.with_literals = PG_ARGISNULL(3) || PG_GETARG_BOOL(3);
	open_rows(&document, fcinfo);
	read_rows(&document, syntax_of(format), base, blank_prefix);
}

static Datum
no_rows(FunctionCallInfo fcinfo)
{
	Document	document = {0};

	open_rows(&document, fcinfo);
	return (Datum) 0;
}

HKG_FUNCTION(hkg_parse_rdf_text);
Datum
hkg_parse_rdf_text(PG_FUNCTION_ARGS)
{
	text	   *content;
	char	   *utf8;

	if (PG_ARGISNULL(0))
		return no_rows(fcinfo);
	content = PG_GETARG_TEXT_PP(0);
	utf8 = pg_server_to_any(VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content), PG_UTF8);
	parse(fcinfo, utf8, utf8 == VARDATA_ANY(content) ? VARSIZE_ANY_EXHDR(content) : strlen(utf8));
	return (Datum) 0;
}

HKG_FUNCTION(hkg_parse_rdf_bytes);
Datum
hkg_parse_rdf_bytes(PG_FUNCTION_ARGS)
{
	bytea	   *content;

	if (PG_ARGISNULL(0))
		return no_rows(fcinfo);
	content = PG_GETARG_BYTEA_PP(0);
	pg_verify_mbstr(PG_UTF8, VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content), false);
	parse(fcinfo, VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content));
	return (Datum) 0;
}
