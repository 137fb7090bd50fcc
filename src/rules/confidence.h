/*
 * confidence.h
 *		Embedding confidence and quality of mined rules, batch by batch.
 */
#ifndef HKG_RULES_CONFIDENCE_H
#define HKG_RULES_CONFIDENCE_H

#include "server/compat.h"

#include "body_pairs.h"
#include "mine.h"
#include "kge/kge.h"

/* What quality is measured by: the scores of kge, for rules whose bodies are in pairs */
typedef struct RatingModel
{
	BodyPairs  *pairs;
	const GraphData *data;
	const KgeModel *kge;
	Pool	   *pool;
	double		omega;			/* weight of embedding confidence */
	int			sample;			/* predictions that each rule is measured on; 0: all */
} RatingModel;

typedef struct Rater Rater;

/* In the current context. */
extern Rater *rater_create(const RatingModel *model, MinedRules *rules);

/*
 * Fills embedding_confidence, confidence_error and quality of the rules at these positions, all of which infer
 * something.  A rule that turns out to stay below least_quality may be left without.
 */
extern void rater_rate(Rater *rater, const int32 *positions, int32 count, double least_quality);

#endif							/* HKG_RULES_CONFIDENCE_H */
