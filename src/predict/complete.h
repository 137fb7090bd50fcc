/*
 * complete.h
 *		The most probable answers of many questions, on one server or on the nodes of a cluster.
 */
#ifndef HKG_PREDICT_COMPLETE_H
#define HKG_PREDICT_COMPLETE_H

#include "missing_questions.h"

/* On this server.  Of `wanted`: k, the least probability, heads, and whether exact. */
extern int64 find_best_here(const MissingQuestions *questions, KgeWanted wanted, const KgeScored **best);

/* complete_slices.c: the same on the nodes of a cluster; false where there is none, or it would not pay. */
extern bool find_best_on_nodes(Graph *graph, const MissingQuestions *questions, KgeWanted wanted, const KgeScored **best,
							   int64 *count);

#endif							/* HKG_PREDICT_COMPLETE_H */
