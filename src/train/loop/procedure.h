/*
 * procedure.h
 *		A training, which learns embeddings and rules in turn, then a path network:
 *
 *		procedure_read(procedure);
 *		procedure_open(procedure);
 *		procedure_look_back(procedure);
 *		procedure_run(procedure);
 */
#ifndef HKG_TRAIN_PROCEDURE_H
#define HKG_TRAIN_PROCEDURE_H

#include "server/compat.h"

#include "storage/buffile.h"

#include "plan.h"
#include "rules/body_pairs.h"
#include "server/progress.h"
#include "train/embeddings/learner.h"
#include "train/embeddings/record.h"
#include "train/embeddings/valid_ranking.h"
#include "train/nodes/node_rating.h"
#include "train/paths/path_learning.h"
#include "train/paths/path_rules.h"
#include "train/settings.h"
#include "train/training_facts.h"

/* What is kept of the best iteration while training goes on */
typedef struct BestIteration
{
	Iteration	iteration;		/* number 0: none yet */
	MinedRule  *rule;			/* all rules, with the quality that they had */
	BufFile    *file;			/* its embeddings, when they were stored */
	MemoryContext context;
	bool		in_worker;
} BestIteration;

/* Models that answer before the end, each better than the one before (procedure.c) */
typedef struct EarlyModel
{
	bool		wanted;			/* no other model of that name answers */
	int64		triples;		/* of the valid split, by which all of them are weighed and ranked; 0: none was made */
	double		mrr;			/* of the one that answers, on these */
	int			iteration;		/* the best one when the last was made */
	int			path_epoch;
	double		began;			/* that, in seconds since the training was called */
	double		seconds;		/* that it took */
} EarlyModel;

typedef struct Procedure
{
	/* the caller's */
	Graph	   *graph;
	TrainSettings settings;
	bool		in_worker;		/* over many transactions, in a background worker; else in the caller's transaction */
	void		(*begin) (const struct Procedure *procedure);	/* the transaction that writes what a step has learnt */
	void		(*commit) (const struct Procedure *procedure);
	void		(*roll_back) (void);	/* of a worker */
	EarlyModel	early;			/* likewise: whether there are any */
	TimestampTz began;			/* in a worker: see record_began */
	TrainingCall call;
	Progress   *progress;		/* or NULL, to let procedure_read begin it */
	TrainingPlan plan;			/* its start; the rest by procedure_read */

	/* set by procedure_read */
	TrainingFacts facts;
	char	   *old_weights;	/* of a warm start without a valid split: what the old model learnt from one; or NULL */

	/* set by procedure_open */
	MemoryContext scratch;		/* of one iteration */
	BodyPairs  *pairs;			/* of rules' bodies, over facts.learnt */
	BodyPairs  *stated;			/* the same by SQL, which infers; NULL: they are joined in memory */
	MinedRules *rules;			/* NULL without rules.  An iteration changes their quality, never their counts */
	NodeRating *rating;			/* where nodes rate rules; NULL without rules */
	double		mine_seconds;	/* until the first iteration reports them */

	/* set by checkpoint_load */
	bool		resumed;		/* the training goes on from a checkpoint */

	/* changed by each iteration */
	Learner		learner;
	ValidRanking ranking;
	Iteration	iteration;		/* the one under way, or the last */
	int			done;			/* iterations */
	BestIteration best;

	PathRules  *path_rules;		/* NULL: not looked for yet */

	/* of the path network, after the iterations */
	PathLearning paths;			/* all 0 where none is learnt */
	PathNetwork *network;		/* what was learnt; or NULL */
} Procedure;

/*
 * Reads the graph.  ERROR 55000 when it cannot be learnt from, 53200 when that would not fit hybridkg.max_memory, 42501
 * without the rights of a training, 42704 for a model whose rules are wanted and which is not there, 22023 for more
 * partitions than entities.
 */
extern void procedure_read(Procedure *procedure);

/* Takes all memory, sets initial embeddings and counts rules. */
extern void procedure_open(Procedure *procedure);

/*
 * Ranks the model that a warm start goes on from, then moves entities to where a constraint bounds them.  No SQL, no
 * snapshot.
 */
extern void procedure_look_back(Procedure *procedure);

/* Whether all iterations were done, or as many as there was time or patience for. */
static inline bool
procedure_is_done(const Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;

	return procedure->done >= settings->iterations ||
		(settings->last_epoch > 0 && epochs_in(settings, procedure->done) >= settings->last_epoch) ||
		(settings->patience > 0 && procedure->done > 0 &&
		 procedure->done - procedure->best.iteration.number >= settings->patience);
}

/*
 * All iterations and the path network, then the model, which replaces the one of its name, unless it is worse than the
 * one that it went on from.  record_begin comes before.  Between commit and begin there is no SQL and no snapshot; in a
 * worker, each transaction also writes a checkpoint, and others write early models.
 */
extern void procedure_run(Procedure *procedure);

/* ---- the best iteration (best_iteration.c) ---------------------------------------- */

/* Takes memory for that many rules, in the current context. */
extern void best_iteration_open(BestIteration *best, int64 rules, bool in_worker);

/* Stores the embeddings that are in memory, in the place of what was stored before. */
extern void best_iteration_store(BestIteration *best, const Learner *learner);

/* Brings its embeddings back to memory, unless they are there. */
extern void best_iteration_restore(BestIteration *best, Learner *learner);

/* Deletes the file. */
extern void best_iteration_close(BestIteration *best);

/* ---- the state of a training, as rows of the graph (checkpoint.c) ------------------- */

/* Before the first iteration: the settings. */
extern void checkpoint_begin(Graph *graph, const TrainSettings *settings);

/* After an iteration: the state. */
extern void checkpoint_save(Procedure *procedure);

/* The same after an epoch of the path network. */
extern void checkpoint_save_paths(Procedure *procedure);

/* In the middle of an iteration that an error has ended: what nodes have learnt in it, unless it is half a step. */
extern void checkpoint_save_place(Procedure *procedure);

/* ERROR 55000 where no training of that model was interrupted. */
extern void checkpoint_settings(Graph *graph, const char *model, TrainSettings *settings);

/*
 * Brings a procedure that was just opened to what was saved last, in the current context.  ERROR 55000
 * when the graph has changed since, 22000 when the rows are damaged.
 */
extern void checkpoint_load(Procedure *procedure);

/* The same of a path network that was just opened, of which perhaps no epoch was saved. */
extern void checkpoint_load_paths(Procedure *procedure);

#endif							/* HKG_TRAIN_PROCEDURE_H */
