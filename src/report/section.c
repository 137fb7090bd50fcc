/*
 * section.c
 *		What the sections of a report have in common: numbers of statements, figures.
 */
#include "postgres.h"

#include "section.h"

#include <math.h>

#include "utils/builtins.h"

#include "server/growing_array.h"

double
report_number(const char *query, const SqlArgs *args)
{
	Datum		value;

	return sql_value(query, args, &value) ? DatumGetFloat8(value) : NAN;
}

char *
report_text(const char *query, const SqlArgs *args)
{
	Datum		value;

	return sql_value(query, args, &value) ? TextDatumGetCString(value) : NULL;
}

/* ---- series ------------------------------------------------------------------------------ */

static void
take_numbers(void *argument, const Datum *values, const bool *nulls)
{
	Series	   *series = argument;
	int64		room = series->room;

	for (int i = 0; i < series->columns; i++)
	{
		room = series->room;
		series->value[i] = array_reserve(series->value[i], series->count + 1, &room, sizeof(double));
		series->value[i][series->count] = nulls[i] ? NAN : DatumGetFloat8(values[i]);
	}
	series->room = room;
	series->count++;
}

Series
series_of_query(int columns, const char *query, const SqlArgs *args)
{
	Series		series = {.columns = columns};

	sql_stream(query, args, take_numbers, &series);
	return series;
}

double
series_high(const Series *series, int column)
{
	double		high = NAN;

	for (int64 i = 0; i < series->count; i++)
		high = fmax(high, series->value[column][i]);
	return isnan(high) ? 0 : high;
}

double
series_low(const Series *series, int column)
{
	double		low = NAN;

	for (int64 i = 0; i < series->count; i++)
		low = fmin(low, series->value[column][i]);
	return isnan(low) ? 0 : low;
}

/* ---- figures ------------------------------------------------------------------------------- */

void
figures_begin(Markup *markup)
{
	markup_open(markup, "ul", "class", "figures", NULL);
}

void
figure(Markup *markup, const char *value, const char *meaning)
{
	markup_open(markup, "li", NULL);
	markup_element(markup, "b", value, NULL);
	markup_element(markup, "span", meaning, NULL);
	markup_close(markup);
}

void
figures_end(Markup *markup)
{
	markup_close(markup);
}
