/*
 * page.c
 *		_hkg_report_page, _hkg_escape_json, _hkg_check_model: what hkg_report, a function in SQL, uses.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "graph/graph.h"
#include "model/model.h"
#include "server/argument.h"
#include "server/sql.h"

#define REPLACEMENT 0xFFFD

/* made of page.html by make */
static const char page[] =
#include "page.html.inc"
;

HKG_FUNCTION(hkg_report_page);
Datum
hkg_report_page(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(page));
}

HKG_FUNCTION(hkg_check_model);
Datum
hkg_check_model(PG_FUNCTION_ARGS)
{
	char	   *name = argument_name(fcinfo, 0, "graph");
	char	   *model = PG_ARGISNULL(1) ? NULL : argument_name(fcinfo, 1, "model");
	Graph	   *graph;

	sql_begin();
	graph = graph_open(name);
	if (model != NULL)
		model_require(graph, model);
	sql_end();
	PG_RETURN_VOID();
}

static void
append_code_point(StringInfo json, uint32 code)
{
	if (code >= 0x10000)
	{
		appendStringInfo(json, "\\u%04x", 0xD800 + ((code - 0x10000) >> 10));
		code = 0xDC00 + ((code - 0x10000) & 0x3FF);
	}
	appendStringInfo(json, "\\u%04x", code);
}

/*
 * The same JSON in ASCII, without what could end or begin an element or a comment of HTML.  Outside of its strings JSON has
 * none of these characters.  A database without an encoding (SQL_ASCII) is read as UTF-8; what is not UTF-8 is replaced.
 */
HKG_FUNCTION(hkg_escape_json);
Datum
hkg_escape_json(PG_FUNCTION_ARGS)
{
	char	   *server = text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool		is_utf8 = GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
	const unsigned char *at = (const unsigned char *) (is_utf8 ? server : pg_server_to_any(server, (int) strlen(server), PG_UTF8));
	const unsigned char *end = at + strlen((const char *) at);
	StringInfoData json;

	initStringInfo(&json);
	while (at < end)
	{
		int			length = pg_utf_mblen(at);

		if (length > end - at || !pg_utf8_islegal(at, length))
		{
			append_code_point(&json, REPLACEMENT);
			at++;
			continue;
		}
		if (*at >= 0x7F || *at == '<' || *at == '>' || *at == '&')
			append_code_point(&json, utf8_to_unicode(at));
		else
			appendStringInfoChar(&json, (char) *at);
		at += length;
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(json.data, json.len));
}
