/*
 * exact_score.h
 *		Memory of a thread's exact scores (KgeExactScore).
 */
#ifndef HKG_KGE_EXACT_SCORE_H
#define HKG_KGE_EXACT_SCORE_H

#include "core/allocation.h"
#include "score_function.h"

extern KgeExactScore kge_exact_score_take(const KgeModel *model, Allocation *allocation);

#endif							/* HKG_KGE_EXACT_SCORE_H */
