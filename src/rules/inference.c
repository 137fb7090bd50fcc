/*
 * inference.c
 *		What rules infer beyond the facts (see inference.h).
 *
 * Rules with the same body share one enumeration of its pairs (body_pairs.c).  For each head over the body the pairs
 * that are facts drop out, x by x: the facts of an x are few, its pairs may be many.
 */
#include "inference.h"

#include "utils/memutils.h"

#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

/* triples that are handed on at a time */
#define CHUNK (1 << 16)

/* ---- rules, body by body ---------------------------------------------------- */

typedef struct Inference
{
	const InferTarget *target;
	int32	   *relation;		/* row of each rule's head */
	const FactIndex *index;
	uint64	   *known;			/* by entity: the serial of the last x and relation that it was a tail of */
	uint64		serial;
	Triple	   *chunk;
	int64		chunk_count;
} Inference;

static void
flush_chunk(Inference *inference, int32 rule)
{
	if (inference->chunk_count > 0)
		inference->target->take(inference->target->argument, rule, inference->chunk, inference->chunk_count);
	inference->chunk_count = 0;
}

/* What x yields for one rule: facts, or what is beyond them */
static void
infer_x(Inference *inference, int32 rule, int32 x, const EvRectangle *pairs)
{
	int32		relation = inference->relation[rule];
	FactGroup	group = fact_group(inference->index, x, FORWARDS(relation));

	hkg_check_interrupts();
	inference->serial++;
	for (int64 i = group.first; i < group.end; i++)
		inference->known[inference->index->edge[i].other] = inference->serial;
	for (int32 i = 0; i < pairs->y_count; i++)
	{
		inference->chunk[inference->chunk_count] = (Triple) {x, relation, pairs->y[i]};
		inference->chunk_count += (inference->known[pairs->y[i]] == inference->serial) == inference->target->facts;
		if (inference->chunk_count == CHUNK)
			flush_chunk(inference, rule);
	}
}

static void
take_pairs(void *argument, const BodyRules *rules, const EvRectangle *pairs)
{
	Inference  *inference = argument;
	const InferTarget *target = inference->target;

	for (int32 i = 0; i < rules->count; i++)
	{
		int32		rule = rules->rule[i];

		if (target->wanted != NULL && !target->wanted(target->argument, rule))
			continue;
		for (int32 j = 0; j < pairs->x_count; j++)
			infer_x(inference, rule, pairs->x[j], pairs);
		flush_chunk(inference, rule);
	}
}

static void
end_body(void *argument, const BodyRules *rules)
{
	const InferTarget *target = ((Inference *) argument)->target;

	if (target->done != NULL)
		target->done(target->argument);
}

void
infer_each(BodyPairs *pairs, const GraphData *data, const Rule *const *rules, int32 count,
		   const InferTarget *target)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg inference",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Inference	inference = {.target = target};

	inference.relation = array_new(int32, count);
	inference.index = body_pairs_index(pairs);
	inference.known = array_new_zero(uint64, data->entities);
	inference.chunk = array_new(Triple, CHUNK);
	for (int32 i = 0; i < count; i++)
		inference.relation[i] = graph_row(data->relation_id, data->relations, rules[i]->head);
	MemoryContextSwitchTo(caller);
	body_pairs_each(pairs, rules, count, &(PairsTarget) {take_pairs, end_body, &inference});
	MemoryContextDelete(context);
}

/* ---- G_T ------------------------------------------------------------------- */

typedef struct Inferred
{
	Triple		triple;
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

	if (order != 0)
		return order;
	return left->rule < right->rule ? -1 : left->rule > right->rule;
}

static Inferences *
group_by_triple(const Collection *collection)
{
	Inferences *inferences = palloc0(sizeof(Inferences));
	const Inferred *inferred = collection->inferred;
	int64		count = 0;

	for (int64 i = 0; i < collection->count; i++)
	{
		hkg_check_interrupts();
		inferences->count += i == 0 || triple_compare(&inferred[i - 1].triple, &inferred[i].triple) != 0;
	}
	inferences->triple = array_new(Triple, inferences->count);
	inferences->first = array_new(int64, inferences->count + 1);
	inferences->rule = array_new(int32, collection->count);
	for (int64 i = 0; i < collection->count; i++)
	{
		if (i == 0 || triple_compare(&inferred[i - 1].triple, &inferred[i].triple) != 0)
		{
			inferences->triple[count] = inferred[i].triple;
			inferences->first[count++] = i;
		}
		inferences->rule[i] = inferred[i].rule;
		hkg_check_interrupts();
	}
	inferences->first[count] = collection->count;
	return inferences;
}

Inferences *
infer(BodyPairs *pairs, const GraphData *data, const Rule *const *rules, int32 count, bool facts)
{
	Collection	collection = {0};
	InferTarget target = {.take = collect,.facts = facts,.argument = &collection};
	Inferences *inferences;

	collection.inferred = array_reserve(NULL, 1, &collection.room, sizeof(Inferred));
	infer_each(pairs, data, rules, count, &target);
	sort_array(hkg_leader(), POOL_LEADER, collection.inferred, collection.count, sizeof(Inferred), compare_inferred);
	inferences = group_by_triple(&collection);
	pfree(collection.inferred);
	return inferences;
}
