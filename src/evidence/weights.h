/*
 * weights.h
 *		How much evidence counts beside a score, fitted to examples.
 */
#ifndef HKG_EVIDENCE_WEIGHTS_H
#define HKG_EVIDENCE_WEIGHTS_H

#include "aggregate.h"
#include "examples.h"

typedef struct WeightFit
{
	EvWeights	weights;
	int64_t    *questions;		/* by key: the examples that it was fitted to */
	int			discount;		/* place of the weights' one in ev_discounts */
	int			rules_discount; /* of the one with which rules alone rank best */
} WeightFit;

/* Bytes that weights_fit takes from its arena. */
extern size_t weights_bytes(int64_t examples, int32_t keys);

/* False when the arena is empty. */
extern bool weights_fit(Arena *arena, Pool *pool, const EvExamples *examples, WeightFit *fit);

#endif							/* HKG_EVIDENCE_WEIGHTS_H */
