/*
 * path_settings.h
 *		How the path network of a training is learnt: its arguments, and by the graph what they leave open.
 */
#ifndef HKG_TRAIN_PATH_SETTINGS_H
#define HKG_TRAIN_PATH_SETTINGS_H

#include "server/compat.h"

#include "paths/paths.h"
#include "settings.h"
#include "training_facts.h"

typedef struct PathSettings
{
	PathShape	shape;
	int32_t		answers_kept;	/* as shape.kept, by the network that was learnt */
	PathTraining training;		/* `direct` is open: it takes an index of the facts */
	int			epochs;
	int64		facts;			/* that an epoch asks for, each on both sides */
	double		learning_rate;	/* of the first epoch */
} PathSettings;

/*
 * Whether paths are learnt where the call leaves it open: a warm start does where the model has a network, another
 * training by the number of facts.
 */
extern void path_settings_decide(TrainSettings *settings, const Graph *graph, const TrainingFacts *facts);

extern PathSettings path_settings(const TrainSettings *settings, const TrainingFacts *facts);

/* The shape of the network that was learnt */
extern PathShape path_answers_shape(const PathSettings *plan);

/* The counts of an index of the facts that are learnt, without arrays: for what needs no more. */
extern FactIndex path_index_sizes(const TrainingFacts *facts);

/* The rate of an epoch, 1 first. */
extern double path_rate(const PathSettings *plan, int epoch);

#endif							/* HKG_TRAIN_PATH_SETTINGS_H */
