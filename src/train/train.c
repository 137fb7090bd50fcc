/*
 * train.c
 *		hkg_train: the procedure (SPEC section 6).
 *
 *		for i = 1 .. M:
 *			k epochs on G+_{i-1}							-> Theta_i
 *			rules counted on G+_0, ranked by Q under Theta_i	-> T, the K best
 *			psi draws n of what T infers beyond the facts	-> G+_i
 *		the Theta_i and T of the best filtered MRR on the valid split, if there is one
 *
 * The counts of rules do not depend on Theta, so mining runs once; each
 * iteration only asks for embedding confidence again.  Nor does what a body yields: it
 * is kept where there is room, else enumerated again.
 *
 * Memory: what lasts is in the procedure's context, taken after the need was checked
 * against hybridkg.max_memory; what an iteration needs is in a context of its own.
 */
#include "procedure.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/argument.h"
#include "best_iteration.h"
#include "checkpoint.h"
#include "rules/selection.h"
#include "model/evidence_weights.h"
#include "model/false_triples.h"
#include "model/learn_evidence.h"
#include "path_rules.h"
#include "hold_out.h"
#include "server/host.h"
#include "rules/mine.h"
#include "model/model.h"
#include "estimate.h"
#include "server/sql.h"
#include "model/rule_table.h"
#include "model/thresholds.h"
#include "warm_start.h"

#define OBSERVED_EPOCHS 10

/* of the epochs that made the best embeddings: as many again take in the facts that were held out */
#define REFIT_PART 10

static double
seconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* ---- before it starts ------------------------------------------------------ */

void
procedure_check(const Procedure *procedure)
{
	const GraphData *data = procedure->data;

	if (data->facts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has no facts", procedure->graph->name),
				 errhint("Load some with hkg_load.")));
	if (data->entities < 2)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("graph \"%s\" has one entity, but embeddings need at least two",
						procedure->graph->name),
				 errhint("Load more facts with hkg_load.")));
	if (procedure->settings.rules != NULL && strcmp(procedure->settings.rules, procedure->settings.model) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules must name another model than the one that is trained, \"%s\"",
						procedure->settings.model),
				 errhint("Training replaces that one and its rules. Choose another name by the argument model.")));
	if (procedure->settings.patience > 0 && procedure->valid_count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("patience needs a valid split, but graph \"%s\" has none",
						procedure->graph->name),
				 errdetail("No facts are held out in its place: there are too few, or holdout is 0."),
				 errhint("Load one with hkg_load(..., 'valid'), or leave patience at null.")));
}

/* Embeddings to go on from have seen all facts: none can be held out of them, but what they were weighed by stays. */
static void
hold_out(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	GraphData  *rest;

	if (settings->warm_start)
	{
		procedure->learnt = evidence_learnt(procedure->graph, settings->model);
		return;
	}
	procedure->valid = hold_out_draw(procedure->data, settings->holdout, (uint64) settings->seed, &rest, &procedure->valid_count);
	if (rest == NULL)
		return;
	hold_out_notice(procedure->graph->name, procedure->valid_count, procedure->data->facts);
	procedure->all = procedure->data;
	procedure->data = rest;
}

static void
read_facts(Procedure *procedure)
{
	GraphData  *data = graph_read(procedure->graph);

	procedure->data = data;
	/* it may have been read before, when it was another one */
	procedure->all = NULL;
	procedure->learnt = NULL;
	procedure->valid = graph_read_split(procedure->graph, data, "valid", &procedure->valid_count);
	procedure->known = graph_read_known(procedure->graph, data, &procedure->known_count);
	if (procedure->valid_count == 0)
		hold_out(procedure);
}

void
procedure_describe(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	KgeModel   *model = &procedure->model;
	int64		facts = procedure->data->facts;
	int64		draws = settings->top_rules == 0 ? 0 : settings->accumulate ? settings->iterations : 1;

	model->function = kge_score_function(settings->score_function);
	model->dimensions = settings->dimensions;
	model->norm = settings->norm;
	model->gamma = settings->gamma;
	model->entities = procedure->data->entities;
	model->relations = procedure->data->relations;
	model->reciprocal = settings->reciprocal;
	procedure->sample_size = settings->sample_size > 0 ? settings->sample_size : Max(facts / 10, 1);
	procedure->max_samples = draws * procedure->sample_size;
	procedure->max_positives = procedure->max_samples + (procedure->all == NULL ? facts : procedure->all->facts);
}

size_t
procedure_entity_bytes(const Procedure *procedure)
{
	const KgeModel *model = &procedure->model;

	return (size_t) model->entities * kge_entity_width(model->function, model->dimensions) * sizeof(float);
}

size_t
procedure_relation_bytes(const Procedure *procedure)
{
	const KgeModel *model = &procedure->model;

	return (size_t) kge_relation_rows(model) * kge_relation_width(model->function, model->dimensions) * sizeof(float);
}

static KgeRegularizer
regularizer_of(const char *name)
{
	if (name == NULL)
		return KGE_REGULARIZER_USUAL;
	if (strcmp(name, "dura") == 0)
		return KGE_REGULARIZER_DURA;
	return strcmp(name, "n3") == 0 ? KGE_REGULARIZER_N3 : KGE_REGULARIZER_L2;
}

KgeTraining
procedure_training(const Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	KgeTraining training = {
		.batch_size = settings->batch_size,
		.block_size = settings->block_size,
		.negatives = settings->negatives,
		.learning_rate = settings->learning_rate,
		.learning_rate_end = settings->learning_rate_end,
		.epochs = settings->learning_rate_end > 0 ? (uint64) settings->iterations * settings->epochs : 0,
		.regularization = settings->regularization,
		.seed = (uint64) settings->seed,
		.loss = kge_loss(settings->loss),
		.sampler = kge_sampler(settings->negative_sampling),
		.precision = settings_precision(settings),
		.temperature = settings->temperature,
		.regularizer = regularizer_of(settings->regularizer),
		.optimizer = kge_optimizer(settings->optimizer),
		.relation_weight = settings->relation_weight
	};

	return training;
}

static void
allocate(Procedure *procedure)
{
	MemoryContext context = CurrentMemoryContext;
	Arena	arena = hkg_arena();
	KgeModel   *model = &procedure->model;
	KgeTraining training = procedure_training(procedure);
	int64		positives = procedure->max_positives;

	model->entity = hkg_allocate(context, procedure_entity_bytes(procedure));
	model->relation = hkg_allocate(context, procedure_relation_bytes(procedure));
	procedure->positive = MemoryContextAllocHuge(context, positives * sizeof(Triple));
	if (strcmp(procedure->settings.label, "confidence") == 0)
		procedure->weight = MemoryContextAllocHuge(context, positives * sizeof(float));
	procedure_set_positives(procedure);
	procedure->sample = palloc(sizeof(Positive));
	kge_model_initialise(model, procedure->pool, training.seed);
	if (procedure->settings.warm_start)
		warm_start_fill(procedure);
	procedure->trainer = kge_trainer_create(&arena, procedure->pool, model, &training, positives);
	if (procedure->trainer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an epoch would have more than %d positives, or a minibatch more than %d entities to learn",
						INT_MAX, INT_MAX),
				 errhint("Lower sample_size or batch_size or negatives, or raise block_size.")));
}

/* ---- one iteration ----------------------------------------------------------- */

static void
report_epoch(const Procedure *procedure, int iteration, int epoch, double loss)
{
	progress_epoch(procedure->progress, iteration, epoch, loss);
	if (hkg_progress_level == PROGRESS_EPOCH)
		ereport(NOTICE,
				(errmsg("iteration %d/%d, epoch %d/%d: loss %.5f", iteration,
						procedure->settings.iterations, epoch, procedure->settings.epochs, loss)));
}

/*
 * The optimiser's state is not kept with a model: a pass over the facts makes one.  That
 * it counts for ten was the best of 1 to 200 for complex and for rotate (bench/RESULTS.md).
 */
static void
observe(Procedure *procedure)
{
	kge_train_observe(procedure->trainer, procedure->positive, procedure->weight,
					  procedure->data->facts, 0, OBSERVED_EPOCHS);
	CHECK_FOR_INTERRUPTS();
}

static void
raise_diverged(const TrainSettings *settings, int iteration, int epoch)
{
	bool		rises = settings->learning_rate_end > settings->learning_rate;

	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("training diverged in epoch %d of iteration %d", epoch, iteration),
			 errhint("Lower %s (now %g).", rises ? "learning_rate_end" : "learning_rate",
					 rises ? settings->learning_rate_end : settings->learning_rate)));
}

/* One pass over the positives; returns the mean loss. */
static double
train_epoch(Procedure *procedure, int iteration, int epoch)
{
	uint64		number = (uint64) (iteration - 1) * procedure->settings.epochs + epoch - 1;
	double		loss = kge_train_epoch(procedure->trainer, procedure->positive, procedure->weight,
									   procedure->positives, number);

	CHECK_FOR_INTERRUPTS();
	if (!isfinite(loss))
		raise_diverged(&procedure->settings, iteration, epoch);
	return loss;
}

static void
train_epochs(Procedure *procedure, Iteration *iteration)
{
	const TrainSettings *settings = &procedure->settings;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	progress_epoch(procedure->progress, iteration->number, 0, 0);
	if (settings->warm_start && iteration->number == 1)
		observe(procedure);
	for (int epoch = 1; epoch <= settings->epochs; epoch++)
	{
		iteration->loss = train_epoch(procedure, iteration->number, epoch);
		report_epoch(procedure, iteration->number, epoch, iteration->loss);
	}
	iteration->train_seconds = seconds_since(start);
}

static void
evaluate(Procedure *procedure, Iteration *iteration)
{
	Arena	arena = hkg_arena();
	int64		count = procedure->valid_count;
	int32	   *rank;
	instr_time	start;

	if (count == 0)
		return;
	INSTR_TIME_SET_CURRENT(start);
	progress_phase(procedure->progress, PHASE_EVALUATING);
	rank = palloc_extended(2 * count * sizeof(int32), MCXT_ALLOC_HUGE);
	kge_rank(&arena, procedure->pool, &procedure->model, NULL, procedure->valid, count,
			 procedure->known, procedure->known_count, (uint64) procedure->settings.seed,
			 rank, rank + count);
	iteration->metrics = kge_metrics(rank, 2 * count);
	iteration->evaluated = true;
	iteration->evaluate_seconds = seconds_since(start);
}

/*
 * The facts that are learnt from, as a table that rules are evaluated over, whatever table triple holds: those that are
 * held out, and later what others change.  Its name is one that no temporary table of the caller's has.
 */
static void
copy_facts(Procedure *procedure)
{
	static const Oid types[] = {INT4OID, INT4OID, INT4OID};
	const GraphData *data = procedure->data;
	char	   *copy = psprintf("pg_temp.%s", ChooseRelationName("hkg", NULL, "facts", LookupCreationNamespace("pg_temp"), false));
	SqlBatch   *batch;

	sql_run(psprintf("create table %s (head int not null, relation int not null, tail int not null)", copy), SQL_NO_ARGS);
	batch = sql_batch_begin(psprintf("insert into %s select * from unnest($1, $2, $3)", copy), lengthof(types), types);
	for (int64 i = 0; i < data->facts; i++)
	{
		Datum		values[3] = {
			Int32GetDatum(data->entity_id[data->fact[i].head]),
			Int32GetDatum(data->relation_id[data->fact[i].relation]),
			Int32GetDatum(data->entity_id[data->fact[i].tail])
		};

		sql_batch_row(batch, values, NULL);
	}
	sql_batch_end(batch);
	sql_run(psprintf("create unique index on %s (head, relation, tail)", copy), SQL_NO_ARGS);
	sql_run(psprintf("create index on %s (tail, relation, head)", copy), SQL_NO_ARGS);
	sql_run(psprintf("create index on %s (relation, head, tail)", copy), SQL_NO_ARGS);
	sql_run(psprintf("analyze %s", copy), SQL_NO_ARGS);
	procedure->copy = procedure->graph->facts = copy;
}

static void
drop_copy(Procedure *procedure)
{
	if (procedure->copy != NULL)
		sql_run(psprintf("drop table %s", procedure->copy), SQL_NO_ARGS);
}

/* Counts every rule, mined or given; the order of the procedure does not matter to the counts. */
static void
mine(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	MineOptions options = {settings->max_rule_length, settings->min_head_coverage,
	settings->min_support, settings->constants};
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	progress_phase(procedure->progress, PHASE_MINING);
	procedure->rules = settings->rules == NULL ? mine_rules(procedure->graph, &options) :
		mine_selected(procedure->graph, settings->rules);
	procedure->best_rule = MemoryContextAllocHuge(CurrentMemoryContext,
												  Max(procedure->rules->count, 1) * sizeof(MinedRule));
	procedure->mine_seconds = seconds_since(start);
}

/* What bodies yield is kept from one iteration to the next: the facts do not change meanwhile. */
static BodyPairs *
procedure_pairs(Procedure *procedure)
{
	const GraphData *data = procedure->data;
	MemoryContext caller = MemoryContextSwitchTo(procedure->lasting);

	if (procedure->pairs == NULL)
		procedure->pairs = body_pairs_create(procedure->graph, data->entity_id, data->entities, BODY_PAIRS_CACHE_BYTES);
	MemoryContextSwitchTo(caller);
	return procedure->pairs;
}

static void
rank_rules(Procedure *procedure, Iteration *iteration)
{
	const TrainSettings *settings = &procedure->settings;
	RatingModel model = {
		.pairs = procedure_pairs(procedure),.data = procedure->data,.kge = &procedure->model,
		.pool = procedure->pool,.omega = settings->omega
	};
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	select_rules(&model, procedure->rules, settings->top_rules, settings->min_quality);
	iteration->mine_seconds = procedure->mine_seconds + seconds_since(start);
	procedure->mine_seconds = 0;
}

/* G_T: rule_id[i] is the id of the i-th selected rule. */
static Inferences *
infer_selected(Procedure *procedure, Iteration *iteration, int32 *rule_id)
{
	const Rule **selected = palloc(Max(procedure->settings.top_rules, 1) * sizeof(Rule *));

	for (int64 i = 0; i < procedure->rules->count; i++)
		if (procedure->rules->rule[i].selected)
		{
			rule_id[iteration->rules] = (int32) i + 1;
			selected[iteration->rules++] = &procedure->rules->rule[i].rule;
		}
	return infer(procedure_pairs(procedure), procedure->data, selected, iteration->rules);
}

/* psi */
static void
draw(Procedure *procedure, int iteration, Sample *sample)
{
	MemoryContext context = CurrentMemoryContext;
	Arena	arena = hkg_arena();
	int64		count = sample->inferences->count;
	int64		n = Min(procedure->sample_size, count);
	uint64	   *key = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(uint64));

	sample->score = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(float));
	sample->drawn = MemoryContextAllocHuge(context, Max(n, 1) * sizeof(int64));
	sample->probability = MemoryContextAllocHuge(context, Max(n, 1) * sizeof(double));
	kge_score_triples(&arena, procedure->pool, &procedure->model, sample->inferences->triple, count,
					  sample->score);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		key[i] = hash_bytes_extended((const unsigned char *) &sample->inferences->triple[i],
									 sizeof(Triple), iteration);
	}
	sample->count = kge_draw(&arena, procedure->pool, sample->score, key, count, procedure->settings.beta, n,
							 (uint64) procedure->settings.seed, sample->drawn, sample->probability);
}

static float
highest_quality(const Procedure *procedure, const Sample *sample, int64 i)
{
	double		highest = 0;

	for (int64 j = sample->inferences->first[i]; j < sample->inferences->first[i + 1]; j++)
	{
		int32		id = sample->rule_id[sample->inferences->rule[j]];

		highest = Max(highest, procedure->rules->rule[id - 1].quality);
	}
	return (float) highest;
}

/*
 * The samples become those drawn now and, when they accumulate, those of before;
 * one drawn again takes its new weight.
 */
static void
merge_samples(Procedure *procedure, const Sample *sample)
{
	int64		old_count = procedure->settings.accumulate ? procedure->samples : 0;
	Positive   *merged = MemoryContextAllocHuge(procedure->lasting,
												Max(old_count + sample->count, 1) * sizeof(Positive));
	int64		count = 0;
	int64		old = 0;

	for (int64 i = 0; i < sample->count; i++)
	{
		Positive	positive = {
			sample->inferences->triple[sample->drawn[i]],
			highest_quality(procedure, sample, sample->drawn[i])
		};

		CHECK_FOR_INTERRUPTS();
		while (old < old_count && triple_compare(&procedure->sample[old].triple, &positive.triple) < 0)
			merged[count++] = procedure->sample[old++];
		if (old < old_count && triple_compare(&procedure->sample[old].triple, &positive.triple) == 0)
			old++;
		merged[count++] = positive;
	}
	while (old < old_count)
		merged[count++] = procedure->sample[old++];
	pfree(procedure->sample);
	procedure->sample = merged;
	procedure->samples = count;
}

static void
add_positive(Procedure *procedure, Triple triple, float weight)
{
	CHECK_FOR_INTERRUPTS();
	procedure->positive[procedure->positives] = triple;
	if (procedure->weight != NULL)
		procedure->weight[procedure->positives] = weight;
	procedure->positives++;
}

/* A sample may be a fact that was held out: then it is one positive, not two. */
void
procedure_set_positives(Procedure *procedure)
{
	const GraphData *data = procedure->data;
	int64		fact = 0;

	procedure->positives = 0;
	for (int64 i = 0; i < data->facts; i++)
		add_positive(procedure, data->fact[i], 1);
	for (int64 i = 0; i < procedure->samples; i++)
	{
		const Positive *sample = &procedure->sample[i];

		while (fact < data->facts && triple_compare(&data->fact[fact], &sample->triple) < 0)
			fact++;
		if (fact == data->facts || triple_compare(&data->fact[fact], &sample->triple) != 0)
			add_positive(procedure, sample->triple, sample->weight);
	}
}

static void
sample_inferences(Procedure *procedure, Iteration *iteration)
{
	Sample		sample = {0};
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	sample.rule_id = palloc(Max(procedure->settings.top_rules, 1) * sizeof(int32));
	sample.inferences = infer_selected(procedure, iteration, sample.rule_id);
	draw(procedure, iteration->number, &sample);
	merge_samples(procedure, &sample);
	procedure_set_positives(procedure);
	iteration->inferred = sample.inferences->count;
	iteration->sampled = sample.count;
	record_sample(procedure->graph, procedure->settings.model, iteration->number, procedure->data, &sample);
	iteration->sample_seconds = seconds_since(start);
}

static void
keep_if_best(Procedure *procedure, const Iteration *iteration)
{
	if (iteration->evaluated && iteration->number > 1 &&
		!(iteration->metrics.mrr > procedure->best.metrics.mrr))
		return;
	procedure->best = *iteration;
	if (iteration->evaluated && (iteration->number < procedure->settings.iterations || procedure->all != NULL))
		best_iteration_put(procedure);
	if (procedure->rules != NULL)
		memcpy(procedure->best_rule, procedure->rules->rule, procedure->rules->count * sizeof(MinedRule));
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
	if (iteration->evaluated)
		appendStringInfo(&line, ", valid MRR %.4f", iteration->metrics.mrr);
	if (procedure->rules != NULL)
		appendStringInfo(&line, ", %d rules infer " INT64_FORMAT " triples, " INT64_FORMAT " sampled",
						 iteration->rules, iteration->inferred, iteration->sampled);
	appendStringInfo(&line, " (%.1f s training, %.1f s mining, %.1f s sampling, %.1f s evaluating)",
					 iteration->train_seconds, iteration->mine_seconds, iteration->sample_seconds,
					 iteration->evaluate_seconds);
	ereport(NOTICE, (errmsg_internal("%s", line.data)));
	pfree(line.data);
}

/* ---- the steps ------------------------------------------------------------------ */

void
procedure_read(Procedure *procedure)
{
	procedure->lasting = CurrentMemoryContext;
	if (procedure->progress == NULL)
		procedure->progress = progress_begin(procedure->graph->name, procedure->settings.model,
											 procedure->settings.iterations, procedure->settings.epochs);
	record_require_rights(procedure->graph);
	read_facts(procedure);
	procedure_check(procedure);
	procedure_describe(procedure);
	estimate_check(procedure);
	if (procedure->settings.warm_start)
		warm_start_check(procedure);
}

void
procedure_open(Procedure *procedure)
{
	procedure->pool = hkg_pool();
	allocate(procedure);
	procedure->scratch = AllocSetContextCreate(procedure->lasting, "hybridkg iteration",
											   ALLOCSET_DEFAULT_SIZES);
	if (procedure->settings.top_rules == 0)
		return;
	if (procedure->in_worker || procedure->all != NULL)
		copy_facts(procedure);
	sql_see_changes();			/* the copy */
	mine(procedure);
	sql_see_changes_end();
}

bool
procedure_is_done(const Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;

	return procedure->done >= settings->iterations ||
		(settings->patience > 0 && procedure->done > 0 &&
		 procedure->done - procedure->best.number >= settings->patience);
}

void
procedure_learn(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);

	procedure->iteration = (Iteration) {.number = procedure->done + 1};
	train_epochs(procedure, &procedure->iteration);
	evaluate(procedure, &procedure->iteration);
	MemoryContextSwitchTo(caller);
}

void
procedure_infer(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->scratch);
	Iteration  *iteration = &procedure->iteration;

	if (procedure->settings.top_rules > 0)
	{
		progress_phase(procedure->progress, PHASE_INFERRING);
		sql_see_changes();		/* a copy of the facts */
		rank_rules(procedure, iteration);
		sample_inferences(procedure, iteration);
		sql_see_changes_end();
	}
	record_iteration(procedure->graph, procedure->settings.model, iteration);
	keep_if_best(procedure, iteration);
	report_iteration(procedure, iteration);
	procedure->done = iteration->number;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(procedure->scratch);
}

/* What hkg_classify goes by. */
static void
learn_thresholds(Procedure *procedure, const KgeModel *model)
{
	Labelled	labelled = {.truth = procedure->valid,.truths = procedure->valid_count};

	labelled.falsehood = threshold_corrupt(procedure->data, procedure->known, procedure->known_count,
										   procedure->valid, procedure->valid_count,
										   (uint64) procedure->settings.seed, &labelled.falsehoods);
	threshold_learn(procedure->graph, procedure->settings.model, procedure->data, model, &labelled);
}

/*
 * The best embeddings themselves stay beside: what is learnt from the facts that were held out is learnt of
 * those.  A tenth more epochs give back most of what a training on all facts from the start would have (bench/RESULTS.md).
 */
void
procedure_refit(Procedure *procedure)
{
	const TrainSettings *settings = &procedure->settings;
	GraphData  *part = procedure->data;
	int64		epochs = ((int64) procedure->best.number * settings->epochs + REFIT_PART - 1) / REFIT_PART;
	double		loss = 0;

	if (procedure->all == NULL)
		return;
	if (procedure->best.number < procedure->done)
		best_iteration_get(procedure);
	procedure->data = procedure->all;
	procedure_set_positives(procedure);
	for (int64 epoch = 1; epoch <= epochs; epoch++)
		loss = train_epoch(procedure, procedure->done + 1, (int) epoch);
	procedure->data = part;
	if (hkg_progress_level != PROGRESS_OFF)
		ereport(NOTICE,
				(errmsg_internal("all facts together: " INT64_FORMAT " epochs, loss %.5f", epochs, loss)));
}

/* What is learnt from the valid split: weights of evidence, probabilities, thresholds; or was learnt before. */
static void
learn_from_valid(Procedure *procedure, const MinedRules *rules)
{
	record_rules(procedure->graph, procedure->settings.model, rules);
	if (procedure->learnt != NULL)
	{
		evidence_restore(procedure->graph, procedure->settings.model, procedure->learnt, procedure->settings.evidence_rules > 0);
		return;
	}
	sql_see_changes();			/* the rules */
	if (procedure->settings.evidence_rules > 0)
		evidence_learn(procedure->graph, procedure->settings.model, procedure->data, &procedure->model,
					   procedure->pool, procedure->valid, procedure->valid_count);
	sql_see_changes_end();
	sql_see_changes();			/* the weights */
	learn_thresholds(procedure, &procedure->model);
	sql_see_changes_end();
}

void
procedure_finish(Procedure *procedure)
{
	MinedRules	selected = {procedure->rules == NULL ? 0 : procedure->rules->count, procedure->best_rule};
	MinedRules *rules = evidence_rules(procedure, &selected);

	progress_phase(procedure->progress, PHASE_WRITING);
	record_replace(procedure->graph, &procedure->settings);
	if (procedure->all == NULL && procedure->best.number < procedure->done)
		best_iteration_get(procedure);
	model_write_embeddings(procedure->graph, procedure->settings.model, procedure->data, &procedure->model);
	if (procedure->all != NULL)
		best_iteration_get(procedure);
	learn_from_valid(procedure, rules);
	if (procedure->all != NULL && procedure->settings.evidence_rules > 0)
	{
		procedure->data = procedure->all;
		record_rules(procedure->graph, procedure->settings.model, evidence_rules(procedure, &selected));
	}
	record_end(procedure->graph, procedure->settings.model, &procedure->best);
	best_iteration_close(procedure);
	drop_copy(procedure);
}

/* ---- in the caller's transaction -------------------------------------------------- */

static void
run(Procedure *procedure)
{
	while (!procedure_is_done(procedure))
	{
		procedure_learn(procedure);
		procedure_infer(procedure);
	}
	procedure_refit(procedure);
	procedure_finish(procedure);
}

/* A context that all of a training goes with */
static MemoryContext
enter_context(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "hybridkg train",
													   ALLOCSET_DEFAULT_SIZES));
}

static Datum
leave_context(MemoryContext caller, const char *model)
{
	MemoryContext context = MemoryContextSwitchTo(caller);
	text	   *name = cstring_to_text(model);

	MemoryContextDelete(context);
	PG_RETURN_TEXT_P(name);
}

HKG_FUNCTION(hkg_train);
Datum
hkg_train(PG_FUNCTION_ARGS)
{
	MemoryContext caller = enter_context();
	Procedure	procedure = {0};

	settings_read(fcinfo, &procedure.settings);
	sql_begin();
	procedure.graph = graph_open(procedure.settings.graph);
	graph_lock_for_training(procedure.graph, procedure.settings.model);
	procedure_read(&procedure);
	procedure_open(&procedure);
	record_begin(procedure.graph, &procedure.settings);
	run(&procedure);
	graph_leave_training();
	sql_end();
	return leave_context(caller, procedure.settings.model);
}

HKG_FUNCTION(hkg_resume);
Datum
hkg_resume(PG_FUNCTION_ARGS)
{
	char	   *graph = argument_name(fcinfo, 0, "graph");
	char	   *model = argument_name(fcinfo, 1, "model");
	MemoryContext caller = enter_context();
	Procedure	procedure = {0};

	sql_begin();
	procedure.graph = graph_open(graph);
	graph_lock_for_training(procedure.graph, model);
	checkpoint_settings(procedure.graph, model, &procedure.settings);
	procedure_read(&procedure);
	procedure_open(&procedure);
	checkpoint_load(&procedure);
	run(&procedure);
	graph_leave_training();
	sql_end();
	return leave_context(caller, model);
}
