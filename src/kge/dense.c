/*
 * dense.c
 *		GEMM for the shapes of this library, and its like for distances.
 *
 * Here one factor always has its rows along the vectors (queries or candidates
 * of the gradients, transposed queries of the scores), and the other is read a
 * number at a time, so neither needs the packing that a general BLAS does
 * first.  With blocks of 64 to 1024 rows that packing costs as much as a third
 * of the product: this file is faster there than OpenBLAS 0.3.21 is, on one
 * thread of an AVX-512 machine (120 to 140 against 75 to 115 GFlop/s).
 *
 * It also spares the library a BLAS.  Debian's libopenblas0-serial is built
 * without USE_LOCKING: two threads in cblas_sgemm at once may be given the same
 * work buffer, and return wrong numbers (one call in some thousands).
 *
 * The same tiles serve sums of |a - b| and of (a - b)^2.
 *
 * A tile of rows x (two vectors of columns) of the result stays in registers
 * while k runs.  What is left over at the edges is copied into a small tile
 * padded with zeros.  The order of every sum depends on the shapes alone.
 *
 * TILE_KERNEL is written once with the compiler's vector types and
 * instantiated for each term and each level of vectors, of which kge_choose_kernels
 * chooses one.
 */
#include <string.h>

#include "dense.h"
#include "kge.h"
#include "vector.h"

#define MAX_ROWS	8			/* of a tile */
#define MAX_COLUMNS 32
#define MAX_DEPTH	256			/* k is cut into pieces of so many */

/* out[i][j] (+)= sum over p of term(a[i][p], b[p][j]), for a whole tile */
typedef void (*TileKernel) (int k, const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
							const float *b, ptrdiff_t b_row,
							float *out, ptrdiff_t out_row, int add);

typedef struct Dense
{
	TileKernel	kernel[3];		/* by KgeTerm */
	TileKernel	narrow[3];		/* for half of the columns */
	int			rows;			/* of a tile */
	int			columns;
} Dense;

/* The terms, of a number a and a vector b; b is overwritten. */
#define ADD_PRODUCT(sum, bits, a, b) \
	(sum) += (a) * (b)
#define ADD_ABSOLUTE(sum, bits, a, b) \
	do \
	{ \
		(b) -= (a); \
		(b) = (__typeof__(b)) ((bits) (b) & 0x7fffffff); \
		(sum) += (b); \
	} while (0)
#define ADD_SQUARE(sum, bits, a, b) \
	do \
	{ \
		(b) -= (a); \
		(sum) += (b) * (b); \
	} while (0)

#define TILE_KERNEL(name, attributes, lanes, rows, vectors, ADD_TERM) \
attributes static void \
name(int k, const float *restrict a, ptrdiff_t a_row, ptrdiff_t a_step, \
	 const float *restrict b, ptrdiff_t b_row, \
	 float *restrict out, ptrdiff_t out_row, int add) \
{ \
	typedef float vector __attribute__((vector_size(lanes * 4), aligned(4), may_alias)); \
	typedef int bits __attribute__((vector_size(lanes * 4), aligned(4), may_alias, unused)); \
	vector		sum[rows][vectors]; \
\
	for (int i = 0; i < rows; i++) \
		for (int v = 0; v < vectors; v++) \
			sum[i][v] = (vector) {0}; \
	for (int p = 0; p < k; p++) \
	{ \
		for (int i = 0; i < rows; i++) \
			for (int v = 0; v < vectors; v++) \
			{ \
				vector		b_v = *(const vector *) (b + v * lanes); \
\
				ADD_TERM(sum[i][v], bits, a[i * a_row], b_v); \
			} \
		a += a_step; \
		b += b_row; \
	} \
	for (int i = 0; i < rows; i++) \
		for (int v = 0; v < vectors; v++) \
		{ \
			vector	   *target = (vector *) (out + i * out_row + v * lanes); \
\
			if (add) \
				sum[i][v] += *target; \
			*target = sum[i][v]; \
		} \
}

#define TILE_KERNELS(level, attributes, lanes, rows) \
TILE_KERNEL(product_##level, attributes, lanes, rows, 2, ADD_PRODUCT) \
TILE_KERNEL(absolute_##level, attributes, lanes, rows, 2, ADD_ABSOLUTE) \
TILE_KERNEL(square_##level, attributes, lanes, rows, 2, ADD_SQUARE) \
TILE_KERNEL(narrow_product_##level, attributes, lanes, rows, 1, ADD_PRODUCT) \
TILE_KERNEL(narrow_absolute_##level, attributes, lanes, rows, 1, ADD_ABSOLUTE) \
TILE_KERNEL(narrow_square_##level, attributes, lanes, rows, 1, ADD_SQUARE)

#define KERNELS(level) \
	{product_##level, absolute_##level, square_##level}, \
	{narrow_product_##level, narrow_absolute_##level, narrow_square_##level}

TILE_KERNELS(4, , 4, 4)

#if defined(__x86_64__)
TILE_KERNELS(8, __attribute__((target("avx2,fma"))), 8, 4)
TILE_KERNELS(16, __attribute__((target("avx512f,avx512vl,avx512dq,fma"))), 16, 8)
#endif

static Dense dense = {KERNELS(4), 4, 8};

void
kge_choose_kernels(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq"))
		dense = (Dense) {KERNELS(16), 8, 32};
	else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		dense = (Dense) {KERNELS(8), 4, 16};
#endif
}

/* A tile of m x n, smaller than a whole one, through padded copies. */
static void
edge_tile(TileKernel kernel, int m, int n, int k,
		  const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
		  const float *b, ptrdiff_t b_row, float *out, ptrdiff_t out_row, int add)
{
	float		a_copy[MAX_DEPTH * MAX_ROWS];
	float		b_copy[MAX_DEPTH * MAX_COLUMNS];
	float		tile[MAX_ROWS * MAX_COLUMNS];
	int			rows = dense.rows;
	int			columns = dense.columns;

	if (m < rows)
	{
		for (int p = 0; p < k; p++)
			for (int i = 0; i < rows; i++)
				a_copy[p * rows + i] = i < m ? a[i * a_row + p * a_step] : 0;
		a = a_copy;
		a_row = 1;
		a_step = rows;
	}
	if (n < columns)
	{
		memset(b_copy, 0, sizeof(float) * (size_t) (k * columns));
		for (int p = 0; p < k; p++)
			memcpy(b_copy + p * columns, b + p * b_row, sizeof(float) * (size_t) n);
		b = b_copy;
		b_row = columns;
	}
	kernel(k, a, a_row, a_step, b, b_row, tile, columns, 0);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			out[i * out_row + j] = tile[i * columns + j] + (add ? out[i * out_row + j] : 0);
}

void
kge_dense_combine(KgeTerm term, int m, int n, int k,
				  const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
				  const float *b, ptrdiff_t b_row,
				  float *out, ptrdiff_t out_row, bool add)
{
	for (int p = 0; p < k; p += MAX_DEPTH)
	{
		int			depth = k - p < MAX_DEPTH ? k - p : MAX_DEPTH;
		bool		more = add || p > 0;

		for (int j = 0; j < n; j += dense.columns)
			for (int i = 0; i < m; i += dense.rows)
			{
				int			rows = m - i < dense.rows ? m - i : dense.rows;
				int			columns = n - j < dense.columns ? n - j : dense.columns;
				const float *a_part = a + i * a_row + p * a_step;
				const float *b_part = b + p * b_row + j;
				float	   *out_part = out + i * out_row + j;

				if (rows == dense.rows && columns == dense.columns)
					dense.kernel[term] (depth, a_part, a_row, a_step, b_part, b_row,
										out_part, out_row, more);
				else if (rows == dense.rows && 2 * columns == dense.columns)
					dense.narrow[term] (depth, a_part, a_row, a_step, b_part, b_row,
										out_part, out_row, more);
				else
					edge_tile(dense.kernel[term], rows, columns, depth, a_part, a_row, a_step,
							  b_part, b_row, out_part, out_row, more);
			}
	}
}
