/*
 * procedure.c
 *		A training as steps (see procedure.h; doc/method.md has the equations).
 *
 *		for i = 1 .. iterations:
 *			epochs on the positives: the facts, and the samples of iteration i - 1
 *			rules ranked by their quality under these embeddings; the top_rules best are selected
 *			a sample of what these infer beyond the facts
 *		the embeddings and rules of the iteration with the best filtered MRR on the valid split, if there is one
 *
 * In a worker, early models answer meanwhile: the best so far, with weights that some of the valid facts teach.  Each is
 * written by a transaction of its own, which is rolled back where it ranks these worse than the one before.  Nothing that
 * is learnt depends on them.
 *
 * The counts of rules do not depend on the embeddings, so mining runs once, and an iteration only computes embedding
 * confidence again.
 *
 * Memory: what lasts is taken by procedure_read and procedure_open, in their caller's context, after its size was
 * checked against hybridkg.max_memory; what a step needs is in the scratch context.
 */
#include "procedure.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "estimate.h"
#include "model/model.h"
#include "model/model_evidence.h"
#include "model/path_network.h"
#include "model/rule_table.h"
#include "model/shared_weights.h"
#include "model/thresholds.h"
#include "rules/mine.h"
#include "rules/selection.h"
#include "server/host.h"
#include "server/sql.h"
#include "train/hybrid.h"
#include "train/partitions/node_buckets.h"
#include "work.h"

/* Iterations may take so much of all time longer than planned before the path network gets its time. */
#define LATENESS 0.05

/* Early models: the first after that share of all time, the next ones as long after each other ... */
#define EARLY_SHARE 0.1
#define EARLY_COST 0.05			/* ... or later, so that they take no more of it */
#define EARLY_LEARNING 0.01		/* of all time, at most, for weights of one, unless EV_LEAST_TRIPLES take longer */

/* ---- read and open ---------------------------------------------------------- */

void
procedure_read(Procedure *procedure)
{
	TrainSettings *settings = &procedure->settings;
	Graph	   *graph = procedure->graph;
	TrainingFacts *facts = &procedure->facts;
	Learner    *learner = &procedure->learner;

	if (procedure->progress == NULL)
		procedure->progress = progress_begin(graph->schema, settings->model);
	record_lock_tables(graph);
	node_buckets_fill_in(graph, &procedure->settings);
	*facts = training_facts_read(graph, settings);
	/* a worker that reads again has its plan */
	if (settings->iterations == 0 || settings->epochs == 0 || settings->minutes > 0 || settings->paths == BY_GRAPH)
		plan_training(&procedure->plan, graph, settings, facts);
	else
		path_settings_decide(settings, graph, facts);
	/* a training that reads again may find a valid split now */
	procedure->old_weights = NULL;
	if (settings->warm_start && facts->valid_count == 0)
		procedure->old_weights = evidence_learnt(graph, settings->model);
	training_facts_check(facts, graph, settings);
	if (settings->evidence_rules > 0 || settings->paths == YES)
		graph_check_relation_ids(graph, facts->learnt);
	*learner = learner_sizes(settings, facts);
	procedure->ranking = valid_ranking_sizes(settings, facts, learner);
	estimate_check(settings, facts, learner);
	if (settings->warm_start)
		warm_start_check(graph, settings->model, &learner->model);
}

/* Facts are the units of this phase. */
static void
report_mining(void *argument, double part)
{
	const Procedure *procedure = argument;

	progress_advance(procedure->progress, part * (double) procedure->facts.learnt->facts);
}

static void
report_servers(void *argument, int count)
{
	const Procedure *procedure = argument;

	progress_nodes(procedure->progress, count);
}

/* Counts every rule, mined or given. */
static void
mine(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const GraphData *data = procedure->facts.learnt;
	MineOptions options = {
		settings->max_rule_length, settings->min_head_coverage, settings->min_support, settings->constants,
		report_mining, report_servers, procedure
	};
	int64		start = monotonic_now();

	progress_phase(procedure->progress, PHASE_MINING, (double) data->facts);
	procedure->rules = settings->rules_of == NULL ? mine_rules(procedure->graph, data, &options) :
		mine_selected(procedure->graph, data, settings->rules_of);
	work_mined(procedure->progress, &procedure->facts, procedure->rules->count);
	procedure->pairs = body_pairs_create(data, procedure->learner.pool);
	if (settings->inferences == INFER_BY_SQL)
		procedure->stated = body_pairs_by_sql(procedure->pairs, procedure->graph);
	hkg_hold_memory(body_pairs_bytes(data) + 2 * procedure->rules->count * sizeof(MinedRule));
	procedure->mine_seconds = seconds_since(start);
}

/* Mined rules have those of one atom among them; where none were mined, these are. */
static void
entail(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const GraphData *data = procedure->facts.learnt;
	MineOptions options = {2, settings->min_head_coverage, settings->min_support, false, NULL, NULL, NULL};
	bool		mined = procedure->rules != NULL && settings->rules_of == NULL;
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const MinedRules *rules = procedure->rules;

	if (!mined)
	{
		progress_phase(procedure->progress, PHASE_MINING, (double) data->facts);
		rules = mine_rules(procedure->graph, data, &options);
	}
	MemoryContextSwitchTo(caller);
	learner_entail(&procedure->learner, data, rules, settings->entailment_confidence);
	MemoryContextReset(procedure->scratch);
}

void
procedure_open(Procedure *procedure)
{
	procedure->scratch = AllocSetContextCreate(CurrentMemoryContext, "hybridkg iteration", ALLOCSET_DEFAULT_SIZES);
	graph_keep_relation_names(procedure->graph);
	learner_open(&procedure->learner, procedure->graph, &procedure->settings, &procedure->facts,
				 procedure->in_worker);
	valid_ranking_open(&procedure->ranking, &procedure->settings, &procedure->facts);
	valid_ranking_use_nodes(&procedure->ranking, procedure->graph, &procedure->settings, &procedure->facts,
							&procedure->learner, procedure->in_worker);
	work_plan(procedure->progress, &procedure->settings, &procedure->facts, &procedure->learner, &procedure->ranking);
	if (procedure->settings.top_rules > 0)
	{
		mine(procedure);
		procedure->rating = node_rating_open(procedure->graph, &procedure->settings, procedure->progress);
	}
	if (kge_constraint_entails(procedure->learner.training.constraint))
		entail(procedure);
	best_iteration_open(&procedure->best, procedure->rules == NULL ? 0 : procedure->rules->count, procedure->in_worker);
}

static void
begin_evaluating(Procedure *procedure)
{
	progress_phase(procedure->progress, PHASE_EVALUATING, 1);
	progress_nodes(procedure->progress, node_ranking_servers(procedure->ranking.nodes));
}

void
procedure_look_back(Procedure *procedure)
{
	if (procedure->settings.warm_start && procedure->facts.valid_count > 0)
	{
		begin_evaluating(procedure);
		valid_ranking_before(&procedure->ranking, &procedure->learner, &procedure->facts);
	}
	learner_constrain(&procedure->learner);
}

/* ---- an iteration ------------------------------------------------------------- */

static int
training_servers(const Procedure *procedure)
{
	return node_buckets_servers(procedure->learner.partitions.nodes, &procedure->settings);
}

/* Returns the mean loss.  The epochs of the refit are those of an iteration that follows the last. */
static double
train_epoch(Procedure *procedure, int iteration, int64 epoch)
{
	const TrainSettings *settings = &procedure->settings;
	uint64		number = (uint64) (epochs_in(settings, iteration - 1) + epoch - 1);
	double		loss = learner_epoch(&procedure->learner, number);
	bool		rises = settings->learning_rate_end > settings->learning_rate;

	if (!isfinite(loss) || !shared_weights_in_range(&procedure->learner.model))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("training diverged in epoch " INT64_FORMAT " of iteration %d", epoch, iteration),
				 errhint("Lower %s (now %g).", rises ? "learning_rate_end" : "learning_rate",
						 rises ? settings->learning_rate_end : settings->learning_rate)));
	return loss;
}

/* Whether `next` seconds more, and then what follows from that phase on, would not end in the time that was given */
static bool
is_late(const Procedure *procedure, double next, ProgressPhase phase)
{
	const TrainingPlan *plan = &procedure->plan;
	double		end = plan->seconds - progress_left(procedure->progress, phase);

	if (phase == PHASE_PATHS && procedure->settings.paths == YES)
		end = plan->iterations_end + LATENESS * plan->seconds;
	return plan->seconds > 0 && seconds_since(plan->start) + next > end;
}

/* Epochs on the positives, and the ranks of the valid split.  No SQL, no snapshot. */
static void
learn(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	TrainSettings *settings = &procedure->settings;
	Iteration  *iteration = &procedure->iteration;
	int64		start = monotonic_now();
	int64		begun;
	int			number;			/* of an epoch, over all iterations */

	*iteration = (Iteration) {.number = procedure->done + 1};
	progress_iteration(procedure->progress, iteration->number);
	progress_nodes(procedure->progress, training_servers(procedure));
	if (settings->warm_start && iteration->number == 1)
		learner_observe(&procedure->learner, &procedure->facts);

	/* 1. epochs; the first are done already where an iteration is resumed in the middle */
	begun = (int64) procedure->learner.partitions.place.epoch - epochs_in(settings, procedure->done);
	if (begun > 0)
		progress_skip(procedure->progress, PHASE_TRAINING, (double) begun);
	for (int epoch = (int) Max(begun, 0) + 1; epoch <= settings->epochs; epoch++)
	{
		iteration->loss = train_epoch(procedure, iteration->number, epoch);
		progress_epoch(procedure->progress, epoch, iteration->loss);
		if (hkg_progress_level == PROGRESS_EPOCH)
			ereport(NOTICE,
					(errmsg("iteration %d/%d, epoch %d/%d: loss %.5f", iteration->number, settings->iterations,
							epoch, settings->epochs, iteration->loss)));
		number = (int) epochs_in(settings, procedure->done) + epoch;
		if (is_late(procedure, seconds_since(start) / (epoch - Max(begun, 0)), PHASE_PATHS))
			settings->last_epoch = number;
		if (number == settings->last_epoch)
			break;
	}
	iteration->train_seconds = seconds_since(start);

	/* 2. the MRR */
	if (procedure->facts.valid_count > 0)
	{
		start = monotonic_now();
		begin_evaluating(procedure);
		valid_ranking_run(&procedure->ranking, &procedure->learner, &procedure->facts, iteration);
		iteration->evaluated = true;
		iteration->evaluate_seconds = seconds_since(start);
	}
	MemoryContextSwitchTo(caller);
}

static RatingModel
rating_model(const Procedure *procedure)
{
	const Learner *learner = &procedure->learner;

	return (RatingModel) {
		.pairs = procedure->pairs,.data = procedure->facts.learnt,.kge = &learner->model,
		.pool = learner->pool,.omega = procedure->settings.omega,.elsewhere = node_rating_run,.argument = procedure->rating
	};
}

static void
sample_inferences(Procedure *procedure, Iteration *iteration)
{
	const GraphData *data = procedure->facts.learnt;
	Learner    *learner = &procedure->learner;
	const Hybrid *hybrid = procedure->settings.hybrid;
	MinedRules *mined = procedure->rules;
	HybridRules rules = {mined, data, &learner->model, procedure->settings.rule_weight};
	/* a worker's transaction shows what was committed meanwhile: statements need the facts that were read */
	bool		by_sql = procedure->stated != NULL &&
		(!procedure->in_worker || facts_version(procedure->graph).number == procedure->facts.version.number);
	Sample		sample;
	int64		start = monotonic_now();

	sample = sampling_infer(by_sql ? procedure->stated : procedure->pairs, &rules, hybrid, &procedure->facts);
	sampling_draw(&sample, learner, &procedure->settings, iteration->number);
	sampling_learn(&sample, hybrid);
	positives_add(&learner->positives, sampling_positives(&sample, hybrid), sample.count);
	positives_set(&learner->positives, data);
	/* for table rule: what each rule is worth that takes part */
	for (int64 i = 0; i < mined->count; i++)
		mined->rule[i].worth = get_float8_nan();
	for (int i = 0; i < sample.rules; i++)
		mined->rule[sample.rule_id[i] - 1].worth = sample.worth[i];
	iteration->inferred = sample.inferences->count;
	iteration->sampled = sample.count;
	record_sample(procedure->graph, procedure->settings.model, iteration->number, data, &sample);
	iteration->sample_seconds = seconds_since(start);
}

/* Its embeddings stay in memory alone where no more epochs follow. */
static void
keep_best(Procedure *procedure, const Iteration *iteration)
{
	BestIteration *best = &procedure->best;
	bool		epochs_follow = iteration->number < procedure->settings.iterations || facts_are_held_out(&procedure->facts);

	best->iteration = *iteration;
	procedure->learner.embeddings = EMBEDDINGS_BEST;
	if (iteration->evaluated && epochs_follow)
		best_iteration_store(best, &procedure->learner);
	if (procedure->rules != NULL)
		memcpy(best->rule, procedure->rules->rule, procedure->rules->count * sizeof(MinedRule));
}

/* With the standard error, where a sample was ranked */
static void
append_mrr(StringInfo line, const Iteration *iteration)
{
	if (iteration->evaluated)
		appendStringInfo(line, ", valid MRR %.4f", iteration->metrics.mrr);
	if (iteration->mrr_error > 0)
		appendStringInfo(line, " (" INT64_FORMAT " triples, standard error %.4f)",
						 iteration->ranked, iteration->mrr_error);
}

static void
report_iteration(const Procedure *procedure, const Iteration *iteration)
{
	StringInfoData line;

	if (hkg_progress_level == PROGRESS_OFF)
		return;
	initStringInfo(&line);
	appendStringInfo(&line, "iteration %d/%d: loss %.5f", iteration->number,
					 procedure->settings.iterations, iteration->loss);
	append_mrr(&line, iteration);
	if (procedure->rules != NULL)
		appendStringInfo(&line, ", %d rules", iteration->rules);
	if (procedure->rules != NULL && hybrid_infers(procedure->settings.hybrid))
		appendStringInfo(&line, " infer " INT64_FORMAT " triples, " INT64_FORMAT " sampled",
						 iteration->inferred, iteration->sampled);
	appendStringInfo(&line, " (%.1f s training, %.1f s mining, %.1f s sampling, %.1f s evaluating)",
					 iteration->train_seconds, iteration->mine_seconds, iteration->sample_seconds,
					 iteration->evaluate_seconds);
	ereport(NOTICE, (errmsg_internal("%s", line.data)));
	pfree(line.data);
}

/* The best rules, and a sample of what they infer; the iteration's row */
static void
infer_and_record(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const TrainSettings *settings = &procedure->settings;
	Iteration  *iteration = &procedure->iteration;

	graph_lock_models(procedure->graph);	/* in a worker, this is another transaction */
	if (procedure->rules != NULL)
	{
		RatingModel model = rating_model(procedure);
		int64		start = monotonic_now();

		progress_phase(procedure->progress, PHASE_INFERRING, 1);
		select_rules(&model, procedure->rules, settings->top_rules, settings->min_quality, settings->min_confidence);
		iteration->rules = (int32) selection_count(procedure->rules);
		iteration->mine_seconds = procedure->mine_seconds + seconds_since(start);
		procedure->mine_seconds = 0;
		if (hybrid_infers(settings->hybrid))
			sample_inferences(procedure, iteration);
	}
	record_iteration(procedure->graph, settings->model, iteration);
	if (iteration->evaluated)
		progress_measured(procedure->progress, RANKED_BY_EMBEDDING, iteration->metrics.mrr);
	/* without a valid split, the last iteration is the best */
	if (!iteration->evaluated || valid_ranking_take(&procedure->ranking, iteration))
		keep_best(procedure, iteration);
	report_iteration(procedure, iteration);
	procedure->done = iteration->number;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

/* ---- the path network ------------------------------------------------------------- */

/* Whether the model that a warm start goes on from will stay: it is better by more than chance. */
static bool
is_refused(const Procedure *procedure)
{
	double		error;

	if (procedure->ranking.before == NULL || procedure->settings.replace == REPLACE_ALWAYS)
		return false;
	return valid_ranking_loss(&procedure->ranking, &error) > error;
}

static void
open_paths(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	PathNetwork *old = NULL;

	if (settings->paths != YES || is_refused(procedure))
		return;
	procedure->paths = path_learning_sizes(settings, &procedure->facts);
	if (settings->warm_start)
		old = path_network_read(procedure->graph, settings->model, procedure->facts.learnt, 0);
	path_learning_open(&procedure->paths, settings, &procedure->facts, old, procedure->learner.pool);
	if (old != NULL)
		pfree(old->parameter);
	if (procedure->resumed)
		checkpoint_load_paths(procedure);
	progress_skip(procedure->progress, PHASE_PATHS,
				  path_learning_units(&procedure->paths, &procedure->facts, procedure->paths.done));
}

/* Seconds of what the path network learns next, if an epoch takes so long: an epoch, or all that a further member has left. */
static double
next_paths_seconds(const Procedure *procedure, double epoch)
{
	const PathLearning *paths = &procedure->paths;
	int			epochs = paths->plan.epochs;

	return paths->done < epochs ? epoch : (epochs - paths->done % epochs) * epoch;
}

static void
record_paths(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	const Iteration *epoch = &procedure->paths.epoch;
	StringInfoData line;

	graph_lock_models(procedure->graph);	/* in a worker, this is another transaction */
	record_path_epoch(procedure->graph, procedure->settings.model, epoch);
	if (epoch->evaluated)
		progress_measured(procedure->progress, RANKED_BY_PATHS, epoch->metrics.mrr);
	initStringInfo(&line);
	appendStringInfo(&line, "paths, epoch %d/%d: loss %.5f", epoch->number, path_epochs_in_all(&procedure->paths.plan),
					 epoch->loss);
	append_mrr(&line, epoch);
	appendStringInfo(&line, " (%.1f s training, %.1f s evaluating)", epoch->train_seconds, epoch->evaluate_seconds);
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE, (errmsg_internal("%s", line.data)));
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

/* ---- the end --------------------------------------------------------------------- */

static void
refit(Procedure *procedure)
{
	Learner    *learner = &procedure->learner;
	int64		epochs = hold_out_refit_epochs(&procedure->settings, &procedure->facts, procedure->best.iteration.number);
	double		loss = 0;

	progress_refit(procedure->progress, epochs);
	if (!facts_are_held_out(&procedure->facts))
		return;
	progress_nodes(procedure->progress, training_servers(procedure));
	best_iteration_restore(&procedure->best, learner);
	positives_set(&learner->positives, procedure->facts.all);
	for (int64 epoch = 1; epoch <= epochs; epoch++)
	{
		loss = train_epoch(procedure, procedure->done + 1, epoch);
		progress_epoch(procedure->progress, procedure->settings.epochs, loss);
	}
	learner->embeddings = EMBEDDINGS_REFITTED;
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE,
				(errmsg_internal("refitted on all facts: " INT64_FORMAT " epochs, loss %.5f", epochs, loss)));
}

/* By as many entities as are in memory at a time. */
static void
write_embeddings(Procedure *procedure)
{
	Learner    *learner = &procedure->learner;
	const char *model = procedure->settings.model;
	const GraphData *data = procedure->facts.all;
	int32		piece = learner->partitions.room.entities;

	if (learner->embeddings != EMBEDDINGS_REFITTED)
		best_iteration_restore(&procedure->best, learner);
	for (int32 from = 0; from < data->entities; from += piece)
	{
		model_write_entities(procedure->graph, model, data, &learner->model, from, Min(piece, data->entities - from));
		learner_forget(learner);
	}
	model_write_relations(procedure->graph, model, data, &learner->model);
}

/* As they were rated in the best iteration */
static MinedRules
best_rules(const Procedure *procedure)
{
	return (MinedRules) {procedure->rules == NULL ? 0 : procedure->rules->count, procedure->best.rule};
}

/*
 * The selection needs the embedding confidence of few rules.  That of all that pass its bound is to be seen, by the best
 * embeddings; without a bound, what rules infer may be many times the facts.
 */
static void
rate_rules_that_pass(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	MinedRules	mined = best_rules(procedure);
	double		least = Max(settings->min_quality, settings->min_confidence);
	RatingModel model = rating_model(procedure);

	if (mined.count == 0 || least == 0)
		return;
	progress_phase(procedure->progress, PHASE_INFERRING, 0);
	best_iteration_restore(&procedure->best, &procedure->learner);
	rate_confident(&model, &mined, least);
}

/* Path rules as they are counted without the held-out facts; they are looked for once. */
static void
find_path_rules(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const GraphData *data = procedure->facts.learnt;

	if (procedure->path_rules != NULL)
		return;
	procedure->path_rules = palloc0(sizeof(PathRules));
	if (settings->evidence_rules > 0)
	{
		progress_phase(procedure->progress, PHASE_PATH_RULES, (double) data->facts);
		*procedure->path_rules = path_rules_find(data, settings, procedure->learner.pool);
	}
	work_found(procedure->progress, settings, &procedure->facts, procedure->path_rules->count);
}

/* Writes the rules of the best iteration, and path rules if there are any. */
static void
write_rules(Procedure *procedure)
{
	const GraphData *data = procedure->facts.all;
	const PathRules *paths = procedure->path_rules;
	MinedRules	mined = best_rules(procedure);
	const MinedRules *rules = paths->count == 0 ? &mined : path_rules_merge(procedure->graph, data, &mined, paths);

	progress_phase(procedure->progress, PHASE_WRITING, (double) rules->count);
	rule_table_replace(procedure->graph, procedure->settings.model, rules, procedure->progress);
}

/*
 * Weights of rules and probabilities, or thresholds where there are none, are learnt by the best embeddings: refitted
 * ones were trained on the valid facts that they would be learnt from.  Returns the MRR on the triples that are learnt
 * from, `most` at most (0: as EvExampleSource has it); NaN where there are none.
 */
static double
learn_weights(Procedure *procedure, bool has_network, int64 most)
{
	const TrainSettings *settings = &procedure->settings;
	const TrainingFacts *facts = &procedure->facts;
	EvidenceParts has = {settings->evidence_rules > 0, has_network};
	double		mrr = facts->valid_count > 0 ? procedure->best.iteration.metrics.mrr : get_float8_nan();

	if (has_network)
	{
		int64		weighed = path_learning_weighed(&procedure->paths, facts);

		most = most > 0 ? Min(most, weighed) : weighed;
	}
	progress_phase(procedure->progress, PHASE_WEIGHTS, (double) (most > 0 ? Min(most, facts->valid_count) : facts->valid_count));
	best_iteration_restore(&procedure->best, &procedure->learner);
	if (procedure->old_weights != NULL)
	{
		evidence_restore(procedure->graph, settings->model, procedure->old_weights, has);
		evidence_write_missing(procedure->graph, settings->model, settings->assume_missing);
		return mrr;
	}
	sql_see_changes();			/* rules and network, and that the old model's are gone */
	if (!has.rules && !has.network)
	{
		Labelled	labelled = {.truth = facts->valid,.truths = facts->valid_count};

		labelled.falsehood = false_triples_draw(facts->learnt, facts->filter, facts->filter_count, facts->valid,
												facts->valid_count, (uint64) settings->seed, &labelled.falsehoods);
		threshold_learn(procedure->graph, settings->model, facts->learnt, &procedure->learner.model, &labelled);
	}
	else
		mrr = evidence_learn(procedure->graph, settings->model, facts->learnt, &procedure->learner.model,
							 procedure->learner.pool,
							 (HeldOut) {facts->valid, facts->valid_count, most, settings->assume_missing, facts->rejected,
							 facts->rejected_count},
							 has.rules);
	sql_see_changes_end();
	return mrr;
}

static void
close_files(Procedure *procedure)
{
	best_iteration_close(&procedure->best);
	learner_close(&procedure->learner);
}

static void
keep_old_model(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	const ValidRanking *ranking = &procedure->ranking;
	double		error;

	valid_ranking_loss(ranking, &error);
	ereport(NOTICE,
			(errmsg("model \"%s\" stays as it was: its valid MRR is %.4f, that of the new embeddings is %.4f",
					settings->model, ranking->before_mrr, ranking->highest_mrr),
			 errdetail("The standard error of the difference is %.4f.", error),
			 errhint("Lower learning_rate (now %g), or have the model replaced anyway by setting replace, \"always\".",
					 settings->learning_rate)));
	progress_phase(procedure->progress, PHASE_WRITING, 1);
	record_keep(procedure->graph, procedure->settings.model, &procedure->call, procedure->facts.all->facts);
	close_files(procedure);
}

/*
 * Learning weights reads rules from their table, so these are written before.  Where facts were held out, rules are
 * written once more at the end; their weights stay.
 */
static void
finish(Procedure *procedure)
{
	Graph	   *graph = procedure->graph;
	const TrainSettings *settings = &procedure->settings;
	const TrainingFacts *facts = &procedure->facts;

	if (procedure->stated != NULL)
		body_pairs_forget(procedure->stated);
	graph_lock_models(graph);
	if (is_refused(procedure))
	{
		keep_old_model(procedure);
		return;
	}
	find_path_rules(procedure);
	/* 1. what was learnt, in the place of the old model */
	progress_phase(procedure->progress, PHASE_WRITING, (double) facts->all->entities);
	record_replace(graph, settings, true);
	write_embeddings(procedure);
	rate_rules_that_pass(procedure);
	write_rules(procedure);
	if (procedure->network != NULL)
		path_network_write(graph, settings->model, facts->all, procedure->network);
	/* 2. weights and probabilities */
	(void) learn_weights(procedure, procedure->network != NULL, settings->evidence_triples);
	/* 3. the same rules under the same ids; path rules are counted on all facts now */
	if (facts_are_held_out(facts) && procedure->path_rules->count > 0)
	{
		progress_phase(procedure->progress, PHASE_PATH_RULES, WORK_RECOUNT * (double) facts->all->facts);
		path_rules_recount(procedure->path_rules, facts->all, settings, procedure->learner.pool);
		write_rules(procedure);
	}
	record_end(graph, settings->model, &procedure->best.iteration, &procedure->call, facts->all->facts);
	close_files(procedure);
}

/* ---- early models ------------------------------------------------------------------ */

/*
 * Writes what is the best so far as a model, where none answers yet or the last one was worse and long enough ago, and
 * the end is not near.  In the midst of iterations only the best one that was the last is in memory.
 */
static void
write_early(Procedure *procedure)
{
	EarlyModel *early = &procedure->early;
	Graph	   *graph = procedure->graph;
	const TrainSettings *settings = &procedure->settings;
	const TrainingFacts *facts = &procedure->facts;
	Progress   *progress = procedure->progress;
	const PathLearning *paths = &procedure->paths;
	bool		has_network = paths->learnt_epoch > 0;
	double		now = seconds_since(procedure->plan.start);
	double		left = progress_left(progress, PHASE_READING);
	double		pause = Max(EARLY_SHARE * (now + left), early->seconds / EARLY_COST);
	bool		is_new = procedure->best.iteration.number > early->iteration || paths->learnt_epoch > early->path_epoch;
	MemoryContext caller;
	double		mrr;

	/* 1. whether it is time */
	if (!early->wanted || !is_new || now - early->began < pause || left < EARLY_SHARE * (now + left) ||
		!(procedure->learner.embeddings == EMBEDDINGS_BEST || procedure_is_done(procedure)) ||
		(has_network && !estimate_allows_early(settings, facts, &procedure->learner)))
		return;
	procedure->begin(procedure);
	graph_lock_models(graph);
	find_path_rules(procedure);
	early->began = seconds_since(procedure->plan.start);
	if (early->triples == 0)
		early->triples = (int64) Min(Max(EARLY_LEARNING * (now + left) / progress_unit_seconds(progress, PHASE_WEIGHTS),
										 EV_LEAST_TRIPLES), (double) facts->valid_count);
	progress_add(progress, PHASE_WRITING, (double) facts->all->entities + procedure->path_rules->count +
				 best_rules(procedure).count);
	progress_add(progress, PHASE_WEIGHTS, (double) early->triples);

	/* 2. as at the end, but for what a model shows alone */
	caller = MemoryContextSwitchTo(procedure->scratch);
	progress_phase(progress, PHASE_WRITING, (double) facts->all->entities);
	record_replace(graph, settings, false);
	write_embeddings(procedure);
	write_rules(procedure);
	if (has_network)
	{
		PathNetwork network = path_learning_learnt(paths);

		path_network_write(graph, settings->model, facts->all, &network);
	}
	mrr = learn_weights(procedure, has_network, early->triples);
	record_written(graph, settings->model, &procedure->best.iteration);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);

	/* 3. unless it is worse: without rules, the first one that has paths is not measured like those before */
	if (mrr < early->mrr && (settings->evidence_rules > 0 || !has_network || early->path_epoch > 0))
		procedure->roll_back();
	else
	{
		procedure->commit(procedure);
		if (!isnan(mrr))
			progress_measured(progress, RANKED_BY_ALL, mrr);
		early->mrr = mrr;
	}
	early->iteration = procedure->best.iteration.number;
	early->path_epoch = paths->learnt_epoch;
	early->seconds = seconds_since(procedure->plan.start) - early->began;
}

void
procedure_run(Procedure *procedure)
{
	TrainSettings *settings = &procedure->settings;

	if (procedure->early.wanted && (settings->iterations > 1 || settings->paths == YES))
		progress_answers_at(procedure->progress, EARLY_SHARE);
	while (!procedure_is_done(procedure))
	{
		learn(procedure);
		procedure->begin(procedure);
		infer_and_record(procedure);
		if (procedure->in_worker)
			checkpoint_save(procedure);
		procedure->commit(procedure);
		write_early(procedure);
	}
	procedure->begin(procedure);
	open_paths(procedure);
	procedure->commit(procedure);
	while (procedure->paths.done < path_epochs_in_all(&procedure->paths.plan) &&
		   (settings->last_path_epoch == 0 || procedure->paths.done < settings->last_path_epoch))
	{
		int64		start = monotonic_now();

		path_learning_epoch(&procedure->paths, procedure->learner.pool, procedure->progress);
		if (procedure->paths.done < path_epochs_in_all(&procedure->paths.plan) &&
			is_late(procedure, next_paths_seconds(procedure, seconds_since(start)), PHASE_PATH_RULES))
			settings->last_path_epoch = procedure->paths.done;
		procedure->begin(procedure);
		record_paths(procedure);
		if (procedure->in_worker)
			checkpoint_save_paths(procedure);
		procedure->commit(procedure);
		write_early(procedure);
	}
	if (procedure->paths.done > 0)
		procedure->network = path_learning_close(&procedure->paths);
	refit(procedure);
	procedure->begin(procedure);
	finish(procedure);
	procedure->commit(procedure);
}
