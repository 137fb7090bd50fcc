/*
 * missing_search.h
 *		The most probable answers of many questions, on this server or on the nodes of a cluster.
 */
#ifndef HKG_PREDICT_MISSING_SEARCH_H
#define HKG_PREDICT_MISSING_SEARCH_H

#include "missing_questions.h"

typedef struct MissingSearch MissingSearch;

/* On this server, in the current context; uses the questions and the scoring as long as it lasts. */
extern MissingSearch *missing_search_open(const MissingQuestions *questions, Scoring *scoring);

/* Of `wanted`: k, the least probability, heads, and whether exact.  May be called again. */
extern int64 missing_search_best(MissingSearch *search, KgeWanted wanted, const KgeScored **best);

/* complete_slices.c: the same on the nodes of a cluster; false where there is none, or it would not pay. */
extern bool find_best_on_nodes(Graph *graph, const MissingQuestions *questions, KgeWanted wanted,
							   const KgeScored **best, int64 *count);

#endif							/* HKG_PREDICT_MISSING_SEARCH_H */
