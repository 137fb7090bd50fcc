/*
 * dense.c
 *		GEMM for the shapes of this library.
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
 * A tile of rows x (two vectors of columns) of the result stays in registers
 * while k runs.  What is left over at the edges is copied into a small tile
 * padded with zeros.  The order of every sum depends on the shapes alone.
 *
 * TILE_KERNEL is written once with the compiler's vector types and
 * instantiated for each level of vectors; kge_dense_open chooses one.
 */
#include <string.h>

#include "dense.h"
#include "kge.h"
#include "vector.h"

#define MAX_ROWS	8			/* of a tile */
#define MAX_COLUMNS 32
#define MAX_DEPTH	256			/* k is cut into pieces of so many */

/* out[i][j] (+)= sum a[i][p] b[p][j] for a whole tile */
typedef void (*TileKernel) (int k, const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
							const float *b, ptrdiff_t b_row,
							float *out, ptrdiff_t out_row, int add);

typedef struct Dense
{
	TileKernel	kernel;
	int			rows;			/* of a tile */
	int			columns;
} Dense;

#define TILE_KERNEL(name, attributes, lanes, rows) \
typedef float name##_vector __attribute__((vector_size(lanes * 4), aligned(4), may_alias)); \
attributes static void \
name(int k, const float *restrict a, ptrdiff_t a_row, ptrdiff_t a_step, \
	 const float *restrict b, ptrdiff_t b_row, \
	 float *restrict out, ptrdiff_t out_row, int add) \
{ \
	name##_vector sum[rows][2]; \
\
	for (int i = 0; i < rows; i++) \
		sum[i][0] = sum[i][1] = (name##_vector) {0}; \
	for (int p = 0; p < k; p++) \
	{ \
		name##_vector b0 = *(const name##_vector *) b; \
		name##_vector b1 = *(const name##_vector *) (b + lanes); \
\
		for (int i = 0; i < rows; i++) \
		{ \
			sum[i][0] += a[i * a_row] * b0; \
			sum[i][1] += a[i * a_row] * b1; \
		} \
		a += a_step; \
		b += b_row; \
	} \
	for (int i = 0; i < rows; i++) \
	{ \
		name##_vector *target = (name##_vector *) (out + i * out_row); \
\
		if (add) \
		{ \
			sum[i][0] += target[0]; \
			sum[i][1] += target[1]; \
		} \
		target[0] = sum[i][0]; \
		target[1] = sum[i][1]; \
	} \
}

TILE_KERNEL(tile_4, , 4, 4)

#if defined(__x86_64__)
TILE_KERNEL(tile_8, __attribute__((target("avx2,fma"))), 8, 4)
TILE_KERNEL(tile_16, __attribute__((target("avx512f,avx512vl,fma"))), 16, 8)
#endif

static Dense dense = {tile_4, 4, 8};

bool
kge_dense_open(const char **reason)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
		dense = (Dense) {tile_16, 8, 32};
	else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		dense = (Dense) {tile_8, 4, 16};
#endif
	*reason = NULL;
	return true;
}

/* A tile of m x n, smaller than a whole one, through padded copies. */
static void
edge_tile(int m, int n, int k, const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
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
	dense.kernel(k, a, a_row, a_step, b, b_row, tile, columns, 0);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			out[i * out_row + j] = tile[i * columns + j] + (add ? out[i * out_row + j] : 0);
}

void
kge_dense_multiply(int m, int n, int k,
				   const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
				   const float *b, ptrdiff_t b_row,
				   float *out, ptrdiff_t out_row, int add)
{
	int			rows = dense.rows;
	int			columns = dense.columns;

	for (int p = 0; p < k; p += MAX_DEPTH)
	{
		int			depth = k - p < MAX_DEPTH ? k - p : MAX_DEPTH;
		const float *a_part = a + p * a_step;
		const float *b_part = b + p * b_row;

		for (int j = 0; j < n; j += columns)
			for (int i = 0; i < m; i += rows)
				if (m - i >= rows && n - j >= columns)
					dense.kernel(depth, a_part + i * a_row, a_row, a_step,
								 b_part + j, b_row, out + i * out_row + j, out_row,
								 add || p > 0);
				else
					edge_tile(m - i < rows ? m - i : rows, n - j < columns ? n - j : columns,
							  depth, a_part + i * a_row, a_row, a_step,
							  b_part + j, b_row, out + i * out_row + j, out_row,
							  add || p > 0);
	}
}
