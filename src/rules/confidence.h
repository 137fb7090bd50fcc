/*
 * confidence.h
 *		Embedding confidence and quality of mined rules, and the K best of them
 *		(SPEC section 4).
 */
#ifndef HKG_RULES_CONFIDENCE_H
#define HKG_RULES_CONFIDENCE_H

#include "server/compat.h"

#include "body_pairs.h"
#include "mine.h"
#include "kge/kge.h"

typedef struct Rating
{
	double		omega;
	int			sample;			/* predictions that each rule is measured on; 0: all */
	int			top;			/* K; < 0: every rule is rated */
	double		min_quality;	/* of the K best */
} Rating;

/*
 * Fills embedding_confidence, confidence_error, quality and kept of the mined rules by `kge`.
 * With top < 0 of every rule; else only as far as it takes to settle
 * exactly which rules are the `top` of highest quality among those kept, of quality
 * >= min_quality, that infer anything (ties by support, then by text), which are then marked
 * as selected.
 */
extern void rate_rules(BodyPairs *pairs, const GraphData *data, const KgeModel *kge,
					   Pool *pool, MinedRules *rules, const Rating *rating);

#endif							/* HKG_RULES_CONFIDENCE_H */
