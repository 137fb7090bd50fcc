/*
 * principal_components.c
 *		Principal components by BLAS and LAPACK.
 *
 * The rows, less their mean, are X.  The components are the eigenvectors of X'X that have the largest
 * eigenvalues.  X'X is added up in double precision from products of a few rows (ssyrk): a sum of millions of
 * rows in single precision would lose digits.  X is divided by its largest number, so that no square overflows.
 *
 * The eigenvectors are those of LAPACK's ssyevr.  That is one call, which cannot be interrupted, and takes seconds
 * where a row has 2,000 numbers.  So its parts are called one by one: the reduction to a tridiagonal matrix a few
 * columns at a time (slatrd, ssyr2k), as ssytrd does; sstemr; and sormtr, a few vectors at a time.
 *
 * Matrices are stored by columns, as in Fortran: `width` x some rows of X, each row a column.
 */
#include "principal_components.h"

#include <math.h>
#include <string.h>

#include "core/allocation.h"
#include "lapack.h"

/* multiplications and additions of a call: some hundredths of a second with the slowest BLAS */
#define OPERATIONS_AT_ONCE (16 * 1024 * 1024)

/* rows or columns of a call at most */
#define ROWS_AT_ONCE 256
#define COLUMNS_AT_ONCE 32

/* smaller matrices are reduced at once */
#define SMALL_MATRIX 32

typedef struct ComponentsWork
{
	Projection *projection;
	int			width;
	int			components;
	double		scale;			/* the largest absolute number of X; 0: all rows are alike */
	double	   *mean;
	double	   *sum;			/* X'X, the lower triangle */
	float	   *matrix;			/* the same, as it is reduced */
	float	   *some;			/* some rows of X */
	float	   *projected;		/* some rows of coordinates */
	float	   *update;			/* of the columns that are not reduced yet */
	float	   *diagonal;
	float	   *beside;
	float	   *tau;
	float	   *value;			/* eigenvalues, ascending */
	float	   *vector;			/* eigenvectors, as columns */
	float	   *work;
	int		   *int_work;
	int		   *support;
} ComponentsWork;

#define WORK_SIZE(width) (64 * (width) + 8192)
#define INT_WORK_SIZE(width) (10 * (width))

static const float one = 1;
static const float minus_one = -1;
static const float zero = 0;

static int
smaller(int64_t a, int64_t b)
{
	return (int) (a < b ? a : b);
}

/* How many rows or columns a call may take, each costing width * width operations. */
static int
at_once(int width, int limit)
{
	int64_t		count = OPERATIONS_AT_ONCE / ((int64_t) width * width);

	return count < 1 ? 1 : smaller(count, limit);
}

static void
take_work(ComponentsWork *work, Allocation *allocation)
{
	Projection *projection = work->projection;
	size_t		width = (size_t) work->width;
	size_t		components = (size_t) work->components;

	projection->coordinate = TAKE(allocation, double, (size_t) projection->rows * components);
	projection->explained = TAKE(allocation, double, components);
	work->mean = TAKE(allocation, double, width);
	work->sum = TAKE(allocation, double, width * width);
	work->matrix = TAKE(allocation, float, width * width);
	work->some = TAKE(allocation, float, width * ROWS_AT_ONCE);
	work->projected = TAKE(allocation, float, components * ROWS_AT_ONCE);
	work->update = TAKE(allocation, float, width * COLUMNS_AT_ONCE);
	work->diagonal = TAKE(allocation, float, width);
	work->beside = TAKE(allocation, float, width);
	work->tau = TAKE(allocation, float, width);
	work->value = TAKE(allocation, float, width);
	work->vector = TAKE(allocation, float, width * components);
	work->work = TAKE(allocation, float, WORK_SIZE(width));
	work->int_work = TAKE(allocation, int, INT_WORK_SIZE(width));
	work->support = TAKE(allocation, int, 2 * components);
}

/* ---- the rows, less their mean ----------------------------------------------- */

static void
find_mean(ComponentsWork *work)
{
	const Projection *projection = work->projection;

	memset(work->mean, 0, sizeof(double) * (size_t) work->width);
	for (int64_t i = 0; i < projection->rows; i++)
	{
		const float *row = projection->row + (size_t) i * (size_t) work->width;

		for (int j = 0; j < work->width; j++)
			work->mean[j] += row[j];
		if (i % ROWS_AT_ONCE == 0)
			projection->yield();
	}
	for (int j = 0; j < work->width; j++)
		work->mean[j] /= (double) projection->rows;
}

static void
find_scale(ComponentsWork *work)
{
	const Projection *projection = work->projection;

	work->scale = 0;
	for (int64_t i = 0; i < projection->rows; i++)
	{
		const float *row = projection->row + (size_t) i * (size_t) work->width;

		for (int j = 0; j < work->width; j++)
		{
			double		distance = fabs(row[j] - work->mean[j]);

			work->scale = distance > work->scale ? distance : work->scale;
		}
		if (i % ROWS_AT_ONCE == 0)
			projection->yield();
	}
}

/* `count` rows of X from the first on, into `some` */
static void
centre_rows(ComponentsWork *work, int64_t first, int count)
{
	const float *row = work->projection->row + (size_t) first * (size_t) work->width;

	for (int i = 0; i < count; i++)
		for (int j = 0; j < work->width; j++)
		{
			size_t		place = (size_t) i * (size_t) work->width + (size_t) j;

			work->some[place] = (float) ((row[place] - work->mean[j]) / work->scale);
		}
}

/* ---- X'X ------------------------------------------------------------------------ */

static void
add_product(ComponentsWork *work, int count)
{
	int			width = work->width;

	ssyrk_("L", "N", &width, &count, &one, work->some, &width, &zero, work->matrix, &width, 1, 1);
	for (int j = 0; j < width; j++)
		for (int i = j; i < width; i++)
			work->sum[(size_t) j * (size_t) width + (size_t) i] += work->matrix[(size_t) j * (size_t) width + (size_t) i];
}

/* X'X divided by its trace, which is returned, in single precision */
static double
find_products(ComponentsWork *work)
{
	size_t		size = (size_t) work->width * (size_t) work->width;
	int			count = at_once(work->width, ROWS_AT_ONCE);
	double		trace = 0;

	memset(work->sum, 0, sizeof(double) * size);
	for (int64_t first = 0; first < work->projection->rows; first += count)
	{
		int			some = smaller(count, work->projection->rows - first);

		centre_rows(work, first, some);
		add_product(work, some);
		work->projection->yield();
	}
	for (int j = 0; j < work->width; j++)
		trace += work->sum[(size_t) j * (size_t) (work->width + 1)];
	for (size_t i = 0; i < size; i++)
		work->matrix[i] = (float) (work->sum[i] / trace);
	return trace;
}

/* ---- eigenvectors ---------------------------------------------------------------- */

static float *
element(ComponentsWork *work, int i, int j)
{
	return work->matrix + (size_t) j * (size_t) work->width + (size_t) i;
}

/* Reduces some columns, and subtracts their part from those that follow. */
static void
reduce_columns(ComponentsWork *work, int first, int columns)
{
	int			width = work->width;
	int			here = width - first;
	int			left = here - columns;

	slatrd_("L", &here, &columns, element(work, first, first), &width,
			work->beside + first, work->tau + first, work->update, &width, 1);
	ssyr2k_("L", "N", &left, &columns, &minus_one, element(work, first + columns, first), &width,
			work->update + columns, &width, &one, element(work, first + columns, first + columns), &width, 1, 1);
	for (int j = first; j < first + columns; j++)
	{
		*element(work, j + 1, j) = work->beside[j];
		work->diagonal[j] = *element(work, j, j);
	}
}

static bool
reduce(ComponentsWork *work)
{
	int			first = 0;
	int			left;
	int			info;

	while (work->width - first > SMALL_MATRIX)
	{
		int			columns = smaller(at_once(work->width - first, COLUMNS_AT_ONCE), work->width - first - 1);

		reduce_columns(work, first, columns);
		first += columns;
		work->projection->yield();
	}
	left = work->width - first;
	ssytd2_("L", &left, element(work, first, first), &work->width,
			work->diagonal + first, work->beside + first, work->tau + first, &info, 1);
	return info == 0;
}

/* Eigenvectors of the tridiagonal matrix become those of the one that was reduced. */
static bool
turn_back(ComponentsWork *work)
{
	int			width = work->width;
	int			count = at_once(width, COLUMNS_AT_ONCE);
	int			work_size = WORK_SIZE(width);
	int			info = 0;

	for (int first = 0; first < work->components && info == 0; first += count)
	{
		int			some = smaller(count, work->components - first);

		sormtr_("L", "L", "N", &width, &some, work->matrix, &width, work->tau,
				work->vector + (size_t) first * (size_t) width, &width, work->work, &work_size, &info, 1, 1, 1);
		work->projection->yield();
	}
	return info == 0;
}

static bool
find_vectors(ComponentsWork *work)
{
	int			width = work->width;
	int			first = width - work->components + 1;
	int			work_size = WORK_SIZE(width);
	int			int_work_size = INT_WORK_SIZE(width);
	int			relative = 0;
	int			found;
	int			info;

	if (!reduce(work))
		return false;
	sstemr_("V", "I", &width, work->diagonal, work->beside, &zero, &zero, &first, &width,
			&found, work->value, work->vector, &width, &work->components, work->support,
			&relative, work->work, &work_size, work->int_work, &int_work_size, &info, 1, 1);
	return info == 0 && found == work->components && turn_back(work);
}

/* Largest eigenvalue first, the number of largest absolute value positive: in place. */
static void
order_vectors(ComponentsWork *work)
{
	size_t		width = (size_t) work->width;

	for (int low = 0, high = work->components - 1; low < high; low++, high--)
		for (size_t j = 0; j < width; j++)
		{
			float		moved = work->vector[(size_t) low * width + j];

			work->vector[(size_t) low * width + j] = work->vector[(size_t) high * width + j];
			work->vector[(size_t) high * width + j] = moved;
		}
	for (int c = 0; c < work->components; c++)
	{
		float	   *vector = work->vector + (size_t) c * width;
		float		largest = 0;

		for (size_t j = 0; j < width; j++)
			largest = fabsf(vector[j]) > fabsf(largest) ? vector[j] : largest;
		for (size_t j = 0; j < width && largest < 0; j++)
			vector[j] = -vector[j];
	}
}

/* ---- coordinates ------------------------------------------------------------------- */

static void
project(ComponentsWork *work, double trace)
{
	Projection *projection = work->projection;
	int			components = work->components;
	int			count = at_once(work->width, ROWS_AT_ONCE);

	memset(projection->explained, 0, sizeof(double) * (size_t) components);
	for (int64_t first = 0; first < projection->rows; first += count)
	{
		int			some = smaller(count, projection->rows - first);
		double	   *coordinate = projection->coordinate + (size_t) first * (size_t) components;

		centre_rows(work, first, some);
		sgemm_("T", "N", &components, &some, &work->width, &one, work->vector, &work->width,
			   work->some, &work->width, &zero, work->projected, &components, 1, 1);
		for (int i = 0; i < some * components; i++)
		{
			double		x = work->projected[i];

			coordinate[i] = work->scale * x;
			projection->explained[i % components] += x * x / trace;
		}
		projection->yield();
	}
	for (int c = 0; c < components; c++)
		projection->explained[c] = fmin(projection->explained[c], 1);
}

/* All rows are alike. */
static bool
project_to_zero(Projection *projection)
{
	memset(projection->coordinate, 0, sizeof(double) * (size_t) projection->rows * (size_t) projection->components);
	memset(projection->explained, 0, sizeof(double) * (size_t) projection->components);
	return true;
}

extern __attribute__((visibility("default"))) bool hkg_principal_components(Arena *arena, Projection *projection);

bool
hkg_principal_components(Arena *arena, Projection *projection)
{
	ComponentsWork work = {.projection = projection,.width = projection->width,.components = projection->components};
	Allocation	allocation = {0};
	double		trace;

	take_work(&work, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	take_work(&work, &allocation);
	find_mean(&work);
	find_scale(&work);
	if (work.scale == 0)
		return project_to_zero(projection);
	trace = find_products(&work);
	if (!find_vectors(&work))
		return false;
	order_vectors(&work);
	project(&work, trace);
	return true;
}
