/*
 * sketch_codes.h
 *		The bytes of sketches, and the vectors that compute with them.
 */
#ifndef HKG_KGE_SKETCH_CODES_H
#define HKG_KGE_SKETCH_CODES_H

#include <math.h>
#include <stdbool.h>

#define LARGEST_CODE 127
#define ROUNDED_UP 1.0001		/* more than is lost where a length is computed and kept */
#define ROUNDED_DOWN 0.999999	/* less than is left where a unit, or a product, is computed */

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_VECTORS
#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#endif

/* The largest absolute value of a finite row */
static inline float
kge_largest(int width, const float *row)
{
	float		most = 0;

	for (int j = 0; j < width; j++)
		most = fmaxf(most, fabsf(row[j]));
	return most;
}

/* The unit of a finite row's codes; 0: all are 0. */
static inline float
kge_code_unit(int width, const float *row)
{
	float		most = kge_largest(width, row);

	return isfinite(LARGEST_CODE / most) ? most / LARGEST_CODE : 0;
}

/* Whether this processor multiplies bytes by vectors. */
static inline bool
kge_has_codes(void)
{
#if defined(HAVE_VECTORS)
	return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
	return false;
#endif
}

#endif							/* HKG_KGE_SKETCH_CODES_H */
