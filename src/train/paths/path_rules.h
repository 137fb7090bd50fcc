/*
 * path_rules.h
 *		The rules that a model uses as evidence at prediction, found when it is trained.
 */
#ifndef HKG_TRAIN_PATH_RULES_H
#define HKG_TRAIN_PATH_RULES_H

#include "server/compat.h"

#include "evidence/evidence.h"
#include "graph/graph.h"
#include "rules/mine.h"
#include "train/settings.h"

/* The search in that many facts. */
extern EvSearch path_rules_search(const TrainSettings *settings, int64 facts);

/* Path rules with their counts */
typedef struct PathRules
{
	int64		count;
	EvPathRule *path;
} PathRules;

/* Searches for them in the facts; in the current context. */
extern PathRules path_rules_find(const GraphData *data, const TrainSettings *settings, Pool *pool);

/* Counts them again in `data`, the facts that they were found in and some more, with the same rows. */
extern void path_rules_recount(PathRules *rules, const GraphData *data, const TrainSettings *settings, Pool *pool);

/*
 * The given rules and, behind them, the path rules that are not among them; those that are get their confidence as
 * evidence.  In the current context.
 */
extern MinedRules *path_rules_merge(Graph *graph, const GraphData *data, const MinedRules *given, const PathRules *paths);

#endif							/* HKG_TRAIN_PATH_RULES_H */
