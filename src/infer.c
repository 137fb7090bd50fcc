/*
 * infer.c
 *		What rules infer beyond the facts (see infer.h).
 *
 * Rules with the same body share one enumeration: the body runs as SQL, its
 * distinct pairs stream through a chunk of bounded size, and for each head over the
 * body the pairs that are facts drop out by a merge with the sorted facts.  What is left
 * goes to a sink: embedding confidence adds up sigma(phi), G_T collects triples.
 *
 * The order in which pairs come is the planner's business, so sums are taken
 * in fixed point, where order does not matter: the same seed gives the same bits.
 *
 * The top K need not see every rule.  Q <= (1 - omega) * SC + omega bounds what a
 * rule can reach, so rules are taken by falling bound, until the K-th best quality is
 * beyond the bound of all the rest.
 */
#include "infer.h"

#include <math.h>

#include "lib/pairingheap.h"
#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "hybridkg.h"
#include "sql.h"

/* pairs that a scan holds at a time */
#define CHUNK_PAIRS (1 << 20)

/* ---- one body, all heads over it ------------------------------------------ */

typedef void (*InferenceSink) (void *argument, int32 position, const KgeTriple *triples, int64 count);

typedef struct BodyScan
{
	const GraphData *data;
	const Rule *const *rules;	/* all of one body */
	const int32 *position;		/* what the sink knows each rule by */
	int32		count;
	InferenceSink sink;
	void	   *argument;
	int64		pairs;
	uint64	   *pair;			/* (row of x) << 32 | row of y */
	KgeTriple  *inferred;		/* room for a chunk */
} BodyScan;

static int
compare_pairs(const void *a, const void *b)
{
	uint64		left = *(const uint64 *) a;
	uint64		right = *(const uint64 *) b;

	return left < right ? -1 : left > right;
}

/* The first fact that is not before (relation, head, tail). */
static int64
first_fact(const GraphData *data, KgeTriple triple)
{
	int64		low = 0;
	int64		high = data->facts;

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;

		if (triple_compare(&data->fact[middle], &triple) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The chunk's sorted pairs as triples of `relation`, without the facts. */
static int64
drop_facts(BodyScan *scan, int32 relation)
{
	const GraphData *data = scan->data;
	KgeTriple	lowest = {(int32) (scan->pair[0] >> 32), relation, (int32) (uint32) scan->pair[0]};
	int64		fact = first_fact(data, lowest);
	int64		count = 0;

	for (int64 i = 0; i < scan->pairs; i++)
	{
		KgeTriple	triple = {(int32) (scan->pair[i] >> 32), relation, (int32) (uint32) scan->pair[i]};

		while (fact < data->facts && triple_compare(&data->fact[fact], &triple) < 0)
			fact++;
		if (fact < data->facts && triple_compare(&data->fact[fact], &triple) == 0)
			continue;
		scan->inferred[count++] = triple;
	}
	return count;
}

static void
pass_chunk(BodyScan *scan)
{
	if (scan->pairs == 0)
		return;
	qsort(scan->pair, scan->pairs, sizeof(uint64), compare_pairs);
	for (int32 i = 0; i < scan->count; i++)
	{
		int32		relation = graph_row(scan->data->relation_id, scan->data->relations,
										 scan->rules[i]->head);
		int64		count = drop_facts(scan, relation);

		CHECK_FOR_INTERRUPTS();
		if (count > 0)
			scan->sink(scan->argument, scan->position[i], scan->inferred, count);
	}
	scan->pairs = 0;
}

static void
take_pair(void *argument, const Datum *values, const bool *nulls)
{
	BodyScan   *scan = argument;
	const GraphData *data = scan->data;
	int32		x = graph_row(data->entity_id, data->entities, DatumGetInt32(values[0]));
	int32		y = graph_row(data->entity_id, data->entities, DatumGetInt32(values[1]));

	/* an entity that another session added after the graph was read */
	if (x < 0 || y < 0)
		return;
	scan->pair[scan->pairs++] = (uint64) x << 32 | (uint32) y;
	if (scan->pairs == CHUNK_PAIRS)
		pass_chunk(scan);
}

static void
scan_body(Graph *graph, BodyScan *scan)
{
	char	   *query = rule_sql_pairs(graph, scan->rules[0]);

	scan->pairs = 0;
	sql_stream(query, SQL_NO_ARGS, take_pair, scan);
	pass_chunk(scan);
	pfree(query);
}

static void
init_scan(BodyScan *scan, const GraphData *data, InferenceSink sink, void *argument)
{
	scan->data = data;
	scan->sink = sink;
	scan->argument = argument;
	scan->pair = MemoryContextAllocHuge(CurrentMemoryContext, CHUNK_PAIRS * sizeof(uint64));
	scan->inferred = MemoryContextAllocHuge(CurrentMemoryContext, CHUNK_PAIRS * sizeof(KgeTriple));
}

static void
free_scan(BodyScan *scan)
{
	pfree(scan->pair);
	pfree(scan->inferred);
}

/* ---- G_T ------------------------------------------------------------------- */

typedef struct Inferred
{
	KgeTriple	triple;
	int32		rule;
} Inferred;

typedef struct Collection
{
	Inferred   *inferred;
	int64		count;
	int64		room;
} Collection;

static void
collect(void *argument, int32 position, const KgeTriple *triples, int64 count)
{
	Collection *collection = argument;

	if (collection->count + count > collection->room)
	{
		collection->room = Max(2 * collection->room, collection->count + count);
		/* what it grows to, and the arrays that it becomes */
		hkg_check_memory(2 * collection->room * sizeof(Inferred),
						 "the set of triples that the selected rules infer");
		collection->inferred = repalloc_huge(collection->inferred,
											 collection->room * sizeof(Inferred));
	}
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
	MemoryContext context = CurrentMemoryContext;
	Inferences *inferences = palloc0(sizeof(Inferences));
	const Inferred *inferred = collection->inferred;
	int64		count = 0;

	for (int64 i = 0; i < collection->count; i++)
		if (i == 0 || triple_compare(&inferred[i - 1].triple, &inferred[i].triple) != 0)
			inferences->count++;
	inferences->triple = MemoryContextAllocHuge(context, Max(inferences->count, 1) * sizeof(KgeTriple));
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
	}
	inferences->first[count] = collection->count;
	return inferences;
}

typedef struct BodyOrder
{
	const Rule *rule;
	int32		position;
} BodyOrder;

static int
compare_body_order(const void *a, const void *b)
{
	const BodyOrder *left = a;
	const BodyOrder *right = b;
	int			order = rule_compare_bodies(left->rule, right->rule);

	if (order != 0)
		return order;
	return left->position < right->position ? -1 : left->position > right->position;
}

/* Runs the scan over every distinct body among the rules. */
static void
scan_bodies(Graph *graph, BodyScan *scan, BodyOrder *order, int32 count)
{
	const Rule **rules = palloc(Max(count, 1) * sizeof(Rule *));
	int32	   *position = palloc(Max(count, 1) * sizeof(int32));
	int32		end;

	qsort(order, count, sizeof(BodyOrder), compare_body_order);
	for (int32 i = 0; i < count; i++)
	{
		rules[i] = order[i].rule;
		position[i] = order[i].position;
	}
	for (int32 start = 0; start < count; start = end)
	{
		for (end = start + 1; end < count; end++)
			if (rule_compare_bodies(rules[start], rules[end]) != 0)
				break;
		scan->rules = rules + start;
		scan->position = position + start;
		scan->count = end - start;
		scan_body(graph, scan);
	}
	pfree(rules);
	pfree(position);
}

Inferences *
infer(Graph *graph, const GraphData *data, const Rule *const *rules, int32 count)
{
	BodyOrder  *order = palloc(Max(count, 1) * sizeof(BodyOrder));
	Collection	collection = {.room = 1024};
	BodyScan	scan;
	Inferences *inferences;

	collection.inferred = palloc(collection.room * sizeof(Inferred));
	init_scan(&scan, data, collect, &collection);
	for (int32 i = 0; i < count; i++)
	{
		order[i].rule = rules[i];
		order[i].position = i;
	}
	scan_bodies(graph, &scan, order, count);
	free_scan(&scan);
	qsort(collection.inferred, collection.count, sizeof(Inferred), compare_inferred);
	inferences = group_by_triple(&collection);
	pfree(collection.inferred);
	pfree(order);
	return inferences;
}

/* ---- embedding confidence ---------------------------------------------------- */

/* sigma in units of 2^-60: 2^67 of them fit */
#define SIGMA_UNIT 0x1p60

typedef struct Confidence
{
	MinedRules *rules;
	const KgeModel *kge;
	KgePool    *pool;
	MemoryContext scratch;		/* what the scorer takes for a chunk */
	float	   *score;			/* room for a chunk */
	uint128    *sum;			/* of sigma, for each rule */
	int64	   *count;			/* predictions, for each rule; -1: not enumerated yet */
} Confidence;

static void
add_confidence(void *argument, int32 position, const KgeTriple *triples, int64 count)
{
	Confidence *confidence = argument;
	MemoryContext caller = MemoryContextSwitchTo(confidence->scratch);
	KgeArena	arena = hkg_arena();
	uint128		sum = 0;

	kge_score_triples(&arena, confidence->pool, confidence->kge, triples, count, confidence->score);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(confidence->scratch);
	for (int64 i = 0; i < count; i++)
	{
		double		sigma = kge_sigmoid(confidence->score[i]);

		/* a model that has diverged to NaN believes nothing */
		if (!isnan(sigma))
			sum += (uint128) (sigma * SIGMA_UNIT);
	}
	confidence->sum[position] += sum;
	confidence->count[position] += count;
}

typedef struct Selection
{
	Graph	   *graph;
	Confidence	confidence;
	BodyScan	scan;
	MinedRules *rules;
	double		omega;
	MinedRule **by_rule;		/* for looking up rules within a rule */
	BodyOrder  *by_body;		/* for finding the rules over one body */
} Selection;

static int
compare_by_rule(const void *a, const void *b)
{
	return rule_compare(&(*(MinedRule *const *) a)->rule, &(*(MinedRule *const *) b)->rule);
}

static void
set_quality(Selection *selection, int32 position)
{
	MinedRule  *rule = &selection->rules->rule[position];
	Confidence *confidence = &selection->confidence;
	double		standard = MINED_STANDARD_CONFIDENCE(rule);

	if (confidence->count[position] == 0)
		rule->quality = standard;
	else
	{
		rule->embedding_confidence = (double) confidence->sum[position] / SIGMA_UNIT /
			(double) confidence->count[position];
		rule->quality = (1 - selection->omega) * standard +
			selection->omega * rule->embedding_confidence;
	}
}

/* Enumerates what the body of rule `position` yields, for all heads over it. */
static void
enumerate(Selection *selection, int32 position)
{
	BodyOrder	key = {&selection->rules->rule[position].rule, 0};
	BodyOrder  *order = selection->by_body;
	int64		low = 0;
	int64		high = selection->rules->count;
	int32		count = 0;
	BodyOrder  *group;

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;

		if (rule_compare_bodies(order[middle].rule, key.rule) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	group = order + low;
	while (low + count < selection->rules->count &&
		   rule_compare_bodies(group[count].rule, key.rule) == 0)
		selection->confidence.count[group[count++].position] = 0;
	scan_bodies(selection->graph, &selection->scan, group, count);
	for (int32 i = 0; i < count; i++)
		set_quality(selection, group[i].position);
}

static double
quality_of(Selection *selection, MinedRule *rule)
{
	int32		position = (int32) (rule - selection->rules->rule);

	if (isnan(rule->quality))
	{
		if (MINED_PREDICTIONS(rule) == 0)
		{
			selection->confidence.count[position] = 0;
			set_quality(selection, position);
		}
		else
			enumerate(selection, position);
	}
	return rule->quality;
}

static MinedRule *
find_rule(Selection *selection, const Rule *rule)
{
	MinedRule	key = {.rule = *rule};
	MinedRule  *pointer = &key;
	MinedRule **found = bsearch(&pointer, selection->by_rule, selection->rules->count,
								sizeof(MinedRule *), compare_by_rule);

	return found == NULL ? NULL : *found;
}

/* Q rises or the rule goes: is it better than every closed rule within it? */
static bool
quality_rises(Selection *selection, MinedRule *rule)
{
	int			length = rule->rule.length;

	for (int subset = 1; subset < (1 << length) - 1; subset++)
	{
		Rule		within = {.head = rule->rule.head};
		MinedRule  *closed;

		for (int i = 0; i < length; i++)
			if (subset & (1 << i))
				within.body[within.length++] = rule->rule.body[i];
		rule_canonicalise(&within);
		closed = find_rule(selection, &within);
		if (closed != NULL && !(quality_of(selection, rule) > quality_of(selection, closed)))
			return false;
	}
	return true;
}

static double
quality_bound(const Selection *selection, const MinedRule *rule)
{
	double		standard = MINED_STANDARD_CONFIDENCE(rule);

	if (MINED_PREDICTIONS(rule) == 0)
		return standard;
	return (1 - selection->omega) * standard + selection->omega;
}

/* Whether a is selected before b: by quality, support, text. */
static bool
is_better(const MinedRule *a, const MinedRule *b)
{
	if (a->quality != b->quality)
		return a->quality > b->quality;
	if (a->support != b->support)
		return a->support > b->support;
	return strcmp(a->text, b->text) < 0;
}

typedef struct RankedRule
{
	pairingheap_node node;
	MinedRule  *rule;
} RankedRule;

/* puts the worst one on top */
static int
compare_ranked(const pairingheap_node *a, const pairingheap_node *b, void *argument)
{
	const RankedRule *left = pairingheap_const_container(RankedRule, node, a);
	const RankedRule *right = pairingheap_const_container(RankedRule, node, b);

	return is_better(left->rule, right->rule) ? -1 : 1;
}

static MinedRule *
worst_of(pairingheap *heap)
{
	return pairingheap_container(RankedRule, node, pairingheap_first(heap))->rule;
}

/*
 * Rules are ordered by standard confidence, and the bound rises with it (all
 * rules that infer anything have the same omega), so they are taken as they stand.
 */
static void
select_top(Selection *selection, int top, double min_quality)
{
	MinedRules *rules = selection->rules;
	pairingheap *heap = pairingheap_allocate(compare_ranked, NULL);
	int			held = 0;

	for (int64 i = 0; i < rules->count; i++)
	{
		MinedRule  *rule = &rules->rule[i];
		double		bound = quality_bound(selection, rule);
		RankedRule *ranked;

		if (MINED_PREDICTIONS(rule) == 0)
			continue;
		if (top == 0 || bound < min_quality || (held == top && worst_of(heap)->quality > bound))
			break;
		if (quality_of(selection, rule) < min_quality || !quality_rises(selection, rule))
			continue;
		ranked = palloc(sizeof(RankedRule));
		ranked->rule = rule;
		pairingheap_add(heap, &ranked->node);
		if (++held > top)
		{
			pairingheap_remove_first(heap);
			held--;
		}
	}
	while (!pairingheap_is_empty(heap))
		pairingheap_container(RankedRule, node, pairingheap_remove_first(heap))->rule->selected = true;
	pairingheap_free(heap);
}

static void
init_confidence(Confidence *confidence, MinedRules *rules, const KgeModel *kge, KgePool *pool)
{
	confidence->rules = rules;
	confidence->kge = kge;
	confidence->pool = pool;
	confidence->scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg scores",
												ALLOCSET_DEFAULT_SIZES);
	confidence->score = palloc(CHUNK_PAIRS * sizeof(float));
	confidence->sum = MemoryContextAllocHuge(CurrentMemoryContext,
											 Max(rules->count, 1) * sizeof(uint128));
	confidence->count = MemoryContextAllocHuge(CurrentMemoryContext,
											   Max(rules->count, 1) * sizeof(int64));
	for (int64 i = 0; i < rules->count; i++)
	{
		confidence->sum[i] = 0;
		confidence->count[i] = -1;
	}
}

static void
init_selection(Selection *selection, MinedRules *rules)
{
	int64		count = rules->count;

	selection->rules = rules;
	selection->by_rule = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(MinedRule *));
	selection->by_body = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(BodyOrder));
	for (int64 i = 0; i < count; i++)
	{
		MinedRule  *rule = &rules->rule[i];

		rule->embedding_confidence = rule->quality = get_float8_nan();
		rule->kept = true;
		rule->selected = false;
		selection->by_rule[i] = rule;
		selection->by_body[i].rule = &rule->rule;
		selection->by_body[i].position = (int32) i;
	}
	qsort(selection->by_rule, count, sizeof(MinedRule *), compare_by_rule);
	qsort(selection->by_body, count, sizeof(BodyOrder), compare_body_order);
}

void
infer_qualities(Graph *graph, const GraphData *data, const KgeModel *kge, KgePool *pool,
				MinedRules *rules, double omega, int top, double min_quality)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg confidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Selection	selection = {.graph = graph,.omega = omega};

	init_confidence(&selection.confidence, rules, kge, pool);
	init_scan(&selection.scan, data, add_confidence, &selection.confidence);
	init_selection(&selection, rules);
	if (top >= 0)
		select_top(&selection, top, min_quality);
	else
		for (int64 i = 0; i < rules->count; i++)
		{
			quality_of(&selection, &rules->rule[i]);
			rules->rule[i].kept = quality_rises(&selection, &rules->rule[i]);
		}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
