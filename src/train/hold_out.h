/*
 * hold_out.h
 *		Facts that stand in for a valid split, where the graph has none.
 *
 * All that such a split is for is learnt from them: the best iteration, the weights of evidence, probabilities and
 * thresholds.  Until then neither embeddings nor rules see them; then they are learnt like all others (procedure_refit).
 */
#ifndef HKG_TRAIN_HOLD_OUT_H
#define HKG_TRAIN_HOLD_OUT_H

#include "server/compat.h"

#include "graph/graph.h"

/* How many of so many facts are held out at most; 0 where they would be too few to learn from. */
extern int64 hold_out_size(double share, int64 facts);

/*
 * Draws facts, in order; `rest` gets the graph without them, NULL when none are drawn.  Every entity and relation keeps a
 * fact.  All in the current context.
 */
extern Triple *hold_out_draw(const GraphData *data, double share, uint64 seed, GraphData **rest, int64 *count);

/* NOTICE that so many of so many facts are held out. */
extern void hold_out_notice(const char *graph, int64 count, int64 facts);

#endif							/* HKG_TRAIN_HOLD_OUT_H */
