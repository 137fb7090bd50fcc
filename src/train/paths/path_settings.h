/*
 * path_settings.h
 *		How the path network of a training is learnt: its arguments, and by the graph what they leave open.
 */
#ifndef HKG_TRAIN_PATH_SETTINGS_H
#define HKG_TRAIN_PATH_SETTINGS_H

#include "server/compat.h"

#include "paths/paths.h"
#include "train/settings.h"
#include "train/training_facts.h"

typedef struct PathSettings
{
	PathShape	shape;
	PathTraining training;		/* `direct` is open: it takes an index of the facts */
	int			members;		/* of the network, one learnt after another */
	int			reversed;		/* as in PathNetwork */
	int			epochs;			/* of each */
	int64		facts;			/* that an epoch asks for, each on both sides */
	PathPace	first;			/* of the first epoch */
	int			last_epochs;	/* so many at the end keep as many entities as answers do, without noise */
} PathSettings;

/*
 * Whether paths are learnt where the call leaves it open: a warm start does where the model has a network, by as many
 * members; another training by the number of facts, where some are valid.  plan_training may decide against it.
 */
extern void path_settings_decide(TrainSettings *settings, const Graph *graph, const TrainingFacts *facts);

static inline int
path_epochs_in_all(const PathSettings *plan)
{
	return plan->members * plan->epochs;
}

extern PathSettings path_settings(const TrainSettings *settings, const TrainingFacts *facts);

/* The layers that such a graph gains by, where there is time: plan_training may choose as many. */
extern int path_most_layers(const TrainingFacts *facts);

/* The best answers that such a graph gains by asking in reverse, likewise; 1: none. */
extern int path_most_reversed(const TrainingFacts *facts);

/* The counts of an index of the facts that are learnt, without arrays: for what needs no more. */
extern FactIndex path_index_sizes(const TrainingFacts *facts);

/* How an epoch learns, 1 first. */
extern PathPace path_pace(const PathSettings *plan, int epoch);

/* Floating point operations of a member for a fact on both sides: to answer, and to learn from it in an epoch */
extern double path_answering_flops(const PathSettings *plan, const TrainingFacts *facts);
extern double path_asking_flops(const PathSettings *plan, const TrainingFacts *facts, int epoch);

#endif							/* HKG_TRAIN_PATH_SETTINGS_H */
