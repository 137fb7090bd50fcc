/*
 * examples.h
 *		Questions with their true answers, as lists of candidates to learn weights and calibration from.
 *
 * The true answer is listed first, then the candidates of the highest scores and those of the most
 * evidence, each with its score and its evidence.  weights.c and calibration.c read nothing else.
 */
#ifndef HKG_EVIDENCE_EXAMPLES_H
#define HKG_EVIDENCE_EXAMPLES_H

#include "evidence.h"

#define EV_BY_SCORE 64			/* candidates of an example that are chosen by score */
#define EV_BY_EVIDENCE 64
#define EV_DISCOUNTS 5

extern const double ev_discounts[EV_DISCOUNTS];

typedef struct EvListed
{
	float		phi;
	float		evidence[EV_DISCOUNTS]; /* with each of the discounts */
} EvListed;

typedef struct EvExample
{
	int32_t		key;			/* 2 * relation + side */
	int32_t		count;
	EvListed   *listed;			/* the true answer first */
} EvExample;

typedef struct EvExamples
{
	int32_t		keys;
	EvExample  *example;		/* by 2 * triple + side */
	int64_t    *order;			/* examples by key; without those that have no candidates */
	int64_t    *first;			/* by key: its first in order; and the end */
} EvExamples;

/* Bytes that ev_examples will take from its arena: facts' counts and the model's sizes are enough. */
extern size_t ev_examples_bytes(const EvExampleSource *source, int threads);

/* The examples of the triples, or of an even part of many; false when the arena is empty. */
extern bool ev_examples(Arena *arena, Pool *pool, const EvExampleSource *source, EvExamples *examples);

/* How many ev_examples makes at most. */
extern int64_t ev_examples_most(const EvExampleSource *source);

/* The i-th in order */
static inline const EvExample *
ev_example(const EvExamples *examples, int64_t i)
{
	return &examples->example[examples->order[i]];
}

static inline int64_t
ev_examples_count(const EvExamples *examples)
{
	return examples->first[examples->keys];
}

/* Fits weights and their discount; `discount`: the place in ev_discounts of the one that each kind of prediction uses. */
extern size_t weights_bytes(int64_t examples, int32_t keys);
extern bool weights_fit(Arena *arena, Pool *pool, const EvExamples *examples, EvLearnt *learnt, int *discount);

/* Fits the calibration of each kind of prediction. */
extern size_t calibration_bytes(int64_t examples);
extern bool calibration_fit(Arena *arena, Pool *pool, const EvExamples *examples, const int *discount,
							EvCalibration *calibration);

#endif							/* HKG_EVIDENCE_EXAMPLES_H */
