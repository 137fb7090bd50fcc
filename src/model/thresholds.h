/*
 * thresholds.h
 *		The thresholds that hkg_classify goes by (see thresholds.c).
 */
#ifndef HKG_MODEL_THRESHOLDS_H
#define HKG_MODEL_THRESHOLDS_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/kge.h"

/* Triples that are true, and triples that are false, in rows of `data`. */
typedef struct Labelled
{
	const Triple *truth;
	int64		truths;
	const Triple *falsehood;
	int64		falsehoods;
} Labelled;

/*
 * False counterparts of `count` triples, in memory of the current context; tells how many.  `known`,
 * ascending, is not false.
 */
extern Triple *threshold_corrupt(const GraphData *data, const Triple *known, int64 known_count,
									const Triple *triples, int64 count, uint64 seed,
									int64 *corrupted);

/*
 * Writes the thresholds of a model, in place of those it has; kge has the rows of `data`.  Returns the
 * accuracy of those that hkg_classify goes by when nobody says otherwise, NaN when there is nothing to learn from.
 */
extern double threshold_learn(Graph *graph, const char *model, const GraphData *data,
							  const KgeModel *kge, const Labelled *labelled);

#endif							/* HKG_MODEL_THRESHOLDS_H */
