/*
 * plan.h
 *		What a training does in the time that it has.
 */
#ifndef HKG_TRAIN_PLAN_H
#define HKG_TRAIN_PLAN_H

#include "train/settings.h"
#include "train/training_facts.h"

typedef struct TrainingPlan
{
	int64		start;			/* monotonic: when the training was called */
	double		seconds;		/* from then on, by which it has to end; 0: it may take as long as it takes */
	double		iterations_end;	/* and by which its iterations should, where a path network follows */
	char	   *message;		/* what is chosen, for a NOTICE; NULL: what always is */
	char	   *detail;
} TrainingPlan;

/*
 * Chooses what the call left open of iterations, epochs, paths, path_epochs, evidence_length and evidence_triples,
 * with minutes of path_layers, path_reversed and path_members, too, so that it takes settings->minutes, which are 0 then;
 * without minutes DEFAULT_MINUTES of two cores of the machine of bench/RESULTS.md.  Sets all but the start.
 */
extern void plan_training(TrainingPlan *plan, const Graph *graph, TrainSettings *settings, const TrainingFacts *facts);

/* The NOTICE, if there is one. */
extern void plan_notice(const char *message, const char *detail);

#endif							/* HKG_TRAIN_PLAN_H */
