/*
 * estimate.c
 *		What a training will take: hkg_estimate, the error when it is more than hybridkg.max_memory, and the time of
 *		each phase.
 *
 * The first two use the same list; its sizes come from the owners of the arrays.  Rules and what they infer are not in
 * it, since their number is unknown until they are counted: what mines and infers checks its own memory, on top of what
 * the training holds by then.
 */
#include "estimate.h"

#include "utils/builtins.h"

#include "model/model_evidence.h"
#include "rules/body_pairs.h"
#include "rules/mine.h"
#include "server/argument.h"
#include "server/host.h"
#include "server/sql.h"
#include "train/embeddings/valid_ranking.h"
#include "train/partitions/node_buckets.h"
#include "train/paths/path_learning.h"
#include "train/paths/path_rules.h"

typedef struct Need
{
	const char *item;
	uint64		bytes;
} Need;

typedef struct NeedList
{
	int			count;
	Need		need[16];
	uint64		bytes;			/* of all */
	uint64		held;			/* of those that stay from the first epoch to the last */
} NeedList;

static void
add_need(NeedList *list, const char *item, uint64 bytes)
{
	Assert(list->count < (int) lengthof(list->need));
	list->need[list->count++] = (Need) {item, bytes};
	list->bytes += bytes;
}

/* The search for path rules, and later, in the same memory or more, learning how much rules and paths weigh. */
static uint64
evidence_bytes(const TrainSettings *settings, const TrainingFacts *facts, const KgeModel *model)
{
	const GraphData *data = facts->learnt;
	EvSearch	search = path_rules_search(settings, data->facts);
	FactIndex	index = path_index_sizes(facts);
	EvRuleSet	rules = {.count = search.limit + settings->top_rules};
	PathLearning paths = path_learning_sizes(settings, facts);
	PathNetwork network = {.shape = paths.plan.shape};
	uint64		learning = facts->valid_count == 0 ? 0 :
		evidence_learn_bytes(model, data, &rules, settings->paths == YES ? &network : NULL, facts->valid_count,
							 hkg_threads);

	return Max(fact_index_bytes(data->entities, data->relations, data->facts) +
			   ev_path_rules_bytes(&index, &search, hkg_threads), learning);
}

/* What a path network is learnt with is given back before its evidence is weighed. */
static uint64
paths_bytes(const TrainSettings *settings, const TrainingFacts *facts, const KgeModel *model)
{
	PathLearning paths = path_learning_sizes(settings, facts);

	return Max(path_learning_bytes(&paths, facts),
			   path_learning_left_bytes(&paths) + evidence_bytes(settings, facts, model));
}

static bool
mines(const TrainSettings *settings)
{
	return settings->top_rules > 0 || kge_constraint_entails(settings->constraints);
}

static NeedList
list_needs(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	NeedList	list = {0};
	const KgeModel *model = &learner->model;
	const PartitionMemory *partitions = &learner->partitions;
	const KgeModel *trained = &partitions->room;
	const KgeTraining *training = &learner->training;
	const Positives *positives = &learner->positives;
	uint64		parameters = learner_memory_bytes(learner);
	uint64		state = kge_trainer_state_bytes(trained, training);
	const GraphData *all = facts->all;
	int64		triples = facts->learnt->facts + (facts_are_held_out(facts) ? all->facts : 0);

	add_need(&list, "facts", triples * sizeof(Triple) + ((uint64) all->entities + all->relations) * sizeof(int32));
	add_need(&list, "filter of the evaluation", facts->filter_count * sizeof(Triple));
	add_need(&list, "positives", positives->room * (sizeof(Triple) + sizeof(float)) +
			 positives->max_samples * 2 * sizeof(InferredPositive));
	add_need(&list, "embeddings", parameters);
	if (settings->warm_start)
		add_need(&list, "model to go on from", parameters);
	add_need(&list, "state of the optimizer", state);
	add_need(&list, "a minibatch", kge_trainer_bytes(trained, training, positives->room, hkg_threads) - state);
	if (is_partitioned(partitions))
		add_need(&list, "facts by bucket", kge_partitions_bytes(&partitions->sizes));
	if (settings->nodes > 1)
		add_need(&list, "relations of nodes", lane_relations_bytes(&partitions->bytes, settings->nodes));
	list.held = list.bytes;
	if (mines(settings))
	{
		/* mined with one index of facts; what they infer takes another.  Those that entail infer nothing */
		uint64		mining = mine_index_bytes(facts->learnt, settings->top_rules == 0 || settings->rules_of == NULL);

		add_need(&list, "index of facts for rules", settings->top_rules == 0 ? mining :
				 Max(mining, body_pairs_bytes(facts->learnt)));
	}
	if (settings->paths == YES)
		add_need(&list, "path network, then evidence", paths_bytes(settings, facts, model));
	else if (settings->evidence_rules > 0)
		add_need(&list, "evidence", evidence_bytes(settings, facts, model));
	if (facts->valid_count > 0)
	{
		ValidRanking ranking = valid_ranking_sizes(settings, facts, learner);

		add_need(&list, "evaluation", valid_ranking_bytes(&ranking, facts, model));
	}
	return list;
}

void
estimate_check(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	NeedList	list = list_needs(settings, facts, learner);
	const KgeModel *model = &learner->model;
	uint64		paths = settings->paths == YES ? paths_bytes(settings, facts, model) : 0;

	hkg_check_memory_or(list.bytes, "training", paths > list.bytes / 2 ?
						"make the path network smaller: path_kept, path_width, path_layers" :
						"ask for less: fewer dimensions, rules or samples, or more partitions");
	hkg_hold_memory(list.held);
}

/* ---- time -------------------------------------------------------------------- */

/*
 * Seconds of a core for one unit of a phase, by trainings on FB15k-237, WN18RR and Debian's packages; path rules took 0.6
 * to 2 times as long there, weights 3 to 5.4 ms a triple (bench/RESULTS.md, What hkg_progress promises).  They count until
 * the first unit of the phase was measured (server/progress.c).  The others are those of the library (kge_epoch_seconds).
 */
#define MINING_SECONDS 1.5e-5	/* of a fact */
#define MINING_CONSTANTS 50		/* times as long; 38 on codex-s, 55 on FB15k-237, 300 on umls */
#define INFERRING_SECONDS 3e-6	/* of a fact, in each iteration */
#define PATH_RULES_SECONDS 3e-5	/* of a fact */
#define WEIGHTS_SECONDS 4e-3	/* of a triple of the valid split, beside its ranks */
#define WRITING_SECONDS 2.5e-5	/* of an entity or a rule */

/* With facts held out, path rules are counted again. */
static PhaseWork
path_rules_work(const TrainSettings *settings, const TrainingFacts *facts)
{
	double		counted_again = facts_are_held_out(facts) ? ESTIMATE_RECOUNT * (double) facts->all->facts : 0;
	double		found_in = (double) facts->learnt->facts + counted_again;
	PhaseWork	work = {found_in, PATH_RULES_SECONDS / hkg_threads};

	if (settings->evidence_rules == 0)
		work.units = 0;
	if (settings->evidence_seconds > 0)
		work.seconds = Min(work.seconds, settings->evidence_seconds / (double) facts->all->facts);
	return work;
}

/* Weights are learnt from examples, for which all entities are scored, and paths are read. */
static PhaseWork
weights_work(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	PathLearning paths = path_learning_sizes(settings, facts);
	int64		count = Min(facts->valid_count, EV_MOST_TRIPLES);
	double		seconds = WEIGHTS_SECONDS + kge_rank_seconds(&learner->model, 1);

	if (settings->paths == YES)
		seconds += path_answering_seconds(&paths, facts);
	return (PhaseWork) {(double) count, seconds / hkg_threads};
}

/* How often rules are written: again where they are counted again */
static int
rules_written(const TrainingFacts *facts)
{
	return facts_are_held_out(facts) ? 2 : 1;
}

void
estimate_mined(Progress *progress, const TrainingFacts *facts, int64 rules)
{
	progress_add(progress, PHASE_WRITING, (double) rules_written(facts) * rules);
}

void
estimate_found(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts, int64 paths)
{
	progress_skip(progress, PHASE_WRITING, (double) rules_written(facts) * (settings->evidence_rules - paths));
}

static double
bucket_count(const PartitionMemory *partitions)
{
	return (double) partitions->sizes.partitions * (partitions->sizes.partitions - 1) / 2;
}

static double
bytes_of_positive(const PartitionMemory *partitions)
{
	return sizeof(Triple) + (partitions->sizes.have_worth ? sizeof(float) : 0);
}

/* In a deal a bucket's two partitions and the relations go to a node and come back, and its positives go there. */
static double
sent_bytes(const Learner *learner)
{
	const PartitionMemory *partitions = &learner->partitions;
	const BucketSizes *sizes = &partitions->bytes;
	double		rows = 2.0 * partitions->sizes.entities / partitions->sizes.partitions;
	double		bucket = rows * (double) (sizes->entity + sizes->entity_state) +
		(double) (sizes->relations + sizes->relation_state);

	return 2 * partitions->sizes.deals * bucket_count(partitions) * bucket +
		(double) learner->positives.room * bytes_of_positive(partitions);
}

static double
epoch_seconds(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	const GraphData *data = facts->learnt;
	double		seconds = kge_epoch_seconds(&learner->model, &learner->training, data->facts,
											training_queries(data)) / hkg_threads;
	const PartitionMemory *partitions = &learner->partitions;

	if (partitions->nodes == NULL)
		return seconds;
	return seconds / node_buckets_servers(partitions->nodes, settings) +
		node_seconds_to_send(sent_bytes(learner), kge_step_count(&partitions->sizes));
}

void
estimate_plan(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts,
			  const Learner *learner, const ValidRanking *ranking)
{
	double		count = (double) facts->learnt->facts;
	double		iterations = settings->iterations;
	int64		ranked = ranking->sample.count;
	double		evaluation = ranking->nodes != NULL ? node_ranking_seconds(ranking->nodes, &learner->model, ranked) :
		kge_rank_seconds(&learner->model, ranked) / hkg_threads;
	PhaseWork	work[PROGRESS_PHASES] = {
		[PHASE_MINING] = {mines(settings) ? count : 0, MINING_SECONDS * (settings->constants ? MINING_CONSTANTS : 1)},
		[PHASE_TRAINING] = {(double) epochs_in(settings, settings->iterations) +
			(double) hold_out_refit_epochs(settings, facts, settings->iterations),
		epoch_seconds(settings, facts, learner)},
		[PHASE_EVALUATING] = {facts->valid_count > 0 ? iterations + settings->warm_start : 0, evaluation},
		[PHASE_INFERRING] = {settings->top_rules > 0 ? iterations : 0, INFERRING_SECONDS * count},
		[PHASE_PATH_RULES] = path_rules_work(settings, facts),
		[PHASE_WEIGHTS] = weights_work(settings, facts, learner),
		[PHASE_WRITING] = {(double) facts->all->entities + (double) rules_written(facts) * settings->evidence_rules,
		WRITING_SECONDS}
	};

	if (settings->paths == YES)
	{
		PathLearning paths = path_learning_sizes(settings, facts);

		work[PHASE_PATHS] = (PhaseWork) {path_learning_units(&paths, facts, paths.plan.epochs),
			path_learning_seconds(&paths, facts) / hkg_threads};
	}

	progress_plan(progress, work);
}

/* ---- hkg_estimate ------------------------------------------------------------ */

static void
take_counts(void *argument, const Datum *values, const bool *nulls)
{
	int64	   *count = argument;

	for (int i = 0; i < 7; i++)
		count[i] = DatumGetInt64(values[i]);
}

/* As training_facts_read, without triples; and the distinct (head, relation) and (relation, tail). */
static TrainingFacts
count_facts(const Graph *graph, const TrainSettings *settings, int64 *queries)
{
	GraphData  *all = palloc0(sizeof(GraphData));
	GraphData  *learnt = palloc(sizeof(GraphData));
	TrainingFacts facts = {.all = all,.learnt = all};
	int64		count[7];

	sql_stream(psprintf("select (select count(*) from %1$sentity), (select count(*) from %1$srelation), "
						"(select count(*) from %1$striple), "
						"(select count(*) from %1$sholdout where split = 'valid'), "
						"(select count(*) from %1$sholdout), "
						"(select count(*) from (select distinct relation, head from %1$striple) q) + "
						"(select count(*) from (select distinct relation, tail from %1$striple) q), "
						"(select count(*) from %1$srejected)",
						graph->prefix),
			   SQL_NO_ARGS, take_counts, count);
	all->entities = (int32) count[0];
	all->relations = (int32) count[1];
	all->facts = count[2];
	facts.valid_count = count[3];
	facts.filter_count = count[2] + count[4];
	*queries = count[5];
	facts.rejected_count = count[6];
	if (facts.valid_count > 0 || settings->warm_start)
		return facts;
	facts.valid_count = hold_out_size(settings->holdout, all->facts);
	*learnt = *all;
	learnt->facts -= facts.valid_count;
	if (facts.valid_count > 0)
		facts.learnt = learnt;
	return facts;
}

static void
add_bytes(SqlResult *result, const char *item, uint64 bytes)
{
	Datum		values[] = {CStringGetTextDatum(item), Int64GetDatum((int64) bytes), (Datum) 0};
	bool		nulls[] = {false, false, true};

	sql_result_row(result, values, nulls);
}

static void
add_flops(SqlResult *result, const char *item, double flops)
{
	Datum		values[] = {CStringGetTextDatum(item), (Datum) 0, Float8GetDatum(flops)};
	bool		nulls[] = {false, true, false};

	sql_result_row(result, values, nulls);
}

HKG_FUNCTION(hkg_estimate);
Datum
hkg_estimate(PG_FUNCTION_ARGS)
{
	SqlResult  *result = sql_result(fcinfo);
	TrainSettings settings;
	Graph	   *graph;
	TrainingFacts facts;
	int64		queries;
	Learner		learner;
	NeedList	list;
	ValidRanking ranking;
	NodeRankingNeed ranked;

	settings_read(fcinfo, &settings);
	sql_begin();
	graph = graph_open(settings.graph);
	node_buckets_fill_in(graph, &settings);
	facts = count_facts(graph, &settings, &queries);
	path_settings_decide(&settings, graph, &facts);
	training_facts_check(&facts, graph, &settings);
	learner = learner_sizes(&settings, &facts);
	list = list_needs(&settings, &facts, &learner);
	for (int i = 0; i < list.count; i++)
		add_bytes(result, list.need[i].item, list.need[i].bytes);
	add_bytes(result, "all of it", list.bytes);
	if (is_partitioned(&learner.partitions))
	{
		add_bytes(result, "file of partitions", partition_file_bytes(&learner.partitions.file));
		if (settings.nodes > 1)
		{
			const PartitionMemory *partitions = &learner.partitions;
			double		positives = (double) learner.positives.room / bucket_count(partitions);

			/* what trains a bucket, and the bucket */
			add_bytes(result, "a node", learner_memory_bytes(&learner) +
					  (uint64) (positives * bytes_of_positive(partitions)) +
					  kge_trainer_bytes(&partitions->room, &learner.training, learner.positives.room, hkg_threads));
			add_bytes(result, "sent in an epoch", (uint64) sent_bytes(&learner));
		}
	}
	/* known answers are not read: all of the filter may be some */
	ranking = valid_ranking_sizes(&settings, &facts, &learner);
	ranked = node_ranking_need(graph, &settings, &learner.model, ranking.sample.count, facts.filter_count);
	if (ranked.node > 0)
	{
		add_bytes(result, "a node that ranks", ranked.node);
		add_bytes(result, "sent to rank, at most", ranked.sent);
	}
	add_flops(result, "an epoch", kge_epoch_flops(&learner.model, &learner.training, facts.all->facts, queries));
	if (settings.paths == YES)
	{
		PathLearning paths = path_learning_sizes(&settings, &facts);

		add_flops(result, "an epoch of the path network", path_learning_flops(&paths, &facts));
	}
	sql_end();
	return (Datum) 0;
}
