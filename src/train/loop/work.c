/*
 * work.c
 *		The work of a training, by phase, and the time that it takes (see work.h).
 */
#include "work.h"

#include "model/model_evidence.h"
#include "rules/mine.h"
#include "server/host.h"
#include "train/partitions/node_buckets.h"
#include "train/paths/path_learning.h"
#include "train/paths/path_rules.h"

/*
 * Seconds of a core for one unit of a phase, by trainings on FB15k-237, WN18RR, WordNet, packages and flights; weights of
 * flights, which has hubs, take three times as long (bench/RESULTS.md).  They count until the first unit of the phase was
 * measured (server/progress.c).  The others are those of the library (kge_epoch_seconds).
 */
#define MINING_SECONDS 6e-6		/* of a fact */
#define MINING_CONSTANTS 50		/* times as long; 38 on codex-s, 55 on FB15k-237, 300 on umls */
#define INFERRING_SECONDS 3e-6	/* of a fact, in each iteration */
#define PATH_RULES_SECONDS 3e-5	/* of a fact */
#define SHORT_RULES 0.2			/* of that, without bodies of three atoms */
#define WEIGHTS_SECONDS 3e-3	/* of a triple that is learnt from, beside its scores ... */
#define WEIGHTS_RANKS 6			/* ... which take so many times as long as its ranks: of more questions, fewer at once */
#define WRITING_SECONDS 4e-5	/* of an entity or a rule */

/* With facts held out, path rules are counted again. */
static PhaseWork
path_rules_work(const TrainSettings *settings, const TrainingFacts *facts, double threads)
{
	double		counted_again = facts_are_held_out(facts) ? WORK_RECOUNT * (double) facts->all->facts : 0;
	double		found_in = (double) facts->learnt->facts + counted_again;
	PhaseWork	work = {found_in, PATH_RULES_SECONDS / threads};

	if (settings->evidence_rules == 0)
		work.units = 0;
	if (path_rules_search(settings, facts->learnt->facts).length < 3)
		work.seconds *= SHORT_RULES;
	if (settings->evidence_seconds > 0)
		work.seconds = Min(work.seconds, settings->evidence_seconds / (double) facts->all->facts);
	return work;
}

/*
 * Weights are learnt from examples, for which all entities are scored, and paths are read: two questions of a triple, as
 * many that are drawn like them, and half as many besides, within a bound (evidence/examples.c).
 */
static PhaseWork
weights_work(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner, double threads)
{
	PathLearning paths = path_learning_sizes(settings, facts);
	double		most = settings->evidence_triples > 0 ? settings->evidence_triples : EV_MOST_TRIPLES;
	double		count = Min(facts->valid_count, most);
	double		seconds = WEIGHTS_SECONDS + WEIGHTS_RANKS * kge_rank_seconds(&learner->model, 1);

	if (settings->paths == YES)
	{
		count = Min(count, (double) path_learning_weighed(&paths, facts));
		seconds += 2.5 * path_answering_seconds(&paths, facts);
	}
	return (PhaseWork) {count, seconds / threads};
}

/* How often rules are written: again where they are counted again */
static int
rules_written(const TrainingFacts *facts)
{
	return facts_are_held_out(facts) ? 2 : 1;
}

void
work_mined(Progress *progress, const TrainingFacts *facts, int64 rules)
{
	progress_add(progress, PHASE_WRITING, (double) rules_written(facts) * rules);
}

void
work_found(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts, int64 paths)
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
double
work_sent_bytes(const Learner *learner)
{
	const PartitionMemory *partitions = &learner->partitions;
	const BucketSizes *sizes = &partitions->bytes;
	double		rows = 2.0 * partitions->sizes.entities / partitions->sizes.partitions;
	double		bucket = rows * (double) (sizes->entity + sizes->entity_state) +
		(double) (sizes->relations + sizes->relation_state);

	return 2 * partitions->sizes.deals * bucket_count(partitions) * bucket +
		(double) learner->positives.room * bytes_of_positive(partitions);
}

double
work_bucket_bytes(const Learner *learner)
{
	return (double) learner->positives.room / bucket_count(&learner->partitions) * bytes_of_positive(&learner->partitions);
}

static double
epoch_seconds(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner, double threads)
{
	const GraphData *data = facts->learnt;
	double		seconds = kge_epoch_seconds(&learner->model, &learner->training, data->facts,
											training_queries(data)) / threads;
	const PartitionMemory *partitions = &learner->partitions;

	if (partitions->nodes == NULL)
		return seconds;
	return seconds / node_buckets_servers(partitions->nodes, settings) +
		node_seconds_to_send(work_sent_bytes(learner), kge_step_count(&partitions->sizes));
}

void
work_of(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner,
		const ValidRanking *ranking, double threads, PhaseWork work[PROGRESS_PHASES])
{
	double		count = (double) facts->learnt->facts;
	double		iterations = settings->iterations;
	int64		ranked = ranking->sample.count;
	double		evaluation = ranking->nodes != NULL ? node_ranking_seconds(ranking->nodes, &learner->model, ranked) :
		kge_rank_seconds(&learner->model, ranked) / threads;

	memset(work, 0, PROGRESS_PHASES * sizeof(PhaseWork));
	work[PHASE_MINING] = (PhaseWork) {work_mines(settings) ? count : 0,
		MINING_SECONDS * (settings->constants ? MINING_CONSTANTS : 1)};
	work[PHASE_TRAINING] = (PhaseWork) {(double) epochs_in(settings, settings->iterations) +
		(double) hold_out_refit_epochs(settings, facts, settings->iterations),
		epoch_seconds(settings, facts, learner, threads)};
	work[PHASE_EVALUATING] = (PhaseWork) {facts->valid_count > 0 ? iterations + settings->warm_start : 0, evaluation};
	work[PHASE_INFERRING] = (PhaseWork) {settings->top_rules > 0 ? iterations : 0, INFERRING_SECONDS * count};
	work[PHASE_PATH_RULES] = path_rules_work(settings, facts, threads);
	work[PHASE_WEIGHTS] = weights_work(settings, facts, learner, threads);
	work[PHASE_WRITING] = (PhaseWork) {(double) facts->all->entities +
		(double) rules_written(facts) * settings->evidence_rules, WRITING_SECONDS};
	if (settings->paths == YES)
	{
		PathLearning paths = path_learning_sizes(settings, facts);

		work[PHASE_PATHS] = (PhaseWork) {path_learning_units(&paths, facts, path_epochs_in_all(&paths.plan)),
			path_learning_seconds(&paths, facts) / threads};
	}
}

void
work_plan(Progress *progress, const TrainSettings *settings, const TrainingFacts *facts,
			  const Learner *learner, const ValidRanking *ranking)
{
	PhaseWork	work[PROGRESS_PHASES];

	work_of(settings, facts, learner, ranking, hkg_threads, work);
	progress_sizes(progress, settings->iterations, settings->epochs);
	progress_plan(progress, work);
}
