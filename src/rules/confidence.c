/*
 * confidence.c
 *		Embedding confidence and quality of mined rules, and the K best of them
 *		(see confidence.h).
 *
 * What the rules infer is scored in blocks, many rules at a time.  The order in which
 * it comes is the planner's business, so sums are taken in fixed point, where order does
 * not matter: the same seed gives the same bits.  A sample of a rule's predictions is
 * those with the least hashes, for the same reason.
 *
 * The top K need not see every rule.  Q <= (1 - omega) * SC + omega bounds what a
 * rule can reach, so rules are rated in batches by falling bound, until the K-th best
 * quality is beyond the bound of all the rest.  And within a batch a rule is given up as soon as
 * it would fall short of the K-th best even if all that is left of it were certain.
 */
#include "confidence.h"

#include <math.h>

#include "lib/pairingheap.h"
#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "server/host.h"
#include "inference.h"
#include "server/growing_array.h"

/* triples that are scored at a time, and rules of the first batch */
#define BLOCK (1 << 19)
#define FIRST_BATCH 1000
#define BATCH_GROWTH 4

/* sigma in units of 2^-60: 2^67 of them fit */
#define SIGMA_UNIT 0x1p60

/* Triples of one rule, up to the next segment, in the block */
typedef struct Segment
{
	int32		position;		/* of the rule */
	int32		start;
} Segment;

/* A prediction that may become part of a rule's sample */
typedef struct Draw
{
	int32		position;
	uint64		hash;
	Triple	triple;
} Draw;

/* What was scored of a rule */
typedef struct Sums
{
	uint128		sigma;
	uint128		square;			/* of sigma */
	int64		count;
} Sums;

typedef struct Selection
{
	BodyPairs	   *bodies;
	const GraphData *data;
	const KgeModel *kge;
	Pool    *pool;
	MinedRules *rules;
	const Rating *rating;
	MinedRule **by_rule;		/* for looking up rules within a rule */

	Sums	   *sums;			/* by position */
	bool	   *failed;			/* given up, or asked for already */

	/* a batch */
	int32	   *batch;			/* positions */
	int32		batch_count;
	double		least_quality;	/* that counts; -1 when every rule is rated to its end */

	/* a block */
	MemoryContext scratch;		/* what the scorer takes for it */
	Triple  *triple;
	float	   *score;
	int32		triples;
	Segment    *segment;
	int32		segments;
	int64		segment_room;

	Draw	   *draw;			/* of the rules over one body */
	int64		draws;
	int64		draw_room;

	pairingheap *heap;			/* the best so far, the worst of them first */
	int			held;
} Selection;

static inline double
bound_of(const Selection *selection, const MinedRule *rule)
{
	double		omega = selection->rating->omega;
	double		standard = MINED_STANDARD_CONFIDENCE(rule);

	return MINED_PREDICTIONS(rule) == 0 ? standard : (1 - omega) * standard + omega;
}

/* ---- scores --------------------------------------------------------------------- */

static void
add_scores(Selection *selection, const Segment *segment, int32 end)
{
	Sums	   *sums = &selection->sums[segment->position];

	for (int32 i = segment->start; i < end; i++)
	{
		double		sigma = kge_sigmoid(selection->score[i]);

		/* a model that has diverged to NaN believes nothing */
		if (isnan(sigma))
			continue;
		sums->sigma += (uint64) (sigma * SIGMA_UNIT);
		sums->square += (uint64) (sigma * sigma * SIGMA_UNIT);
	}
	sums->count += end - segment->start;
}

/* Gives the rule up when it can't reach the least quality that counts any more. */
static void
give_up_early(Selection *selection, int32 position)
{
	const MinedRule *rule = &selection->rules->rule[position];
	const Sums *sums = &selection->sums[position];
	double		all = (double) MINED_PREDICTIONS(rule);
	double		most = ((double) sums->sigma / SIGMA_UNIT + (all - (double) sums->count)) / all;
	double		omega = selection->rating->omega;

	if ((1 - omega) * MINED_STANDARD_CONFIDENCE(rule) + omega * most < selection->least_quality - 1e-9)
		selection->failed[position] = true;
}

static void
score_block(Selection *selection)
{
	MemoryContext caller = MemoryContextSwitchTo(selection->scratch);
	Arena	arena = hkg_arena();

	if (selection->triples > 0)
		kge_score_triples(&arena, selection->pool, selection->kge, selection->triple,
						  selection->triples, selection->score);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(selection->scratch);
	for (int32 i = 0; i < selection->segments; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_scores(selection, &selection->segment[i],
				   i + 1 < selection->segments ? selection->segment[i + 1].start : selection->triples);
		if (selection->least_quality >= 0)
			give_up_early(selection, selection->segment[i].position);
	}
	selection->triples = 0;
	selection->segments = 0;
}

static void
add_to_block(Selection *selection, int32 position, const Triple *triples, int64 count)
{
	while (count > 0)
	{
		int64		fit = Min(count, BLOCK - selection->triples);

		selection->segment = array_reserve(selection->segment, selection->segments + 1,
										   &selection->segment_room, sizeof(Segment));
		selection->segment[selection->segments++] = (Segment) {position, selection->triples};
		memcpy(selection->triple + selection->triples, triples, fit * sizeof(Triple));
		selection->triples += fit;
		triples += fit;
		count -= fit;
		if (selection->triples == BLOCK)
			score_block(selection);
	}
}

/* ---- samples ---------------------------------------------------------------------- */

static bool
is_sampled(const Selection *selection, int32 position)
{
	int			sample = selection->rating->sample;

	return sample > 0 && MINED_PREDICTIONS(&selection->rules->rule[position]) > sample;
}

/* The finaliser of MurmurHash3 */
static inline uint64
mix(uint64 hash)
{
	hash = (hash ^ (hash >> 33)) * UINT64CONST(0xff51afd7ed558ccd);
	hash = (hash ^ (hash >> 33)) * UINT64CONST(0xc4ceb9fe1a85ec53);
	return hash ^ (hash >> 33);
}

/* The ids of the triple, hashed: the same in any order of arrival and in any session */
static uint64
hash_triple(const Selection *selection, Triple triple)
{
	const GraphData *data = selection->data;
	uint64		pair = (uint64) (uint32) data->entity_id[triple.head] << 32 |
		(uint32) data->entity_id[triple.tail];

	return mix(pair ^ mix((uint32) data->relation_id[triple.relation] + UINT64CONST(1)));
}

/*
 * Takes what may be among the `sample` least hashes: those below a bound that, but
 * for one case in 10^15, leaves enough.
 */
static void
draw_from(Selection *selection, int32 position, const Triple *triples, int64 count)
{
	double		sample = selection->rating->sample;
	double		all = (double) MINED_PREDICTIONS(&selection->rules->rule[position]);
	double		part = Min(1, (sample + 8 * sqrt(sample) + 32) / all);
	uint64		bound = part >= 1 ? PG_UINT64_MAX : (uint64) (part * 0x1p64);

	for (int64 i = 0; i < count; i++)
	{
		uint64		hash = hash_triple(selection, triples[i]);

		if (hash > bound)
			continue;
		if (selection->draws % BLOCK == 0)
			hkg_check_memory(3 * selection->draws * sizeof(Draw), "a sample of predictions");
		selection->draw = array_reserve(selection->draw, selection->draws + 1,
										&selection->draw_room, sizeof(Draw));
		selection->draw[selection->draws++] = (Draw) {position, hash, triples[i]};
	}
}

static int
compare_draws(const void *a, const void *b)
{
	const Draw *left = a;
	const Draw *right = b;

	CHECK_FOR_INTERRUPTS();
	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return triple_compare(&left->triple, &right->triple);
}

/* All rules over a body are complete: the first draws of each are scored. */
static void
take_draws(void *argument)
{
	Selection  *selection = argument;
	int64		first = 0;

	qsort(selection->draw, selection->draws, sizeof(Draw), compare_draws);
	for (int64 i = 0; i < selection->draws; i++)
	{
		const Draw *draw = &selection->draw[i];

		if (draw->position != selection->draw[first].position)
			first = i;
		if (i - first < selection->rating->sample)
			add_to_block(selection, draw->position, &draw->triple, 1);
	}
	selection->draws = 0;
}

/* ---- a batch of rules ---------------------------------------------------------------- */

static void
take_inferred(void *argument, int32 rule, const Triple *triples, int64 count)
{
	Selection  *selection = argument;
	int32		position = selection->batch[rule];

	if (is_sampled(selection, position))
		draw_from(selection, position, triples, count);
	else
		add_to_block(selection, position, triples, count);
}

static bool
is_wanted(void *argument, int32 rule)
{
	Selection  *selection = argument;

	return !selection->failed[selection->batch[rule]];
}

/* The standard error of a mean over `count` of `all`, drawn without replacement */
static double
standard_error(const Sums *sums, double mean, double all)
{
	double		count = (double) sums->count;
	double		variance = (double) sums->square / SIGMA_UNIT / count - mean * mean;

	return sqrt(Max(variance, 0) / (count - 1) * (1 - count / all));
}

static void
set_quality(Selection *selection, int32 position)
{
	MinedRule  *rule = &selection->rules->rule[position];
	const Sums *sums = &selection->sums[position];
	double		omega = selection->rating->omega;
	double		standard = MINED_STANDARD_CONFIDENCE(rule);
	double		mean;

	if (sums->count == 0)
	{
		rule->quality = standard;
		return;
	}
	mean = (double) sums->sigma / SIGMA_UNIT / (double) sums->count;
	rule->embedding_confidence = mean;
	rule->confidence_error = is_sampled(selection, position) ?
		standard_error(sums, mean, (double) MINED_PREDICTIONS(rule)) : 0;
	rule->quality = (1 - omega) * standard + omega * mean;
}

/* Rates the batch; rules that can't reach least_quality stay without a quality. */
static void
rate_batch(Selection *selection)
{
	int32		count = selection->batch_count;
	const Rule **rules = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(Rule *));
	InferTarget target = {take_inferred, take_draws, is_wanted, selection};

	for (int32 i = 0; i < count; i++)
	{
		int32		position = selection->batch[i];

		rules[i] = &selection->rules->rule[position].rule;
		selection->sums[position] = (Sums) {0};
		selection->failed[position] = false;
	}
	if (selection->rating->sample == 0)
		target.done = NULL;
	if (count > 0)
		infer_each(selection->bodies, selection->data, rules, count, &target);
	score_block(selection);
	for (int32 i = 0; i < count; i++)
	{
		if (!selection->failed[selection->batch[i]])
			set_quality(selection, selection->batch[i]);
	}
	selection->batch_count = 0;
	pfree(rules);
}

/* ---- rules within a rule ---------------------------------------------------------------- */

static int
compare_by_rule(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return rule_compare(&(*(MinedRule *const *) a)->rule, &(*(MinedRule *const *) b)->rule);
}

static MinedRule *
find_rule(const Selection *selection, const Rule *rule)
{
	MinedRule	key = {.rule = *rule};
	MinedRule  *pointer = &key;
	MinedRule **found = bsearch(&pointer, selection->by_rule, selection->rules->count,
								sizeof(MinedRule *), compare_by_rule);

	return found == NULL ? NULL : *found;
}

/* The closed rule of some of a rule's atoms; NULL where there is none over the bounds. */
static MinedRule *
rule_within(const Selection *selection, const MinedRule *rule, int subset)
{
	Rule		within = {.head = rule->rule.head};

	for (int i = 0; i < rule->rule.length; i++)
	{
		if (subset & (1 << i))
			within.body[within.length++] = rule->rule.body[i];
	}
	rule_canonicalise(&within);
	return find_rule(selection, &within);
}

#define EACH_SUBSET(subset, rule) \
	(int subset = 1; subset < (1 << (rule)->rule.length) - 1; subset++)

/* Adds to the batch the rules within this one whose quality has to be known to judge it. */
static void
want_rules_within(Selection *selection, const MinedRule *rule)
{
	for EACH_SUBSET(subset, rule)
	{
		MinedRule  *within = rule_within(selection, rule, subset);
		int32		position;

		if (within == NULL || !isnan(within->quality) || bound_of(selection, within) < rule->quality)
			continue;
		position = (int32) (within - selection->rules->rule);
		if (MINED_PREDICTIONS(within) == 0)
		{
			selection->sums[position] = (Sums) {0};
			set_quality(selection, position);
		}
		else
		{
			/* a place holder, until it is rated */
			within->quality = 2;
			selection->batch[selection->batch_count++] = position;
		}
	}
}

/* Q rises or the rule goes: is it better than every closed rule within it? */
static bool
quality_rises(const Selection *selection, const MinedRule *rule)
{
	for EACH_SUBSET(subset, rule)
	{
		const MinedRule *within = rule_within(selection, rule, subset);

		/* one that was not rated is bound to be worse */
		if (within != NULL && !isnan(within->quality) && !(rule->quality > within->quality))
			return false;
	}
	return true;
}

/* ---- the K best ---------------------------------------------------------------------------- */

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

static bool
could_enter(const Selection *selection, const MinedRule *rule)
{
	return !isnan(rule->quality) && rule->quality >= selection->rating->min_quality &&
		(selection->held < selection->rating->top || is_better(rule, worst_of(selection->heap)));
}

static void
enter(Selection *selection, MinedRule *rule)
{
	RankedRule *ranked = palloc(sizeof(RankedRule));

	ranked->rule = rule;
	pairingheap_add(selection->heap, &ranked->node);
	if (++selection->held > selection->rating->top)
	{
		pairingheap_remove_first(selection->heap);
		selection->held--;
	}
}

/* What a rule must reach, as far as is known */
static double
quality_needed(const Selection *selection)
{
	double		needed = selection->rating->min_quality;

	if (selection->held == selection->rating->top)
		needed = Max(needed, worst_of(selection->heap)->quality);
	return needed;
}

/*
 * The next rules that could be among the best, up to `size`, into the batch; returns where to go on.
 * Rules are ordered by standard confidence, and the bound rises with it (all
 * rules that infer anything have the same omega), so they are taken as they stand.
 */
static int64
next_batch(Selection *selection, int64 next, int64 size)
{
	MinedRules *rules = selection->rules;
	double		needed = quality_needed(selection);

	for (; next < rules->count && selection->batch_count < size; next++)
	{
		MinedRule  *rule = &rules->rule[next];

		if (MINED_PREDICTIONS(rule) == 0)
			continue;
		if (bound_of(selection, rule) < needed)
			return rules->count;
		if (isnan(rule->quality))
			selection->batch[selection->batch_count++] = (int32) next;
	}
	return next;
}

/* Offers the rules from `start` to `end`, all rated as far as they need. */
static void
offer(Selection *selection, int64 start, int64 end)
{
	MinedRule  *rule = selection->rules->rule;

	selection->least_quality = -1;
	for (int64 i = start; i < end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (MINED_PREDICTIONS(&rule[i]) > 0 && could_enter(selection, &rule[i]))
			want_rules_within(selection, &rule[i]);
	}
	rate_batch(selection);
	for (int64 i = start; i < end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (MINED_PREDICTIONS(&rule[i]) > 0 && could_enter(selection, &rule[i]) &&
			quality_rises(selection, &rule[i]))
			enter(selection, &rule[i]);
	}
}

static void
select_top(Selection *selection)
{
	int64		size = Max(2 * (int64) selection->rating->top, FIRST_BATCH);
	int64		next = 0;

	selection->heap = pairingheap_allocate(compare_ranked, NULL);
	while (selection->rating->top > 0 && next < selection->rules->count)
	{
		int64		start = next;

		next = next_batch(selection, start, size);
		selection->least_quality = quality_needed(selection);
		rate_batch(selection);
		offer(selection, start, next);
		size *= BATCH_GROWTH;
	}
	while (!pairingheap_is_empty(selection->heap))
		pairingheap_container(RankedRule, node, pairingheap_remove_first(selection->heap))->rule->selected = true;
	pairingheap_free(selection->heap);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void
rate_all(Selection *selection)
{
	MinedRules *rules = selection->rules;

	selection->least_quality = -1;
	for (int64 i = 0; i < rules->count; i++)
	{
		if (MINED_PREDICTIONS(&rules->rule[i]) > 0)
			selection->batch[selection->batch_count++] = (int32) i;
		else
			set_quality(selection, (int32) i);
	}
	rate_batch(selection);
	for (int64 i = 0; i < rules->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		rules->rule[i].kept = quality_rises(selection, &rules->rule[i]);
	}
}

/* Zeros, in the current context. */
static void *
zeros(int64 count, Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, Max(count, 1) * size,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
init_selection(Selection *selection)
{
	int64		count = selection->rules->count;

	selection->scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg scores",
											   ALLOCSET_DEFAULT_SIZES);
	selection->triple = zeros(BLOCK, sizeof(Triple));
	selection->score = zeros(BLOCK, sizeof(float));
	selection->by_rule = zeros(count, sizeof(MinedRule *));
	selection->sums = zeros(count, sizeof(Sums));
	selection->failed = zeros(count, sizeof(bool));
	selection->batch = zeros(count, sizeof(int32));
	for (int64 i = 0; i < count; i++)
	{
		MinedRule  *rule = &selection->rules->rule[i];

		rule->embedding_confidence = rule->confidence_error = rule->quality = get_float8_nan();
		rule->kept = true;
		rule->selected = false;
		selection->by_rule[i] = rule;
	}
	qsort(selection->by_rule, count, sizeof(MinedRule *), compare_by_rule);
}

void
rate_rules(BodyPairs *bodies, const GraphData *data, const KgeModel *kge, Pool *pool,
		   MinedRules *rules, const Rating *rating)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg confidence",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Selection	selection = {.bodies = bodies,.data = data,.kge = kge,.pool = pool,.rules = rules,.rating = rating};

	init_selection(&selection);
	if (rating->top >= 0)
		select_top(&selection);
	else
		rate_all(&selection);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
