/*
 * table.c
 *		The rows of a query as a table of the page (see table.h).
 *
 * A table may be wider or longer than its place: it stands in a box of its own that scrolls, also by the
 * keyboard.
 */
#include "postgres.h"

#include "table.h"

#include <math.h>

#include "utils/builtins.h"

static bool
is_text(ColumnKind kind)
{
	return kind <= COLUMN_TEXT;
}

char *
count_text(double value)
{
	char	   *digits = psprintf("%.0f", value);
	int			length = (int) strlen(digits);
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < length; i++)
	{
		appendStringInfoChar(&text, digits[i]);
		if (i < length - 1 && digits[i] != '-' && (length - 1 - i) % 3 == 0)
			appendStringInfoChar(&text, ',');
	}
	return text.data;
}

char *
bytes_text(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	int			unit = 0;

	while (bytes >= 1000 && unit < (int) lengthof(units) - 1)
	{
		bytes /= 1000;
		unit++;
	}
	return psprintf("%.3g %s", bytes, units[unit]);
}

void
table_begin(Markup *markup, const char *caption, const Column *columns, int count)
{
	char	   *id = markup_new_id(markup);

	markup_element(markup, "p", caption, "class", "caption", "id", id, NULL);
	markup_open(markup, "div", "class", "scroll", "tabindex", "0", "role", "group", "aria-labelledby", id, NULL);
	markup_open(markup, "table", NULL);
	markup_open(markup, "thead", NULL);
	markup_open(markup, "tr", NULL);
	for (int i = 0; i < count; i++)
		markup_element(markup, "th", columns[i].label, "scope", "col", "class",
					   is_text(columns[i].kind) ? "text" : "number", NULL);
	markup_close(markup);
	markup_close(markup);
	markup_open(markup, "tbody", NULL);
}

void
table_end(Markup *markup)
{
	markup_close(markup);
	markup_close(markup);
	markup_close(markup);
}

void
table_row_begin(Markup *markup)
{
	markup_open(markup, "tr", NULL);
}

void
table_row_end(Markup *markup)
{
	markup_close(markup);
}

/* Rules are read from left to right, whatever their names are. */
void
table_text(Markup *markup, ColumnKind kind, const char *text)
{
	markup_open(markup, "td", "class", kind == COLUMN_CODE ? "rule" : kind == COLUMN_NAME ? "name" : "word", NULL);
	if (kind == COLUMN_CODE)
		markup_element(markup, "bdi", text, "class", "code", "dir", "ltr", NULL);
	else if (kind == COLUMN_NAME)
		markup_name(markup, text);
	else
		markup_text(markup, text);
	markup_close(markup);
}

static void
share_bar(Markup *markup, double share)
{
	markup_open(markup, "svg", "xmlns", "http://www.w3.org/2000/svg", "class", "share", "viewBox", "0 0 60 8",
				"aria-hidden", "true", NULL);
	markup_open(markup, "rect", "class", "empty", "width", "60", "height", "8", NULL);
	markup_close(markup);
	markup_open(markup, "rect", "class", "series-1", "height", "8", NULL);
	markup_number(markup, "width", 60 * Min(Max(share, 0), 1));
	markup_close(markup);
	markup_close(markup);
}

static char *
share_text(double share)
{
	if (share > 0 && share < 0.001)
		return pstrdup("< 0.1 %");
	return psprintf(share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
}

void
table_number(Markup *markup, ColumnKind kind, double value)
{
	markup_open(markup, "td", "class", "number", NULL);
	if (!isnan(value))
	{
		if (kind == COLUMN_SHARE_BAR)
			share_bar(markup, value);
		markup_element(markup, "span", kind == COLUMN_COUNT ? count_text(value) :
					   kind == COLUMN_DECIMALS ? psprintf("%.3f", value) :
					   kind == COLUMN_BYTES ? bytes_text(value) : share_text(value), NULL);
	}
	markup_close(markup);
}

/* ---- of a query -------------------------------------------------------------------- */

typedef struct TableRows
{
	Markup	   *markup;
	const char *caption;
	const Column *columns;
	int			count;
	uint64		rows;
} TableRows;

static void
write_row(void *argument, const Datum *values, const bool *nulls)
{
	TableRows  *rows = argument;

	if (rows->rows++ == 0)
		table_begin(rows->markup, rows->caption, rows->columns, rows->count);
	table_row_begin(rows->markup);
	for (int i = 0; i < rows->count; i++)
	{
		if (is_text(rows->columns[i].kind))
			table_text(rows->markup, rows->columns[i].kind, nulls[i] ? "" : TextDatumGetCString(values[i]));
		else
			table_number(rows->markup, rows->columns[i].kind, nulls[i] ? NAN : DatumGetFloat8(values[i]));
	}
	table_row_end(rows->markup);
}

uint64
table_of_query(Markup *markup, const char *caption, const Column *columns, int count, const char *query,
			   const SqlArgs *args)
{
	TableRows	rows = {markup, caption, columns, count, 0};

	sql_stream(query, args, write_row, &rows);
	if (rows.rows > 0)
		table_end(markup);
	return rows.rows;
}
