/*
 * evidence_rules.h
 *		The rules of a model that are evidence at prediction, in rows.
 */
#ifndef HKG_MODEL_EVIDENCE_RULES_H
#define HKG_MODEL_EVIDENCE_RULES_H

#include "server/compat.h"

#include "evidence/evidence.h"
#include "graph/graph.h"

/*
 * The rules that have an evidence_confidence, as far as `data` has rows for all that they name; in the current
 * context.  ERROR 53200 when they would not fit hybridkg.max_memory.
 */
extern EvRuleSet evidence_read_rules(const Graph *graph, const char *model, const GraphData *data);

#endif							/* HKG_MODEL_EVIDENCE_RULES_H */
