/*
 * optimizer.h
 *		Gradients in slots become changes of rows.
 */
#ifndef KGE_OPTIMIZER_H
#define KGE_OPTIMIZER_H

#include "kge.h"
#include "space.h"

/* One parameter matrix, its optimiser's state, and a minibatch's gradients. */
typedef struct KgeSlots
{
	/* the matrix, rows x width, and its sums of squared gradients */
	int32_t		rows;
	int			width;
	float	   *parameter;
	float	   *state;

	/* slots: gradients as they were computed, several of one row perhaps */
	int64_t		count;
	int			stride;
	float	   *gradient;		/* count x stride */
	int32_t    *row;			/* the row a slot belongs to, -1 if unused */
	float	   *penalty;		/* how much of the L2 penalty goes to its row */

	/* slots by row: first[row], next[slot], -1 at the end */
	int32_t    *first;
	int32_t    *next;
	int32_t    *touched;		/* rows that have a slot */
	int32_t		touched_count;
} KgeSlots;

/* Takes the arrays of an empty KgeSlots whose sizes are set. */
extern void kge_slots_take(KgeSlots *slots, KgeSpace *space);

/* Sets a new optimiser's state. */
extern void kge_slots_reset(KgeSlots *slots);

/* Links the slots of the minibatch by row. */
extern void kge_slots_group(KgeSlots *slots);

/*
 * Adagrad on rows touched[from .. to-1]: the gradient of a row is the sum of its
 * slots times gradient_scale, plus the sum of their penalties times
 * penalty_scale times the row.  Different threads may update different rows at
 * once; sum is a scratch row.
 */
extern void kge_slots_update(KgeSlots *slots, int32_t from, int32_t to,
							 double learning_rate, double gradient_scale,
							 double penalty_scale, float *sum);

#endif							/* KGE_OPTIMIZER_H */
