/*
 * exact_score.h
 *		Exact scores in the hands of a thread (KgeExactScore).
 */
#ifndef HKG_KGE_EXACT_SCORE_H
#define HKG_KGE_EXACT_SCORE_H

#include "core/allocation.h"
#include "score_function.h"

extern KgeExactScore kge_exact_score_take(const KgeModel *model, Allocation *allocation);

/* The same of a network whose query is there. */
extern double kge_exact_query_score(const KgeModel *model, const float *query, int32_t candidate);

#endif							/* HKG_KGE_EXACT_SCORE_H */
