/*
 * confidence.h
 *		Embedding confidence and quality of mined rules, and the K best of them
 *		(SPEC section 4).
 */
#ifndef HKG_RULES_CONFIDENCE_H
#define HKG_RULES_CONFIDENCE_H

#include "server/compat.h"

#include "mine.h"

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
 * as selected.  What bodies yield is kept with the graph, within hybridkg.max_memory, for the next call and
 * for infer: the facts must not change meanwhile.
 */
extern void rate_rules(Graph *graph, const GraphData *data, const KgeModel *kge,
					   Pool *pool, MinedRules *rules, const Rating *rating);

/* The same by a trained model, once; ERROR 55000 when its entities and relations are not those of the graph. */
extern void rate_by_model(Graph *graph, const char *model, MinedRules *rules, const Rating *rating);

#endif							/* HKG_RULES_CONFIDENCE_H */
