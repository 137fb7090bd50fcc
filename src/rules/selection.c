/*
 * selection.c
 *		The K best of the mined rules, by quality (see selection.h).
 *
 * Not every rule needs to be rated.  Q <= (1 - omega) * SC + omega bounds a rule's quality, so rules
 * are rated in batches by falling bound, until the K-th best quality is beyond the bound of all the rest.
 */
#include "selection.h"

#include <math.h>

#include "utils/float.h"
#include "utils/memutils.h"

#include "core/heap.h"
#include "server/growing_array.h"
#include "server/host.h"

/* rules of the first batch */
#define FIRST_BATCH 1000
#define BATCH_GROWTH 4

typedef struct Selection
{
	MinedRules *rules;
	MinedRule **by_rule;		/* for looking up rules within a rule: all whose bound is high enough for selection */
	int64		by_rule_count;
	Rater	   *rater;
	double		omega;
	int			top;
	double		min_quality;
	double		min_confidence;

	int32	   *batch;			/* positions of the rules to be rated next */
	int32		batch_count;

	MinedRule **best;			/* so far: a heap with the worst of them at its root */
	int64		best_count;
} Selection;

int
quality_compare(const void *a, const void *b)
{
	const MinedRule *left = a;
	const MinedRule *right = b;

	if (left->quality != right->quality)
		return left->quality > right->quality ? -1 : 1;
	if (left->support != right->support)
		return left->support > right->support ? -1 : 1;
	return strcmp(left->text, right->text);
}

/* What the quality may be at most */
static inline double
bound_of(const Selection *selection, const MinedRule *rule)
{
	double		standard = MINED_STANDARD_CONFIDENCE(rule);

	return MINED_PREDICTIONS(rule) == 0 ? standard : (1 - selection->omega) * standard + selection->omega;
}

static void
rate_batch(Selection *selection, double needed)
{
	rater_rate(selection->rater, selection->batch, selection->batch_count, needed);
	selection->batch_count = 0;
}

/* ---- rules within a rule ---------------------------------------------------------------- */

/* The closed rule of some of a rule's atoms; NULL where none is over the bounds, or could be selected. */
static MinedRule *
rule_within(const Selection *selection, const MinedRule *rule, int subset)
{
	Rule		within = {.head = rule->rule.head};

	for (int i = 0; i < rule->rule.length; i++)
		if (subset & (1 << i))
			within.body[within.length++] = rule->rule.body[i];
	rule_canonicalise(&within);
	return rule_places_find(selection->by_rule, selection->by_rule_count, &within);
}

#define EACH_SUBSET(subset, rule) \
	(int subset = 1; subset < (1 << (rule)->rule.length) - 1; subset++)

/* Adds to the batch those rules within this one whose quality decides on it. */
static void
add_rules_within(Selection *selection, const MinedRule *rule)
{
	for EACH_SUBSET(subset, rule)
	{
		MinedRule  *within = rule_within(selection, rule, subset);

		if (within == NULL || !isnan(within->quality) || bound_of(selection, within) < rule->quality)
			continue;
		if (MINED_PREDICTIONS(within) == 0)
			within->quality = MINED_STANDARD_CONFIDENCE(within);
		else
		{
			/* a placeholder until it is rated, so that it is added once */
			within->quality = 2;
			selection->batch[selection->batch_count++] = (int32) (within - selection->rules->rule);
		}
	}
}

/* Whether the rule's quality is above that of every closed rule within it. */
static bool
quality_rises(const Selection *selection, const MinedRule *rule)
{
	for EACH_SUBSET(subset, rule)
	{
		const MinedRule *within = rule_within(selection, rule, subset);

		/* one that was not rated has a bound below this quality */
		if (within != NULL && !isnan(within->quality) && !(rule->quality > within->quality))
			return false;
	}
	return true;
}

/* ---- the K best ---------------------------------------------------------------------------- */

static int
compare_best(const void *a, const void *b)
{
	return quality_compare(*(MinedRule *const *) a, *(MinedRule *const *) b);
}

static bool
could_enter(const Selection *selection, const MinedRule *rule)
{
	return MINED_PREDICTIONS(rule) > 0 && !isnan(rule->quality) && rule->quality >= selection->min_quality &&
		MINED_STANDARD_CONFIDENCE(rule) >= selection->min_confidence &&
		(selection->best_count < selection->top || quality_compare(rule, selection->best[0]) < 0);
}

/* The quality that a rule must reach, as far as is known */
static double
quality_needed(const Selection *selection)
{
	double		needed = selection->min_quality;

	if (selection->best_count == selection->top)
		needed = Max(needed, selection->best[0]->quality);
	return needed;
}

/*
 * Puts the next rules that could be among the best, up to `size`, into the batch; returns where to go on.  Rules are
 * ordered by standard confidence, and the bound rises with it, as all rules that infer anything have the same omega.
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
		if (bound_of(selection, rule) < needed || MINED_STANDARD_CONFIDENCE(rule) < selection->min_confidence)
			return rules->count;
		if (isnan(rule->quality))
			selection->batch[selection->batch_count++] = (int32) next;
	}
	return next;
}

/* Offers the rules from `start` to `end`, which are rated as far as they need. */
static void
offer(Selection *selection, int64 start, int64 end)
{
	MinedRule  *rules = selection->rules->rule;

	for (int64 i = start; i < end; i++)
	{
		hkg_check_interrupts();
		if (could_enter(selection, &rules[i]))
			add_rules_within(selection, &rules[i]);
	}
	rate_batch(selection, -1);
	for (int64 i = start; i < end; i++)
	{
		MinedRule  *rule = &rules[i];

		hkg_check_interrupts();
		if (could_enter(selection, rule) && quality_rises(selection, rule))
			selection->best_count = heap_offer(selection->best, selection->best_count, selection->top,
											   &rule, sizeof(MinedRule *), compare_best);
	}
}

static void
select_best(Selection *selection)
{
	int64		size = Max(2 * (int64) selection->top, FIRST_BATCH);
	int64		next = 0;

	while (selection->top > 0 && next < selection->rules->count)
	{
		int64		start = next;

		next = next_batch(selection, start, size);
		rate_batch(selection, quality_needed(selection));
		offer(selection, start, next);
		size *= BATCH_GROWTH;
	}
	for (int64 i = 0; i < selection->best_count; i++)
		selection->best[i]->selected = true;
}

/* ---- all rules -------------------------------------------------------------------------------- */

static void
rate_all(Selection *selection)
{
	MinedRules *rules = selection->rules;

	for (int64 i = 0; i < rules->count; i++)
	{
		if (MINED_PREDICTIONS(&rules->rule[i]) > 0)
			selection->batch[selection->batch_count++] = (int32) i;
		else
			rules->rule[i].quality = MINED_STANDARD_CONFIDENCE(&rules->rule[i]);
	}
	rate_batch(selection, -1);
	for (int64 i = 0; i < rules->count; i++)
	{
		hkg_check_interrupts();
		rules->rule[i].kept = quality_rises(selection, &rules->rule[i]);
	}
}

/* Runs a selection in a memory context of its own. */
static void
run_selection(Selection *selection, const RatingModel *model, void (*run) (Selection *selection))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg selection",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	MinedRules *rules = selection->rules;
	double		least;

	selection->omega = model->omega;
	/* what the quality of a rule that may be selected is at least */
	least = Max(selection->min_quality, (1 - selection->omega) * selection->min_confidence);
	selection->rater = rater_create(model, rules);
	selection->by_rule = array_new(MinedRule *, rules->count);
	selection->batch = array_new(int32, rules->count);
	selection->best = array_new(MinedRule *, Min(rules->count, (int64) selection->top + 1));
	for (int64 i = 0; i < rules->count; i++)
	{
		MinedRule  *rule = &rules->rule[i];

		rule->embedding_confidence = rule->confidence_error = rule->quality = get_float8_nan();
		rule->kept = true;
		rule->selected = false;
		if (bound_of(selection, rule) >= least)
			selection->by_rule[selection->by_rule_count++] = rule;
	}
	rule_places_sort(selection->by_rule, selection->by_rule_count);
	run(selection);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

void
rate_rules(const RatingModel *model, MinedRules *rules)
{
	Selection	selection = {.rules = rules};

	run_selection(&selection, model, rate_all);
}

void
select_rules(const RatingModel *model, MinedRules *rules, int top, double min_quality, double min_confidence)
{
	Selection	selection = {.rules = rules,.top = top,.min_quality = min_quality,.min_confidence = min_confidence};

	run_selection(&selection, model, select_best);
}

int64
selection_count(const MinedRules *rules)
{
	int64		count = 0;

	for (int64 i = 0; i < rules->count; i++)
		count += rules->rule[i].selected;
	return count;
}

/* They come by standard confidence, the highest first. */
void
rate_confident(const RatingModel *model, MinedRules *rules, double least_confidence)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg rating", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	int32	   *positions = array_new(int32, rules->count);
	int32		count = 0;

	for (int64 i = 0; i < rules->count && MINED_STANDARD_CONFIDENCE(&rules->rule[i]) >= least_confidence; i++)
		if (MINED_PREDICTIONS(&rules->rule[i]) > 0 && isnan(rules->rule[i].embedding_confidence))
			positions[count++] = (int32) i;
	rater_rate(rater_create(model, rules), positions, count, -1);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
