/*
 * body_pairs.c
 *		The pairs (x, y) that the bodies of many rules yield (see body_pairs.h).
 *
 * Rules with one body share its evaluation.  Bodies of one form share a statement (rule_sql_products).  All pairs of
 * all bodies together can be a thousand times the facts, so the statement returns products, and product.c multiplies.
 */
#include "body_pairs.h"

#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "rule_sql.h"
#include "server/growing_array.h"
#include "server/planner.h"
#include "server/sql.h"
#include "server/host.h"

typedef struct CachedBody
{
	Rule		body;			/* the key; its head is 0 */
	int32	   *rectangles;		/* x_count, y_count, the x, the y; and so on */
	int64		length;
} CachedBody;

/* A body to be evaluated */
typedef struct NeededBody
{
	Rule		form;
	const Rule *body;
	BodyRules	rules;
} NeededBody;

struct BodyPairs
{
	MemoryContext context;
	Graph	   *graph;
	const GraphData *data;
	Product    *product;

	HTAB	   *cache;			/* NULL without one */
	int64		cache_room;		/* bytes left */
	Numbers		record;			/* rectangles of the current body, for the cache */
	bool		recording;

	/* one call of body_pairs_each */
	const PairsTarget *target;
	MemoryContext caller;
	const NeededBody *needed;	/* the bodies of one statement */
	const NeededBody *current;	/* NULL: none yet */
};

BodyPairs *
body_pairs_create(Graph *graph, const GraphData *data, int64 cache_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg bodies",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	BodyPairs  *pairs = palloc0(sizeof(BodyPairs));

	pairs->context = context;
	pairs->graph = graph;
	pairs->data = data;
	pairs->product = product_create(data->entities);
	if (cache_bytes > 0)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Rule);
		control.entrysize = sizeof(CachedBody);
		control.hcxt = context;
		pairs->cache = hash_create("hybridkg bodies", 1024, &control,
								   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		pairs->cache_room = cache_bytes;
	}
	MemoryContextSwitchTo(caller);
	return pairs;
}

/* ---- cache --------------------------------------------------------------------- */

static Rule
cache_key(const Rule *rule)
{
	Rule		key = *rule;

	key.head = 0;
	return key;
}

static const CachedBody *
find_cached(const BodyPairs *pairs, const Rule *rule)
{
	Rule		key = cache_key(rule);

	return pairs->cache == NULL ? NULL : hash_search(pairs->cache, &key, HASH_FIND, NULL);
}

/* Adds a rectangle to the record of the current body, or gives it up when the cache has no room for it. */
static void
record_rectangle(BodyPairs *pairs, const Rectangle *rectangle)
{
	Numbers    *record = &pairs->record;
	int64		length = 2 + (int64) rectangle->x_count + rectangle->y_count;

	if ((record->count + length) * (int64) sizeof(int32) > pairs->cache_room)
	{
		pairs->recording = false;
		return;
	}
	numbers_reserve(record, record->count + length);
	record->value[record->count++] = rectangle->x_count;
	record->value[record->count++] = rectangle->y_count;
	memcpy(record->value + record->count, rectangle->x, rectangle->x_count * sizeof(int32));
	record->count += rectangle->x_count;
	memcpy(record->value + record->count, rectangle->y, rectangle->y_count * sizeof(int32));
	record->count += rectangle->y_count;
}

static void
keep_record(BodyPairs *pairs)
{
	Rule		key = cache_key(pairs->current->body);
	CachedBody *cached = hash_search(pairs->cache, &key, HASH_ENTER, NULL);
	Size		bytes = Max(pairs->record.count, 1) * sizeof(int32);

	cached->length = pairs->record.count;
	cached->rectangles = MemoryContextAllocHuge(pairs->context, bytes);
	memcpy(cached->rectangles, pairs->record.value, pairs->record.count * sizeof(int32));
	pairs->cache_room -= bytes + sizeof(CachedBody);
}

/* ---- one body -------------------------------------------------------------------- */

static void
hand_out(void *argument, const Rectangle *rectangle)
{
	BodyPairs  *pairs = argument;

	if (pairs->recording)
		record_rectangle(pairs, rectangle);
	MemoryContextSwitchTo(pairs->caller);
	pairs->target->take(pairs->target->argument, &pairs->current->rules, rectangle);
	MemoryContextSwitchTo(pairs->context);
}

static void
end_body(BodyPairs *pairs)
{
	hkg_check_interrupts();
	MemoryContextSwitchTo(pairs->caller);
	if (pairs->target->done != NULL)
		pairs->target->done(pairs->target->argument, &pairs->current->rules);
	MemoryContextSwitchTo(pairs->context);
	pairs->current = NULL;
}

/* The rows of the current body have all come: multiplies them. */
static void
multiply_body(BodyPairs *pairs)
{
	if (pairs->current == NULL)
		return;
	pairs->record.count = 0;
	pairs->recording = pairs->cache != NULL;
	product_each(pairs->product, hand_out, pairs);
	product_clear(pairs->product);
	if (pairs->recording)
		keep_record(pairs);
	end_body(pairs);
}

static void
recall_body(BodyPairs *pairs, const NeededBody *needed, const CachedBody *cached)
{
	const int32 *at = cached->rectangles;

	pairs->recording = false;
	pairs->current = needed;
	while (at < cached->rectangles + cached->length)
	{
		Rectangle	rectangle = {.x = at + 2,.x_count = at[0],.y = at + 2 + at[0],.y_count = at[1]};

		hand_out(pairs, &rectangle);
		at = rectangle.y + rectangle.y_count;
	}
	end_body(pairs);
}

/* ---- the bodies of one form --------------------------------------------------------- */

/* Adds the entities of an array; those without a row drop out. */
static void
add_list(BodyPairs *pairs, Datum value, void (*add) (Product *product, int32 row))
{
	ArrayType  *list = DatumGetArrayTypeP(value);
	const int32 *id = (const int32 *) ARR_DATA_PTR(list);

	for (int i = 0; i < ARR_DIMS(list)[0]; i++)
	{
		int32		row = graph_row(pairs->data->entity_id, pairs->data->entities, id[i]);

		if (row >= 0)
			add(pairs->product, row);
	}
	if ((Pointer) list != DatumGetPointer(value))
		pfree(list);
}

/* A row (number of the body, x, y) */
static void
take_lists(void *argument, const Datum *values, const bool *nulls)
{
	BodyPairs  *pairs = argument;
	const NeededBody *body = &pairs->needed[DatumGetInt32(values[0])];

	if (pairs->current != body)
	{
		multiply_body(pairs);
		pairs->current = body;
	}
	product_next(pairs->product);
	add_list(pairs, values[1], product_add_left);
	add_list(pairs, values[2], product_add_right);
}

static void
evaluate(BodyPairs *pairs, const NeededBody *needed, int32 count)
{
	const Rule **body = array_new(const Rule *, count);
	SqlArgs		args;

	for (int32 i = 0; i < count; i++)
		body[i] = needed[i].body;
	args = rule_sql_bodies(body, count);
	pfree(body);
	pairs->needed = needed;
	pairs->current = NULL;
	sql_stream(rule_sql_products(pairs->graph, &needed->form), &args, take_lists, pairs);
	multiply_body(pairs);
	sql_args_free(&args);
}

/* ---- the bodies of many rules --------------------------------------------------------- */

typedef struct NumberedRule
{
	const Rule *rule;
	int32		number;
} NumberedRule;

static int
compare_by_body(const void *a, const void *b)
{
	const NumberedRule *left = a;
	const NumberedRule *right = b;
	int			order = rule_compare_bodies(left->rule, right->rule);

	hkg_check_interrupts();
	return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

/* Numbers of the rules, those over one body together, in `order`; returns the bodies, and how many. */
static NeededBody *
group_by_body(const Rule *const *rules, int32 count, int32 *order, int32 *bodies)
{
	NumberedRule *sorted = array_new(NumberedRule, count);
	NeededBody *body = array_new(NeededBody, count);

	for (int32 i = 0; i < count; i++)
		sorted[i] = (NumberedRule) {rules[i], i};
	qsort(sorted, count, sizeof(NumberedRule), compare_by_body);
	*bodies = 0;
	for (int32 i = 0; i < count; i++)
	{
		order[i] = sorted[i].number;
		if (i == 0 || rule_compare_bodies(sorted[i - 1].rule, sorted[i].rule) != 0)
			body[(*bodies)++] = (NeededBody) {rule_form(sorted[i].rule), sorted[i].rule, {&order[i], 0}};
		body[*bodies - 1].rules.count++;
	}
	pfree(sorted);
	return body;
}

static int
compare_by_form(const void *a, const void *b)
{
	const NeededBody *left = a;
	const NeededBody *right = b;
	int			order = memcmp(&left->form, &right->form, sizeof(Rule));

	hkg_check_interrupts();
	return order != 0 ? order : (left->rules.rule > right->rules.rule) - (left->rules.rule < right->rules.rule);
}

/* Hands out the bodies that are in the cache; returns how many are left, at the array's begin. */
static int32
recall_bodies(BodyPairs *pairs, NeededBody *body, int32 count)
{
	int32		left = 0;

	for (int32 i = 0; i < count; i++)
	{
		const CachedBody *cached = find_cached(pairs, body[i].body);

		if (cached != NULL)
			recall_body(pairs, &body[i], cached);
		else
			body[left++] = body[i];
	}
	return left;
}

static void
evaluate_bodies(BodyPairs *pairs, NeededBody *body, int32 count)
{
	int			nest_level = plan_begin();
	int32		end;

	qsort(body, count, sizeof(NeededBody), compare_by_form);
	for (int32 start = 0; start < count; start = end)
	{
		for (end = start + 1; end < count; end++)
			if (memcmp(&body[start].form, &body[end].form, sizeof(Rule)) != 0)
				break;
		evaluate(pairs, body + start, end - start);
	}
	plan_end(nest_level);
}

void
body_pairs_each(BodyPairs *pairs, const Rule *const *rules, int32 count, const PairsTarget *target)
{
	int32	   *order;
	NeededBody *body;
	int32		bodies;

	if (count == 0)
		return;
	pairs->target = target;
	pairs->caller = MemoryContextSwitchTo(pairs->context);
	order = array_new(int32, count);
	body = group_by_body(rules, count, order, &bodies);
	evaluate_bodies(pairs, body, recall_bodies(pairs, body, bodies));
	pfree(body);
	pfree(order);
	MemoryContextSwitchTo(pairs->caller);
}
