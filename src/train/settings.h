/*
 * settings.h
 *		The arguments of hkg_train as a struct: read, checked, and written with the model.
 */
#ifndef HKG_TRAIN_SETTINGS_H
#define HKG_TRAIN_SETTINGS_H

#include "server/compat.h"

#include "kge/learning.h"

/* setting hybridkg.precision, a KgePrecision */
extern int	hkg_precision;

/* An argument that is true or false, or left to the graph */
typedef enum Decision
{
	BY_GRAPH,
	NO,
	YES
} Decision;

/* In the order of hkg_train's arguments, which its comment in SQL describes */
typedef struct TrainSettings
{
	char	   *graph;
	char	   *score_function;
	int			dimensions;
	int			iterations;
	int			epochs;
	int			batch_size;
	int			negatives;
	char	   *negative_sampling;
	char	   *loss;
	char	   *optimizer;
	double		learning_rate;
	double		gamma;
	int			norm;
	double		regularization;
	double		omega;
	int			top_rules;
	double		beta;
	int64		sample_size;	/* 0: a tenth of the facts; where draws are even (hybrid.h), as many as there are */
	int			max_rule_length;
	double		min_head_coverage;
	int			min_support;
	bool		constants;
	int			patience;		/* 0: never stop early */
	int64		seed;
	char	   *model;
	double		min_quality;	/* 0: no bound */
	char	   *label;
	bool		accumulate;
	int			block_size;
	double		temperature;
	bool		reciprocal;
	char	   *regularizer;	/* NULL: the loss's usual one */
	char	   *preset;			/* NULL: none */
	bool		warm_start;
	char	   *rules;			/* a model, to take its rules; NULL: rules are mined */
	double		relation_weight;
	int			evidence_rules; /* 0: none */
	int			evidence_length;
	double		evidence_seconds;	/* 0: no limit */
	double		holdout;		/* share of the facts that is held out where there is no valid split */
	double		learning_rate_end;	/* 0: learning_rate all the way */
	double		assume_missing; /* share of the true facts; 0: none, probabilities are chances to be held out */
	char	   *replace;		/* the model of a warm start: unless_worse or always */
	Decision	paths;			/* path_settings_decide leaves NO or YES */
	int			path_layers;	/* this and the next ones: 0, by the graph (path_settings.c) */
	int			path_width;
	int			path_kept;
	int			path_epochs;
	int			path_facts;
	double		path_learning_rate;
	int			partitions;		/* of the entities, two of which are in memory; 1: all are */
	char	   *constraints;
	double		entailment_weight;	/* of the penalty of entailments */
	double		entailment_confidence;	/* PCA confidence that a rule needs to be an entailment */
	double		min_confidence; /* standard confidence that a selected rule has at least; 0: no bound */
	int			nodes;			/* buckets that are trained at once; 0: as many as nodes can do (node_buckets.c) */
	char	   *hybrid;
	double		rule_weight;	/* of a rule's confidence in a label */
	double		label_smoothing;	/* this and the next ones: 0, none */
	double		input_dropout;
	double		feature_dropout;
	double		hidden_dropout;
	char	   *precision;		/* no argument: hybridkg.precision as training began */
} TrainSettings;

/* ERROR 22004 or 22023 that names the argument, the range and what was found. */
extern void settings_read(FunctionCallInfo fcinfo, TrainSettings *settings);

/* ERROR 22023 or 0A000 where they do not go together; each is within its range. */
extern void settings_check(const TrainSettings *settings);

/* The part that src/kge needs; a model of no entities and relations yet */
extern KgeTraining settings_training(const TrainSettings *settings);
extern KgeModel settings_model(const TrainSettings *settings);

/* As JSON text: an object of every argument but the graph, and the precision; null where there is no value. */
extern char *settings_json(const TrainSettings *settings);

/* Likewise the defaults of arguments that are null by declaration; null where they depend on others. */
extern char *settings_defaults(void);

/* The settings that settings_json wrote, for that graph; between sql_begin() and sql_end(). */
extern void settings_parse(const char *graph, const char *json, TrainSettings *settings);

#endif							/* HKG_TRAIN_SETTINGS_H */
