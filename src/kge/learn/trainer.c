/*
 * trainer.c
 *		The rows of a trainer: entities and relations, which every minibatch moves.
 *
 * One thread groups a minibatch's slots by the row they belong to, and all update
 * distinct rows, relations first (optimizer.c).
 */
#include "trainer.h"

#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "core/vector.h"

#define ENTITIES_AT_ONCE	64	/* rows of an item of the update */
#define NUMBERS_AT_ONCE 65536	/* of an item of what goes through all rows */

void
kge_take_rows(KgeTrainer *plan, int threads, Allocation *allocation)
{
	kge_slots_take(&plan->entity, allocation);
	kge_slots_take(&plan->relation, allocation);
	plan->sum_stride = vector_stride(plan->relation.width > plan->entity.width ?
									 plan->relation.width : plan->entity.width);
	plan->sum = allocation_take(allocation, (size_t) threads, (size_t) plan->sum_stride * sizeof(float));
}

void
kge_plan_rows(KgeTrainer *plan, const KgeModel *model, const KgeTraining *training)
{
	plan->training = *training;
	plan->engine = kge_engine(model);
	plan->entity.rows = model->entities;
	plan->entity.width = plan->entity.gradient_width = kge_model_width(model);
	plan->entity.half = model->function->is_complex ? model->dimensions : 0;
	plan->entity.parameter = model->entity;
	plan->relation.rows = kge_relation_rows(model);
	plan->relation.width = kge_relation_width(model->function, model->dimensions);
	plan->relation.gradient_width = plan->entity.width;
	if (kge_is_network(model))
		plan->relation.gradient_width = plan->relation.width;
	else
		plan->relation.model = model;
	plan->relation.half = model->function->angles ? 0 : plan->entity.half;
	plan->relation.parameter = model->relation;
	plan->entity.optimizer = plan->relation.optimizer = training->optimizer;
	plan->entity.cubes = plan->relation.cubes = training->regularizer == KGE_REGULARIZER_USUAL ?
		training->loss->cubes : training->regularizer == KGE_REGULARIZER_N3;
	plan->penalises_relations = !model->function->angles && training->regularizer != KGE_REGULARIZER_DURA;
}

/* Rows of an item of what goes through all rows. */
static int32_t
rows_at_once(const KgeSlots *slots)
{
	return 1 + NUMBERS_AT_ONCE / slots->width;
}

static int32_t
end_of(const KgeSlots *slots, int64_t item)
{
	int64_t		end = (item + 1) * rows_at_once(slots);

	return end < slots->rows ? (int32_t) end : slots->rows;
}

/* Item: some rows. */
static void
reset_rows(void *argument, int64_t item, int thread)
{
	KgeSlots   *slots = argument;

	kge_slots_reset(slots, (int32_t) item * rows_at_once(slots), end_of(slots, item));
}

static void
reset(Pool *pool, KgeSlots *slots)
{
	pool_run(pool, pool_pieces(slots->rows, rows_at_once(slots)), reset_rows, slots);
	kge_slots_forget(slots);
}

void
kge_reset_rows(KgeTrainer *trainer)
{
	reset(trainer->pool, &trainer->entity);
	reset(trainer->pool, &trainer->relation);
}

/* Updates touched rows number item * size and so on. */
static void
update_rows(KgeTrainer *trainer, KgeSlots *slots, int64_t item, int size, int thread)
{
	int32_t		from = (int32_t) item * size;
	int32_t		left = slots->touched_count - from;

	kge_slots_update(slots, from, from + (left < size ? left : size),
					 &trainer->step, trainer->sum + (size_t) thread * (size_t) trainer->sum_stride,
					 trainer->pool, thread);
	pool_yield(trainer->pool, thread);
}

/* Item: a touched relation. */
static void
update_relation(void *argument, int64_t item, int thread)
{
	update_rows(argument, &((KgeTrainer *) argument)->relation, item, 1, thread);
}

/* Item: some of the touched entities. */
static void
update_entities(void *argument, int64_t item, int thread)
{
	update_rows(argument, &((KgeTrainer *) argument)->entity, item, ENTITIES_AT_ONCE, thread);
}

static double
learning_rate(const KgeTraining *training, uint64_t epoch)
{
	double		last = (double) training->epochs - 1;
	double		done = last > 0 ? fmin((double) epoch / last, 1) : 0;

	return training->learning_rate + done * (training->learning_rate_end - training->learning_rate);
}

static int64_t
count_relations(void *argument)
{
	return ((KgeTrainer *) argument)->relation.touched_count;
}

static int64_t
count_entities(void *argument)
{
	return pool_pieces(((KgeTrainer *) argument)->entity.touched_count, ENTITIES_AT_ONCE);
}

const PoolPhase kge_move_relations = {count_relations, update_relation};
const PoolPhase kge_move_entities = {count_entities, update_entities};

void
kge_group_rows(KgeTrainer *trainer, double terms, double positives)
{
	double		power = trainer->entity.cubes ? 3 : 2;

	/* no terms: no gradient either */
	trainer->step = (KgeStep) {
		.learning_rate = learning_rate(&trainer->training, trainer->epoch),
		.gradient_scale = terms > 0 ? 1 / terms : 0,
		.penalty_scale = power * trainer->training.regularization / positives
	};
	kge_slots_group(&trainer->entity);
	kge_slots_group(&trainer->relation);
}

void
kge_move_rows(KgeTrainer *trainer, double terms, double positives)
{
	const PoolPhase phases[] = {kge_move_relations, kge_move_entities};

	kge_group_rows(trainer, terms, positives);
	pool_run_phases(trainer->pool, 2, phases, trainer);
	kge_forget_rows(trainer);
}

void
kge_forget_rows(KgeTrainer *trainer)
{
	kge_slots_forget(&trainer->entity);
	kge_slots_forget(&trainer->relation);
}

typedef struct Repeating
{
	KgeSlots   *slots;
	int			times;
} Repeating;

/* Item: some rows. */
static void
repeat_rows(void *argument, int64_t item, int thread)
{
	const Repeating *repeating = argument;
	KgeSlots   *slots = repeating->slots;

	kge_slots_repeat(slots, (int32_t) item * rows_at_once(slots), end_of(slots, item), repeating->times);
}

static void
repeat(Pool *pool, KgeSlots *slots, int times)
{
	Repeating	repeating = {slots, times};

	pool_run(pool, pool_pieces(slots->rows, rows_at_once(slots)), repeat_rows, &repeating);
}

void
kge_repeat_rows(KgeTrainer *trainer, int times)
{
	repeat(trainer->pool, &trainer->entity, times);
	repeat(trainer->pool, &trainer->relation, times);
}

typedef struct Merging
{
	KgeSlots   *slots;
	const KgeRow *lane;
	int			lanes;
} Merging;

/* Item: a row. */
static void
merge_row(void *argument, int64_t item, int thread)
{
	const Merging *merging = argument;

	kge_slots_merge(merging->slots, (int32_t) item, merging->lane, merging->lanes);
}

void
kge_merge_relations(KgeTrainer *trainer, const KgeRelations *lane, int lanes)
{
	KgeSlots   *slots = &trainer->relation;
	KgeRow		first[KGE_MOST_LANES];
	Merging		merging = {slots, first, lanes};

	for (int l = 0; l < lanes; l++)
		first[l] = (KgeRow) {lane[l].relation, lane[l].state};
	if (lanes > 1)
	{
		pool_run(trainer->pool, slots->rows, merge_row, &merging);
		return;
	}
	memcpy(slots->parameter, lane->relation, (size_t) slots->rows * (size_t) slots->width * sizeof(float));
	memcpy(slots->state, lane->state, kge_slots_state_count(slots) * sizeof(float));
}
