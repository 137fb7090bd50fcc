/*
 * checkpoint.h
 *		The state of a training between two iterations, as rows of the graph, so that
 *		another process may go on from there to the same bits.
 */
#ifndef HKG_TRAIN_CHECKPOINT_H
#define HKG_TRAIN_CHECKPOINT_H

#include "server/compat.h"

#include "procedure.h"

/* Before the first iteration: what the training was asked for. */
extern void checkpoint_begin(Graph *graph, const TrainSettings *settings);

/* After an iteration: where it is. */
extern void checkpoint_save(Procedure *procedure);

/* ERROR 55000 where there is nothing to go on from. */
extern void checkpoint_settings(Graph *graph, const char *model, TrainSettings *settings);

/*
 * Brings an open procedure to the last iteration that was saved.  ERROR 55000 when the
 * graph is not the one that was learnt from, 22000 when the rows are damaged.
 */
extern void checkpoint_load(Procedure *procedure);

#endif							/* HKG_TRAIN_CHECKPOINT_H */
