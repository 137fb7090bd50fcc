/*
 * learn_evidence.h
 *		Learning how a model weighs evidence.
 */
#ifndef HKG_MODEL_LEARN_EVIDENCE_H
#define HKG_MODEL_LEARN_EVIDENCE_H

#include "server/compat.h"

#include "core/pool.h"
#include "evidence/evidence.h"
#include "graph/graph.h"

/*
 * Learns the weights of a model from the valid split (rows of `data`, as those of kge) and writes
 * them; without one, writes the usual ones.
 */
extern void evidence_learn(Graph *graph, const char *model, const GraphData *data, const KgeModel *kge,
						   Pool *pool, const Triple *valid, int64 valid_count);

/* What that takes beside its arguments, of a model with such rules: once as they are read, and once as they are used. */
extern uint64 evidence_learn_bytes(const KgeModel *kge, const GraphData *data, const EvRuleSet *rules,
								   int64 valid_count, int threads);

#endif							/* HKG_MODEL_LEARN_EVIDENCE_H */
