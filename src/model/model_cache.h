/*
 * model_cache.h
 *		The copies of models, with their evidence, that a backend keeps for its next calls.
 */
#ifndef HKG_MODEL_MODEL_CACHE_H
#define HKG_MODEL_MODEL_CACHE_H

#include "server/compat.h"

#include "model.h"
#include "model_evidence.h"

/*
 * The model as the caller's snapshot shows it.  Lives until the current context is reset.  Errors are those of
 * model_read_row and model_read_shape.
 */
extern const Model *model_open(Graph *graph, const char *name);

/* The copy of that serial, if this backend still has it; else NULL. */
extern const Model *model_recall(uint64 serial);

/*
 * The evidence of an opened model's rules; NULL when it has none.  `answering` is for one question at a
 * time.  Both use the facts that the active snapshot shows, and live until the current context is
 * reset; where *serial is not 0, as long as model_has_evidence.
 */
extern const Evidence *model_evidence(Graph *graph, const Model *model, EvAnswering **answering, uint64 *serial);

/* Whether the evidence of that serial is still there. */
extern bool model_has_evidence(const Model *model, uint64 serial);

#endif							/* HKG_MODEL_MODEL_CACHE_H */
