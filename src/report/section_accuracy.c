/*
 * section_accuracy.c
 *		How good a model is: ranks of held-out facts by relation and side, by the embedding, rules, paths, and by all.
 *
 * The ranks are those of hkg_ranks (predict/ranks_by_kind.h), of a sample where the split is large: spread
 * evenly over the relations, and the same for all kinds.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "chart.h"
#include "predict/ranks_by_kind.h"
#include "section.h"
#include "server/growing_array.h"

#define RANKED_MOST 1000
#define RANKED_LEAST 200		/* and of a model with a path network, which takes longer for a question */
#define RANKING_WORK 1e11		/* numbers of embeddings that all queries are compared with: some seconds */
#define RELATIONS_DRAWN 16
#define RELATIONS_LISTED 200
#define NAME_CHARACTERS 24

static const LegendEntry kinds[EV_KINDS] = {
	[EV_EMBEDDING] = {"series-1", MARK_CIRCLE, "embedding alone"},
	[EV_RULES] = {"series-2", MARK_TRIANGLE, "rules alone"},
	[EV_NETWORK] = {"series-4", MARK_TRIANGLE, "paths alone"},
	[EV_BOTH] = {"series-3", MARK_SQUARE, "both"}
};

/* ---- ranking -------------------------------------------------------------------------------- */

/* Facts that are ranked of a large split */
static int
facts_to_rank(const Report *report, const char *model, EvidenceParts has)
{
	SqlArgs		args = sql_args_text(model);
	double		numbers;

	if (has.network)
		return RANKED_LEAST;
	numbers = report_number(psprintf("select 2 * count(*) * (select coalesce(dimensions, 1)::float8 "
									 "from %1$smodel where name = $1) from %1$sentity", report->graph->prefix), &args);
	return (int) Min(Max(RANKING_WORK / Max(numbers, 1), RANKED_LEAST), RANKED_MOST);
}

/* 0: all of the split */
static int
sample_size(const Report *report, const char *model, const char *split, EvidenceParts has)
{
	SqlArgs		args = sql_args_text(split);
	double		facts = report_number(psprintf("select count(*)::float8 from %sholdout where split = $1",
											   report->graph->prefix), &args);
	int			wanted = facts_to_rank(report, model, has);

	return facts <= wanted ? 0 : wanted;
}

/* Of all of the split, without bias */
static KgeMetrics
metrics_of_split(const SplitRanks *ranks, int side)
{
	double	   *reciprocal = array_new(double, ranks->count);

	return kge_sample_metrics(ranks->sample, side == SIDE_TAIL ? ranks->rank + ranks->count : ranks->rank, side < 0 ? 2 : 1,
							  reciprocal);
}

/* ---- writing ------------------------------------------------------------------------------------ */

static const char *const sides[] = {"head", "tail"};

/* Most models have no paths. */
static bool
has_column(const RanksByKind *ranked, int kind)
{
	return kind != EV_NETWORK || ranked->has[kind];
}

static void
begin_accuracies(Markup *markup, const RanksByKind *ranked)
{
	static const char *const metrics[] = {"MRR", "Hits@10"};
	static const char *const names[EV_KINDS] = {"emb.", "rules", "paths", "both"};
	Column		columns[3 + 2 * EV_KINDS] = {
		{"relation", COLUMN_NAME}, {"asked for", COLUMN_TEXT}, {"questions", COLUMN_COUNT}
	};
	int			count = 3;

	for (int i = 0; i < 2; i++)
		for (int kind = 0; kind < EV_KINDS; kind++)
			if (has_column(ranked, kind))
				columns[count++] = (Column) {psprintf("%s %s", metrics[i], names[kind]), COLUMN_DECIMALS};
	table_begin(markup, "By relation and side, those with most questions first", columns, count);
}

/* relation: NULL for all of them; side: SIDE_HEAD, SIDE_TAIL, or both of them where it is negative */
static void
write_accuracies(Markup *markup, const RanksByKind *ranked, const char *relation, int side, int64 questions,
				 const KgeMetrics *metrics)
{
	table_row_begin(markup);
	if (relation == NULL)
		table_text(markup, COLUMN_TEXT, "(all relations)");
	else
		table_text(markup, COLUMN_NAME, relation);
	table_text(markup, COLUMN_TEXT, side < 0 ? "both" : sides[side]);
	table_number(markup, COLUMN_COUNT, (double) questions);
	for (int kind = 0; kind < EV_KINDS; kind++)
		if (has_column(ranked, kind))
			table_number(markup, COLUMN_DECIMALS, ranked->has[kind] ? metrics[kind].mrr : NAN);
	for (int kind = 0; kind < EV_KINDS; kind++)
		if (has_column(ranked, kind))
			table_number(markup, COLUMN_DECIMALS, ranked->has[kind] ? metrics[kind].hits_10 : NAN);
	table_row_end(markup);
}

static void
write_whole(Markup *markup, const RanksByKind *ranked)
{
	for (int side = -1; side <= SIDE_TAIL; side++)
	{
		KgeMetrics	metrics[EV_KINDS] = {0};

		for (int kind = 0; kind < EV_KINDS; kind++)
			if (ranked->has[kind])
				metrics[kind] = metrics_of_split(&ranked->ranks[kind], side);
		write_accuracies(markup, ranked, NULL, side, (side < 0 ? 2 : 1) * ranked->any->count, metrics);
	}
}

static void
write_relation(Report *report, const RanksByKind *ranked, const RelationRanks *relation)
{
	const char *name = graph_relation_name(report->graph, relation->relation);

	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
	{
		KgeMetrics	metrics[EV_KINDS] = {0};

		for (int kind = 0; kind < EV_KINDS; kind++)
			if (ranked->has[kind])
				metrics[kind] = ranks_metrics(&ranked->ranks[kind], relation, side);
		write_accuracies(report->markup, ranked, name, side, relation->count, metrics);
	}
}

static void
write_table(Report *report, const RanksByKind *ranked, const RelationRanks *relation, int64 count)
{
	begin_accuracies(report->markup, ranked);
	write_whole(report->markup, ranked);
	for (int i = 0; i < Min(count, RELATIONS_LISTED); i++)
		write_relation(report, ranked, &relation[i]);
	table_end(report->markup);
	if (count > RELATIONS_LISTED)
		markup_paragraph(report->markup, "note", "Only the first %d of " INT64_FORMAT " relations are listed.",
						 RELATIONS_LISTED, count);
}

/* The kinds that there are, as a legend */
static int
legend_of(const RanksByKind *ranked, LegendEntry *legend)
{
	int			count = 0;

	for (int kind = 0; kind < EV_KINDS; kind++)
		if (ranked->has[kind])
			legend[count++] = kinds[kind];
	return count;
}

static void
draw_relation(Report *report, const Chart *chart, const RanksByKind *ranked, const RelationRanks *relation, int row)
{
	const char *name = graph_relation_name(report->graph, relation->relation);

	chart_text(chart->markup, chart->left - 6, chart_y(chart, row) + 4, "end", "name", clipped(name, NAME_CHARACTERS));
	chart_segment(chart, "grid", 0, row, 1, row);
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		double		mrr;

		if (!ranked->has[kind])
			continue;
		mrr = ranks_metrics(&ranked->ranks[kind], relation, -1).mrr;
		chart_mark(chart, kinds[kind], mrr, row, 4.5,
				   psprintf("%s, %s: MRR %.3f, " INT64_FORMAT " questions", name, kinds[kind].label, mrr, 2 * relation->count));
	}
}

/* What the longest name of a relation takes, in pixels */
static double
name_room(Report *report, const RelationRanks *relation, int rows)
{
	double		room = 60;

	for (int i = 0; i < rows; i++)
	{
		const char *name = clipped(graph_relation_name(report->graph, relation[i].relation), NAME_CHARACTERS);

		room = Max(room, chart_text_width(name, 6.8) + 14);
	}
	return room;
}

static void
draw_relations(Report *report, const RanksByKind *ranked, const RelationRanks *relation, int64 count)
{
	LegendEntry legend[EV_KINDS];
	int			entries = legend_of(ranked, legend);
	int			rows = (int) Min(count, RELATIONS_DRAWN);
	ChartFrame	frame = {
		.title = "MRR by relation",
		.description = psprintf("A row for each of the %d relations with most questions, with a mark for the MRR "
								"of each kind; the table below has the numbers.", rows),
		.x = {.label = "MRR, both sides",.low = 0,.high = 1},
		.y = {.label = NULL,.low = rows - 0.4,.high = -0.6,.without_ticks = true},
		.left = name_room(report, relation, rows),
		.height = 56 + 20 * rows,
		.width = 460
	};
	Chart		chart = chart_begin(report->markup, &frame, legend, entries);

	for (int i = 0; i < rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		draw_relation(report, &chart, ranked, &relation[i], i);
	}
	chart_end(&chart);
}

static void
write_sample(Report *report, const char *split, const SplitRanks *ranks)
{
	if (kge_sample_is_all(ranks->sample))
		markup_paragraph(report->markup, NULL,
						 "All %s facts of split %s are ranked, each as two questions: which head, which tail?",
						 count_text((double) ranks->count), split);
	else
		markup_paragraph(report->markup, NULL,
						 "A sample of %s of the %s facts of split %s is ranked, each as two questions: which head, "
						 "which tail? hkg_evaluate ranks all.", count_text((double) ranks->count),
						 count_text((double) ranks->sample.population), split);
	if (strcmp(split, "valid") == 0)
		markup_paragraph(report->markup, NULL,
						 "The best iteration, weights and probabilities of a model are chosen on this split, too.");
}

/* The metrics that the training left, where there is nothing else */
static void
write_training_metrics(Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);
	char	   *metrics = report_text(psprintf("select format('MRR %%s, Hits@1 %%s, Hits@10 %%s', round(mrr::numeric, 3), "
											   "round(hits_1::numeric, 3), round(hits_10::numeric, 3)) "
											   "from %smodel where name = $1 and mrr is not null",
											   report->graph->prefix), &args);

	markup_paragraph(report->markup, "left-out",
					 "Left out: the graph has no facts held out in split test or valid to measure with; "
					 "hkg_split holds some out, before a training.");
	if (metrics != NULL)
		markup_paragraph(report->markup, NULL,
						 "While training, on facts drawn for it, the embedding alone had %s.", metrics);
}

void
section_accuracy(Report *report, const char *model)
{
	/* the first in the alphabet is test, where there is one */
	char	   *split = report_text(psprintf("select min(split)::text from %sholdout", report->graph->prefix), SQL_NO_ARGS);
	EvidenceParts has;
	double		omega;
	RanksByKind *ranked;
	RelationRanks *relation;
	int64		count;

	if (split == NULL)
	{
		write_training_metrics(report, model);
		return;
	}
	has = evidence_has(report->graph, model);
	if (!has.rules && !has.network && !model_has_embeddings(report->graph, model, &omega))
	{
		markup_paragraph(report->markup, "left-out", "Left out: the model has neither embeddings nor evidence.");
		return;
	}
	ranked = rank_by_kind(report->graph, model, split, 0, sample_size(report, model, split, has));
	write_sample(report, split, ranked->any);
	count = ranks_relations(ranked->any, &relation);
	draw_relations(report, ranked, relation, count);
	write_table(report, ranked, relation, count);
}
