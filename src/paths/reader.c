/*
 * reader.c
 *		The answers of a network to questions.
 */
#include "walk.h"

#include <math.h>

struct PathReader
{
	PathWalk	walk;
	PathAnswer *answer;
};

static PathReader
plan_reader(const FactIndex *facts, PathShape shape)
{
	return (PathReader) {.walk = {.facts = facts,.shape = shape}};
}

static PathReader *
take_reader(PathReader plan, Allocation *allocation)
{
	PathReader *reader = TAKE(allocation, PathReader, 1);

	path_walk_take(&plan.walk, allocation);
	plan.answer = TAKE(allocation, PathAnswer, (size_t) path_most_places(plan.walk.facts, plan.walk.shape));
	if (reader != NULL)
		*reader = plan;
	return reader;
}

size_t
path_reader_bytes(const FactIndex *facts, PathShape shape)
{
	Allocation	allocation = {0};

	take_reader(plan_reader(facts, shape), &allocation);
	return allocation_bytes(&allocation);
}

PathReader *
path_reader(Arena *arena, const FactIndex *facts, const PathNetwork *network)
{
	PathReader	plan = plan_reader(facts, network->shape);
	Allocation	allocation = {0};
	PathReader *reader;

	take_reader(plan, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	reader = take_reader(plan, &allocation);
	reader->walk.weights = path_weights(network->shape, network->parameter);
	path_walk_open(&reader->walk);
	return reader;
}

/* log(1 + e^x): 0 for what is hopeless, x for what is likely */
static float
positive(float x)
{
	return (float) (x > 0 ? (double) x + log1p(exp(-(double) x)) : log1p(exp((double) x)));
}

int64_t
path_answers(PathReader *reader, Question question, Pool *pool, int thread, const PathAnswer **answers)
{
	PathWalk   *walk = &reader->walk;

	walk->pool = pool;
	walk->thread = thread;
	path_walk(walk, question);
	for (int32_t i = 0; i < path_walk_count(walk); i++)
		reader->answer[i] = (PathAnswer) {walk->entity[i], positive(walk->score[i])};
	*answers = reader->answer;
	return path_walk_count(walk);
}

float
path_score(const PathReader *reader, int32_t entity)
{
	int32_t		place = reader->walk.place[entity];

	return place < 0 ? 0 : reader->answer[place].score;
}

/*
 * A state is between the one before it and numbers within 1: so it is within 1, or within what a question starts with.
 * What rounding adds is far below a hundredth.
 */
double
path_most_score(const PathReader *reader)
{
	const PathWalk *walk = &reader->walk;
	const float *readout = walk->weights.readout;
	int			width = walk->shape.width;
	float		largest = 1;
	double		sum = 0;

	for (int64_t i = 0; i < 2 * (int64_t) walk->shape.relations * width; i++)
		largest = fmaxf(largest, fabsf(walk->weights.start[i]));
	for (int i = 0; i < width; i++)
		sum += fabs((double) readout[i]);
	sum = readout[width] + 1.01 * (double) largest * sum + 0.01;
	return isfinite(sum) ? positive((float) sum) : INFINITY;
}
