/*
 * predict_many.h
 *		Answers among candidates that the caller names.
 */
#ifndef HKG_PREDICT_PREDICT_MANY_H
#define HKG_PREDICT_PREDICT_MANY_H

#include "entity_set.h"
#include "model/predictor.h"

/*
 * Adds the k best of the candidates to the result of the call: name, score and probability.  known: whether known facts
 * are answers, too.
 */
extern void predict_among(FunctionCallInfo fcinfo, const Call *call, const Predictor *predictor, Question question, int k,
						  bool known, const GivenNames *candidates);

#endif							/* HKG_PREDICT_PREDICT_MANY_H */
