/*
 * learn.h
 *		What learning from examples is made of.
 *
 * An example is a question with its true answer, as a list of candidates: the truth first, then
 * those of the highest scores and those of the most evidence, each with its score and its evidence.
 * examples.c writes these lists; weights.c and calibration.c read nothing else.
 */
#ifndef HKG_EVIDENCE_LEARN_H
#define HKG_EVIDENCE_LEARN_H

#include "evidence.h"

#include "kge/engine.h"
#include "kge/question.h"
#include "core/allocation.h"
#include "core/pool.h"

#define BY_SCORE 64				/* candidates of an example that its scores choose */
#define BY_EVIDENCE 64
#define DISCOUNTS 5
#define AT_ONCE 64				/* examples of a thread's item */
#define STEPS 30				/* of Newton's method, at most */

extern const double learn_discounts[DISCOUNTS];

typedef struct Listed
{
	float		phi;
	float		evidence[DISCOUNTS];	/* with each of the discounts */
} Listed;

typedef struct Example
{
	int32_t		key;			/* 2 * relation + side */
	int32_t		count;
	Listed	   *listed;			/* the truth first */
} Example;

typedef struct Examples
{
	int32_t		keys;
	Example    *example;		/* by 2 * triple + side */
	int64_t    *order;			/* examples by key */
	int64_t    *first;			/* by key: its first in order; and the end */
} Examples;

/* The i-th in order */
static inline const Example *
example_at(const Examples *examples, int64_t i)
{
	return &examples->example[examples->order[i]];
}

static inline int64_t
examples_count(const Examples *examples)
{
	return examples->first[examples->keys];
}

/* One thread's, opaque */
typedef struct Choice Choice;

/* ---- examples.c */

typedef struct Listing
{
	Pool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const Triple *triples;
	int64_t		count;
	KgeQuestions questions;
	EvAdjuster		adjuster;
	Choice	   *choice;			/* of each thread */
	Examples	examples;
} Listing;

/* Lays it out; `pool`, `model`, `engine`, `count` and `adjuster` are set. */
extern void listing_take(Listing *listing, Allocation *allocation, int64_t known, int threads);

/* Fills the lists of `triples`; known answers are no candidates. */
extern void listing_fill(Listing *listing, const Triple *known, int64_t known_count);

/* ---- weights.c */

typedef struct Sums Sums;

typedef struct Weighing
{
	Pool    *pool;
	const Examples *examples;
	Sums	   *partial;		/* of each item */
	Sums	   *common;			/* of the common fit, an example's */
	int			discount;		/* with which it is fitted */
	int			alone;			/* that of rules alone */
	double		a,				/* to all examples: score = a * phi + b * evidence */
				b;
	double	   *fitted_a;		/* by key */
	double	   *fitted_b;
} Weighing;

extern void weighing_take(Weighing *weighing, Allocation *allocation, int64_t examples, int32_t keys);

/* The discount, and weights and scales with it; see ev_learn. */
extern void learn_weights(Weighing *weighing, EvLearnt *learnt);

/* ---- calibration.c */

typedef struct Regression Regression;

#define FEATURES 3				/* phi, evidence and 1 */

typedef struct Calibrating
{
	Pool    *pool;
	const Examples *examples;
	int			discount[EV_KINDS];
	EvKind		kind;			/* that is calibrated */
	Regression *partial;		/* of each item */
	bool		used[FEATURES];
	double		coefficient[FEATURES];
	int			parity;			/* examples of that parity only; -1: all */
	double		target[2];		/* of what is false, and of what is true */
} Calibrating;

extern void calibrating_take(Calibrating *calibrating, Allocation *allocation, int64_t examples);

/* Of each kind of evidence. */
extern void learn_calibration(Calibrating *calibrating, EvLearnt *learnt);

#endif							/* HKG_EVIDENCE_LEARN_H */
