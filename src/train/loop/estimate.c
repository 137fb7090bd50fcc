/*
 * estimate.c
 *		What a training will take: hkg_estimate, and the error when it is more than hybridkg.max_memory.
 *
 * Both use the same list; its sizes come from the owners of the arrays.  Rules and what they infer are not in
 * it, since their number is unknown until they are counted: what mines and infers checks its own memory, on top of what
 * the training holds by then.
 */
#include "estimate.h"

#include "utils/builtins.h"

#include "model/model_evidence.h"
#include "plan.h"
#include "rules/body_pairs.h"
#include "rules/mine.h"
#include "server/argument.h"
#include "server/host.h"
#include "server/sql.h"
#include "train/embeddings/valid_ranking.h"
#include "train/partitions/node_buckets.h"
#include "train/paths/path_learning.h"
#include "train/paths/path_rules.h"
#include "work.h"

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
	uint64		learning = 0;

	/* of one member, which answers if there is no time for the others, more questions are asked */
	for (int members = 1; members <= paths.plan.members && facts->valid_count > 0; members++)
	{
		PathNetwork network = {.shape = paths.plan.shape,.members = members,.reversed = paths.plan.reversed};

		learning = Max(learning, evidence_learn_bytes(model, data, &rules, settings->paths == YES ? &network : NULL,
													  facts->degrees, facts->valid_count, hkg_threads));
	}
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
	if (work_mines(settings))
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
						"make the path network smaller: path_kept, path_width, path_layers, path_members" :
						"ask for less: fewer dimensions, rules or samples, or more partitions");
	hkg_hold_memory(list.held);
}

bool
estimate_allows_early(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	NeedList	list = list_needs(settings, facts, learner);
	PathLearning paths = path_learning_sizes(settings, facts);

	return (list.bytes + path_learning_bytes(&paths, facts)) / 1024 < (uint64) hkg_max_memory;
}

/* ---- hkg_estimate ------------------------------------------------------------ */

static void
take_counts(void *argument, const Datum *values, const bool *nulls)
{
	int64	   *count = argument;

	for (int i = 0; i < 7; i++)
		count[i] = DatumGetInt64(values[i]);
}

static void
take_degree(void *argument, const Datum *values, const bool *nulls)
{
	TrainingFacts *facts = argument;
	Degrees    *degrees = &facts->degrees;

	degrees->degree = degrees->count == 0 ? palloc(sizeof(Degree)) : repalloc(degrees->degree, (degrees->count + 1) * sizeof(Degree));
	degrees->degree[degrees->count++] = (Degree) {DatumGetInt64(values[0]), DatumGetInt64(values[1])};
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
	sql_stream(psprintf("select facts, count(*) from (select count(*) as facts from "
						"(select head as entity from %1$striple union all select tail from %1$striple) e group by entity) d "
						"group by facts", graph->prefix),
			   SQL_NO_ARGS, take_degree, &facts);
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
	TrainingPlan plan = {.start = monotonic_now()};

	settings_read(fcinfo, &settings);
	sql_begin();
	graph = graph_open(settings.graph);
	node_buckets_fill_in(graph, &settings);
	facts = count_facts(graph, &settings, &queries);
	if (settings.minutes > 0)	/* some of the work is done, to measure it */
	{
		TrainingFacts read = training_facts_read(graph, &settings);

		plan_training(&plan, graph, &settings, &read);
	}
	else
		plan_training(&plan, graph, &settings, &facts);
	plan_notice(plan.message, plan.detail);
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

			/* what trains a bucket, and the bucket */
			add_bytes(result, "a node", learner_memory_bytes(&learner) + (uint64) work_bucket_bytes(&learner) +
					  kge_trainer_bytes(&partitions->room, &learner.training, learner.positives.room, hkg_threads));
			add_bytes(result, "sent in an epoch", (uint64) work_sent_bytes(&learner));
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
