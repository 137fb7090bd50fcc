/*
 * test_paths.c
 *		The path network: its gradients against finite differences, its messages against their definition on a small
 *		graph, what it learns of a rule, and bits that do not depend on the threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "paths/walk.h"

#define ENTITIES 30
#define RELATIONS 3
#define FACTS 80

static FactIndex
random_facts(Triple *triple, int entities, int relations, int count)
{
	FactIndex	facts;
	int			distinct = 0;

	for (int i = 0; i < count; i++)
		triple[i] = (Triple) {next_below(entities), next_below(relations), next_below(entities)};
	qsort(triple, (size_t) count, sizeof(Triple), triple_compare);
	for (int i = 0; i < count; i++)
		if (i == 0 || triple_compare(&triple[i], &triple[distinct - 1]) != 0)
			triple[distinct++] = triple[i];
	CHECK(fact_index(&arena, pool, entities, relations, triple, distinct, &facts));
	return facts;
}

static PathNetwork
random_network(PathShape shape)
{
	PathNetwork network = {shape, take(path_parameters(shape) * sizeof(float))};

	path_initialise(&network, next_draw());
	for (size_t i = 0; i < path_parameters(shape); i++)
		network.parameter[i] += (float) next_uniform(-0.1, 0.1);
	return network;
}

static PathWalk
open_walk(const FactIndex *facts, const PathNetwork *network, bool recorded)
{
	PathWalk	walk = {.facts = facts,.shape = network->shape,.recorded = recorded};
	Allocation	allocation = {0};

	path_walk_take(&walk, &allocation);
	CHECK(allocation_open(&allocation, &arena));
	path_walk_take(&walk, &allocation);
	walk.weights = path_weights(network->shape, network->parameter);
	walk.pool = leader;
	walk.thread = POOL_LEADER;
	path_walk_open(&walk);
	return walk;
}

/* ---- gradients ----------------------------------------------------------------------------- */

/* A sum of scores, weighted by entity */
static double
weighed_scores(PathWalk *walk, PathQuestion question, const float *weight)
{
	double		sum = 0;

	path_walk(walk, question);
	for (int32_t i = 0; i < path_walk_count(walk); i++)
		sum += (double) weight[walk->entity[i]] * walk->score[i];
	return sum;
}

/* The same derivative by the difference of two sums, at some numbers of one array */
static void
check_array(const char *name, PathWalk *walk, PathQuestion question, const float *weight, float *parameter,
			const float *gradient, size_t count)
{
	double		largest = 0;
	double		scale = 0;

	for (int i = 0; i < 12; i++)
	{
		size_t		at = (size_t) next_below((int) count);
		float		kept = parameter[at];
		float		step = 1e-2f;
		double		above;
		double		below;

		parameter[at] = kept + step;
		above = weighed_scores(walk, question, weight);
		parameter[at] = kept - step;
		below = weighed_scores(walk, question, weight);
		parameter[at] = kept;
		largest = fmax(largest, fabs((above - below) / (2 * step) - gradient[at]));
		scale = fmax(scale, fabs(gradient[at]));
	}
	CHECK_SAYING(largest <= 2e-3 + 0.02 * scale, "%s: %g of %g", name, largest, scale);
}

#define CHECK_ARRAY(field, count) \
	check_array(#field, &walk, question, weight, walk.weights.field, gradients.field, count)

static void
check_gradients(int layers, int32_t kept, double dropout)
{
	Triple		triple[FACTS];
	FactIndex	facts = random_facts(triple, ENTITIES, RELATIONS, FACTS);
	PathShape	shape = {RELATIONS, layers, 16, kept};
	PathNetwork network = random_network(shape);
	PathWalk	walk = open_walk(&facts, &network, true);
	float	   *numbers = take(path_parameters(shape) * sizeof(float));
	PathWeights gradients = path_weights(shape, numbers);
	PathQuestion question = {triple[0].head, FORWARDS(triple[0].relation)};
	float		weight[ENTITIES];
	size_t		atoms = 2 * RELATIONS + 1;

	for (int i = 0; i < ENTITIES; i++)
		weight[i] = (float) next_uniform(-1, 1);
	walk.dropout = (PathDropout) {dropout, next_draw()};
	memset(numbers, 0, path_parameters(shape) * sizeof(float));
	weighed_scores(&walk, question, weight);
	for (int32_t i = 0; i < path_walk_count(&walk); i++)
		walk.score[i] = weight[walk.entity[i]];
	path_walk_turn(&walk);
	path_walk_back(&walk, &gradients);
	CHECK_ARRAY(start, 2 * RELATIONS * 16);
	CHECK_ARRAY(readout, 17);
	for (int i = 0; i < layers; i++)
	{
		CHECK_ARRAY(layer[i].scale, atoms * 16);
		CHECK_ARRAY(layer[i].shift, atoms * 16);
		CHECK_ARRAY(layer[i].attend_atom, atoms * ATTENTION);
		CHECK_ARRAY(layer[i].attend_asked, 2 * RELATIONS * ATTENTION);
		CHECK_ARRAY(layer[i].attend_state, 16 * ATTENTION);
		CHECK_ARRAY(layer[i].attend, ATTENTION + 1);
		CHECK_ARRAY(layer[i].map, 16 * 32);
		CHECK_ARRAY(layer[i].level, 32);
		CHECK_ARRAY(layer[i].keep, 16 * 16);
		CHECK_ARRAY(layer[i].bias, 32);
		CHECK_ARRAY(layer[i].priority, 17);
	}
}

void
test_paths(void)
{
	check_gradients(1, ENTITIES, 0);
	check_gradients(3, ENTITIES, 0);
	check_gradients(3, ENTITIES, 0.3);
}
