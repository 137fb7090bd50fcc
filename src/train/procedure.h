/*
 * procedure.h
 *		The procedure (SPEC section 6) as steps, so that one who runs it may
 *		commit between two of them:
 *
 *		procedure_open;
 *		while (!procedure_is_done) { procedure_learn; procedure_infer; }
 *		procedure_refit;
 *		procedure_finish
 */
#ifndef HKG_TRAIN_PROCEDURE_H
#define HKG_TRAIN_PROCEDURE_H

#include "server/compat.h"

#include "storage/buffile.h"

#include "progress.h"
#include "record.h"
#include "settings.h"

/* An inferred triple among the positives. */
typedef struct Positive
{
	Triple	triple;
	float		weight;
} Positive;

typedef struct Procedure
{
	Graph	   *graph;
	TrainSettings settings;
	bool		in_worker;		/* in many transactions, by a process of its own; else all of it in the caller's */
	MemoryContext lasting;		/* all of this */
	MemoryContext scratch;		/* of one iteration */
	TrainingProgress *progress;

	GraphData  *data;			/* with the facts that are learnt from */
	GraphData  *all;			/* with those that are held out, too; NULL when none are */
	char	   *copy;			/* the table of those that are learnt from, as a statement names it; NULL: it is table triple */
	int64		sample_size;	/* n */
	Triple  *valid;			/* the split, or facts that are held out in its place */
	int64		valid_count;
	char	   *learnt;			/* without either: from the model that it goes on from, see evidence_learnt */
	Triple  *known;			/* facts and holdout: the filter of ranking */
	int64		known_count;

	Pool    *pool;
	KgeModel	model;			/* Theta_i */
	KgeTrainer *trainer;

	int64		max_samples;
	int64		max_positives;
	Triple  *positive;		/* G+_{i-1}: the facts, then the samples that are none */
	float	   *weight;			/* NULL when all weigh 1 */
	int64		positives;
	Positive   *sample;			/* the samples, ordered by triple */
	int64		samples;

	MinedRules *rules;			/* NULL without rules */
	BodyPairs  *pairs;			/* of their bodies */
	double		mine_seconds;	/* that counting them took, until an iteration tells */
	int			done;			/* iterations */
	Iteration	iteration;		/* the one at work */
	Iteration	best;
	BufFile    *aside;			/* the best iteration's embeddings, if it was put there (best_iteration.h) */
	MinedRule  *best_rule;
} Procedure;

/*
 * Reads the graph and checks that it can be learnt from within hybridkg.max_memory;
 * `graph`, `settings` and `in_worker` are set.
 */
extern void procedure_read(Procedure *procedure);

/* After procedure_read: takes all memory, sets initial values, counts rules; no iteration is done. */
extern void procedure_open(Procedure *procedure);

extern bool procedure_is_done(const Procedure *procedure);

/* The epochs of the next iteration, and its metrics: no SQL, no snapshot. */
extern void procedure_learn(Procedure *procedure);

/* The rest of the iteration: rules and samples. */
extern void procedure_infer(Procedure *procedure);

/* With facts held out: the best embeddings are trained on with all facts.  No SQL, no snapshot. */
extern void procedure_refit(Procedure *procedure);

/* The model becomes the one of its name. */
extern void procedure_finish(Procedure *procedure);

/* ERROR 55000 unless there is something to learn from. */
extern void procedure_check(const Procedure *procedure);

/* From the settings and the graph's sizes: the model without its matrices, sample_size, max_positives. */
extern void procedure_describe(Procedure *procedure);

/* What the pure half is told of the settings */
extern KgeTraining procedure_training(const Procedure *procedure);

/* Sizes of the model's matrices */
extern size_t procedure_entity_bytes(const Procedure *procedure);
extern size_t procedure_relation_bytes(const Procedure *procedure);

/* From the facts and the samples, each triple once. */
extern void procedure_set_positives(Procedure *procedure);

#endif							/* HKG_TRAIN_PROCEDURE_H */
