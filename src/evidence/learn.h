/*
 * learn.h
 *		Weights and calibration, learnt from triples that neither embeddings nor rules were learnt from.
 */
#ifndef HKG_EVIDENCE_LEARN_H
#define HKG_EVIDENCE_LEARN_H

#include "aggregate.h"
#include "examples.h"

typedef struct EvLearnt
{
	EvWeights	weights;
	double		alone;			/* the discount of rules alone */
	int64_t    *questions;		/* by 2 * relation + side: how many the weights were learnt from */
	EvCalibration calibration[EV_KINDS];
} EvLearnt;

/* Bytes that ev_learn will take from its arena. */
extern size_t ev_learn_bytes(const EvExampleSource *source, int threads);

/*
 * Learns how evidence is combined with scores.  With s = a * phi + b * evidence, the probability of the true
 * answer among the candidates of its question is softmax(s).  a and b of a relation and side maximise
 * the sum of log(0.02 + that), with a prior at the common ones that weighs as much as 20 questions; the
 * common ones have a prior at 1 that weighs as much as 5.  The discount is that of the highest mean
 * reciprocal rank among 0, 1/4, 1/2, 3/4 and 1; so is that of rules alone.  The weight is b / a, at most 100.
 * The scale is a / the common a, so that scores of all relations are comparable.  False when the arena is empty.
 */
extern bool ev_learn(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearnt *learnt);

#endif							/* HKG_EVIDENCE_LEARN_H */
