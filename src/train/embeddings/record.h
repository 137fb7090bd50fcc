/*
 * record.h
 *		What a training writes to the graph's tables, beside embeddings, rules and weights.
 */
#ifndef HKG_TRAIN_RECORD_H
#define HKG_TRAIN_RECORD_H

#include "server/compat.h"

#include "datatype/timestamp.h"

#include "kge/rank.h"
#include "sampling.h"
#include "train/settings.h"

/* A row of table iteration */
typedef struct Iteration
{
	int			number;			/* 1 first */
	double		loss;
	bool		evaluated;		/* metrics are there */
	KgeMetrics	metrics;		/* on the valid split */
	double		mrr_error;		/* its standard error; 0 where all of the split was ranked */
	int64		ranked;			/* triples of the split */
	int			rules;			/* selected */
	int64		inferred;		/* triples that they infer */
	int64		sampled;		/* of those */
	double		train_seconds;
	double		mine_seconds;
	double		sample_seconds;
	double		evaluate_seconds;
} Iteration;

/* Before a training reads anything (see graph_lock_models).  ERROR 42501 unless the user may write all that it writes. */
extern void record_lock_tables(const Graph *graph);

/*
 * Creates the model's row, with status "training", unless there is one: then the old model stays until
 * record_replace.
 */
extern void record_begin(Graph *graph, const TrainSettings *settings);

extern void record_iteration(Graph *graph, const char *model, const Iteration *iteration);

/* A row of table path_epoch, which has no rules. */
extern void record_path_epoch(Graph *graph, const char *model, const Iteration *epoch);

/* Writes what was drawn to a table of its own, where it waits for record_replace. */
extern void record_sample(Graph *graph, const char *model, int iteration, const GraphData *data, const Sample *sample);

/*
 * Deletes the old model's rows; the samples become those of the model.  With `last` the training needs none of its own
 * rows any more.
 */
extern void record_replace(Graph *graph, const TrainSettings *settings, bool last);

extern void record_status(Graph *graph, const char *model, const char *status);

/* When its training began, or that of the model that it replaces: by this its row is found, whatever its name. */
extern TimestampTz record_began(Graph *graph, const char *model);

/* Whether that row has that name still; nobody deletes or renames it until the transaction ends. */
extern bool record_is_there(Graph *graph, const char *model, TimestampTz began);

/* The statement that called for a training: its session, and when */
typedef struct TrainingCall
{
	int			pid;
	TimestampTz started_at;
} TrainingCall;

/* The training of the row that is under way, whatever its name is by now, failed or was cancelled. */
extern void record_failure(Graph *graph, TimestampTz began, const TrainingCall *call, const char *status);

/* Where the old model stays: ends the training without a change of it.  It learnt from so many facts. */
extern void record_keep(Graph *graph, const char *model, const TrainingCall *call, int64 facts);

/* An early model is written, from that iteration. */
extern void record_written(Graph *graph, const char *model, const Iteration *best);

/* The model is ready, from that iteration. */
extern void record_end(Graph *graph, const char *model, const Iteration *best, const TrainingCall *call, int64 facts);

/* Whether a model of that name answers: it has embeddings or rules. */
extern bool record_answers(Graph *graph, const char *model);

#endif							/* HKG_TRAIN_RECORD_H */
