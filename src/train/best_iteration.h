/*
 * best_iteration.h
 *		The embeddings of the best iteration, put aside while training goes on.
 */
#ifndef HKG_TRAIN_BEST_ITERATION_H
#define HKG_TRAIN_BEST_ITERATION_H

#include "procedure.h"

/* Puts those of procedure->model aside, in the place of what was put there before. */
extern void best_iteration_put(Procedure *procedure);

/* Makes them procedure->model's. */
extern void best_iteration_get(Procedure *procedure);

/* Nothing is aside any more. */
extern void best_iteration_close(Procedure *procedure);

#endif							/* HKG_TRAIN_BEST_ITERATION_H */
