/*
 * body_pairs.c
 *		The pairs (x, y) that bodies yield (see body_pairs.h).
 *
 * BodyPairs of one shape are evaluated by one statement.  All their pairs together
 * can be a thousand times the facts, so the server hands them on as products: where
 * one variable z (or none at all) is all that joins X's part of the body to Y's, a row is a
 * z with its x and its y, and product.c multiplies,
 *
 *		X - z - Y			(x, ..) x (y, ..) for each z
 *
 * A constant of the head is a part of its own, with one entity.
 *
 * Other bodies come as a row for each x, with its different y: z is X itself.
 * The rows of one body follow each other.
 *
 * What was handed out may be kept, as rectangles, for the next time.
 */
#include "body_pairs.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "server/array.h"
#include "server/growing_array.h"
#include "server/planner.h"
#include "product.h"
#include "shape.h"
#include "server/sql.h"

#define NO_BODY (-1)

typedef struct CachedBody
{
	Rule		body;			/* the key; its head is 0 */
	int32	   *rectangles;		/* x_count, y_count, the x, the y; and so on */
	int64		length;
} CachedBody;

struct BodyPairs
{
	MemoryContext context;
	Graph	   *graph;
	const int32 *entity_id;
	int32		entities;
	Product    *product;

	HTAB	   *cache;			/* NULL without one */
	int64		cache_room;		/* bytes left */
	Numbers		record;			/* of the current body */
	bool		recording;

	/* one call of body_pairs_each */
	const Rule *const *rules;
	int32		current;
	BodyPairsTake	take;
	void		(*done) (void *argument, int32 body);
	void	   *argument;
	MemoryContext caller;
};

/* A body to be evaluated */
typedef struct Needed
{
	Shape	shape;
	ShapeLabels		labels;
	int32		body;
} Needed;

BodyPairs *
body_pairs_create(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg bodies",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	BodyPairs	   *bodies = palloc0(sizeof(BodyPairs));

	bodies->context = context;
	bodies->graph = graph;
	bodies->entity_id = entity_id;
	bodies->entities = entities;
	bodies->product = product_create(entities);
	if (cache_bytes > 0)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Rule);
		control.entrysize = sizeof(CachedBody);
		control.hcxt = context;
		bodies->cache = hash_create("hybridkg bodies", 1024, &control,
									HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		bodies->cache_room = cache_bytes;
	}
	MemoryContextSwitchTo(caller);
	return bodies;
}

/* ---- statements -------------------------------------------------------------- */

#define ALL_ATOMS(shape) ((1U << (shape)->length) - 1)

static bool
holds_term(Place place, Term term)
{
	return place.from == term || place.to == term;
}

/* Whether two atoms share a variable other than `middle`. */
static bool
share_variable(Place a, Place b, Term middle)
{
	return (a.from != middle && holds_term(b, a.from)) ||
		(TERM_IS_VARIABLE(a.to) && a.to != middle && holds_term(b, a.to));
}

/* The atoms that hang together with Y, when they are cut at `middle`. */
static unsigned
atoms_of_y(const Shape *shape, Term middle)
{
	unsigned	atoms = 0;
	unsigned	before;

	do
	{
		before = atoms;
		for (int i = 0; i < shape->length; i++)
		{
			if (holds_term(shape->place[i], TERM_Y))
				atoms |= 1U << i;
			for (int j = 0; j < shape->length; j++)
			{
				if ((atoms & (1U << j)) != 0 &&
					share_variable(shape->place[j], shape->place[i], middle))
					atoms |= 1U << i;
			}
		}
	} while (atoms != before);
	return atoms;
}

static bool
cuts(const Shape *shape, Term middle)
{
	return shape_column(shape, atoms_of_y(shape, middle), TERM_X) == NULL;
}

/*
 * The variable that joins X's part of the body to Y's: TERM_CONSTANT when they are not
 * joined, TERM_X when no other can be cut out.
 */
static Term
middle_of(const Shape *shape)
{
	if (cuts(shape, TERM_CONSTANT))
		return TERM_CONSTANT;
	for (Term term = TERM_A; shape_column(shape, ALL_ATOMS(shape), term) != NULL; term--)
	{
		if (cuts(shape, term))
			return term;
	}
	return TERM_X;
}

/* "a1, c1, a2": what tells bodies apart, for the atoms of a set; each with a prefix before it. */
static char *
keys(const Shape *shape, unsigned atoms, const char *prefix)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < shape->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&list, "%s%sa%d", list.len == 0 ? "" : ", ", prefix, i + 1);
		if (!TERM_IS_VARIABLE(shape->place[i].to))
			appendStringInfo(&list, ", %sc%d", prefix, i + 1);
	}
	return list.data;
}

/* Whether the atoms of a set hold another variable than these two. */
static bool
holds_others(const Shape *shape, unsigned atoms, Term one, Term other)
{
	for (int i = 0; i < shape->length; i++)
	{
		Place		place = shape->place[i];

		if ((atoms & (1U << i)) == 0)
			continue;
		if ((place.from != one && place.from != other) ||
			(TERM_IS_VARIABLE(place.to) && place.to != one && place.to != other))
			return true;
	}
	return false;
}

/* Whether a part is the constant of the head, which is the last atom. */
static bool
is_constant(const Shape *shape, unsigned atoms)
{
	int			last = shape->length - 1;

	return atoms == 1U << last && shape->place[last].to == TERM_ITSELF;
}

/* The different values of `end` for each key and each value of `middle` (z, if it is a variable). */
static char *
part_sql(const Graph *graph, const Shape *shape, unsigned atoms, Term end, Term middle)
{
	StringInfoData sql;
	const char *z = TERM_IS_VARIABLE(middle) ? psprintf(", %s as z", shape_column(shape, atoms, middle)) : "";
	bool		distinct = holds_others(shape, atoms, end, middle);

	if (is_constant(shape, atoms))
		return psprintf("(select distinct %s, array[c%d] as list from needed)",
						keys(shape, atoms, ""), shape->length);
	initStringInfo(&sql);
	appendStringInfo(&sql, "(select %s%s, array_agg(term) as list\n"
					 "from (select %s%s%s, %s as term\n"
					 "from (select distinct %s from needed) k",
					 keys(shape, atoms, ""), *z ? ", z" : "",
					 distinct ? "distinct " : "", keys(shape, atoms, "k."), z,
					 shape_column(shape, atoms, end), keys(shape, atoms, ""));
	appendStringInfoString(&sql, shape_joins(graph, shape, atoms));
	appendStringInfoString(&sql, "\nwhere true");
	for (int i = 0; i < shape->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&sql, " and e%d.atom = k.a%d", i + 1, i + 1);
		if (!TERM_IS_VARIABLE(shape->place[i].to))
			appendStringInfo(&sql, " and e%d.y = k.c%d", i + 1, i + 1);
	}
	appendStringInfo(&sql, ") pair\ngroup by %s%s)", keys(shape, atoms, ""), *z ? ", z" : "");
	return sql.data;
}

/* "l.a1 = needed.a1 and ..." */
static char *
same_keys(const Shape *shape, unsigned atoms, const char *part)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < shape->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&sql, "%s%s.a%d = needed.a%d", sql.len == 0 ? "" : " and ", part, i + 1, i + 1);
		if (!TERM_IS_VARIABLE(shape->place[i].to))
			appendStringInfo(&sql, " and %s.c%d = needed.c%d", part, i + 1, i + 1);
	}
	return sql.data;
}

static char *
needed_sql(const Shape *shape)
{
	StringInfoData sql;
	int			parameters = 1;

	initStringInfo(&sql);
	for (int i = 0; i < shape->length; i++)
		parameters += !TERM_IS_VARIABLE(shape->place[i].to) ? 2 : 1;
	appendStringInfoString(&sql, "with needed as materialized (select * from unnest(");
	for (int i = 1; i <= parameters; i++)
		appendStringInfo(&sql, "%s$%d", i == 1 ? "" : ", ", i);
	appendStringInfo(&sql, ") body (body, %s))\n", keys(shape, ALL_ATOMS(shape), ""));
	return sql.data;
}

/* Rows (body, x of a z, y of a z), body after body */
static char *
bodies_sql(const Graph *graph, const Shape *shape)
{
	Term		middle = middle_of(shape);
	unsigned	right = middle == TERM_X ? ALL_ATOMS(shape) : atoms_of_y(shape, middle);
	unsigned	left = ALL_ATOMS(shape) & ~right;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "%sselect needed.body, %s, r.list\nfrom needed", needed_sql(shape),
					 middle == TERM_X ? "array[r.z]" : "l.list");
	if (left != 0)
		appendStringInfo(&sql, "\njoin %s l on %s", part_sql(graph, shape, left, TERM_X, middle),
						 same_keys(shape, left, "l"));
	appendStringInfo(&sql, "\njoin %s r on %s", part_sql(graph, shape, right, TERM_Y, middle),
					 same_keys(shape, right, "r"));
	if (left != 0 && TERM_IS_VARIABLE(middle))
		appendStringInfoString(&sql, " and r.z = l.z");
	appendStringInfoString(&sql, "\norder by needed.body");
	return sql.data;
}

/* ---- rectangles ----------------------------------------------------------------- */

static void
hand_out(void *argument, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	BodyPairs	   *bodies = argument;
	int64		length = 2 + (int64) x_count + y_count;

	if (bodies->recording &&
		(bodies->record.count + length) * (int64) sizeof(int32) > bodies->cache_room)
		bodies->recording = false;
	if (bodies->recording)
	{
		Numbers    *record = &bodies->record;

		numbers_reserve(record, record->count + length);
		record->value[record->count++] = x_count;
		record->value[record->count++] = y_count;
		memcpy(record->value + record->count, x, x_count * sizeof(int32));
		memcpy(record->value + record->count + x_count, y, y_count * sizeof(int32));
		record->count += x_count + y_count;
	}
	MemoryContextSwitchTo(bodies->caller);
	bodies->take(bodies->argument, bodies->current, x, x_count, y, y_count);
	MemoryContextSwitchTo(bodies->context);
}

static void
tell_done(BodyPairs *bodies, int32 body)
{
	CHECK_FOR_INTERRUPTS();
	MemoryContextSwitchTo(bodies->caller);
	if (bodies->done != NULL)
		bodies->done(bodies->argument, body);
	MemoryContextSwitchTo(bodies->context);
}

static Rule
cache_key(const Rule *rule)
{
	Rule		key = *rule;

	key.head = 0;
	return key;
}

static void
keep_record(BodyPairs *bodies)
{
	Rule		key = cache_key(bodies->rules[bodies->current]);
	CachedBody *cached = hash_search(bodies->cache, &key, HASH_ENTER, NULL);
	Size		bytes = Max(bodies->record.count, 1) * sizeof(int32);

	cached->length = bodies->record.count;
	cached->rectangles = MemoryContextAllocHuge(bodies->context, bytes);
	memcpy(cached->rectangles, bodies->record.value, bodies->record.count * sizeof(int32));
	bodies->cache_room -= bytes + sizeof(CachedBody);
}

/* What the stream gave of the current body is complete. */
static void
finish_body(BodyPairs *bodies)
{
	if (bodies->current == NO_BODY)
		return;
	bodies->record.count = 0;
	bodies->recording = bodies->cache != NULL;
	product_each(bodies->product, hand_out, bodies);
	product_clear(bodies->product);
	if (bodies->recording)
		keep_record(bodies);
	tell_done(bodies, bodies->current);
	bodies->current = NO_BODY;
}

/* Adds the entities of an array; those that are not known drop out. */
static void
add_list(BodyPairs *bodies, Datum value, void (*add) (Product *product, int32 row))
{
	ArrayType  *list = DatumGetArrayTypeP(value);
	const int32 *id = (const int32 *) ARR_DATA_PTR(list);

	for (int i = 0; i < ARR_DIMS(list)[0]; i++)
	{
		int32		row = graph_row(bodies->entity_id, bodies->entities, id[i]);

		if (row >= 0)
			add(bodies->product, row);
	}
	if ((Pointer) list != DatumGetPointer(value))
		pfree(list);
}

static void
take_lists(void *argument, const Datum *values, const bool *nulls)
{
	BodyPairs	   *bodies = argument;

	if (bodies->current != DatumGetInt32(values[0]))
	{
		finish_body(bodies);
		bodies->current = DatumGetInt32(values[0]);
	}
	product_next(bodies->product);
	add_list(bodies, values[1], product_add_left);
	add_list(bodies, values[2], product_add_right);
}

/* ---- many bodies ------------------------------------------------------------------ */

static int
compare_needed(const void *a, const void *b)
{
	const Needed *left = a;
	const Needed *right = b;
	int			order = shape_compare(&left->shape, &right->shape);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : (left->body > right->body) - (left->body < right->body);
}

static SqlArgs
needed_args(const Needed *needed, int32 count)
{
	const Shape *shape = &needed->shape;
	int32	   *column = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(int32));
	SqlArgs		args = {0};

	for (int32 i = 0; i < count; i++)
		column[i] = needed[i].body;
	sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
	for (int atom = 0; atom < shape->length; atom++)
	{
		for (int32 i = 0; i < count; i++)
			column[i] = needed[i].labels.atom[atom];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
		if (TERM_IS_VARIABLE(shape->place[atom].to))
			continue;
		for (int32 i = 0; i < count; i++)
			column[i] = needed[i].labels.constant[atom];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
	}
	pfree(column);
	return args;
}

/* BodyPairs of one shape. */
static void
evaluate(BodyPairs *bodies, const Needed *needed, int32 count)
{
	SqlArgs		args = needed_args(needed, count);

	bodies->current = NO_BODY;
	sql_stream(bodies_sql(bodies->graph, &needed->shape), &args, take_lists, bodies);
	finish_body(bodies);
	sql_args_free(&args);
}

static void
recall(BodyPairs *bodies, const CachedBody *cached, int32 body)
{
	const int32 *at = cached->rectangles;

	bodies->recording = false;
	bodies->current = body;
	while (at < cached->rectangles + cached->length)
	{
		hand_out(bodies, at + 2, at[0], at + 2 + at[0], at[1]);
		at += 2 + (int64) at[0] + at[1];
	}
	tell_done(bodies, body);
	bodies->current = NO_BODY;
}

static const CachedBody *
find_cached(const BodyPairs *bodies, const Rule *rule)
{
	Rule		key = cache_key(rule);

	return bodies->cache == NULL ? NULL : hash_search(bodies->cache, &key, HASH_FIND, NULL);
}

void
body_pairs_each(BodyPairs *bodies, const Rule *const *rules, int32 count, BodyPairsTake take,
			void (*done) (void *argument, int32 body), void *argument)
{
	MemoryContext caller = MemoryContextSwitchTo(bodies->context);
	Needed	   *needed = MemoryContextAllocHuge(bodies->context, Max(count, 1) * sizeof(Needed));
	int32		needs = 0;
	int32		end;
	int			nest_level = plan_begin();

	bodies->rules = rules;
	bodies->take = take;
	bodies->done = done;
	bodies->argument = argument;
	bodies->caller = caller;
	for (int32 i = 0; i < count; i++)
	{
		const CachedBody *cached = find_cached(bodies, rules[i]);

		if (cached != NULL)
			recall(bodies, cached, i);
		else
		{
			shape_of(rules[i], &needed[needs].shape, &needed[needs].labels);
			needed[needs++].body = i;
		}
	}
	qsort(needed, needs, sizeof(Needed), compare_needed);
	for (int32 start = 0; start < needs; start = end)
	{
		for (end = start + 1; end < needs; end++)
			if (shape_compare(&needed[start].shape, &needed[end].shape) != 0)
				break;
		evaluate(bodies, needed + start, end - start);
	}
	pfree(needed);
	plan_end(nest_level);
	MemoryContextSwitchTo(caller);
}
