/*
 * model_share.h
 *		A model, and the facts, rules and path network of its evidence, as parts of a copy that all processes share.
 */
#ifndef HKG_MODEL_MODEL_SHARE_H
#define HKG_MODEL_MODEL_SHARE_H

#include "server/compat.h"

#include "model_evidence.h"
#include "server/shared_copy.h"

/* Room for the parts of either */
typedef struct ModelParts
{
	int			count;
	CopyPart	part[COPY_PARTS];
} ModelParts;

extern ModelParts model_parts(const Model *model);

/* Fills in numbers and ids of a model that has all else (model_read_settings).  The rest of it is in that context. */
extern void model_over_copy(const SharedCopy *copy, MemoryContext context, Model *model);

/* In the current context.  Facts, rules and network of `evidence` alone: weights are read by each process. */
extern ModelParts evidence_parts(const Evidence *evidence);

/* Fills in facts, rules and network, which is in the current context but for its parameters. */
extern void evidence_over_copy(const SharedCopy *copy, Evidence *evidence);

#endif							/* HKG_MODEL_MODEL_SHARE_H */
