/*
 * answer_sets.h
 *		The types of a graph's relations, as sets of the entities that may answer (facts/answer_types.h).
 */
#ifndef HKG_MODEL_ANSWER_SETS_H
#define HKG_MODEL_ANSWER_SETS_H

#include "server/compat.h"

#include "facts/answer_types.h"
#include "graph/graph.h"

/* Whether any relation has types. */
extern bool answer_sets_exist(const Graph *graph);

/* In the current context, of an index with these relations; NULL: no relation has types. */
extern const AnswerSet *answer_sets_read(const Graph *graph, const int32 *relation_id, const FactIndex *facts);

#endif							/* HKG_MODEL_ANSWER_SETS_H */
