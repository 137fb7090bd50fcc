/*
 * best.h
 *		The embeddings of the best iteration, put aside while training goes on.
 */
#ifndef HKG_BEST_H
#define HKG_BEST_H

#include "procedure.h"

/* Puts those of procedure->model aside, in the place of what was put there before. */
extern void best_put(Procedure *procedure);

/* Makes them procedure->model's. */
extern void best_get(Procedure *procedure);

/* Nothing is aside any more. */
extern void best_close(Procedure *procedure);

#endif							/* HKG_BEST_H */
