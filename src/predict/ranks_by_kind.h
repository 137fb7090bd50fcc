/*
 * ranks_by_kind.h
 *		The ranks of a split by each kind of score that a model has, and what they are for a relation.
 */
#ifndef HKG_PREDICT_RANKS_BY_KIND_H
#define HKG_PREDICT_RANKS_BY_KIND_H

#include "evaluate.h"

typedef struct RanksByKind
{
	bool		has[EV_KINDS];	/* the others would be the same, or cannot be ranked */
	SplitRanks	ranks[EV_KINDS];
	const SplitRanks *any;		/* of those that there are */
} RanksByKind;

/*
 * In the current context; seed and sample are those of rank_split.  Imported rules can be ranked alone.  ERROR 55000 where
 * the model has neither embeddings nor evidence.
 */
extern RanksByKind *rank_by_kind(Graph *graph, const char *model, const char *split, int64 seed, int sample);

/* The triples of a relation, a stretch of those that were ranked */
typedef struct RelationRanks
{
	int32		relation;		/* its id */
	int64		first;
	int64		count;
} RelationRanks;

/* The relations of the ranked triples, those with most of them first; returns how many. */
extern int64 ranks_relations(const SplitRanks *ranks, RelationRanks **relations);

/* Means over the questions of a side, or over both where it is negative */
extern KgeMetrics ranks_metrics(const SplitRanks *ranks, const RelationRanks *relation, int side);

#endif							/* HKG_PREDICT_RANKS_BY_KIND_H */
