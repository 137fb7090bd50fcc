/*
 * settings.h
 *		The settings of a training: described by one table (settings_table.c), read from arguments, jsonb and presets,
 *		checked, and written with the model.
 */
#ifndef HKG_TRAIN_SETTINGS_H
#define HKG_TRAIN_SETTINGS_H

#include "server/compat.h"

#include "hybrid.h"
#include "kge/learning.h"

/* setting hybridkg.precision, a KgePrecision */
extern int	hkg_precision;

/* A setting that is true or false, or left to the graph */
typedef enum Decision
{
	BY_GRAPH,
	NO,
	YES
} Decision;

/* The weight of a sampled triple in the loss */
typedef enum Label
{
	LABEL_ONE,
	LABEL_CONFIDENCE			/* the highest quality of its rules */
} Label;

/* How what the selected rules infer is found */
typedef enum Inferring
{
	INFER_BY_SQL,				/* by the statement of each rule */
	INFER_IN_MEMORY
} Inferring;

/* When a warm start replaces the model that it went on from */
typedef enum Replace
{
	REPLACE_UNLESS_WORSE,
	REPLACE_ALWAYS
} Replace;

/* What each means is in settings_table.c.  Numbers that may have no value have 0 then, pointers NULL. */
typedef struct TrainSettings
{
	char	   *graph;
	char	   *model;
	char	   *preset;
	const KgeScoreFunction *score_function;
	int			dimensions;
	double		minutes;		/* 0: those of plan.c; plan_training leaves 0 */
	int			iterations;		/* this and the next: 0 until plan_training */
	int			epochs;
	int			last_epoch;		/* 0: all */
	int			batch_size;
	int			negatives;
	const KgeSampler *negative_sampling;
	const KgeLoss *loss;
	const KgeOptimizer *optimizer;
	double		learning_rate;
	double		learning_rate_end;
	double		gamma;
	int			norm;
	double		regularization;
	KgeRegularizer regularizer;
	bool		reciprocal;
	double		temperature;
	int			block_size;
	double		relation_weight;
	KgePrecision precision;
	int			partitions;
	int			nodes;			/* 0 until node_buckets_fill_in */
	const KgeConstraint *constraints;
	double		entailment_weight;
	double		entailment_confidence;
	double		label_smoothing;
	double		input_dropout;
	double		feature_dropout;
	double		hidden_dropout;
	int			top_rules;
	double		omega;
	int			max_rule_length;
	double		min_head_coverage;
	int			min_support;
	bool		constants;
	double		min_confidence;
	double		min_quality;
	char	   *rules_of;
	const Hybrid *hybrid;
	Inferring	inferences;
	double		beta;
	int64		sample_size;	/* 0: a tenth of the facts; where draws are even (hybrid.h), as many as there are */
	Label		label;
	bool		accumulate;
	double		rule_weight;
	int			evidence_rules;
	int			evidence_length;	/* this and evidence_triples: 0, by the time that there is (plan.c) */
	double		evidence_seconds;
	int			evidence_triples;
	double		holdout;
	double		assume_missing;
	Decision	paths;			/* path_settings_decide leaves NO or YES */
	int			path_layers;	/* this and the next ones: 0, by the graph (path_settings.c) */
	int			path_width;
	int			path_kept;
	int			path_members;
	int			path_reversed;
	int			path_epochs;	/* of each */
	int			last_path_epoch;	/* 0: all */
	int			path_facts;
	double		path_learning_rate;
	bool		warm_start;
	Replace		replace;
	int			patience;
	int64		seed;
} TrainSettings;

/*
 * Those of a call of hkg_train or a function with the same arguments.  ERROR 22004 or 22023 that names the setting, what
 * was expected and what was found.
 */
extern void settings_read(FunctionCallInfo fcinfo, TrainSettings *settings);

/* The epochs of that many iterations */
static inline int64
epochs_in(const TrainSettings *settings, int64 iterations)
{
	return iterations * settings->epochs;
}

/* ERROR 22023 or 0A000 where they do not go together; each is within its range. */
extern void settings_check(const TrainSettings *settings);

/* The part that src/kge needs; a model of no entities and relations yet */
extern KgeTraining settings_training(const TrainSettings *settings);
extern KgeModel settings_model(const TrainSettings *settings);

/* As JSON text: an object of every setting; null where there is no value. */
extern char *settings_json(const TrainSettings *settings);

/* The settings that settings_json wrote, for that graph. */
extern void settings_parse(const char *graph, const char *json, TrainSettings *settings);

#endif							/* HKG_TRAIN_SETTINGS_H */
