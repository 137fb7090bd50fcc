/*
 * section_training.c
 *		How a model was trained: loss and MRR over iterations, time by phase, settings.
 */
#include "postgres.h"

#include <math.h>

#include "chart.h"
#include "section.h"

/* columns of the iterations */
enum
{
	NUMBER,
	LOSS,
	MRR,
	MRR_ERROR,
	FIRST_PHASE,
	PHASES = 4
};

static const LegendEntry phases[PHASES] = {
	{"series-1", MARK_SQUARE, "training"},
	{"series-2", MARK_SQUARE, "rules"},
	{"series-3", MARK_SQUARE, "inferring"},
	{"series-4", MARK_SQUARE, "evaluating"}
};

static Series
read_iterations(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);

	return series_of_query(FIRST_PHASE + PHASES,
						   psprintf("select number::float8, loss::float8, mrr::float8, mrr_error::float8, "
									"train_seconds::float8, "
									"mine_seconds::float8, sample_seconds::float8, evaluate_seconds::float8 "
									"from %siteration where model = $1 order by number", report->graph->prefix), &args);
}

static Axis
iteration_axis(const Series *iterations)
{
	return (Axis) {
		.label = "iteration",.low = iterations->value[NUMBER][0] - 0.5,
		.high = iterations->value[NUMBER][iterations->count - 1] + 0.5,.is_whole = true
	};
}

static void
draw_loss(Markup *markup, const Series *iterations)
{
	double		high = series_high(iterations, LOSS);
	double		low = series_low(iterations, LOSS);
	int			last = (int) iterations->count - 1;
	ChartFrame	frame = {
		.title = "Loss",
		.description = last == 0 ? psprintf("The mean training loss is %.4g.", iterations->value[LOSS][0]) :
			psprintf("The mean training loss goes from %.4g in the first iteration to %.4g in the last.",
					 iterations->value[LOSS][0], iterations->value[LOSS][last]),
		.x = iteration_axis(iterations),
		.y = {.label = "mean loss of the last epoch",.low = Min(low, 0),.high = high > Min(low, 0) ? high * 1.08 : 1}
	};
	Chart		chart = chart_begin(markup, &frame, NULL, 0);

	chart_line(&chart, "line-1", iterations->value[NUMBER], iterations->value[LOSS], (int) iterations->count);
	for (int i = 0; i <= last; i++)
		chart_mark(&chart, phases[0], iterations->value[NUMBER][i], iterations->value[LOSS][i], 2.5,
				   psprintf("iteration %.0f: loss %.4g", iterations->value[NUMBER][i], iterations->value[LOSS][i]));
	chart_end(&chart);
}

static void
draw_mrr(Markup *markup, const Series *iterations, double best)
{
	LegendEntry mark = {"series-1", MARK_CIRCLE, "iteration"};
	LegendEntry kept = {"series-2", MARK_CIRCLE, "iteration that was kept"};
	const LegendEntry legend[] = {mark, kept};
	int			last = (int) iterations->count - 1;
	ChartFrame	frame = {
		.title = "MRR on held-out facts, by the embedding alone",
		.description = last == 0 ? psprintf("It is %.3f.", iterations->value[MRR][0]) :
			psprintf("It goes from %.3f after the first iteration to %.3f after the last; iteration %.0f was kept.",
					 iterations->value[MRR][0], iterations->value[MRR][last], best),
		.x = iteration_axis(iterations),
		.y = {.label = "MRR",.low = 0,.high = Min(1, Max(series_high(iterations, MRR) * 1.15, 0.05))}
	};
	Chart		chart = chart_begin(markup, &frame, legend, 2);

	chart_line(&chart, "line-1", iterations->value[NUMBER], iterations->value[MRR], (int) iterations->count);
	for (int i = 0; i <= last; i++)
	{
		double		number = iterations->value[NUMBER][i];
		double		mrr = iterations->value[MRR][i];
		double		error = iterations->value[MRR_ERROR][i];

		if (error > 0)
			chart_segment(&chart, "stroke-1", number, mrr - error, number, mrr + error);
		chart_mark(&chart, number == best ? kept : mark, number, mrr, number == best ? 5 : 3,
				   psprintf("iteration %.0f: MRR %.4f", number, mrr));
	}
	chart_end(&chart);
}

static double
seconds_of(const Series *iterations, int64 i)
{
	double		seconds = 0;

	for (int phase = 0; phase < PHASES; phase++)
		seconds += iterations->value[FIRST_PHASE + phase][i];
	return seconds;
}

static void
draw_phases(Markup *markup, const Series *iterations)
{
	double		high = 0;
	double		sum = 0;
	ChartFrame	frame = {.title = "Time by phase",.x = iteration_axis(iterations)};
	Chart		chart;

	for (int64 i = 0; i < iterations->count; i++)
	{
		high = Max(high, seconds_of(iterations, i));
		sum += seconds_of(iterations, i);
	}
	frame.y = (Axis) {.label = "seconds",.low = 0,.high = high > 0 ? high * 1.05 : 1};
	frame.description = psprintf("Stacked bars, one an iteration: %.3g seconds in all.", sum);
	chart = chart_begin(markup, &frame, phases, PHASES);
	for (int64 i = 0; i < iterations->count; i++)
	{
		double		from = 0;

		for (int phase = 0; phase < PHASES; phase++)
		{
			double		seconds = iterations->value[FIRST_PHASE + phase][i];
			double		number = iterations->value[NUMBER][i];

			if (seconds > 0)
				chart_bar(&chart, phases[phase].class, number - 0.35, from, number + 0.35, from + seconds,
						  psprintf("iteration %.0f, %s: %.3g s", number, phases[phase].label, seconds));
			from += seconds;
		}
	}
	chart_end(&chart);
}

/* ---- settings ------------------------------------------------------------------------------- */

static const Column setting_columns[] = {
	{"setting", COLUMN_CODE},
	{"value", COLUMN_CODE},
	{"default", COLUMN_CODE}
};

static void
write_settings(Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	char	   *query = psprintf("select s.name, m.settings ->> s.name, s.default_value from %smodel m, %shkg_settings() s "
								 "where m.name = $1 and s.name not in ('model', 'rules_of') "
								 "and m.settings ->> s.name <> s.default_value order by 1",
								 report->graph->prefix, report->functions);

	/* an imported model has none */
	if (report_text(psprintf("select 'some' from %smodel where name = $1 and settings <> '{}'", report->graph->prefix),
					&args) == NULL)
		return;
	if (table_of_query(report->markup, "Settings that differ from the defaults",
					   setting_columns, lengthof(setting_columns), query, &args) == 0)
		markup_paragraph(report->markup, NULL, "All settings are the defaults.");
}

static void
write_summary(Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	char	   *summary = report_text(psprintf("select concat_ws('; ', 'Score function ' || score_function || ', ' || "
											   "dimensions || ' dimensions', "
											   "'status ' || status, "
											   "'trained ' || to_char(trained_at, 'YYYY-MM-DD HH24:MI TZ')) "
											   "from %smodel where name = $1", report->graph->prefix), &args);

	if (summary != NULL)
		markup_paragraph(report->markup, NULL, "%s.", summary);
}

static void
draw_charts(const Report *report, const char *model, const Series *iterations)
{
	SqlArgs		args = sql_args_text(model);
	Markup	   *markup = report->markup;
	bool		has_mrr = !isnan(iterations->value[MRR][0]);

	markup_open(markup, "div", "class", "charts", NULL);
	draw_loss(markup, iterations);
	if (has_mrr)
		draw_mrr(markup, iterations, report_number(psprintf("select best_iteration::float8 from %smodel where name = $1",
															report->graph->prefix), &args));
	draw_phases(markup, iterations);
	markup_close(markup);
	if (!has_mrr)
		markup_paragraph(markup, "left-out", "No MRR was measured while training: no facts were held out.");
}

void
section_training(Report *report, const char *model)
{
	Series		iterations = read_iterations(report, model);

	write_summary(report, model);
	if (iterations.count == 0)
		markup_paragraph(report->markup, "left-out", "There is no learning curve: the model was not trained here.");
	else
		draw_charts(report, model, &iterations);
	write_settings(report, model);
}
