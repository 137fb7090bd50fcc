/*
 * lapack.h
 *		The routines of BLAS and LAPACK that are called here.
 *
 * These libraries have no header for C everywhere.  Fortran takes all arguments by address, matrices by columns, and
 * the lengths of its strings after the other arguments.
 */
#ifndef HKG_ALGEBRA_LAPACK_H
#define HKG_ALGEBRA_LAPACK_H

#include <stddef.h>

/* C = alpha * A * A' + beta * C, one triangle of it */
extern void ssyrk_(const char *triangle, const char *transpose, const int *n, const int *k,
				   const float *alpha, const float *a, const int *lda,
				   const float *beta, float *c, const int *ldc, size_t, size_t);

/* C = alpha * (A * B' + B * A') + beta * C, one triangle of it */
extern void ssyr2k_(const char *triangle, const char *transpose, const int *n, const int *k,
					const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
					const float *beta, float *c, const int *ldc, size_t, size_t);

/* C = alpha * A * B + beta * C */
extern void sgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
				   const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
				   const float *beta, float *c, const int *ldc, size_t, size_t);

/* The first columns of a symmetric matrix brought to tridiagonal form, and what updates the others */
extern void slatrd_(const char *triangle, const int *n, const int *columns, float *a, const int *lda,
					float *beside, float *tau, float *update, const int *ldupdate, size_t);

/* All columns of a small one */
extern void ssytd2_(const char *triangle, const int *n, float *a, const int *lda,
					float *diagonal, float *beside, float *tau, int *info, size_t);

/* Eigenvectors of a tridiagonal matrix */
extern void sstemr_(const char *vectors, const char *range, const int *n, float *diagonal, float *beside,
					const float *low, const float *high, const int *first, const int *last,
					int *found, float *value, float *vector, const int *ldvector, const int *room, int *support,
					int *relative, float *work, const int *work_size, int *int_work, const int *int_work_size,
					int *info, size_t, size_t);

/* Those of the matrix that was brought to that form */
extern void sormtr_(const char *side, const char *triangle, const char *transpose, const int *m, const int *n,
					const float *a, const int *lda, const float *tau, float *c, const int *ldc,
					float *work, const int *work_size, int *info, size_t, size_t, size_t);

#endif							/* HKG_ALGEBRA_LAPACK_H */
