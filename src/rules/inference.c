/*
 * inference.c
 *		What rules infer beyond the facts (see inference.h).
 *
 * Rules with the same body share one enumeration of its pairs (body_pairs.c).  For
 * each head over the body the facts drop out, x by x: the tails of x's facts are
 * stamped, and a pair whose y has the stamp is known.
 */
#include "inference.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "server/host.h"
#include "server/growing_array.h"

/* triples that are handed on at a time */
#define CHUNK (1 << 16)

/* ---- rules, body by body ---------------------------------------------------- */

typedef struct Inference
{
	const GraphData *data;
	const InferTarget *target;
	const Rule *const *rules;
	int32	   *order;			/* numbers of rules, by body */
	int32	   *first;			/* position in it of the first rule of each body; and the end */
	int32	   *relation;		/* row of each rule's head */
	int64	   *start;			/* by relation: its first fact; and the end */
	uint64	   *stamp;			/* by entity: the serial of the last x that it is a known tail of */
	uint64		serial;
	Triple  *chunk;
	int64		chunk_count;
} Inference;

typedef struct BodyOrder
{
	const Rule *rule;
	int32		number;
} BodyOrder;

static int
compare_body_order(const void *a, const void *b)
{
	const BodyOrder *left = a;
	const BodyOrder *right = b;
	int			order = rule_compare_bodies(left->rule, right->rule);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

/* Stamps the tails of the facts (x, relation, ?). */
static void
stamp_facts(Inference *inference, int32 relation, int32 x)
{
	const Triple *fact = inference->data->fact;
	int64		end = inference->start[relation + 1];

	inference->serial++;
	for (int64 i = facts_of_head(fact, inference->start[relation], end, x); i < end && fact[i].head == x; i++)
		inference->stamp[fact[i].tail] = inference->serial;
}

static void
hand_on(Inference *inference, int32 rule)
{
	if (inference->chunk_count > 0)
		inference->target->take(inference->target->argument, rule, inference->chunk, inference->chunk_count);
	inference->chunk_count = 0;
}

/* What x yields for one rule, without the facts */
static void
infer_x(Inference *inference, int32 rule, int32 x, const int32 *y, int32 y_count)
{
	int32		relation = inference->relation[rule];

	stamp_facts(inference, relation, x);
	for (int32 i = 0; i < y_count; i++)
	{
		inference->chunk[inference->chunk_count] = (Triple) {x, relation, y[i]};
		inference->chunk_count += inference->stamp[y[i]] != inference->serial;
		if (inference->chunk_count == CHUNK)
			hand_on(inference, rule);
	}
	CHECK_FOR_INTERRUPTS();
}

static void
take_rectangle(void *argument, int32 body, const int32 *x, int32 x_count, const int32 *y, int32 y_count)
{
	Inference  *inference = argument;
	const InferTarget *target = inference->target;

	for (int32 i = inference->first[body]; i < inference->first[body + 1]; i++)
	{
		int32		rule = inference->order[i];

		if (target->wanted != NULL && !target->wanted(target->argument, rule))
			continue;
		for (int32 j = 0; j < x_count; j++)
			infer_x(inference, rule, x[j], y, y_count);
		hand_on(inference, rule);
	}
}

static void
finish_rules(void *argument, int32 body)
{
	Inference  *inference = argument;
	const InferTarget *target = inference->target;
	int32		first = inference->first[body];

	if (target->done != NULL)
		target->done(target->argument, &inference->order[first], inference->first[body + 1] - first);
}

/* Fills order and first; returns the bodies, and how many. */
static const Rule **
group_by_body(Inference *inference, int32 count, int32 *bodies)
{
	BodyOrder  *order = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(BodyOrder));
	const Rule **body = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(Rule *));

	for (int32 i = 0; i < count; i++)
		order[i] = (BodyOrder) {inference->rules[i], i};
	qsort(order, count, sizeof(BodyOrder), compare_body_order);
	*bodies = 0;
	for (int32 i = 0; i < count; i++)
	{
		inference->order[i] = order[i].number;
		if (i > 0 && rule_compare_bodies(order[i - 1].rule, order[i].rule) == 0)
			continue;
		inference->first[*bodies] = i;
		body[(*bodies)++] = order[i].rule;
	}
	inference->first[*bodies] = count;
	pfree(order);
	return body;
}

void
infer_each(BodyPairs *bodies, const GraphData *data, const Rule *const *rules, int32 count,
		   const InferTarget *target)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg inference",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Inference	inference = {.data = data,.target = target,.rules = rules};
	const Rule **body;
	int32		body_count;

	inference.order = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(int32));
	inference.first = MemoryContextAllocHuge(context, ((Size) count + 1) * sizeof(int32));
	inference.relation = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(int32));
	inference.start = facts_by_relation(data->fact, data->facts, data->relations);
	inference.stamp = MemoryContextAllocExtended(context, Max(data->entities, 1) * sizeof(uint64),
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	inference.chunk = MemoryContextAllocHuge(context, (CHUNK + 1) * sizeof(Triple));
	for (int32 i = 0; i < count; i++)
		inference.relation[i] = graph_row(data->relation_id, data->relations, rules[i]->head);
	body = group_by_body(&inference, count, &body_count);
	MemoryContextSwitchTo(caller);
	body_pairs_each(bodies, body, body_count, take_rectangle, finish_rules, &inference);
	MemoryContextDelete(context);
}

/* ---- G_T ------------------------------------------------------------------- */

typedef struct Inferred
{
	Triple	triple;
	int32		rule;
} Inferred;

typedef struct Collection
{
	Inferred   *inferred;
	int64		count;
	int64		room;
} Collection;

static void
collect(void *argument, int32 position, const Triple *triples, int64 count)
{
	Collection *collection = argument;

	/* what it grows to, and the arrays that it becomes */
	if (collection->count + count > collection->room)
		hkg_check_memory(2 * Max(2 * collection->room, collection->count + count) * sizeof(Inferred),
						 "the set of triples that the selected rules infer");
	collection->inferred = array_reserve(collection->inferred, collection->count + count, &collection->room,
										 sizeof(Inferred));
	for (int64 i = 0; i < count; i++)
	{
		collection->inferred[collection->count].triple = triples[i];
		collection->inferred[collection->count++].rule = position;
	}
}

static int
compare_inferred(const void *a, const void *b)
{
	const Inferred *left = a;
	const Inferred *right = b;
	int			order = triple_compare(&left->triple, &right->triple);

	CHECK_FOR_INTERRUPTS();
	if (order != 0)
		return order;
	return left->rule < right->rule ? -1 : left->rule > right->rule;
}

static Inferences *
group_by_triple(const Collection *collection)
{
	MemoryContext context = CurrentMemoryContext;
	Inferences *inferences = palloc0(sizeof(Inferences));
	const Inferred *inferred = collection->inferred;
	int64		count = 0;

	for (int64 i = 0; i < collection->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		inferences->count += i == 0 || triple_compare(&inferred[i - 1].triple, &inferred[i].triple) != 0;
	}
	inferences->triple = MemoryContextAllocHuge(context, Max(inferences->count, 1) * sizeof(Triple));
	inferences->first = MemoryContextAllocHuge(context, (inferences->count + 1) * sizeof(int64));
	inferences->rule = MemoryContextAllocHuge(context, Max(collection->count, 1) * sizeof(int32));
	for (int64 i = 0; i < collection->count; i++)
	{
		if (i == 0 || triple_compare(&inferred[i - 1].triple, &inferred[i].triple) != 0)
		{
			inferences->triple[count] = inferred[i].triple;
			inferences->first[count++] = i;
		}
		inferences->rule[i] = inferred[i].rule;
		CHECK_FOR_INTERRUPTS();
	}
	inferences->first[count] = collection->count;
	return inferences;
}

Inferences *
infer(BodyPairs *bodies, const GraphData *data, const Rule *const *rules, int32 count)
{
	Collection	collection = {0};
	InferTarget target = {.take = collect,.argument = &collection};
	Inferences *inferences;

	collection.inferred = array_reserve(NULL, 1, &collection.room, sizeof(Inferred));
	infer_each(bodies, data, rules, count, &target);
	qsort(collection.inferred, collection.count, sizeof(Inferred), compare_inferred);
	inferences = group_by_triple(&collection);
	pfree(collection.inferred);
	return inferences;
}
