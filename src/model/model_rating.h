/*
 * model_rating.h
 *		The quality of rules by a trained model's embeddings.
 */
#ifndef HKG_MODEL_MODEL_RATING_H
#define HKG_MODEL_MODEL_RATING_H

#include "server/compat.h"

#include "rules/mine.h"

/*
 * As rate_rules, with that omega and sample.  ERROR 55000 when the model lacks entities or relations of the
 * graph.
 */
extern void rate_by_model(Graph *graph, const char *model, MinedRules *rules, double omega, int sample);

#endif							/* HKG_MODEL_MODEL_RATING_H */
