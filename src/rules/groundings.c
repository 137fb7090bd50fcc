/*
 * groundings.c
 *		The groundings of one component at the facts of one head: counted, listed (see rule_search.h).
 *
 * Atoms are matched in the order of the component.  An atom with a new variable runs through the neighbours of its
 * other one.  Where a later atom joins the new variable to a second one that is bound, only what both have in common
 * is tried, at the cost of the shorter list.  As soon as the atoms so far, or a part, are not over the bounds, the
 * search turns back.
 */
#include "rule_search.h"

#include "server/growing_array.h"
#include "server/host.h"

#define CHECK_EVERY (1 << 12)
#define UNBOUND (-1)

typedef struct Matcher
{
	Search	   *search;
	const FactIndex *index;
	const Component *component;
	BodyTable  *table;
	FactLists  *lists;		/* NULL: bodies are counted */

	int32		unit;			/* its number */
	int32		facts;			/* of the unit */
	int32		bound[VARIABLES];	/* rows, or UNBOUND */
	FactSpan	edges[VARIABLES][VARIABLES];	/* from one bound variable to another */
	int64		label[BODY_ATOMS];
	int32		prefix[BODY_ATOMS + 1]; /* numbers of the first 0, 1, ... atoms */
	DirectedAtom atom;			/* the last */
	int32		constant;
	int64		left;			/* steps until interrupts are checked */
} Matcher;

/* ---- one grounding ------------------------------------------------------------------ */

static inline void
add_binding(const Matcher *matcher, CountedBody *body)
{
	int32		binding = matcher->bound[matcher->component->step[matcher->component->atoms - 1].from];

	if (body->binding == NO_BINDING)
		body->binding = binding;
	else if (body->binding != binding)
		body->binding = TWO_BINDINGS;
}

static inline void
count_grounding(Matcher *matcher, int32 prefix, int64 label)
{
	CountedBody *body = body_table_add(matcher->table, prefix, label, matcher->atom, matcher->constant);

	if (body->last != matcher->unit)
		body->support += matcher->facts;
	body->last = matcher->unit;
	if (matcher->constant >= 0)
		add_binding(matcher, body);
}

static inline void
list_grounding(Matcher *matcher, int32 prefix, int64 label)
{
	int32		number = body_table_find(matcher->table, prefix, label);
	CountedBody *body;

	if (number < 0)
		return;
	body = &matcher->table->body[number];
	if (body->last != matcher->unit)
	{
		if (matcher->lists->body.count == matcher->lists->body.room)
			mining_check_growth(matcher->table->mining, 2 * matcher->lists->body.room * sizeof(int32));
		numbers_append(&matcher->lists->body, number);
		body->binding = NO_BINDING;
	}
	body->last = matcher->unit;
	if (matcher->constant >= 0)
		add_binding(matcher, body);
}

/* ---- atom by atom --------------------------------------------------------------------- */

static void match(Matcher *matcher, int k);

/* Whether atom k may stand beside the head and the atoms before; equal places are in the order of their labels. */
static inline bool
may_stand(const Matcher *matcher, int k, int64 label)
{
	const Step *step = matcher->component->step;

	if (step[k].to == Y && label == FORWARDS(matcher->search->head))
		return false;
	for (int i = 0; i < k; i++)
		if (step[i].from == step[k].from && step[i].to == step[k].to && label <= matcher->label[i])
			return false;
	return true;
}

static inline bool
has_parts(const Matcher *matcher)
{
	const Component *component = matcher->component;
	const Search *search = matcher->search;

	for (int i = 0; i < component->parts; i++)
	{
		const ComponentPart *part = &component->part[i];
		const Component *inner = &search->components.component[part->component];
		int32		number = 0;

		for (int j = 0; j < inner->atoms && number >= 0; j++)
		{
			int64		label = matcher->label[part->atom[j]];

			number = body_table_find(&search->table[inner->prefix[j]], number,
									 part->mirrored[j] ? MIRRORED(label) : label);
		}
		if (number < 0)
			return false;
	}
	return true;
}

static inline void
count_steps(Matcher *matcher, int64 steps)
{
	matcher->left -= steps;
	if (matcher->left > 0)
		return;
	matcher->left = CHECK_EVERY;
	hkg_check_interrupts();
}

/* Goes on with the label of atom k. */
static inline void
try_label(Matcher *matcher, int k, int64 label)
{
	const Component *component = matcher->component;

	count_steps(matcher, 1);
	if (!may_stand(matcher, k, label))
		return;
	matcher->label[k] = label;
	if (k + 1 < component->atoms)
	{
		matcher->prefix[k + 1] = body_table_find(&matcher->search->table[component->prefix[k]],
												 matcher->prefix[k], label);
		if (matcher->prefix[k + 1] >= 0)
			match(matcher, k + 1);
	}
	else if (has_parts(matcher))
	{
		if (matcher->lists == NULL)
			count_grounding(matcher, matcher->prefix[k], label);
		else
			list_grounding(matcher, matcher->prefix[k], label);
	}
}

static inline void
try_edges(Matcher *matcher, int k, FactSpan edges)
{
	for (const FactEdge *edge = edges.at; edge < edges.end; edge++)
	{
		matcher->atom = edge->atom;
		try_label(matcher, k, edge->atom);
	}
}

static void
bind_variable(Matcher *matcher, int k)
{
	const Component *component = matcher->component;
	Step		step = component->step[k];
	int			partner = UNBOUND;	/* a bound variable that a later atom joins to the new one */
	FactSpan	span = fact_span(matcher->index, matcher->bound[step.from]);
	FactSpan	other;

	for (int i = component->atoms - 1; i > k; i--)
		if (component->step[i].to == step.to && component->step[i].from != step.from &&
			matcher->bound[component->step[i].from] != UNBOUND)
			partner = component->step[i].from;
	other = fact_span(matcher->index, matcher->bound[partner == UNBOUND ? step.from : partner]);
	if (partner != UNBOUND)
		count_steps(matcher, Min(span.end - span.at, other.end - other.at));
	while (partner == UNBOUND ? span.at < span.end : fact_spans_common(&span, &other))
	{
		FactSpan	edges = fact_span_take(&span);

		matcher->bound[step.to] = edges.at->other;
		matcher->edges[step.from][step.to] = edges;
		if (partner != UNBOUND)
			matcher->edges[partner][step.to] = fact_span_take(&other);
		try_edges(matcher, k, edges);
	}
	matcher->bound[step.to] = UNBOUND;
}

/* The last atom is instantiated. */
static void
try_constants(Matcher *matcher, int k)
{
	const FactIndex *index = matcher->index;
	const int32 *entity_id = matcher->search->mining->data->entity_id;
	int32		entity = matcher->bound[matcher->component->step[k].from];

	for (int64 i = index->start[entity]; i < index->start[entity + 1]; i++)
	{
		FactEdge	edge = index->edge[i];
		bool		occurs = RELATION_OF(edge.atom) == matcher->search->head;

		for (int j = 0; j < k; j++)
			occurs |= RELATION_OF(matcher->label[j]) == RELATION_OF(edge.atom);
		if (occurs || entity_id[edge.other] < 0)
			continue;
		matcher->atom = edge.atom;
		matcher->constant = edge.other;
		try_label(matcher, k, index->mirror[i]);
	}
}

/* All ways in which the atoms from number k on hold. */
static void
match(Matcher *matcher, int k)
{
	Step		step = matcher->component->step[k];

	if (step.to == CONSTANT)
		try_constants(matcher, k);
	else if (matcher->bound[step.to] != UNBOUND)
		try_edges(matcher, k, matcher->edges[step.from][step.to]);
	else
		bind_variable(matcher, k);
}

static void
match_unit(Matcher *matcher, int32 number, const Unit *unit)
{
	hkg_check_interrupts();
	matcher->unit = number;
	matcher->facts = unit->facts;
	matcher->bound[X] = unit->bound[X];
	matcher->bound[Y] = unit->bound[Y];
	if (matcher->component->step[0].to == Y)
		matcher->edges[X][Y] = fact_edges_between(matcher->index, unit->bound[X], unit->bound[Y]);
	match(matcher, 0);
}

static Matcher
matcher_of(Search *search, int component)
{
	Matcher		matcher = {
		.search = search,.index = &search->mining->index,
		.component = &search->components.component[component],.table = &search->table[component],.constant = -1
	};

	for (int i = 0; i < VARIABLES; i++)
		matcher.bound[i] = UNBOUND;
	return matcher;
}

/* ---- all of a component ------------------------------------------------------------------ */

void
groundings_count(Search *search, int component)
{
	Matcher		matcher = matcher_of(search, component);
	const Component *counted = matcher.component;
	int			kind = unit_kind(counted);
	int64		prefixes = counted->atoms == 1 ? 1 :
		search->table[counted->prefix[counted->atoms - 2]].count;

	body_table_create(matcher.table, search->mining, prefixes,
					  counted->constant ? fact_most_groups(matcher.index) : 2 * (int64) matcher.index->relations);
	for (int32 i = 0; i < search->units[kind]; i++)
		match_unit(&matcher, i, &search->unit[kind][i]);
	body_table_keep(matcher.table, search->threshold);
}

void
groundings_list(Search *search, int component)
{
	Matcher		matcher = matcher_of(search, component);
	FactLists  *lists = &search->lists[component];
	int			kind = unit_kind(matcher.component);

	matcher.lists = lists;
	lists->start = array_new(int64, search->units[kind] + 1);
	for (int32 i = 0; i < search->units[kind]; i++)
	{
		lists->start[i] = lists->body.count;
		match_unit(&matcher, i, &search->unit[kind][i]);
		for (int64 j = lists->start[i]; matcher.component->constant && j < lists->body.count; j++)
			numbers_append(&lists->binding, matcher.table->body[lists->body.value[j]].binding);
	}
	lists->start[search->units[kind]] = lists->body.count;
}
