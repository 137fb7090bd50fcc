/*
 * kbgan.c
 *		KBGAN (Cai and Wang 2018): a generator picks the negative of each positive.
 *
 * The generator is a DistMult model of the same dimensions.  Of the negatives that a
 * block's positives share it takes one for each positive, k with probability p_k = softmax
 * of its own scores; the model that is trained (the discriminator) is trained on that one alone.
 * Then it learns by policy gradient (REINFORCE) to pick what the discriminator takes for
 * true: with the reward R = the discriminator's score phi of the pick, it descends
 *		-(R - b) log p_pick		by its scores: (R - b) (p_k - [k = pick])
 * averaged over the minibatch.  b is the mean reward of the minibatch before, which is
 * the baseline that keeps the variance low.  It has the optimizer and learning rate of
 * the discriminator, and no regularization.  Its embeddings, their state and b are
 * part of the trainer's state.  Where the discriminator is only observed, it picks but does not learn.
 */
#include <string.h>

#include "core/pool.h"
#include "core/random.h"
#include "kge/loss/negatives.h"

/* What a thread needs. */
typedef struct Generating
{
	KgePairing	pairing;
	int32_t    *pick;			/* of each positive, -1 if there is none */
	float	   *level;			/* uniform in (0, 1): picks where the sum of p passes it */
	float	   *passed;			/* the sum of p so far */
	float	   *advantage;		/* R - b, times the positive's weight */
	float	   *one;			/* 1 for each positive */
} Generating;

typedef struct Generator
{
	KgeModel	model;
	KgeTrainer	trainer;
	float	   *baseline;		/* a single number */
	double	   *reward;			/* of each block: the sum over its picks */
	int32_t    *picks;
	Generating *generating;		/* one for each thread */
} Generator;

static Generator *
generator(const KgeTrainer *trainer)
{
	return trainer->sampler;
}

/* ---- memory ------------------------------------------------------------- */

static Generator
plan_generator(const KgeTrainer *plan)
{
	const KgeModel *model = plan->relation.model;
	KgeTraining training = plan->training;
	int64_t		blocks = kge_sampled_blocks(&training);
	Generator	work = {0};

	work.model.function = kge_score_function("distmult");
	work.model.dimensions = model->dimensions;
	work.model.norm = 1;
	work.model.entities = model->entities;
	work.model.relations = model->relations;
	training.regularization = 0;
	training.seed = random_stream(training.seed, DRAW_GENERATOR, 0, 0);
	kge_plan_rows(&work.trainer, &work.model, &training);
	work.trainer.entity.count = blocks * ((int64_t) training.block_size + training.negatives);
	work.trainer.relation.count = blocks * training.block_size;
	return work;
}

static Generating
take_generating(const KgeTrainer *plan, Allocation *allocation)
{
	Generating	generating;
	size_t		size = (size_t) plan->training.block_size;

	generating.pairing = kge_pairing_take(plan, allocation);
	generating.pick = TAKE(allocation, int32_t, size);
	generating.level = TAKE(allocation, float, size);
	generating.passed = TAKE(allocation, float, size);
	generating.advantage = TAKE(allocation, float, size);
	generating.one = TAKE(allocation, float, size);
	return generating;
}

/* The generator's trainer looks at its model, wherever that is. */
static void
attach(Generator *work)
{
	work->trainer.model = &work->model;
	work->trainer.relation.model = &work->model;
	work->trainer.entity.parameter = work->model.entity;
	work->trainer.relation.parameter = work->model.relation;
}

static void *
take(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	Generator  *memory = TAKE(allocation, Generator, 1);
	Generator	work = plan_generator(plan);
	size_t		blocks = (size_t) kge_sampled_blocks(&plan->training);

	attach(&work);
	work.model.entity = TAKE(allocation, float, kge_entity_count(&work.model));
	work.model.relation = TAKE(allocation, float, kge_relation_count(&work.model));
	kge_take_rows(&work.trainer, threads, allocation);
	work.baseline = TAKE(allocation, float, 1);
	work.reward = TAKE(allocation, double, blocks);
	work.picks = TAKE(allocation, int32_t, blocks);
	work.generating = TAKE(allocation, Generating, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Generating	generating = take_generating(&work.trainer, allocation);

		if (work.generating != NULL)
			work.generating[i] = generating;
	}
	if (memory != NULL)
	{
		*memory = work;
		attach(memory);
	}
	return memory;
}

static void
start(KgeTrainer *trainer)
{
	Generator  *work = generator(trainer);

	work->trainer.pool = trainer->pool;
	kge_model_initialise(&work->model, trainer->pool, work->trainer.training.seed);
	kge_reset_rows(&work->trainer);
	*work->baseline = 0;
}

static size_t
state_count(const KgeTrainer *plan)
{
	Generator	work = plan_generator(plan);

	return kge_entity_count(&work.model) + kge_relation_count(&work.model) +
		kge_slots_state_count(&work.trainer.entity) +
		kge_slots_state_count(&work.trainer.relation) + 1;
}

static bool
state(const KgeTrainer *trainer, int i, float **values, size_t *count)
{
	Generator  *work = generator(trainer);
	float	   *arrays[] = {
		work->model.entity, work->model.relation, work->trainer.entity.state,
		work->trainer.relation.state, work->baseline
	};
	size_t		counts[] = {
		kge_entity_count(&work->model), kge_relation_count(&work->model),
		kge_slots_state_count(&work->trainer.entity),
		kge_slots_state_count(&work->trainer.relation), 1
	};

	if (i >= (int) (sizeof(arrays) / sizeof(arrays[0])))
		return false;
	*values = arrays[i];
	*count = counts[i];
	return true;
}

/* ---- a block ------------------------------------------------------------ */

/* The generator scores the block's negatives; a positive's own answer is out. */
static void
score(KgeSampledBlock *block, Generating *generating)
{
	KgePairing *pairing = &generating->pairing;
	int			size = block->trainer->training.block_size;

	pairing->trainer = &generator(block->trainer)->trainer;
	pairing->count = block->count;
	pairing->negatives = block->negatives;
	pairing->given_slot = block->item * (size + block->negatives);
	pairing->negative_slot = pairing->given_slot + size;
	pairing->relation_slot = block->item * size;
	kge_pairing_open(pairing, block->side, block->triple, NULL, block->negative);
	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		kge_pairing_score(pairing, from, kge_tile_size(block, from));
		kge_mask_answers(block, from, kge_tile_size(block, from), pairing->score);
		pool_yield(block->trainer->pool, block->thread);
	}
	kge_sum_negatives(block, 1, pairing->score);
}

/* Goes on with negatives from .. from+count-1, until p has passed the level. */
static void
pick_from(KgeSampledBlock *block, Generating *generating, int from, int count)
{
	int			stride = block->pairing.score_stride;

	kge_share_negatives(block, 1, kge_pairing_scores(&generating->pairing, from), count,
						generating->one, block->share);
	for (int k = 0; k < count; k++)
		for (int i = 0; i < block->count; i++)
		{
			generating->passed[i] += block->share[k * stride + i];
			if (generating->pick[i] < 0 && generating->passed[i] > generating->level[i])
				generating->pick[i] = from + k;
		}
}

static void
pick(KgeSampledBlock *block, Generating *generating)
{
	const KgeTraining *training = &block->trainer->training;
	uint64_t	stream = random_stream(training->seed, DRAW_GENERATOR, 1 + block->trainer->epoch,
									   (uint64_t) block->number);

	for (int i = 0; i < block->count; i++)
	{
		generating->pick[i] = -1;
		generating->level[i] = (float) random_open(random_bits(stream, (uint64_t) i));
		generating->passed[i] = 0;
		generating->one[i] = 1;
	}
	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		pick_from(block, generating, from, kge_tile_size(block, from));
		pool_yield(block->trainer->pool, block->thread);
	}

	/* its own answer is picked only where there is nothing else */
	for (int i = 0; i < block->count; i++)
		if (generating->pick[i] >= 0 && block->negative[generating->pick[i]] == block->answer[i])
			generating->pick[i] = -1;
}

/* Asks the discriminator. */
static void
reward(KgeSampledBlock *block, Generating *generating)
{
	Generator  *work = generator(block->trainer);

	work->reward[block->item] = 0;
	work->picks[block->item] = 0;
	for (int i = 0; i < block->count; i++)
	{
		float		phi;

		generating->advantage[i] = 0;
		if (generating->pick[i] < 0)
			continue;
		phi = kge_pairing_scores(&block->pairing, generating->pick[i])[i];
		generating->advantage[i] = block->weight[i] * (phi - *work->baseline);
		work->reward[block->item] += phi;
		work->picks[block->item]++;
	}
}

/* The policy gradient. */
static void
learn(KgeSampledBlock *block, Generating *generating)
{
	KgePairing *pairing = &generating->pairing;

	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		int			count = kge_tile_size(block, from);
		float	   *derivative = block->share;

		kge_share_negatives(block, 1, kge_pairing_scores(pairing, from), count,
							generating->advantage, derivative);
		for (int i = 0; i < block->count; i++)
			if (generating->pick[i] >= from && generating->pick[i] < from + count)
				derivative[(generating->pick[i] - from) * pairing->score_stride + i] -=
					generating->advantage[i];
		kge_pairing_learn(pairing, from, count, derivative);
		pool_yield(block->trainer->pool, block->thread);
	}
	kge_pairing_close(pairing);
}

static void
look(KgeSampledBlock *block)
{
	Generating *generating = &generator(block->trainer)->generating[block->thread];

	score(block, generating);
	pick(block, generating);
	reward(block, generating);
	learn(block, generating);
}

/* All the weight is the pick's. */
static void
share(KgeSampledBlock *block, int from, int count)
{
	const Generating *generating = &generator(block->trainer)->generating[block->thread];
	int			stride = block->pairing.score_stride;

	memset(block->share, 0, (size_t) count * (size_t) stride * sizeof(float));
	for (int i = 0; i < block->count; i++)
		if (generating->pick[i] >= from && generating->pick[i] < from + count)
			block->share[(generating->pick[i] - from) * stride + i] = block->weight[i];
}

/* ---- a minibatch ---------------------------------------------------------- */

static void
finish(KgeTrainer *trainer, int64_t blocks)
{
	Generator  *work = generator(trainer);
	double		sum = 0;
	int64_t		picks = 0;

	if (trainer->observing)
	{
		kge_forget_rows(&work->trainer);
		return;
	}
	for (int64_t i = 0; i < blocks; i++)
	{
		sum += work->reward[i];
		picks += work->picks[i];
	}
	work->trainer.epoch = trainer->epoch;
	kge_move_rows(&work->trainer, (double) trainer->count, (double) trainer->count);
	if (picks > 0)
		*work->baseline = (float) (sum / (double) picks);
}

const KgeSampler kge_sampler_kbgan = {
	.name = "kbgan",
	.take = take,
	.start = start,
	.finish = finish,
	.look = look,
	.share = share,
	.state = state,
	.state_count = state_count
};
