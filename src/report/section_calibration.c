/*
 * section_calibration.c
 *		Whether probabilities are what they are called: what a model states against what facts of split test show.
 *
 * A probability is about a graph that lacks the share m of all true facts, and split test is another share.  So what is
 * found there is scaled: with t facts in test and n known ones, by (m / (1 - m)) / (t / n); without m, by the share
 * that was held out when the probabilities were learnt.  Facts of split valid are known to whoever asks, and are no
 * answers.
 */
#include "postgres.h"

#include <math.h>

#include "chart.h"
#include "drawn_questions.h"

#define QUESTIONS 750			/* of either group */
#define BINS 10

typedef struct Bin
{
	double		answers;
	double		stated;
	double		found;
} Bin;

static const LegendEntry reliability_mark = {"series-1", MARK_CIRCLE, "answers of about that probability"};

/* How many rows of a split are the answer p */
static char *
rows_of(const Report *report, const char *split)
{
	return psprintf("(select count(*)::float8 from %sholdout x where x.split = '%s' and x.head = p.head "
					"and x.relation = $1 and x.tail = p.tail)", report->graph->prefix, split);
}

/*
 * Each answer: its probability, and 1 where it is in split test.  Answers are few: by subqueries, each is looked up, where
 * a join would read both tables once for each relation.
 */
static char *
answer_query(const Report *report)
{
	return psprintf("select p.probability, %2$s from (select a.probability, "
					"(select e.id from %1$sentity e where e.name = a.head) as head, "
					"(select e.id from %1$sentity e where e.name = a.tail) as tail from answers a) p where %3$s = 0",
					report->graph->prefix, rows_of(report, "test"), rows_of(report, "valid"));
}

static void
count_answer(void *argument, const Datum *values, const bool *nulls)
{
	double		probability = DatumGetFloat8(values[0]);
	Bin		   *bin = (Bin *) argument + Min((int) (probability * BINS), BINS - 1);

	bin->answers++;
	bin->stated += probability;
	bin->found += DatumGetFloat8(values[1]);
}

/* By what the share found in split test is multiplied */
static double
test_scale(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);

	return report_number(psprintf("select coalesce(missing / nullif(1 - missing, 0), held_out) * known / nullif(tested, 0) "
								  "from (select (evidence ->> 'assume_missing')::float8 as missing, "
								  "(evidence ->> 'held_out')::float8 as held_out, "
								  "(select count(*)::float8 from %1$striple) + (select count(*) from %1$sholdout "
								  "where split = 'valid') as known, "
								  "(select count(*)::float8 from %1$sholdout where split = 'test') as tested "
								  "from %1$smodel where name = $1) m", report->graph->prefix), &args);
}

static double
found_share(const Bin *bin, double scale)
{
	return Min(scale * bin->found / bin->answers, 1);
}

/* The standard error of a share, at least that of one answer found */
static double
found_error(const Bin *bin, double scale)
{
	double		share = Max(bin->found, 1) / (bin->answers + 1);

	return scale * sqrt(share * (1 - share) / bin->answers);
}

static void
draw_bin(const Chart *chart, const Bin *bin, double scale)
{
	double		stated = bin->stated / bin->answers;
	double		found = found_share(bin, scale);
	double		error = found_error(bin, scale);

	chart_segment(chart, "stroke-1", stated, Max(found - error, 0), stated, Min(found + error, 1));
	chart_mark(chart, reliability_mark, stated, found, 4.5,
			   psprintf("%s answers: stated %.3f, found %.3f", count_text(bin->answers), stated, found));
	chart_text(chart->markup, chart_x(chart, stated) + (stated > 0.9 ? -8 : 8),
			   chart_y(chart, found) + (found < 0.05 ? -8 : 14),
			   stated > 0.9 ? "end" : "start", "tick halo", count_text(bin->answers));
}

static void
draw_reliability(Markup *markup, const Bin *bins, double scale)
{
	ChartFrame	frame = {
		.title = "Reliability of probabilities",
		.description = "Points for ranges of probability: "
					   "the mean that the model states across, the share found upwards, with "
		"its standard error. On the diagonal both are the same. The number of answers stands beside each point.",
		.x = {.label = "stated probability",.low = 0,.high = 1},
		.y = {.label = "share found in split test, scaled",.low = 0,.high = 1},
		.height = 330
	};
	Chart		chart = chart_begin(markup, &frame, &reliability_mark, 1);

	chart_segment(&chart, "diagonal", 0, 0, 1, 1);
	for (int i = 0; i < BINS; i++)
		if (bins[i].answers > 0)
			draw_bin(&chart, &bins[i], scale);
	chart_end(&chart);
}

static const Column bin_columns[] = {
	{"probability", COLUMN_TEXT},
	{"answers", COLUMN_COUNT},
	{"stated", COLUMN_DECIMALS},
	{"found, scaled", COLUMN_DECIMALS},
	{"in split test", COLUMN_COUNT}
};

static void
write_bins(Markup *markup, const Bin *bins, double scale)
{
	table_begin(markup, "Stated and found", bin_columns, lengthof(bin_columns));
	for (int i = 0; i < BINS; i++)
	{
		if (bins[i].answers == 0)
			continue;
		table_row_begin(markup);
		table_text(markup, COLUMN_TEXT, psprintf("%.1f to %.1f", (double) i / BINS, (i + 1.0) / BINS));
		table_number(markup, COLUMN_COUNT, bins[i].answers);
		table_number(markup, COLUMN_DECIMALS, bins[i].stated / bins[i].answers);
		table_number(markup, COLUMN_DECIMALS, found_share(&bins[i], scale));
		table_number(markup, COLUMN_COUNT, bins[i].found);
		table_row_end(markup);
	}
	table_end(markup);
}

static void
write_fitted_error(Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	double		error = report_number(psprintf("select (case jsonb_typeof(evidence -> 'error') when 'object' "
											   "then evidence #>> '{error,all}' else evidence ->> 'error' end)::float8 "
											   "from %smodel where name = $1", report->graph->prefix), &args);

	if (!isnan(error))
		markup_paragraph(report->markup, NULL,
						 "When the probabilities were learnt, their expected calibration error was %.4f, on "
						 "questions that were not fitted.", error);
}

bool
section_has_probabilities(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);

	return report_number(psprintf("select 1::float8 from %sevidence_weight where model = $1 "
								  "and calibration is not null limit 1", report->graph->prefix), &args) == 1;
}

void
section_calibration(Report *report, const char *model)
{
	Markup	   *markup = report->markup;
	Bin			bins[BINS] = {0};
	double		scale;
	int64		questions;

	if (!section_has_probabilities(report, model))
	{
		markup_paragraph(markup, "left-out", "Left out: the model has no learnt probabilities.");
		return;
	}
	write_fitted_error(report, model);
	scale = test_scale(report, model);
	if (isnan(scale))
	{
		markup_paragraph(markup, "left-out",
						 "Left out: the diagram, because the graph has no facts in split test to compare with; "
						 "hkg_split holds some out, before a training.");
		return;
	}
	questions = ask_drawn_questions(report, model, QUESTIONS, answer_query(report), count_answer, bins);
	markup_paragraph(markup, NULL,
					 "The ten best answers of %s questions are compared with split test. What is found there is "
					 "multiplied by %.3g, for the share of missing facts that the model assumes.",
					 count_text((double) questions), scale);
	markup_open(markup, "div", "class", "pair", NULL);
	markup_open(markup, "div", NULL);
	draw_reliability(markup, bins, scale);
	markup_close(markup);
	markup_open(markup, "div", NULL);
	write_bins(markup, bins, scale);
	markup_close(markup);
	markup_close(markup);
}
