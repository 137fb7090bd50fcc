/*
 * levels.c
 *		The supports of rules with constants, and of rules of four atoms.
 *
 * Their bodies are closed: each variable stands in two atoms at least, the head
 * h(X,Y) counted.  With up to three atoms that leaves, for instantiated atoms (c: any entity),
 *		a(X,c), b(Y,d);  a(X,Y), b(X,c);  a(X,Y), b(Y,c)
 * (one instantiated atom alone, or a chain that ends in one, leaves X or Y open), which constants.c
 * counts; with four atoms, those of the table below.
 *
 * The search goes level by level.  Support never rises when an atom is added, so a
 * body is looked for only over parts of it that are over the bounds themselves, which levels
 * before have found, some of them open bodies.  A level goes through the facts, head by head, and
 * binds the variables of its shape atom by atom, along neighbourhoods in memory; where
 * parts are complete that are not over the bounds, it turns back.  (As joins in the server the
 * same takes many times as long, and writes what parts rule out to disk.)  Where a variable
 * lies between two that are bound, it runs through the shorter of their neighbourhoods.
 * A body is counted once for a fact; an open body, for all facts at its end at once.
 *
 * An instantiated atom is not unifiable with another atom of the rule: their
 * relations differ, or else both have constants, in the same place, and these differ.
 * (Two places unify when they are equal or one is a variable.  So no instantiated
 * atom has the head's relation.)  And its variable has two bindings, at least, where
 * rule and head hold.  Entities of negative ids are no constants: such ids mark variables.
 */
#include "mining.h"

#include "miscadmin.h"

#include "neighbours.h"

#define MAX_PARTS 3
#define CHECK_EVERY (1 << 16)

/* Part of a body: its shape, and which atoms of the body (from 1) it is */
typedef struct Part
{
	const char *shape;
	int			atom[2];
} Part;

typedef struct Level
{
	const char *shape;
	bool		closed;
	int			length;			/* max_rule_length that asks for it */
	bool		constants;		/* whether constants must be asked for */
	Part		part[MAX_PARTS];
} Level;

#define OPEN false
#define CLOSED true

/* Instantiated atoms alone, the parts of what constants.c counts */
static const Level ends[] = {
	{"Xc", OPEN, 3, true, {{0}}},
	{"Yc", OPEN, 3, true, {{0}}}
};

static const Level levels[] = {
	{"XA", OPEN, 4, false, {{0}}},
	{"AY", OPEN, 4, false, {{0}}},
	{"XA AB", OPEN, 4, false, {{"XA", {1}}}},
	{"AB BY", OPEN, 4, false, {{"AY", {2}}}},
	{"XY XY XY", CLOSED, 4, false, {{"XY XY", {1, 2}}, {"XY XY", {1, 3}}, {"XY XY", {2, 3}}}},
	{"XY XA AY", CLOSED, 4, false, {{"XY", {1}}, {"XA AY", {2, 3}}}},
	{"XA XA AY", CLOSED, 4, false, {{"XA AY", {1, 3}}, {"XA AY", {2, 3}}}},
	{"XA AY AY", CLOSED, 4, false, {{"XA AY", {1, 2}}, {"XA AY", {1, 3}}}},
	{"XY XA XA", CLOSED, 4, false, {{"XY", {1}}, {"XA", {2}}, {"XA", {3}}}},
	{"XY AY AY", CLOSED, 4, false, {{"XY", {1}}, {"AY", {2}}, {"AY", {3}}}},
	{"XA AB BY", CLOSED, 4, false, {{"XA AB", {1, 2}}, {"AB BY", {2, 3}}}},

	{"XY XY Xc", CLOSED, 4, true, {{"XY XY", {1, 2}}, {"XY Xc", {1, 3}}, {"XY Xc", {2, 3}}}},
	{"XY XY Yc", CLOSED, 4, true, {{"XY XY", {1, 2}}, {"XY Yc", {1, 3}}, {"XY Yc", {2, 3}}}},
	{"XA AY Xc", CLOSED, 4, true, {{"XA AY", {1, 2}}, {"Xc", {3}}}},
	{"XA AY Yc", CLOSED, 4, true, {{"XA AY", {1, 2}}, {"Yc", {3}}}},
	{"XA AY Ac", CLOSED, 4, true, {{"XA AY", {1, 2}}}},
	{"XY XA Ac", CLOSED, 4, true, {{"XY", {1}}, {"XA", {2}}}},
	{"XY AY Ac", CLOSED, 4, true, {{"XY", {1}}, {"AY", {2}}}},
	{"XA XA Yc", CLOSED, 4, true, {{"XA", {1}}, {"XA", {2}}, {"Yc", {3}}}},
	{"AY AY Xc", CLOSED, 4, true, {{"AY", {1}}, {"AY", {2}}, {"Xc", {3}}}},
	{"XY Xc Xc", CLOSED, 4, true, {{"XY Xc", {1, 2}}, {"XY Xc", {1, 3}}}},
	{"XY Yc Yc", CLOSED, 4, true, {{"XY Yc", {1, 2}}, {"XY Yc", {1, 3}}}},
	{"XY Xc Yc", CLOSED, 4, true, {{"XY Xc", {1, 2}}, {"XY Yc", {1, 3}}, {"Xc Yc", {2, 3}}}},
	{"XA Ac Yc", CLOSED, 4, true, {{"XA", {1}}, {"Yc", {3}}}},
	{"AY Ac Xc", CLOSED, 4, true, {{"AY", {1}}, {"Xc", {3}}}},
	{"Xc Xc Yc", CLOSED, 4, true, {{"Xc Yc", {1, 3}}, {"Xc Yc", {2, 3}}}},
	{"Xc Yc Yc", CLOSED, 4, true, {{"Xc Yc", {1, 2}}, {"Xc Yc", {1, 3}}}}
};

static bool
is_instantiated(const Shape *shape, int i)
{
	return shape->place[i].to == TERM_CONSTANT;
}

/* ---- bodies by their labels --------------------------------------------------------- */

#define MAX_ATOMS 3

typedef struct Key
{
	int32		head;
	int32		atom[MAX_ATOMS];
	int32		constant[MAX_ATOMS];
} Key;

/* variables, as far as bindings are counted */
enum
{
	X, Y, A, VARIABLES
};

typedef struct Counter
{
	Key			key;
	int32		first[VARIABLES];	/* the first binding of each */
	bool		two[VARIABLES]; /* whether there was another */
	char		status;			/* of the hash table */
	int64		support;
	int64		last_unit;		/* the last one counted */
} Counter;

static inline uint32
hash_key(Key key)
{
	uint64		hash = (uint32) key.head;

	for (int i = 0; i < MAX_ATOMS; i++)
	{
		uint64		part = (uint64) (uint32) key.atom[i] << 32 | (uint32) key.constant[i];

		hash = (hash ^ part) * UINT64CONST(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return (uint32) hash;
}

#define SH_PREFIX counters
#define SH_ELEMENT_TYPE Counter
#define SH_KEY_TYPE Key
#define SH_KEY key
#define SH_HASH_KEY(table, key) hash_key(key)
#define SH_EQUAL(table, a, b) (memcmp(&(a), &(b), sizeof(Key)) == 0)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* ---- parts that are over the bounds ------------------------------------------------- */

static void
add_frequent(Frequent *frequent, const Shape *shape, int32 head, const ShapeLabels *labels)
{
	int			column = 0;

	numbers_append(&frequent->column[column++], head);
	for (int i = 0; i < shape->length; i++)
	{
		numbers_append(&frequent->column[column++], labels->atom[i]);
		if (is_instantiated(shape, i))
			numbers_append(&frequent->column[column++], labels->constant[i]);
	}
	frequent->columns = column;
	if (frequent->column[0].count % CHECK_EVERY == 0)
		mine_check_memory(3 * column * frequent->column[0].count * sizeof(int32));
}

static Frequent *
new_frequent(Mining *mining, const char *shape)
{
	Frequent   *frequent = &mining->frequent[mining->frequents++];

	Assert(mining->frequents <= MAX_FREQUENT);
	frequent->shape = shape;
	return frequent;
}

/* Atoms in equal places stand in the order of their numbers, as in the statements. */
static void
order_equals(const Shape *shape, ShapeLabels *labels)
{
	if (shape->length == 2 && memcmp(&shape->place[0], &shape->place[1], sizeof(Place)) == 0 &&
		labels->atom[0] > labels->atom[1])
	{
		DirectedAtom first = labels->atom[0];

		labels->atom[0] = labels->atom[1];
		labels->atom[1] = first;
	}
}

/* The closed bodies of a shape are among the candidates. */
static Frequent *
gather_candidates(Mining *mining, const char *text)
{
	Frequent   *frequent = new_frequent(mining, text);
	Shape	wanted;

	shape_parse(text, &wanted);
	for (int64 i = 0; i < mining->count; i++)
	{
		Shape	shape;
		ShapeLabels		labels;

		CHECK_FOR_INTERRUPTS();
		shape_of(&mining->candidate[i].rule, &shape, &labels);
		if (shape_compare(&shape, &wanted) != 0)
			continue;
		order_equals(&shape, &labels);
		add_frequent(frequent, &shape, mining->candidate[i].rule.head, &labels);
	}
	return frequent;
}

/* Open ones were put there by their level, which comes first. */
Frequent *
mining_frequent(Mining *mining, const char *shape)
{
	for (int i = 0; i < mining->frequents; i++)
	{
		if (strcmp(mining->frequent[i].shape, shape) == 0)
			return &mining->frequent[i];
	}
	return gather_candidates(mining, shape);
}

/* ---- one level ----------------------------------------------------------------------------- */

/* Part of the level's body, and which labels it may have */
typedef struct PartSet
{
	int			length;
	int			atom[2];		/* of the body, from 0 */
	int			last;			/* the step that tries the last of them */
	counters_hash *keys;
} PartSet;

/* Facts that are one to the level */
typedef struct Unit
{
	int32		x;				/* rows; -1: not bound */
	int32		y;
	int64		facts;
} Unit;

typedef struct LevelSearch
{
	Mining	   *mining;
	const Neighbours *neighbours;
	const Level *level;
	Shape	shape;
	int			order[MAX_ATOMS];	/* in which atoms are tried: each has a variable that is bound by then */
	PartSet		part[MAX_PARTS];
	int			parts;
	Frequent   *open;			/* what an open level finds */

	/* the current head */
	int32		head;			/* id */
	counters_hash *counters;

	/* the current unit */
	const Unit *unit;
	int64		units;			/* its number, from 1 */
	int64		steps;
	int32		bound[2 + MAX_ATOMS];	/* rows, by variable; -1: not bound */
	ShapeLabels		labels;
} LevelSearch;

#define BOUND(search, term) ((search)->bound[-1 - (term)])

/* Adds the keys of a part; false when there is none over the bounds, so no body either. */
static bool
add_part(LevelSearch *search, const Part *part)
{
	const Frequent *frequent = mining_frequent(search->mining, part->shape);
	PartSet    *set = &search->part[search->parts++];
	int64		count = frequent->column[0].count;
	Shape	shape;

	shape_parse(part->shape, &shape);
	set->length = shape.length;
	for (int i = 0; i < shape.length; i++)
	{
		set->atom[i] = part->atom[i] - 1;
		for (int step = 0; step < search->shape.length; step++)
			if (search->order[step] == set->atom[i])
				set->last = Max(set->last, step);
	}
	mine_check_memory(3 * count * sizeof(Counter));
	set->keys = counters_create(CurrentMemoryContext, Max(count, 16), NULL);
	for (int64 i = 0; i < count; i++)
	{
		Key			key = {.head = frequent->column[0].value[i]};
		int			column = 1;
		bool		found;

		for (int j = 0; j < shape.length; j++)
		{
			key.atom[j] = frequent->column[column++].value[i];
			if (is_instantiated(&shape, j))
				key.constant[j] = frequent->column[column++].value[i];
		}
		counters_insert(set->keys, key, &found);
	}
	return count > 0;
}

static bool
holds_part(const LevelSearch *search, const PartSet *set)
{
	Key			key = {.head = search->head};

	for (int i = 0; i < set->length; i++)
	{
		key.atom[i] = search->labels.atom[set->atom[i]];
		key.constant[i] = search->labels.constant[set->atom[i]];
	}
	return counters_lookup(set->keys, key) != NULL;
}

/* What two atoms, j before i, ask of each other. */
static bool
may_meet(const LevelSearch *search, int j, int i)
{
	const Shape *shape = &search->shape;
	const ShapeLabels *labels = &search->labels;
	bool		one = is_instantiated(shape, j);
	bool		other = is_instantiated(shape, i);

	if ((one || other) && RELATION_OF(labels->atom[j]) == RELATION_OF(labels->atom[i]) &&
		!(one && other && labels->atom[j] == labels->atom[i] && labels->constant[j] != labels->constant[i]))
		return false;
	/* atoms in equal places stand in order */
	if (memcmp(&shape->place[j], &shape->place[i], sizeof(Place)) != 0)
		return true;
	return labels->atom[j] < labels->atom[i] ||
		(labels->atom[j] == labels->atom[i] && labels->constant[j] < labels->constant[i]);
}

/* Whether the atom of a step may stand beside the head and the atoms of the steps before. */
static bool
may_stand(const LevelSearch *search, int step)
{
	int			i = search->order[step];
	const Place *place = &search->shape.place[i];
	DirectedAtom atom = search->labels.atom[i];

	if (is_instantiated(&search->shape, i))
	{
		if (search->labels.constant[i] < 0 || RELATION_OF(atom) == search->head)
			return false;
	}
	else if (place->from == TERM_X && place->to == TERM_Y && atom == FORWARDS(search->head))
		return false;
	for (int before = 0; before < step; before++)
	{
		int			j = search->order[before];

		if (!may_meet(search, Min(i, j), Max(i, j)))
			return false;
	}
	for (int j = 0; j < search->parts; j++)
	{
		if (search->part[j].last == step && !holds_part(search, &search->part[j]))
			return false;
	}
	return true;
}

static void
count_body(LevelSearch *search)
{
	Key			key = {.head = search->head};
	int32		binding[VARIABLES] = {search->bound[X], search->bound[Y], search->bound[A]};
	Counter    *counter;
	bool		found;

	memcpy(key.atom, search->labels.atom, sizeof(key.atom));
	memcpy(key.constant, search->labels.constant, sizeof(key.constant));
	counter = counters_insert(search->counters, key, &found);
	if (!found)
	{
		if (search->counters->members % CHECK_EVERY == 0)
			mine_check_memory(3 * search->counters->size * sizeof(Counter));
		counter->support = counter->last_unit = 0;
		memcpy(counter->first, binding, sizeof(binding));
		memset(counter->two, 0, sizeof(counter->two));
	}
	if (counter->last_unit != search->units)
		counter->support += search->unit->facts;
	counter->last_unit = search->units;
	for (int i = 0; i < VARIABLES; i++)
		counter->two[i] |= binding[i] != counter->first[i];
}

static void match(LevelSearch *search, int step);

/* Goes on with what the atom of this step is. */
static void
try_atom(LevelSearch *search, int step, DirectedAtom atom, int32 constant)
{
	if (++search->steps % CHECK_EVERY == 0)
		CHECK_FOR_INTERRUPTS();
	search->labels.atom[search->order[step]] = atom;
	search->labels.constant[search->order[step]] = constant;
	if (may_stand(search, step))
		match(search, step + 1);
}

/* Another bound variable that a later atom joins to this one; 0 when there is none. */
static Term
partner_of(const LevelSearch *search, int step, Term term, Term known)
{
	while (++step < search->shape.length)
	{
		Place		place = search->shape.place[search->order[step]];
		Term		other = place.from == term ? place.to : place.to == term ? place.from : 0;

		if (TERM_IS_VARIABLE(other) && other != known && BOUND(search, other) >= 0)
			return other;
	}
	return 0;
}

/* Binds the variable of the step's atom that is new, by its other one. */
static void
bind_variable(LevelSearch *search, int step)
{
	Place		place = search->shape.place[search->order[step]];
	bool		forwards = BOUND(search, place.from) >= 0;
	Term		known = forwards ? place.from : place.to;
	Term		term = forwards ? place.to : place.from;
	Term		partner = partner_of(search, step, term, known);
	Span		span = neighbours_of(search->neighbours, BOUND(search, known));
	Span		other = partner == 0 ? span : neighbours_of(search->neighbours, BOUND(search, partner));

	while (partner == 0 ? span.at < span.end : spans_meet(&span, &other))
	{
		Span		edges = span_take_entity(&span);

		BOUND(search, term) = NEIGHBOUR_ENTITY(*edges.at);
		for (; edges.at < edges.end; edges.at++)
			try_atom(search, step, forwards ? NEIGHBOUR_ATOM(*edges.at) : MIRRORED(NEIGHBOUR_ATOM(*edges.at)), 0);
	}
	BOUND(search, term) = -1;
}

/* All ways in which the atoms of the steps from this one on hold. */
static void
match(LevelSearch *search, int step)
{
	Place		place;
	Span		span;

	if (step == search->shape.length)
	{
		count_body(search);
		return;
	}
	place = search->shape.place[search->order[step]];
	if (!TERM_IS_VARIABLE(place.to))
	{
		span = neighbours_of(search->neighbours, BOUND(search, place.from));
		for (; span.at < span.end; span.at++)
			try_atom(search, step, NEIGHBOUR_ATOM(*span.at), search->mining->entity_id[NEIGHBOUR_ENTITY(*span.at)]);
	}
	else if (BOUND(search, place.from) >= 0 && BOUND(search, place.to) >= 0)
	{
		span = neighbours_between(search->neighbours, BOUND(search, place.from), BOUND(search, place.to));
		for (; span.at < span.end; span.at++)
			try_atom(search, step, NEIGHBOUR_ATOM(*span.at), 0);
	}
	else
		bind_variable(search, step);
}

/* ---- the facts of one head ------------------------------------------------------------------ */

static int
compare_tails(const void *a, const void *b)
{
	const Unit *left = a;
	const Unit *right = b;

	CHECK_FOR_INTERRUPTS();
	return (left->y > right->y) - (left->y < right->y);
}

/* The facts, or those at each entity on the side that an open body hangs at; returns how many. */
static int64
make_units(const LevelSearch *search, const Triple *fact, int64 facts, Unit *unit)
{
	bool		closed = search->level->closed;
	bool		at_x = closed || strchr(search->level->shape, 'X') != NULL;
	bool		at_y = closed || !at_x;
	int64		count = 0;

	for (int64 i = 0; i < facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		unit[i] = (Unit) {at_x ? fact[i].head : -1, at_y ? fact[i].tail : -1, 1};
	}
	if (!at_x)
		qsort(unit, facts, sizeof(Unit), compare_tails);
	for (int64 i = 0; i < facts; i++)
	{
		if (!closed && count > 0 && unit[count - 1].x == unit[i].x && unit[count - 1].y == unit[i].y)
			unit[count - 1].facts++;
		else
			unit[count++] = unit[i];
	}
	return count;
}

/* Variables of instantiated atoms have two bindings. */
static bool
has_bindings(const LevelSearch *search, const Counter *counter)
{
	for (int i = 0; i < search->shape.length; i++)
	{
		if (is_instantiated(&search->shape, i) && !counter->two[-1 - search->shape.place[i].from])
			return false;
	}
	return true;
}

static void
take_counters(LevelSearch *search, int32 threshold)
{
	counters_iterator iterator;
	Counter    *counter;

	counters_start_iterate(search->counters, &iterator);
	while ((counter = counters_iterate(search->counters, &iterator)) != NULL)
	{
		ShapeLabels		labels = {0};

		CHECK_FOR_INTERRUPTS();
		if (counter->support < threshold || !has_bindings(search, counter))
			continue;
		memcpy(labels.atom, counter->key.atom, sizeof(counter->key.atom));
		memcpy(labels.constant, counter->key.constant, sizeof(counter->key.constant));
		if (search->open != NULL)
			add_frequent(search->open, &search->shape, search->head, &labels);
		else
			mining_add(search->mining, search->head, &search->shape, &labels, counter->support);
	}
}

static void
search_head(LevelSearch *search, int32 row, const Triple *fact, int64 facts)
{
	Unit	   *unit = MemoryContextAllocHuge(CurrentMemoryContext, Max(facts, 1) * sizeof(Unit));
	int64		units = make_units(search, fact, facts, unit);

	search->head = search->mining->relation_id[row];
	search->counters = counters_create(CurrentMemoryContext, 1024, NULL);
	search->units = 0;
	for (search->unit = unit; search->unit < unit + units; search->unit++)
	{
		CHECK_FOR_INTERRUPTS();
		search->units++;
		search->bound[X] = search->unit->x;
		search->bound[Y] = search->unit->y;
		match(search, 0);
	}
	take_counters(search, search->mining->threshold[row]);
	counters_destroy(search->counters);
	pfree(unit);
}

/* An open body that hangs at Y is tried from there, back to front. */
static void
order_atoms(LevelSearch *search)
{
	int			length = search->shape.length;
	bool		backwards = !search->level->closed && strchr(search->level->shape, 'X') == NULL;

	for (int step = 0; step < length; step++)
		search->order[step] = backwards ? length - 1 - step : step;
}

static void
search_level(Mining *mining, const Neighbours *neighbours, const Level *level)
{
	LevelSearch search = {.mining = mining,.neighbours = neighbours,.level = level};
	bool		possible = true;
	int64		end;

	shape_parse(level->shape, &search.shape);
	order_atoms(&search);
	memset(search.bound, -1, sizeof(search.bound));
	if (!level->closed)
		search.open = new_frequent(mining, level->shape);
	for (int i = 0; possible && i < MAX_PARTS && level->part[i].shape != NULL; i++)
		possible = add_part(&search, &level->part[i]);
	for (int64 start = 0; possible && start < mining->facts; start = end)
	{
		int32		row = mining->fact[start].relation;

		for (end = start; end < mining->facts && mining->fact[end].relation == row;)
			end++;
		if (end - start >= mining->threshold[row])
			search_head(&search, row, mining->fact + start, end - start);
	}
	for (int i = 0; i < search.parts; i++)
		counters_destroy(search.part[i].keys);
}

void
mine_levels(Mining *mining)
{
	const MineOptions *options = mining->options;
	bool		constants = options->constants && options->max_rule_length > 2;
	Neighbours *neighbours;

	if (!constants && options->max_rule_length < 4)
		return;
	mining_read_facts(mining);
	neighbours = neighbours_of_facts(mining->fact, mining->facts, mining->entities, mining->relation_id);
	if (constants)
	{
		search_level(mining, neighbours, &ends[0]);
		search_level(mining, neighbours, &ends[1]);
		mine_constants(mining);
	}
	for (int i = 0; i < (int) lengthof(levels); i++)
	{
		if (levels[i].length <= options->max_rule_length && (options->constants || !levels[i].constants))
			search_level(mining, neighbours, &levels[i]);
	}
}
