/*
 * predict_many.h
 *		Answers among candidates that the caller names.
 */
#ifndef HKG_PREDICT_PREDICT_MANY_H
#define HKG_PREDICT_PREDICT_MANY_H

#include "entity_set.h"
#include "model/predictor.h"

typedef struct QuestionAsked
{
	Side		side;
	int32		given;			/* row */
	int32		relation;
	int			k;
	bool		known;			/* whether known facts are answers, too */
} QuestionAsked;

/* Adds the k best of the candidates to the result of the call: name, score and probability. */
extern void predict_among(FunctionCallInfo fcinfo, const Call *call, const Predictor *predictor, QuestionAsked question,
						  const GivenNames *candidates);

#endif							/* HKG_PREDICT_PREDICT_MANY_H */
