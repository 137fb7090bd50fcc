/*
 * tail_scores.h
 *		The scores of triples that were found as answers, whichever side was asked for.
 */
#ifndef HKG_PREDICT_TAIL_SCORES_H
#define HKG_PREDICT_TAIL_SCORES_H

#include "server/compat.h"

#include "model/predictor.h"

extern uint64 tail_scores_bytes(int64 count);

/* Those of hkg_score, as answers to (head, relation, ?), in the current context. */
extern double *tail_scores(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found, int64 count);

#endif							/* HKG_PREDICT_TAIL_SCORES_H */
