/*
 * path_settings.c
 *		How the path network of a training is learnt (see path_settings.h).
 *
 * In a sparse graph few entities are reached in a step, so more steps and more entities are affordable; eight steps find
 * more than six, in twice the time (bench/RESULTS.md).  In a dense one a question takes longer, and smaller minibatches
 * learn more from as many.  Where it has more entities than are kept, noise takes part in the choice, and minibatches are
 * larger: with small ones, and noise of one scale, the loss rose again (bench/RESULTS.md, "All three").  An answer can keep
 * more entities than are affordable while the network is learnt: the last epochs keep as many, to which the network adapts.
 *
 * A network makes training ten times as long and more, and an answer some milliseconds.  It pays on graphs of a middle
 * size: smaller ones gained nothing, larger ones were not measured (bench/RESULTS.md, "All three").  Small graphs need
 * fewer epochs: to ask about each fact once was as good on codex-s as to ask two and a half times.
 */
#include "path_settings.h"

#include <math.h>

#include "model/path_network.h"

#define FEWEST_FACTS 20000
#define MOST_FACTS 300000

#define DENSE_EDGES 10			/* of an entity, in the mean */
#define DENSE_LAYERS 5
#define SPARSE_LAYERS 6
#define MOST_SPARSE_LAYERS 8
#define MOST_REVERSED 10		/* more gain nothing on codex-s, nor do any on WN18RR, which is sparse */
#define MANY_RELATIONS 100
#define DROPOUT 0.05
#define EXPLORATION 0.5			/* standard deviations, where not all entities can be kept; elsewhere noise gains nothing */
#define FEWEST_EPOCHS 8
#define MOST_EPOCHS 20
#define LEARNING_FLOPS 3		/* times those of an answer that keeps as many entities */
#define RATE_END 0.1			/* of the rate, at the end */
#define ANSWERS_KEPT 1000		/* at least, where noise takes part in the choice: an answer is one pass, learning three */
#define LAST_EPOCHS 5			/* one epoch in so many, at the end, is learnt as answers are found */

/* Whether an entity has so many facts that a step reaches many others */
static bool
is_dense(const GraphData *data)
{
	return 2 * data->facts >= (int64) DENSE_EDGES * data->entities;
}

PathSettings
path_settings(const TrainSettings *settings, const TrainingFacts *facts)
{
	const GraphData *data = facts->learnt;
	bool		dense = is_dense(data);
	FactIndex	index = path_index_sizes(facts);
	PathShape	shape = {
		.relations = data->relations,
		.layers = settings->path_layers > 0 ? settings->path_layers : dense ? DENSE_LAYERS : SPARSE_LAYERS,
		.width = settings->path_width > 0 ? settings->path_width : data->relations > MANY_RELATIONS ? 48 : 32,
		.kept = settings->path_kept > 0 ? settings->path_kept : dense ? 300 : 1000
	};
	bool		keeps_all = path_keeps_all(&index, shape);
	int64		asked = Max(Min(settings->path_facts, data->facts), 1);
	PathSettings plan = {
		.shape = shape,
		.training = {.batch_size = !dense ? 16 : keeps_all ? 8 : 32,.dropout = DROPOUT,.seed = (uint64_t) settings->seed},
		.members = Max(settings->path_members, 1),
		.reversed = Max(settings->path_reversed, 1),
		.epochs = settings->path_epochs,
		.facts = asked,
		.first = {settings->path_learning_rate > 0 ? settings->path_learning_rate : dense ? 0.004 : 0.005, shape.kept,
			keeps_all ? 0 : EXPLORATION}
	};

	/* as many as ask about each fact once, within bounds */
	if (plan.epochs <= 0)
		plan.epochs = (int) Min(Max(pool_pieces(data->facts, asked), FEWEST_EPOCHS), MOST_EPOCHS);
	if (!keeps_all && settings->path_kept == 0 && shape.kept < ANSWERS_KEPT)
	{
		plan.shape.kept = ANSWERS_KEPT;
		plan.last_epochs = plan.epochs / LAST_EPOCHS;
	}
	return plan;
}

int
path_most_layers(const TrainingFacts *facts)
{
	return is_dense(facts->learnt) ? DENSE_LAYERS : MOST_SPARSE_LAYERS;
}

int
path_most_reversed(const TrainingFacts *facts)
{
	return is_dense(facts->learnt) ? MOST_REVERSED : 1;
}

FactIndex
path_index_sizes(const TrainingFacts *facts)
{
	const GraphData *data = facts->learnt;

	return (FactIndex) {.entities = data->entities,.relations = data->relations,.edges = 2 * data->facts};
}

PathPace
path_pace(const PathSettings *plan, int epoch)
{
	PathPace	pace = plan->first;
	int			done = (epoch - 1) % plan->epochs;

	pace.learning_rate *= pow(RATE_END, (double) done / plan->epochs);
	if (done >= plan->epochs - plan->last_epochs)
	{
		pace.kept = plan->shape.kept;
		pace.exploration = 0;
	}
	return pace;
}

/* Of both questions of a fact */
static double
flops_of(PathShape shape, const TrainingFacts *facts)
{
	return 2 * path_flops(shape, facts->learnt->entities, facts->degrees);
}

double
path_answering_flops(const PathSettings *plan, const TrainingFacts *facts)
{
	return flops_of(plan->shape, facts);
}

double
path_asking_flops(const PathSettings *plan, const TrainingFacts *facts, int epoch)
{
	PathShape	shape = plan->shape;

	shape.kept = path_pace(plan, epoch).kept;
	return LEARNING_FLOPS * flops_of(shape, facts);
}

void
path_settings_decide(TrainSettings *settings, const Graph *graph, const TrainingFacts *facts)
{
	int			members = settings->warm_start ? path_network_number(graph, settings->model, "members") : 0;

	if (settings->path_members == 0)
		settings->path_members = members;
	if (settings->path_reversed == 0 && members > 0)
		settings->path_reversed = path_network_number(graph, settings->model, "reversed");
	if (settings->paths != BY_GRAPH)
		return;
	if (settings->warm_start)
		settings->paths = members > 0 ? YES : NO;
	else
		settings->paths = settings->evidence_rules > 0 && facts->valid_count > 0 && facts->all->facts >= FEWEST_FACTS &&
			(facts->all->facts <= MOST_FACTS || settings->minutes > 0) ? YES : NO;
}
