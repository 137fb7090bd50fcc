/*
 * score_rotate.c
 *		RotatE (Sun et al. 2019): gamma - |h e^(i theta) - t|, in C^d.
 *
 * Norm 1 is the sum of the moduli of the d complex differences, norm 2 the
 * Euclidean norm of them all.  The query for tails is h turned by theta, the
 * query for heads t turned by -theta.
 */
#include <math.h>

#include "core/vector.h"
#include "score_function.h"

#define CHUNK	64				/* phases turned into cosines and sines at a time */
#define LANES	8				/* sums that a score is added up in */
#define LARGE	1e6f			/* phases beyond are left to the C library */

/* Phases all around the circle. */
static KgeInitial
rotate_initial(const KgeModel *model)
{
	return (KgeInitial) {.entity = kge_distance_limit(model),.relation = acos(-1.0)};
}

/*
 * cosine and sine of |phase| < LARGE, to about one unit in the last place:
 * the angle is reduced to a quarter turn in double precision, then the usual
 * polynomials (Cephes sinf, cosf) serve both.
 */
KERNEL void
quick_cosines(int n, const float *restrict phase, float *restrict cosine,
			  float *restrict sine)
{
	for (int j = 0; j < n; j++)
	{
		double		quarters = phase[j] * 0.63661977236758134308;
		int			quarter = (int) (quarters + (quarters < 0 ? -0.5 : 0.5));
		float		x = (float) (phase[j] - quarter * 1.57079632679489661923);
		float		z = x * x;
		float		s = x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
		float		c = 1 - 0.5f * z + z * z * (4.166664568298827e-2f +
												z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
		float		a = quarter & 1 ? s : c;
		float		b = quarter & 1 ? c : s;

		cosine[j] = (quarter + 1) & 2 ? -a : a;
		sine[j] = quarter & 2 ? -b : b;
	}
}

/* cosine and sine of n <= CHUNK phases, whatever they are. */
static void
cosines(int n, const float *phase, float *cosine, float *sine)
{
	int			large = 0;

	for (int j = 0; j < n; j++)
		large |= !(fabsf(phase[j]) < LARGE);
	if (!large)
	{
		quick_cosines(n, phase, cosine, sine);
		return;
	}
	for (int j = 0; j < n; j++)
	{
		cosine[j] = (float) cos(phase[j]);
		sine[j] = (float) sin(phase[j]);
	}
}

/* n numbers of a query; imaginary parts are d after the real ones. */
KERNEL void
turn_numbers(int n, int d, float sign, const float *restrict cosine, const float *restrict sine,
			 const float *restrict given, float *restrict query)
{
	for (int j = 0; j < n; j++)
	{
		float		s = sign * sine[j];

		query[j] = given[j] * cosine[j] - given[d + j] * s;
		query[d + j] = given[j] * s + given[d + j] * cosine[j];
	}
}

/* d_given is d_query turned back. */
KERNEL void
turn_back(int n, int d, float sign, const float *restrict cosine, const float *restrict sine,
		  const float *restrict d_query, float *restrict d_given)
{
	for (int j = 0; j < n; j++)
	{
		float		s = sign * sine[j];

		d_given[j] += d_query[j] * cosine[j] + d_query[d + j] * s;
		d_given[d + j] += d_query[d + j] * cosine[j] - d_query[j] * s;
	}
}

static float
sign_of(Side side)
{
	return side == SIDE_TAIL ? 1 : -1;
}

static int
chunk_at(int start, int d)
{
	return d - start < CHUNK ? d - start : CHUNK;
}

static void
rotate_query(int d, Side side, const float *given, const float *relation, float *query)
{
	float		cosine[CHUNK],
				sine[CHUNK];

	for (int start = 0; start < d; start += CHUNK)
	{
		cosines(chunk_at(start, d), relation + start, cosine, sine);
		turn_numbers(chunk_at(start, d), d, sign_of(side), cosine, sine, given + start, query + start);
	}
}

static void
rotate_given_gradient(int d, Side side, const float *relation, const float *d_query, float *d_given)
{
	float		cosine[CHUNK],
				sine[CHUNK];

	for (int start = 0; start < d; start += CHUNK)
	{
		cosines(chunk_at(start, d), relation + start, cosine, sine);
		turn_back(chunk_at(start, d), d, sign_of(side), cosine, sine, d_query + start, d_given + start);
	}
}

/* Cosines, then sines */
static void
rotate_turn(int d, const float *relation, float *turn)
{
	for (int start = 0; start < d; start += CHUNK)
		cosines(chunk_at(start, d), relation + start, turn + start, turn + d + start);
}

static void
rotate_turned_query(int d, Side side, const float *given, const float *turn, float *query)
{
	turn_numbers(d, d, sign_of(side), turn, turn + d, given, query);
}

static void
rotate_turned_given_gradient(int d, Side side, const float *turn, const float *d_query, float *d_given)
{
	turn_back(d, d, sign_of(side), turn, turn + d, d_query, d_given);
}

/* As rotate_relation_gradient, where the query has been made. */
KERNEL void
rotate_turned_relation_gradient(int d, Side side, const float *restrict query, const float *restrict d_query,
								float *restrict d_relation)
{
	float		sign = sign_of(side);

	for (int j = 0; j < d; j++)
		d_relation[j] = sign * (d_query[d + j] * query[j] - d_query[j] * query[d + j]);
}

/* d_theta = Re(d_query conj(dq/dtheta)) with dq/dtheta = +-i q. */
KERNEL void
rotate_relation_gradient(int d, Side side, const float *restrict given,
						 const float *restrict relation, const float *restrict d_query,
						 float *restrict d_relation)
{
	float		sign = sign_of(side);
	float		cosine[CHUNK],
				sine[CHUNK];

	for (int start = 0; start < d; start += CHUNK)
	{
		int			n = chunk_at(start, d);

		cosines(n, relation + start, cosine, sine);
		for (int i = 0; i < n; i++)
		{
			int			j = start + i;
			float		s = sign * sine[i];
			float		re = given[j] * cosine[i] - given[d + j] * s;
			float		im = given[j] * s + given[d + j] * cosine[i];

			d_relation[j] += sign * (d_query[d + j] * re - d_query[j] * im);
		}
	}
}

/* The square of the modulus of h e^(i theta) - t in one dimension */
static inline double
square_of(int j, int d, const double *cosine, const double *sine, const float *head, const float *tail)
{
	double		re = head[j] * cosine[j] - head[d + j] * sine[j] - tail[j];
	double		im = head[j] * sine[j] + head[d + j] * cosine[j] - tail[d + j];

	return re * re + im * im;
}

#define TERM(j) (squares ? square_of(j, d, cosine, sine, head, tail) : sqrt(square_of(j, d, cosine, sine, head, tail)))

/*
 * sum[j % LANES] += that modulus, or its square; imaginary parts are d after the real ones.  Sums over vectors may not
 * be taken in any order here, so the order has LANES of them.
 */
KERNEL void
add_differences(int n, int d, bool squares, const double *restrict cosine, const double *restrict sine,
				const float *restrict head, const float *restrict tail, double *restrict sum)
{
	int			whole = n / LANES * LANES;

	for (int start = 0; start < whole; start += LANES)
		for (int i = 0; i < LANES; i++)
			sum[i] += TERM(start + i);
	for (int j = whole; j < n; j++)
		sum[j % LANES] += TERM(j);
}

static double
finish_score(const KgeModel *model, const double *sum)
{
	double		all = 0;

	for (int i = 0; i < LANES; i++)
		all += sum[i];
	return model->gamma - (model->norm == 1 ? all : sqrt(all));
}

static void
exact_cosines(int n, const float *phase, double *cosine, double *sine)
{
	for (int j = 0; j < n; j++)
	{
		cosine[j] = cos((double) phase[j]);
		sine[j] = sin((double) phase[j]);
	}
}

static double
rotate_score(const KgeModel *model, const float *head, const float *relation,
			 const float *tail)
{
	int			d = model->dimensions;
	double		sum[LANES] = {0};

	for (int start = 0; start < d; start += CHUNK)
	{
		int			n = d - start < CHUNK ? d - start : CHUNK;
		double		cosine[CHUNK],
					sine[CHUNK];

		exact_cosines(n, relation + start, cosine, sine);
		add_differences(n, d, model->norm != 1, cosine, sine, head + start, tail + start, sum);
	}
	return finish_score(model, sum);
}

/* Cosines, then sines */
static void
rotate_prepare(int d, const float *relation, double *prepared)
{
	exact_cosines(d, relation, prepared, prepared + d);
}

static double
rotate_score_prepared(const KgeModel *model, const float *head, const double *prepared, const float *tail)
{
	int			d = model->dimensions;
	double		sum[LANES] = {0};

	add_differences(d, d, model->norm != 1, prepared, prepared + d, head, tail, sum);
	return finish_score(model, sum);
}

const KgeScoreFunction kge_score_rotate = {
	.name = "rotate",
	.similarity = {KGE_MODULI, KGE_L2},
	.parts = 2,
	.is_complex = true,
	.angles = true,
	.relation_parts = 1,
	.initial = rotate_initial,
	.query = rotate_query,
	.given_gradient = rotate_given_gradient,
	.relation_gradient = rotate_relation_gradient,
	.turn_parts = 2,
	.turn = rotate_turn,
	.turned_query = rotate_turned_query,
	.turned_given_gradient = rotate_turned_given_gradient,
	.turned_relation_gradient = rotate_turned_relation_gradient,
	.score = rotate_score,
	.prepared_parts = 2,
	.prepare = rotate_prepare,
	.score_prepared = rotate_score_prepared
};
