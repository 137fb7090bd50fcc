/*
 * schedule.h
 *		The work of a training's phases, before any of it is measured.
 */
#ifndef HKG_TRAIN_SCHEDULE_H
#define HKG_TRAIN_SCHEDULE_H

#include "learner.h"
#include "progress.h"

/* Epochs on all facts after the best of the iterations; 0 unless facts are held out. */
extern int64 schedule_refit_epochs(const TrainSettings *settings, const TrainingFacts *facts, int best_iteration);

extern void schedule_plan(TrainingProgress *progress, const TrainSettings *settings, const TrainingFacts *facts,
						  const Learner *learner);

#endif							/* HKG_TRAIN_SCHEDULE_H */
