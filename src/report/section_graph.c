/*
 * section_graph.c
 *		What the graph is: its size, its relations, how many facts its entities have.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "chart.h"
#include "section.h"

#define RELATIONS_LISTED 300
#define HUBS_LISTED 10
#define CURVE_POINTS 400
#define POINTS_MARKED 40

static double
count_rows(const Report *report, const char *table)
{
	return report_number(psprintf("select count(*)::float8 from %s%s", report->graph->prefix, table), SQL_NO_ARGS);
}

static void
write_figures(Report *report)
{
	static const char *const splits[] = {"valid", "test"};
	Markup	   *markup = report->markup;

	figures_begin(markup);
	figure(markup, count_text(count_rows(report, "entity")), "entities");
	figure(markup, count_text(count_rows(report, "relation")), "relations");
	figure(markup, count_text(count_rows(report, "triple")), "facts to learn from");
	for (int i = 0; graph_may_read(report->graph, "holdout") && i < (int) lengthof(splits); i++)
	{
		SqlArgs		args = sql_args_text(splits[i]);

		figure(markup, count_text(report_number(psprintf("select count(*)::float8 from %sholdout where split = $1",
													 report->graph->prefix), &args)),
			   psprintf("facts held out, %s", splits[i]));
	}
	figures_end(markup);
	if (!graph_may_read(report->graph, "holdout"))
		markup_paragraph(markup, "left-out", "Left out: the facts held out, because you may not read table holdout.");
}

/* ---- relations --------------------------------------------------------------------------- */

static const Column relation_columns[] = {
	{"relation", COLUMN_NAME},
	{"facts", COLUMN_COUNT},
	{"share", COLUMN_SHARE_BAR},
	{"tails a head", COLUMN_DECIMALS},
	{"heads a tail", COLUMN_DECIMALS},
	{"form", COLUMN_TEXT},
	{"symmetric", COLUMN_SHARE},
	{"density", COLUMN_SHARE}
};

/* $1: how many are listed */
static const char *const relation_query =
"with counted as (select relation, count(*)::float8 as facts, count(distinct head)::float8 as heads, "
"		count(distinct tail)::float8 as tails from %1$striple group by relation), "
"mirrored as (select a.relation, count(*)::float8 as facts from %1$striple a "
"		join %1$striple b on b.head = a.tail and b.relation = a.relation and b.tail = a.head group by a.relation) "
"select r.name::text, coalesce(c.facts, 0), coalesce(c.facts, 0) / nullif(sum(c.facts) over (), 0), "
"	c.facts / c.heads, c.facts / c.tails, "
"	case when c.facts / c.tails < 1.5 then 'one' else 'many' end || ' to ' || "
"	case when c.facts / c.heads < 1.5 then 'one' else 'many' end || "
"	case when c.facts = c.heads then ', functional' else '' end, "
"	case when c.facts > 0 then coalesce(m.facts, 0) / c.facts end, c.facts / (c.heads * c.tails) "
"from %1$srelation r left join counted c on c.relation = r.id left join mirrored m on m.relation = r.id "
"order by 2 desc, r.name limit $1";

static void
write_relations(Report *report)
{
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(RELATIONS_LISTED));
	if (table_of_query(report->markup, "Relations, those with most facts first", relation_columns,
					   lengthof(relation_columns), psprintf(relation_query, report->graph->prefix),
					   &args) == RELATIONS_LISTED)
		markup_paragraph(report->markup, "note", "Only the first %d are listed.", RELATIONS_LISTED);
	markup_paragraph(report->markup, "note", "Form: one means fewer than 1.5 heads a tail, or tails a head; functional: no "
					 "head has two tails. Symmetric: facts that hold in the other direction as well. Density: facts of "
					 "all pairs of one of the relation's heads and one of its tails; low is sparse.");
}

/* ---- degrees ------------------------------------------------------------------------------- */

static const char *const degree_query =
"select degree::float8, count(*)::float8 from (select count(*) as degree from "
"	(select head as entity from %1$striple union all select tail from %1$striple) e group by entity) d "
"group by degree order by degree desc";

static double
sum_of(const Series *series, int column)
{
	double		sum = 0;

	for (int64 i = 0; i < series->count; i++)
		sum += series->value[column][i];
	return sum;
}

/* How many entities have at least so many facts, at places that are apart on a log axis; falling degrees */
static int
degree_curve(const Series *degrees, double *x, double *y)
{
	double		entities = 0;
	int			count = 0;
	double		ratio = pow(Max(series_high(degrees, 0), 2), 1.0 / (CURVE_POINTS - 2));

	for (int64 i = 0; i < degrees->count; i++)
	{
		entities += degrees->value[1][i];
		if (count > 0 && i < degrees->count - 1 && degrees->value[0][i] * ratio > x[count - 1])
			continue;
		x[count] = degrees->value[0][i];
		y[count++] = entities;
	}
	return count;
}

static void
draw_degrees(Report *report, const Series *degrees, double without)
{
	double		x[CURVE_POINTS + 2];
	double		y[CURVE_POINTS + 2];
	int			count = degree_curve(degrees, x, y);
	double		most = degrees->value[0][0];
	double		with_facts = sum_of(degrees, 1);
	ChartFrame	frame = {
		.title = "Entities by their number of facts",
		.description = psprintf("A falling line on logarithmic axes: "
								"%s entities have a fact or more, the one with most has %s.",
								count_text(with_facts), count_text(most)),
		.x = {.label = "facts of an entity, at least",.low = 1,.high = Max(most, 10) * 1.1,.logarithmic = true},
		.y = {.label = "entities",.low = 0.8,.high = with_facts * 1.2,.logarithmic = true}
	};
	Chart		chart = chart_begin(report->markup, &frame, NULL, 0);

	chart_line(&chart, "line-1", x, y, count);
	for (int i = 0; count <= POINTS_MARKED && i < count; i++)
		chart_mark(&chart, (LegendEntry) {"series-1", MARK_CIRCLE, NULL}, x[i], y[i], 2.5, NULL);
	chart_end(&chart);
	markup_paragraph(report->markup, "note",
					 "A straight line is a distribution with hubs. %s entities have no fact to learn from.",
					 count_text(without));
}

static const Column hub_columns[] = {
	{"entity", COLUMN_NAME},
	{"facts", COLUMN_COUNT},
	{"as head", COLUMN_COUNT},
	{"as tail", COLUMN_COUNT}
};

/* $1: how many */
static const char *const hub_query =
"select e.name::text, (d.heads + d.tails)::float8, d.heads::float8, d.tails::float8 "
"from (select entity, sum(heads) as heads, sum(tails) as tails from "
"		(select head as entity, count(*) as heads, 0 as tails from %1$striple group by head "
"		union all select tail, 0, count(*) from %1$striple group by tail) u "
"	group by entity order by sum(heads) + sum(tails) desc, entity limit $1) d "
"join %1$sentity e on e.id = d.entity order by 2 desc, d.entity";

static void
write_hubs(Report *report)
{
	SqlArgs		args = {0};

	sql_arg(&args, INT4OID, Int32GetDatum(HUBS_LISTED));
	table_of_query(report->markup, "The entities with most facts", hub_columns, lengthof(hub_columns),
				   psprintf(hub_query, report->graph->prefix), &args);
}

void
section_graph(Report *report, const char *model)
{
	Series		degrees;

	write_figures(report);
	degrees = series_of_query(2, psprintf(degree_query, report->graph->prefix), SQL_NO_ARGS);
	if (degrees.count == 0)
	{
		markup_paragraph(report->markup, "left-out", "The graph has no facts yet: hkg_load(graph, query) adds some.");
		return;
	}
	write_relations(report);
	markup_open(report->markup, "div", "class", "pair", NULL);
	markup_open(report->markup, "div", NULL);
	draw_degrees(report, &degrees, count_rows(report, "entity") - sum_of(&degrees, 1));
	markup_close(report->markup);
	markup_open(report->markup, "div", NULL);
	write_hubs(report);
	markup_close(report->markup);
	markup_close(report->markup);
}
