/*
 * test_dense.c
 *		Matrix products, and sums of distances, against the definition.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "core/dense.h"

static float
term_of(DenseTerm term, float a, float b)
{
	return term == DENSE_PRODUCT ? a * b : term == DENSE_ABSOLUTE ? fabsf(a - b) : (a - b) * (a - b);
}

/*
 * Factors are integers in -3 .. 3, so every sum of up to 600 terms is below
 * 2^24 and exact in single precision, whatever the order: equality is asked for.
 */
static void
test_product(DenseTerm term, int m, int n, int k, bool transposed, bool add)
{
	int			a_row = transposed ? 1 : k + 3;
	int			a_step = transposed ? m + 1 : 1;
	int			b_row = n + 2;
	int			out_row = n + 5;
	float	   *a = take(sizeof(float) * (size_t) ((m + 3) * (k + 3)));
	float	   *b = take(sizeof(float) * (size_t) (k * b_row));
	float	   *out = take(sizeof(float) * (size_t) (m * out_row));
	int			wrong = 0;

	for (int i = 0; i < (m + 3) * (k + 3); i++)
		a[i] = (float) (next_below(7) - 3);
	for (int i = 0; i < k * b_row; i++)
		b[i] = (float) (next_below(7) - 3);
	for (int i = 0; i < m * out_row; i++)
		out[i] = 7;
	dense_combine(term, m, n, k, a, a_row, a_step, b, b_row, out, out_row, add);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < out_row; j++)
		{
			float		sum = add ? 7 : 0;

			for (int p = 0; p < k && j < n; p++)
				sum += term_of(term, a[i * a_row + p * a_step], b[p * b_row + j]);
			wrong += out[i * out_row + j] != (j < n ? sum : 7);
		}
	CHECK_SAYING(wrong == 0, "term %d, %d x %d x %d: %d wrong", term, m, n, k, wrong);
}

static void
test_nan(void)
{
	float		a[2] = {0, NAN};
	float		b[2] = {1, 1};
	float		out[2];

	/* two products of 1 x 1 x 1, as rows of a: only the second is NaN */
	dense_combine(DENSE_PRODUCT, 2, 1, 1, a, 1, 1, b, 1, out, 1, 0);
	CHECK(out[0] == 0 && isnan(out[1]));
}

void
test_dense(void)
{
	static const int sizes[] = {1, 3, 8, 31, 32, 33, 64, 100};

	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			for (int p = 0; p < 4; p++)
			{
				static const int depths[] = {1, 50, 256, 600};

				for (int term = 0; term < 3; term++)
					test_product((DenseTerm) term, sizes[i], sizes[j], depths[p],
								 (i + j) % 2, (i + p) % 2);
			}
	test_nan();
}
