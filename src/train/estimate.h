/*
 * estimate.h
 *		What a training will take.
 */
#ifndef HKG_TRAIN_ESTIMATE_H
#define HKG_TRAIN_ESTIMATE_H

#include "learner.h"
#include "settings.h"
#include "training_facts.h"

/* ERROR 53200 when a training would take more than hybridkg.max_memory; `learner` has no memory yet. */
extern void estimate_check(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner);

#endif							/* HKG_TRAIN_ESTIMATE_H */
