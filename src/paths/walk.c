/*
 * walk.c
 *		One question on its way through the layers of a network.
 */
#include "walk.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/exponential.h"
#include "core/random.h"
#include "core/vector.h"

#define LAST_KEPT 8				/* times as many as the other layers */

/* Entities that a layer keeps of those that it reaches first, at most.  The last one's send nothing: they cost less. */
static int32_t
most_kept(PathShape shape, int layer)
{
	return layer < shape.layers - 1 ? shape.kept : LAST_KEPT * shape.kept;
}

/* Places that there may be before a layer. */
static int32_t
most_senders(const FactIndex *facts, PathShape shape, int layer)
{
	int64_t		most = 1 + (int64_t) layer * shape.kept +
		(layer < shape.layers ? 0 : (LAST_KEPT - 1) * (int64_t) shape.kept);

	return most < facts->entities ? (int32_t) most : facts->entities;
}

int32_t
path_most_places(const FactIndex *facts, PathShape shape)
{
	return most_senders(facts, shape, shape.layers);
}

bool
path_keeps_all(const FactIndex *facts, PathShape shape)
{
	return path_most_places(facts, shape) == facts->entities;
}

/* The facts of so many entities, which are reached in proportion to their facts, each once */
static double
facts_of_reached(Degrees degrees, double entities)
{
	double		low = 0;
	double		high = 1e3;
	double		facts = 0;

	/* an entity of d facts is among them with a chance of 1 - e^(-rate d): the rate at which they are so many */
	for (int i = 0; i < 40; i++)
	{
		double		rate = (low + high) / 2;
		double		count = 0;

		for (int j = 0; j < degrees.count; j++)
			count -= (double) degrees.degree[j].entities * expm1(-rate * (double) degrees.degree[j].facts);
		*(count < entities ? &low : &high) = rate;
	}
	for (int j = 0; j < degrees.count; j++)
		facts -= (double) degrees.degree[j].entities * (double) degrees.degree[j].facts *
			expm1(-low * (double) degrees.degree[j].facts);
	return facts;
}

double
path_flops(PathShape shape, double entities, Degrees degrees)
{
	double		width = shape.width;
	double		places = 1;
	double		flops = 0;

	for (int i = 0; i < shape.layers; i++)
	{
		double		messages = places + facts_of_reached(degrees, places);

		flops += messages * 4 * width;
		places = fmin(fmin(messages, entities), places + most_kept(shape, i));
		flops += places * 6 * width * width;
	}
	return flops;
}

/* ---- memory ------------------------------------------------------------------------------- */

static void
take_stage(PathWalk *walk, Allocation *allocation, int layer)
{
	PathStage  *stage = &walk->stage[layer];
	size_t		width = (size_t) walk->shape.width;
	size_t		senders = (size_t) most_senders(walk->facts, walk->shape, layer);
	size_t		count = (size_t) most_senders(walk->facts, walk->shape, layer + 1);

	stage->state = TAKE(allocation, float, senders * width);
	if (layer == walk->shape.layers)
		return;
	stage->sum = TAKE(allocation, float, count * width);
	stage->size = TAKE(allocation, PathSize, count);
	stage->candidate = TAKE(allocation, float, count * width);
	stage->gate = TAKE(allocation, float, count * width);
	stage->chance = TAKE(allocation, float, (size_t) most_kept(walk->shape, layer));
}

/* Without a record all stages are one, and sums stay where they were added up. */
static void
take_shared_stage(PathWalk *walk, Allocation *allocation)
{
	size_t		width = (size_t) walk->shape.width;
	PathStage	shared = {.sum = walk->sum};

	shared.state = TAKE(allocation, float, (size_t) path_most_places(walk->facts, walk->shape) * width);
	shared.size = TAKE(allocation, PathSize, (size_t) path_most_places(walk->facts, walk->shape));
	shared.chance = TAKE(allocation, float, LAST_KEPT * (size_t) walk->shape.kept);
	for (int i = 0; i <= walk->shape.layers; i++)
		walk->stage[i] = shared;
}

static void
take_scratch(PathWalk *walk, Allocation *allocation)
{
	size_t		places = (size_t) path_most_places(walk->facts, walk->shape);
	size_t		atoms = (size_t) walk->weights.atoms;
	size_t		entities = (size_t) walk->facts->entities;
	size_t		edges = (size_t) walk->facts->edges;

	walk->attend_state = TAKE(allocation, float, places * ATTENTION);
	walk->attend_atom = TAKE(allocation, float, atoms * ATTENTION);
	walk->attention = TAKE(allocation, float, edges + places + atoms);
	walk->run = TAKE(allocation, PathRun, edges + places + 1);
	walk->receiver = TAKE(allocation, int32_t, edges + places + 1);
	walk->promise_scale = TAKE(allocation, float, atoms * (size_t) walk->shape.width);
	walk->promise_shift = TAKE(allocation, float, atoms);
	walk->promise_group = TAKE(allocation, float, atoms);
	walk->priority = TAKE(allocation, float, 2 * entities);
	walk->merit = walk->recorded ? TAKE(allocation, float, entities) : NULL;
	walk->block = TAKE(allocation, float, path_update_block(walk->shape));
}

/* What only gradients need */
static void
take_gradients(PathWalk *walk, Allocation *allocation)
{
	size_t		places = (size_t) path_most_places(walk->facts, walk->shape);
	size_t		width = (size_t) walk->shape.width;
	size_t		layers = (size_t) walk->shape.layers;

	walk->gradient = TAKE(allocation, float, places * width);
	walk->d_attend_state = TAKE(allocation, float, places * ATTENTION);
	walk->d_attend_atom = TAKE(allocation, float, (size_t) walk->weights.atoms * ATTENTION);
	walk->turned_map = TAKE(allocation, float, layers * 2 * width * width);
	walk->turned_keep = TAKE(allocation, float, layers * width * width);
}

void
path_walk_take(PathWalk *walk, Allocation *allocation)
{
	size_t		entities = (size_t) walk->facts->entities;
	size_t		places = (size_t) path_most_places(walk->facts, walk->shape);

	walk->weights.atoms = 2 * walk->shape.relations + 1;
	walk->place = TAKE(allocation, int32_t, entities);
	walk->entity = TAKE(allocation, int32_t, entities + 1);
	walk->promise = TAKE(allocation, float, entities);
	walk->sum = TAKE(allocation, float, places * (size_t) walk->shape.width);
	walk->score = TAKE(allocation, float, places);
	take_scratch(walk, allocation);
	if (walk->recorded)
	{
		take_gradients(walk, allocation);
		for (int i = 0; i <= walk->shape.layers; i++)
			take_stage(walk, allocation, i);
	}
	else
		take_shared_stage(walk, allocation);
}

void
path_walk_open(PathWalk *walk)
{
	for (int32_t i = 0; i < walk->facts->entities; i++)
	{
		walk->place[i] = NOT_REACHED;
		walk->promise[i] = 0;
	}
	walk->stage[walk->shape.layers].senders = 0;
	walk->under_way = false;
}

/* ---- the most promising of those that a layer reaches first ----------------------------------
 *
 * Who is not kept has no gradient, so an entity that is rated too low would stay so.  While a network is learnt, noise
 * gives it a chance: with that of Gumbel's distribution, the one that is best is x with a chance in proportion to e^p,
 * where the noise has scale 1.  The more the network has learnt, the further priorities are apart: noise of one scale
 * would no longer change who is kept.  So its scale is a share of their standard deviation.
 */

KERNEL void
rate(int width, int64_t count, const float *restrict sum, const float *restrict priority, float *restrict rated)
{
	for (int64_t i = 0; i < count; i++)
	{
		float		total = path_product(width, priority[width], sum + i * width, priority);

		rated[i] = total >= -FLT_MAX ? total : -INFINITY;	/* NaN too, of parameters that are too large, comes last */
	}
}

/* The n-th largest of some numbers, n from 0 on, which change places. */
static float
nth_largest(float *number, int32_t count, int32_t n)
{
	int32_t		first = 0;
	int32_t		last = count - 1;

	while (first < last)
	{
		float		pivot = number[first + (last - first) / 2];
		int32_t		i = first;
		int32_t		j = last;

		while (i <= j)
		{
			while (number[i] > pivot)
				i++;
			while (number[j] < pivot)
				j--;
			if (i <= j)
			{
				float		swapped = number[i];

				number[i++] = number[j];
				number[j--] = swapped;
			}
		}
		if (n <= j)
			last = j;
		else if (n >= i)
			first = i;
		else
			break;
	}
	return number[n];
}

/* The least merit that is kept, and how many of those that have it. */
typedef struct Bound
{
	float		least;
	int32_t		equal;
} Bound;

static Bound
bound_of(const PathWalk *walk, const float *merit, int layer, int32_t reached)
{
	int32_t		kept = most_kept(walk->shape, layer);
	float	   *copy = walk->priority + reached;
	Bound		bound = {-INFINITY, reached};

	if (reached <= kept)
		return bound;
	memcpy(copy, merit, (size_t) reached * sizeof(float));
	bound.least = nth_largest(copy, reached, kept - 1);
	bound.equal = kept;
	for (int32_t i = 0; i < reached; i++)
		bound.equal -= merit[i] > bound.least;
	return bound;
}

/* The standard deviation of numbers */
static double
deviation(int32_t count, const float *number)
{
	double		sum = 0;
	double		squares = 0;
	double		mean;

	for (int32_t i = 0; i < count; i++)
	{
		sum += number[i];
		squares += (double) number[i] * number[i];
	}
	mean = sum / count;
	return sqrt(fmax(squares / count - mean * mean, 0));
}

/* Priorities with noise: u has 23 bits, so that neither it nor its logarithm is 0. */
KERNEL void
add_noise(int32_t count, const int32_t *restrict entity, uint64_t stream, float scale, const float *restrict priority,
		  float *restrict merit)
{
	for (int32_t i = 0; i < count; i++)
	{
		float		u = ((float) (int32_t) (random_bits(stream, (uint64_t) entity[i]) >> 41) + 0.5f) * 0x1p-23f;

		merit[i] = priority[i] - scale * logarithm(-logarithm(u));
	}
}

/* What those that a layer reaches are kept by */
static const float *
merits(const PathWalk *walk, int layer, int32_t reached)
{
	uint64_t	stream = random_stream(walk->noise.stream, DRAW_CHOICE, (uint64_t) layer, 0);
	const int32_t *entity = walk->entity + walk->stage[layer].senders;

	if (!(walk->noise.exploration > 0) || reached <= most_kept(walk->shape, layer))
		return walk->priority;
	add_noise(reached, entity, stream, (float) (walk->noise.exploration * deviation(reached, walk->priority)), walk->priority,
			  walk->merit);
	return walk->merit;
}

/* What entities that a layer has reached promise */
static void
rate_reached(PathWalk *walk, int layer, int32_t reached)
{
	const int32_t *entity = walk->entity + walk->stage[layer].senders;
	float		offset = walk->weights.layer[layer].priority[walk->shape.width];

	for (int32_t i = 0; i < reached; i++)
	{
		float		total = walk->promise[entity[i]] + offset;

		walk->promise[entity[i]] = 0;
		walk->priority[i] = total >= -FLT_MAX ? total : -INFINITY;	/* NaN too, of parameters that are too large, comes last */
	}
}

/* Of the entities listed behind the senders, those that are kept have places. */
static void
choose(PathWalk *walk, int layer, int32_t listed)
{
	PathStage  *stage = &walk->stage[layer];
	int32_t		reached = listed - stage->senders;
	const float *merit;
	Bound		bound;

	rate_reached(walk, layer, reached);
	merit = merits(walk, layer, reached);
	bound = bound_of(walk, merit, layer, reached);
	stage->count = stage->senders;
	for (int32_t i = 0; i < reached; i++)
	{
		int32_t		entity = walk->entity[stage->senders + i];
		bool		kept = merit[i] > bound.least || (merit[i] == bound.least && bound.equal-- > 0);

		walk->place[entity] = kept ? stage->count : NOT_REACHED;
		if (!kept)
			continue;
		stage->chance[stage->count - stage->senders] = sigmoid(walk->priority[i]);
		walk->entity[stage->count++] = entity;
	}
}

/* ---- the way ------------------------------------------------------------------------------- */

/* Clears what the last question has written. */
static void
begin(PathWalk *walk, Question question)
{
	size_t		width = (size_t) walk->shape.width;

	if (walk->under_way)
		path_walk_open(walk);
	for (int32_t i = 0; i < path_walk_count(walk); i++)
		walk->place[walk->entity[i]] = NOT_REACHED;
	walk->under_way = true;
	walk->question = question;
	walk->asked = asked_atom(question.relation, question.side);
	walk->place[question.given] = 0;
	walk->entity[0] = question.given;
	walk->stage[0].senders = 1;
	walk->runs = 0;
	walk->run[0].first = 0;
	memcpy(walk->stage[0].state, walk->weights.start + (size_t) walk->asked * width, width * sizeof(float));
}

void
path_walk(PathWalk *walk, Question question)
{
	const PathStage *last;

	begin(walk, question);
	for (int i = 0; i < walk->shape.layers; i++)
	{
		choose(walk, i, path_reach(walk, i));
		path_spread(walk, i);
		path_update(walk, i);
		walk->stage[i + 1].senders = walk->stage[i].count;
	}
	last = &walk->stage[walk->shape.layers];
	rate(walk->shape.width, last->senders, last->state, walk->weights.readout, walk->score);
	walk->under_way = false;
}

double
path_log_others(PathWalk *walk)
{
	const FactIndex *facts = walk->facts;
	FactGroup	known = fact_group(facts, walk->question.given, walk->asked);
	int32_t		count = path_walk_count(walk);
	int32_t		left_out = 0;	/* known answers that were not kept */
	double		highest = 0;
	double		total;

	for (int64_t i = known.first; i < known.end; i++)
	{
		int32_t		at = walk->place[facts->edge[i].other];

		if (at >= 0)
			walk->score[at] = -INFINITY;
		else
			left_out++;
	}
	for (int32_t i = 0; i < count; i++)
		highest = walk->score[i] > highest ? walk->score[i] : highest;
	total = (facts->entities - count - left_out) * exp(-highest);
	for (int32_t i = 0; i < count; i++)
		total += exp(walk->score[i] - highest);
	return highest + log(total + 1e-30);
}

/* ---- and back -------------------------------------------------------------------------------- */

static void
turn(int rows, int columns, const float *matrix, float *turned)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			turned[j * rows + i] = matrix[i * columns + j];
}

void
path_walk_turn(PathWalk *walk)
{
	int			width = walk->shape.width;
	size_t		square = (size_t) width * (size_t) width;

	for (int i = 0; i < walk->shape.layers; i++)
	{
		turn(width, 2 * width, walk->weights.layer[i].map, walk->turned_map + (size_t) i * 2 * square);
		turn(width, width, walk->weights.layer[i].keep, walk->turned_keep + (size_t) i * square);
	}
}

void
path_read_back(PathWalk *walk, float *d_readout)
{
	const PathStage *last = &walk->stage[walk->shape.layers];
	const float *readout = walk->weights.readout;
	int			width = walk->shape.width;

	for (int32_t i = 0; i < last->senders; i++)
	{
		float		d = walk->score[i];
		const float *state = last->state + (int64_t) i * width;
		float	   *gradient = walk->gradient + (int64_t) i * width;

		for (int j = 0; j < width; j++)
		{
			gradient[j] = d * readout[j];
			d_readout[j] += d * state[j];
		}
		d_readout[width] += d;
	}
}

void
path_walk_back(PathWalk *walk, const PathWeights *gradients)
{
	int			width = walk->shape.width;
	float	   *start = gradients->start + (int64_t) walk->asked * width;

	path_read_back(walk, gradients->readout);
	for (int i = walk->shape.layers - 1; i >= 0; i--)
	{
		path_update_back(walk, i, &gradients->layer[i]);
		path_spread_back(walk, i, &gradients->layer[i]);
	}
	for (int j = 0; j < width; j++)
		start[j] += walk->gradient[j];
}
