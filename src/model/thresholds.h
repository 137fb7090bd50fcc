/*
 * thresholds.h
 *		The thresholds of hkg_classify (see thresholds.c).
 */
#ifndef HKG_MODEL_THRESHOLDS_H
#define HKG_MODEL_THRESHOLDS_H

#include "server/compat.h"

#include "graph/graph.h"
#include "kge/kge.h"

/* Triples that are true, and triples that are false, in rows of `data` */
typedef struct Labelled
{
	const Triple *truth;
	int64		truths;
	const Triple *falsehood;
	int64		falsehoods;
} Labelled;

/*
 * Writes the thresholds of a model, in place of those it has; kge has the rows of `data`.  Returns the
 * accuracy of those that hkg_classify uses by default, NaN when there is nothing to learn from.
 */
extern double threshold_learn(Graph *graph, const char *model, const GraphData *data,
							  const KgeModel *kge, const Labelled *labelled);

#endif							/* HKG_MODEL_THRESHOLDS_H */
