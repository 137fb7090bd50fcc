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

/* Learns what doc/method.md, "Evidence at prediction", defines; false when the arena is empty. */
extern bool ev_learn(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearnt *learnt);

#endif							/* HKG_EVIDENCE_LEARN_H */
