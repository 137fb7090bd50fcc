/*
 * sampling.h
 *		A sample of the triples that the selected rules infer.
 */
#ifndef HKG_TRAIN_SAMPLING_H
#define HKG_TRAIN_SAMPLING_H

#include "server/compat.h"

#include "learner.h"
#include "rules/inference.h"
#include "rules/mine.h"
#include "train/hybrid.h"
#include "train/positives.h"

typedef struct Sample
{
	int			rules;			/* that are selected, and take part */
	int32	   *rule_id;		/* of each of them, as in table rule */
	double	   *worth;			/* of each of them (hybrid.h) */
	const Inferences *inferences;	/* of those rules; they name a rule by its place in rule_id */
	const Inferences *facts;	/* that they infer; NULL: nothing is learnt from them */
	float	   *score;			/* of each inference */
	int64		count;
	int64	   *drawn;			/* places in the inferences, ascending */
	double	   *probability;	/* of each drawn one */
} Sample;

/* What the selected rules infer beyond the facts, in the current context; nothing is drawn yet. */
extern Sample sampling_infer(BodyPairs *pairs, const HybridRules *rules, const Hybrid *hybrid,
							 const TrainingFacts *facts);

/* Draws from it: triples of a high score are more probable, unless the method draws evenly. */
extern void sampling_draw(Sample *sample, const Learner *learner, const TrainSettings *settings, int iteration);

/* Finds anew what the rules are worth, where the method learns it; after sampling_draw, which fills the scores. */
extern void sampling_learn(Sample *sample, const Hybrid *hybrid);

/* The drawn triples, each with what it is worth by the rules that infer it; in the current context. */
extern InferredPositive *sampling_positives(const Sample *sample, const Hybrid *hybrid);

#endif							/* HKG_TRAIN_SAMPLING_H */
