/*
 * sketch_codes.h
 *		The bytes of sketches, and the vectors that compute with them.
 */
#ifndef HKG_KGE_SKETCH_CODES_H
#define HKG_KGE_SKETCH_CODES_H

#include <stdbool.h>

#define LARGEST_CODE 127
#define ROUNDED_UP 1.0001		/* more than is lost where a length is computed and kept */
#define ROUNDED_DOWN 0.999999	/* less than is left where a unit, or a product, is computed */

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_VECTORS
#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#endif

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
