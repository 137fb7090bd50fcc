/*
 * progress.h
 *		What a training, a load or a sync is doing, for all sessions to see (view hkg_progress).
 */
#ifndef HKG_SERVER_PROGRESS_H
#define HKG_SERVER_PROGRESS_H

#include "compat.h"

/* setting hybridkg.progress: how often a training reports */
typedef enum ProgressLevel
{
	PROGRESS_OFF,
	PROGRESS_ITERATION,
	PROGRESS_EPOCH
} ProgressLevel;

extern int	hkg_progress_level;

typedef enum ProgressPhase
{
	PHASE_READING,
	PHASE_MINING,
	PHASE_TRAINING,
	PHASE_EVALUATING,
	PHASE_INFERRING,
	PHASE_PATHS,
	PHASE_PATH_RULES,
	PHASE_WEIGHTS,
	PHASE_COMPARING,
	PHASE_DELETING,
	PHASE_WRITING,
	PHASE_INDEXING,
	PROGRESS_PHASES
} ProgressPhase;

/* The work of a phase, in units of its own: epochs, iterations, facts, ... */
typedef struct PhaseWork
{
	double		units;			/* in all */
	double		seconds;		/* of a unit: a guess, used until one was measured */
} PhaseWork;

typedef struct Progress Progress;

/*
 * A row of the view for a training of a graph, a schema, until the current memory context is deleted; when there is no
 * room for another, it is not shown.
 */
extern Progress *progress_begin(Oid schema, const char *model);

/* The same for a load or a sync of facts. */
extern Progress *progress_begin_load(Oid schema);

/* The most iterations that there will be, and the epochs of each. */
extern void progress_sizes(Progress *progress, int iterations, int epochs);

/* All the work there is, by phase: from here on there is an estimate. */
extern void progress_plan(Progress *progress, const PhaseWork work[PROGRESS_PHASES]);

/* So many more units of a phase than planned */
extern void progress_add(Progress *progress, ProgressPhase phase, double units);

/* That many iterations were done by another process. */
extern void progress_resume(Progress *progress, int done);

/* So many units of a phase need not be done. */
extern void progress_skip(Progress *progress, ProgressPhase phase, double units);

/* Seconds of all phases from that one on, in the order of ProgressPhase, without the visit that is under way. */
extern double progress_left(const Progress *progress, ProgressPhase first);

/* The phase begins, with so many units of its work. */
extern void progress_phase(Progress *progress, ProgressPhase phase, double units);

/* So many of them are done. */
extern void progress_advance(Progress *progress, double units);

/* That many rows are read, or written, in this phase: to be told when there are so many more. */
#define PROGRESS_ROWS 1000
extern void progress_rows(Progress *progress, int64 rows);

extern void progress_iteration(Progress *progress, int iteration);

/* An epoch is done, within PHASE_TRAINING. */
extern void progress_epoch(Progress *progress, int epoch, double loss);

/* That many servers do the work of this phase; 1 until then. */
extern void progress_nodes(Progress *progress, int nodes);

/* By what valid facts were ranked */
typedef enum ProgressRanking
{
	RANKED_BY_EMBEDDING,
	RANKED_BY_PATHS,
	RANKED_BY_ALL				/* that a model has which answers from then on */
} ProgressRanking;

/* The MRR on valid facts, measured just now */
extern void progress_measured(Progress *progress, ProgressRanking by, double mrr);

/* A first model answers when that share of all time is over. */
extern void progress_answers_at(Progress *progress, double share);

/* The seconds that a unit of a phase is expected to take */
extern double progress_unit_seconds(const Progress *progress, ProgressPhase phase);

/* The iterations are over; that many epochs follow. */
extern void progress_refit(Progress *progress, int64 epochs);

#endif							/* HKG_SERVER_PROGRESS_H */
