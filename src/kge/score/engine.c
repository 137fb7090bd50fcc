/*
 * engine.c
 *		Scores of blocks of queries against blocks of candidates, and their gradients.
 *
 * Forward: every candidate's score for every query.  A dot product is a matrix product with the queries transposed, and
 * L1 and L2 are sums of the same shape (dense.c); L2 may be a matrix product as well (expands).  A sum of moduli has a
 * kernel here, which keeps the sums of four queries and two candidates in registers; square roots bound its speed.  To
 * learn from samples, estimates of roots are enough (rough_moduli.c).
 *
 * Backward, from g = the loss's derivative by each score: the dot product's and
 * the Euclidean distance's are two matrix products.  For L1 and the moduli a
 * kernel takes four queries and one candidate along the width.
 *
 * Kernels are plain loops; the Makefile compiles this file with -O3 -fno-math-errno
 * -fassociative-math -fno-signed-zeros -fno-trapping-math, so that sums become
 * vectors.  NaN and infinities keep their meaning.
 */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "core/dense.h"
#include "core/vector.h"

KgeEngine
kge_engine(const KgeModel *model)
{
	KgeEngine	engine = {.rough = false};

	engine.similarity = model->function->similarity[model->norm == 2];
	engine.width = kge_model_width(model);
	engine.half = model->dimensions;
	engine.gamma = (float) model->gamma;
	return engine;
}

/* ---- forward ------------------------------------------------------------ */

static inline float
modulus(float re, float im)
{
	return sqrtf(re * re + im * im);
}

#define TERM(q, c) modulus((q)[j] - (c)[j], (q)[half + j] - (c)[half + j])

/* s[k][i] = sum of moduli, for four queries and two candidates. */
KERNEL void
moduli_4x2(int half, const float *restrict q0, int q_stride,
		   const float *restrict c0, int c_stride, float *restrict s, int s_stride)
{
	const float *q1 = q0 + q_stride;
	const float *q2 = q1 + q_stride;
	const float *q3 = q2 + q_stride;
	const float *c1 = c0 + c_stride;
	float		s00 = 0, s10 = 0, s20 = 0, s30 = 0;
	float		s01 = 0, s11 = 0, s21 = 0, s31 = 0;

	for (int j = 0; j < half; j++)
	{
		s00 += TERM(q0, c0);
		s10 += TERM(q1, c0);
		s20 += TERM(q2, c0);
		s30 += TERM(q3, c0);
		s01 += TERM(q0, c1);
		s11 += TERM(q1, c1);
		s21 += TERM(q2, c1);
		s31 += TERM(q3, c1);
	}
	s[0] = s00;
	s[1] = s10;
	s[2] = s20;
	s[3] = s30;
	s += s_stride;
	s[0] = s01;
	s[1] = s11;
	s[2] = s21;
	s[3] = s31;
}

/* The same for one and one. */
KERNEL float
moduli_1x1(int half, const float *restrict q, const float *restrict c)
{
	float		sum = 0;

	for (int j = 0; j < half; j++)
		sum += TERM(q, c);
	return sum;
}

static void
moduli_block(int half, KgeRows q, KgeRows c, float *s, int s_stride)
{
	for (int k = 0; k < c.count; k += 2)
		for (int i = 0; i < q.count; i += 4)
		{
			const float *query = q.row + (size_t) i * (size_t) q.stride;
			const float *candidate = c.row + (size_t) k * (size_t) c.stride;
			float	   *out = s + (size_t) k * (size_t) s_stride + i;

			if (q.count - i >= 4 && c.count - k >= 2)
			{
				moduli_4x2(half, query, q.stride, candidate, c.stride, out, s_stride);
				continue;
			}
			for (int b = 0; b < c.count - k && b < 2; b++)
				for (int a = 0; a < q.count - i && a < 4; a++)
					out[b * s_stride + a] = moduli_1x1(half, query + (size_t) a * (size_t) q.stride,
													   candidate + (size_t) b * (size_t) c.stride);
		}
}

KERNEL float
dot(int n, const float *restrict a, const float *restrict b)
{
	float		sum = 0;

	for (int j = 0; j < n; j++)
		sum += a[j] * b[j];
	return sum;
}

KERNEL float
absolute_distance(int n, const float *restrict a, const float *restrict b)
{
	float		sum = 0;

	for (int j = 0; j < n; j++)
		sum += fabsf(a[j] - b[j]);
	return sum;
}

KERNEL float
square_distance(int n, const float *restrict a, const float *restrict b)
{
	float		sum = 0;

	for (int j = 0; j < n; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

static inline bool
expands(const KgeEngine *engine)
{
	return engine->rough && engine->similarity == KGE_L2;
}

static inline bool
estimates(const KgeEngine *engine)
{
	return engine->rough && kge_has_rough_moduli();
}

static void
sum_moduli(const KgeEngine *engine, KgeRows q, KgeRows c, float *s, int s_stride)
{
	if (estimates(engine))
		kge_rough_moduli(engine->half, q, c, s, s_stride);
	else
		moduli_block(engine->half, q, c, s, s_stride);
}

size_t
kge_engine_scratch(const KgeEngine *engine, int queries)
{
	if (engine->similarity == KGE_MODULI)
		return 0;
	return (size_t) (engine->width + expands(engine)) * (size_t) vector_stride(queries);
}

/* scratch is the queries transposed, a cache line at a time, and below them their |q|^2. */
void
kge_engine_prepare(const KgeEngine *engine, KgeRows queries, float *scratch)
{
	size_t		stride = (size_t) vector_stride(queries.count);

	if (engine->similarity == KGE_MODULI)
		return;
	for (int from = 0; from < engine->width; from += 16)
		for (int i = 0; i < queries.count; i++)
			for (int j = from; j < engine->width && j < from + 16; j++)
				scratch[(size_t) j * stride + (size_t) i] =
					queries.row[(size_t) i * (size_t) queries.stride + (size_t) j];
	for (int i = 0; expands(engine) && i < queries.count; i++)
	{
		const float *query = queries.row + (size_t) i * (size_t) queries.stride;

		scratch[(size_t) engine->width * stride + (size_t) i] = dot(engine->width, query, query);
	}
}

/* s = gamma - s, or gamma - sqrt(s). */
KERNEL void
subtract_row(int n, float gamma, bool root, float *restrict s)
{
	if (root)
		for (int i = 0; i < n; i++)
			s[i] = gamma - sqrtf(s[i]);
	else
		for (int i = 0; i < n; i++)
			s[i] = gamma - s[i];
}

/* s = gamma - sqrt(|q|^2 + |c|^2 - 2 s); what rounding makes less than 0 is 0. */
KERNEL void
expand_row(int n, float gamma, const float *restrict q_square, float c_square, float *restrict s)
{
	for (int i = 0; i < n; i++)
	{
		float		square = q_square[i] + c_square - 2 * s[i];

		s[i] = gamma - sqrtf(square < 0 ? 0 : square);
	}
}

/* A candidate's row of sums becomes its scores. */
static void
finish_scores(const KgeEngine *engine, int queries, const float *scratch, const float *candidate,
			  float *s)
{
	if (expands(engine))
		expand_row(queries, engine->gamma,
				   scratch + (size_t) engine->width * (size_t) vector_stride(queries),
				   dot(engine->width, candidate, candidate), s);
	else
		subtract_row(queries, engine->gamma, engine->similarity == KGE_L2, s);
}

void
kge_engine_scores(const KgeEngine *engine, KgeRows queries, const float *scratch,
				  KgeRows candidates, float *s, int s_stride)
{
	static const DenseTerm terms[] = {
		[KGE_DOT] = DENSE_PRODUCT,
		[KGE_L1] = DENSE_ABSOLUTE,
		[KGE_L2] = DENSE_SQUARE
	};

	if (engine->similarity == KGE_MODULI)
		sum_moduli(engine, queries, candidates, s, s_stride);
	else
		dense_combine(expands(engine) ? DENSE_PRODUCT : terms[engine->similarity],
					  candidates.count, queries.count, engine->width, candidates.row, candidates.stride, 1,
					  scratch, vector_stride(queries.count), s, s_stride, false);
	if (engine->similarity == KGE_DOT)
		return;
	for (int k = 0; k < candidates.count; k++)
		finish_scores(engine, queries.count, scratch,
					  candidates.row + (size_t) k * (size_t) candidates.stride,
					  s + (size_t) k * (size_t) s_stride);
}

/*
 * Two of a product and its sum, forward and into either gradient; a distance
 * subtracts besides, and a modulus has its root and that root's reciprocal.
 */
double
kge_engine_flops(const KgeEngine *engine)
{
	switch (engine->similarity)
	{
		case KGE_DOT:
			return 6.0 * engine->width;
		case KGE_L1:
		case KGE_L2:
			return (expands(engine) ? 6.0 : 7.0) * engine->width;
		case KGE_MODULI:
			return 23.0 * engine->half;
	}
	return NAN;
}

double
kge_engine_rate(const KgeEngine *engine, bool gradients)
{
	switch (engine->similarity)
	{
		case KGE_DOT:
		case KGE_L2:
			return gradients ? 7e10 : 8e10;
		case KGE_L1:
			return gradients ? 2e10 : 3e10;
		case KGE_MODULI:
			return gradients ? 2e10 : 2.5e10;
	}
	return NAN;
}

float
kge_engine_score(const KgeEngine *engine, const float *query, const float *candidate)
{
	switch (engine->similarity)
	{
		case KGE_DOT:
			return dot(engine->width, query, candidate);
		case KGE_L1:
			return engine->gamma - absolute_distance(engine->width, query, candidate);
		case KGE_L2:
			return engine->gamma - sqrtf(square_distance(engine->width, query, candidate));
		case KGE_MODULI:
			return engine->gamma - moduli_1x1(engine->half, query, candidate);
	}
	return NAN;
}

/* ---- backward ----------------------------------------------------------- */

/*
 * 1/sqrt(x), to about 5e-6: a first guess from the number's bits and two steps
 * of Newton's method.  It stays small enough near 0 for its square to be finite,
 * and is multiplied by 0 there; NaN stays NaN.
 */
static inline float
reciprocal_root(float x)
{
	union
	{
		float		number;
		uint32_t	bits;
	}			guess;
	float		y;

	x = x < 1e-24f ? 1e-24f : x;
	guess.number = x;
	guess.bits = 0x5f375a86u - (guess.bits >> 1);
	y = guess.number;
	y = y * (1.5f - 0.5f * x * y * y);
	return y * (1.5f - 0.5f * x * y * y);
}

/* The part of a pair's derivative that goes to the query is minus the candidate's. */
#define STEP_MODULI(q, dq, g) \
	do \
	{ \
		float		re = (q)[j] - c_re; \
		float		im = (q)[half + j] - c_im; \
		float		scale = (g) * reciprocal_root(re * re + im * im); \
\
		re *= scale; \
		im *= scale; \
		(dq)[j] -= re; \
		(dq)[half + j] -= im; \
		d_re += re; \
		d_im += im; \
	} while (0)

KERNEL void
moduli_gradient_1(int half, const float *restrict q, float g, float *restrict dq,
				  const float *restrict c, float *restrict dc)
{
	for (int j = 0; j < half; j++)
	{
		float		c_re = c[j];
		float		c_im = c[half + j];
		float		d_re = dc[j];
		float		d_im = dc[half + j];

		STEP_MODULI(q, dq, g);
		dc[j] = d_re;
		dc[half + j] = d_im;
	}
}

KERNEL void
moduli_gradient_4(int half, const float *restrict q0, const float *restrict q1,
				  const float *restrict q2, const float *restrict q3,
				  const float *restrict g, float *restrict dq0, float *restrict dq1,
				  float *restrict dq2, float *restrict dq3,
				  const float *restrict c, float *restrict dc)
{
	float		g0 = g[0];
	float		g1 = g[1];
	float		g2 = g[2];
	float		g3 = g[3];

	for (int j = 0; j < half; j++)
	{
		float		c_re = c[j];
		float		c_im = c[half + j];
		float		d_re = dc[j];
		float		d_im = dc[half + j];

		STEP_MODULI(q0, dq0, g0);
		STEP_MODULI(q1, dq1, g1);
		STEP_MODULI(q2, dq2, g2);
		STEP_MODULI(q3, dq3, g3);
		dc[j] = d_re;
		dc[half + j] = d_im;
	}
}

#define STEP_L1(q, dq, g) \
	do \
	{ \
		float		difference = (q)[j] - c_j; \
		float		step = difference > 0 ? (g) : difference < 0 ? -(g) : 0; \
\
		(dq)[j] -= step; \
		d_j += step; \
	} while (0)

KERNEL void
l1_gradient_1(int n, const float *restrict q, float g, float *restrict dq,
			  const float *restrict c, float *restrict dc)
{
	for (int j = 0; j < n; j++)
	{
		float		c_j = c[j];
		float		d_j = dc[j];

		STEP_L1(q, dq, g);
		dc[j] = d_j;
	}
}

KERNEL void
l1_gradient_4(int n, const float *restrict q0, const float *restrict q1,
			  const float *restrict q2, const float *restrict q3,
			  const float *restrict g, float *restrict dq0, float *restrict dq1,
			  float *restrict dq2, float *restrict dq3,
			  const float *restrict c, float *restrict dc)
{
	float		g0 = g[0];
	float		g1 = g[1];
	float		g2 = g[2];
	float		g3 = g[3];

	for (int j = 0; j < n; j++)
	{
		float		c_j = c[j];
		float		d_j = dc[j];

		STEP_L1(q0, dq0, g0);
		STEP_L1(q1, dq1, g1);
		STEP_L1(q2, dq2, g2);
		STEP_L1(q3, dq3, g3);
		dc[j] = d_j;
	}
}

/* Loops over the block for L1 and the moduli. */
static void
distance_gradients(const KgeEngine *engine, KgeRows q, KgeRows c, const float *g,
				   int g_stride, float *dq, float *dc, bool add)
{
	bool		moduli = engine->similarity == KGE_MODULI;
	size_t		step = (size_t) q.stride;

	if (!add)
		memset(dc, 0, (size_t) c.count * (size_t) c.stride * sizeof(float));
	if (moduli && estimates(engine))
	{
		kge_rough_moduli_gradients(engine->half, q, c, g, g_stride, dq, dc);
		return;
	}
	for (int i = 0; i < q.count; i += 4)
		for (int k = 0; k < c.count; k++)
		{
			const float *q0 = q.row + (size_t) i * step;
			float	   *dq0 = dq + (size_t) i * step;
			const float *c0 = c.row + (size_t) k * (size_t) c.stride;
			float	   *dc0 = dc + (size_t) k * (size_t) c.stride;
			const float *g0 = g + (size_t) k * (size_t) g_stride + i;

			if (q.count - i < 4)
				for (int a = 0; a < q.count - i; a++)
					kge_engine_gradient(engine, q0 + (size_t) a * step, c0, 0, g0[a],
										dq0 + (size_t) a * step, dc0);
			else if (moduli)
				moduli_gradient_4(engine->half, q0, q0 + step, q0 + 2 * step, q0 + 3 * step,
								  g0, dq0, dq0 + step, dq0 + 2 * step, dq0 + 3 * step, c0, dc0);
			else
				l1_gradient_4(engine->width, q0, q0 + step, q0 + 2 * step, q0 + 3 * step,
							  g0, dq0, dq0 + step, dq0 + 2 * step, dq0 + 3 * step, c0, dc0);
		}
}

/* d_queries += g' candidates, d_candidates (+)= g queries. */
static void
dot_gradients(const KgeEngine *engine, KgeRows q, KgeRows c, const float *g,
			  int g_stride, float *dq, float *dc, bool add)
{
	dense_combine(DENSE_PRODUCT, q.count, engine->width, c.count, g, 1, g_stride,
				  c.row, c.stride, dq, q.stride, true);
	dense_combine(DENSE_PRODUCT, c.count, engine->width, q.count, g, g_stride, 1,
				  q.row, q.stride, dc, c.stride, add);
}

/* g = g / distance, where the distance is not 0. */
KERNEL void
divide_row(int n, float gamma, const float *restrict s, float *restrict g)
{
	for (int i = 0; i < n; i++)
	{
		float		distance = gamma - s[i];

		g[i] = distance == 0 ? 0 : g[i] / distance;
	}
}

KERNEL float
sum_row(int n, const float *restrict x)
{
	float		sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/*
 * The derivative of -|q - c| by q is (c - q)/|q - c|: with u = g/|q - c| the
 * dot product's gradients, less each row times its sum of u.
 */
static void
l2_gradients(const KgeEngine *engine, KgeRows q, KgeRows c, const float *s, float *g,
			 int s_stride, float *dq, float *dc, bool add)
{
	enum
	{
		CHUNK = 64
	};

	for (int k = 0; k < c.count; k++)
		divide_row(q.count, engine->gamma, s + (size_t) k * (size_t) s_stride,
				   g + (size_t) k * (size_t) s_stride);
	dot_gradients(engine, q, c, g, s_stride, dq, dc, add);
	for (int k = 0; k < c.count; k++)
	{
		float		sum = sum_row(q.count, g + (size_t) k * (size_t) s_stride);

		dense_add_scaled(engine->width, -sum, c.row + (size_t) k * (size_t) c.stride,
						 dc + (size_t) k * (size_t) c.stride);
	}
	for (int from = 0; from < q.count; from += CHUNK)
	{
		int			count = q.count - from < CHUNK ? q.count - from : CHUNK;
		float		sum[CHUNK] = {0};

		for (int k = 0; k < c.count; k++)
			dense_add(count, g + (size_t) k * (size_t) s_stride + from, sum);
		for (int i = 0; i < count; i++)
		{
			size_t		place = (size_t) (from + i) * (size_t) q.stride;

			dense_add_scaled(engine->width, -sum[i], q.row + place, dq + place);
		}
	}
}

void
kge_engine_gradients(const KgeEngine *engine, KgeRows queries, KgeRows candidates,
					 const float *s, float *g, int s_stride,
					 float *d_queries, float *d_candidates, bool add)
{
	switch (engine->similarity)
	{
		case KGE_DOT:
			dot_gradients(engine, queries, candidates, g, s_stride, d_queries, d_candidates, add);
			break;
		case KGE_L2:
			l2_gradients(engine, queries, candidates, s, g, s_stride, d_queries, d_candidates, add);
			break;
		case KGE_L1:
		case KGE_MODULI:
			distance_gradients(engine, queries, candidates, g, s_stride,
							   d_queries, d_candidates, add);
			break;
	}
}

/* dq += u (c - q), dc += u (q - c) */
KERNEL void
l2_gradient_1(int n, const float *restrict q, float u, float *restrict dq,
			  const float *restrict c, float *restrict dc)
{
	for (int j = 0; j < n; j++)
	{
		float		step = u * (q[j] - c[j]);

		dq[j] -= step;
		dc[j] += step;
	}
}

void
kge_engine_gradient(const KgeEngine *engine, const float *query, const float *candidate,
					float score, float g, float *d_query, float *d_candidate)
{
	float		distance = engine->gamma - score;

	switch (engine->similarity)
	{
		case KGE_DOT:
			dense_add_scaled(engine->width, g, candidate, d_query);
			dense_add_scaled(engine->width, g, query, d_candidate);
			break;
		case KGE_L1:
			l1_gradient_1(engine->width, query, g, d_query, candidate, d_candidate);
			break;
		case KGE_L2:
			l2_gradient_1(engine->width, query, distance == 0 ? 0 : g / distance,
						  d_query, candidate, d_candidate);
			break;
		case KGE_MODULI:
			moduli_gradient_1(engine->half, query, g, d_query, candidate, d_candidate);
			break;
	}
}
