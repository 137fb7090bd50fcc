/*
 * warm_start.h
 *		A training that goes on from the embeddings of the model it will replace.
 */
#ifndef HKG_TRAIN_WARM_START_H
#define HKG_TRAIN_WARM_START_H

#include "server/compat.h"

#include "procedure.h"

/*
 * ERROR 42704 when there is no model of that name, 55000 when it has no embeddings,
 * 22023 when they are of another score function or size.
 */
extern void warm_start_check(const Procedure *procedure);

/* Over initial values: what the model knows, and places for the entities that it does not. */
extern void warm_start_fill(Procedure *procedure);

#endif							/* HKG_TRAIN_WARM_START_H */
