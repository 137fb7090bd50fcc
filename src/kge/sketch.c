/*
 * sketch.c
 *		A coarse copy of a model's entities (see sketch.h).
 *
 * Of a row c, c' is its sketch.  By the triangle inequality a distance moves by at most
 * the distance of c' from c; a dot product with q by at most |q| |c' - c|.
 */
#include <math.h>

#include "sketch.h"
#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"
#include "engine.h"

#define AT_ONCE 256				/* rows of an item */
#define STEPS	127				/* the largest code */
#define ROUNDED_UP 1.0001		/* more than is lost where a norm is computed and kept */

typedef struct Sketching
{
	Pool    *pool;
	const KgeModel *model;
	KgeSketch  *sketch;
} Sketching;

/* ---- making it ------------------------------------------------------------------ */

static float
largest(int n, const float *row)
{
	float		most = 0;

	for (int j = 0; j < n; j++)
		most = fmaxf(most, fabsf(row[j]));
	return most;
}

/* The length of c - c', in the norm that the similarity goes by. */
static double
length(const KgeEngine *engine, const float *c, float scale, const int8_t *code)
{
	int			half = engine->half;
	double		sum = 0;

	if (engine->similarity == KGE_MODULI)
		for (int j = 0; j < half; j++)
			sum += hypot(c[j] - scale * code[j], c[half + j] - scale * code[half + j]);
	else if (engine->similarity == KGE_L1)
		for (int j = 0; j < engine->width; j++)
			sum += fabs(c[j] - scale * code[j]);
	else
		for (int j = 0; j < engine->width; j++)
			sum += ((double) c[j] - scale * code[j]) * ((double) c[j] - scale * code[j]);
	return engine->similarity == KGE_DOT || engine->similarity == KGE_L2 ? sqrt(sum) : sum;
}

/* Rows that are too large to compute with fast (score_bound.c), or hold NaN, are as far off as can be. */
static void
sketch_row(KgeSketch *sketch, int64_t row, const float *c)
{
	int			width = sketch->engine.width;
	int8_t	   *code = sketch->code + (size_t) row * (size_t) width;
	double		norm = kge_norm(width, c);
	float		scale = isfinite(norm) ? largest(width, c) / STEPS : 0;

	if (!isfinite(1 / scale))
		scale = 0;
	for (int j = 0; j < width; j++)
		code[j] = (int8_t) (scale == 0 ? 0 : lrintf(c[j] / scale));
	sketch->scale[row] = scale;
	sketch->error[row] = INFINITY;
	if (isfinite(norm))
		sketch->error[row] = (float) (ROUNDED_UP * length(&sketch->engine, c, scale, code));
	sketch->norm[row] = (float) (ROUNDED_UP * norm) + sketch->error[row];
}

/* Item: some rows. */
static void
sketch_rows(void *argument, int64_t item, int thread)
{
	Sketching  *sketching = argument;
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < sketching->model->entities; i++)
		sketch_row(sketching->sketch, i, kge_entity_row(sketching->model, (int32_t) i));
	pool_yield(sketching->pool, thread);
}

static KgeSketch
take_arrays(Allocation *allocation, const KgeModel *model)
{
	size_t		entities = (size_t) model->entities;
	KgeSketch	sketch = {.engine = kge_engine(model),.memory = allocation->base};

	sketch.code = TAKE(allocation, int8_t, entities * (size_t) sketch.engine.width);
	sketch.scale = TAKE(allocation, float, entities);
	sketch.norm = TAKE(allocation, float, entities);
	sketch.error = TAKE(allocation, float, entities);
	return sketch;
}

static KgeSketch *
take_sketch(Allocation *allocation, const KgeModel *model)
{
	KgeSketch	arrays = take_arrays(allocation, model);
	KgeSketch  *sketch = TAKE(allocation, KgeSketch, 1);

	if (sketch != NULL)
		*sketch = arrays;
	return sketch;
}

size_t
kge_sketch_bytes(const KgeModel *model)
{
	Allocation	allocation = {0};

	take_sketch(&allocation, model);
	return allocation_bytes(&allocation);
}

const KgeSketch *
kge_sketch(Arena *arena, Pool *pool, const KgeModel *model)
{
	Sketching	sketching = {.pool = pool,.model = model};
	Allocation	allocation = {0};

	take_sketch(&allocation, model);
	if (!allocation_open(&allocation, arena))
		return NULL;
	sketching.sketch = take_sketch(&allocation, model);
	pool_run(pool, (model->entities + AT_ONCE - 1) / AT_ONCE, sketch_rows, &sketching);
	return sketching.sketch;
}

const void *
kge_sketch_memory(const KgeSketch *sketch, const KgeModel *model, size_t *bytes)
{
	Allocation	allocation = {0};

	take_arrays(&allocation, model);
	*bytes = allocation.used;
	return sketch->memory;
}

const KgeSketch *
kge_sketch_over(Arena *arena, const KgeModel *model, void *memory)
{
	Allocation	allocation = allocation_over(memory);
	KgeSketch  *sketch = arena->allocate(arena->context, sizeof(KgeSketch));

	if (sketch != NULL)
		*sketch = take_arrays(&allocation, model);
	return sketch;
}

/* ---- looking at it ------------------------------------------------------------ */

/* s = dot products of q with four rows of codes, which keeps four sums in registers */
KERNEL void
dot_codes_4(int n, const float *restrict q, const int8_t *restrict code, float *restrict s)
{
	const int8_t *code_1 = code + n;
	const int8_t *code_2 = code_1 + n;
	const int8_t *code_3 = code_2 + n;
	float		s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	for (int j = 0; j < n; j++)
	{
		s0 += q[j] * code[j];
		s1 += q[j] * code_1[j];
		s2 += q[j] * code_2[j];
		s3 += q[j] * code_3[j];
	}
	s[0] = s0;
	s[1] = s1;
	s[2] = s2;
	s[3] = s3;
}

KERNEL void
expand(int n, float scale, const int8_t *restrict code, float *restrict row)
{
	for (int j = 0; j < n; j++)
		row[j] = scale * code[j];
}

static double
score(const KgeSketch *sketch, const float *query, int64_t i, float *row)
{
	int			width = sketch->engine.width;

	expand(width, sketch->scale[i], sketch->code + (size_t) i * (size_t) width, row);
	return kge_engine_score(&sketch->engine, query, row);
}

static void
note(const KgeSketch *sketch, double query_norm, int64_t i, double s, double *least, double *most)
{
	double		moved = sketch->error[i];
	double		error;

	if (sketch->engine.similarity == KGE_DOT)
		moved *= ROUNDED_UP * query_norm;
	error = moved + kge_score_error(&sketch->engine, query_norm, sketch->norm[i], s);
	*least = isfinite(s) && isfinite(error) ? s - error : -INFINITY;
	*most = isfinite(s) && isfinite(error) ? s + error : INFINITY;
}

void
kge_sketch_look(const KgeSketch *sketch, const float *query, double query_norm,
				int64_t from, int64_t end, float *row, double *least, double *most)
{
	int			width = sketch->engine.width;
	int64_t		i = from;

	for (; sketch->engine.similarity == KGE_DOT && i + 4 <= end; i += 4)
	{
		float		s[4];

		dot_codes_4(width, query, sketch->code + (size_t) i * (size_t) width, s);
		for (int k = 0; k < 4; k++)
			note(sketch, query_norm, i + k, (double) s[k] * sketch->scale[i + k],
				 &least[i + k], &most[i + k]);
	}
	for (; i < end; i++)
		note(sketch, query_norm, i, score(sketch, query, i, row), &least[i], &most[i]);
}
