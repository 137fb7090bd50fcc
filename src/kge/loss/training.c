/*
 * training.c
 *		The tables of losses and of samplers; a trainer for one of each, which epoch.c runs.
 */
#include "core/names.h"
#include "core/pool.h"
#include "kge/learn/constraint.h"
#include "kge/score/conve.h"
#include "negatives.h"
#include "one_vs_all.h"

static const NameTable losses =
NAME_TABLE(&kge_loss_logistic, &kge_loss_margin, &kge_loss_sampled_softmax, &kge_loss_softmax,
		   &kge_loss_k_vs_all);

const char *
kge_loss_name(int i)
{
	return name_at(&losses, i);
}

const KgeLoss *
kge_loss(const char *name)
{
	return name_find(&losses, name);
}

static const KgeSampler uniform = {.name = "uniform"};

static const NameTable samplers =
NAME_TABLE(&uniform, &kge_sampler_bernoulli, &kge_sampler_self_adversarial,
		   &kge_sampler_kbgan	/* compared */
);

const char *
kge_sampler_name(int i)
{
	return name_at(&samplers, i);
}

const KgeSampler *
kge_sampler(const char *name)
{
	return name_find(&samplers, name);
}

bool
kge_goes_with(const KgeLoss *loss, const KgeSampler *sampler)
{
	if (loss->negatives == NULL)
		return sampler == &uniform;
	return loss->counts_negatives || sampler->share == NULL;
}

bool
kge_samples_negatives(const KgeLoss *loss)
{
	return loss->negatives != NULL;
}

/* ---- memory ------------------------------------------------------------- */

/* Sets the trainer's strides and takes its arrays; returns it, in the allocation. */
static KgeTrainer *
take_trainer(KgeTrainer plan, int threads, Allocation *allocation)
{
	KgeTrainer *memory = TAKE(allocation, KgeTrainer, 1);

	kge_take_rows(&plan, threads, allocation);
	plan.work = plan.training.loss->take(&plan, threads, allocation);
	if (plan.training.sampler->take != NULL)
		plan.sampler = plan.training.sampler->take(&plan, threads, allocation);
	plan.partner_start = TAKE(allocation, int64_t,
							  plan.relation.pulls.room > 0 ? (size_t) plan.relation.pulls.room + 2 : 0);
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

	if (batch > 2 * max_positives)	/* as many questions there may be */
		batch = max_positives > 0 ? 2 * max_positives : 1;
	if (block > batch)
		block = batch;
	plan.max_positives = max_positives;
	full.batch_size = (int) batch;
	full.block_size = (int) block;
	if (full.sampler == NULL)
		full.sampler = &uniform;
	if (full.optimizer == NULL)
		full.optimizer = kge_optimizer("adagrad");
	if (full.constraint == NULL)
		full.constraint = kge_constraint("none");
	kge_plan_rows(&plan, model, &full);
	kge_plan_constraint(&plan);
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
	if (kge_is_network(model))
		flops += (double) queries * conve_flops(model->dimensions);
	return flops;
}

/* Of one core, in products of whole blocks with all entities */
#define SOFTMAX_RATE	1.2e11
#define BFLOAT16_RATE	4e11

double
kge_epoch_seconds(const KgeModel *model, const KgeTraining *training, int64_t positives, int64_t queries)
{
	KgeEngine	engine = kge_engine(model);
	double		rate = kge_engine_rate(&engine, true);
	double		network = kge_is_network(model) ? (double) queries * conve_flops(model->dimensions) : 0;

	if (training->loss->negatives == NULL && engine.similarity == KGE_DOT)
		rate = training->precision == KGE_BFLOAT16 ? BFLOAT16_RATE : SOFTMAX_RATE;
	return (kge_epoch_flops(model, training, positives, queries) - network) / rate + network / CONVE_RATE;
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
