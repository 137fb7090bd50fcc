/*
 * estimate.h
 *		What a training will take.
 */
#ifndef HKG_TRAIN_ESTIMATE_H
#define HKG_TRAIN_ESTIMATE_H

#include "server/progress.h"
#include "train/embeddings/learner.h"
#include "train/embeddings/valid_ranking.h"
#include "train/settings.h"
#include "train/training_facts.h"

/* ERROR 53200 when a training would take more than hybridkg.max_memory; `learner` has no memory yet. */
extern void estimate_check(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner);

/* The work of a training's phases, before any of it is measured. */
extern void estimate_plan(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts,
						  const Learner *learner, const ValidRanking *ranking);

/* That many rules were mined, which are written in the end. */
extern void estimate_mined(Progress *progress, const TrainingFacts *facts, int64 rules);

/* That many path rules were found, which may be fewer than settings->evidence_rules. */
extern void estimate_found(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts, int64 paths);

/* What counting path rules again takes, as a part of the search for them in as many facts */
#define ESTIMATE_RECOUNT 0.5

#endif							/* HKG_TRAIN_ESTIMATE_H */
