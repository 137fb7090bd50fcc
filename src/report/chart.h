/*
 * chart.h
 *		Charts as SVG: axes with ticks and units, marks, legends, text alternatives.
 *
 * A chart is drawn in units that are about a pixel on a telephone; it grows with its place on the page.  Colours are
 * classes of the style sheet: series-1, series-2, ...
 */
#ifndef HKG_REPORT_CHART_H
#define HKG_REPORT_CHART_H

#include "markup.h"

typedef struct Axis
{
	const char *label;			/* with the unit */
	double		low;
	double		high;
	bool		logarithmic;	/* low and high are above 0 then */
	bool		is_whole;		/* no tick between whole numbers */
	bool		without_ticks;
} Axis;

typedef struct ChartFrame
{
	const char *title;
	const char *description;	/* what one sees, for those who do not see it */
	Axis		x;
	Axis		y;
	double		left;			/* room for the labels of y; 0: as usual */
	double		height;			/* 0: as usual */
	double		width;			/* 0: as usual */
} ChartFrame;

typedef struct Chart
{
	Markup	   *markup;
	ChartFrame	frame;
	double		left;
	double		right;
	double		top;
	double		bottom;
} Chart;

typedef enum ChartMark
{
	MARK_CIRCLE,
	MARK_SQUARE,
	MARK_TRIANGLE
} ChartMark;

typedef struct LegendEntry
{
	const char *class;
	ChartMark	mark;
	const char *label;
} LegendEntry;

/* A figure with its heading, a legend (count 0: none), and the picture with its axes; chart_end closes it. */
extern Chart chart_begin(Markup *markup, const ChartFrame *frame, const LegendEntry *entry, int count);
extern void chart_end(Chart *chart);

/* A picture with a text alternative and no axes, in such a figure; closed by markup_close. */
extern void picture_open(Markup *markup, double width, double height, const char *title, const char *description);

/* Where a value is */
extern double chart_x(const Chart *chart, double value);
extern double chart_y(const Chart *chart, double value);

/* A polyline through points */
extern void chart_line(const Chart *chart, const char *class, const double *x, const double *y, int count);

/* A line from one point to another */
extern void chart_segment(const Chart *chart, const char *class, double x1, double y1, double x2, double y2);

/* A mark of a radius in pixels, with a text under the pointer (NULL: none) */
extern void chart_mark(const Chart *chart, LegendEntry series, double x, double y, double radius, const char *tip);
extern void chart_bar(const Chart *chart, const char *class, double x1, double y1, double x2, double y2, const char *tip);

/* Many points at once, without texts */
extern void chart_cloud(const Chart *chart, const char *class, const double *x, const double *y, int count);

/* A text at a place in pixels; anchor: start, middle or end */
extern void chart_text(Markup *markup, double x, double y, const char *anchor, const char *class, const char *text);

/* About so many characters of a text, with dots where some are left out */
extern char *clipped(const char *text, int characters);

/* Pixels of a text in which a Latin letter takes so many: a Chinese one takes two, a combining mark none. */
extern double chart_text_width(const char *text, double letter);

#endif							/* HKG_REPORT_CHART_H */
