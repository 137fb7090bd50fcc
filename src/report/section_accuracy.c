/*
 * section_accuracy.c
 *		How good a model is: ranks of held-out facts by relation and side, by the embedding, rules, paths, and by all.
 *
 * The ranks are those of hkg_evaluate (predict/evaluate.h), of a sample where the split is large: spread evenly over
 * the relations, and the same for all kinds.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "chart.h"
#include "predict/evaluate.h"
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

/* Means over questions; `questions` 0: none */
typedef struct Accuracy
{
	int64		questions;
	double		mrr;
	double		hits_10;
} Accuracy;

typedef struct RankedSplit
{
	const char *split;
	bool		has[EV_KINDS];
	SplitRanks	ranks[EV_KINDS];
	const SplitRanks *any;		/* of those that there are */
} RankedSplit;

/* The triples of a relation in the sample */
typedef struct RelationRange
{
	int32		relation;
	int64		first;
	int64		end;
} RelationRange;

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

static bool
has_embedding(const Report *report, const char *model)
{
	SqlArgs		args = sql_args_text(model);

	return report_number(psprintf("select 1::float8 from %smodel where name = $1 and score_function is not null",
								  report->graph->prefix), &args) == 1;
}

static void
rank_kind(RankedSplit *ranked, Report *report, const char *model, EvKind kind, int sample)
{
	ranked->ranks[kind] = rank_split(report->graph, model, ranked->split, 0, kind, sample);
	ranks_end(&ranked->ranks[kind]);
	if (ranked->any != NULL)
		ranks_check_alike(ranked->any, &ranked->ranks[kind]);
	ranked->has[kind] = true;
	ranked->any = &ranked->ranks[kind];
}

/* Kinds that the model does not have are left out. */
static RankedSplit *
rank_all(Report *report, const char *model, const char *split)
{
	RankedSplit *ranked = palloc0(sizeof(RankedSplit));
	bool		embedding = has_embedding(report, model);
	EvidenceParts has = evidence_has(report->graph, model);
	int			sample = sample_size(report, model, split, has);

	ranked->split = split;
	if (embedding)
		rank_kind(ranked, report, model, EV_EMBEDDING, sample);
	if (has.rules)
		rank_kind(ranked, report, model, EV_RULES, sample);
	if (has.network)
		rank_kind(ranked, report, model, EV_NETWORK, sample);
	if (embedding && (has.rules || has.network))
		rank_kind(ranked, report, model, EV_BOTH, sample);
	return ranked;
}

/* side: SIDE_HEAD, SIDE_TAIL, or both of them where it is negative */
static Accuracy
accuracy_of(const SplitRanks *ranks, RelationRange range, int side)
{
	Accuracy	accuracy = {0};

	for (int s = SIDE_HEAD; s <= SIDE_TAIL; s++)
		for (int64 i = range.first; (side < 0 || side == s) && i < range.end; i++)
		{
			int32		rank = ranks->rank[s * ranks->count + i];

			accuracy.questions++;
			accuracy.mrr += 1.0 / rank;
			accuracy.hits_10 += rank <= 10;
		}
	accuracy.mrr /= Max(accuracy.questions, 1);
	accuracy.hits_10 /= Max(accuracy.questions, 1);
	return accuracy;
}

/* Of all of the split, without bias */
static Accuracy
accuracy_of_split(const SplitRanks *ranks, int side)
{
	double	   *reciprocal = array_new(double, ranks->count);
	KgeMetrics	metrics = kge_sample_metrics(ranks->sample, side == SIDE_TAIL ? ranks->rank + ranks->count : ranks->rank,
											 side < 0 ? 2 : 1, reciprocal);

	return (Accuracy) {(side < 0 ? 2 : 1) * ranks->count, metrics.mrr, metrics.hits_10};
}

static int
compare_ranges(const void *a, const void *b)
{
	const RelationRange *left = a;
	const RelationRange *right = b;
	int64		left_count = left->end - left->first;
	int64		right_count = right->end - right->first;

	if (left_count != right_count)
		return left_count > right_count ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

/* Most triples first; triples are ordered by relation. */
static RelationRange *
relation_ranges(const SplitRanks *ranks, int *count)
{
	RelationRange *range = array_new(RelationRange, ranks->count);

	*count = 0;
	for (int64 i = 0; i < ranks->count; i++)
	{
		if (i == 0 || ranks->triple[i].relation != ranks->triple[i - 1].relation)
			range[(*count)++] = (RelationRange) {ranks->triple[i].relation, i, i};
		range[*count - 1].end = i + 1;
	}
	qsort(range, *count, sizeof(RelationRange), compare_ranges);
	return range;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static const char *const sides[] = {"head", "tail"};

/* Most models have no paths. */
static bool
has_column(const RankedSplit *ranked, int kind)
{
	return kind != EV_NETWORK || ranked->has[kind];
}

static void
begin_accuracies(Markup *markup, const RankedSplit *ranked)
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
write_accuracies(Markup *markup, const RankedSplit *ranked, const char *relation, int side, int64 questions,
				 const Accuracy *accuracy)
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
			table_number(markup, COLUMN_DECIMALS, ranked->has[kind] ? accuracy[kind].mrr : NAN);
	for (int kind = 0; kind < EV_KINDS; kind++)
		if (has_column(ranked, kind))
			table_number(markup, COLUMN_DECIMALS, ranked->has[kind] ? accuracy[kind].hits_10 : NAN);
	table_row_end(markup);
}

static void
write_whole(Markup *markup, const RankedSplit *ranked)
{
	for (int side = -1; side <= SIDE_TAIL; side++)
	{
		Accuracy	accuracy[EV_KINDS] = {0};

		for (int kind = 0; kind < EV_KINDS; kind++)
			if (ranked->has[kind])
				accuracy[kind] = accuracy_of_split(&ranked->ranks[kind], side);
		write_accuracies(markup, ranked, NULL, side, (side < 0 ? 2 : 1) * ranked->any->count, accuracy);
	}
}

static void
write_relation(Report *report, const RankedSplit *ranked, RelationRange range)
{
	const char *name = graph_relation_name(report->graph, range.relation);

	for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
	{
		Accuracy	accuracy[EV_KINDS] = {0};

		for (int kind = 0; kind < EV_KINDS; kind++)
			if (ranked->has[kind])
				accuracy[kind] = accuracy_of(&ranked->ranks[kind], range, side);
		write_accuracies(report->markup, ranked, name, side, range.end - range.first, accuracy);
	}
}

static void
write_table(Report *report, const RankedSplit *ranked, const RelationRange *range, int count)
{
	begin_accuracies(report->markup, ranked);
	write_whole(report->markup, ranked);
	for (int i = 0; i < Min(count, RELATIONS_LISTED); i++)
		write_relation(report, ranked, range[i]);
	table_end(report->markup);
	if (count > RELATIONS_LISTED)
		markup_paragraph(report->markup, "note", "Only the first %d of %d relations are listed.", RELATIONS_LISTED, count);
}

/* The kinds that there are, as a legend */
static int
legend_of(const RankedSplit *ranked, LegendEntry *legend)
{
	int			count = 0;

	for (int kind = 0; kind < EV_KINDS; kind++)
		if (ranked->has[kind])
			legend[count++] = kinds[kind];
	return count;
}

static void
draw_relation(Report *report, const Chart *chart, const RankedSplit *ranked, RelationRange range, int row)
{
	const char *name = graph_relation_name(report->graph, range.relation);

	chart_text(chart->markup, chart->left - 6, chart_y(chart, row) + 4, "end", "name", clipped(name, NAME_CHARACTERS));
	chart_segment(chart, "grid", 0, row, 1, row);
	for (int kind = 0; kind < EV_KINDS; kind++)
	{
		Accuracy	accuracy;

		if (!ranked->has[kind])
			continue;
		accuracy = accuracy_of(&ranked->ranks[kind], range, -1);
		chart_mark(chart, kinds[kind], accuracy.mrr, row, 4.5,
				   psprintf("%s, %s: MRR %.3f, " INT64_FORMAT " questions",
							name, kinds[kind].label, accuracy.mrr, accuracy.questions));
	}
}

/* What the longest name of a relation takes, in pixels */
static double
name_room(Report *report, const RelationRange *range, int rows)
{
	double		room = 60;

	for (int i = 0; i < rows; i++)
	{
		const char *name = clipped(graph_relation_name(report->graph, range[i].relation), NAME_CHARACTERS);

		room = Max(room, 6.8 * pg_mbstrlen(name) + 14);
	}
	return room;
}

static void
draw_relations(Report *report, const RankedSplit *ranked, const RelationRange *range, int count)
{
	LegendEntry legend[EV_KINDS];
	int			entries = legend_of(ranked, legend);
	int			rows = Min(count, RELATIONS_DRAWN);
	ChartFrame	frame = {
		.title = "MRR by relation",
		.description = psprintf("A row for each of the %d relations with most questions, with a mark for the MRR "
								"of each kind; the table below has the numbers.", rows),
		.x = {.label = "MRR, both sides",.low = 0,.high = 1},
		.y = {.label = NULL,.low = rows - 0.4,.high = -0.6,.without_ticks = true},
		.left = name_room(report, range, rows),
		.height = 56 + 20 * rows,
		.width = 460
	};
	Chart		chart = chart_begin(report->markup, &frame, legend, entries);

	for (int i = 0; i < rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		draw_relation(report, &chart, ranked, range[i], i);
	}
	chart_end(&chart);
}

static void
write_sample(Report *report, const RankedSplit *ranked)
{
	const SplitRanks *ranks = ranked->any;

	if (kge_sample_is_all(ranks->sample))
		markup_paragraph(report->markup, NULL,
						 "All %s facts of split %s are ranked, each as two questions: which head, which tail?",
						 count_text((double) ranks->count), ranked->split);
	else
		markup_paragraph(report->markup, NULL,
						 "A sample of %s of the %s facts of split %s is ranked, each as two questions: which head, "
						 "which tail? hkg_evaluate ranks all.", count_text((double) ranks->count),
						 count_text((double) ranks->sample.population), ranked->split);
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
					 "hkg_load(graph, query, 'test') adds some.");
	if (metrics != NULL)
		markup_paragraph(report->markup, NULL,
						 "While training, on facts drawn for it, the embedding alone had %s.", metrics);
}

void
section_accuracy(Report *report, const char *model)
{
	/* the first in the alphabet is test, where there is one */
	char	   *split = report_text(psprintf("select min(split)::text from %sholdout", report->graph->prefix), SQL_NO_ARGS);
	RankedSplit *ranked;
	RelationRange *range;
	int			count;

	if (split == NULL)
	{
		write_training_metrics(report, model);
		return;
	}
	ranked = rank_all(report, model, split);
	if (ranked->any == NULL)
	{
		markup_paragraph(report->markup, "left-out", "Left out: the model has neither embeddings nor evidence.");
		return;
	}
	write_sample(report, ranked);
	range = relation_ranges(ranked->any, &count);
	draw_relations(report, ranked, range, count);
	write_table(report, ranked, range, count);
}
