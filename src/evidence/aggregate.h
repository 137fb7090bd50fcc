/*
 * aggregate.h
 *		The confidences of the rules that fire for a candidate, combined into one number; and that
 *		number with the embedding's score.
 */
#ifndef HKG_EVIDENCE_AGGREGATE_H
#define HKG_EVIDENCE_AGGREGATE_H

#include "answer.h"

#include "kge/kge.h"

/*
 * The evidence for a candidate: log(1 + s / 0.01), s = sum over i = 0, 1, ... of discount^i * -log(1 - c_i), c_i
 * the confidences of the firing rules, falling.  With discount 1, 1 - exp(-s) is the noisy-or of rules of
 * different clusters; with 0 the most confident rule counts alone, and the next ones where it is equal.  The
 * logarithm makes a rule's confidence comparable with the log-probability of a score.
 */
extern double ev_evidence(const EvCandidate *candidate, double discount);

/* The share of the i-th firing rule in s, in 0 .. 1. */
extern double ev_share(const EvCandidate *candidate, double discount, int i);

/* How evidence is combined with scores */
typedef struct EvWeights
{
	double		discount;
	double	   *weight;			/* by 2 * relation + side; NULL: all 1 */
	double	   *scale;			/* likewise; the score is scale * (phi + weight * evidence) */
} EvWeights;

/* What a prediction is made from */
typedef enum EvKind
{
	EV_EMBEDDING,
	EV_RULES,
	EV_BOTH,
	EV_KINDS
} EvKind;

/*
 * The probability of a candidate is 1 / (1 + exp(-(score_slope * phi + evidence_slope * evidence + offset))).
 * It depends on these two and not on the combined score: weights put the candidates of one question
 * in order, which does not make scores of different questions comparable.
 */
typedef struct EvCalibration
{
	double		score_slope;
	double		evidence_slope;
	double		offset;
	double		error;			/* expected calibration error, on questions that were not fitted */
} EvCalibration;

/* Evidence as an adjustment of scores, for the threads of a pool */
typedef struct EvAdjuster
{
	const EvFacts *facts;
	EvWeights	weights;
	int			threads;
	EvAnswering **answering;	/* of each thread */
	KgeAddition **addition;		/* likewise, room for all candidates */
} EvAdjuster;

extern size_t ev_adjuster_bytes(const EvFacts *facts, int threads);

/* False when the arena is empty. */
extern bool ev_adjuster(Arena *arena, const EvFacts *facts, const EvRules *rules, EvWeights weights,
						int threads, EvAdjuster *adjuster);

/* Adds the evidence, with the adjuster's weights. */
extern KgeAdjustment ev_adjustment(EvAdjuster *adjuster);

#endif							/* HKG_EVIDENCE_AGGREGATE_H */
