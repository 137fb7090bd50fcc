/*
 * record.h
 *		What a training leaves in the graph's tables, as it goes.
 */
#ifndef HKG_TRAIN_RECORD_H
#define HKG_TRAIN_RECORD_H

#include "server/compat.h"

#include "rules/inference.h"
#include "settings.h"

/* One global iteration: a row of the table of that name. */
typedef struct Iteration
{
	int			number;			/* 1 first */
	double		loss;
	bool		evaluated;		/* metrics are there */
	KgeMetrics	metrics;		/* on the valid split */
	int			rules;			/* selected */
	int64		inferred;		/* |G_T| */
	int64		sampled;
	double		train_seconds;
	double		mine_seconds;
	double		sample_seconds;
	double		evaluate_seconds;
} Iteration;

/* What psi drew in one iteration. */
typedef struct Sample
{
	const Inferences *inferences;
	int64		count;
	int64	   *drawn;			/* positions in the inferences, ascending */
	double	   *probability;	/* of each drawn one */
	float	   *score;			/* phi of each inference (not only the drawn) */
	int32	   *rule_id;		/* ids of the rules that the inferences name */
} Sample;

/* ERROR 42501 unless the current user may write all that a training leaves. */
extern void record_require_rights(const Graph *graph);

/*
 * A model of that name is there; an old one stays, what it is replaced with is held
 * back: record_replace removes it and tells what was sampled.
 */
extern void record_begin(Graph *graph, const TrainSettings *settings);
extern void record_iteration(Graph *graph, const char *model, const Iteration *iteration);
extern void record_sample(Graph *graph, const char *model, int iteration,
						  const GraphData *data, const Sample *sample);
extern void record_replace(Graph *graph, const TrainSettings *settings);
extern void record_status(Graph *graph, const char *model, const char *status);

/* The model is ready; best: its iteration. */
extern void record_end(Graph *graph, const char *model, const Iteration *best);

#endif							/* HKG_TRAIN_RECORD_H */
