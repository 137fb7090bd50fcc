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
 * instantiated for each term and each level of vectors, of which dense_choose_kernels
 * chooses one.
 */
#include "dense.h"
#include "vector.h"

#define MAX_ROWS	8			/* of a tile */
#define MAX_COLUMNS 32
#define MAX_DEPTH	256			/* k is cut into pieces of this size */

/* out[i][j] (+)= sum over p of term(a[i][p], b[p][j]), for a whole tile */
typedef void (*TileKernel) (int k, const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
							const float *b, ptrdiff_t b_row,
							float *out, ptrdiff_t out_row, int add);

typedef struct Dense
{
	TileKernel	kernel[3];		/* by DenseTerm */
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

/* Of a loop over a tile's rows: so its sums are registers from first to last, where GCC 12 would copy them to memory. */
#define UNROLL _Pragma("GCC unroll 8")

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
	UNROLL \
	for (int i = 0; i < rows; i++) \
		for (int v = 0; v < vectors; v++) \
			sum[i][v] = (vector) {0}; \
	for (int p = 0; p < k; p++) \
	{ \
		UNROLL \
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
	UNROLL \
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
dense_choose_kernels(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq"))
		dense = (Dense) {KERNELS(16), 8, 32};
	else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		dense = (Dense) {KERNELS(8), 4, 16};
#endif
}

/* Copies k rows of n numbers, padded with zeros to a given number of columns. */
static void
pad_columns(int k, int n, int columns, const float *b, ptrdiff_t b_row, float *copy)
{
	for (int p = 0; p < k; p++)
		for (int j = 0; j < columns; j++)
			copy[p * columns + j] = j < n ? b[p * b_row + j] : 0;
}

/* A tile of which only m x n is wanted, through padded copies. */
static void
edge_tile(TileKernel kernel, int columns, int m, int n, int k,
		  const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
		  const float *b, ptrdiff_t b_row, float *out, ptrdiff_t out_row, int add)
{
	float		copy[MAX_DEPTH * MAX_ROWS];
	float		tile[MAX_ROWS * MAX_COLUMNS];
	int			rows = dense.rows;

	if (m < rows)
	{
		for (int p = 0; p < k; p++)
			for (int i = 0; i < rows; i++)
				copy[p * rows + i] = i < m ? a[i * a_row + p * a_step] : 0;
		a = copy;
		a_row = 1;
		a_step = rows;
	}
	kernel(k, a, a_row, a_step, b, b_row, tile, columns, 0);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			out[i * out_row + j] = tile[i * columns + j] + (add ? out[i * out_row + j] : 0);
}

/* At most a tile's columns of the result. */
static void
combine_columns(DenseTerm term, int m, int n, int k,
				const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
				const float *b, ptrdiff_t b_row, float *out, ptrdiff_t out_row, bool add)
{
	bool		narrow = 2 * n <= dense.columns;
	int			columns = narrow ? dense.columns / 2 : dense.columns;
	TileKernel	kernel = narrow ? dense.narrow[term] : dense.kernel[term];
	float		copy[MAX_DEPTH * MAX_COLUMNS];

	if (n < columns)
	{
		pad_columns(k, n, columns, b, b_row, copy);
		b = copy;
		b_row = columns;
	}
	for (int i = 0; i < m; i += dense.rows)
	{
		int			rows = m - i < dense.rows ? m - i : dense.rows;

		if (rows == dense.rows && n == columns)
			kernel(k, a + i * a_row, a_row, a_step, b, b_row, out + i * out_row, out_row, add);
		else
			edge_tile(kernel, columns, rows, n, k, a + i * a_row, a_row, a_step,
					  b, b_row, out + i * out_row, out_row, add);
	}
}

void
dense_combine(DenseTerm term, int m, int n, int k,
			  const float *a, ptrdiff_t a_row, ptrdiff_t a_step,
			  const float *b, ptrdiff_t b_row,
			  float *out, ptrdiff_t out_row, bool add)
{
	for (int p = 0; p < k; p += MAX_DEPTH)
		for (int j = 0; j < n; j += dense.columns)
			combine_columns(term, m, n - j < dense.columns ? n - j : dense.columns,
							k - p < MAX_DEPTH ? k - p : MAX_DEPTH, a + p * a_step, a_row, a_step,
							b + p * b_row + j, b_row, out + j, out_row, add || p > 0);
}

/* ---- rows ------------------------------------------------------------------------ */

KERNEL void
add_numbers(int n, const float *restrict x, float *restrict y)
{
	for (int j = 0; j < n; j++)
		y[j] += x[j];
}

KERNEL void
add_scaled_numbers(int n, float a, const float *restrict x, float *restrict y)
{
	for (int j = 0; j < n; j++)
		y[j] += a * x[j];
}

void
dense_add(int n, const float *restrict x, float *restrict y)
{
	add_numbers(n, x, y);
}

void
dense_add_scaled(int n, float a, const float *restrict x, float *restrict y)
{
	add_scaled_numbers(n, a, x, y);
}
