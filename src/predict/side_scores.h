/*
 * side_scores.h
 *		The scores of triples that were found as answers, as answers on a side.
 */
#ifndef HKG_PREDICT_SIDE_SCORES_H
#define HKG_PREDICT_SIDE_SCORES_H

#include "server/compat.h"

#include "model/predictor.h"

/* The parts of the scores of triples as answers on that side, in the current context. */
extern ScoreParts *side_parts(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found,
							  int64 count, Side side);

/* The scores of hkg_score, those of answers to (head, relation, ?), in the current context. */
extern double *tail_scores(const Predictor *predictor, Scoring *scoring, Pool *pool, const KgeScored *found,
						   int64 count);

#endif							/* HKG_PREDICT_SIDE_SCORES_H */
