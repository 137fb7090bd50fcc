/*
 * node_ranking.h
 *		Triples, ranked by the embeddings that are learnt, on the nodes of a cluster.
 */
#ifndef HKG_TRAIN_NODE_RANKING_H
#define HKG_TRAIN_NODE_RANKING_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/rank.h"
#include "train/settings.h"

/* Triples that a node ranks at once: its ranks are an array */
#define NODE_RANKING_MOST ((int64) (MaxAllocSize / (4 * sizeof(int32))))

typedef struct NodeRanking NodeRanking;

/*
 * For rankings of these triples, by any embeddings of that model's shape, in the current context; NULL where the nodes are
 * not to be used, or would not be faster than this server.  The graph and the triples live on.
 */
extern NodeRanking *node_ranking_open(const Graph *graph, const TrainSettings *settings, const KgeModel *model,
									  KgeTriples ranked, KgeTriples filter, bool in_worker);

/* Servers that rank; NULL: 1 */
extern int	node_ranking_servers(const NodeRanking *ranking);

/* Seconds of a ranking of so many triples, about */
extern double node_ranking_seconds(const NodeRanking *ranking, const KgeModel *model, int64 count);

/*
 * Bytes that a ranking sends, and that it takes of a node; 0 where no node is asked.  known: answers of the questions,
 * at most
 */
typedef struct NodeRankingNeed
{
	Size		sent;
	Size		node;
} NodeRankingNeed;

extern NodeRankingNeed node_ranking_need(const Graph *graph, const TrainSettings *settings, const KgeModel *model,
										 int64 count, int64 known);

/* As kge_rank, with the seed of the training; the same ranks.  In a background worker it is a transaction of its own. */
extern void node_ranking_run(NodeRanking *ranking, const KgeModel *model, KgeRanks ranks);

#endif							/* HKG_TRAIN_NODE_RANKING_H */
