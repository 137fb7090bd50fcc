/*
 * valid_ranking.c
 *		The ranks of the valid split after each iteration (see valid_ranking.h).
 *
 * Each question is scored against all entities, which takes longer than the epochs where there are many.  So as many
 * triples of the split are ranked as a tenth of the epochs' time allows, or all of it where that takes a moment
 * (doc/method.md, The procedure).  Time is not measured but computed from the work: on any machine the same triples are
 * ranked.
 *
 * All iterations rank the same triples.  The difference of two of them has a standard error that is much smaller than
 * that of either.  Of iterations that the sample does not separate, the one that was trained longest is taken.
 */
#include "valid_ranking.h"

#include <math.h>

#include "server/host.h"

#define MOST_TIME 0.1			/* of that of the epochs */
#define A_MOMENT 0.02			/* seconds of a core */

/* Triples that may be ranked after an iteration. */
static int64
affordable(const TrainSettings *settings, const GraphData *data, const Learner *learner)
{
	double		epochs = settings->epochs *
		kge_epoch_seconds(&learner->model, &learner->training, data->facts, training_queries(data));

	return (int64) Min(MOST_TIME * epochs / kge_rank_seconds(&learner->model, 1), (double) PG_INT32_MAX);
}

ValidRanking
valid_ranking_sizes(const TrainSettings *settings, const TrainingFacts *facts, const Learner *learner)
{
	int64		all = facts->valid_count;
	bool		exact = kge_rank_seconds(&learner->model, all) <= A_MOMENT;

	return (ValidRanking) {
		.sample = kge_sample(all, exact ? all + 1 : affordable(settings, facts->learnt, learner))
	};
}

Size
valid_ranking_bytes(const ValidRanking *ranking, const TrainingFacts *facts, const KgeModel *model)
{
	int64		count = ranking->sample.count;

	return count * (sizeof(Triple) + sizeof(int64) + 2 * sizeof(int32) + 3 * sizeof(double)) +
		kge_rank_bytes(model, NULL, count, facts->filter_count, hkg_threads);
}

static const Triple *
draw(KgeSample sample, const TrainSettings *settings, const TrainingFacts *facts)
{
	Triple	   *drawn = hkg_allocate(CurrentMemoryContext, Max(sample.count, 1) * sizeof(Triple));
	int64	   *place = hkg_allocate(CurrentMemoryContext, Max(sample.count, 1) * sizeof(int64));

	kge_sample_draw(sample, (uint64) settings->seed, place);
	for (int64 i = 0; i < sample.count; i++)
		drawn[i] = facts->valid[place[i]];
	pfree(place);
	return drawn;
}

void
valid_ranking_open(ValidRanking *ranking, const TrainSettings *settings, const TrainingFacts *facts)
{
	int64		count = Max(ranking->sample.count, 1);

	ranking->triple = kge_sample_is_all(ranking->sample) ? facts->valid : draw(ranking->sample, settings, facts);
	ranking->rank = hkg_allocate(CurrentMemoryContext, 2 * count * sizeof(int32));
	ranking->reciprocal = hkg_allocate(CurrentMemoryContext, count * sizeof(double));
	ranking->highest = hkg_allocate(CurrentMemoryContext, count * sizeof(double));
	memset(ranking->highest, 0, count * sizeof(double));
}

void
valid_ranking_use_nodes(ValidRanking *ranking, const Graph *graph, const TrainSettings *settings,
						const TrainingFacts *facts, const Learner *learner, bool in_worker)
{
	ranking->nodes = node_ranking_open(graph, settings, &learner->model,
									   (KgeTriples) {ranking->triple, ranking->sample.count},
									   (KgeTriples) {facts->filter, facts->filter_count}, in_worker);
}

static void
rank(const ValidRanking *ranking, const Learner *learner, const TrainingFacts *facts)
{
	Arena		arena = hkg_arena();
	int64		count = ranking->sample.count;
	KgeRanks	ranks = {ranking->rank, ranking->rank + count};

	if (ranking->nodes != NULL)
		node_ranking_run(ranking->nodes, &learner->model, ranks);
	else
		kge_rank(&arena, learner->pool, &learner->model, NULL, (KgeTriples) {ranking->triple, count},
				 (KgeTriples) {facts->filter, facts->filter_count}, learner->training.seed, ranks);
}

void
valid_ranking_run(ValidRanking *ranking, const Learner *learner, const TrainingFacts *facts, Iteration *iteration)
{
	rank(ranking, learner, facts);
	iteration->metrics = kge_sample_metrics(ranking->sample, ranking->rank, 2, ranking->reciprocal);
	iteration->mrr_error = kge_sample_error(ranking->sample, ranking->reciprocal, NULL);
	iteration->ranked = ranking->sample.count;
}

void
valid_ranking_before(ValidRanking *ranking, const Learner *learner, const TrainingFacts *facts)
{
	int64		count = Max(ranking->sample.count, 1);
	Iteration	none = {0};

	valid_ranking_run(ranking, learner, facts, &none);
	ranking->before = hkg_allocate(CurrentMemoryContext, count * sizeof(double));
	memcpy(ranking->before, ranking->reciprocal, ranking->sample.count * sizeof(double));
	ranking->before_mrr = none.metrics.mrr;
}

/* The error is that of the mean over facts like those of the split: it is not 0 where all of the split was ranked. */
double
valid_ranking_loss(const ValidRanking *ranking, double *error)
{
	int64		count = ranking->sample.count;
	double		mean = 0;
	double		squares = 0;

	for (int64 i = 0; i < count; i++)
		mean += (ranking->before[i] - ranking->highest[i]) / (double) count;
	for (int64 i = 0; i < count; i++)
		squares += pow(ranking->before[i] - ranking->highest[i] - mean, 2);
	*error = count < 2 ? 0 : sqrt(squares / ((double) count * (double) (count - 1)));
	return ranking->before_mrr - ranking->highest_mrr;
}

bool
valid_ranking_take(ValidRanking *ranking, const Iteration *iteration)
{
	double		mrr = iteration->metrics.mrr;
	double		error = kge_sample_error(ranking->sample, ranking->reciprocal, ranking->highest);
	bool		first = ranking->highest_mrr == 0;
	bool		best = first || mrr > ranking->highest_mrr - error;

	if (first || mrr > ranking->highest_mrr)
	{
		double	   *latest = ranking->reciprocal;

		ranking->reciprocal = ranking->highest;
		ranking->highest = latest;
		ranking->highest_mrr = mrr;
	}
	return best;
}
