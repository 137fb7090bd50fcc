/*
 * dense.h
 *		The product of two dense matrices and its like, and the sum of two rows, behind one seam.
 */
#ifndef HKG_CORE_DENSE_H
#define HKG_CORE_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* What is added up for a pair of numbers. */
typedef enum DenseTerm
{
	DENSE_PRODUCT,				/* a b: the matrix product */
	DENSE_ABSOLUTE,				/* |a - b| */
	DENSE_SQUARE					/* (a - b)^2 */
} DenseTerm;

/*
 * out[i][j] = sum over p of term(a[i][p], b[p][j]), for i < m, j < n, p < k, with k > 0, or,
 * with `add`, out[i][j] += that.  Element a[i][p] is a[i * a_row + p * a_step], so
 * a may be given as it is or transposed; b and out are row by row.  May be called
 * from any number of threads.
 */
extern void dense_combine(DenseTerm term, int m, int n, int k,
						  const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
						  const float *b, ptrdiff_t b_row,
						  float *out, ptrdiff_t out_row, bool add);

/* y += x, and y += a x */
extern void dense_add(int n, const float *restrict x, float *restrict y);
extern void dense_add_scaled(int n, float a, const float *restrict x, float *restrict y);

/*
 * Chooses the kernels for this processor; to be called once, before anything above is.  (Without it, those that any
 * processor can run are used.)
 */
extern void dense_choose_kernels(void);

#endif							/* HKG_CORE_DENSE_H */
