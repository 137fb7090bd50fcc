/*
 * best_iteration.h
 *		What is kept of the best iteration while training goes on.
 */
#ifndef HKG_TRAIN_BEST_ITERATION_H
#define HKG_TRAIN_BEST_ITERATION_H

#include "server/compat.h"

#include "storage/buffile.h"

#include "learner.h"
#include "record.h"

typedef struct BestIteration
{
	Iteration	iteration;		/* number 0: none yet */
	MinedRule  *rule;			/* all rules, with the quality that they had */
	BufFile    *file;			/* its embeddings, when they were stored */
	MemoryContext context;
	bool		in_worker;
} BestIteration;

/* Takes memory for that many rules, in the current context. */
extern void best_iteration_open(BestIteration *best, int64 rules, bool in_worker);

/* Stores the embeddings that are in memory, in the place of what was stored before. */
extern void best_iteration_store(BestIteration *best, const Learner *learner);

/* Brings its embeddings back to memory, unless they are there. */
extern void best_iteration_restore(BestIteration *best, Learner *learner);

/* Deletes the file. */
extern void best_iteration_close(BestIteration *best);

#endif							/* HKG_TRAIN_BEST_ITERATION_H */
