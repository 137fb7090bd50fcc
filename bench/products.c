/*
 * products.c
 *		The matrix products of training, by the library's own kernel and by BLAS libraries, on one core.
 *
 *	products LIBRARY...
 *
 * A LIBRARY is one that holds sgemm_, such as libblas.so.3; one that is not there is left out.  The
 * products are those of a block of 64 queries and a tile of 512 candidates: the scores, and the gradients
 * of both sides.  The rounds of all libraries alternate, and the median of a round counts.  Prints a
 * table of GFlop a processor second for bench/products, and stops where a library's result differs.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/dense.h"
#include "kge/kge.h"

enum
{
	QUERIES = 64, CANDIDATES = 512, MAX_WIDTH = 800, ROUNDS = 15, LIBRARIES = 8
};

typedef void (*Sgemm) (const char *, const char *, const int *, const int *, const int *, const float *,
					   const float *, const int *, const float *, const int *, const float *, float *, const int *);

/* out (m x n) = a (m x k, given transposed if so) b (k x n), all row by row */
typedef struct Product
{
	const char *name;
	int			m,
				n,
				k;
	bool		transposed;
} Product;

static float a[CANDIDATES * MAX_WIDTH];
static float b[CANDIDATES * MAX_WIDTH];
static float out[CANDIDATES * MAX_WIDTH];
static float expected[CANDIDATES * MAX_WIDTH];

static double
processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* sgemm is NULL: by the library's own kernel. */
static void
multiply(const Product *product, Sgemm sgemm, float *result)
{
	int			a_stride = product->transposed ? product->m : product->k;
	float		one = 1,
				zero = 0;

	if (sgemm == NULL)
		dense_combine(DENSE_PRODUCT, product->m, product->n, product->k, a,
						  product->transposed ? 1 : product->k, product->transposed ? product->m : 1,
						  b, product->n, result, product->n, false);
	else						/* column by column: the transposed product of the transposed factors */
		sgemm("N", product->transposed ? "T" : "N", &product->n, &product->m, &product->k, &one,
			  b, &product->n, a, &a_stride, &zero, result, &product->n);
}

/* GFlop a processor second of one round, of some 20 ms. */
static double
rate(const Product *product, Sgemm sgemm)
{
	double		flops = 2.0 * product->m * product->n * product->k;
	int			times = (int) (1e9 / flops) + 1;
	double		start = processor_seconds();

	for (int i = 0; i < times; i++)
		multiply(product, sgemm, out);
	return 1e-9 * flops * times / (processor_seconds() - start);
}

static int
compare(const void *x, const void *y)
{
	double		left = *(const double *) x,
				right = *(const double *) y;

	return (left > right) - (left < right);
}

static void
check(const Product *product, const char *library)
{
	for (int i = 0; i < product->m * product->n; i++)
		if (!(fabsf(out[i] - expected[i]) <= 1e-4f * (float) product->k))
		{
			fprintf(stderr, "%s: a wrong product\n", library);
			exit(1);
		}
}

static void
measure(const Product *product, int width, int libraries, const Sgemm *sgemm, char *const *name)
{
	static double rates[LIBRARIES][ROUNDS];

	multiply(product, NULL, expected);
	for (int i = 0; i < libraries; i++)
	{
		multiply(product, sgemm[i], out);
		check(product, name[i]);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < libraries; i++)
			rates[i][round] = rate(product, sgemm[i]);
	for (int i = 0; i < libraries; i++)
	{
		qsort(rates[i], ROUNDS, sizeof(double), compare);
		printf("%s|%d|%s|%.0f\n", product->name, width, name[i], rates[i][ROUNDS / 2]);
	}
}

int
main(int count, char **argument)
{
	static const int widths[] = {200, 400, 800};
	Sgemm		sgemm[LIBRARIES] = {NULL};
	char	   *name[LIBRARIES] = {"hybridkg"};
	int			libraries = 1;

	for (int i = 1; i < count && libraries < LIBRARIES; i++)
	{
		void	   *library = dlopen(argument[i], RTLD_NOW | RTLD_LOCAL);

		if (library != NULL && (sgemm[libraries] = (Sgemm) dlsym(library, "sgemm_")) != NULL)
			name[libraries++] = argument[i];
	}
	dense_choose_kernels();
	for (int i = 0; i < CANDIDATES * MAX_WIDTH; i++)
	{
		a[i] = (float) (i * 7 % 1000) / 1000;
		b[i] = (float) (i * 11 % 1000) / 1000;
	}

	for (int i = 0; i < 3; i++)
	{
		Product		scores = {"scores", CANDIDATES, QUERIES, widths[i], false};
		Product		queries = {"gradients of queries", QUERIES, widths[i], CANDIDATES, true};
		Product		candidates = {"gradients of candidates", CANDIDATES, widths[i], QUERIES, false};

		measure(&scores, widths[i], libraries, sgemm, name);
		measure(&queries, widths[i], libraries, sgemm, name);
		measure(&candidates, widths[i], libraries, sgemm, name);
	}
	return 0;
}
