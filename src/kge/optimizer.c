/*
 * optimizer.c
 *		Gradients in slots become changes of rows.
 *
 * Threads compute gradients into slots of their own, so that none waits for
 * another.  The leader then links the slots of each row, and the threads update
 * distinct rows, adding up a row's slots in the order of that list, which
 * depends on nothing but the slots' numbers.
 *
 * Adagrad (Duchi et al. 2011): a number moves by learning_rate * g / sqrt(sum of
 * all its g^2).  Only rows that have a gradient move.
 */
#include <math.h>
#include <string.h>

#include "optimizer.h"
#include "vector.h"

#define EPSILON 1e-10f

void
kge_slots_take(KgeSlots *slots, KgeSpace *space)
{
	size_t		rows = (size_t) slots->rows;
	size_t		count = (size_t) slots->count;

	slots->stride = kge_stride(slots->gradient_width);
	slots->gradient = kge_space_take(space, count, (size_t) slots->stride * sizeof(float));
	slots->state = kge_space_take(space, rows, (size_t) slots->width * sizeof(float));
	slots->row = KGE_TAKE(space, int32_t, count);
	if (slots->model != NULL)
		slots->query = KGE_TAKE(space, KgeQuery, count);
	slots->penalty = KGE_TAKE(space, float, count);
	slots->next = KGE_TAKE(space, int32_t, count);
	slots->touched = KGE_TAKE(space, int32_t, count);
	slots->first = KGE_TAKE(space, int32_t, rows);
	if (slots->is_dense)
		slots->dense = kge_space_take(space, rows, (size_t) slots->width * sizeof(float));
}

void
kge_slots_reset(KgeSlots *slots)
{
	memset(slots->state, 0, (size_t) slots->rows * (size_t) slots->width * sizeof(float));
	for (int32_t i = 0; i < slots->rows; i++)
		slots->first[i] = -1;
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
	if (slots->is_dense)
		slots->touched_count = slots->rows;
}

KGE_KERNEL void
add_slot(int n, const float *restrict x, float *restrict y)
{
	for (int j = 0; j < n; j++)
		y[j] += x[j];
}

/* sum = scale * sum + penalty * parameter */
KGE_KERNEL void
scale_row(int n, float scale, float penalty, const float *restrict parameter,
		  float *restrict sum)
{
	for (int j = 0; j < n; j++)
		sum[j] = scale * sum[j] + penalty * parameter[j];
}

/* sum += penalty * |x| x, for each complex (or real) number x of the row */
KGE_KERNEL void
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

KGE_KERNEL void
adagrad_row(int n, float learning_rate, const float *restrict gradient,
			float *restrict parameter, float *restrict state)
{
	for (int j = 0; j < n; j++)
	{
		float		g = gradient[j];

		state[j] += g * g;
		parameter[j] -= learning_rate * g / (sqrtf(state[j]) + EPSILON);
	}
}

/* Adds up the row's gradients and penalties, and unlinks its slots. */
static void
sum_slots(KgeSlots *slots, int32_t row, float *sum, double *penalty)
{
	int32_t		slot = slots->first[row];
	size_t		bytes = (size_t) slots->width * sizeof(float);

	*penalty = 0;
	if (slots->is_dense)
		memcpy(sum, slots->dense + (size_t) row * (size_t) slots->width, bytes);
	else
		memset(sum, 0, bytes);
	for (; slot >= 0; slot = slots->next[slot])
	{
		const float *gradient = slots->gradient + (size_t) slot * (size_t) slots->stride;

		if (slots->model != NULL)
			kge_relation_gradient(slots->model, slots->query[slot], gradient, sum);
		else
			add_slot(slots->width, gradient, sum);
		*penalty += slots->penalty[slot];
	}
	slots->first[row] = -1;
}

void
kge_slots_update(KgeSlots *slots, int32_t from, int32_t to, double learning_rate,
				 double gradient_scale, double penalty_scale, float *sum)
{
	for (int32_t i = from; i < to; i++)
	{
		int32_t		row = slots->is_dense ? i : slots->touched[i];
		float	   *parameter = slots->parameter + (size_t) row * (size_t) slots->width;
		float	   *state = slots->state + (size_t) row * (size_t) slots->width;
		double		penalty;

		sum_slots(slots, row, sum, &penalty);
		penalty *= penalty_scale;
		scale_row(slots->width, (float) gradient_scale, slots->cubes ? 0 : (float) penalty,
				  parameter, sum);
		if (slots->cubes && penalty != 0)
			pull_cubes(slots->width, slots->half, (float) penalty, parameter, sum);
		adagrad_row(slots->width, (float) learning_rate, sum, parameter, state);
	}
}

void
kge_slots_repeat(KgeSlots *slots, int times)
{
	size_t		count = (size_t) slots->rows * (size_t) slots->width;

	for (size_t i = 0; i < count; i++)
		slots->state[i] *= (float) times;
}
