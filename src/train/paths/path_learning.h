/*
 * path_learning.h
 *		The path network of a model as it is learnt: epochs of its members, each measured on the valid split.
 *
 * Between path_learning_open and path_learning_close it has memory of its own, in which the facts are indexed.
 */
#ifndef HKG_TRAIN_PATH_LEARNING_H
#define HKG_TRAIN_PATH_LEARNING_H

#include "server/compat.h"

#include "path_ranking.h"
#include "path_settings.h"
#include "server/progress.h"

typedef struct PathLearning
{
	/* sizes */
	PathSettings plan;
	PathRanking ranking;

	/* set by path_learning_open */
	MemoryContext context;
	const TrainingFacts *training_facts;
	FactIndex	facts;			/* those that are learnt */
	PathNetwork network;		/* the member that is learnt */
	PathTrainer *trainer;

	/* changed by each epoch */
	PathNetwork average;		/* of that member over its minibatches: what is ranked */
	PathNetwork best;			/* all members at their best epochs so far; where one has none, as it will begin */
	int			best_epoch;		/* of the latest member; 0: none yet */
	int			learnt_epoch;	/* the last one that path_learning_learnt has parameters from; 0: none yet */
	Iteration	epoch;			/* the latest, as a row of table path_epoch */
	int			done;			/* epochs of all members */
} PathLearning;

/* The sizes alone, without memory */
extern PathLearning path_learning_sizes(const TrainSettings *settings, const TrainingFacts *facts);
extern uint64 path_learning_bytes(const PathLearning *learning, const TrainingFacts *facts);
extern uint64 path_learning_left_bytes(const PathLearning *learning);	/* after path_learning_close */

/* The work of the first so many epochs, in facts that the first one asks for: those of later epochs may take longer. */
extern double path_learning_units(const PathLearning *learning, const TrainingFacts *facts, int epochs);

/* Floating point operations of an epoch, in the mean. */
extern double path_learning_flops(const PathLearning *learning, const TrainingFacts *facts);

/* Seconds of a core, about, to ask a fact on both sides: to learn from it in the first epoch, and to answer alone. */
extern double path_learning_seconds(const PathLearning *learning, const TrainingFacts *facts);
extern double path_answering_seconds(const PathLearning *learning, const TrainingFacts *facts);

/* Valid triples whose questions, and those that are drawn beside them, the network answers with EV_PATH_WORK */
extern int64 path_learning_weighed(const PathLearning *learning, const TrainingFacts *facts);

/* `old` (may be NULL) is where it goes on from, if it has as many layers and numbers.  The facts must stay.  No SQL. */
extern void path_learning_open(PathLearning *learning, const TrainSettings *settings, const TrainingFacts *facts,
							   const PathNetwork *old, Pool *pool);

/* The next epoch, its metrics, and whether it is the best.  No SQL, no snapshot. */
extern void path_learning_epoch(PathLearning *learning, Pool *pool, Progress *progress);

/* The members that are learnt, at their best epochs: not those that are under way, but for the first. */
extern PathNetwork path_learning_learnt(const PathLearning *learning);

/* The same in the current context; all other memory is freed. */
extern PathNetwork *path_learning_close(PathLearning *learning);

#endif							/* HKG_TRAIN_PATH_LEARNING_H */
