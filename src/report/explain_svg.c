/*
 * explain_svg.c
 *		hkg_explain_svg: the reasons for a triple's score as a picture.
 *
 * Above, the triple, and below it a lane for each of the rules and paths with the largest shares, with the entities of one
 * of their groundings between head and tail.  Then bars: what each reason adds to the score.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "chart.h"
#include "graph/call.h"
#include "model/reason.h"
#include "model/rule_table.h"
#include "rules/rule_sql.h"
#include "section.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "style.h"

#define WIDTH 780
#define SIDE 120				/* middle of the head's box; likewise from the right, of the tail's */
#define FIRST_LANE 70
#define LANE 84
#define LANES 3
#define BARS 8
#define BAR 42
#define BAR_LEFT 20
#define BAR_RIGHT 90
#define NAME_CHARACTERS 20
#define LABEL_CHARACTERS 26

typedef struct Reason
{
	char	   *text;
	ReasonKind	kind;
	double		share;
	bool		has_facts;		/* a grounding */
} Reason;

typedef struct Reasons
{
	Reason	   *reason;
	int64		count;
	int64		room;
} Reasons;

/* In the picture, in pixels */
typedef struct Point
{
	double		x;
	double		y;
} Point;

/* One grounding of a rule: three names an atom */
typedef struct Lane
{
	char	   *name[3 * RULE_MAX_BODY];
	int			atoms;
	double		y;
} Lane;

typedef struct AskedTriple
{
	char	   *head;
	char	   *relation;
	char	   *tail;
	double		y;				/* of head and tail */
} AskedTriple;

/* ---- reading -------------------------------------------------------------------------------- */

/* Rows of one rule come one after the other. */
static void
take_reason(void *argument, const Datum *values, const bool *nulls)
{
	Reasons    *reasons = argument;
	char	   *reason = TextDatumGetCString(sql_present(values, nulls, 0));
	Reason	   *last = reasons->count == 0 ? NULL : &reasons->reason[reasons->count - 1];

	if (last != NULL && strcmp(last->text, reason) == 0)
	{
		/* a rule has a share, each path one of its own */
		if (last->kind == KIND_PATH && !nulls[2])
			last->share += DatumGetFloat8(values[2]);
		return;
	}
	reasons->reason = array_reserve(reasons->reason, reasons->count + 1, &reasons->room, sizeof(Reason));
	reasons->reason[reasons->count++] = (Reason) {reason, reason_kind(reason), nulls[2] ? 0 : DatumGetFloat8(values[2]), !nulls[1]};
}

static Reasons
read_reasons(const Report *report, const char *model, const AskedTriple *asked)
{
	Reasons		reasons = {.count = 0};
	SqlArgs		args = sql_args_text(asked->head);

	sql_arg_text(&args, asked->relation);
	sql_arg_text(&args, asked->tail);
	sql_arg_text(&args, model);
	sql_stream(psprintf("select rule, grounding, share from %shkg_explain(%s, $1, $2, $3, $4::name)", report->functions,
						quote_literal_cstr(report->graph->name)), &args, take_reason, &reasons);
	return reasons;
}

static void
take_names(void *argument, const Datum *values, const bool *nulls)
{
	Lane	   *lane = argument;
	Datum	   *names;
	int			count;

	deconstruct_array(DatumGetArrayTypePCopy(sql_present(values, nulls, 0)), TEXTOID, -1, false, TYPALIGN_INT, &names, NULL, &count);
	count = Min(count, (int) lengthof(lane->name));
	for (int i = 0; i < count; i++)
		lane->name[i] = TextDatumGetCString(names[i]);
	lane->atoms = count / 3;
}

/* The rule of a reason; false where its text is none.  The text of a row may have names that others have now. */
static bool
read_rule(Graph *graph, const char *model, const Reason *reason, Rule *rule)
{
	SqlArgs		args = sql_args_text(model);
	RuleList	rows;

	if (reason->kind == KIND_PATH)
		return rule_read(graph, reason->text + strlen(REASON_PATH), false, rule) == NULL;
	sql_arg_text(&args, reason->text);
	rows = rules_of_query(psprintf("select " RULE_COLUMNS " from %srule where model = $1 and rule = $2 limit 1",
								   graph->prefix), &args);
	if (rows.count == 0)
		return rule_read(graph, reason->text, false, rule) == NULL;
	*rule = rows.rule[0];
	return true;
}

/* The first grounding of a rule; false where it has no facts */
static bool
read_lane(Graph *graph, const char *model, const AskedTriple *asked, const Reason *reason, Lane *lane)
{
	Rule		rule;
	SqlArgs		args = {0};

	if (!read_rule(graph, model, reason, &rule) || rule_atoms(&rule) == 0)
		return false;
	sql_arg(&args, INT4OID, Int32GetDatum(graph_entity_id(graph, asked->head)));
	sql_arg(&args, INT4OID, Int32GetDatum(graph_entity_id(graph, asked->tail)));
	sql_stream(psprintf("%s limit 1", rule_sql_grounding_names(graph, &rule)), &args, take_names, lane);
	return lane->atoms > 0;
}

static int
read_lanes(Graph *graph, const char *model, const AskedTriple *asked, const Reasons *reasons, Lane *lanes)
{
	int			count = 0;

	for (int64 i = 0; i < reasons->count && count < LANES; i++)
	{
		lanes[count] = (Lane) {.y = FIRST_LANE + LANE * (count + 1)};
		if (reasons->reason[i].has_facts && read_lane(graph, model, asked, &reasons->reason[i], &lanes[count]))
			count++;
	}
	return count;
}

/* ---- nodes and edges --------------------------------------------------------------------------- */

static double
node_width(const char *name)
{
	return Max(chart_text_width(clipped(name, NAME_CHARACTERS), 7.4), 24) + 18;
}

static void
draw_node(Markup *markup, const char *class, Point at, const char *name)
{
	double		width = Min(node_width(name), 200);

	markup_open(markup, "rect", "class", class, "height", "30", "rx", "8", NULL);
	markup_number(markup, "x", at.x - width / 2);
	markup_number(markup, "y", at.y - 15);
	markup_number(markup, "width", width);
	markup_element(markup, "title", name, NULL);
	markup_close(markup);
	chart_text(markup, at.x, at.y + 4, "middle", "name", clipped(name, NAME_CHARACTERS));
}

/* A curve from one point to another through `middle`, with an arrow there */
static void
draw_edge(Markup *markup, bool is_asked, Point from, Point to, Point middle)
{
	Point		bend = {2 * middle.x - (from.x + to.x) / 2, 2 * middle.y - (from.y + to.y) / 2};
	double		angle = atan2(to.y - from.y, to.x - from.x) * 180 / M_PI;

	markup_open(markup, "path", "class", is_asked ? "edge asked" : "edge", "d",
				psprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", from.x, from.y, bend.x, bend.y, to.x, to.y), NULL);
	markup_close(markup);
	markup_open(markup, "path", "class", is_asked ? "arrow asked" : "arrow", "d", "M7 0L-5 -6L-5 6z", "transform",
				psprintf("translate(%.1f %.1f) rotate(%.0f)", middle.x, middle.y, angle), NULL);
	markup_close(markup);
}

static void
draw_label(Markup *markup, Point middle, const char *label)
{
	chart_text(markup, middle.x, middle.y - 10, "middle", "name halo", clipped(label, LABEL_CHARACTERS));
}

/* The entities of a lane other than head and tail, in the order of its atoms; returns how many */
static int
inner_entities(const Lane *lane, const AskedTriple *asked, const char **entity)
{
	int			count = 0;

	for (int i = 0; i < 3 * lane->atoms; i++)
	{
		bool		is_new = i % 3 != 0 && strcmp(lane->name[i], asked->head) != 0 &&
			strcmp(lane->name[i], asked->tail) != 0;

		for (int j = 0; is_new && j < count; j++)
			is_new = strcmp(entity[j], lane->name[i]) != 0;
		if (is_new)
			entity[count++] = lane->name[i];
	}
	return count;
}

/* Where an entity of a lane is: head and tail are above, the others evenly between them */
static Point
place_of(const Lane *lane, const AskedTriple *asked, const char *const *inner, int count, const char *entity)
{
	if (strcmp(entity, asked->head) == 0)
		return (Point) {SIDE, asked->y};
	if (strcmp(entity, asked->tail) == 0)
		return (Point) {WIDTH - SIDE, asked->y};
	for (int i = 0; i < count; i++)
		if (strcmp(entity, inner[i]) == 0)
			return (Point) {SIDE + (WIDTH - 2.0 * SIDE) * (i + 1) / (count + 1), lane->y};
	return (Point) {WIDTH / 2.0, lane->y};
}

/* Between head and tail, an edge bends down into its lane; of two edges between the same entities, one bends more. */
static Point
middle_of(const Lane *lane, const AskedTriple *asked, Point from, Point to, int atom)
{
	Point		middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};

	if (from.y == asked->y && to.y == asked->y)
		middle.y = lane->y;
	for (int i = 0; i < atom; i++)
	{
		const char *const *a = (const char *const *) &lane->name[3 * i + 1];
		const char *const *b = (const char *const *) &lane->name[3 * atom + 1];

		if ((strcmp(a[0], b[0]) == 0 && strcmp(a[1], b[1]) == 0) || (strcmp(a[0], b[1]) == 0 && strcmp(a[1], b[0]) == 0))
			middle.y += 22;
	}
	return middle;
}

/* What covers what: nodes cover the ends of edges, labels cover both. */
typedef enum Layer
{
	EDGES,
	NODES,
	LABELS,
	LAYERS
} Layer;

static void
draw_lane(Markup *markup, Layer layer, const Lane *lane, const AskedTriple *asked)
{
	const char *inner[2 * RULE_MAX_BODY];
	int			count = inner_entities(lane, asked, inner);

	for (int i = 0; layer != NODES && i < lane->atoms; i++)
	{
		Point		from = place_of(lane, asked, inner, count, lane->name[3 * i + 1]);
		Point		to = place_of(lane, asked, inner, count, lane->name[3 * i + 2]);
		Point		middle = middle_of(lane, asked, from, to, i);

		if (layer == EDGES)
			draw_edge(markup, false, from, to, middle);
		else
			draw_label(markup, middle, lane->name[3 * i]);
	}
	for (int i = 0; layer == NODES && i < count; i++)
		draw_node(markup, "node", place_of(lane, asked, inner, count, inner[i]), inner[i]);
}

static void
draw_asked(Markup *markup, Layer layer, const AskedTriple *asked)
{
	Point		head = {SIDE, asked->y};
	Point		tail = {WIDTH - SIDE, asked->y};
	Point		middle = {WIDTH / 2.0, asked->y};

	if (layer == EDGES)
		draw_edge(markup, true, head, tail, middle);
	else if (layer == LABELS)
		draw_label(markup, middle, asked->relation);
	else
	{
		draw_node(markup, "node asked", head, asked->head);
		draw_node(markup, "node asked", tail, asked->tail);
	}
}

/* ---- bars ------------------------------------------------------------------------------------------ */

/* The ends of the scale of bars: all shares, and 0 */
typedef struct ShareScale
{
	double		low;
	double		high;
} ShareScale;

static double
share_place(ShareScale scale, double share)
{
	return BAR_LEFT + (WIDTH - BAR_LEFT - BAR_RIGHT) * (share - scale.low) / (scale.high - scale.low);
}

static void
draw_bar(Markup *markup, ShareScale scale, double y, const char *text, const char *class, double share)
{
	double		from = share_place(scale, Min(share, 0));
	double		to = share_place(scale, Max(share, 0));

	chart_text(markup, BAR_LEFT, y, "start", "name", clipped(text, 96));
	markup_open(markup, "rect", "class", class, "height", "12", "rx", "2", NULL);
	markup_number(markup, "x", from);
	markup_number(markup, "y", y + 7);
	markup_number(markup, "width", Max(to - from, 1));
	markup_element(markup, "title", text, NULL);
	markup_close(markup);
	chart_text(markup, to + 6, y + 17, "start", "tick", psprintf("%.3g", share));
}

/* Reasons that are drawn one by one; the shares of the others are added up. */
static int
bars_of(const Reasons *reasons, double *others)
{
	int			bars = (int) Min(reasons->count, BARS);

	*others = 0;
	for (int64 i = bars; i < reasons->count; i++)
		*others += reasons->reason[i].share;
	return bars;
}

static ShareScale
scale_of(const Reasons *reasons, double others)
{
	ShareScale	scale = {Min(others, 0), Max(others, 0)};

	for (int64 i = 0; i < Min(reasons->count, BARS); i++)
	{
		scale.low = Min(scale.low, reasons->reason[i].share);
		scale.high = Max(scale.high, reasons->reason[i].share);
	}
	if (scale.high <= scale.low)
		scale.high = scale.low + 1;
	return scale;
}

static void
draw_bars(Markup *markup, const Reasons *reasons, double y)
{
	double		others;
	int			bars = bars_of(reasons, &others);
	ShareScale	scale = scale_of(reasons, others);

	chart_text(markup, BAR_LEFT, y, "start", "heading", "Shares of the score");
	for (int i = 0; i < bars; i++)
		draw_bar(markup, scale, y + 24 + BAR * i, reasons->reason[i].text,
				 reasons->reason[i].kind == KIND_EMBEDDING ? "series-2" : "series-1", reasons->reason[i].share);
	if (reasons->count > bars)
		draw_bar(markup, scale, y + 24 + BAR * bars,
				 psprintf(INT64_FORMAT " further reasons together", reasons->count - bars), "series-other", others);
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static void
draw_background(Markup *markup, double height)
{
	markup_element(markup, "style", picture_style, NULL);
	markup_open(markup, "rect", "class", "paper", NULL);
	markup_number(markup, "width", WIDTH);
	markup_number(markup, "height", height);
	markup_close(markup);
}

static void
draw_explanation(Report *report, const char *model, const AskedTriple *asked)
{
	Markup	   *markup = report->markup;
	Lane		lanes[LANES];
	Reasons		reasons = read_reasons(report, model, asked);
	int			count = read_lanes(report->graph, model, asked, &reasons, lanes);
	double		middle = FIRST_LANE + LANE * count + 60;
	double		height = middle + 40 + BAR * Min(reasons.count, BARS + 1);

	picture_open(markup, WIDTH, height, psprintf("Why %s(%s, %s)?", asked->relation, asked->head, asked->tail),
				 psprintf("The triple, groundings of rules or paths (%d), and bars of the shares of its score ("
						  INT64_FORMAT ").", count, reasons.count));
	draw_background(markup, height);
	chart_text(markup, BAR_LEFT, 24, "start", "heading",
			   count > 0 ? "Facts that it follows from" : "No facts to show");
	for (Layer layer = EDGES; layer < LAYERS; layer++)
	{
		for (int i = 0; i < count; i++)
			draw_lane(markup, layer, &lanes[i], asked);
		draw_asked(markup, layer, asked);
	}
	if (reasons.count > 0)
		draw_bars(markup, &reasons, middle);
	markup_close(markup);
}

HKG_FUNCTION(hkg_explain_svg);
Datum
hkg_explain_svg(PG_FUNCTION_ARGS)
{
	AskedTriple	asked = {argument_text(fcinfo, 1, "head"), argument_text(fcinfo, 2, "relation"),
		argument_text(fcinfo, 3, "tail"), FIRST_LANE};
	Call		call = call_begin(fcinfo, 4);
	Markup		markup;
	Report		report = {&markup, call.graph, extension_prefix()};
	text	   *picture;

	markup_begin(&markup);
	draw_explanation(&report, call.model, &asked);
	MemoryContextSwitchTo(call.caller);
	picture = cstring_to_text_with_len(markup.output.data, markup.output.len);
	MemoryContextSwitchTo(call.work);
	call_end(&call);
	PG_RETURN_TEXT_P(picture);
}
