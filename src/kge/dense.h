/*
 * dense.h
 *		The product of two dense matrices, behind one seam.
 */
#ifndef KGE_DENSE_H
#define KGE_DENSE_H

#include <stddef.h>

/*
 * out[i][j] = sum over p of a[i][p] b[p][j], for i < m, j < n, p < k, or, with
 * `add`, out[i][j] += that.  Element a[i][p] is a[i * a_row + p * a_step], so a
 * may be given as it is or transposed; b and out are row by row.  May be called
 * from any number of threads.
 */
extern void kge_dense_multiply(int m, int n, int k,
							   const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
							   const float *b, ptrdiff_t b_row,
							   float *out, ptrdiff_t out_row, int add);

#endif							/* KGE_DENSE_H */
