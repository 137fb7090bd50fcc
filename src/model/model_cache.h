/*
 * model_cache.h
 *		The models, with their evidence and new entities, that a backend keeps for its next calls.
 */
#ifndef HKG_MODEL_MODEL_CACHE_H
#define HKG_MODEL_MODEL_CACHE_H

#include "server/compat.h"

#include "model.h"
#include "model_evidence.h"
#include "rejected_answers.h"

/*
 * The model as the caller's snapshot shows it.  Lives until the current context is reset.  Errors are those of
 * model_read_row and model_read_shape.
 */
extern const Model *model_open(Graph *graph, const char *name);

/* The model of that serial, if this backend still has it; else NULL.  Lives until the current context is reset. */
extern const Model *model_recall(uint64 serial);

/* What a backend keeps of the facts for a model */
typedef struct ModelFacts
{
	const AddedEntities *added; /* entities that came after the training */
	const RejectedAnswers *rejected;	/* NULL: the caller may not read them */
	const Evidence *evidence;	/* of the model's rules; NULL: it has none, or was not read */
	EvAnswering *answering;		/* for one question at a time; NULL without evidence */
	uint64		serial;			/* 0: nothing is kept */
} ModelFacts;

/*
 * As the active snapshot shows the facts.  Lives until the current context is reset; where serial is not 0, a later call
 * has them for as long again by model_recall_facts.
 */
extern ModelFacts model_facts(Graph *graph, const Model *model, bool with_evidence);

/* Whether the facts of that serial are still there; if so, they live until the current context is reset. */
extern bool model_recall_facts(const Model *model, uint64 serial);

#endif							/* HKG_MODEL_MODEL_CACHE_H */
