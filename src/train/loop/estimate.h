/*
 * estimate.h
 *		What a training will take.
 */
#ifndef HKG_TRAIN_ESTIMATE_H
#define HKG_TRAIN_ESTIMATE_H

#include "train/embeddings/learner.h"
#include "train/settings.h"
#include "train/training_facts.h"

/* ERROR 53200 when a training would take more than hybridkg.max_memory; `learner` has no memory yet. */
extern void estimate_check(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner);

/* Whether evidence can be weighed while a path network is learnt, too. */
extern bool estimate_allows_early(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner);

#endif							/* HKG_TRAIN_ESTIMATE_H */
