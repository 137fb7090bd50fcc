/*
 * loss.c
 *		Losses over a block of scores.
 *
 * Logistic: with x = -phi for a positive and phi for a negative, the loss is
 * log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), its derivative by x sigma(x).  The
 * logarithm is a polynomial, as the exponential is (core/exponential.h).  Below -87
 * the derivative is 0, which e^x nearly is; that is how a score is taken out, under the
 * margin loss too.  NaN stays NaN.
 *
 * Softmax over a column that comes in pieces: each has its own maximum and its sum
 * relative to that; the caller puts them together.
 *
 * The Makefile compiles this file with -O3 -fno-math-errno -fno-trapping-math, but without
 * -fassociative-math, which would undo the rounding of the exponential.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "loss.h"
#include "core/exponential.h"
#include "core/vector.h"

/* log(1 + e) for 0 <= e <= 1, from log((1 + z)/(1 - z)) = 2 (z + z^3/3 + ...) */
static inline float
logarithm_1p(float e)
{
	float		z = e / (2 + e);
	float		w = z * z;
	float		p = 2.0f / 11;

	p = p * w + 2.0f / 9;
	p = p * w + 2.0f / 7;
	p = p * w + 2.0f / 5;
	p = p * w + 2.0f / 3;
	return z * (p * w + 2);
}

KERNEL void
logistic_row(int n, float sign, const float *restrict s, const float *restrict weight,
			 float *restrict g, float *restrict loss)
{
	for (int i = 0; i < n; i++)
	{
		float		x = sign * s[i];
		float		size = fabsf(x);
		float		e = exponential(size < 87 ? -size : -87);
		float		sigma = (x < 0 ? e : 1) / (1 + e);
		float		value = (x > 0 ? x : 0) + logarithm_1p(e);

		sigma = x < -87 ? 0 : sigma;
		sigma = x == x ? sigma : x;
		value = x == x ? value : x;
		g[i] = sign * sigma * weight[i];
		loss[i] += value * weight[i];
	}
}

void
kge_logistic_loss(int rows, int n, int label, const float *s, int stride,
				  const float *weight, int weight_stride, float *g, float *loss)
{
	for (int row = 0; row < rows; row++)
		logistic_row(n, label ? -1 : 1, s + (size_t) row * (size_t) stride,
					 weight + (size_t) row * (size_t) weight_stride,
					 g + (size_t) row * (size_t) stride, loss);
}

/* NaN is not <= 0, so it stays. */
KERNEL void
margin_row(int n, float margin, const float *restrict own, const float *restrict s,
		   const float *restrict weight, float *restrict g, float *restrict own_g,
		   float *restrict loss)
{
	for (int i = 0; i < n; i++)
	{
		float		x = margin + s[i] - own[i];
		float		slope = x <= 0 ? 0 : weight[i];

		g[i] = slope;
		own_g[i] -= slope;
		loss[i] += x <= 0 ? 0 : x * slope;
	}
}

void
kge_margin_loss(int rows, int n, float margin, const float *own, const float *s, int stride,
				const float *weight, int weight_stride, float *g, float *own_g, float *loss)
{
	for (int row = 0; row < rows; row++)
		margin_row(n, margin, own, s + (size_t) row * (size_t) stride,
				   weight + (size_t) row * (size_t) weight_stride,
				   g + (size_t) row * (size_t) stride, own_g, loss);
}

KERNEL void
maximum_row(int n, const float *restrict s, float *restrict maximum)
{
	for (int i = 0; i < n; i++)
		maximum[i] = s[i] > maximum[i] ? s[i] : maximum[i];
}

/* e^(s - origin), 0 if that is less than e^-87. */
static inline float
relative_exponential(float s, float origin)
{
	float		x = s - origin;
	float		e = exponential(x < -87 ? -87 : x);

	return x < -87 ? 0 : e;
}

KERNEL void
softmax_sum_row(int n, const float *restrict s, const float *restrict maximum,
				float *restrict sum)
{
	for (int i = 0; i < n; i++)
		sum[i] += relative_exponential(s[i], maximum[i]);
}

/* s becomes its exponential */
KERNEL void
softmax_part_row(int n, float *restrict s, const float *restrict maximum, float *restrict sum)
{
	for (int i = 0; i < n; i++)
	{
		s[i] = relative_exponential(s[i], maximum[i]);
		sum[i] += s[i];
	}
}

KERNEL void
scale_part_row(int n, const float *restrict part, const float *restrict factor, float *restrict g)
{
	for (int i = 0; i < n; i++)
		g[i] = factor[i] * part[i];
}

KERNEL void
softmax_row(int n, float *restrict g, const float *restrict log_sum, const float *restrict weight)
{
	for (int i = 0; i < n; i++)
		g[i] = weight[i] * relative_exponential(g[i], log_sum[i]);
}

static void
open_sums(int rows, int n, const float *s, int stride, float *maximum, float *sum)
{
	memcpy(maximum, s, (size_t) n * sizeof(float));
	memset(sum, 0, (size_t) n * sizeof(float));
	for (int row = 1; row < rows; row++)
		maximum_row(n, s + (size_t) row * (size_t) stride, maximum);
}

void
kge_softmax_sums(int rows, int n, const float *s, int stride, float *maximum, float *sum)
{
	open_sums(rows, n, s, stride, maximum, sum);
	for (int row = 0; row < rows; row++)
		softmax_sum_row(n, s + (size_t) row * (size_t) stride, maximum, sum);
}

void
kge_softmax_parts(int rows, int n, float *s, int stride, float *maximum, float *sum)
{
	open_sums(rows, n, s, stride, maximum, sum);
	for (int row = 0; row < rows; row++)
		softmax_part_row(n, s + (size_t) row * (size_t) stride, maximum, sum);
}

void
kge_scale_parts(int rows, int n, const float *parts, int stride, const float *factor, float *g)
{
	for (int row = 0; row < rows; row++)
		scale_part_row(n, parts + (size_t) row * (size_t) stride, factor, g + (size_t) row * (size_t) stride);
}

void
kge_softmax(int rows, int n, const float *s, int stride, const float *log_sum,
			const float *weight, float *g)
{
	for (size_t row = 0; row < (size_t) rows; row++)
	{
		if (g != s)
			memcpy(g + row * (size_t) stride, s + row * (size_t) stride, (size_t) n * sizeof(float));
		softmax_row(n, g + row * (size_t) stride, log_sum, weight);
	}
}
