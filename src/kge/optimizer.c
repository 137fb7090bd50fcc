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
 * all its g^2).  Only rows that have a slot move.
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

	slots->stride = kge_stride(slots->width);
	slots->gradient = kge_space_take(space, count, (size_t) slots->stride * sizeof(float));
	slots->state = kge_space_take(space, rows, (size_t) slots->width * sizeof(float));
	slots->row = KGE_TAKE(space, int32_t, count);
	slots->penalty = KGE_TAKE(space, float, count);
	slots->next = KGE_TAKE(space, int32_t, count);
	slots->touched = KGE_TAKE(space, int32_t, count);
	slots->first = KGE_TAKE(space, int32_t, rows);
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
}

KGE_KERNEL void
add_slot(int n, const float *restrict x, float *restrict y)
{
	for (int j = 0; j < n; j++)
		y[j] += x[j];
}

KGE_KERNEL void
adagrad_row(int n, float learning_rate, float scale, float penalty,
			const float *restrict gradient, float *restrict parameter,
			float *restrict state)
{
	for (int j = 0; j < n; j++)
	{
		float		g = scale * gradient[j] + penalty * parameter[j];

		state[j] += g * g;
		parameter[j] -= learning_rate * g / (sqrtf(state[j]) + EPSILON);
	}
}

void
kge_slots_update(KgeSlots *slots, int32_t from, int32_t to, double learning_rate,
				 double gradient_scale, double penalty_scale, float *sum)
{
	for (int32_t i = from; i < to; i++)
	{
		int32_t		row = slots->touched[i];
		int32_t		slot = slots->first[row];
		size_t		place = (size_t) row * (size_t) slots->width;
		const float *gradient = slots->gradient + (size_t) slot * (size_t) slots->stride;
		double		penalty = slots->penalty[slot];

		if (slots->next[slot] >= 0)
		{
			memcpy(sum, gradient, (size_t) slots->width * sizeof(float));
			gradient = sum;
		}
		for (slot = slots->next[slot]; slot >= 0; slot = slots->next[slot])
		{
			add_slot(slots->width, slots->gradient + (size_t) slot * (size_t) slots->stride, sum);
			penalty += slots->penalty[slot];
		}
		adagrad_row(slots->width, (float) learning_rate, (float) gradient_scale,
					(float) (penalty * penalty_scale), gradient,
					slots->parameter + place, slots->state + place);
		slots->first[row] = -1;
	}
}
