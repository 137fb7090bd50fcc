/*
 * chart.c
 *		Charts as SVG: axes, marks, legends (see chart.h).
 */
#include "postgres.h"

#include "chart.h"

#include <math.h>

#include "mb/pg_wchar.h"

#define WIDTH 400
#define HEIGHT 260
#define LEFT 54
#define RIGHT 14
#define TOP 10
#define BOTTOM 40

/* ---- scales ---------------------------------------------------------------------------- */

/* The place of a value between the ends of an axis, 0 to 1 */
static double
place_on(const Axis *axis, double value)
{
	double		place = axis->logarithmic ?
		log(Max(value, axis->low) / axis->low) / log(axis->high / axis->low) :
		(value - axis->low) / (axis->high - axis->low);

	return isfinite(place) ? Min(Max(place, 0), 1) : 0;
}

double
chart_x(const Chart *chart, double value)
{
	return chart->left + (chart->right - chart->left) * place_on(&chart->frame.x, value);
}

double
chart_y(const Chart *chart, double value)
{
	return chart->bottom - (chart->bottom - chart->top) * place_on(&chart->frame.y, value);
}

/* 1, 2 or 5 times a power of ten, such that about four steps make the range */
static double
tick_step(const Axis *axis)
{
	double		wanted = (axis->high - axis->low) / 4;
	double		power = pow(10, floor(log10(wanted)));
	double		digit = wanted / power;
	double		step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);

	return axis->is_whole ? Max(round(step), 1) : step;
}

static char *
tick_label(double value)
{
	if (fabs(value) >= 1e6)
		return psprintf("%.6gM", value / 1e6);
	if (fabs(value) >= 1e4)
		return psprintf("%.6gk", value / 1e3);
	return psprintf("%.4g", fabs(value) < 1e-12 ? 0 : value);
}

/* ---- axes -------------------------------------------------------------------------------- */

static void
grid_line(Markup *markup, double x1, double y1, double x2, double y2, const char *class)
{
	markup_open(markup, "line", "class", class, NULL);
	markup_number(markup, "x1", x1);
	markup_number(markup, "y1", y1);
	markup_number(markup, "x2", x2);
	markup_number(markup, "y2", y2);
	markup_close(markup);
}

void
chart_text(Markup *markup, double x, double y, const char *anchor, const char *class, const char *text)
{
	markup_open(markup, "text", "class", class, "text-anchor", anchor, NULL);
	markup_number(markup, "x", x);
	markup_number(markup, "y", y);
	markup_text(markup, text);
	markup_close(markup);
}

static void
tick(const Chart *chart, bool is_x, double value)
{
	double		x = chart_x(chart, value);
	double		y = chart_y(chart, value);

	if (is_x)
	{
		grid_line(chart->markup, x, chart->top, x, chart->bottom, "grid");
		chart_text(chart->markup, x, chart->bottom + 15, "middle", "tick", tick_label(value));
	}
	else
	{
		grid_line(chart->markup, chart->left, y, chart->right, y, "grid");
		chart_text(chart->markup, chart->left - 6, y + 4, "end", "tick", tick_label(value));
	}
}

static void
linear_ticks(const Chart *chart, bool is_x, const Axis *axis)
{
	double		step = tick_step(axis);
	double		first = ceil(axis->low / step - 1e-9);

	for (int i = 0; i < 20 && (first + i) * step <= axis->high + step * 1e-9; i++)
		tick(chart, is_x, (first + i) * step);
}

/* Powers of ten, of which some are left out where they are many */
static void
logarithmic_ticks(const Chart *chart, bool is_x, const Axis *axis)
{
	int			low = (int) ceil(log10(axis->low) - 1e-9);
	int			high = (int) floor(log10(axis->high) + 1e-9);
	int			step = 1 + (high - low) / 7;

	for (int power = low; power <= high; power += step)
		tick(chart, is_x, pow(10, power));
}

static void
ticks(const Chart *chart, bool is_x, const Axis *axis)
{
	if (axis->without_ticks)
		return;
	if (axis->logarithmic)
		logarithmic_ticks(chart, is_x, axis);
	else
		linear_ticks(chart, is_x, axis);
}

/* The label of y is turned. */
static void
axis_labels(const Chart *chart)
{
	Markup	   *markup = chart->markup;
	double		middle = (chart->top + chart->bottom) / 2;

	if (chart->frame.x.label != NULL)
		chart_text(markup, (chart->left + chart->right) / 2, chart->bottom + 33, "middle", "label", chart->frame.x.label);
	if (chart->frame.y.label == NULL)
		return;
	markup_open(markup, "text", "class", "label", "text-anchor", "middle", "transform",
				psprintf("translate(13 %.0f) rotate(-90)", middle), NULL);
	markup_text(markup, chart->frame.y.label);
	markup_close(markup);
}

/* ---- the frame ------------------------------------------------------------------------------ */

void
picture_open(Markup *markup, double width, double height, const char *title, const char *description)
{
	markup_open(markup, "svg", "xmlns", "http://www.w3.org/2000/svg", "role", "img", "viewBox",
				psprintf("0 0 %.0f %.0f", width, height), NULL);
	markup_element(markup, "title", title, NULL);
	markup_element(markup, "desc", description, NULL);
}

static void
draw_mark(Markup *markup, LegendEntry series, double x, double y, double radius)
{
	if (series.mark == MARK_CIRCLE)
	{
		markup_open(markup, "circle", "class", series.class, NULL);
		markup_number(markup, "cx", x);
		markup_number(markup, "cy", y);
		markup_number(markup, "r", radius);
	}
	else if (series.mark == MARK_SQUARE)
	{
		markup_open(markup, "rect", "class", series.class, NULL);
		markup_number(markup, "x", x - radius * 0.9);
		markup_number(markup, "y", y - radius * 0.9);
		markup_number(markup, "width", radius * 1.8);
		markup_number(markup, "height", radius * 1.8);
	}
	else
		markup_open(markup, "path", "class", series.class, "d",
					psprintf("M%.1f %.1fl%.1f %.1fh%.1fz", x, y - radius * 1.2, radius * 1.15, radius * 2.1, -radius * 2.3),
					NULL);
}

static void
legend(Markup *markup, const LegendEntry *entry, int count)
{
	markup_open(markup, "ul", "class", "legend", NULL);
	for (int i = 0; i < count; i++)
	{
		markup_open(markup, "li", NULL);
		markup_open(markup, "svg", "xmlns", "http://www.w3.org/2000/svg", "class", "swatch", "viewBox", "0 0 12 12",
					"aria-hidden", "true", NULL);
		draw_mark(markup, entry[i], 6, 6, 4.5);
		markup_close(markup);
		markup_close(markup);
		markup_name(markup, entry[i].label);
		markup_close(markup);
	}
	markup_close(markup);
}

Chart
chart_begin(Markup *markup, const ChartFrame *frame, const LegendEntry *entry, int count)
{
	double		width = frame->width > 0 ? frame->width : WIDTH;
	double		height = frame->height > 0 ? frame->height : HEIGHT;
	Chart		chart = {markup, *frame, frame->left > 0 ? frame->left : LEFT, width - RIGHT, TOP, height - BOTTOM};

	markup_open(markup, "figure", NULL);
	markup_element(markup, "figcaption", frame->title, NULL);
	if (count > 0)
		legend(markup, entry, count);
	picture_open(markup, width, height, frame->title, frame->description);
	ticks(&chart, true, &chart.frame.x);
	ticks(&chart, false, &chart.frame.y);
	grid_line(markup, chart.left, chart.bottom, chart.right, chart.bottom, "axis");
	grid_line(markup, chart.left, chart.top, chart.left, chart.bottom, "axis");
	axis_labels(&chart);
	return chart;
}

void
chart_end(Chart *chart)
{
	markup_close(chart->markup);
	markup_close(chart->markup);
}

/* ---- marks -------------------------------------------------------------------------------------- */

static void
path_of_points(const Chart *chart, const char *class, const char *path)
{
	markup_open(chart->markup, "path", "class", class, "d", path, NULL);
	markup_close(chart->markup);
}

void
chart_line(const Chart *chart, const char *class, const double *x, const double *y, int count)
{
	StringInfoData path;

	initStringInfo(&path);
	for (int i = 0; i < count; i++)
		appendStringInfo(&path, "%c%.1f %.1f", i == 0 ? 'M' : 'L', chart_x(chart, x[i]), chart_y(chart, y[i]));
	path_of_points(chart, psprintf("line %s", class), path.data);
}

/* Lines without length, whose round ends are the points */
void
chart_cloud(const Chart *chart, const char *class, const double *x, const double *y, int count)
{
	StringInfoData path;

	initStringInfo(&path);
	for (int i = 0; i < count; i++)
		appendStringInfo(&path, "M%.1f %.1fh0", chart_x(chart, x[i]), chart_y(chart, y[i]));
	path_of_points(chart, psprintf("cloud %s", class), path.data);
}

void
chart_segment(const Chart *chart, const char *class, double x1, double y1, double x2, double y2)
{
	grid_line(chart->markup, chart_x(chart, x1), chart_y(chart, y1), chart_x(chart, x2), chart_y(chart, y2), class);
}

static void
end_with_tip(Markup *markup, const char *tip)
{
	if (tip != NULL)
		markup_element(markup, "title", tip, NULL);
	markup_close(markup);
}

void
chart_mark(const Chart *chart, LegendEntry series, double x, double y, double radius, const char *tip)
{
	draw_mark(chart->markup, series, chart_x(chart, x), chart_y(chart, y), radius);
	end_with_tip(chart->markup, tip);
}

void
chart_bar(const Chart *chart, const char *class, double x1, double y1, double x2, double y2, const char *tip)
{
	Markup	   *markup = chart->markup;
	double		left = chart_x(chart, x1);
	double		top = chart_y(chart, y2);

	markup_open(markup, "rect", "class", class, NULL);
	markup_number(markup, "x", left);
	markup_number(markup, "y", top);
	markup_number(markup, "width", Max(chart_x(chart, x2) - left, 0));
	markup_number(markup, "height", Max(chart_y(chart, y1) - top, 0));
	end_with_tip(markup, tip);
}

/* Names of one kind often begin alike: both ends are kept. */
char *
clipped(const char *text, int characters)
{
	int			length = (int) strlen(text);
	int			given = pg_mbstrlen(text);
	int			end = (characters - 2) / 2;

	if (given <= characters)
		return pstrdup(text);
	return psprintf("%.*s...%s", pg_mbcharcliplen(text, length, characters - 2 - end), text,
					text + pg_mbcharcliplen(text, length, given - end));
}

double
chart_text_width(const char *text, double letter)
{
	int			letters = 0;

	for (; *text != '\0'; text += pg_mblen(text))
		letters += Max(pg_dsplen(text), 0);
	return letters * letter;
}
