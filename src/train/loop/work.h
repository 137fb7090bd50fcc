/*
 * work.h
 *		The work of a training, by phase, and the time that it takes.
 */
#ifndef HKG_TRAIN_WORK_H
#define HKG_TRAIN_WORK_H

#include "server/progress.h"
#include "train/embeddings/learner.h"
#include "train/embeddings/valid_ranking.h"
#include "train/settings.h"
#include "train/training_facts.h"

/* The work of a training's phases with so many threads, before any of it is measured. */
extern void work_of(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner,
					const ValidRanking *ranking, double threads, PhaseWork work[PROGRESS_PHASES]);

/* Makes it the plan of the training's row of hkg_progress. */
extern void work_plan(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts,
						  const Learner *learner, const ValidRanking *ranking);

/* That many rules were mined, which are written in the end. */
extern void work_mined(Progress *progress, const TrainingFacts *facts, int64 rules);

/* That many path rules were found, which may be fewer than settings->evidence_rules. */
extern void work_found(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts, int64 paths);

/* What counting path rules again takes, as a part of the search for them in as many facts */
#define WORK_RECOUNT 0.5

/* Whether rules are mined: by some of them embeddings are constrained. */
static inline bool
work_mines(const TrainSettings *settings)
{
	return settings->top_rules > 0 || kge_constraint_entails(settings->constraints);
}

/* Bytes that an epoch sends to nodes and back, and those of the positives of a bucket */
extern double work_sent_bytes(const Learner *learner);
extern double work_bucket_bytes(const Learner *learner);

#endif							/* HKG_TRAIN_WORK_H */
