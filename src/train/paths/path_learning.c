/*
 * path_learning.c
 *		The path network of a model as it is learnt (see path_learning.h).
 *
 * Epochs go through the facts in a drawn order, pass after pass; what an epoch asks for follows from its number alone,
 * so a training that is resumed asks for the same.  The members of a network are learnt one after another, each from
 * other parameters and other facts.  Facts that stand for the valid split are not among them, nor in the index.  No
 * parameter belongs to an entity, so there is nothing to refit when they join the facts afterwards.
 */
#include "path_learning.h"

#include <math.h>

#include "utils/memutils.h"

#include "core/random.h"
#include "evidence/evidence.h"
#include "server/host.h"

#define FACTS_AT_ONCE 256		/* between two reports of progress */
#define FLOPS 5e10				/* of a core, a second: measured (bench/RESULTS.md) */

/* ---- sizes --------------------------------------------------------------------------- */

PathLearning
path_learning_sizes(const TrainSettings *settings, const TrainingFacts *facts)
{
	PathLearning learning = {.plan = path_settings(settings, facts)};

	learning.ranking = path_ranking_sizes(&learning.plan, facts);
	return learning;
}

static Size
member_bytes(const PathLearning *learning)
{
	return path_parameters(learning->plan.shape) * sizeof(float);
}

static Size
network_bytes(const PathLearning *learning)
{
	return learning->plan.members * member_bytes(learning);
}

/*
 * Parameters of a member are there twice, the latest and their average; those of the network three times: of the best
 * epochs, those to go on from, and those that are written.
 */
uint64
path_learning_bytes(const PathLearning *learning, const TrainingFacts *facts)
{
	const PathSettings *plan = &learning->plan;
	const GraphData *data = facts->learnt;
	FactIndex	index = path_index_sizes(facts);

	return fact_index_bytes(data->entities, data->relations, data->facts) +
		path_trainer_bytes(&index, plan->shape, &plan->training, hkg_threads) +
		2 * member_bytes(learning) + 3 * network_bytes(learning) +
		path_ranking_bytes(&learning->ranking, plan, facts);
}

/* The best epochs' parameters, those to go on from, and those that are written. */
uint64
path_learning_left_bytes(const PathLearning *learning)
{
	return 3 * network_bytes(learning);
}

static double
epoch_units(const PathLearning *learning, const TrainingFacts *facts, int epoch)
{
	const PathSettings *plan = &learning->plan;

	return (double) plan->facts * path_asking_flops(plan, facts, epoch) / path_asking_flops(plan, facts, 1);
}

double
path_learning_units(const PathLearning *learning, const TrainingFacts *facts, int epochs)
{
	int			of_member = learning->plan.epochs;
	double		units = 0;
	double		all = 0;

	for (int epoch = 1; epoch <= Min(epochs, of_member); epoch++)
	{
		all += epoch_units(learning, facts, epoch);
		units += epoch <= epochs % of_member ? epoch_units(learning, facts, epoch) : 0;
	}
	return epochs / of_member * all + units;
}

double
path_learning_flops(const PathLearning *learning, const TrainingFacts *facts)
{
	int			epochs = path_epochs_in_all(&learning->plan);

	return path_learning_units(learning, facts, epochs) / epochs * path_asking_flops(&learning->plan, facts, 1);
}

double
path_learning_seconds(const PathLearning *learning, const TrainingFacts *facts)
{
	return path_asking_flops(&learning->plan, facts, 1) / FLOPS;
}

/* By all members, with the reverse questions */
static double
answering_flops(const PathLearning *learning, const TrainingFacts *facts)
{
	return path_walks(learning->plan.members, learning->plan.reversed) * path_answering_flops(&learning->plan, facts);
}

double
path_answering_seconds(const PathLearning *learning, const TrainingFacts *facts)
{
	return answering_flops(learning, facts) / FLOPS;
}

int64
path_learning_weighed(const PathLearning *learning, const TrainingFacts *facts)
{
	double		questions = EV_PATH_WORK / (answering_flops(learning, facts) / 2);

	return (int64) Max(questions / 5, 1);
}

/* ---- open and close ---------------------------------------------------------------------- */

static PathNetwork
take_network(const PathLearning *learning, int members)
{
	return (PathNetwork) {.shape = learning->plan.shape,.members = members,
	.parameter = hkg_allocate(CurrentMemoryContext, members * member_bytes(learning))};
}

/* What each member is learnt from is where its best epoch will be. */
static void
open_network(PathLearning *learning, const PathNetwork *old)
{
	const PathSettings *plan = &learning->plan;
	bool		goes_on = old != NULL && old->shape.layers == plan->shape.layers && old->shape.width == plan->shape.width;

	learning->network = take_network(learning, 1);
	learning->average = take_network(learning, 1);
	learning->best = take_network(learning, plan->members);
	learning->best.reversed = plan->reversed;
	for (int i = 0; i < plan->members; i++)
	{
		PathNetwork member = path_member(&learning->best, i);

		if (goes_on && i < old->members)
			memcpy(member.parameter, path_member(old, i).parameter, member_bytes(learning));
		else
			path_initialise(&member, i == 0 ? plan->training.seed :
							random_stream(plan->training.seed, DRAW_NETWORK, (uint64) i, 0));
	}
	memcpy(learning->network.parameter, learning->best.parameter, member_bytes(learning));
}

void
path_learning_open(PathLearning *learning, const TrainSettings *settings, const TrainingFacts *facts,
				   const PathNetwork *old, Pool *pool)
{
	const GraphData *data = facts->learnt;
	PathTraining *training = &learning->plan.training;
	MemoryContext caller = CurrentMemoryContext;
	Arena		arena;

	learning->context = AllocSetContextCreate(caller, "hybridkg path network", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(learning->context);
	arena = hkg_arena();
	learning->training_facts = facts;
	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &learning->facts);
	open_network(learning, old);
	training->direct = path_is_direct(&learning->facts, facts->valid, facts->valid_count);
	learning->trainer = path_trainer(&arena, &learning->facts, &learning->network, training, pool_threads(pool));
	path_ranking_open(&learning->ranking, settings, facts, &learning->facts, &learning->average, pool);
	MemoryContextSwitchTo(caller);
}

PathNetwork
path_learning_learnt(const PathLearning *learning)
{
	PathNetwork network = learning->best;

	/* the first member answers as soon as it has learnt something, others are not worth it before their end */
	network.members = Max(learning->done / learning->plan.epochs, 1);
	return network;
}

PathNetwork *
path_learning_close(PathLearning *learning)
{
	PathNetwork *network = palloc(sizeof(PathNetwork));
	PathNetwork learnt = path_learning_learnt(learning);

	*network = take_network(learning, learnt.members);
	network->reversed = learnt.reversed;
	memcpy(network->parameter, learnt.parameter, path_numbers(&learnt) * sizeof(float));
	MemoryContextDelete(learning->context);
	return network;
}

/* ---- an epoch ------------------------------------------------------------------------------ */

/* The facts that stand from a place on in the order of all passes, one behind the other. */
static void
take_facts(const PathLearning *learning, int64 first, int64 count, Triple *fact)
{
	const GraphData *data = learning->training_facts->learnt;
	uint64		seed = random_stream(learning->plan.training.seed, DRAW_NETWORK, 0, 0);
	KgeOrder	order;

	for (int64 i = 0; i < count; i++)
	{
		uint64		place = (uint64) (first + i);

		if (i == 0 || place % data->facts == 0)
			order = kge_order(seed, place / data->facts, (uint64) data->facts);
		fact[i] = data->fact[kge_order_place(&order, place % data->facts)];
	}
}

/* Returns the mean loss. */
static double
ask_questions(PathLearning *learning, int epoch, double units, Pool *pool, Progress *progress)
{
	const PathSettings *plan = &learning->plan;
	double		loss = 0;
	Triple		fact[FACTS_AT_ONCE];

	for (int64 done = 0; done < plan->facts; done += FACTS_AT_ONCE)
	{
		int64		first = (epoch - 1) * plan->facts + done;
		int64		some = Min(FACTS_AT_ONCE, plan->facts - done);

		take_facts(learning, first, some, fact);
		loss += (double) some * path_train(learning->trainer, pool, fact, some, path_pace(plan, epoch), (uint64) first);
		progress_advance(progress, units * (double) some / (double) plan->facts);
		hkg_check_interrupts();
	}
	return loss / (double) plan->facts;
}

/* The next member's first epoch begins. */
static void
begin_member(PathLearning *learning, int member)
{
	size_t		count;
	float	   *state = path_trainer_state(learning->trainer, &count);

	memcpy(learning->network.parameter, path_member(&learning->best, member).parameter, member_bytes(learning));
	memset(state, 0, count * sizeof(float));
	learning->ranking.valid.highest_mrr = 0;
}

void
path_learning_epoch(PathLearning *learning, Pool *pool, Progress *progress)
{
	Iteration	epoch = {.number = learning->done + 1};
	int			member = learning->done / learning->plan.epochs;
	int64		start = monotonic_now();
	double		units = epoch_units(learning, learning->training_facts, epoch.number);

	if (member > 0 && learning->done % learning->plan.epochs == 0)
		begin_member(learning, member);
	progress_phase(progress, PHASE_PATHS, units);
	epoch.loss = ask_questions(learning, epoch.number, units, pool, progress);
	epoch.train_seconds = seconds_since(start);
	if (!isfinite(epoch.loss))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("training diverged in epoch %d of the path network", epoch.number),
				 errhint("Lower path_learning_rate (now %g).", learning->plan.first.learning_rate)));
	path_trainer_average(learning->trainer, learning->average.parameter);
	start = monotonic_now();
	if (learning->training_facts->valid_count > 0)
		path_ranking_run(&learning->ranking, pool, &epoch);
	epoch.evaluate_seconds = seconds_since(start);
	/* without a valid split, the last epoch is the best */
	if (!epoch.evaluated || valid_ranking_take(&learning->ranking.valid, &epoch))
	{
		learning->best_epoch = epoch.number;
		memcpy(path_member(&learning->best, member).parameter, learning->average.parameter, member_bytes(learning));
	}
	learning->epoch = epoch;
	learning->done = epoch.number;
	if (member == 0)
		learning->learnt_epoch = learning->best_epoch;
	else if (learning->done % learning->plan.epochs == 0)
		learning->learnt_epoch = learning->done;
}
