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

/* ---- parts ---------------------------------------------------------------------------------- */

static int
layer_parts(const PathLayer *layer, PathShape shape, int number, PathPart *parts)
{
	int32_t		asked = 2 * shape.relations;
	int			width = shape.width;
	const PathPart all[] = {
		{"scale", number, true, asked + 1, width, layer->scale},
		{"shift", number, true, asked + 1, width, layer->shift},
		{"attend_atom", number, true, asked + 1, ATTENTION, layer->attend_atom},
		{"attend_asked", number, true, asked, ATTENTION, layer->attend_asked},
		{"attend_state", number, false, 1, width * ATTENTION, layer->attend_state},
		{"attend", number, false, 1, ATTENTION + 1, layer->attend},
		{"map", number, false, 1, 2 * width * width, layer->map},
		{"level", number, false, 1, 2 * width, layer->level},
		{"keep", number, false, 1, width * width, layer->keep},
		{"bias", number, false, 1, 2 * width, layer->bias},
		{"priority", number, false, 1, width + 1, layer->priority}
	};

	memcpy(parts, all, sizeof(all));
	return (int) (sizeof(all) / sizeof(all[0]));
}

int
path_parts(const PathNetwork *network, PathPart *parts)
{
	PathShape	shape = network->shape;
	PathWeights weights = path_weights(shape, network->parameter);
	int			count = 0;

	parts[count++] = (PathPart) {"start", 0, true, 2 * shape.relations, shape.width, weights.start};
	parts[count++] = (PathPart) {"readout", 0, false, 1, shape.width + 1, weights.readout};
	for (int i = 0; i < shape.layers; i++)
		count += layer_parts(&weights.layer[i], shape, i + 1, parts + count);
	return count;
}
