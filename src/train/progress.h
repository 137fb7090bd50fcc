/*
 * progress.h
 *		What a training is doing, for all sessions to see (view hkg_progress).
 */
#ifndef HKG_TRAIN_PROGRESS_H
#define HKG_TRAIN_PROGRESS_H

#include "server/compat.h"

/* setting hybridkg.progress: how often a training reports */
typedef enum ProgressLevel
{
	PROGRESS_OFF,
	PROGRESS_ITERATION,
	PROGRESS_EPOCH
} ProgressLevel;

extern int	hkg_progress_level;

typedef struct TrainingProgress TrainingProgress;

typedef enum TrainingPhase
{
	PHASE_READING,
	PHASE_MINING,
	PHASE_TRAINING,
	PHASE_EVALUATING,
	PHASE_INFERRING,
	PHASE_SEEKING,
	PHASE_WRITING
} TrainingPhase;

/*
 * An entry of this backend, until the current memory context goes; NULL, which the
 * others take, when there is no room for another.
 */
extern TrainingProgress *progress_begin(const char *graph, const char *model,
										int iterations, int epochs);

/* So many iterations were done by somebody else. */
extern void progress_resume(TrainingProgress *progress, int done);

extern void progress_phase(TrainingProgress *progress, TrainingPhase phase);

/* epoch 0 at an iteration's start, the loss is not known then */
extern void progress_epoch(TrainingProgress *progress, int iteration, int epoch, double loss);

#endif							/* HKG_TRAIN_PROGRESS_H */
