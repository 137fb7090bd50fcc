/*
 * document.c
 *		An RDF document as rows: hkg_parse_rdf.
 *
 * Where errors are skipped, the rows of a statement wait in a store of their own until it has ended well.  A line of
 * N-Triples or N-Quads, which is a row, does not have to.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "parser.h"
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
	RdfParser	parser;
	bool		with_literals;
	bool		skip_errors;

	/* the rows, and those of the statement that is read now, where it may turn out to be a bad one */
	Tuplestorestate *rows;
	Tuplestorestate *new_rows;
	TupleTableSlot *slot;
	TupleDesc	descriptor;
	MemoryContext row_memory;

	/* the statements that are left out; the first of them */
	int64		skipped;
	char	   *first_error;
} Document;

/* Line and column of a byte, both from 1; a column is a character. */
static void
find_place(const RdfParser *parser, const char *at, int64 *line, int64 *column)
{
	*line = *column = 1;
	for (const char *c = parser->start; c < at; c++)
	{
		if (*c == '\n')
		{
			++*line;
			*column = 1;
		}
		else if (((unsigned char) *c & 0xC0) != 0x80)
			++*column;
	}
}

/* The place in the document, for errors of the server. */
static void
add_place(void *argument)
{
	Document   *document = argument;
	int64		line;
	int64		column;

	find_place(&document->parser, document->parser.next, &line, &column);
	errcontext("line " INT64_FORMAT ", column " INT64_FORMAT " of an RDF document", line, column);
}

/* A text of the document in the encoding of the server */
static Datum
text_datum(const char *utf8)
{
	return CStringGetTextDatum(pg_any_to_server(utf8, (int) strlen(utf8), PG_UTF8));
}

static void
put_column(Datum *values, bool *nulls, Column column, const char *utf8)
{
	nulls[column] = utf8 == NULL;
	if (utf8 != NULL)
		values[column] = text_datum(utf8);
}

/* A statement becomes a row.  A literal has the datatype that the standard gives it where the document gives none. */
static void
put_row(void *handle, const RdfStatement *statement)
{
	Document   *document = handle;
	bool		plain = statement->literal && statement->datatype == NULL && statement->language == NULL;
	MemoryContext caller;
	Datum		values[COLUMN_COUNT] = {0};
	bool		nulls[COLUMN_COUNT];

	if (statement->literal && !document->with_literals)
		return;
	caller = MemoryContextSwitchTo(document->row_memory);
	put_column(values, nulls, COLUMN_SUBJECT, statement->subject);
	put_column(values, nulls, COLUMN_PREDICATE, statement->predicate);
	put_column(values, nulls, COLUMN_OBJECT, statement->object);
	put_column(values, nulls, COLUMN_GRAPH, statement->graph);
	put_column(values, nulls, COLUMN_DATATYPE, plain ? XSD_STRING : statement->datatype);
	put_column(values, nulls, COLUMN_LANGUAGE, statement->language);
	MemoryContextSwitchTo(caller);
	tuplestore_putvalues(document->new_rows != NULL ? document->new_rows : document->rows,
						 document->descriptor, values, nulls);
	MemoryContextReset(document->row_memory);
}

/* The rows of the statement that was just read are rows of the document, if it was a good one. */
static void
end_statement(Document *document, bool good)
{
	if (document->new_rows == NULL)
		return;
	while (good && tuplestore_gettupleslot(document->new_rows, true, false, document->slot))
		tuplestore_puttupleslot(document->rows, document->slot);
	tuplestore_clear(document->new_rows);
}

/* The error with its place, in the encoding of the server. */
static char *
error_text(const RdfParser *parser)
{
	int64		line;
	int64		column;

	find_place(parser, parser->error_at, &line, &column);
	return psprintf("line " INT64_FORMAT ", column " INT64_FORMAT ": %s", line, column,
					pg_any_to_server(parser->error, (int) strlen(parser->error), PG_UTF8));
}

static void
refuse(const RdfParser *parser)
{
	ereport(ERROR,
			errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			errmsg("%s", error_text(parser)),
			parser->hint == NULL ? 0 : errhint("%s", parser->hint));
}

static void
tell_skipped(const Document *document)
{
	bool		lines = rdf_line_based(&document->parser);

	if (document->skipped > 0)
		ereport(NOTICE,
				errmsg_plural("%lld %s of the RDF document is left out", "%lld %s of the RDF document are left out",
							  (unsigned long) document->skipped, (long long) document->skipped,
							  document->skipped == 1 ? (lines ? "line" : "statement") : (lines ? "lines" : "statements")),
				errdetail("The first: %s.", document->first_error));
}

static void
read_rows(Document *document, const char *content, size_t length)
{
	ErrorContextCallback place = {.callback = add_place, .arg = document, .previous = error_context_stack};
	RdfParser  *parser = &document->parser;
	RdfOutcome	outcome;

	rdf_open(parser, content, length);
	error_context_stack = &place;
	while ((outcome = rdf_read(parser)) != RDF_END)
	{
		end_statement(document, outcome == RDF_STATEMENT);
		if (outcome == RDF_STATEMENT)
			continue;
		if (!document->skip_errors)
		{
			error_context_stack = place.previous;
			refuse(parser);
		}
		if (document->skipped++ == 0)
			document->first_error = error_text(parser);
		pfree(parser->error);
		rdf_skip(parser);
	}
	error_context_stack = place.previous;
	tell_skipped(document);
}

static RdfFormat
format_of(const char *format)
{
	static const char *const names[] = {
		[RDF_TURTLE] = "turtle", [RDF_TRIG] = "trig", [RDF_NTRIPLES] = "ntriples", [RDF_NQUADS] = "nquads"
	};

	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(format, names[i]) == 0)
			return (RdfFormat) i;
	ereport(ERROR,
			errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("there is no RDF format \"%.*s\"", pg_mbcliplen(format, (int) strlen(format), NAMEDATALEN), format),
			errhint("Formats are turtle, ntriples, nquads and trig."));
}

/* Whether errors are skipped. */
static bool
skips(const char *on_error)
{
	if (strcmp(on_error, "stop") != 0 && strcmp(on_error, "skip") != 0)
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("on_error is neither stop nor skip: \"%.*s\"",
					   pg_mbcliplen(on_error, (int) strlen(on_error), NAMEDATALEN), on_error),
				errhint("stop raises an error, skip leaves out what is wrong and counts it."));
	return strcmp(on_error, "skip") == 0;
}

static void
check_blank_prefix(const char *utf8, const char *prefix)
{
	if (*utf8 != '\0' && !rdf_label_stands(utf8, strlen(utf8), false))
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("no label of a blank node begins with blank_prefix: \"%.*s\"",
					   pg_mbcliplen(prefix, (int) strlen(prefix), 100), prefix),
				errhint("Write a letter, a digit or _, then any of these, - and dots."));
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
}

static char *
argument_or(FunctionCallInfo fcinfo, int number, const char *otherwise)
{
	if (!PG_ARGISNULL(number))
		return text_to_cstring(PG_GETARG_TEXT_PP(number));
	return otherwise == NULL ? NULL : pstrdup(otherwise);
}

static char *
to_utf8(char *argument)
{
	return pg_server_to_any(argument, (int) strlen(argument), PG_UTF8);
}

static Document *
new_document(FunctionCallInfo fcinfo)
{
	Document   *document = palloc0(sizeof(Document));
	char	   *format = argument_or(fcinfo, 1, "turtle");
	char	   *base = argument_or(fcinfo, 2, NULL);
	char	   *blank_prefix = argument_or(fcinfo, 4, "");
	char	   *on_error = argument_or(fcinfo, 5, "stop");

	if (base != NULL)
		rdf_check_base(base);
	document->parser.format = format_of(format);
	document->parser.base = base == NULL ? NULL : to_utf8(base);
	document->parser.blank_prefix = to_utf8(blank_prefix);
	check_blank_prefix(document->parser.blank_prefix, blank_prefix);
	document->parser.put = put_row;
	document->parser.rows = document;
	document->with_literals = PG_ARGISNULL(3) || PG_GETARG_BOOL(3);
	open_rows(document, fcinfo);
	document->skip_errors = skips(on_error);
	if (document->skip_errors && !rdf_line_based(&document->parser))
	{
		document->new_rows = tuplestore_begin_heap(false, false, work_mem);
		document->slot = MakeSingleTupleTableSlot(document->descriptor, &TTSOpsMinimalTuple);
	}
	return document;
}

static void
parse(Document *document, const char *content, size_t length)
{
	read_rows(document, content, length);
	if (document->new_rows != NULL)
	{
		ExecDropSingleTupleTableSlot(document->slot);
		tuplestore_end(document->new_rows);
	}
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
	parse(new_document(fcinfo), utf8, utf8 == VARDATA_ANY(content) ? VARSIZE_ANY_EXHDR(content) : strlen(utf8));
	return (Datum) 0;
}

HKG_FUNCTION(hkg_parse_rdf_bytes);
Datum
hkg_parse_rdf_bytes(PG_FUNCTION_ARGS)
{
	bytea	   *content;
	Document   *document;

	if (PG_ARGISNULL(0))
		return no_rows(fcinfo);
	content = PG_GETARG_BYTEA_PP(0);
	document = new_document(fcinfo);
	if (!document->skip_errors)
		pg_verify_mbstr(PG_UTF8, VARDATA_ANY(content), (int) VARSIZE_ANY_EXHDR(content), false);
	parse(document, VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content));
	return (Datum) 0;
}
