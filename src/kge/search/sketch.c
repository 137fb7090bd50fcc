/*
 * sketch.c
 *		A coarse copy of a model's entities (see sketch.h).
 *
 * Of a row c, c' is its sketch.  By the triangle inequality a distance moves by at most
 * the distance of c' from c; a dot product with q by at most |q| |c' - c|.
 *
 * Rows of a sum of moduli have one scale, so that their codes can be compared with those of a query (sketch_moduli.c):
 * the one for which some rows of the model are least off.
 */
#include <math.h>
#include <string.h>

#include "sketch.h"
#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"
#include "kge/score/engine.h"
#include "sketch_codes.h"
#include "sketch_moduli.h"
#include "sketch_product.h"

#define AT_ONCE KGE_LOOKED_AT	/* rows of an item */
#define SAMPLED 1000			/* rows that a common scale is chosen by */
#define SCALES	8				/* that are tried, each half of the one before */

typedef struct Sketching
{
	Pool	   *pool;
	const KgeModel *model;
	KgeSketch  *sketch;
} Sketching;

/* ---- making it ------------------------------------------------------------------ */

bool
kge_sketch_has_moduli(const KgeSketch *sketch)
{
	return sketch->engine.similarity == KGE_MODULI && kge_has_codes();
}

static size_t
bytes_of_row(const KgeSketch *sketch)
{
	return kge_sketch_has_moduli(sketch) ? kge_moduli_bytes(sketch->engine.half) : (size_t) sketch->engine.width;
}

const int8_t *
kge_sketch_code(const KgeSketch *sketch, int64_t row)
{
	return sketch->code + (size_t) row * bytes_of_row(sketch);
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

/* The codes of a finite row by a scale of its own; returns how far they are off. */
static double
encode(const KgeSketch *sketch, const float *c, float *scale, int8_t *code)
{
	int			width = sketch->engine.width;

	*scale = kge_code_unit(width, c);
	for (int j = 0; j < width; j++)
		code[j] = (int8_t) (*scale == 0 ? 0 : lrintf(c[j] / *scale));
	return ROUNDED_UP * length(&sketch->engine, c, *scale, code);
}

/* Rows that are too large to compute with fast (score_bound.c), or hold NaN, are as far off as can be. */
static void
sketch_row(KgeSketch *sketch, int64_t row, const float *c)
{
	int8_t	   *code = sketch->code + (size_t) row * bytes_of_row(sketch);
	double		norm = kge_norm(sketch->engine.width, c);
	double		error = INFINITY;

	memset(code, 0, bytes_of_row(sketch));
	if (kge_sketch_has_moduli(sketch))
		sketch->parts[row] = (KgeParts) {.more = 0};
	else
		sketch->scale[row] = 0;
	if (isfinite(norm))
		error = kge_sketch_has_moduli(sketch) ?
			kge_moduli_encode(sketch->engine.half, c, sketch->scale[row], code, &sketch->parts[row]) :
			encode(sketch, c, &sketch->scale[row], code);
	sketch->error[row] = (float) (ROUNDED_UP * error);
	sketch->norm[row] = (float) (ROUNDED_UP * norm) + sketch->error[row];
}

/* ---- a scale for all rows ---------------------------------------------------------- */

/* How far sampled rows are off, `code` has room for one. */
static double
lost_by_scale(const Sketching *sketching, float scale, int8_t *code)
{
	const KgeSketch *sketch = sketching->sketch;
	const KgeModel *model = sketching->model;
	double		lost = 0;
	KgeParts	parts;

	for (int64_t i = 0; i < model->entities; i += 1 + model->entities / SAMPLED)
	{
		const float *row = kge_entity_row(model, (int32_t) i);

		if (isfinite(kge_norm(sketch->engine.width, row)))
			lost += kge_moduli_encode(sketch->engine.half, row, scale, code, &parts);
		pool_yield(sketching->pool, POOL_LEADER);
	}
	return lost;
}

/* The largest number of the sampled rows is the largest code of the first scale.  The first row's codes are room. */
static float
common_scale(const Sketching *sketching)
{
	const KgeSketch *sketch = sketching->sketch;
	const KgeModel *model = sketching->model;
	float		most = 0;
	float		best = 0;
	double		least = INFINITY;

	for (int64_t i = 0; i < model->entities; i += 1 + model->entities / SAMPLED)
	{
		const float *row = kge_entity_row(model, (int32_t) i);

		if (isfinite(kge_norm(sketch->engine.width, row)))
			most = fmaxf(most, kge_largest(sketch->engine.width, row));
		pool_yield(sketching->pool, POOL_LEADER);
	}
	for (int i = 0; i < SCALES; i++)
	{
		float		scale = ldexpf(most / LARGEST_CODE, -i);
		double		lost = lost_by_scale(sketching, scale, sketch->code);

		if (isnormal(scale) && lost < least)
		{
			least = lost;
			best = scale;
		}
	}
	return best;
}

static void
set_common_scale(const Sketching *sketching)
{
	float		scale = common_scale(sketching);

	for (int64_t i = 0; i < sketching->model->entities; i++)
		sketching->sketch->scale[i] = scale;
}

/* ---- all rows ------------------------------------------------------------------------ */

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

	sketch.code = TAKE(allocation, int8_t, entities * bytes_of_row(&sketch));
	sketch.parts = TAKE(allocation, KgeParts, kge_sketch_has_moduli(&sketch) ? entities : 0);
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
	if (kge_sketch_has_moduli(sketching.sketch))
		set_common_scale(&sketching);
	pool_run(pool, pool_pieces(model->entities, AT_ONCE), sketch_rows, &sketching);
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
	KgeSketch  *sketch = arena_take(arena, sizeof(KgeSketch));

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

/* s = dot products of q with some rows of codes */
static void
dot_codes(int n, const float *q, int rows, const int8_t *code, float *s)
{
	int			i = 0;

	for (; i + 4 <= rows; i += 4)
		dot_codes_4(n, q, code + (size_t) i * (size_t) n, s + i);
	for (; i < rows; i++)
	{
		s[i] = 0;
		for (int j = 0; j < n; j++)
			s[i] += q[j] * code[(size_t) i * (size_t) n + (size_t) j];
	}
}

/*
 * What dot products s with codes say at most: scale, norm and error are those of the sketch.  Where s is not finite,
 * that is NaN or infinity, which bounds nothing.
 */
KERNEL void
bound_dots(int rows, KgeDotError of, double moved, const float *restrict s, const float *restrict scale,
		   const float *restrict norm, const float *restrict error, double *restrict most)
{
	for (int i = 0; i < rows; i++)
	{
		double		dot = (double) s[i] * scale[i];

		most[i] = dot + (of.level + of.by_score * fabs(dot) + of.by_norm * norm[i] + moved * error[i]);
	}
}

/* s = products of the query with the rows' codes; returns what they lose by the norm of a row. */
static double
products(const KgeSketchQuery *query, int64_t from, int rows, float *s)
{
	const KgeSketch *sketch = query->sketch;
	int			width = sketch->engine.width;

	if (query->codes.code == NULL)
	{
		dot_codes(width, query->query, rows, kge_sketch_code(sketch, from), s);
		return 0;
	}
	kge_codes_look(width, query->codes, rows, kge_sketch_code(sketch, from), s);
	for (int i = 0; i < rows; i++)
		s[i] *= query->codes.scale;
	return ROUNDED_UP * query->codes.error;
}

static void
look_at_dots(const KgeSketchQuery *query, int64_t from, int rows, double *most)
{
	const KgeSketch *sketch = query->sketch;
	KgeDotError error = kge_dot_error(&sketch->engine, query->norm);
	float		s[KGE_LOOKED_AT];

	error.by_norm += products(query, from, rows, s);
	bound_dots(rows, error, ROUNDED_UP * query->norm, s, sketch->scale + from, sketch->norm + from, sketch->error + from,
			   most);
}

/* The most of each row by its distance, `row` has room for one. */
static void
look_at_distances(const KgeSketchQuery *query, int64_t from, int rows, float *row, double *most)
{
	const KgeSketch *sketch = query->sketch;

	for (int i = 0; i < rows; i++)
	{
		int64_t		at = from + i;
		double		score;

		expand(sketch->engine.width, sketch->scale[at], kge_sketch_code(sketch, at), row);
		score = kge_engine_score(&sketch->engine, query->query, row);
		most[i] = score + kge_score_error(&sketch->engine, query->norm, sketch->norm[at], score) + sketch->error[at];
	}
}

/* The most of each row.  Whole numbers are not off by more than the codes are. */
static void
look_at_moduli(const KgeSketchQuery *query, int64_t from, int rows, double *most)
{
	const KgeSketch *sketch = query->sketch;
	KgeErrorLine line = kge_distance_error(&sketch->engine, query->norm);
	double		level = sketch->engine.gamma + query->code_error + line.level;

	kge_moduli_look(sketch->engine.half, sketch->scale[0], query->code, rows, kge_sketch_code(sketch, from), most);
	for (int i = 0; i < rows; i++)
		most[i] = level - (1 - line.slope) * most[i] + sketch->error[from + i];
}

double
kge_sketch_most(const KgeSketchQuery *query, int64_t row)
{
	double		most;

	look_at_moduli(query, row, 1, &most);
	return most;
}

size_t
kge_sketch_query_bytes(const KgeModel *model)
{
	size_t		moduli = kge_moduli_bytes(model->dimensions);
	size_t		products = kge_query_codes_bytes(kge_engine(model).width);

	return moduli > products ? moduli : products;
}

KgeSketchQuery
kge_sketch_query(const KgeSketch *sketch, const float *query, void *room)
{
	const KgeEngine *engine = &sketch->engine;
	KgeSketchQuery asked = {.sketch = sketch,.query = query,.norm = kge_norm(engine->width, query),.code = room};
	KgeParts	parts;

	if (!isfinite(asked.norm))
		return asked;
	if (kge_sketch_has_moduli(sketch))
		asked.code_error = kge_moduli_encode(engine->half, query, sketch->scale[0], room, &parts);
	else if (engine->similarity == KGE_DOT && kge_has_codes())
		asked.codes = kge_query_codes(engine->width, query, room);
	return asked;
}

void
kge_sketch_look(const KgeSketchQuery *query, int64_t from, int64_t end, float *row, float *most)
{
	int			rows = (int) (end - from);
	double		number[KGE_LOOKED_AT];

	if (!isfinite(query->norm))
		for (int i = 0; i < rows; i++)
			number[i] = INFINITY;
	else if (kge_sketch_has_moduli(query->sketch))
		look_at_moduli(query, from, rows, number);
	else if (query->sketch->engine.similarity == KGE_DOT)
		look_at_dots(query, from, rows, number);
	else
		look_at_distances(query, from, rows, row, number);
	kge_floats_above(rows, number, most + from);
}
