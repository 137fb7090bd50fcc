/*
 * rough_moduli.h
 *		Sums of moduli of complex differences, and their gradients, from estimated roots.
 */
#ifndef HKG_KGE_ROUGH_MODULI_H
#define HKG_KGE_ROUGH_MODULI_H

#include "engine.h"

/* Whether this processor has the kernels. */
extern bool kge_has_rough_moduli(void);

/*
 * s[c * s_stride + q] = sum of the moduli of q - c over `half` complex numbers, of which each is off by at most 6.2e-5
 * of itself and 1e-12.
 */
extern void kge_rough_moduli(int half, KgeRows queries, KgeRows candidates, float *s, int s_stride);

/* Adds to both gradients what derivatives g of minus those sums amount to, each number to 6.2e-5 of itself. */
extern void kge_rough_moduli_gradients(int half, KgeRows queries, KgeRows candidates, const float *g, int g_stride,
									   float *d_queries, float *d_candidates);

#endif							/* HKG_KGE_ROUGH_MODULI_H */
