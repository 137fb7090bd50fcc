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

typedef enum TrainingPhase
{
	PHASE_READING,
	PHASE_MINING,
	PHASE_TRAINING,
	PHASE_EVALUATING,
	PHASE_INFERRING,
	PHASE_PATH_RULES,
	PHASE_WEIGHTS,
	PHASE_WRITING,
	TRAINING_PHASES
} TrainingPhase;

/* The work of a phase, in units of its own: epochs, iterations, facts, ... */
typedef struct PhaseWork
{
	double		units;			/* in the whole training */
	double		seconds;		/* of a unit: a guess, used until one was measured */
} PhaseWork;

typedef struct TrainingProgress TrainingProgress;

/*
 * A row of the view, until the current memory context is deleted; when there is no room for another, it is not
 * shown.
 */
extern TrainingProgress *progress_begin(const char *graph, const char *model, int iterations, int epochs);

/* All the work there is, by phase: from here on there is an estimate. */
extern void progress_plan(TrainingProgress *progress, const PhaseWork work[TRAINING_PHASES]);

/* That many iterations were done by another process. */
extern void progress_resume(TrainingProgress *progress, int done);

/* The phase begins, with so many units of its work. */
extern void progress_phase(TrainingProgress *progress, TrainingPhase phase, double units);

extern void progress_iteration(TrainingProgress *progress, int iteration);

/* An epoch is done, within PHASE_TRAINING. */
extern void progress_epoch(TrainingProgress *progress, int epoch, double loss);

/* The iterations are over; that many epochs follow. */
extern void progress_refit(TrainingProgress *progress, int64 epochs);

#endif							/* HKG_TRAIN_PROGRESS_H */
