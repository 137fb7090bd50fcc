/*
 * bodies.c
 *		The pairs (x, y) that bodies yield (see bodies.h).
 *
 * Bodies of one skeleton are evaluated by one statement.  All their pairs together
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
#include "bodies.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "array.h"
#include "numbers.h"
#include "plan.h"
#include "product.h"
#include "skeleton.h"
#include "sql.h"

#define NO_BODY (-1)

typedef struct CachedBody
{
	Rule		body;			/* the key; its head is 0 */
	int32	   *rectangles;		/* x_count, y_count, the x, the y; and so on */
	int64		length;
} CachedBody;

struct Bodies
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

	/* one call of bodies_each */
	const Rule *const *rules;
	int32		current;
	BodiesTake	take;
	void		(*done) (void *argument, int32 body);
	void	   *argument;
	MemoryContext caller;
};

/* A body to be evaluated */
typedef struct Needed
{
	Skeleton	skeleton;
	Flesh		flesh;
	int32		body;
} Needed;

Bodies *
bodies_create(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg bodies",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Bodies	   *bodies = palloc0(sizeof(Bodies));

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

Bodies *
bodies_of(Graph *graph, const int32 *entity_id, int32 entities)
{
	Bodies	   *kept = graph->bodies;

	if (kept != NULL && kept->entity_id == entity_id)
		return kept;
	return bodies_create(graph, entity_id, entities, 0);
}

void
bodies_keep(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(graph));

	if (graph->bodies == NULL)
		graph->bodies = bodies_create(graph, entity_id, entities, cache_bytes);
	MemoryContextSwitchTo(caller);
}

/* ---- statements -------------------------------------------------------------- */

#define ALL_ATOMS(skeleton) ((1U << (skeleton)->length) - 1)

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
atoms_of_y(const Skeleton *skeleton, Term middle)
{
	unsigned	atoms = 0;
	unsigned	before;

	do
	{
		before = atoms;
		for (int i = 0; i < skeleton->length; i++)
		{
			if (holds_term(skeleton->place[i], TERM_Y))
				atoms |= 1U << i;
			for (int j = 0; j < skeleton->length; j++)
			{
				if ((atoms & (1U << j)) != 0 &&
					share_variable(skeleton->place[j], skeleton->place[i], middle))
					atoms |= 1U << i;
			}
		}
	} while (atoms != before);
	return atoms;
}

static bool
cuts(const Skeleton *skeleton, Term middle)
{
	return skeleton_column(skeleton, atoms_of_y(skeleton, middle), TERM_X) == NULL;
}

/*
 * The variable that joins X's part of the body to Y's: TERM_CONSTANT when they are not
 * joined, TERM_X when no other can be cut out.
 */
static Term
middle_of(const Skeleton *skeleton)
{
	if (cuts(skeleton, TERM_CONSTANT))
		return TERM_CONSTANT;
	for (Term term = TERM_A; skeleton_column(skeleton, ALL_ATOMS(skeleton), term) != NULL; term--)
	{
		if (cuts(skeleton, term))
			return term;
	}
	return TERM_X;
}

/* "a1, c1, a2": what tells bodies apart, for the atoms of a set; each with a prefix before it. */
static char *
keys(const Skeleton *skeleton, unsigned atoms, const char *prefix)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < skeleton->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&list, "%s%sa%d", list.len == 0 ? "" : ", ", prefix, i + 1);
		if (!TERM_IS_VARIABLE(skeleton->place[i].to))
			appendStringInfo(&list, ", %sc%d", prefix, i + 1);
	}
	return list.data;
}

/* Whether the atoms of a set hold another variable than these two. */
static bool
holds_others(const Skeleton *skeleton, unsigned atoms, Term one, Term other)
{
	for (int i = 0; i < skeleton->length; i++)
	{
		Place		place = skeleton->place[i];

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
is_constant(const Skeleton *skeleton, unsigned atoms)
{
	int			last = skeleton->length - 1;

	return atoms == 1U << last && skeleton->place[last].to == TERM_ITSELF;
}

/* The different values of `end` for each key and each value of `middle` (z, if it is a variable). */
static char *
part_sql(const Graph *graph, const Skeleton *skeleton, unsigned atoms, Term end, Term middle)
{
	StringInfoData sql;
	const char *z = TERM_IS_VARIABLE(middle) ? psprintf(", %s as z", skeleton_column(skeleton, atoms, middle)) : "";
	bool		distinct = holds_others(skeleton, atoms, end, middle);

	if (is_constant(skeleton, atoms))
		return psprintf("(select distinct %s, array[c%d] as list from needed)",
						keys(skeleton, atoms, ""), skeleton->length);
	initStringInfo(&sql);
	appendStringInfo(&sql, "(select %s%s, array_agg(term) as list\n"
					 "from (select %s%s%s, %s as term\n"
					 "from (select distinct %s from needed) k",
					 keys(skeleton, atoms, ""), *z ? ", z" : "",
					 distinct ? "distinct " : "", keys(skeleton, atoms, "k."), z,
					 skeleton_column(skeleton, atoms, end), keys(skeleton, atoms, ""));
	appendStringInfoString(&sql, skeleton_joins(graph, skeleton, atoms));
	appendStringInfoString(&sql, "\nwhere true");
	for (int i = 0; i < skeleton->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&sql, " and e%d.atom = k.a%d", i + 1, i + 1);
		if (!TERM_IS_VARIABLE(skeleton->place[i].to))
			appendStringInfo(&sql, " and e%d.y = k.c%d", i + 1, i + 1);
	}
	appendStringInfo(&sql, ") pair\ngroup by %s%s)", keys(skeleton, atoms, ""), *z ? ", z" : "");
	return sql.data;
}

/* "l.a1 = needed.a1 and ..." */
static char *
same_keys(const Skeleton *skeleton, unsigned atoms, const char *part)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < skeleton->length; i++)
	{
		if ((atoms & (1U << i)) == 0)
			continue;
		appendStringInfo(&sql, "%s%s.a%d = needed.a%d", sql.len == 0 ? "" : " and ", part, i + 1, i + 1);
		if (!TERM_IS_VARIABLE(skeleton->place[i].to))
			appendStringInfo(&sql, " and %s.c%d = needed.c%d", part, i + 1, i + 1);
	}
	return sql.data;
}

static char *
needed_sql(const Skeleton *skeleton)
{
	StringInfoData sql;
	int			parameters = 1;

	initStringInfo(&sql);
	for (int i = 0; i < skeleton->length; i++)
		parameters += !TERM_IS_VARIABLE(skeleton->place[i].to) ? 2 : 1;
	appendStringInfoString(&sql, "with needed as materialized (select * from unnest(");
	for (int i = 1; i <= parameters; i++)
		appendStringInfo(&sql, "%s$%d", i == 1 ? "" : ", ", i);
	appendStringInfo(&sql, ") body (body, %s))\n", keys(skeleton, ALL_ATOMS(skeleton), ""));
	return sql.data;
}

/* Rows (body, x of a z, y of a z), body after body */
static char *
bodies_sql(const Graph *graph, const Skeleton *skeleton)
{
	Term		middle = middle_of(skeleton);
	unsigned	right = middle == TERM_X ? ALL_ATOMS(skeleton) : atoms_of_y(skeleton, middle);
	unsigned	left = ALL_ATOMS(skeleton) & ~right;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "%sselect needed.body, %s, r.list\nfrom needed", needed_sql(skeleton),
					 middle == TERM_X ? "array[r.z]" : "l.list");
	if (left != 0)
		appendStringInfo(&sql, "\njoin %s l on %s", part_sql(graph, skeleton, left, TERM_X, middle),
						 same_keys(skeleton, left, "l"));
	appendStringInfo(&sql, "\njoin %s r on %s", part_sql(graph, skeleton, right, TERM_Y, middle),
					 same_keys(skeleton, right, "r"));
	if (left != 0 && TERM_IS_VARIABLE(middle))
		appendStringInfoString(&sql, " and r.z = l.z");
	appendStringInfoString(&sql, "\norder by needed.body");
	return sql.data;
}

/* ---- rectangles ----------------------------------------------------------------- */

static void
hand_out(void *argument, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	Bodies	   *bodies = argument;
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
tell_done(Bodies *bodies, int32 body)
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
keep_record(Bodies *bodies)
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
finish_body(Bodies *bodies)
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
add_list(Bodies *bodies, Datum value, void (*add) (Product *product, int32 row))
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
	Bodies	   *bodies = argument;

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
	int			order = skeleton_compare(&left->skeleton, &right->skeleton);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : (left->body > right->body) - (left->body < right->body);
}

static SqlArgs
needed_args(const Needed *needed, int32 count)
{
	const Skeleton *skeleton = &needed->skeleton;
	int32	   *column = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(int32));
	SqlArgs		args = {0};

	for (int32 i = 0; i < count; i++)
		column[i] = needed[i].body;
	sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
	for (int atom = 0; atom < skeleton->length; atom++)
	{
		for (int32 i = 0; i < count; i++)
			column[i] = needed[i].flesh.atom[atom];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
		if (TERM_IS_VARIABLE(skeleton->place[atom].to))
			continue;
		for (int32 i = 0; i < count; i++)
			column[i] = needed[i].flesh.constant[atom];
		sql_arg(&args, INT4ARRAYOID, array_of_int4(column, count));
	}
	pfree(column);
	return args;
}

/* Bodies of one skeleton. */
static void
evaluate(Bodies *bodies, const Needed *needed, int32 count)
{
	SqlArgs		args = needed_args(needed, count);

	bodies->current = NO_BODY;
	sql_stream(bodies_sql(bodies->graph, &needed->skeleton), &args, take_lists, bodies);
	finish_body(bodies);
	sql_args_free(&args);
}

static void
recall(Bodies *bodies, const CachedBody *cached, int32 body)
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
find_cached(const Bodies *bodies, const Rule *rule)
{
	Rule		key = cache_key(rule);

	return bodies->cache == NULL ? NULL : hash_search(bodies->cache, &key, HASH_FIND, NULL);
}

void
bodies_each(Bodies *bodies, const Rule *const *rules, int32 count, BodiesTake take,
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
			skeleton_of(rules[i], &needed[needs].skeleton, &needed[needs].flesh);
			needed[needs++].body = i;
		}
	}
	qsort(needed, needs, sizeof(Needed), compare_needed);
	for (int32 start = 0; start < needs; start = end)
	{
		for (end = start + 1; end < needs; end++)
			if (skeleton_compare(&needed[start].skeleton, &needed[end].skeleton) != 0)
				break;
		evaluate(bodies, needed + start, end - start);
	}
	pfree(needed);
	plan_end(nest_level);
	MemoryContextSwitchTo(caller);
}
