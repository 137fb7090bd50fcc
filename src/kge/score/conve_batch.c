/*
 * conve_batch.c
 *		A minibatch of queries of ConvE in training: forwards, with the minibatch's own means, and backwards.
 *
 * Arrays have a row for each cell or feature, in which the queries lie side by side.  So at each place the filters are one
 * product of matrices, FILTERS x PATCH by PATCH x queries, and so is each of their gradients.
 *
 *		cell		given and relation, side by side as an image
 *		input		cells normalised, some left out
 *		found		what each filter finds at each place
 *		feature		the same normalised, where that is above 0; some filters are left out
 *		reached		features times the matrix, some numbers left out
 *		query		the same normalised, where that is above 0
 *
 * Normalisation (Ioffe and Szegedy 2015): y = scale * z + shift, z = (x - mean) / sqrt(variance + epsilon), over all x of
 * the minibatch that share scale and shift.  With n of them, d_x = scale / sqrt(variance + epsilon) *
 * (d_y - mean of d_y - z * mean of d_y z).
 *
 * Items are places, cells, or blocks of queries; sums over all of them are put together by the leader, in their order.
 */
#include <math.h>
#include <string.h>

#include "conve.h"
#include "core/dense.h"
#include "core/random.h"
#include "core/vector.h"

#define BLOCK	32				/* queries */
#define DEPTH	1024			/* features, or queries, of a product between two looks at the clock */
#define LANES	8				/* sums that a row is cut into */
#define FADE	0.9f			/* of the means that are kept */

/* A stage of the minibatch: z = (x - mean) * slope; and the means of d_y and of d_y z */
typedef struct Stage
{
	float	   *mean;
	float	   *slope;
	float	   *mean_d;
	float	   *mean_dz;
} Stage;

/* A sum of numbers and of their squares, or of d_y and d_y z */
typedef struct Sums
{
	double		one;
	double		two;
} Sums;

struct ConveBatch
{
	ConveShape	shape;
	int			stride;			/* from one row to the next */
	float	   *cell;
	float	   *input;
	float	   *input_mask;		/* 0: left out; else what makes up for that */
	float	   *found;
	float	   *feature;		/* then the gradient of `found` */
	float	   *d_feature;
	float	   *filter_mask;	/* FILTERS rows */
	float	   *d_patch;		/* PATCH rows for each place */
	float	   *reached;		/* a row for each query, as the next three */
	float	   *hidden_mask;
	float	   *d_reached;
	float	   *d_reached_across;	/* transposed */
	float	   *d_filter;		/* PATCH x FILTERS for each place */
	Sums	   *sums;			/* of each place and filter, or cell */
	float	   *patch;			/* of each thread, PATCH rows, and a row of FILTERS for each query */
	Stage		input_stage;
	Stage		map_stage;
	Stage		hidden_stage;

	/* the minibatch at work */
	const KgeModel *model;
	Pool	   *pool;
	const KgeQuery *asked;
	int			count;
	ConveStep	step;
	ConveWeights weights;
	ConveWeights gradient;
	ConveGradients gradients;
};

static Stage
take_stage(int count, Allocation *allocation)
{
	Stage		stage;

	stage.mean = TAKE(allocation, float, (size_t) count);
	stage.slope = TAKE(allocation, float, (size_t) count);
	stage.mean_d = TAKE(allocation, float, (size_t) count);
	stage.mean_dz = TAKE(allocation, float, (size_t) count);
	return stage;
}

ConveBatch *
conve_batch_take(int d, int most, int threads, Allocation *allocation)
{
	ConveBatch *memory = TAKE(allocation, ConveBatch, 1);
	ConveBatch	batch = {.shape = conve_shape(d),.stride = vector_stride(most)};
	size_t		row = (size_t) batch.stride * sizeof(float);
	size_t		cells = 2 * (size_t) d;
	size_t		places = (size_t) batch.shape.places;
	size_t		features = (size_t) batch.shape.features;
	size_t		of_query = (size_t) d * sizeof(float);

	batch.cell = allocation_take(allocation, cells, row);
	batch.input = allocation_take(allocation, cells, row);
	batch.input_mask = allocation_take(allocation, cells, row);
	batch.found = allocation_take(allocation, features, row);
	batch.feature = allocation_take(allocation, features, row);
	batch.d_feature = allocation_take(allocation, features, row);
	batch.filter_mask = allocation_take(allocation, CONVE_FILTERS, row);
	batch.d_patch = allocation_take(allocation, places * CONVE_PATCH, row);
	batch.reached = allocation_take(allocation, (size_t) most, of_query);
	batch.hidden_mask = allocation_take(allocation, (size_t) most, of_query);
	batch.d_reached = allocation_take(allocation, (size_t) most, of_query);
	batch.d_reached_across = allocation_take(allocation, (size_t) d, row);
	batch.d_filter = TAKE(allocation, float, places * CONVE_PATCH * CONVE_FILTERS);
	batch.sums = TAKE(allocation, Sums, features > cells ? features : cells);
	batch.patch = allocation_take(allocation, (size_t) threads * (CONVE_PATCH + CONVE_FILTERS), row);
	batch.input_stage = take_stage(1, allocation);
	batch.map_stage = take_stage(CONVE_FILTERS, allocation);
	batch.hidden_stage = take_stage(d, allocation);
	if (memory != NULL)
		*memory = batch;
	return memory;
}

static inline float *
row_of(const ConveBatch *batch, float *rows, int row)
{
	return rows + (size_t) row * (size_t) batch->stride;
}

/* ---- kernels -------------------------------------------------------------------- */

/* Of the sums that LANES numbers in turn are added to, the sum */
static inline Sums
sum_lanes(const double *one, const double *two)
{
	Sums		sums = {0, 0};

	for (int l = 0; l < LANES; l++)
	{
		sums.one += one[l];
		sums.two += two[l];
	}
	return sums;
}

KERNEL Sums
sum_squares(int n, const float *restrict x)
{
	double		one[LANES] = {0};
	double		two[LANES] = {0};
	int			i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int l = 0; l < LANES; l++)
		{
			one[l] += x[i + l];
			two[l] += (double) x[i + l] * x[i + l];
		}
	for (; i < n; i++)
	{
		one[0] += x[i];
		two[0] += (double) x[i] * x[i];
	}
	return sum_lanes(one, two);
}

/* y = (factor * x + offset) * mask */
KERNEL void
scale_and_mask(int n, float factor, float offset, const float *restrict x, const float *restrict mask, float *restrict y)
{
	for (int i = 0; i < n; i++)
		y[i] = (factor * x[i] + offset) * mask[i];
}

/* The same, but 0 where factor * x + offset is less; NaN stays. */
KERNEL void
rectify_row(int n, float factor, float offset, const float *restrict x, const float *restrict mask, float *restrict y)
{
	for (int i = 0; i < n; i++)
	{
		float		value = factor * x[i] + offset;

		y[i] = (value < 0 ? 0 : value) * mask[i];
	}
}

/* d_y becomes what it is before a mask, and 0 where y is; the sums are those of d_y and d_y z. */
KERNEL Sums
unmask_row(int n, float mean, float slope, const float *restrict x, const float *restrict y,
		   const float *restrict mask, float *restrict d_y)
{
	double		one[LANES] = {0};
	double		two[LANES] = {0};
	int			i = 0;

	for (int j = 0; j < n; j++)
		d_y[j] = y[j] == 0 ? 0 : d_y[j] * mask[j];
	for (; i + LANES <= n; i += LANES)
		for (int l = 0; l < LANES; l++)
		{
			one[l] += d_y[i + l];
			two[l] += (double) d_y[i + l] * ((x[i + l] - mean) * slope);
		}
	for (; i < n; i++)
	{
		one[0] += d_y[i];
		two[0] += (double) d_y[i] * ((x[i] - mean) * slope);
	}
	return sum_lanes(one, two);
}

/* d_x of a normalisation */
KERNEL void
restore_row(int n, float factor, float mean, float slope, float mean_d, float mean_dz,
			const float *restrict x, const float *restrict d_y, float *restrict d_x)
{
	for (int i = 0; i < n; i++)
		d_x[i] = factor * (d_y[i] - mean_d - (x[i] - mean) * slope * mean_dz);
}

KERNEL void
add_to(int n, const float *restrict x, float *restrict y)
{
	for (int i = 0; i < n; i++)
		y[i] += x[i];
}

/* ---- what is left out ------------------------------------------------------------- */

typedef enum MaskKind
{
	MASK_INPUT,
	MASK_FILTER,
	MASK_HIDDEN
} MaskKind;

/* Numbers of a row of a mask: `number` is that of the first one's draw. */
static void
draw_mask(const ConveBatch *batch, MaskKind kind, uint64_t number, int count, float *mask)
{
	double		dropout = batch->step.dropout[kind];
	uint64_t	stream = random_stream(batch->step.stream, DRAW_DROPOUT, (uint64_t) kind, 0);
	float		kept = (float) (1 / (1 - dropout));

	for (int i = 0; i < count; i++)
		mask[i] = dropout > 0 && random_open(random_bits(stream, number + (uint64_t) i)) < dropout ? 0 : kept;
}

/* ---- normalisation ------------------------------------------------------------------ */

/* From the sums over n numbers: the minibatch's mean and variance, which are kept with those before. */
static void
set_stage(const ConveBatch *batch, Stage stage, ConveNorm norm, int i, Sums sums, double n)
{
	double		mean = sums.one / n;
	double		variance = fmax(sums.two / n - mean * mean, 0);

	stage.mean[i] = (float) mean;
	stage.slope[i] = (float) (1 / sqrt(variance + CONVE_EPSILON));
	if (!batch->step.keeps_means)
		return;
	norm.mean[i] = FADE * norm.mean[i] + (1 - FADE) * (float) mean;
	norm.variance[i] = FADE * norm.variance[i] + (1 - FADE) * (float) (variance * n / fmax(n - 1, 1));
}

/* y = factor * x + offset */
static inline float
factor_of(Stage stage, ConveNorm norm, int i)
{
	return norm.scale[i] * stage.slope[i];
}

static inline float
offset_of(Stage stage, ConveNorm norm, int i)
{
	return norm.shift[i] - stage.mean[i] * factor_of(stage, norm, i);
}

/* From the sums of d_y and d_y z over n numbers: the gradients of scale and shift, and what d_x takes. */
static void
set_gradient(Stage stage, ConveNorm gradient, int i, Sums sums, double n)
{
	gradient.shift[i] = (float) sums.one;
	gradient.scale[i] = (float) sums.two;
	gradient.mean[i] = gradient.variance[i] = 0;
	stage.mean_d[i] = (float) (sums.one / n);
	stage.mean_dz[i] = (float) (sums.two / n);
}

/* Each filter's sums over all places */
static void
sum_places(const ConveBatch *batch, Sums *sums)
{
	memset(sums, 0, CONVE_FILTERS * sizeof(Sums));
	for (int feature = 0; feature < batch->shape.features; feature++)
	{
		sums[feature % CONVE_FILTERS].one += batch->sums[feature].one;
		sums[feature % CONVE_FILTERS].two += batch->sums[feature].two;
	}
}

static Sums
sum_cells(const ConveBatch *batch)
{
	Sums		sums = {0, 0};

	for (int cell = 0; cell < 2 * batch->shape.d; cell++)
	{
		sums.one += batch->sums[cell].one;
		sums.two += batch->sums[cell].two;
	}
	return sums;
}

/* ---- forwards -------------------------------------------------------------------------- */

/* Item: a block of queries, whose rows become columns. */
static void
read_rows(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			d = batch->shape.d;
	int			end = ((int) item + 1) * BLOCK < batch->count ? ((int) item + 1) * BLOCK : batch->count;

	for (int i = (int) item * BLOCK; i < end; i++)
	{
		const float *given = kge_entity_row(batch->model, batch->asked[i].given);
		const float *relation = kge_relation_row(batch->model, batch->asked[i].relation);

		for (int j = 0; j < d; j++)
		{
			row_of(batch, batch->cell, j)[i] = given[j];
			row_of(batch, batch->cell, d + j)[i] = relation[j];
		}
		draw_mask(batch, MASK_HIDDEN, (uint64_t) i * (uint64_t) d, d, batch->hidden_mask + (size_t) i * (size_t) d);
		pool_yield(batch->pool, thread);
	}
}

/* Item: a cell. */
static void
sum_cell(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			cell = (int) item;

	batch->sums[cell] = sum_squares(batch->count, row_of(batch, batch->cell, cell));
	draw_mask(batch, MASK_INPUT, (uint64_t) item * (uint64_t) batch->stride, batch->count,
			  row_of(batch, batch->input_mask, cell));
	pool_yield(batch->pool, thread);
}

/* Item: a cell. */
static void
normalise_cell(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			cell = (int) item;

	scale_and_mask(batch->count, factor_of(batch->input_stage, batch->weights.input, 0),
				   offset_of(batch->input_stage, batch->weights.input, 0), row_of(batch, batch->cell, cell),
				   row_of(batch, batch->input_mask, cell), row_of(batch, batch->input, cell));
	pool_yield(batch->pool, thread);
}

/* The patch at a place, a row for each of its numbers */
static float *
read_patch(const ConveBatch *batch, int place, int thread)
{
	float	   *patch = row_of(batch, batch->patch, thread * (CONVE_PATCH + CONVE_FILTERS));

	for (int k = 0; k < CONVE_PATCH; k++)
		memcpy(row_of(batch, patch, k), row_of(batch, batch->input, conve_cell(batch->shape, place, k)),
			   (size_t) batch->count * sizeof(float));
	return patch;
}

/* Item: a place. */
static void
filter_place(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			first = (int) item * CONVE_FILTERS;

	dense_combine(DENSE_PRODUCT, CONVE_FILTERS, batch->count, CONVE_PATCH, batch->weights.filter, 1, CONVE_FILTERS,
				  read_patch(batch, (int) item, thread), batch->stride, row_of(batch, batch->found, first), batch->stride,
				  false);
	for (int i = 0; i < CONVE_FILTERS; i++)
		batch->sums[first + i] = sum_squares(batch->count, row_of(batch, batch->found, first + i));
	pool_yield(batch->pool, thread);
}

/* Item: a place. */
static void
rectify_place(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;

	for (int i = 0; i < CONVE_FILTERS; i++)
	{
		int			feature = (int) item * CONVE_FILTERS + i;

		rectify_row(batch->count, factor_of(batch->map_stage, batch->weights.map, i),
					offset_of(batch->map_stage, batch->weights.map, i), row_of(batch, batch->found, feature),
					row_of(batch, batch->filter_mask, i), row_of(batch, batch->feature, feature));
	}
	pool_yield(batch->pool, thread);
}

/* Item: a block of queries. */
static void
reach(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			d = batch->shape.d;
	int			first = (int) item * BLOCK;
	int			count = batch->count - first < BLOCK ? batch->count - first : BLOCK;
	float	   *reached = batch->reached + (size_t) first * (size_t) d;

	for (int k = 0; k < batch->shape.features; k += DEPTH)
	{
		dense_combine(DENSE_PRODUCT, count, d, batch->shape.features - k < DEPTH ? batch->shape.features - k : DEPTH,
					  row_of(batch, batch->feature, k) + first, 1, batch->stride,
					  batch->weights.matrix + (size_t) k * (size_t) d, d, reached, d, k > 0);
		pool_yield(batch->pool, thread);
	}
	for (int i = 0; i < count * d; i++)
		reached[i] *= batch->hidden_mask[(size_t) first * (size_t) d + (size_t) i];
}

/* In the leader: few numbers */
static void
finish_queries(const ConveBatch *batch, float *vector, int stride)
{
	int			d = batch->shape.d;

	for (int j = 0; j < d; j++)
	{
		Sums		sums = {0, 0};
		float		factor,
					offset;

		pool_yield(batch->pool, POOL_LEADER);
		for (int i = 0; i < batch->count; i++)
		{
			float		x = batch->reached[(size_t) i * (size_t) d + (size_t) j];

			sums.one += x;
			sums.two += (double) x * x;
		}
		set_stage(batch, batch->hidden_stage, batch->weights.hidden, j, sums, batch->count);
		factor = factor_of(batch->hidden_stage, batch->weights.hidden, j);
		offset = offset_of(batch->hidden_stage, batch->weights.hidden, j);
		for (int i = 0; i < batch->count; i++)
		{
			float		y = factor * batch->reached[(size_t) i * (size_t) d + (size_t) j] + offset;

			vector[(size_t) i * (size_t) stride + (size_t) j] = y < 0 ? 0 : y;
		}
	}
	for (int i = 0; i < batch->count; i++)
		vector[(size_t) i * (size_t) stride + (size_t) d] = 1;
}

void
conve_batch_forward(ConveBatch *batch, Pool *pool, KgeModel *model, const KgeQuery *asked, int count,
					ConveStep step, float *vector, int stride)
{
	int			cells = 2 * batch->shape.d;
	Sums		sums[CONVE_FILTERS];

	batch->model = model;
	batch->pool = pool;
	batch->asked = asked;
	batch->count = count;
	batch->step = step;
	batch->weights = conve_weights(batch->shape, conve_rows(model));
	pool_run(pool, pool_pieces(count, BLOCK), read_rows, batch);
	pool_run(pool, cells, sum_cell, batch);
	set_stage(batch, batch->input_stage, batch->weights.input, 0, sum_cells(batch), (double) count * cells);
	for (int i = 0; i < CONVE_FILTERS; i++)
	{
		draw_mask(batch, MASK_FILTER, (uint64_t) i * (uint64_t) batch->stride, count, row_of(batch, batch->filter_mask, i));
		pool_yield(pool, POOL_LEADER);
	}
	pool_run(pool, cells, normalise_cell, batch);
	pool_run(pool, batch->shape.places, filter_place, batch);
	sum_places(batch, sums);
	for (int i = 0; i < CONVE_FILTERS; i++)
		set_stage(batch, batch->map_stage, batch->weights.map, i, sums[i], (double) count * batch->shape.places);
	pool_run(pool, batch->shape.places, rectify_place, batch);
	pool_run(pool, pool_pieces(count, BLOCK), reach, batch);
	finish_queries(batch, vector, stride);
}

/* ---- backwards ------------------------------------------------------------------------- */

/* d_reached of number j of all queries, in the leader */
static void
leave_query(const ConveBatch *batch, int j, const float *d_vector, int stride)
{
	int			d = batch->shape.d;
	Stage		stage = batch->hidden_stage;
	float		factor = factor_of(stage, batch->weights.hidden, j);
	float		offset = offset_of(stage, batch->weights.hidden, j);
	Sums		sums = {0, 0};

	for (int i = 0; i < batch->count; i++)
	{
		size_t		place = (size_t) i * (size_t) d + (size_t) j;
		float		x = batch->reached[place];
		float		d_y = factor * x + offset > 0 ? d_vector[(size_t) i * (size_t) stride + (size_t) j] : 0;

		batch->d_reached[place] = d_y;
		sums.one += d_y;
		sums.two += (double) d_y * ((x - stage.mean[j]) * stage.slope[j]);
	}
	set_gradient(stage, batch->gradient.hidden, j, sums, batch->count);
	for (int i = 0; i < batch->count; i++)
	{
		size_t		place = (size_t) i * (size_t) d + (size_t) j;
		float		z = (batch->reached[place] - stage.mean[j]) * stage.slope[j];

		batch->d_reached[place] = factor * (batch->d_reached[place] - stage.mean_d[j] - z * stage.mean_dz[j]) *
			batch->hidden_mask[place];
		row_of(batch, batch->d_reached_across, j)[i] = batch->d_reached[place];
	}
}

/* Item: a place; its rows of the matrix, and its features. */
static void
leave_features(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	int			d = batch->shape.d;
	int			first = (int) item * CONVE_FILTERS;
	float	   *d_feature = row_of(batch, batch->d_feature, first);

	for (int q = 0; q < batch->count; q += DEPTH)
	{
		int			count = batch->count - q < DEPTH ? batch->count - q : DEPTH;

		dense_combine(DENSE_PRODUCT, CONVE_FILTERS, d, count, row_of(batch, batch->feature, first) + q, batch->stride, 1,
					  batch->d_reached + (size_t) q * (size_t) d, d, batch->gradient.matrix + (size_t) first * (size_t) d,
					  d, q > 0);
		dense_combine(DENSE_PRODUCT, CONVE_FILTERS, count, d, batch->weights.matrix + (size_t) first * (size_t) d, d, 1,
					  batch->d_reached_across + q, batch->stride, d_feature + q, batch->stride, false);
		pool_yield(batch->pool, thread);
	}
	for (int i = 0; i < CONVE_FILTERS; i++)
		batch->sums[first + i] = unmask_row(batch->count, batch->map_stage.mean[i], batch->map_stage.slope[i],
											row_of(batch, batch->found, first + i),
											row_of(batch, batch->feature, first + i),
											row_of(batch, batch->filter_mask, i), row_of(batch, d_feature, i));
	pool_yield(batch->pool, thread);
}

/* Rows become columns: of each query FILTERS numbers, side by side. */
static float *
turn(const ConveBatch *batch, const float *d_found, int thread)
{
	float	   *turned = row_of(batch, batch->patch, thread * (CONVE_PATCH + CONVE_FILTERS) + CONVE_PATCH);

	for (int i = 0; i < CONVE_FILTERS; i++)
		for (int q = 0; q < batch->count; q++)
			turned[(size_t) q * CONVE_FILTERS + (size_t) i] = d_found[(size_t) i * (size_t) batch->stride + (size_t) q];
	return turned;
}

/* Item: a place; its part of the filters' gradient, and its patch. */
static void
leave_filters(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	Stage		stage = batch->map_stage;
	int			first = (int) item * CONVE_FILTERS;
	float	   *d_found = row_of(batch, batch->feature, first);

	for (int i = 0; i < CONVE_FILTERS; i++)
		restore_row(batch->count, factor_of(stage, batch->weights.map, i), stage.mean[i], stage.slope[i],
					stage.mean_d[i], stage.mean_dz[i], row_of(batch, batch->found, first + i),
					row_of(batch, batch->d_feature, first + i), row_of(batch, d_found, i));
	dense_combine(DENSE_PRODUCT, CONVE_PATCH, CONVE_FILTERS, batch->count, read_patch(batch, (int) item, thread),
				  batch->stride, 1, turn(batch, d_found, thread), CONVE_FILTERS,
				  batch->d_filter + (size_t) item * CONVE_PATCH * CONVE_FILTERS, CONVE_FILTERS, false);
	dense_combine(DENSE_PRODUCT, CONVE_PATCH, batch->count, CONVE_FILTERS, batch->weights.filter, CONVE_FILTERS, 1,
				  d_found, batch->stride, row_of(batch, batch->d_patch, (int) item * CONVE_PATCH), batch->stride, false);
	pool_yield(batch->pool, thread);
}

/* Item: a cell, which is in the patches of up to PATCH places; `input` becomes its gradient. */
static void
gather_cell(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	ConveShape	shape = batch->shape;
	int			cell = (int) item;
	float	   *d_input = row_of(batch, batch->input, cell);

	memset(d_input, 0, (size_t) batch->count * sizeof(float));
	for (int k = 0; k < CONVE_PATCH; k++)
	{
		int			row = cell / shape.width - k / CONVE_SIDE;
		int			column = cell % shape.width - k % CONVE_SIDE;
		int			place = row * shape.across + column;

		if (row >= 0 && column >= 0 && column < shape.across && place < shape.places)
			add_to(batch->count, row_of(batch, batch->d_patch, place * CONVE_PATCH + k), d_input);
	}
	batch->sums[cell] = (Sums) {0, 0};
	for (int i = 0; i < batch->count; i++)
	{
		d_input[i] *= row_of(batch, batch->input_mask, cell)[i];
		batch->sums[cell].one += d_input[i];
		batch->sums[cell].two += (double) d_input[i] *
			((row_of(batch, batch->cell, cell)[i] - batch->input_stage.mean[0]) * batch->input_stage.slope[0]);
	}
	pool_yield(batch->pool, thread);
}

/* Item: a block of queries, whose columns become gradients of rows. */
static void
write_rows(void *argument, int64_t item, int thread)
{
	ConveBatch *batch = argument;
	Stage		stage = batch->input_stage;
	float		factor = factor_of(stage, batch->weights.input, 0);
	int			d = batch->shape.d;
	int			end = ((int) item + 1) * BLOCK < batch->count ? ((int) item + 1) * BLOCK : batch->count;

	for (int i = (int) item * BLOCK; i < end; i++)
	{
		float	   *given = batch->gradients.given + (size_t) i * (size_t) batch->gradients.given_stride;
		float	   *relation = batch->gradients.relation + (size_t) i * (size_t) batch->gradients.relation_stride;

		for (int cell = 0; cell < 2 * d; cell++)
		{
			float		z = (row_of(batch, batch->cell, cell)[i] - stage.mean[0]) * stage.slope[0];
			float		d_cell = factor * (row_of(batch, batch->input, cell)[i] - stage.mean_d[0] - z * stage.mean_dz[0]);

			*(cell < d ? &given[cell] : &relation[cell - d]) = d_cell;
		}
		given[d] = 0;
		pool_yield(batch->pool, thread);
	}
}

/* The parts of all places */
static void
sum_filters(const ConveBatch *batch)
{
	memset(batch->gradient.filter, 0, CONVE_PATCH * CONVE_FILTERS * sizeof(float));
	for (int place = 0; place < batch->shape.places; place++)
	{
		add_to(CONVE_PATCH * CONVE_FILTERS, batch->d_filter + (size_t) place * CONVE_PATCH * CONVE_FILTERS,
			   batch->gradient.filter);
		pool_yield(batch->pool, POOL_LEADER);
	}
}

/* Numbers behind the last weight fill its row: they have no gradient. */
static void
clear_rest(const ConveBatch *batch)
{
	float	   *rest = batch->gradient.hidden.variance;
	size_t		rows = (size_t) batch->model->function->shared_rows(batch->shape.d);
	float	   *end = batch->gradients.rows + rows * (size_t) batch->shape.d;

	memset(rest, 0, (size_t) (end - rest) * sizeof(float));
}

void
conve_batch_backward(ConveBatch *batch, Pool *pool, const float *d_vector, int stride, ConveGradients gradients)
{
	double		count = batch->count;
	int			cells = 2 * batch->shape.d;
	Sums		sums[CONVE_FILTERS];

	batch->gradients = gradients;
	batch->gradient = conve_weights(batch->shape, gradients.rows);
	for (int j = 0; j < batch->shape.d; j++)
	{
		leave_query(batch, j, d_vector, stride);
		pool_yield(pool, POOL_LEADER);
	}
	pool_run(pool, batch->shape.places, leave_features, batch);
	sum_places(batch, sums);
	for (int i = 0; i < CONVE_FILTERS; i++)
		set_gradient(batch->map_stage, batch->gradient.map, i, sums[i], count * batch->shape.places);
	pool_run(pool, batch->shape.places, leave_filters, batch);
	sum_filters(batch);
	pool_run(pool, cells, gather_cell, batch);
	set_gradient(batch->input_stage, batch->gradient.input, 0, sum_cells(batch), count * cells);
	pool_run(pool, pool_pieces(batch->count, BLOCK), write_rows, batch);
	clear_rest(batch);
}
