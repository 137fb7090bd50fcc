/*
 * learner.h
 *		The embeddings as they are learnt: epochs.
 */
#ifndef HKG_TRAIN_LEARNER_H
#define HKG_TRAIN_LEARNER_H

#include "server/compat.h"

#include "rules/mine.h"
#include "train/partitions/partition_memory.h"
#include "train/positives.h"
#include "train/settings.h"
#include "train/training_facts.h"

/* Which embeddings are in memory, which has room for one set of them */
typedef enum Embeddings
{
	EMBEDDINGS_LATEST,			/* those of the last epoch */
	EMBEDDINGS_BEST,			/* those of the best iteration, see best_iteration.c */
	EMBEDDINGS_REFITTED			/* the best, after more epochs on all facts */
} Embeddings;

typedef struct Learner
{
	KgeModel	model;			/* where it is partitioned, its entities are in a file that is mapped to memory */
	PartitionMemory partitions;
	Embeddings	embeddings;		/* of the model */
	Positives	positives;		/* of the next epoch */
	KgeTraining training;
	KgeTrainer *trainer;		/* NULL where it is partitioned */
	Pool	   *pool;
} Learner;

/* The sizes alone, without memory */
extern Learner learner_sizes(const TrainSettings *settings, const TrainingFacts *facts);
extern Size learner_entity_bytes(const Learner *learner);	/* of all entities */
extern Size learner_relation_bytes(const Learner *learner);
extern Size learner_memory_bytes(const Learner *learner);	/* of all relations, and of the entities in memory */

/* Takes all memory, in the current context; sets initial embeddings, or those of the graph's model for a warm start. */
extern void learner_open(Learner *learner, Graph *graph, const TrainSettings *settings, const TrainingFacts *facts,
						 bool in_worker);

/* Moves the entities to where the constraint of the training bounds them, as each of its steps does. */
extern void learner_constrain(Learner *learner);

/* As kge_trainer_state, of all entities */
extern bool learner_state(const Learner *learner, int i, float **values, size_t *count);

/* A pass over the facts that fills the state of the optimizer and moves no embedding: for a warm start. */
extern void learner_observe(Learner *learner, const TrainingFacts *facts);

/*
 * One pass over the positives; `epoch` counts from 0, over all iterations.  Returns the mean loss, NaN when it
 * diverged.
 */
extern double learner_epoch(Learner *learner, uint64 epoch);

/* The process lets go of the pages of its file, if there is one, that it has looked at. */
extern void learner_forget(const Learner *learner);

/* Deletes its file, if there is one; the embeddings stay until the memory goes. */
extern void learner_close(Learner *learner);

/*
 * Of these rules, those with one atom and at least that PCA confidence become entailments of the embeddings, whose
 * constraint has some; in the current context.  ERROR 53200 when they would not fit hybridkg.max_memory.
 */
extern void learner_entail(Learner *learner, const GraphData *data, const MinedRules *rules, double least_confidence);

/* ---- warm start (warm_start.c) --------------------------------------------------- */

/*
 * ERROR 42704 when there is no model of that name, 55000 when it has no embeddings, 22023 when they are of another
 * score function or size than `model`.
 */
extern void warm_start_check(Graph *graph, const char *name, const KgeModel *model);

/* Replaces initial values by those of the model of that name; new entities are placed by their neighbours. */
extern void warm_start_fill(Graph *graph, const char *name, const GraphData *data, KgeModel *model);

#endif							/* HKG_TRAIN_LEARNER_H */
