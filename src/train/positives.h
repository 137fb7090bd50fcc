/*
 * positives.h
 *		The positives of an epoch: the facts, the samples of what rules infer, and what reviewers refused, with the label 0.
 */
#ifndef HKG_TRAIN_POSITIVES_H
#define HKG_TRAIN_POSITIVES_H

#include "server/compat.h"

#include "settings.h"
#include "training_facts.h"

/* A sampled triple that rules infer, and what it is worth (hybrid.h) */
typedef struct InferredPositive
{
	Triple		triple;
	float		worth;
} InferredPositive;

typedef struct Positives
{
	int64		sample_size;	/* samples of an iteration */
	bool		accumulate;		/* samples of earlier iterations stay */
	bool		own_worth;		/* samples have a worth of their own */
	float		fact_worth;		/* of each fact, where some positives have a worth */
	int64		max_samples;	/* there can be at once */
	int64		room;			/* for positives */
	InferredPositive *sample;		/* ordered by triple */
	int64		samples;
	const Triple *rejected;		/* none with a loss over all entities, to which all that is no fact is false */
	int64		rejected_count;
	Triple	   *triple;			/* the facts, then the samples that are no facts, then the rejected ones */
	float	   *worth;			/* of each: the weight of its loss, or with labels its evidence, KGE_FACT or KGE_FALSE;
								 * NULL: all 1 */
	int64		count;
} Positives;

/* Whether not all are worth the same */
static inline bool
positives_have_worth(const Positives *positives)
{
	return positives->own_worth || positives->rejected_count > 0;
}

/* The sizes alone, without memory */
extern Positives positives_sizes(const TrainSettings *settings, const TrainingFacts *facts);

/* Takes memory in the current context, where later samples will be, too; there are none yet, and no positives. */
extern void positives_open(Positives *positives);

/* Sets the positives: these facts and the samples, each triple once. */
extern void positives_set(Positives *positives, const GraphData *data);

/*
 * Adds the samples of an iteration, ordered by triple, or puts them in the place of those before.  A triple that was
 * sampled before takes its new worth.
 */
extern void positives_add(Positives *positives, const InferredPositive *sampled, int64 count);

#endif							/* HKG_TRAIN_POSITIVES_H */
