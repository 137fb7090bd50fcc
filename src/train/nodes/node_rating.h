/*
 * node_rating.h
 *		Rules, rated by the embeddings that are learnt, on the nodes of a cluster.
 */
#ifndef HKG_TRAIN_NODE_RATING_H
#define HKG_TRAIN_NODE_RATING_H

#include "server/compat.h"

#include "graph/graph.h"
#include "rules/selection.h"
#include "server/progress.h"
#include "train/settings.h"

typedef struct NodeRating NodeRating;

/* In the current context.  No node is asked yet; the coordinator takes no slice.  What is given lives on. */
extern NodeRating *node_rating_open(const Graph *graph, const TrainSettings *settings, Progress *progress);

/* RatingModel.elsewhere, of a NodeRating: false where nodes are not to be used, or would not be faster than this server. */
extern bool node_rating_run(void *argument, const RatingModel *model, MinedRules *rules, const int32 *positions,
							int32 count, double least_quality);

#endif							/* HKG_TRAIN_NODE_RATING_H */
