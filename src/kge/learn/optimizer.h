/*
 * optimizer.h
 *		Gradients in slots become changes of rows.
 *
 * A slot of an entity holds the gradient of its row.  A relation's holds that of a query
 * that is made with it, which is no longer than an entity even where a relation is a
 * matrix; what it amounts to for the relation is worked out when its row is updated, from
 * the entity that was given.  So relations are to be updated before entities.  (Where a network makes queries, or
 * turns do, a relation's slot holds the gradient of its row, too.)
 */
#ifndef HKG_KGE_OPTIMIZER_H
#define HKG_KGE_OPTIMIZER_H

#include "core/allocation.h"
#include "kge/learning.h"
#include "kge/score/score_function.h"

/* A row and the state of its optimizer */
typedef struct KgeRow
{
	float	   *parameter;
	float	   *state;
} KgeRow;

struct KgeOptimizer
{
	const char *name;
	int			numbers;		/* floats of state for each number of a row */
	int			more;			/* floats of state for the row besides */
	void		(*move) (int n, double learning_rate, const float *gradient,
						 float *parameter, float *state);

	/* A row's state becomes what it would be had each gradient so far been applied `times` times. */
	void		(*repeat) (int n, int times, float *state);

	/* The row becomes what lanes amount to together that each began as it is. */
	void		(*merge) (int n, int lanes, const KgeRow *lane, KgeRow row);
};

/*
 * Gradients that some rows have in every minibatch, beside their slots and as they are: those of a penalty on
 * parameters (constraint.c).
 */
typedef struct KgePulls
{
	int32_t		room;			/* rows that may have one; 0: none */
	int32_t		count;
	int32_t    *row;			/* room */
	int32_t    *place;			/* of each row among these, or -1; room, which is all rows */
	float	   *gradient;		/* room x the slots' width */
} KgePulls;

/* One parameter matrix, its optimizer's state, and a minibatch's gradients. */
typedef struct KgeSlots
{
	/* the matrix, rows x width, and the optimizer's state */
	int32_t		rows;
	int			width;
	int			half;			/* where imaginary parts start, 0 if there are none */
	float	   *parameter;
	const KgeOptimizer *optimizer;
	float	   *state;			/* rows x kge_slots_state_width */
	bool		cubes;			/* the penalty is of cubed moduli, not of squares */
	KgePulls	pulls;
	void		(*project) (int n, float *row); /* what becomes of a row that has moved; NULL: it stays */

	/* slots: gradients as they were computed, several of one row perhaps */
	int64_t		count;
	int			gradient_width;
	int			stride;
	float	   *gradient;		/* count x stride */
	KgeQuery   *query;			/* of relations: whose gradient that is */
	const KgeModel *model;		/* of relations: what the queries are of; NULL: of a network */
	bool		turned;			/* of relations: slots hold gradients of their rows, by turns of queries */
	int32_t    *row;			/* the row a slot belongs to, -1 if unused */
	float	   *penalty;		/* how much of the penalty goes to its row */

	/* a gradient that every row has beside its slots, rows x width, if is_dense */
	bool		is_dense;
	float	   *dense;

	/* slots by row: first[row], next[slot], -1 at the end */
	int32_t    *first;
	int32_t    *next;
	int32_t    *touched;		/* rows that have a slot; no use if is_dense */
	int32_t		touched_count;	/* rows that move */
} KgeSlots;

/* How a minibatch moves rows. */
typedef struct KgeStep
{
	double		learning_rate;
	double		gradient_scale;
	double		penalty_scale;
} KgeStep;

static inline size_t
kge_slots_state_width(const KgeSlots *slots)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): kge_plan_rows has set it, in another file */
	return (size_t) slots->optimizer->numbers * (size_t) slots->width +
		(size_t) slots->optimizer->more;
}

static inline size_t
kge_slots_state_count(const KgeSlots *slots)
{
	return (size_t) slots->rows * kge_slots_state_width(slots);
}

/* Takes the arrays of an empty KgeSlots whose sizes are set. */
extern void kge_slots_take(KgeSlots *slots, Allocation *allocation);

/* Sets a new optimizer's state, of rows from .. to-1; then kge_slots_forget. */
extern void kge_slots_reset(KgeSlots *slots, int32_t from, int32_t to);

/* Makes all slots unused, as a minibatch begins. */
extern void kge_slots_forget(KgeSlots *slots);

/* Links the slots of the minibatch by row. */
extern void kge_slots_group(KgeSlots *slots);

/*
 * Moves rows number from .. to-1 of those that move: the gradient of a row is
 * the sum of its slots (and of its dense gradient) times the step's gradient_scale, plus the
 * sum of its slots' penalties times penalty_scale times the row (each number times
 * its modulus, for cubes), plus its pull.  Different threads may update different rows at once;
 * sum is a scratch row.
 */
extern void kge_slots_update(KgeSlots *slots, int32_t from, int32_t to, const KgeStep *step,
							 float *sum, Pool *pool, int thread);

/* Merges row number `row` of lanes, whose matrices and states begin at `lane`. */
extern void kge_slots_merge(KgeSlots *slots, int32_t row, const KgeRow *lane, int lanes);

/* Of the state of rows from .. to-1: each gradient so far was applied `times` times. */
extern void kge_slots_repeat(KgeSlots *slots, int32_t from, int32_t to, int times);

#endif							/* HKG_KGE_OPTIMIZER_H */
