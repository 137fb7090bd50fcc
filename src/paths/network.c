/*
 * network.c
 *		The parameters of a network.
 */
#include "network.h"

#include <math.h>
#include <string.h>

#include "core/allocation.h"
#include "core/random.h"

static float *
take(Allocation *allocation, size_t rows, size_t columns)
{
	return TAKE(allocation, float, rows * columns);
}

static void
take_layer(PathLayer *layer, Allocation *allocation, PathShape shape)
{
	size_t		asked = 2 * (size_t) shape.relations;
	size_t		width = (size_t) shape.width;

	layer->scale = take(allocation, asked + 1, width);
	layer->shift = take(allocation, asked + 1, width);
	layer->attend_atom = take(allocation, asked + 1, ATTENTION);
	layer->attend_asked = take(allocation, asked, ATTENTION);
	layer->attend_state = take(allocation, width, ATTENTION);
	layer->attend = take(allocation, 1, ATTENTION + 1);
	layer->map = take(allocation, width, 2 * width);
	layer->level = take(allocation, 1, 2 * width);
	layer->keep = take(allocation, width, width);
	layer->bias = take(allocation, 1, 2 * width);
	layer->priority = take(allocation, 1, width + 1);
}

static PathWeights
take_weights(Allocation *allocation, PathShape shape)
{
	PathWeights weights = {.atoms = 2 * shape.relations + 1};

	weights.start = take(allocation, 2 * (size_t) shape.relations, (size_t) shape.width);
	weights.readout = take(allocation, 1, (size_t) shape.width + 1);
	for (int i = 0; i < shape.layers; i++)
		take_layer(&weights.layer[i], allocation, shape);
	return weights;
}

PathWeights
path_weights(PathShape shape, float *numbers)
{
	Allocation	allocation = allocation_over(numbers);

	return take_weights(&allocation, shape);
}

size_t
path_parameters(PathShape shape)
{
	Allocation	allocation = {0};

	take_weights(&allocation, shape);
	return allocation.used / sizeof(float);
}

/* Numbers drawn evenly from -limit .. limit, from where a stream stands. */
static void
draw(float *number, size_t count, double limit, uint64_t stream, uint64_t *drawn)
{
	for (size_t i = 0; i < count; i++)
		number[i] = (float) (limit * (2 * random_open(random_bits(stream, (*drawn)++)) - 1));
}

static void
draw_layer(const PathLayer *layer, PathShape shape, uint64_t stream, uint64_t *drawn)
{
	size_t		asked = 2 * (size_t) shape.relations;
	size_t		width = (size_t) shape.width;
	double		limit = 1 / sqrt((double) width);

	for (size_t i = 0; i < (asked + 1) * width; i++)
		layer->scale[i] = 1;
	draw(layer->shift, (asked + 1) * width, 1, stream, drawn);
	draw(layer->attend_atom, (asked + 1) * ATTENTION, 1, stream, drawn);
	draw(layer->attend_asked, asked * ATTENTION, 1, stream, drawn);
	draw(layer->attend_state, width * ATTENTION, limit, stream, drawn);
	draw(layer->attend, ATTENTION, 1 / sqrt(ATTENTION), stream, drawn);
	draw(layer->map, width * 2 * width, limit, stream, drawn);
	draw(layer->keep, width * width, limit, stream, drawn);
	draw(layer->priority, width, limit, stream, drawn);
}

void
path_initialise(PathNetwork *network, uint64_t seed)
{
	PathShape	shape = network->shape;
	size_t		width = (size_t) shape.width;
	PathWeights weights = path_weights(shape, network->parameter);
	uint64_t	stream = random_stream(seed, DRAW_NETWORK, 0, 0);
	uint64_t	drawn = 0;

	memset(network->parameter, 0, path_parameters(shape) * sizeof(float));
	draw(weights.start, 2 * (size_t) shape.relations * width, 1, stream, &drawn);
	draw(weights.readout, width, 1 / sqrt((double) width), stream, &drawn);
	for (int i = 0; i < shape.layers; i++)
		draw_layer(&weights.layer[i], shape, stream, &drawn);
}

/* ---- from one network to another ---------------------------------------------------------- */

typedef struct Carry
{
	const int32_t *row;			/* of each relation of the other one */
	int32_t		relations;		/* of the other one */
	int32_t		from_relations;
} Carry;

/* A matrix with a row for each directed atom, and perhaps one more for the atom to itself */
static void
carry_atoms(const Carry *carry, const float *from, float *to, size_t width, bool to_itself)
{
	for (int32_t i = 0; i < carry->relations; i++)
		if (carry->row[i] >= 0)
			memcpy(to + FORWARDS((size_t) i) * width, from + FORWARDS((size_t) carry->row[i]) * width,
				   2 * width * sizeof(float));
	if (to_itself)
		memcpy(to + FORWARDS((size_t) carry->relations) * width, from + FORWARDS((size_t) carry->from_relations) * width,
			   width * sizeof(float));
}

static void
carry_layer(const Carry *carry, const PathLayer *from, const PathLayer *to, size_t width)
{
	carry_atoms(carry, from->scale, to->scale, width, true);
	carry_atoms(carry, from->shift, to->shift, width, true);
	carry_atoms(carry, from->attend_atom, to->attend_atom, ATTENTION, true);
	carry_atoms(carry, from->attend_asked, to->attend_asked, ATTENTION, false);
	memcpy(to->attend_state, from->attend_state, width * ATTENTION * sizeof(float));
	memcpy(to->attend, from->attend, (ATTENTION + 1) * sizeof(float));
	memcpy(to->map, from->map, width * 2 * width * sizeof(float));
	memcpy(to->level, from->level, 2 * width * sizeof(float));
	memcpy(to->keep, from->keep, width * width * sizeof(float));
	memcpy(to->bias, from->bias, 2 * width * sizeof(float));
	memcpy(to->priority, from->priority, (width + 1) * sizeof(float));
}

void
path_carry(const PathNetwork *from, const int32_t *row, PathNetwork *to)
{
	Carry		carry = {row, to->shape.relations, from->shape.relations};
	size_t		width = (size_t) to->shape.width;
	PathWeights old = path_weights(from->shape, from->parameter);
	PathWeights new = path_weights(to->shape, to->parameter);

	carry_atoms(&carry, old.start, new.start, width, false);
	memcpy(new.readout, old.readout, (width + 1) * sizeof(float));
	for (int i = 0; i < to->shape.layers; i++)
		carry_layer(&carry, &old.layer[i], &new.layer[i], width);
}
