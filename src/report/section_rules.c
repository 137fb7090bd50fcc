/*
 * section_rules.c
 *		The rules of a model: their confidences against each other, and what they add.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "chart.h"
#include "section.h"

#define RULES_DRAWN 600
#define RULES_LISTED 150
#define LARGEST_RADIUS 14

static const LegendEntry selected_mark = {"bubble series-1", MARK_CIRCLE, "selected"};
static const LegendEntry other_mark = {"bubble series-2", MARK_CIRCLE, "not selected"};

/* What is counted of a model's rules */
typedef struct RuleCounts
{
	double		mined;			/* with counts as rules */
	double		selected;
	double		evidence;		/* path rules that are evidence alone */
	double		with_embedding; /* of those mined: with an embedding confidence */
	double		highest_support;
} RuleCounts;

static RuleCounts
count_rules(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	Series		counts = series_of_query(5, psprintf("select count(support)::float8, "
													 "(count(*) filter (where selected))::float8, "
													 "(count(*) filter (where support is null))::float8, "
													 "(count(*) filter (where support is not null "
													 "and embedding_confidence is not null))::float8, "
													 "max(support)::float8 from %srule where model = $1",
													 report->graph->prefix), &args);

	return (RuleCounts) {counts.value[0][0], counts.value[1][0], counts.value[2][0], counts.value[3][0],
		counts.value[4][0]};
}

/* ---- the chart ----------------------------------------------------------------------------- */

typedef struct RuleDrawing
{
	Chart	   *chart;
	double		highest_support;
} RuleDrawing;

static void
draw_rule(void *argument, const Datum *values, const bool *nulls)
{
	RuleDrawing *drawing = argument;
	double		standard = DatumGetFloat8(values[1]);
	double		other = DatumGetFloat8(values[2]);
	double		support = DatumGetFloat8(values[3]);

	chart_mark(drawing->chart, DatumGetBool(values[4]) ? selected_mark : other_mark, standard, other,
			   Max(LARGEST_RADIUS * sqrt(support / Max(drawing->highest_support, 1)), 2),
			   psprintf("%s\nsupport %s, standard confidence %.3f", TextDatumGetCString(sql_present(values, nulls, 0)), count_text(support),
						standard));
}

/* against: the column of the other axis.  Small ones come last, so that they are not covered. */
static void
draw_rules(Report *report, const char *model, const RuleCounts *counts, const char *against, const char *label)
{
	const LegendEntry legend[] = {selected_mark, other_mark};
	SqlArgs		args = sql_args_text(model);
	ChartFrame	frame = {
		.title = psprintf("Standard confidence and %s", label),
		.description = psprintf("A bubble for each rule, its area by support: %s of %s rules are selected. "
								"The table below lists them.", count_text(counts->selected), count_text(counts->mined)),
		.x = {.label = "standard confidence",.low = 0,.high = 1},
		.y = {.label = label,.low = 0,.high = 1},
		.height = 300
	};
	Chart		chart = chart_begin(report->markup, &frame, legend, 2);
	RuleDrawing drawing = {&chart, counts->highest_support};

	sql_stream(psprintf("select * from (select rule::text, standard_confidence::float8, %1$s::float8, support::float8, "
						"coalesce(selected, false) "
						"from %2$srule where model = $1 and support is not null and %1$s is not null "
						"and standard_confidence is not null "
						"order by selected desc, quality desc nulls last, support desc, id limit %3$d) r order by 4 desc",
						against, report->graph->prefix, RULES_DRAWN), &args, draw_rule, &drawing);
	chart_end(&chart);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const Column rule_columns[] = {
	{"rule", COLUMN_CODE},
	{"selected", COLUMN_TEXT},
	{"support", COLUMN_COUNT},
	{"standard conf.", COLUMN_DECIMALS},
	{"PCA conf.", COLUMN_DECIMALS},
	{"embedding conf.", COLUMN_DECIMALS},
	{"quality", COLUMN_DECIMALS},
	{"predictions", COLUMN_COUNT}
};

static void
list_rules(Report *report, const char *model, const RuleCounts *counts)
{
	SqlArgs		args = sql_args_text(model);
	uint64		listed = table_of_query(report->markup, "Rules, best first; predictions: triples that a rule adds",
										rule_columns, lengthof(rule_columns),
										psprintf("select rule::text, case when selected then 'yes' else '' end, "
												 "support::float8, standard_confidence::float8, "
												 "pca_confidence::float8, embedding_confidence::float8, quality::float8, "
												 "predictions::float8 "
												 "from %srule where model = $1 and support is not null "
												 "order by selected desc, quality desc nulls last, "
												 "standard_confidence desc, support desc, id limit %d",
												 report->graph->prefix, RULES_LISTED), &args);

	if (listed < counts->mined)
		markup_paragraph(report->markup, "note", "The best %d of %s are listed; table rule has all.", RULES_LISTED,
						 count_text(counts->mined));
}

static const Column path_columns[] = {
	{"rule", COLUMN_CODE},
	{"evidence confidence", COLUMN_DECIMALS},
	{"facts", COLUMN_COUNT},
	{"pairs of the body", COLUMN_COUNT}
};

#define PATH_RULES_LISTED 15

static void
list_path_rules(Report *report, const char *model, const RuleCounts *counts)
{
	SqlArgs		args = sql_args_text(model);

	if (counts->evidence == 0)
		return;
	markup_paragraph(report->markup, NULL, "At prediction %s further path rules are evidence.",
					 count_text(counts->evidence));
	table_of_query(report->markup, "Those of them that rest on most facts and are worth a half at least", path_columns,
				   lengthof(path_columns),
				   psprintf("select rule::text, evidence_confidence::float8, evidence_support::float8, "
							"evidence_body_size::float8 from %srule "
							"where model = $1 and support is null and evidence_confidence >= 0.5 "
							"order by evidence_support desc, id limit %d",
							report->graph->prefix, PATH_RULES_LISTED), &args);
}

void
section_rules(Report *report, const char *model)
{
	RuleCounts	counts = count_rules(report, model);

	if (counts.mined + counts.evidence == 0)
	{
		markup_paragraph(report->markup, "left-out", "The model has no rules.");
		return;
	}
	if (counts.mined > 0)
		markup_paragraph(report->markup, NULL, "The model has %s rules with counts, of which %s are selected.",
						 count_text(counts.mined), count_text(counts.selected));
	if (counts.with_embedding > 0)
		draw_rules(report, model, &counts, "embedding_confidence", "embedding confidence");
	else if (counts.mined > 0)
		draw_rules(report, model, &counts, "pca_confidence", "PCA confidence");
	if (counts.with_embedding > 0 && counts.with_embedding < counts.mined)
		markup_paragraph(report->markup, "note",
						 "Drawn are the %s rules with an embedding confidence, at most %d; the other %s could not be among "
						 "the best, or predict nothing new.", count_text(counts.with_embedding), RULES_DRAWN,
						 count_text(counts.mined - counts.with_embedding));
	else if (counts.mined > 0 && counts.with_embedding == 0)
		markup_paragraph(report->markup, "note",
						 "No rule has an embedding confidence: PCA confidence stands in its place.");
	list_rules(report, model, &counts);
	list_path_rules(report, model, &counts);
}
