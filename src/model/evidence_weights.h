/*
 * evidence_weights.h
 *		How a model weighs evidence, as it was learnt: table evidence_weight and column evidence of table model.
 */
#ifndef HKG_MODEL_EVIDENCE_WEIGHTS_H
#define HKG_MODEL_EVIDENCE_WEIGHTS_H

#include "server/compat.h"

#include "evidence/evidence.h"
#include "graph/graph.h"

/* Names of the kinds, NULL-terminated: embedding, rules, both */
extern const char *const evidence_kinds[];

/*
 * The discounts of rules and of both; false when the model has no evidence.  ERROR 22000 when what was learnt is
 * damaged, here and below.
 */
extern bool evidence_read_discounts(const Graph *graph, const char *model, double *rules, double *both);

/* Weight and scale of the relations of `data`; the usual ones where there are none. */
extern void evidence_read_weights(Graph *graph, const char *model, const GraphData *data, EvWeights *weights);

/* How scores become probabilities, by kind */
extern void evidence_read_calibration(const Graph *graph, const char *model, EvCalibration *calibration);

/*
 * Writes what was learnt, in place of what was there; NULL: nothing was, and the usual weights count.  Thresholds
 * of scores that use evidence are deleted.
 */
extern void evidence_write_weights(const Graph *graph, const char *model, const GraphData *data, const EvLearnt *learnt);

/* Whether weights and probabilities were learnt. */
extern bool evidence_has_learnt(const Graph *graph, const char *model);

/*
 * What a model has learnt of weights, probabilities and thresholds, as a text, for a model that goes on from it and
 * takes its place; NULL when there is no such model.  with_rules: whether the new model has rules as evidence; else
 * only the thresholds of the embedding are restored.
 */
extern char *evidence_learnt(const Graph *graph, const char *model);
extern void evidence_restore(const Graph *graph, const char *model, const char *learnt, bool with_rules);

#endif							/* HKG_MODEL_EVIDENCE_WEIGHTS_H */
