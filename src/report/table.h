/*
 * table.h
 *		The rows of a query as a table of the page.
 */
#ifndef HKG_REPORT_TABLE_H
#define HKG_REPORT_TABLE_H

#include "markup.h"
#include "server/sql.h"

/* How a column is written.  The query returns text for the first three kinds, float8 for the others. */
typedef enum ColumnKind
{
	COLUMN_NAME,				/* of the graph, isolated */
	COLUMN_CODE,				/* a rule or its grounding */
	COLUMN_TEXT,
	COLUMN_COUNT,
	COLUMN_DECIMALS,			/* three of them */
	COLUMN_SHARE,				/* 0 to 1, as percent */
	COLUMN_SHARE_BAR,			/* the same with a bar */
	COLUMN_BYTES
} ColumnKind;

typedef struct Column
{
	const char *label;
	ColumnKind	kind;
} Column;

/* Writes all rows; returns how many there are.  Without any, nothing is written. */
extern uint64 table_of_query(Markup *markup, const char *caption, const Column *columns, int count, const char *query,
							 const SqlArgs *args);

/* The same by hand: a head, rows of cells, the end */
extern void table_begin(Markup *markup, const char *caption, const Column *columns, int count);
extern void table_row_begin(Markup *markup);
extern void table_text(Markup *markup, ColumnKind kind, const char *text);
extern void table_number(Markup *markup, ColumnKind kind, double value);	/* NaN: an empty cell */
extern void table_row_end(Markup *markup);
extern void table_end(Markup *markup);

/* A number as it is written: 12,345 or 1.5 MB */
extern char *count_text(double value);
extern char *bytes_text(double bytes);

#endif							/* HKG_REPORT_TABLE_H */
