/*
 * schedule.c
 *		The work of a training's phases, before any of it is measured (see progress.c).
 *
 * What one unit takes is an order of magnitude from trainings of graphs of 3,000 to 300,000 facts on one core.  It
 * counts until the first unit of a phase was measured: for epochs until the first epoch, for the end of a training
 * to its end.
 */
#include "schedule.h"

#include "server/host.h"

#define FLOPS 1e10				/* floating-point operations a second, of each thread */
#define MINING_SECONDS 1e-4		/* of a fact */
#define INFERRING_SECONDS 2e-5	/* of a fact, in each iteration */
#define PATH_RULES_SECONDS 2e-4 /* of a fact */
#define WEIGHTS_SECONDS 5e-3	/* of a triple of the valid split */
#define WRITING_SECONDS 5e-5	/* of an entity or a rule */

/*
 * The refit repeats a tenth of the epochs that made the best embeddings.  That gives back most of what a training on
 * all facts from the start would have gained (bench/RESULTS.md).
 */
#define REFIT_PART 10

int64
schedule_refit_epochs(const TrainSettings *settings, const TrainingFacts *facts, int best_iteration)
{
	int64		epochs = (int64) best_iteration * settings->epochs;

	return facts_are_held_out(facts) ? (epochs + REFIT_PART - 1) / REFIT_PART : 0;
}

/* With facts held out, path rules are found twice. */
static PhaseWork
path_rules_work(const TrainSettings *settings, const TrainingFacts *facts)
{
	double		found_in = (double) facts->learnt->facts + (facts_are_held_out(facts) ? (double) facts->all->facts : 0);
	PhaseWork	work = {found_in, PATH_RULES_SECONDS};

	if (settings->evidence_rules == 0)
		work.units = 0;
	if (settings->evidence_seconds > 0)
		work.seconds = Min(work.seconds, settings->evidence_seconds / (double) facts->all->facts);
	return work;
}

static double
epoch_seconds(const TrainingFacts *facts, const Learner *learner)
{
	int64		count = facts->learnt->facts;

	return kge_epoch_flops(&learner->model, &learner->training, count, 2 * count) / (FLOPS * hkg_threads);
}

/* A query of each side of each triple is scored against all entities. */
static double
evaluation_seconds(const TrainingFacts *facts, const Learner *learner)
{
	return (double) facts->valid_count * (double) learner_entity_bytes(learner) / (FLOPS * hkg_threads);
}

void
schedule_plan(TrainingProgress *progress, const TrainSettings *settings, const TrainingFacts *facts,
			  const Learner *learner)
{
	double		count = (double) facts->learnt->facts;
	double		iterations = settings->iterations;
	bool		mines = settings->top_rules > 0;
	PhaseWork	work[TRAINING_PHASES] = {
		[PHASE_MINING] = {mines ? count : 0, MINING_SECONDS},
		[PHASE_TRAINING] = {iterations * settings->epochs +
			(double) schedule_refit_epochs(settings, facts, settings->iterations),
		epoch_seconds(facts, learner)},
		[PHASE_EVALUATING] = {facts->valid_count > 0 ? iterations : 0, evaluation_seconds(facts, learner)},
		[PHASE_INFERRING] = {mines ? iterations : 0, INFERRING_SECONDS * count},
		[PHASE_PATH_RULES] = path_rules_work(settings, facts),
		[PHASE_WEIGHTS] = {(double) facts->valid_count, WEIGHTS_SECONDS},
		[PHASE_WRITING] = {facts_are_held_out(facts) ? 2 : 1,
		WRITING_SECONDS * ((double) facts->all->entities + settings->evidence_rules)}
	};

	progress_plan(progress, work);
}
