/*
 * checkpoint.h
 *		The state of a training between two iterations, as rows of the graph: another process that goes on from there
 *		gets the same bits.
 */
#ifndef HKG_TRAIN_CHECKPOINT_H
#define HKG_TRAIN_CHECKPOINT_H

#include "server/compat.h"

#include "procedure.h"

/* Before the first iteration: the settings. */
extern void checkpoint_begin(Graph *graph, const TrainSettings *settings);

/* After an iteration: the state. */
extern void checkpoint_save(Procedure *procedure);

/* ERROR 55000 where no training of that model was interrupted. */
extern void checkpoint_settings(Graph *graph, const char *model, TrainSettings *settings);

/*
 * Brings a procedure that was just opened to the last iteration that was saved, in the current context.  ERROR 55000
 * when the graph has changed since, 22000 when the rows are damaged.
 */
extern void checkpoint_load(Procedure *procedure);

#endif							/* HKG_TRAIN_CHECKPOINT_H */
