/*
 * exponential.h
 *		The exponential and the logarithm in single precision, as polynomials to about 1e-7, so that a loop over them becomes
 *		vectors.
 *
 * A file that uses it is compiled without -fassociative-math, which would undo the rounding by EXPONENTIAL_ROUNDER.
 */
#ifndef HKG_CORE_EXPONENTIAL_H
#define HKG_CORE_EXPONENTIAL_H

#include <stdint.h>

#define EXPONENTIAL_ROUNDER 12582912.0f /* 1.5 * 2^23: adding it rounds to an integer */

/* e^x for -87 <= x <= 0. */
static inline __attribute__((always_inline)) float
exponential(float x)
{
	union
	{
		float		number;
		uint32_t	bits;
	}			whole = {x * 1.44269504088896341f + EXPONENTIAL_ROUNDER},
				power;
	float		n = whole.number - EXPONENTIAL_ROUNDER;
	float		r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
	float		p = 1.9875691500e-4f;

	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	power.bits = (whole.bits + 127) << 23;
	return (p * r * r + r + 1) * power.number;
}

/* 1 / (1 + e^-x) */
static inline __attribute__((always_inline)) float
sigmoid(float x)
{
	float		size = x < 0 ? -x : x;
	float		e = exponential(size < 87 ? -size : -87);

	return (x < 0 ? e : 1) / (1 + e);
}

/* The natural logarithm of a positive normal number: cephes' polynomial around 1, to about 1e-7 */
static inline __attribute__((always_inline)) float
logarithm(float x)
{
	union
	{
		float		number;
		uint32_t	bits;
	}			mantissa = {x};
	/* x = m 2^n, with sqrt(1/2) <= m < sqrt(2) */
	int32_t		n = (int32_t) (mantissa.bits - 0x3f3504f3) >> 23;
	float		r;
	float		p = 7.0376836292e-2f;

	mantissa.bits -= (uint32_t) n << 23;
	r = mantissa.number - 1;
	p = p * r - 1.1514610310e-1f;
	p = p * r + 1.1676998740e-1f;
	p = p * r - 1.2420140846e-1f;
	p = p * r + 1.4249322787e-1f;
	p = p * r - 1.6668057665e-1f;
	p = p * r + 2.0000714765e-1f;
	p = p * r - 2.4999993993e-1f;
	p = p * r + 3.3333331174e-1f;
	return (float) n * 0.693359375f + ((p * r - 0.5f) * r * r + r - (float) n * 2.12194440e-4f);
}

#endif							/* HKG_CORE_EXPONENTIAL_H */
