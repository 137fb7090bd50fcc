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

/* What a block of rows needs between two steps: BLOCK x width numbers each */
typedef struct GateBlock
{
	float	   *pre;			/* twice as many: what candidates and gates are functions of; or their gradients */
	float	   *levelled;		/* sums; then candidates, without a record */
	float	   *next;			/* states; or gradients of levelled sums */
	float	   *mask;			/* what candidates are multiplied with: 0 where they are dropped out */
	float	   *gate;			/* without a record */
} GateBlock;

size_t
path_update_block(PathShape shape)
{
	return (size_t) BLOCK * 6 * (size_t) shape.width;
}

static GateBlock
block_of(const PathWalk *walk)
{
	size_t		numbers = (size_t) BLOCK * (size_t) walk->shape.width;
	float	   *block = walk->block;

	return (GateBlock) {block, block + 2 * numbers, block + 3 * numbers, block + 4 * numbers, block + 5 * numbers};
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

/* ---- forwards -------------------------------------------------------------------------------- */

/* Levels sums, and writes what the logarithm of their size and the bias give. */
KERNEL void
level_rows(int width, int count, const float *restrict sum, const float *restrict bias, const float *restrict level,
		   PathSize *restrict size, float *restrict levelled, float *restrict pre)
{
	for (int i = 0; i < count; i++, sum += width, levelled += width, pre += 2 * width)
	{
		float		m = path_product(width, 0, sum, sum) / (float) width;
		PathSize	own = {1 / sqrtf(1 + m), logarithm(1 + m)};

		size[i] = own;
		for (int j = 0; j < width; j++)
			levelled[j] = own.factor * sum[j];
		for (int j = 0; j < 2 * width; j++)
			pre[j] = bias[j] + own.logarithm * level[j];
	}
}

/* A stream's numbers for one row of the mask */
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

static void
set_mask(const PathWalk *walk, int layer, GateRows rows, float *mask)
{
	int			width = walk->shape.width;

	for (int i = 0; i < rows.count && walk->noise.dropout > 0; i++)
		drop_row(walk->noise.dropout,
				 random_mix(walk->noise.stream + (uint64_t) layer * (UINT64_C(1) << 32) + (uint64_t) (rows.first + i)),
				 width, mask + i * width);
	for (int i = 0; i < rows.count * width && !(walk->noise.dropout > 0); i++)
		mask[i] = 1;
}

static const float zeros[PATH_MAX_WIDTH];

/* Those that are new have state 0; their next one is multiplied by their chance. */
KERNEL void
gate_rows(int width, int count, bool new, const float *restrict pre, const float *restrict mask,
		  const float *restrict state, const float *restrict chance, float *restrict candidate, float *restrict gate,
		  float *restrict next)
{
	for (int i = 0; i < count; i++, pre += 2 * width, mask += width, candidate += width, gate += width, next += width)
	{
		float		c = new ? chance[i] : 1;
		const float *h = new ? zeros : state + i * width;

		for (int j = 0; j < width; j++)
		{
			float		x = 2 * sigmoid(2 * pre[j]) - 1;
			float		z = sigmoid(pre[width + j]);

			candidate[j] = x;
			gate[j] = z;
			next[j] = c * (h[j] + z * (x * mask[j] - h[j]));
		}
	}
}

void
path_update(PathWalk *walk, int layer)
{
	const PathLayer *weights = &walk->weights.layer[layer];
	PathStage  *stage = &walk->stage[layer];
	GateBlock	block = block_of(walk);
	int			width = walk->shape.width;
	GateRows	rows;

	for (int32_t first = 0; first < stage->count; first += rows.count)
	{
		float	   *state;

		rows = rows_from(stage, first);
		state = rows_of(stage->state, rows, width);
		level_rows(width, rows.count, rows_of(stage->sum, rows, width), weights->bias, weights->level, stage->size + first,
				   block.levelled, block.pre);
		dense_combine(DENSE_PRODUCT, rows.count, 2 * width, width, block.levelled, width, 1, weights->map, 2 * width,
					  block.pre, 2 * width, true);
		if (!rows.new)
			dense_combine(DENSE_PRODUCT, rows.count, width, width, state, width, 1, weights->keep, width, block.pre + width,
						  2 * width, true);
		set_mask(walk, layer, rows, block.mask);
		/* without a record the next states take the place of these */
		gate_rows(width, rows.count, rows.new, block.pre, block.mask, state, stage->chance + (first - stage->senders),
				  walk->recorded ? rows_of(stage->candidate, rows, width) : block.levelled,
				  walk->recorded ? rows_of(stage->gate, rows, width) : block.gate, block.next);
		memcpy(rows_of(stage[1].state, rows, width), block.next, (size_t) rows.count * (size_t) width * sizeof(float));
		pool_yield(walk->pool, walk->thread);
	}
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* d_next becomes the gradient of the state. */
KERNEL void
gate_rows_back(int width, int count, bool new, const float *restrict candidate, const float *restrict gate,
			   const float *restrict mask, const float *restrict state, const float *restrict chance,
			   float *restrict d_next, float *restrict d_pre, float *restrict d_chance)
{
	for (int i = 0; i < count; i++, candidate += width, gate += width, mask += width, d_next += width, d_pre += 2 * width)
	{
		float		c = new ? chance[i] : 1;
		const float *h = new ? zeros : state + i * width;
		float		total = 0;

		for (int j = 0; j < width; j++)
		{
			float		x = candidate[j];
			float		z = gate[j];
			float		change = x * mask[j] - h[j];
			float		d = d_next[j];

			total += d * (h[j] + z * change);
			d *= c;
			d_pre[j] = d * z * mask[j] * (1 - x * x);
			d_pre[width + j] = d * change * z * (1 - z);
			d_next[j] = d * (1 - z);
		}
		d_chance[i] = total;
	}
}

KERNEL void
level_again(int width, int count, const float *restrict sum, const PathSize *restrict size, float *restrict levelled)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < width; j++)
			levelled[i * width + j] = size[i].factor * sum[i * width + j];
}

/* The gradients of sums, from those of the levelled ones and of what their logarithms are multiplied with */
KERNEL void
level_rows_back(int width, int count, const float *restrict sum, const PathSize *restrict size,
				const float *restrict level, const float *restrict d_pre, const float *restrict d_levelled,
				float *restrict d_bias, float *restrict d_level, float *restrict d_sum)
{
	for (int i = 0; i < count; i++, sum += width, d_sum += width, d_pre += 2 * width, d_levelled += width)
	{
		float		factor = size[i].factor;
		float		d_logarithm = path_product(2 * width, 0, d_pre, level);
		float		product = path_product(width, 0, sum, d_levelled);
		float		along = factor * factor * (2 * d_logarithm - factor * product) / (float) width;

		for (int j = 0; j < width; j++)
			d_sum[j] = factor * d_levelled[j] + along * sum[j];
		for (int j = 0; j < 2 * width; j++)
		{
			d_bias[j] += d_pre[j];
			d_level[j] += size[i].logarithm * d_pre[j];
		}
	}
}

/* The gradients of new entities' priorities, from those of their chances */
KERNEL void
promise_back(int width, int count, const float *restrict sum, const float *restrict priority,
			 const float *restrict chance, const float *restrict d_chance, float *restrict d_priority,
			 float *restrict d_sum)
{
	for (int i = 0; i < count; i++, sum += width, d_sum += width)
	{
		float		d = d_chance[i] * chance[i] * (1 - chance[i]);

		for (int j = 0; j < width; j++)
		{
			d_priority[j] += d * sum[j];
			d_sum[j] += d * priority[j];
		}
		d_priority[width] += d;
	}
}

/* Of the gradients in block->pre: adds those of parameters and of states, and writes those of sums. */
static void
map_rows_back(PathWalk *walk, int layer, GateRows rows, const GateBlock *block, const PathLayer *gradients)
{
	const PathStage *stage = &walk->stage[layer];
	int			width = walk->shape.width;
	const float *turned_map = walk->turned_map + (size_t) layer * 2 * (size_t) width * (size_t) width;
	const float *turned_keep = walk->turned_keep + (size_t) layer * (size_t) width * (size_t) width;
	const float *sum = rows_of(stage->sum, rows, width);
	const PathSize *size = stage->size + rows.first;
	float	   *d_pre = block->pre;

	dense_combine(DENSE_PRODUCT, rows.count, width, 2 * width, d_pre, 2 * width, 1, turned_map, width, block->next, width,
				  false);
	level_again(width, rows.count, sum, size, block->levelled);
	dense_combine(DENSE_PRODUCT, width, 2 * width, rows.count, block->levelled, 1, width, d_pre, 2 * width, gradients->map,
				  2 * width, true);
	level_rows_back(width, rows.count, sum, size, walk->weights.layer[layer].level, d_pre, block->next, gradients->bias,
					gradients->level, rows_of(walk->sum, rows, width));
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
	GateBlock	block = block_of(walk);
	int			width = walk->shape.width;
	float		d_chance[BLOCK];
	GateRows	rows;

	for (int32_t first = 0; first < stage->count; first += rows.count)
	{
		const float *chance = stage->chance + (first - stage->senders);

		rows = rows_from(stage, first);
		set_mask(walk, layer, rows, block.mask);
		gate_rows_back(width, rows.count, rows.new, rows_of(stage->candidate, rows, width),
					   rows_of(stage->gate, rows, width), block.mask, rows_of(stage->state, rows, width), chance,
					   rows_of(walk->gradient, rows, width), block.pre, d_chance);
		map_rows_back(walk, layer, rows, &block, gradients);
		if (rows.new)
			promise_back(width, rows.count, rows_of(stage->sum, rows, width), walk->weights.layer[layer].priority, chance,
						 d_chance, gradients->priority, rows_of(walk->sum, rows, width));
		pool_yield(walk->pool, walk->thread);
	}
}
