/*
 * exact_score.h
 *		The exact score of a query that is there; kge.h has those of triples.
 */
#ifndef HKG_KGE_EXACT_SCORE_H
#define HKG_KGE_EXACT_SCORE_H

#include "score_function.h"

/* kge_exact_score of a network whose query is there. */
extern double kge_exact_query_score(const KgeModel *model, const float *query, int32_t candidate);

#endif							/* HKG_KGE_EXACT_SCORE_H */
