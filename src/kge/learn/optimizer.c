/*
 * optimizer.c
 *		Gradients in slots become changes of rows.
 *
 * Threads compute gradients into slots of their own, so that none waits for
 * another.  One thread then links the slots of each row, and the threads update
 * distinct rows, adding up a row's slots in the order of that list, which
 * depends on nothing but the slots' numbers.
 *
 * Only rows that have a gradient move.  They lie anywhere in memory, which is what bounds the
 * update: so what the next rows need is asked for ahead, a part before each pass over a row,
 * since the machine has room for no more than some rows' cache lines at once.
 *
 * Adagrad (Duchi et al. 2011): a number moves by learning_rate * g / sqrt(sum of all its
 * g^2), which is its state.
 *
 * Adam (Kingma and Ba 2015), with beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8: a number
 * moves by learning_rate * m / (sqrt(v) + epsilon), m and v the fading means of g and g^2.
 * Each row goes through the Adam of the minibatches that touch it: its means fade, and
 * are corrected for their start from 0, by the count of those.  (By the count of all
 * minibatches the first steps of a rare row would be three times too large.)  A row's
 * state is that count, then m, then v.
 *
 * Merging.  Lanes begin with the same row and take steps of their own.  Under Adagrad the gradient that a lane has
 * applied is its movement times the root of its state; the gradients of all lanes together move the row by the state
 * that has the squares of all of them.  So the lanes' first steps, which are as long as the learning rate, do not add up
 * to a leap, and later ones are as if they had been taken in turn.  Adam's steps are as long whatever came before, so
 * movements add up; the corrected means are those of the lanes, by their steps.
 */
#include <math.h>

#include "optimizer.h"
#include "core/dense.h"
#include "core/names.h"
#include "core/pool.h"
#include "core/vector.h"

#define AT_ONCE 262144			/* numbers of slots between two looks at the clock */
#define AHEAD		2			/* rows between asking and needing */
#define ADAGRAD_EPSILON 1e-10f
#define ADAM_EPSILON	1e-8f
#define FADE_MEAN		0.9f
#define FADE_SQUARE		0.999f
#define ADAM_MOST_STEPS 16777216	/* that a float counts */

void
kge_slots_take(KgeSlots *slots, Allocation *allocation)
{
	size_t		rows = (size_t) slots->rows;
	size_t		count = (size_t) slots->count;

	slots->stride = vector_stride(slots->gradient_width);
	slots->gradient = allocation_take(allocation, count, (size_t) slots->stride * sizeof(float));
	slots->state = allocation_take(allocation, rows, kge_slots_state_width(slots) * sizeof(float));
	slots->row = TAKE(allocation, int32_t, count);
	if (slots->model != NULL)
		slots->query = TAKE(allocation, KgeQuery, count);
	slots->penalty = TAKE(allocation, float, count);
	slots->next = TAKE(allocation, int32_t, count);
	slots->touched = TAKE(allocation, int32_t, count + (size_t) slots->pulls.room);
	slots->first = TAKE(allocation, int32_t, rows);
	if (slots->is_dense)
		slots->dense = allocation_take(allocation, rows, (size_t) slots->width * sizeof(float));
	slots->pulls.row = TAKE(allocation, int32_t, (size_t) slots->pulls.room);
	slots->pulls.place = TAKE(allocation, int32_t, (size_t) slots->pulls.room);
	slots->pulls.gradient = allocation_take(allocation, (size_t) slots->pulls.room, (size_t) slots->width * sizeof(float));
}

void
kge_slots_reset(KgeSlots *slots, int32_t from, int32_t to)
{
	size_t		width = kge_slots_state_width(slots);

	memset(slots->state + (size_t) from * width, 0, (size_t) (to - from) * width * sizeof(float));
	for (int32_t i = from; i < to; i++)
		slots->first[i] = -1;
}

void
kge_slots_forget(KgeSlots *slots)
{
	memset(slots->row, -1, (size_t) slots->count * sizeof(int32_t));
	slots->touched_count = 0;
}

void
kge_slots_group(KgeSlots *slots)
{
	slots->touched_count = 0;
	for (int64_t slot = 0; slot < slots->count; slot++)
	{
		int32_t		row = slots->row[slot];

		if (row < 0)
			continue;
		if (slots->first[row] < 0)
			slots->touched[slots->touched_count++] = row;
		slots->next[slot] = slots->first[row];
		slots->first[row] = (int32_t) slot;
	}
	for (int32_t i = 0; i < slots->pulls.count; i++)
		if (slots->first[slots->pulls.row[i]] < 0)
			slots->touched[slots->touched_count++] = slots->pulls.row[i];
	if (slots->is_dense)
		slots->touched_count = slots->rows;
}

/* sum = scale * sum + penalty * parameter */
KERNEL void
scale_row(int n, float scale, float penalty, const float *restrict parameter,
		  float *restrict sum)
{
	for (int j = 0; j < n; j++)
		sum[j] = scale * sum[j] + penalty * parameter[j];
}

/* sum += penalty * |x| x, for each complex (or real) number x of the row */
KERNEL void
pull_cubes(int n, int half, float penalty, const float *restrict parameter,
		   float *restrict sum)
{
	if (half == 0)
		for (int j = 0; j < n; j++)
			sum[j] += penalty * fabsf(parameter[j]) * parameter[j];
	else
		for (int j = 0; j < half; j++)
		{
			float		re = parameter[j];
			float		im = parameter[half + j];
			float		factor = penalty * sqrtf(re * re + im * im);

			sum[j] += factor * re;
			sum[half + j] += factor * im;
		}
}

KERNEL void
adagrad_row(int n, float learning_rate, const float *restrict gradient,
			float *restrict parameter, float *restrict state)
{
	for (int j = 0; j < n; j++)
	{
		float		g = gradient[j];

		state[j] += g * g;
		parameter[j] -= learning_rate * g / (sqrtf(state[j]) + ADAGRAD_EPSILON);
	}
}

static void
adagrad(int n, double learning_rate, const float *gradient, float *parameter, float *state)
{
	adagrad_row(n, (float) learning_rate, gradient, parameter, state);
}

static void
adagrad_repeat(int n, int times, float *state)
{
	for (int j = 0; j < n; j++)
		state[j] *= (float) times;
}

/* step: the learning rate over the mean's correction; root: the root of the square's */
KERNEL void
adam_row(int n, float step, float root, const float *restrict gradient,
		 float *restrict parameter, float *restrict mean, float *restrict square)
{
	for (int j = 0; j < n; j++)
	{
		float		g = gradient[j];

		mean[j] = FADE_MEAN * mean[j] + (1 - FADE_MEAN) * g;
		square[j] = FADE_SQUARE * square[j] + (1 - FADE_SQUARE) * g * g;
		parameter[j] -= step * mean[j] / (sqrtf(square[j]) / root + ADAM_EPSILON);
	}
}

static void
adam(int n, double learning_rate, const float *gradient, float *parameter, float *state)
{
	double		count = ++state[0]; /* stays at 2^24, when nothing is left to correct */
	double		root = sqrt(1 - pow(FADE_SQUARE, count));

	adam_row(n, (float) (learning_rate / (1 - pow(FADE_MEAN, count))), (float) root,
			 gradient, parameter, state + 1, state + 1 + n);
}

/*
 * Of gradients that come again in the same order, the corrected means stay what they are,
 * so m and v grow as much as their corrections shrink.
 */
static void
adam_repeat(int n, int times, float *state)
{
	double		count = state[0];
	float		mean = (float) ((1 - pow(FADE_MEAN, times * count)) / (1 - pow(FADE_MEAN, count)));
	float		square = (float) ((1 - pow(FADE_SQUARE, times * count)) /
								  (1 - pow(FADE_SQUARE, count)));

	if (count == 0)
		return;
	state[0] = (float) (times * count);
	for (int j = 0; j < n; j++)
	{
		state[1 + j] *= mean;
		state[1 + n + j] *= square;
	}
}

static void
adagrad_merge(int n, int lanes, const KgeRow *lane, KgeRow row)
{
	for (int j = 0; j < n; j++)
	{
		double		gradient = 0;	/* times the learning rate */
		double		state = row.state[j];

		for (int l = 0; l < lanes; l++)
		{
			float		moved = lane[l].parameter[j] - row.parameter[j];

			gradient += moved * (sqrt(lane[l].state[j]) + ADAGRAD_EPSILON);
			state += lane[l].state[j] - row.state[j];
		}
		row.parameter[j] += (float) (gradient / (sqrt(state) + ADAGRAD_EPSILON));
		row.state[j] = (float) state;
	}
}

/* Steps that a lane took; where the count stays, lanes weigh the same. */
static double
adam_steps(const KgeRow *lane, KgeRow row)
{
	return lane->state[0] < ADAM_MOST_STEPS ? lane->state[0] - row.state[0] : 1;
}

/* n means from number `place` of the state on become those of the lanes, after `steps` of all lanes. */
static void
adam_merge_means(int n, int place, double fade, double steps, int lanes, const KgeRow *lane, KgeRow row)
{
	double		weight[KGE_MOST_LANES];

	for (int l = 0; l < lanes; l++)
	{
		double		own = adam_steps(&lane[l], row);

		weight[l] = own == 0 ? 0 : own / steps * (1 - pow(fade, row.state[0] + steps)) / (1 - pow(fade, lane[l].state[0]));
	}
	for (int j = place; j < place + n; j++)
	{
		double		mean = 0;

		for (int l = 0; l < lanes; l++)
			mean += weight[l] * lane[l].state[j];
		row.state[j] = (float) mean;
	}
}

static void
adam_merge(int n, int lanes, const KgeRow *lane, KgeRow row)
{
	double		steps = 0;

	for (int l = 0; l < lanes; l++)
		steps += adam_steps(&lane[l], row);
	if (steps == 0)
		return;
	adam_merge_means(n, 1, FADE_MEAN, steps, lanes, lane, row);
	adam_merge_means(n, 1 + n, FADE_SQUARE, steps, lanes, lane, row);
	for (int j = 0; j < n; j++)
	{
		double		moved = 0;

		for (int l = 0; l < lanes; l++)
			moved += lane[l].parameter[j] - row.parameter[j];
		row.parameter[j] += (float) moved;
	}
	row.state[0] += (float) steps;
}

static const KgeOptimizer kge_adagrad = {"adagrad", 1, 0, adagrad, adagrad_repeat, adagrad_merge};
static const KgeOptimizer kge_adam = {"adam", 2, 1, adam, adam_repeat, adam_merge};
static const NameTable optimizers = NAME_TABLE(&kge_adagrad, &kge_adam);

const char *
kge_optimizer_name(int i)
{
	return name_at(&optimizers, i);
}

const KgeOptimizer *
kge_optimizer(const char *name)
{
	return name_find(&optimizers, name);
}

/* Whether slots hold gradients of queries, not of their rows. */
static inline bool
hold_queries(const KgeSlots *slots)
{
	return slots->model != NULL && !slots->turned;
}

/* Asks for a slot's gradient and, of relations, for the row that its query was made of. */
static inline void
ask_for_slot(const KgeSlots *slots, int32_t slot)
{
	vector_prefetch(slots->gradient + (size_t) slot * (size_t) slots->stride, (size_t) slots->gradient_width);
	if (hold_queries(slots))
		vector_prefetch(kge_entity_row(slots->model, slots->query[slot].given), (size_t) slots->gradient_width);
}

/* Adds up the row's gradients and penalties, and unlinks its slots. */
static void
sum_slots(KgeSlots *slots, int32_t row, float *sum, double *penalty, Pool *pool, int thread)
{
	int32_t		slot = slots->first[row];
	int64_t		added = 0;
	size_t		bytes = (size_t) slots->width * sizeof(float);

	*penalty = 0;
	if (slots->is_dense)
		memcpy(sum, slots->dense + (size_t) row * (size_t) slots->width, bytes);
	else
		memset(sum, 0, bytes);
	for (; slot >= 0; slot = slots->next[slot])
	{
		const float *gradient = slots->gradient + (size_t) slot * (size_t) slots->stride;

		if (slots->next[slot] >= 0)
			ask_for_slot(slots, slots->next[slot]);
		if (hold_queries(slots))
			kge_relation_gradient(slots->model, slots->query[slot], gradient, sum);
		else
			dense_add(slots->width, gradient, sum);
		*penalty += slots->penalty[slot];
		added += slots->width;
		if (added > AT_ONCE)
		{
			pool_yield(pool, thread);
			added = 0;
		}
	}
	slots->first[row] = -1;
}

/* The row that moves as number i. */
static inline int32_t
moving_row(const KgeSlots *slots, int32_t i)
{
	return slots->is_dense ? i : slots->touched[i];
}

void
kge_slots_update(KgeSlots *slots, int32_t from, int32_t to, const KgeStep *step,
				 float *sum, Pool *pool, int thread)
{
	size_t		width = (size_t) slots->width;
	size_t		state_width = kge_slots_state_width(slots);

	for (int32_t i = from; i < to; i++)
	{
		int32_t		row = moving_row(slots, i);
		bool		more = i + AHEAD < to;
		size_t		ahead = (size_t) moving_row(slots, more ? i + AHEAD : i);
		float	   *parameter = slots->parameter + (size_t) row * width;
		float	   *state = slots->state + (size_t) row * state_width;
		double		penalty;

		if (more && slots->first[ahead] >= 0)
			ask_for_slot(slots, slots->first[ahead]);
		sum_slots(slots, row, sum, &penalty, pool, thread);
		penalty *= step->penalty_scale;
		if (more)
			vector_prefetch(slots->parameter + ahead * width, width);
		scale_row(slots->width, (float) step->gradient_scale, slots->cubes ? 0 : (float) penalty,
				  parameter, sum);
		if (slots->cubes && penalty != 0)
			pull_cubes(slots->width, slots->half, (float) penalty, parameter, sum);
		if (slots->pulls.count > 0 && slots->pulls.place[row] >= 0)
			dense_add(slots->width, slots->pulls.gradient + (size_t) slots->pulls.place[row] * width, sum);
		if (more)
			vector_prefetch(slots->state + ahead * state_width, state_width);
		slots->optimizer->move(slots->width, step->learning_rate, sum, parameter, state);
		if (slots->project != NULL)
			slots->project(slots->width, parameter);
	}
}

void
kge_slots_repeat(KgeSlots *slots, int32_t from, int32_t to, int times)
{
	size_t		width = kge_slots_state_width(slots);

	for (int32_t row = from; row < to; row++)
		slots->optimizer->repeat(slots->width, times, slots->state + (size_t) row * width);
}

void
kge_slots_merge(KgeSlots *slots, int32_t row, const KgeRow *lane, int lanes)
{
	size_t		start = (size_t) row * (size_t) slots->width;
	size_t		state = (size_t) row * kge_slots_state_width(slots);
	KgeRow		of_lane[KGE_MOST_LANES];

	for (int l = 0; l < lanes; l++)
		of_lane[l] = (KgeRow) {lane[l].parameter + start, lane[l].state + state};
	slots->optimizer->merge(slots->width, lanes, of_lane, (KgeRow) {slots->parameter + start, slots->state + state});
}
