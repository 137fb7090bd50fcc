/*
 * valid_ranking.h
 *		The ranks of the valid split after each iteration, which choose the best one.
 */
#ifndef HKG_TRAIN_VALID_RANKING_H
#define HKG_TRAIN_VALID_RANKING_H

#include "server/compat.h"

#include "learner.h"
#include "record.h"
#include "train/nodes/node_ranking.h"
#include "train/settings.h"
#include "train/training_facts.h"

typedef struct ValidRanking
{
	KgeSample	sample;			/* of the valid split: the triples that are ranked, the same after each iteration */
	const Triple *triple;
	NodeRanking *nodes;			/* that rank them; NULL: this server does */
	int32	   *rank;			/* of their heads, then of their tails */
	double	   *reciprocal;		/* of each triple, in the last iteration: the mean over both sides */
	double	   *highest;		/* the same in the iteration of the highest MRR so far */
	double		highest_mrr;	/* 0: none yet */
	double	   *before;			/* the same of what a warm start goes on from; NULL: of none */
	double		before_mrr;
} ValidRanking;

/* The sizes alone, without memory */
extern ValidRanking valid_ranking_sizes(const TrainSettings *settings, const TrainingFacts *facts,
										const Learner *learner);
extern Size valid_ranking_bytes(const ValidRanking *ranking, const TrainingFacts *facts, const KgeModel *model);

/* Takes all memory, in the current context; draws the sample. */
extern void valid_ranking_open(ValidRanking *ranking, const TrainSettings *settings, const TrainingFacts *facts);

/* After it: the nodes of a cluster rank them where that is faster (node_ranking.h). */
extern void valid_ranking_use_nodes(ValidRanking *ranking, const Graph *graph, const TrainSettings *settings,
									const TrainingFacts *facts, const Learner *learner, bool in_worker);

/* Filtered; sets the iteration's metrics. */
extern void valid_ranking_run(ValidRanking *ranking, const Learner *learner, const TrainingFacts *facts,
							  Iteration *iteration);

/* The same of the model that a warm start goes on from, before its first epoch. */
extern void valid_ranking_before(ValidRanking *ranking, const Learner *learner, const TrainingFacts *facts);

/* How much worse than that model the iteration of the highest MRR is, and the standard error of the difference */
extern double valid_ranking_loss(const ValidRanking *ranking, double *error);

/*
 * Takes the ranks of the iteration, which was ranked last, where its MRR is the highest.  Returns whether it becomes the
 * best one: its MRR is no more than an error below the highest.  Once for an iteration.
 */
extern bool valid_ranking_take(ValidRanking *ranking, const Iteration *iteration);

#endif							/* HKG_TRAIN_VALID_RANKING_H */
