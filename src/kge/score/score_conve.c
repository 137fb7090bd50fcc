/*
 * score_conve.c
 *		ConvE (Dettmers et al. 2018): q(h, r) t + bias of t, where a convolutional network makes q.
 *
 * The bias is one more number of an entity's row, and 1 is one more number of a query.  A head is asked for as the tail of
 * the inverse relation.
 *
 * Predictions normalise by the means and variances that training kept, so that a query depends on its entity and relation
 * alone.  A query is computed in single precision, with the same bits alone and among others; that vector is what the
 * exact score is defined by.
 */
#include <math.h>

#include "conve.h"
#include "core/dense.h"
#include "core/random.h"
#include "core/vector.h"

#define QUERIES	16				/* at a time */
#define PLACES	8				/* at a time */
#define MOST_DIMENSIONS	500		/* weights are as many as 64 of their squares */

/* ---- shape and weights -------------------------------------------------------- */

ConveShape
conve_shape(int d)
{
	int			height = (int) sqrt(d);
	ConveShape	shape = {.d = d};

	while (d % height != 0)
		height--;
	shape.width = d / height;
	shape.across = shape.width - CONVE_SIDE + 1;
	shape.places = (2 * height - CONVE_SIDE + 1) * shape.across;
	shape.features = shape.places * CONVE_FILTERS;
	return shape;
}

/* An image of one row has no room for a filter to find anything but the border between the two. */
static bool
conve_fits(int d)
{
	return d >= 6 && d <= MOST_DIMENSIONS && conve_shape(d).width < d;
}

static float *
take_norm(ConveNorm *norm, int count, float *numbers)
{
	*norm = (ConveNorm) {numbers, numbers + count, numbers + 2 * count, numbers + 3 * count};
	return numbers + 4 * count;
}

ConveWeights
conve_weights(ConveShape shape, float *rows)
{
	ConveWeights weights = {.matrix = rows};

	weights.filter = rows + (size_t) shape.features * (size_t) shape.d;
	rows = take_norm(&weights.input, 1, weights.filter + CONVE_PATCH * CONVE_FILTERS);
	rows = take_norm(&weights.map, CONVE_FILTERS, rows);
	take_norm(&weights.hidden, shape.d, rows);
	return weights;
}

static int32_t
conve_shared_rows(int d)
{
	ConveShape	shape = conve_shape(d);

	return (int32_t) (shape.features + 4 + pool_pieces(CONVE_PATCH * CONVE_FILTERS + 4 + 4 * CONVE_FILTERS, d));
}

/* ---- initial values ------------------------------------------------------------ */

/* Glorot and Bengio 2010; relations of all graphs are few. */
static KgeInitial
conve_initial(const KgeModel *model)
{
	double		d = model->dimensions;

	return (KgeInitial) {
		.normal = true,.entity = sqrt(2 / (model->entities + d)),.relation = sqrt(2 / (2 * model->relations + d))
	};
}

static void
start_uniform(Pool *pool, uint64_t stream, size_t count, double limit, float *number)
{
	for (size_t i = 0; i < count; i++)
	{
		pool_yield_at(pool, POOL_LEADER, (int64_t) i);
		number[i] = (float) ((2 * random_open(random_bits(stream, i)) - 1) * limit);
	}
}

static void
start_norm(ConveNorm norm, int count)
{
	for (int i = 0; i < count; i++)
	{
		norm.scale[i] = norm.variance[i] = 1;
		norm.shift[i] = norm.mean[i] = 0;
	}
}

static void
conve_start(KgeModel *model, Pool *pool, uint64_t seed)
{
	ConveShape	shape = conve_shape(model->dimensions);
	ConveWeights weights = conve_weights(shape, conve_rows(model));
	float	   *end = model->relation + kge_relation_count(model);

	for (float *number = weights.filter; number < end; number++)
		*number = 0;
	start_uniform(pool, random_stream(seed, DRAW_NETWORK, 0, 0), (size_t) shape.features * (size_t) shape.d,
				  1 / sqrt(shape.features), weights.matrix);
	start_uniform(pool, random_stream(seed, DRAW_NETWORK, 1, 0), CONVE_PATCH * CONVE_FILTERS, 1.0 / CONVE_SIDE,
				  weights.filter);
	start_norm(weights.input, 1);
	start_norm(weights.map, CONVE_FILTERS);
	start_norm(weights.hidden, shape.d);
}

/* ---- queries -------------------------------------------------------------------- */

/* What an entity and a relation are made a query of. */
typedef struct QueryRows
{
	const float *given;
	const float *relation;
} QueryRows;

/* A stage's normalisation as factor * x + offset. */
typedef struct Linear
{
	float		factor;
	float		offset;
} Linear;

static inline Linear
linear(ConveNorm norm, int i)
{
	double		factor = norm.scale[i] / sqrt(norm.variance[i] + CONVE_EPSILON);

	return (Linear) {(float) factor, (float) (norm.shift[i] - norm.mean[i] * factor)};
}

/* Rows of n numbers become factor * x + offset, or 0 where that is less; NaN stays. */
KERNEL void
rectify_rows(int rows, int n, const float *restrict factor, const float *restrict offset, int stride, float *restrict x)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < n; j++)
		{
			float		y = factor[j] * x[(size_t) i * (size_t) stride + j] + offset[j];

			x[(size_t) i * (size_t) stride + j] = y < 0 ? 0 : y;
		}
}

/* The patches of some places, query by query. */
static void
fill_patches(ConveShape shape, Linear input, const QueryRows *pair, int count, int first, int places, float *patch)
{
	for (int i = 0; i < count; i++)
		for (int p = first; p < first + places; p++)
			for (int k = 0; k < CONVE_PATCH; k++)
			{
				int			cell = conve_cell(shape, p, k);

				*patch++ = input.factor * (cell < shape.d ? pair[i].given[cell] : pair[i].relation[cell - shape.d]) +
					input.offset;
			}
}

/* At most QUERIES of them */
static void
evaluate(const KgeModel *model, const QueryRows *pair, int count, float *vector, int stride)
{
	ConveShape	shape = conve_shape(model->dimensions);
	ConveWeights weights = conve_weights(shape, conve_rows(model));
	Linear		input = linear(weights.input, 0);
	float		factor[CONVE_FILTERS];
	float		offset[CONVE_FILTERS];
	float		patch[QUERIES * PLACES * CONVE_PATCH];
	float		found[QUERIES * PLACES * CONVE_FILTERS];

	for (int i = 0; i < CONVE_FILTERS; i++)
	{
		factor[i] = linear(weights.map, i).factor;
		offset[i] = linear(weights.map, i).offset;
	}
	for (int first = 0; first < shape.places; first += PLACES)
	{
		int			places = shape.places - first < PLACES ? shape.places - first : PLACES;
		int			features = places * CONVE_FILTERS;

		fill_patches(shape, input, pair, count, first, places, patch);
		dense_combine(DENSE_PRODUCT, count * places, CONVE_FILTERS, CONVE_PATCH, patch, CONVE_PATCH, 1,
					  weights.filter, CONVE_FILTERS, found, CONVE_FILTERS, false);
		rectify_rows(count * places, CONVE_FILTERS, factor, offset, CONVE_FILTERS, found);
		dense_combine(DENSE_PRODUCT, count, shape.d, features, found, features, 1,
					  weights.matrix + (size_t) first * CONVE_FILTERS * (size_t) shape.d, shape.d, vector, stride,
					  first > 0);
	}
	for (int i = 0; i < count; i++)
	{
		float	   *query = vector + (size_t) i * (size_t) stride;

		for (int j = 0; j < shape.d; j++)
		{
			Linear		hidden = linear(weights.hidden, j);
			float		y = hidden.factor * query[j] + hidden.offset;

			query[j] = y < 0 ? 0 : y;
		}
		query[shape.d] = 1;
	}
}

/* Denormals count, in any thread: a query has the same bits wherever it is made. */
static void
conve_queries(const KgeModel *model, const KgeQuery *asked, int count, float *vector, int stride)
{
	bool		flushed = flush_denormals(false);

	for (int first = 0; first < count; first += QUERIES)
	{
		int			some = count - first < QUERIES ? count - first : QUERIES;
		QueryRows	pair[QUERIES];

		for (int i = 0; i < some; i++)
			pair[i] = (QueryRows) {kge_entity_row(model, asked[first + i].given),
				kge_relation_row(model, asked[first + i].relation)};
		evaluate(model, pair, some, vector + (size_t) first * (size_t) stride, stride);
	}
	flush_denormals(flushed);
}

static double
conve_score(const KgeModel *model, const float *head, const float *relation, const float *tail)
{
	float		query[MOST_DIMENSIONS + 1];
	bool		flushed = flush_denormals(false);

	evaluate(model, &(QueryRows) {head, relation}, 1, query, 0);
	flush_denormals(flushed);
	return kge_query_score(model, query, tail);
}

double
conve_flops(int d)
{
	ConveShape	shape = conve_shape(d);

	return 6.0 * shape.features * (CONVE_PATCH + d);
}

const KgeScoreFunction kge_score_conve = {
	.name = "conve",
	.similarity = {KGE_DOT, KGE_DOT},
	.parts = 1,
	.more = 1,
	.relation_parts = 1,
	.fits = conve_fits,
	.initial = conve_initial,
	.shared_rows = conve_shared_rows,
	.start = conve_start,
	.queries = conve_queries,
	.score = conve_score
};
