/*
 * hold_out.h
 *		Facts that are held out in place of a valid split, where the graph has none.
 *
 * They choose the best iteration, and weights of evidence, probabilities and thresholds are learnt from them.
 * Embeddings and mined rules of the iterations are learnt without them; the refit and the last search for path
 * rules use all facts.
 */
#ifndef HKG_TRAIN_HOLD_OUT_H
#define HKG_TRAIN_HOLD_OUT_H

#include "server/compat.h"

#include "graph/graph.h"

/* The most that are held out of that many facts; 0 where they would be too few to learn from. */
extern int64 hold_out_size(double share, int64 facts);

/*
 * Draws facts; returns them in order.  `rest` becomes the graph without them, NULL when none are drawn.  Every
 * entity and relation keeps a fact.  All in the current context.
 */
extern Triple *hold_out_draw(const GraphData *data, double share, uint64 seed, GraphData **rest, int64 *count);

/* NOTICE that `count` of the graph's facts are held out. */
extern void hold_out_notice(const char *graph, int64 count, int64 facts);

#endif							/* HKG_TRAIN_HOLD_OUT_H */
