/*
 * trainer.c
 *		Embedding learning: epochs, minibatches, the table of losses.
 *
 * First the threads compute the minibatch's gradients, in slots, by the loss
 * (negatives.c, one_vs_all.c).  Then the leader groups the slots by the row they
 * belong to, and the threads update distinct rows, relations first (optimizer.c).  Nothing of this
 * depends on the number of threads.
 *
 * The loss is a mean over a minibatch, but the slots hold the derivatives of a
 * sum; the update divides them.
 */
#include <math.h>
#include <string.h>

#include "negatives.h"
#include "relation_loss.h"
#include "core/pool.h"
#include "core/vector.h"

#define ENTITIES_AT_ONCE	64	/* rows of an item of the update */
#define NUMBERS_AT_ONCE 65536	/* of an item of what goes through all rows */

static const KgeLoss *const losses[] = {
	&kge_loss_logistic, &kge_loss_margin, &kge_loss_sampled_softmax, &kge_loss_softmax
};

const char *
kge_loss_name(int i)
{
	return i >= 0 && i < (int) (sizeof(losses) / sizeof(losses[0])) ? losses[i]->name : NULL;
}

const KgeLoss *
kge_loss(const char *name)
{
	for (int i = 0; kge_loss_name(i) != NULL; i++)
		if (strcmp(kge_loss_name(i), name) == 0)
			return losses[i];
	return NULL;
}

bool
kge_goes_with(const KgeLoss *loss, const KgeSampler *sampler)
{
	if (loss->negatives == NULL)
		return sampler == kge_sampler("uniform");
	return loss->counts_negatives || sampler->share == NULL;
}

/* ---- memory ------------------------------------------------------------- */

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
	plan->entity.half = model->function->parts == 2 ? model->dimensions : 0;
	plan->entity.parameter = model->entity;
	plan->relation.rows = kge_relation_rows(model);
	plan->relation.width = model->function->relation_width(model->dimensions);
	plan->relation.gradient_width = plan->entity.width;
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

	(void) thread;
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

/* Sets the trainer's strides and takes its arrays; returns it, in the allocation. */
static KgeTrainer *
take_trainer(KgeTrainer plan, int threads, Allocation *allocation)
{
	KgeTrainer *memory = TAKE(allocation, KgeTrainer, 1);

	kge_take_rows(&plan, threads, allocation);
	plan.work = plan.training.loss->take(&plan, threads, allocation);
	if (plan.training.sampler->take != NULL)
		plan.sampler = plan.training.sampler->take(&plan, threads, allocation);
	if (memory != NULL)
		*memory = plan;
	return memory;
}

/* A trainer without memory: all that does not depend on an arena. */
static KgeTrainer
plan_trainer(const KgeModel *model, const KgeTraining *training, int64_t max_positives)
{
	KgeTrainer	plan = {0};
	KgeTraining full = *training;
	int64_t		batch = training->batch_size;
	int64_t		block = training->block_size;

	if (batch > max_positives)
		batch = max_positives > 0 ? max_positives : 1;
	if (block > batch)
		block = batch;
	plan.max_positives = max_positives;
	full.batch_size = (int) batch;
	full.block_size = (int) block;
	if (full.sampler == NULL)
		full.sampler = kge_sampler("uniform");
	if (full.optimizer == NULL)
		full.optimizer = kge_optimizer("adagrad");
	kge_plan_rows(&plan, model, &full);
	full.loss->plan(&plan);
	return plan;
}

size_t
kge_trainer_bytes(const KgeModel *model, const KgeTraining *training,
				  int64_t max_positives, int threads)
{
	Allocation	allocation = {0};

	take_trainer(plan_trainer(model, training, max_positives), threads, &allocation);
	return allocation_bytes(&allocation);
}

size_t
kge_trainer_state_bytes(const KgeModel *model, const KgeTraining *training)
{
	KgeTrainer	plan = plan_trainer(model, training, 1);
	const KgeSampler *sampler = plan.training.sampler;
	size_t		count = kge_slots_state_count(&plan.entity) + kge_slots_state_count(&plan.relation);

	if (sampler->state_count != NULL)
		count += sampler->state_count(&plan);
	return count * sizeof(float);
}

double
kge_epoch_flops(const KgeModel *model, const KgeTraining *training,
				int64_t positives, int64_t queries)
{
	KgeTrainer	plan = plan_trainer(model, training, positives);
	double		flops = training->loss->scores(training, model, positives, queries) * kge_engine_flops(&plan.engine);

	if (training->relation_weight > 0)
		flops += kge_relation_loss_flops(model, 2.0 * (double) positives);
	return flops;
}

KgeTrainer *
kge_trainer_create(Arena *arena, Pool *pool, KgeModel *model,
				   const KgeTraining *training, int64_t max_positives)
{
	KgeTrainer	plan = plan_trainer(model, training, max_positives);
	int			threads = pool_threads(pool);
	Allocation	allocation = {0};
	KgeTrainer *trainer;

	plan.pool = pool;
	plan.model = model;
	take_trainer(plan, threads, &allocation);
	if (plan.entity.count > INT32_MAX || max_positives > INT32_MAX || !allocation_open(&allocation, arena))
		return NULL;
	trainer = take_trainer(plan, threads, &allocation);
	kge_reset_rows(trainer);
	if (trainer->training.sampler->start != NULL)
		trainer->training.sampler->start(trainer);
	return trainer;
}

bool
kge_trainer_state(const KgeTrainer *trainer, int i, float **values, size_t *count)
{
	const KgeSlots *slots = i == 0 ? &trainer->entity : &trainer->relation;

	if (i > 1)
		return trainer->training.sampler->state != NULL &&
			trainer->training.sampler->state(trainer, i - 2, values, count);
	*values = slots->state;
	*count = kge_slots_state_count(slots);
	return true;
}

/* ---- a minibatch and an epoch -------------------------------------------- */

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

void
kge_move_rows(KgeTrainer *trainer, double terms, double positives)
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
	pool_run(trainer->pool, trainer->relation.touched_count, update_relation, trainer);
	pool_run(trainer->pool,
				 (trainer->entity.touched_count + ENTITIES_AT_ONCE - 1) / ENTITIES_AT_ONCE,
				 update_entities, trainer);
	kge_forget_rows(trainer);
}

void
kge_forget_rows(KgeTrainer *trainer)
{
	kge_slots_forget(&trainer->entity);
	kge_slots_forget(&trainer->relation);
}

static KgeSum
learn_minibatch(KgeTrainer *trainer)
{
	KgeSum		sum = trainer->training.loss->learn(trainer);

	if (isfinite(sum.loss))
		kge_move_rows(trainer, (double) sum.terms, sum.positives);
	return sum;
}

/* Minibatches of batch_size positives, in an order drawn for the epoch. */
static void
open_epoch(KgeTrainer *trainer, int64_t count)
{
	trainer->order = kge_order(trainer->training.seed, trainer->epoch, (uint64_t) count);
	trainer->start = trainer->count = 0;
	trainer->left = count;
}

static bool
next_minibatch(KgeTrainer *trainer)
{
	int64_t		batch = trainer->training.batch_size;

	trainer->start += trainer->count;
	trainer->left -= trainer->count;
	trainer->count = trainer->left < batch ? trainer->left : batch;
	return trainer->count > 0;
}

double
kge_train_epoch(KgeTrainer *trainer, const Triple *positives,
				const float *weights, int64_t count, uint64_t epoch)
{
	const KgeLoss *loss = trainer->training.loss;
	KgeSum		sum = {0};

	if (count == 0)
		return 0;
	trainer->positives = positives;
	trainer->weights = weights;
	trainer->epoch = epoch;
	(loss->open != NULL ? loss->open : open_epoch) (trainer, count);
	while (isfinite(sum.loss) && (loss->next != NULL ? loss->next : next_minibatch) (trainer))
	{
		KgeSum		minibatch = learn_minibatch(trainer);

		sum.loss += minibatch.loss;
		sum.terms += minibatch.terms;
	}
	if (sum.terms == 0)			/* no positive had a negative */
		return sum.loss;
	return isfinite(sum.loss) ? sum.loss / (double) sum.terms : NAN;
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

	(void) thread;
	kge_slots_repeat(slots, (int32_t) item * rows_at_once(slots), end_of(slots, item), repeating->times);
}

static void
repeat(Pool *pool, KgeSlots *slots, int times)
{
	Repeating	repeating = {slots, times};

	pool_run(pool, pool_pieces(slots->rows, rows_at_once(slots)), repeat_rows, &repeating);
}

double
kge_train_observe(KgeTrainer *trainer, const Triple *positives,
				  const float *weights, int64_t count, uint64_t epoch, int epochs)
{
	KgeTraining training = trainer->training;
	double		loss;

	trainer->training.learning_rate = 0;
	trainer->training.epochs = 0;
	trainer->observing = true;
	loss = kge_train_epoch(trainer, positives, weights, count, epoch);
	trainer->observing = false;
	trainer->training = training;
	repeat(trainer->pool, &trainer->entity, epochs);
	repeat(trainer->pool, &trainer->relation, epochs);
	return loss;
}
