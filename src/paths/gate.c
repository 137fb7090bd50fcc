/*
 * gate.c
 *		From the sum of messages to the next state.
 *
 *		m = mean of the squares of the sum's numbers
 *		s = sum / sqrt(1 + m), l = log(1 + m)
 *		x = tanh(s map_x + l level_x + bias_x)
 *		z = sigmoid(s map_z + l level_z + state keep + bias_z)
 *		next = state + z (x - state)
 *
 * Of thousands of messages to a hub the sum is so large that x and z would all be at their ends: so it is levelled.
 *
 * The state of an entity that the layer has added is 0, and its next one is multiplied by its chance: so what makes an
 * entity promising is learnt from what follows from it.
 */
#include "walk.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/exponential.h"
#include "core/random.h"
#include "core/vector.h"

#define BLOCK 128				/* rows at a time */

/* Rows of one block, all of them senders, or all new */
typedef struct GateRows
{
	int32_t		first;			/* place */
	int			count;
	bool		new;
} GateRows;

size_t
path_update_block(PathShape shape)
{
	return (size_t) BLOCK * 5 * (size_t) shape.width;
}

/* The rows from a place on; a count of 0 at the end. */
static GateRows
rows_from(const PathStage *stage, int32_t first)
{
	bool		new = first >= stage->senders;
	int32_t		end = new ? stage->count : stage->senders;
	int32_t		count = end - first;

	return (GateRows) {first, count < BLOCK ? count : BLOCK, new};
}

static float *
rows_of(float *matrix, GateRows rows, int width)
{
	return matrix + (int64_t) rows.first * width;
}

/* What each candidate is multiplied with: 0 where it is dropped out. */
KERNEL void
drop_row(double dropout, uint64_t stream, int width, float *restrict mask)
{
	uint64_t	bound = (uint64_t) (dropout * 65536);
	float		kept = 1 / (1 - (float) dropout);

	for (int j = 0; j < width; j += 4)
	{
		uint64_t	bits = random_bits(stream, (uint64_t) j);

		for (int k = 0; k < 4; k++, bits >>= 16)
			mask[j + k] = (bits & 65535) < bound ? 0 : kept;
	}
}

/* pre: of candidates and of gates */
KERNEL void
gate_row(int width, const float *restrict pre, const float *restrict mask, const float *restrict state, float chance,
		 float *restrict candidate, float *restrict gate, float *restrict next)
{
	for (int j = 0; j < width; j++)
	{
		float		x = 2 * sigmoid(2 * pre[j]) - 1;
		float		z = sigmoid(pre[width + j]);
		float		h = state[j];

		candidate[j] = x;
		gate[j] = z;
		next[j] = chance * (h + z * (x * mask[j] - h));
	}
}

/* d_next becomes the gradient of the state; returns that of the chance. */
KERNEL float
gate_row_back(int width, const float *restrict candidate, const float *restrict gate, const float *restrict mask,
			  const float *restrict state, float chance, float *restrict d_next, float *restrict d_pre)
{
	float		d_chance = 0;

	for (int j = 0; j < width; j++)
	{
		float		x = candidate[j];
		float		z = gate[j];
		float		h = state[j];
		float		d = d_next[j];

		d_chance += d * (h + z * (x * mask[j] - h));
		d *= chance;
		d_pre[j] = d * z * mask[j] * (1 - x * x);
		d_pre[width + j] = d * (x * mask[j] - h) * z * (1 - z);
		d_next[j] = d * (1 - z);
	}
	return d_chance;
}

KERNEL float
product_of(int width, const float *restrict a, const float *restrict b)
{
	return path_product(width, 0, a, b);
}

/* How large a row is: the mean of its squares */
static float
mean_square(int width, const float *row)
{
	return product_of(width, row, row) / (float) width;
}

KERNEL void
level_row(int width, const float *restrict sum, float factor, float logarithm, const float *restrict bias,
		  const float *restrict level, float *restrict levelled, float *restrict pre)
{
	for (int j = 0; j < width; j++)
		levelled[j] = factor * sum[j];
	for (int j = 0; j < 2 * width; j++)
		pre[j] = bias[j] + logarithm * level[j];
}

/* Levels the sums of some rows, and writes what the logarithm of their size and the bias give. */
static void
level_rows(const PathWalk *walk, int layer, GateRows rows, float *levelled, float *pre)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	int			width = walk->shape.width;

	for (int i = 0; i < rows.count; i++)
	{
		const float *sum = rows_of(walk->stage[layer].sum, rows, width) + i * width;
		float		m = mean_square(width, sum);
		float		logarithm = log1pf(m);

		walk->stage[layer].size[rows.first + i] = (PathSize) {m, logarithm};
		level_row(width, sum, 1 / sqrtf(1 + m), logarithm, weights->bias, weights->level, levelled + i * width,
				  pre + i * 2 * width);
	}
}

/* pre = bias + logarithms level + levelled sums map, and state keep for gates of senders */
static void
map_rows(const PathWalk *walk, int layer, GateRows rows, float *pre)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	const PathStage *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	float	   *levelled = pre + BLOCK * 2 * width;

	level_rows(walk, layer, rows, levelled, pre);
	dense_combine(DENSE_PRODUCT, rows.count, 2 * width, width, levelled, width, 1, weights->map, 2 * width, pre, 2 * width,
				  true);
	if (!rows.new)
		dense_combine(DENSE_PRODUCT, rows.count, width, width, rows_of(stage->state, rows, width), width, 1,
					  weights->keep, width, pre + width, 2 * width, true);
}

/* Where the i-th of some rows keeps its candidates, or gates: a scratch row without a record */
static float *
kept_row(const PathWalk *walk, float *kept, GateRows rows, int i)
{
	return kept + (walk->recorded ? (int64_t) (rows.first + i) * walk->shape.width : 0);
}

typedef struct RowScratch
{
	float		ones[PATH_MAX_WIDTH];
	float		zeros[PATH_MAX_WIDTH];
	float		mask[PATH_MAX_WIDTH];
	float		next[PATH_MAX_WIDTH];	/* which takes the place of the state, without a record */
} RowScratch;

static void
set_scratch(RowScratch *scratch, int width)
{
	memset(scratch->zeros, 0, (size_t) width * sizeof(float));
	for (int j = 0; j < width; j++)
		scratch->ones[j] = 1;
}

static const float *
mask_of(const PathWalk *walk, int layer, int32_t place, RowScratch *scratch)
{
	if (!(walk->noise.dropout > 0))
		return scratch->ones;
	drop_row(walk->noise.dropout,
			 random_mix(walk->noise.stream + (uint64_t) layer * (UINT64_C(1) << 32) + (uint64_t) place),
			 walk->shape.width, scratch->mask);
	return scratch->mask;
}

void
path_update(PathWalk *walk, int layer)
{
	PathStage  *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	RowScratch	scratch;
	GateRows	rows;

	set_scratch(&scratch, width);
	for (int32_t first = 0; first < stage->count; first += rows.count)
	{
		rows = rows_from(stage, first);
		map_rows(walk, layer, rows, walk->block);
		for (int i = 0; i < rows.count; i++)
		{
			int32_t		place = first + i;

			gate_row(width, walk->block + i * 2 * width, mask_of(walk, layer, place, &scratch),
					 rows.new ? scratch.zeros : stage->state + (int64_t) place * width,
					 rows.new ? stage->chance[place - stage->senders] : 1, kept_row(walk, stage->candidate, rows, i),
					 kept_row(walk, stage->gate, rows, i), scratch.next);
			memcpy(stage[1].state + (int64_t) place * width, scratch.next, (size_t) width * sizeof(float));
		}
		pool_yield(walk->pool, walk->thread);
	}
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* Adds the gradients of a new entity's priority, from that of its chance. */
static void
promise_back(const PathWalk *walk, int layer, int32_t place, float d_chance, const PathLayer *gradients, float *d_sum)
{
	const PathStage *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	float		chance = stage->chance[place - stage->senders];
	float		d_priority = d_chance * chance * (1 - chance);

	dense_add_scaled(width, d_priority, stage->sum + (int64_t) place * width, gradients->priority);
	gradients->priority[width] += d_priority;
	dense_add_scaled(width, d_priority, walk->weights.layer[layer].priority, d_sum);
}

/* The gradient of a sum, from those of the levelled one and of what its logarithm is multiplied with. */
static void
level_row_back(int width, const float *sum, float m, float d_logarithm, const float *d_levelled, float *d_sum)
{
	float		factor = 1 / sqrtf(1 + m);
	float		product = product_of(width, sum, d_levelled);
	float		along = (2 * d_logarithm / (1 + m) - factor * factor * factor * product) / (float) width;

	memset(d_sum, 0, (size_t) width * sizeof(float));
	dense_add_scaled(width, factor, d_levelled, d_sum);
	dense_add_scaled(width, along, sum, d_sum);
}

static void
level_rows_back(const PathWalk *walk, int layer, GateRows rows, const float *d_pre, const float *d_levelled,
				const PathLayer *gradients)
{
	const float *level = walk->weights.layer[layer].level;
	int			width = walk->shape.width;

	for (int i = 0; i < rows.count; i++)
	{
		const float *sum = rows_of(walk->stage[layer].sum, rows, width) + i * width;
		PathSize	size = walk->stage[layer].size[rows.first + i];

		dense_add_scaled(2 * width, 1, d_pre + i * 2 * width, gradients->bias);
		dense_add_scaled(2 * width, size.logarithm, d_pre + i * 2 * width, gradients->level);
		level_row_back(width, sum, size.m, product_of(2 * width, d_pre + i * 2 * width, level), d_levelled + i * width,
					   rows_of(walk->sum, rows, width) + i * width);
	}
}

/* Of d_pre: adds the gradients of parameters and of states, and writes those of sums. */
static void
map_rows_back(PathWalk *walk, int layer, GateRows rows, float *d_pre, const PathLayer *gradients)
{
	const PathStage *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	const float *turned_map = walk->turned_map + (size_t) layer * 2 * (size_t) width * (size_t) width;
	const float *turned_keep = walk->turned_keep + (size_t) layer * (size_t) width * (size_t) width;
	float	   *levelled = d_pre + BLOCK * 2 * width;
	float	   *d_levelled = d_pre + BLOCK * 3 * width;

	dense_combine(DENSE_PRODUCT, rows.count, width, 2 * width, d_pre, 2 * width, 1, turned_map, width, d_levelled, width,
				  false);
	for (int i = 0; i < rows.count; i++)
	{
		const float *sum = rows_of(stage->sum, rows, width) + i * width;
		float		factor = 1 / sqrtf(1 + stage->size[rows.first + i].m);

		for (int j = 0; j < width; j++)
			levelled[i * width + j] = factor * sum[j];
	}
	dense_combine(DENSE_PRODUCT, width, 2 * width, rows.count, levelled, 1, width, d_pre, 2 * width, gradients->map,
				  2 * width, true);
	level_rows_back(walk, layer, rows, d_pre, d_levelled, gradients);
	if (rows.new)
		return;
	dense_combine(DENSE_PRODUCT, rows.count, width, width, d_pre + width, 2 * width, 1, turned_keep, width,
				  rows_of(walk->gradient, rows, width), width, true);
	dense_combine(DENSE_PRODUCT, width, width, rows.count, rows_of(stage->state, rows, width), 1, width, d_pre + width,
				  2 * width, gradients->keep, width, true);
}

void
path_update_back(PathWalk *walk, int layer, const PathLayer *gradients)
{
	PathStage  *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	float		d_chance[BLOCK];
	RowScratch	scratch;
	GateRows	rows;

	set_scratch(&scratch, width);
	for (int32_t first = 0; first < stage->count; first += rows.count)
	{
		rows = rows_from(stage, first);
		for (int i = 0; i < rows.count; i++)
		{
			int32_t		place = first + i;

			d_chance[i] = gate_row_back(width, kept_row(walk, stage->candidate, rows, i),
										kept_row(walk, stage->gate, rows, i), mask_of(walk, layer, place, &scratch),
										rows.new ? scratch.zeros : stage->state + (int64_t) place * width,
										rows.new ? stage->chance[place - stage->senders] : 1,
										walk->gradient + (int64_t) place * width, walk->block + i * 2 * width);
		}
		map_rows_back(walk, layer, rows, walk->block, gradients);
		for (int i = 0; i < rows.count && rows.new; i++)
			promise_back(walk, layer, first + i, d_chance[i], gradients, walk->sum + (int64_t) (first + i) * width);
		pool_yield(walk->pool, walk->thread);
	}
}
