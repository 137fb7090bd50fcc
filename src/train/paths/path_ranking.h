/*
 * path_ranking.h
 *		The ranks of the valid split by a path network alone, after each of its epochs.
 */
#ifndef HKG_TRAIN_PATH_RANKING_H
#define HKG_TRAIN_PATH_RANKING_H

#include "server/compat.h"

#include "core/question.h"
#include "path_settings.h"
#include "train/embeddings/valid_ranking.h"

typedef struct PathRanking
{
	ValidRanking valid;			/* the triples that are ranked, and what they are compared with */
	Questions	questions;		/* that they pose, with the answers that the filter leaves out */
	PathReader **reader;		/* of each thread */
	int32		entities;
	uint64		seed;			/* of ties */
} PathRanking;

/* The sizes alone, without memory */
extern PathRanking path_ranking_sizes(const PathSettings *plan, const TrainingFacts *facts);
extern uint64 path_ranking_bytes(const PathRanking *ranking, const PathSettings *plan, const TrainingFacts *facts);

/* Takes all memory, in the current context; index and network must stay. */
extern void path_ranking_open(PathRanking *ranking, const TrainSettings *settings, const TrainingFacts *facts,
							  const FactIndex *index, const PathNetwork *network, Pool *pool);

/* Filtered; sets the metrics of an epoch.  No SQL. */
extern void path_ranking_run(PathRanking *ranking, Pool *pool, Iteration *epoch);

#endif							/* HKG_TRAIN_PATH_RANKING_H */
