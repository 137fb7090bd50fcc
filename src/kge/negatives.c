/*
 * negatives.c
 *		Positives meet shared negatives: the logistic loss.
 *
 * A minibatch is cut into blocks of positives.  A block corrupts one side, the
 * other side with every other block, and its positives share negatives drawn
 * for it, so that "this block's queries meet its negatives" is one call of the
 * engine forward and one backward.  The threads work on whole blocks, each in
 * slots of its own.
 *
 * Slots of a block's entities: given, answer (one of each for a positive), then
 * the negatives.  A negative that is a positive's own answer is no negative of
 * that one: its score is set so low that loss and derivative are 0.
 *
 * The negatives are gone through twice, tile by tile: for their scores, which the
 * sampler may want to see all of before it says what each weighs, and for the rest.
 */
#include <string.h>

#include "loss.h"
#include "negatives.h"
#include "threads.h"
#include "vector.h"

typedef struct Negatives
{
	int			blocks;			/* of a minibatch */
	int			stride;			/* of entity rows in slots and scratch */
	int			score_stride;
	double	   *block_loss;
	int64_t    *block_terms;
	KgeBlockScratch *scratch;	/* one for each thread */
} Negatives;

/* ---- memory ------------------------------------------------------------- */

static int
count_blocks(const KgeTraining *training)
{
	return (int) (((int64_t) training->batch_size + training->block_size - 1) / training->block_size);
}

static void
plan_negatives(KgeTrainer *plan)
{
	const KgeTraining *training = &plan->training;
	int64_t		blocks = count_blocks(training);

	plan->entity.count = blocks * (2 * (int64_t) training->block_size + training->negatives);
	plan->relation.count = blocks * training->block_size;
}

static void
take_scratch(KgeBlockScratch *scratch, const KgeTrainer *plan, const Negatives *work, KgeSpace *space)
{
	size_t		block = (size_t) plan->training.block_size;
	size_t		negatives = (size_t) plan->training.negatives;
	size_t		row = (size_t) work->stride * sizeof(float);
	size_t		scores = (size_t) work->score_stride * sizeof(float);

	scratch->query = kge_space_take(space, block, row);
	scratch->engine = KGE_TAKE(space, float, kge_engine_scratch(&plan->engine, (int) block));
	scratch->candidate = kge_space_take(space, negatives, row);
	scratch->negative = KGE_TAKE(space, int32_t, negatives);
	scratch->score = kge_space_take(space, negatives, scores);
	scratch->share = kge_space_take(space, KGE_TILE, scores);
	scratch->derivative = kge_space_take(space, KGE_TILE, scores);
	scratch->triple = KGE_TAKE(space, KgeTriple, block);
	scratch->weight = KGE_TAKE(space, float, block);
	scratch->loss = KGE_TAKE(space, float, block);
	scratch->own_score = KGE_TAKE(space, float, block);
	scratch->own_derivative = KGE_TAKE(space, float, block);
	scratch->maximum = KGE_TAKE(space, float, block);
	scratch->sum = KGE_TAKE(space, float, block);
}

static void *
take_negatives(const KgeTrainer *plan, int threads, KgeSpace *space)
{
	Negatives  *memory = KGE_TAKE(space, Negatives, 1);
	Negatives	work;

	work.blocks = count_blocks(&plan->training);
	work.stride = plan->entity.stride;
	work.score_stride = kge_stride(plan->training.block_size);
	work.block_loss = KGE_TAKE(space, double, work.blocks);
	work.block_terms = KGE_TAKE(space, int64_t, work.blocks);
	work.scratch = KGE_TAKE(space, KgeBlockScratch, threads);
	for (int i = 0; i < threads; i++)
	{
		KgeBlockScratch scratch;

		take_scratch(&scratch, plan, &work, space);
		if (work.scratch != NULL)
			work.scratch[i] = scratch;
	}
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* ---- a block ------------------------------------------------------------ */

static inline int32_t
given(const KgeBlock *block, int i)
{
	const KgeTriple *triple = &block->scratch->triple[i];

	return block->side == KGE_TAIL ? triple->head : triple->tail;
}

static inline int32_t
answer(const KgeBlock *block, int i)
{
	const KgeTriple *triple = &block->scratch->triple[i];

	return block->side == KGE_TAIL ? triple->tail : triple->head;
}

/* Slot i of the block's given entities; answers, then negatives follow. */
static inline float *
entity_gradient(const KgeBlock *block, int64_t i)
{
	KgeSlots   *slots = &block->trainer->entity;

	return slots->gradient + (size_t) (block->entity_slot + i) * (size_t) slots->stride;
}

/* The gradients of the block's queries, which are those of its relations' slots. */
static inline float *
query_gradient(const KgeBlock *block, int64_t i)
{
	KgeSlots   *slots = &block->trainer->relation;

	return slots->gradient + (size_t) (block->relation_slot + i) * (size_t) slots->stride;
}

static inline KgeQuery
query(const KgeBlock *block, int i)
{
	return kge_query(block->trainer->model, block->scratch->triple[i], block->side);
}

/* Fetches the block's positives, negatives and queries. */
static void
fill_block(KgeBlock *block, int64_t first)
{
	KgeTrainer *trainer = block->trainer;
	KgeModel   *model = trainer->model;
	KgeBlockScratch *scratch = block->scratch;
	size_t		stride = (size_t) block->stride;

	for (int i = 0; i < block->count; i++)
	{
		scratch->triple[i] = kge_positive(trainer, first + i, &scratch->weight[i]);
		scratch->loss[i] = 0;
		kge_make_query(model, query(block, i), scratch->query + (size_t) i * stride);
	}
	kge_draw_negatives(trainer->training.seed, trainer->epoch, (uint64_t) block->number,
					   model->entities, block->negatives, scratch->negative);
	for (int k = 0; k < block->negatives; k++)
		memcpy(scratch->candidate + (size_t) k * stride,
			   kge_entity_row(model, scratch->negative[k]),
			   (size_t) trainer->engine.width * sizeof(float));
}

/*
 * Says which rows the block's slots belong to, and sets those to 0 that are
 * added to (negatives' gradients are not).
 */
static void
open_slots(KgeBlock *block)
{
	KgeSlots   *entity = &block->trainer->entity;
	KgeBlockScratch *scratch = block->scratch;
	int			count = block->count;
	int32_t    *row = entity->row + block->entity_slot;
	float	   *penalty = entity->penalty + block->entity_slot;

	for (int i = 0; i < count; i++)
	{
		row[i] = given(block, i);
		row[count + i] = answer(block, i);
		penalty[i] = penalty[count + i] = scratch->weight[i];
		kge_open_relation_slot(block->trainer, block->relation_slot + i, query(block, i),
							   scratch->weight[i]);
	}
	for (int k = 0; k < block->negatives; k++)
	{
		row[2 * count + k] = scratch->negative[k];
		penalty[2 * count + k] = 0;
	}
	memset(entity_gradient(block, 0), 0,
		   (size_t) (2 * count) * (size_t) entity->stride * sizeof(float));
	memset(query_gradient(block, 0), 0, (size_t) count * (size_t) block->stride * sizeof(float));
}

/* Takes out the scores of a negative's own positives. */
KGE_KERNEL int
mask_row(int n, const int32_t *restrict answers, int32_t negative, float *restrict score)
{
	int			masked = 0;

	for (int i = 0; i < n; i++)
	{
		masked += answers[i] == negative;
		score[i] = answers[i] == negative ? KGE_TAKEN_OUT : score[i];
	}
	return masked;
}

/* Takes out the scores of negatives that are a positive's own answer. */
static int64_t
mask_answers(KgeBlock *block, int from, int count)
{
	KgeBlockScratch *scratch = block->scratch;
	const int32_t *answers = block->trainer->entity.row + block->entity_slot + block->count;
	int64_t		masked = 0;

	for (int k = 0; k < count; k++)
		masked += mask_row(block->count, answers, scratch->negative[from + k],
						   kge_block_scores(block, from + k));
	return masked;
}

static KgeRows
tile(const KgeBlock *block, int from, int count)
{
	return (KgeRows) {
		count, block->stride,
		block->scratch->candidate + (size_t) from * (size_t) block->stride
	};
}

/* Scores negatives from .. from+count-1; tells how many were masked. */
static int64_t
score_tile(KgeBlock *block, KgeRows queries, int from, int count)
{
	kge_engine_scores(&block->trainer->engine, queries, block->scratch->engine,
					  tile(block, from, count), kge_block_scores(block, from),
					  block->score_stride);
	return mask_answers(block, from, count);
}

/* The positives' own scores, and their losses. */
static void
score_positives(KgeBlock *block)
{
	KgeTrainer *trainer = block->trainer;
	KgeBlockScratch *scratch = block->scratch;

	for (int i = 0; i < block->count; i++)
		scratch->own_score[i] =
			kge_engine_score(&trainer->engine, scratch->query + (size_t) i * (size_t) block->stride,
							 kge_entity_row(trainer->model, answer(block, i)));
	kge_logistic_loss(1, block->count, 1, scratch->own_score, 0, scratch->weight, 0,
					  scratch->own_derivative, scratch->loss);
}

/* The losses and gradients of negatives from .. from+count-1. */
static void
learn_tile(KgeBlock *block, KgeRows queries, int from, int count)
{
	KgeTrainer *trainer = block->trainer;
	KgeBlockScratch *scratch = block->scratch;
	const KgeSampler *sampler = trainer->training.sampler;
	float	   *score = kge_block_scores(block, from);
	bool		shares = sampler->share != NULL;

	if (shares)
		sampler->share(block, from, count);
	kge_logistic_loss(count, block->count, 0, score, block->score_stride,
					  shares ? scratch->share : scratch->weight,
					  shares ? block->score_stride : 0, scratch->derivative, scratch->loss);
	kge_engine_gradients(&trainer->engine, queries, tile(block, from, count), score,
						 scratch->derivative, block->score_stride, query_gradient(block, 0),
						 entity_gradient(block, 2 * block->count + from), false);
}

static void
learn_positives(KgeBlock *block)
{
	KgeTrainer *trainer = block->trainer;
	KgeBlockScratch *scratch = block->scratch;
	size_t		stride = (size_t) block->stride;

	for (int i = 0; i < block->count; i++)
		kge_engine_gradient(&trainer->engine, scratch->query + (size_t) i * stride,
							kge_entity_row(trainer->model, answer(block, i)),
							scratch->own_score[i], scratch->own_derivative[i],
							query_gradient(block, i),
							entity_gradient(block, block->count + i));
}

/* From the queries' gradients to those of the entities that they are made of. */
static void
finish_queries(KgeBlock *block)
{
	for (int i = 0; i < block->count; i++)
		kge_given_gradient(block->trainer->model, query(block, i), query_gradient(block, i),
						   entity_gradient(block, i));
}

static int
tile_size(const KgeBlock *block, int from)
{
	return block->negatives - from < KGE_TILE ? block->negatives - from : KGE_TILE;
}

/*
 * The terms of the block's mean: each positive is one; so is each negative of a positive,
 * or, if they share a weight, all of them together.
 */
static int64_t
learn(KgeBlock *block)
{
	KgePool    *pool = block->trainer->pool;
	const KgeSampler *sampler = block->trainer->training.sampler;
	KgeRows		queries = {block->count, block->stride, block->scratch->query};
	int64_t		masked = 0;

	kge_engine_prepare(&block->trainer->engine, queries, block->scratch->engine);
	for (int from = 0; from < block->negatives; from += KGE_TILE)
	{
		masked += score_tile(block, queries, from, tile_size(block, from));
		kge_pool_breathe(pool, block->thread);
	}
	score_positives(block);
	if (sampler->look != NULL)
		sampler->look(block);
	for (int from = 0; from < block->negatives; from += KGE_TILE)
	{
		learn_tile(block, queries, from, tile_size(block, from));
		kge_pool_breathe(pool, block->thread);
	}
	learn_positives(block);
	finish_queries(block);
	if (sampler->share != NULL)
		return 2 * block->count;
	return block->count * (int64_t) (1 + block->negatives) - masked;
}

/* Item: block number `item` of the minibatch. */
static void
learn_block(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	Negatives  *work = trainer->work;
	int			size = trainer->training.block_size;
	int64_t		first = item * size;
	int64_t		left = trainer->count - first;
	double		loss = 0;
	KgeBlock	block = {
		.trainer = trainer,
		.scratch = &work->scratch[thread],
		.thread = thread,
		.count = left < size ? (int) left : size,
		.negatives = trainer->training.negatives,
		.stride = work->stride,
		.score_stride = work->score_stride,
		.number = trainer->start / trainer->training.batch_size * work->blocks + item,
		.entity_slot = item * (2 * size + trainer->training.negatives),
		.relation_slot = first
	};

	block.side = ((uint64_t) block.number + trainer->epoch) % 2 == 0 ? KGE_TAIL : KGE_HEAD;
	fill_block(&block, first);
	open_slots(&block);
	work->block_terms[item] = learn(&block);
	for (int i = 0; i < block.count; i++)
		loss += block.scratch->loss[i];
	work->block_loss[item] = loss;
}

static KgeSum
learn_logistic(KgeTrainer *trainer)
{
	Negatives  *work = trainer->work;
	int			size = trainer->training.block_size;
	int64_t		blocks = (trainer->count + size - 1) / size;
	KgeSum		sum = {.positives = (double) trainer->count};

	kge_pool_run(trainer->pool, blocks, learn_block, trainer);
	for (int64_t i = 0; i < blocks; i++)
	{
		sum.loss += work->block_loss[i];
		sum.terms += work->block_terms[i];
	}
	return sum;
}

static double
scores_of_negatives(const KgeTraining *training, const KgeModel *model,
					int64_t positives, int64_t queries)
{
	(void) model;
	(void) queries;
	return (double) positives * (1 + training->negatives);
}

const KgeLoss kge_loss_logistic = {
	.name = "logistic",
	.plan = plan_negatives,
	.take = take_negatives,
	.scores = scores_of_negatives,
	.learn = learn_logistic
};
