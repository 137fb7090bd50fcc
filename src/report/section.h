/*
 * section.h
 *		What the sections of a report have in common, and the sections themselves.
 *
 * A section writes what is inside it: paragraphs, charts, tables.  Its heading, and what stands in its place where the
 * reader may not see a table or something else is not to be had, are report.c's.
 */
#ifndef HKG_REPORT_SECTION_H
#define HKG_REPORT_SECTION_H

#include "graph/graph.h"
#include "markup.h"
#include "server/sql.h"
#include "table.h"

typedef struct Report
{
	Markup	   *markup;
	Graph	   *graph;
	const char *functions;		/* of the extension, see extension_prefix */
} Report;

/* Of the graph alone: the model is NULL. */
extern void section_graph(Report *report, const char *model);

/* Of a model */
extern void section_training(Report *report, const char *model);
extern void section_accuracy(Report *report, const char *model);
extern void section_calibration(Report *report, const char *model);
extern void section_rules(Report *report, const char *model);
extern void section_map(Report *report, const char *model);
extern void section_missing(Report *report, const char *model);
extern void section_cost(Report *report, const char *model);

/* Whether probabilities were learnt for the model (section_calibration.c). */
extern bool section_has_probabilities(const Report *report, const char *model);

/* ---- statements ------------------------------------------------------------------------ */

/* The number that a query of one float8 returns; NaN where it returns none. */
extern double report_number(const char *query, const SqlArgs *args);

/* The text that a query returns; NULL where it returns none. */
extern char *report_text(const char *query, const SqlArgs *args);

/* Columns of float8, gathered */
#define SERIES_COLUMNS 8

typedef struct Series
{
	int			columns;
	int64		count;
	int64		room;
	double	   *value[SERIES_COLUMNS];	/* of each column; NaN where it is null */
} Series;

/* All rows of a query of so many columns, all float8 */
extern Series series_of_query(int columns, const char *query, const SqlArgs *args);

/* The highest and the lowest number of a column, NaN left out; 0 where there are none */
extern double series_high(const Series *series, int column);
extern double series_low(const Series *series, int column);

/* A row of figures, each with its meaning */
extern void figures_begin(Markup *markup);
extern void figure(Markup *markup, const char *value, const char *meaning);
extern void figures_end(Markup *markup);

#endif							/* HKG_REPORT_SECTION_H */
