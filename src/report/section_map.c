/*
 * section_map.c
 *		A map: entities at the first two principal components of their embeddings (hkg_project).
 *
 * Of many entities every n-th is drawn.  Colours are those of the relations that most of the drawn entities are most
 * often head of.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "chart.h"
#include "core/sort.h"
#include "section.h"
#include "server/growing_array.h"

#define ENTITIES_DRAWN 5000
#define COLOURS 6
#define NAMES_DRAWN 24

static const char *const colour_class[COLOURS + 1] = {"series-1", "series-2", "series-3", "series-4", "series-5",
	"series-6", "series-other"};
static const char *const cloud_class[COLOURS + 1] = {"stroke-1", "stroke-2", "stroke-3", "stroke-4", "stroke-5", "stroke-6",
	"stroke-other"};

/* An entity on the map */
typedef struct Place
{
	double		x;
	double		y;
	double		facts;
	int32		relation;		/* that it is most often head of; -1: of none */
	char	   *name;
} Place;

typedef struct Map
{
	Place	   *place;
	int64		count;
	int64		room;
	double		explained[2];
} Map;

/* The shares of variance come with each row. */
static void
take_place(void *argument, const Datum *values, const bool *nulls)
{
	Map		   *map = argument;
	Place	   *place;

	map->place = array_reserve(map->place, map->count + 1, &map->room, sizeof(Place));
	place = &map->place[map->count++];
	place->name = TextDatumGetCString(sql_present(values, nulls, 0));
	place->x = DatumGetFloat8(values[1]);
	place->y = DatumGetFloat8(values[2]);
	map->explained[0] = DatumGetFloat8(values[3]);
	map->explained[1] = DatumGetFloat8(values[4]);
	place->relation = nulls[5] ? -1 : DatumGetInt32(values[5]);
	place->facts = nulls[6] ? 0 : DatumGetFloat8(values[6]);
}

/* $1 (text): the model; $2 (int): how many are drawn.  Ordered by the number of facts, most first. */
static char *
map_query(const Report *report)
{
	return psprintf("with projected as (select entity, coordinates, explained, row_number() over () as place, "
					"count(*) over () as entities "
					"		from %2$shkg_project(%3$s, 2, $1::name)), "
					"drawn as materialized (select e.id, p.* from projected p join %1$sentity e on e.name = p.entity "
					"		where (place * $2) / entities <> ((place - 1) * $2) / entities or entities <= $2), "
					"headed as (select distinct on (head) head, relation "
					"from (select head, relation, count(*) as facts from %1$striple "
					"		where head in (select id from drawn) group by head, relation) c "
					"order by head, facts desc, relation), "
					"degree as (select entity, count(*)::float8 as facts from (select head as entity "
					"from %1$striple union all select tail from %1$striple) t "
					"		group by entity) "
					"select d.entity::text, d.coordinates[1], d.coordinates[2], d.explained[1], d.explained[2], "
					"h.relation::int, g.facts "
					"from drawn d left join headed h on h.head = d.id left join degree g on g.entity = d.id "
					"order by g.facts desc nulls last, d.id",
					report->graph->prefix, report->functions, quote_literal_cstr(report->graph->name));
}

/* ---- colours -------------------------------------------------------------------------------- */

typedef struct Colour
{
	int32		relation;
	int64		entities;
} Colour;

static int
compare_colours(const void *a, const void *b)
{
	const Colour *left = a;
	const Colour *right = b;

	if (left->entities != right->entities)
		return left->entities > right->entities ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

/* The relations that most entities are most often head of; returns how many have a colour */
static int
choose_colours(const Map *map, Colour *chosen)
{
	int32	   *relation = array_new(int32, map->count);
	Colour	   *colour = array_new(Colour, map->count);
	int			count = 0;

	for (int64 i = 0; i < map->count; i++)
		relation[i] = map->place[i].relation;
	qsort(relation, map->count, sizeof(int32), compare_int32);
	for (int64 i = 0; i < map->count; i++)
	{
		if (relation[i] < 0)
			continue;
		if (count == 0 || colour[count - 1].relation != relation[i])
			colour[count++] = (Colour) {relation[i], 0};
		colour[count - 1].entities++;
	}
	qsort(colour, count, sizeof(Colour), compare_colours);
	count = Min(count, COLOURS);
	memcpy(chosen, colour, count * sizeof(Colour));
	return count;
}

/* The number of an entity's colour; `count` for any other relation */
static int
colour_of(const Place *place, const Colour *colour, int count)
{
	for (int i = 0; i < count; i++)
		if (colour[i].relation == place->relation)
			return i;
	return count;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void
draw_colour(const Chart *chart, const Map *map, const Colour *colour, int count, int drawn)
{
	double	   *x = array_new(double, map->count);
	double	   *y = array_new(double, map->count);
	int			points = 0;

	for (int64 i = 0; i < map->count; i++)
	{
		if (colour_of(&map->place[i], colour, count) != drawn)
			continue;
		x[points] = map->place[i].x;
		y[points++] = map->place[i].y;
	}
	if (points > 0)
		chart_cloud(chart, cloud_class[drawn == count ? COLOURS : drawn], x, y, points);
}

/* Where a name is drawn, in pixels */
typedef struct NameBox
{
	double		left;
	double		right;
	double		y;
} NameBox;

static bool
is_covered(const NameBox *box, const NameBox *drawn, int count)
{
	for (int i = 0; i < count; i++)
		if (box->left < drawn[i].right && drawn[i].left < box->right && fabs(box->y - drawn[i].y) < 13)
			return true;
	return false;
}

/* Those of the most connected entities that leave each other's room */
static void
draw_names(const Chart *chart, const Map *map)
{
	NameBox		drawn[NAMES_DRAWN];
	int			count = 0;

	for (int64 i = 0; i < Min(map->count, 10 * NAMES_DRAWN) && count < NAMES_DRAWN; i++)
	{
		char	   *name = clipped(map->place[i].name, 22);
		double		x = chart_x(chart, map->place[i].x);
		bool		is_right = x > (chart->left + chart->right) / 2;
		double		width = chart_text_width(name, 7) + 6;
		NameBox		box = {is_right ? x - width : x, is_right ? x : x + width, chart_y(chart, map->place[i].y)};

		if (is_covered(&box, drawn, count))
			continue;
		chart_text(chart->markup, x + (is_right ? -5 : 5), box.y + 4, is_right ? "end" : "start", "name halo", name);
		drawn[count++] = box;
	}
}

static void
range_of(const Map *map, bool is_x, Axis *axis)
{
	double		margin;

	axis->low = INFINITY;
	axis->high = -INFINITY;
	for (int64 i = 0; i < map->count; i++)
	{
		double		value = is_x ? map->place[i].x : map->place[i].y;

		axis->low = Min(axis->low, value);
		axis->high = Max(axis->high, value);
	}
	margin = Max((axis->high - axis->low) * 0.03, 1e-6);
	axis->low -= margin;
	axis->high += margin;
}

static void
draw_map(Report *report, const Map *map)
{
	Colour		colour[COLOURS];
	int			count = choose_colours(map, colour);
	LegendEntry legend[COLOURS + 1];
	ChartFrame	frame = {
		.title = "Entities by the first two principal components of their embeddings",
		.x = {.label = psprintf("first component, %.1f %% of the variance", 100 * map->explained[0])},
		.y = {.label = psprintf("second component, %.1f %%", 100 * map->explained[1])},
		.width = 720,
		.height = 520
	};
	Chart		chart;

	for (int i = 0; i < count; i++)
		legend[i] = (LegendEntry) {colour_class[i], MARK_CIRCLE, graph_relation_name(report->graph, colour[i].relation)};
	legend[count] = (LegendEntry) {colour_class[COLOURS], MARK_CIRCLE, "another relation, or head of no fact"};
	range_of(map, true, &frame.x);
	range_of(map, false, &frame.y);
	frame.description = psprintf("%s points, one an entity. "
								 "Entities that are near each other have similar embeddings. The names "
								 "are those of the most connected.", count_text((double) map->count));
	markup_open(report->markup, "div", "class", "scroll wide", "tabindex", "0", "role", "group", "aria-label", "map", NULL);
	chart = chart_begin(report->markup, &frame, legend, count + 1);
	for (int i = count; i >= 0; i--)
		draw_colour(&chart, map, colour, count, i);
	draw_names(&chart, map);
	chart_end(&chart);
	markup_close(report->markup);
}

void
section_map(Report *report, const char *model)
{
	Map			map = {0};
	SqlArgs		args = sql_args_text(model);

	sql_arg(&args, INT4OID, Int32GetDatum(ENTITIES_DRAWN));
	sql_stream(map_query(report), &args, take_place, &map);
	if (map.count == 0)
	{
		markup_paragraph(report->markup, "left-out", "The model has no entities.");
		return;
	}
	markup_paragraph(report->markup, NULL,
					 "Each point is one of %s entities, coloured by the relation that it is most often head of.",
					 count_text((double) map.count));
	draw_map(report, &map);
}
