/*
 * evaluate.h
 *		The filtered ranks of a split under a model.
 */
#ifndef HKG_PREDICT_EVALUATE_H
#define HKG_PREDICT_EVALUATE_H

#include "rank_task.h"

/* The seed draws the places of ties, and a sample of that many triples, unless that is 0. */
extern SplitRanks rank_split(Graph *graph, const char *model, const char *split, int64 seed, EvKind kind, int sample);

/* Keeps triples and ranks alone, in the current context: all else is freed, before another ranking. */
extern void ranks_end(SplitRanks *ranks);

/* ERROR 55000 unless both are of the same triples: the split is read for each, and a policy may hide some at random. */
extern void ranks_check_alike(const SplitRanks *a, const SplitRanks *b);

/* NOTICE with the statements that fill the split, where it has no triples. */
extern void notice_empty_split(const Graph *graph, const char *split, const SplitRanks *ranks);

#endif							/* HKG_PREDICT_EVALUATE_H */
