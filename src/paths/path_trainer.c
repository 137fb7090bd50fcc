/*
 * path_trainer.c
 *		Learning a network: minibatches of questions about facts, which are taken out meanwhile.
 *
 * The loss of a question is -log of the answer's share in a softmax over all entities, in which those that were not
 * kept have score 0, and other known answers are left out.  Where a question has many answers, some more of them are
 * taken out and asked for at once, as the way through the network is what costs time: the loss is their mean.
 *
 * The questions of a minibatch are dealt to SLOTS slots, each of which adds up the gradients of its own, in order; then
 * the slots are added up, in order.  So bits do not depend on the threads.
 *
 * What answers is an average of the parameters over the minibatches, in which the latest ones weigh most (Shamir and
 * Zhang 2013, with eta = AVERAGE): parameters go to and fro around where the loss leads them, the average is steadier.
 */
#include "walk.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core/vector.h"
#include "kge/learn/optimizer.h"

#define SLOTS 16
#define MORE_ANSWERS 0.2		/* of a question's known answers, as many are asked for beside the one that is drawn */
#define MOST_ANSWERS 32
#define PIECE 1024				/* parameters that are moved at once */
#define AVERAGE 8				/* the last ninth of the minibatches makes about two thirds of the average */

struct PathTrainer
{
	PathTraining training;
	PathNetwork *network;
	const FactIndex *facts;
	int			threads;
	PathWalk   *walk;			/* of each thread */
	PathRemoved removed;
	size_t		parameters;
	float	   *gradient;		/* SLOTS x parameters */
	double	   *loss;			/* of each question of a minibatch */
	float	   *state;			/* of the optimizer, a row for each piece; then what follows */
	float	   *average;		/* of the parameters */
	float	   *steps;			/* minibatches so far, up to 2^24, where the latest counts next to nothing */
	const KgeOptimizer *optimizer;

	/* the minibatch under way */
	Pool	   *pool;
	const Triple *triple;
	int64_t		questions;		/* 2 i is (triple i, SIDE_HEAD) */
	PathPace	pace;
	uint64_t	stream;			/* of noise */
};

/* ---- memory ----------------------------------------------------------------------------- */

static size_t
pieces(const PathTrainer *trainer)
{
	return (size_t) pool_pieces((int64_t) trainer->parameters, PIECE);
}

static size_t
state_width(const PathTrainer *trainer)
{
	return (size_t) trainer->optimizer->numbers * PIECE + (size_t) trainer->optimizer->more;
}

static size_t
state_numbers(const PathTrainer *trainer)
{
	return pieces(trainer) * state_width(trainer) + trainer->parameters + 1;
}

static PathTrainer
plan_trainer(const FactIndex *facts, PathShape shape, const PathTraining *training, int threads)
{
	return (PathTrainer) {.training = *training,.facts = facts,.threads = threads,.parameters = path_parameters(shape),
		.optimizer = kge_optimizer("adam")};
}

static PathTrainer *
take_trainer(PathTrainer plan, PathShape shape, Allocation *allocation)
{
	PathTrainer *trainer = TAKE(allocation, PathTrainer, 1);
	PathWalk	walk = {.facts = plan.facts,.shape = shape,.recorded = true};

	plan.walk = TAKE(allocation, PathWalk, (size_t) plan.threads);
	path_removed_take(&plan.removed, allocation, plan.facts);
	plan.gradient = TAKE(allocation, float, SLOTS * plan.parameters);
	plan.loss = TAKE(allocation, double, (size_t) plan.training.batch_size + 1);
	plan.state = TAKE(allocation, float, state_numbers(&plan));
	for (int i = 0; i < plan.threads; i++)
	{
		path_walk_take(&walk, allocation);
		if (plan.walk != NULL)
			plan.walk[i] = walk;
	}
	if (trainer != NULL)
	{
		*trainer = plan;
		trainer->average = plan.state + pieces(&plan) * state_width(&plan);
		trainer->steps = trainer->average + plan.parameters;
	}
	return trainer;
}

size_t
path_trainer_bytes(const FactIndex *facts, PathShape shape, const PathTraining *training, int threads)
{
	Allocation	allocation = {0};

	take_trainer(plan_trainer(facts, shape, training, threads), shape, &allocation);
	return allocation_bytes(&allocation);
}

PathTrainer *
path_trainer(Arena *arena, const FactIndex *facts, PathNetwork *network,
			 const PathTraining *training, int threads)
{
	PathTrainer plan = plan_trainer(facts, network->shape, training, threads);
	Allocation	allocation = {0};
	PathTrainer *trainer;

	take_trainer(plan, network->shape, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	trainer = take_trainer(plan, network->shape, &allocation);
	trainer->network = network;
	path_removed_open(&trainer->removed, facts);
	memset(trainer->state, 0, state_numbers(trainer) * sizeof(float));
	for (int i = 0; i < threads; i++)
	{
		trainer->walk[i].weights = path_weights(network->shape, network->parameter);
		trainer->walk[i].removed = &trainer->removed;
		path_walk_open(&trainer->walk[i]);
	}
	return trainer;
}

float *
path_trainer_state(PathTrainer *trainer, size_t *count)
{
	*count = state_numbers(trainer);
	return trainer->state;
}

void
path_trainer_average(const PathTrainer *trainer, float *parameter)
{
	memcpy(parameter, *trainer->steps > 0 ? trainer->average : trainer->network->parameter,
		   trainer->parameters * sizeof(float));
}

/* ---- a question ---------------------------------------------------------------------------- */

static Question
question_at(const PathTrainer *trainer, int64_t number)
{
	const Triple *triple = &trainer->triple[number / 2];
	Side		side = (Side) (number % 2);

	return question_of(side, triple_given(triple, side), triple->relation);
}

/* Takes a fact out, or puts it back: with all others of its entities, unless they stay. */
static void
set_removed(PathTrainer *trainer, Triple fact, bool removed)
{
	if (trainer->training.direct)
		path_set_removed(&trainer->removed, trainer->facts, fact, removed);
	else
		path_set_all_removed(&trainer->removed, trainer->facts, fact, removed);
}

/* Takes out some more answers of a question, or puts them back. */
static void
set_more_removed(PathTrainer *trainer, int64_t number, bool removed)
{
	Question	question = question_at(trainer, number);
	FactGroup	known = fact_group(trainer->facts, question.given, asked_atom(question.relation, question.side));
	double		share = fmin(MORE_ANSWERS, MOST_ANSWERS / (double) (known.end - known.first));
	uint64_t	stream = random_bits(trainer->stream, (uint64_t) (2 * number));

	for (int64_t i = known.first; i < known.end; i++)
	{
		pool_yield_at(trainer->pool, POOL_LEADER, i);
		if (random_open(random_bits(stream, (uint64_t) (i - known.first))) < share)
			set_removed(trainer, question_triple(&question, trainer->facts->edge[i].other), removed);
	}
}

/* The known answers that were taken out, which are asked for: their places and scores are returned. */
static int
take_answers(const PathWalk *walk, int32_t *place, float *score)
{
	const FactIndex *facts = walk->facts;
	FactGroup	known = fact_group(facts, walk->question.given, walk->asked);
	int			count = 0;

	for (int64_t i = known.first; i < known.end; i++)
		if (path_is_removed(walk->removed, i))
		{
			int32_t		at = walk->place[facts->edge[i].other];

			place[count] = at;
			score[count++] = at < 0 ? 0 : walk->score[at];
		}
	return count;
}

/* Scores become derivatives of the loss, which is returned: the mean over the answers. */
static double
lose(PathWalk *walk)
{
	/* places go behind the receivers of runs, none of which goes along an edge that was taken out */
	int32_t    *place = walk->receiver + walk->run[walk->runs].first;
	float	   *score = walk->priority;
	int			answers = take_answers(walk, place, score);
	double		others = path_log_others(walk);
	double		share = 0;
	double		loss = 0;

	for (int i = 0; i < answers; i++)
	{
		double		sum = fmax(score[i], others) + log1p(exp(-fabs(score[i] - others)));

		loss += sum - score[i];
		share += exp(others - sum);
		if (place[i] >= 0)
			score[i] = (float) ((exp(score[i] - sum) - 1) / answers);
	}
	for (int32_t i = 0; i < path_walk_count(walk); i++)
		walk->score[i] = (float) (exp(walk->score[i] - others) * share / answers);
	for (int i = 0; i < answers; i++)
		if (place[i] >= 0)
			walk->score[place[i]] = score[i];
	return loss / answers;
}

/* Item: the questions of a slot. */
static void
ask_slot(void *argument, int64_t slot, int thread)
{
	PathTrainer *trainer = argument;
	PathWalk   *walk = &trainer->walk[thread];
	float	   *gradient = trainer->gradient + (size_t) slot * trainer->parameters;
	PathWeights gradients = path_weights(trainer->network->shape, gradient);

	memset(gradient, 0, trainer->parameters * sizeof(float));
	walk->pool = trainer->pool;
	walk->thread = thread;
	walk->shape.kept = trainer->pace.kept;
	for (int64_t i = slot; i < trainer->questions; i += SLOTS)
	{
		walk->noise = (PathNoise) {trainer->training.dropout, trainer->pace.exploration,
			random_bits(trainer->stream, (uint64_t) (2 * i + 1))};
		path_walk(walk, question_at(trainer, i));
		trainer->loss[i] = lose(walk);
		path_walk_back(walk, &gradients);
	}
}

/* ---- a minibatch ---------------------------------------------------------------------------- */

KERNEL void
add_slots(size_t count, size_t stride, const float *restrict gradient, float factor, float *restrict sum)
{
	for (size_t i = 0; i < count; i++)
		sum[i] = 0;
	for (int slot = 0; slot < SLOTS; slot++)
		for (size_t i = 0; i < count; i++)
			sum[i] += gradient[slot * stride + i];
	for (size_t i = 0; i < count; i++)
		sum[i] *= factor;
}

KERNEL void
add_to_average(size_t count, float share, const float *restrict parameter, float *restrict average)
{
	for (size_t i = 0; i < count; i++)
		average[i] += share * (parameter[i] - average[i]);
}

/* Item: some parameters. */
static void
move_piece(void *argument, int64_t item, int thread)
{
	PathTrainer *trainer = argument;
	size_t		first = (size_t) item * PIECE;
	size_t		count = trainer->parameters - first < PIECE ? trainer->parameters - first : PIECE;
	float	   *parameter = trainer->network->parameter + first;
	float		sum[PIECE];

	(void) thread;
	add_slots(count, trainer->parameters, trainer->gradient + first, 1 / (float) trainer->questions, sum);
	trainer->optimizer->move((int) count, trainer->pace.learning_rate, sum, parameter,
							 trainer->state + (size_t) item * state_width(trainer));
	add_to_average(count, (AVERAGE + 1) / (*trainer->steps + AVERAGE + 1), parameter, trainer->average + first);
}

/* Item: a thread's transposed matrices. */
static void
turn_walk(void *argument, int64_t item, int thread)
{
	PathTrainer *trainer = argument;

	(void) thread;
	path_walk_turn(&trainer->walk[item]);
}

/* Takes the facts of a minibatch out, or puts them back. */
static void
set_batch_removed(PathTrainer *trainer, bool removed)
{
	for (int64_t i = 0; i < trainer->questions / 2; i++)
		set_removed(trainer, trainer->triple[i], removed);
	for (int64_t i = 0; i < trainer->questions; i++)
		set_more_removed(trainer, i, removed);
}

/* The mean of the losses, of questions that each thread may have asked. */
static double
learn_batch(PathTrainer *trainer)
{
	double		loss = 0;

	set_batch_removed(trainer, true);
	pool_run(trainer->pool, trainer->threads, turn_walk, trainer);
	pool_run(trainer->pool, SLOTS, ask_slot, trainer);
	pool_run(trainer->pool, (int64_t) pieces(trainer), move_piece, trainer);
	*trainer->steps += 1;
	set_batch_removed(trainer, false);
	for (int64_t i = 0; i < trainer->questions; i++)
		loss += trainer->loss[i];
	return loss;
}

double
path_train(PathTrainer *trainer, Pool *pool, const Triple *triple, int64_t count,
		   PathPace pace, uint64_t draw)
{
	int64_t		at_once = (trainer->training.batch_size + 1) / 2;
	double		loss = 0;

	trainer->pool = pool;
	trainer->pace = pace;
	for (int64_t i = 0; i < count; i += at_once)
	{
		trainer->triple = triple + i;
		trainer->questions = 2 * (count - i < at_once ? count - i : at_once);
		trainer->stream = random_stream(trainer->training.seed, DRAW_DROPOUT, draw, (uint64_t) i);
		loss += learn_batch(trainer);
	}
	return count == 0 ? 0 : loss / (2 * (double) count);
}
