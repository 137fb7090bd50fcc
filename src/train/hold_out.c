/*
 * hold_out.c
 *		Facts that are held out in place of a valid split, where the graph has none.
 *
 * They choose the best iteration, and weights of evidence, probabilities and thresholds are learnt from them.
 * Embeddings, rules, path rules and the path network are learnt without them.  Then the refit learns from all facts,
 * and path rules are counted again in all.
 */
#include "training_facts.h"

#include "miscadmin.h"

#include "graph/draw_facts.h"
#include "server/growing_array.h"

/* Above, learnt weights do not improve (bench/RESULTS.md). */
#define MOST 5000

/*
 * The refit repeats a tenth of the epochs that made the best embeddings.  That gives back most of what a training on
 * all facts from the start would have gained (bench/RESULTS.md).
 */
#define REFIT_PART 10

int64
hold_out_size(double share, int64 facts)
{
	int64		size = Min(facts_share(share, facts), MOST);

	return size < HOLD_OUT_LEAST ? 0 : size;
}

/* Separates the facts that are marked from the rest. */
static Triple *
separate(const GraphData *data, const char *marked, int64 count, GraphData **rest)
{
	Triple	   *drawn = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Triple));
	Triple	   *others = MemoryContextAllocHuge(CurrentMemoryContext, (data->facts - count) * sizeof(Triple));
	int64		other = 0;

	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (marked[i])
			drawn[i - other] = data->fact[i];
		else
			others[other++] = data->fact[i];
	}
	*rest = palloc(sizeof(GraphData));
	**rest = *data;
	(*rest)->fact = others;
	(*rest)->facts = other;
	(*rest)->left_out = drawn;
	(*rest)->left_out_count = count;
	return drawn;
}

Triple *
hold_out_draw(const GraphData *data, double share, uint64 seed, GraphData **rest, int64 *count)
{
	char	   *marked;
	Triple	   *drawn = NULL;

	*rest = NULL;
	*count = hold_out_size(share, data->facts);
	if (*count == 0)
		return NULL;
	marked = draw_facts(data, seed, count);
	if (*count < HOLD_OUT_LEAST)
		*count = 0;
	else
		drawn = separate(data, marked, *count, rest);
	pfree(marked);
	return drawn;
}

static void
notice_too_few(const char *graph, const TrainSettings *settings)
{
	ereport(NOTICE,
			(errmsg("no probabilities are learnt: graph \"%s\" has no valid split, and too few facts to hold some out",
					graph),
			 errdetail("With holdout at %g, and another one left to each entity and relation, they would be fewer than %d. "
					   "Where a probability is asked for, it is null.",
					   settings->holdout, HOLD_OUT_LEAST),
			 errhint("Make a valid split with hkg_split, however small, or train with setting holdout 0 if the order of the "
					 "answers is enough.")));
}

void
hold_out_notice(const char *graph, const TrainSettings *settings, int64 count, int64 facts)
{
	if (count == 0)
	{
		if (facts > 0 && settings->holdout > 0 && !settings->warm_start)
			notice_too_few(graph, settings);
		return;
	}
	ereport(NOTICE,
			(errmsg("graph \"%s\" has no valid split: " INT64_FORMAT " of its " INT64_FORMAT
					" facts are held out in its place", graph, count, facts),
			 errdetail("The best iteration is chosen on them, and weights of rules, probabilities and thresholds "
					   "are learnt from them. Only the last epochs train on them."),
			 errhint("Make a valid split with hkg_split, load one with hkg_load(..., 'valid'), "
					 "or train on all facts from the start with setting holdout 0.")));
}

int64
hold_out_refit_epochs(const TrainSettings *settings, const TrainingFacts *facts, int best_iteration)
{
	int64		epochs = epochs_in(settings, best_iteration);

	return facts_are_held_out(facts) ? (epochs + REFIT_PART - 1) / REFIT_PART : 0;
}
