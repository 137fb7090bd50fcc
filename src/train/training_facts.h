/*
 * training_facts.h
 *		The facts of a training: read once, never changed.
 */
#ifndef HKG_TRAIN_TRAINING_FACTS_H
#define HKG_TRAIN_TRAINING_FACTS_H

#include "server/compat.h"

#include "graph/version.h"
#include "settings.h"

typedef struct TrainingFacts
{
	const GraphData *all;		/* the facts of the graph */
	const GraphData *learnt;	/* those that the iterations learn from: all, or all but those that are held out */
	const Triple *valid;		/* the valid split, or the facts that are held out in its place */
	int64		valid_count;
	const Triple *filter;		/* facts and both splits of holdout: no candidates in a filtered rank */
	int64		filter_count;
	const Triple *rejected;		/* what reviewers refused, but for what is in the filter; ordered */
	int64		rejected_count;
	Degrees		degrees;		/* of the facts that the iterations learn from */
	Version		version;		/* of the graph's facts when they were read */
} TrainingFacts;

/* Whether facts are held out in place of a valid split (hold_out.c); then embeddings are refitted on all facts. */
static inline bool
facts_are_held_out(const TrainingFacts *facts)
{
	return facts->learnt != facts->all;
}

/* In the current context; a NOTICE when facts are held out or are too few to be, and when held-out facts are learnt, too. */
extern TrainingFacts training_facts_read(Graph *graph, const TrainSettings *settings);

/* ERROR 55000 unless embeddings can be learnt from them with these settings, 22023 for more partitions than entities. */
extern void training_facts_check(const TrainingFacts *facts, Graph *graph, const TrainSettings *settings);

/* Distinct (head, relation) and (relation, tail): the queries of a loss over all entities.  Of sizes alone, the most. */
extern int64 training_queries(const GraphData *data);

/* ---- facts that are held out (hold_out.c) --------------------------------------- */

/* Below, learnt weights are no better than the defaults, and probabilities tell little. */
#define HOLD_OUT_LEAST 50

/* The most that are held out of that many facts; 0 where they would be too few to learn from. */
extern int64 hold_out_size(double share, int64 facts);

/*
 * Draws facts; returns them in order.  `rest` becomes the graph without them, NULL when none are drawn.  Every
 * entity and relation keeps a fact.  All in the current context.
 */
extern Triple *hold_out_draw(const GraphData *data, double share, uint64 seed, GraphData **rest, int64 *count);

/* Of a graph without a valid split: NOTICE that `count` of its facts are held out; or that they are too few to be. */
extern void hold_out_notice(const char *graph, const TrainSettings *settings, int64 count, int64 facts);

/* Epochs on all facts after the best of the iterations; 0 unless facts are held out. */
extern int64 hold_out_refit_epochs(const TrainSettings *settings, const TrainingFacts *facts, int best_iteration);

#endif							/* HKG_TRAIN_TRAINING_FACTS_H */
