/*
 * train.c
 *		Embedding learning: minibatches of blocks.
 *
 * A minibatch is cut into blocks of positives.  A block corrupts one side, the
 * other side with every other block, and its positives share negatives drawn
 * for it, so that "this block's queries meet its negatives" is one call of the
 * engine forward and one backward.
 *
 * First the threads work on whole blocks: each writes its gradients in slots
 * of its own.  Then the leader groups the slots by the row they belong to, and
 * the threads update distinct rows (optimizer.c).  Nothing of this depends on
 * the number of threads.
 *
 * Slots of a block's entities: given, answer (one of each for a positive), then
 * the negatives.  A negative that is a positive's own answer is no negative of
 * that one: its score is set so low that loss and derivative are 0.
 *
 * The loss is the mean over the minibatch's positives and negatives, but the
 * slots hold the derivatives of their sum; the update divides them.
 */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "loss.h"
#include "optimizer.h"
#include "sampler.h"
#include "space.h"
#include "threads.h"
#include "vector.h"

#define TAKEN_OUT	(-1e30f)	/* a score that has no loss and no derivative */
#define TILE		128			/* negatives between two looks at the clock */
#define ROWS_AT_ONCE	16		/* rows of an item of the update */

/* What a thread needs to work on a block. */
typedef struct Scratch
{
	float	   *query;			/* block x stride */
	float	   *d_query;
	float	   *engine;
	float	   *candidate;		/* negatives x stride */
	float	   *score;			/* tile x score_stride */
	float	   *derivative;
	float	   *weight;			/* of each positive of the block */
	float	   *loss;
	float	   *own_score;		/* of each positive */
	float	   *own_derivative;
	KgeTriple  *triple;
	int32_t    *negative;
	float	   *sum;			/* a row, for the update */
} Scratch;

struct KgeTrainer
{
	KgePool    *pool;
	KgeModel   *model;
	KgeTraining training;
	KgeEngine	engine;
	int			stride;			/* of entity rows in slots and scratch */
	int			score_stride;
	int			blocks;			/* of a minibatch */
	KgeSlots	entity;
	KgeSlots	relation;
	double	   *block_loss;
	int64_t    *block_terms;	/* positives and negatives of a block */
	Scratch    *scratch;		/* one for each thread */

	/* the epoch and the minibatch at work */
	const KgeTriple *positives;
	const float *weights;
	uint64_t	epoch;
	KgeOrder	order;
	int64_t		start;			/* place of the minibatch's first positive */
	int64_t		count;			/* its positives */
	double		gradient_scale;
	double		penalty_scale;
	int32_t		entity_items;	/* items of the update that are entities' */
};

/* ---- memory ------------------------------------------------------------- */

static void
take_scratch(Scratch *scratch, const KgeTrainer *trainer, KgeSpace *space)
{
	size_t		block = (size_t) trainer->training.block_size;
	size_t		negatives = (size_t) trainer->training.negatives;
	size_t		row = (size_t) trainer->stride * sizeof(float);
	size_t		scores = (size_t) trainer->score_stride * sizeof(float);
	int			widest = trainer->relation.stride > trainer->stride ?
		trainer->relation.stride : trainer->stride;

	scratch->query = kge_space_take(space, block, row);
	scratch->d_query = kge_space_take(space, block, row);
	scratch->engine = KGE_TAKE(space, float,
							   kge_engine_scratch(&trainer->engine, (int) block));
	scratch->candidate = kge_space_take(space, negatives, row);
	scratch->score = kge_space_take(space, TILE, scores);
	scratch->derivative = kge_space_take(space, TILE, scores);
	scratch->weight = KGE_TAKE(space, float, block);
	scratch->loss = KGE_TAKE(space, float, block);
	scratch->own_score = KGE_TAKE(space, float, block);
	scratch->own_derivative = KGE_TAKE(space, float, block);
	scratch->triple = KGE_TAKE(space, KgeTriple, block);
	scratch->negative = KGE_TAKE(space, int32_t, negatives);
	scratch->sum = KGE_TAKE(space, float, widest);
}

/* Sets the trainer's sizes and takes its arrays; returns it, in the space. */
static KgeTrainer *
take_trainer(KgeTrainer plan, int threads, KgeSpace *space)
{
	KgeTrainer *memory = KGE_TAKE(space, KgeTrainer, 1);

	kge_slots_take(&plan.entity, space);
	kge_slots_take(&plan.relation, space);
	plan.stride = plan.entity.stride;
	plan.score_stride = kge_stride(plan.training.block_size);
	plan.block_loss = KGE_TAKE(space, double, plan.blocks);
	plan.block_terms = KGE_TAKE(space, int64_t, plan.blocks);
	plan.scratch = KGE_TAKE(space, Scratch, threads);
	for (int i = 0; i < threads; i++)
	{
		Scratch		scratch;

		take_scratch(&scratch, &plan, space);
		if (plan.scratch != NULL)
			plan.scratch[i] = scratch;
	}
	if (memory != NULL)
		*memory = plan;
	return memory;
}

/* A trainer without memory: all that does not depend on an arena. */
static KgeTrainer
plan_trainer(const KgeModel *model, const KgeTraining *training, int64_t max_positives)
{
	KgeTrainer	plan = {0};
	int64_t		batch = training->batch_size;
	int64_t		block = training->block_size;

	if (batch > max_positives)
		batch = max_positives > 0 ? max_positives : 1;
	if (block > batch)
		block = batch;
	plan.training = *training;
	plan.training.batch_size = (int) batch;
	plan.training.block_size = (int) block;
	plan.engine = kge_engine(model);
	plan.blocks = (int) ((batch + block - 1) / block);

	plan.entity.rows = model->entities;
	plan.entity.width = kge_model_width(model);
	plan.entity.parameter = model->entity;
	plan.entity.count = plan.blocks * (2 * block + training->negatives);
	plan.relation.rows = model->relations;
	plan.relation.width = model->function->relation_width(model->dimensions);
	plan.relation.parameter = model->relation;
	plan.relation.count = plan.blocks * block;
	return plan;
}

size_t
kge_trainer_bytes(const KgeModel *model, const KgeTraining *training,
				  int64_t max_positives, int threads)
{
	KgeSpace	space = {0};

	take_trainer(plan_trainer(model, training, max_positives), threads, &space);
	return kge_space_bytes(&space);
}

KgeTrainer *
kge_trainer_create(KgeArena *arena, KgePool *pool, KgeModel *model,
				   const KgeTraining *training, int64_t max_positives)
{
	KgeTrainer	plan = plan_trainer(model, training, max_positives);
	int			threads = kge_pool_threads(pool);
	KgeSpace	space = {0};
	KgeTrainer *trainer;

	plan.pool = pool;
	plan.model = model;
	take_trainer(plan, threads, &space);
	if (plan.entity.count > INT32_MAX || !kge_space_open(&space, arena))
		return NULL;
	trainer = take_trainer(plan, threads, &space);
	kge_slots_reset(&trainer->entity);
	kge_slots_reset(&trainer->relation);
	return trainer;
}

bool
kge_trainer_state(const KgeTrainer *trainer, int i, float **values, size_t *count)
{
	const KgeSlots *slots = i == 0 ? &trainer->entity : &trainer->relation;

	if (i > 1)
		return false;
	*values = slots->state;
	*count = (size_t) slots->rows * (size_t) slots->width;
	return true;
}

/* ---- a block ------------------------------------------------------------ */

/* The block that a thread is working on. */
typedef struct Block
{
	KgeTrainer *trainer;
	Scratch    *scratch;
	KgeSide		side;			/* the corrupted one */
	int			count;			/* positives */
	int			negatives;
	int64_t		entity_slot;	/* its first slots */
	int64_t		relation_slot;
} Block;

static inline int32_t
given(const Block *block, int i)
{
	const KgeTriple *triple = &block->scratch->triple[i];

	return block->side == KGE_TAIL ? triple->head : triple->tail;
}

static inline int32_t
answer(const Block *block, int i)
{
	const KgeTriple *triple = &block->scratch->triple[i];

	return block->side == KGE_TAIL ? triple->tail : triple->head;
}

/* Slot i of the block's given entities; answers, then negatives follow. */
static inline float *
entity_gradient(const Block *block, int64_t i)
{
	KgeSlots   *slots = &block->trainer->entity;

	return slots->gradient + (size_t) (block->entity_slot + i) * (size_t) slots->stride;
}

static inline float *
relation_gradient(const Block *block, int64_t i)
{
	KgeSlots   *slots = &block->trainer->relation;

	return slots->gradient + (size_t) (block->relation_slot + i) * (size_t) slots->stride;
}

/* Fetches the block's positives, negatives and queries. */
static void
fill_block(Block *block, int64_t number, int64_t first)
{
	KgeTrainer *trainer = block->trainer;
	KgeModel   *model = trainer->model;
	Scratch    *scratch = block->scratch;
	size_t		stride = (size_t) trainer->stride;

	for (int i = 0; i < block->count; i++)
	{
		uint64_t	place = kge_order_place(&trainer->order, (uint64_t) (first + i));

		scratch->triple[i] = trainer->positives[place];
		scratch->weight[i] = trainer->weights == NULL ? 1 : trainer->weights[place];
		scratch->loss[i] = 0;
		model->function->query(model->dimensions, block->side,
							   kge_entity_row(model, given(block, i)),
							   kge_relation_row(model, scratch->triple[i].relation),
							   scratch->query + (size_t) i * stride);
	}
	kge_draw_negatives(trainer->training.seed, trainer->epoch, (uint64_t) number,
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
open_slots(Block *block)
{
	KgeSlots   *entity = &block->trainer->entity;
	KgeSlots   *relation = &block->trainer->relation;
	Scratch    *scratch = block->scratch;
	int			count = block->count;
	int32_t    *row = entity->row + block->entity_slot;
	float	   *penalty = entity->penalty + block->entity_slot;
	bool		angles = block->trainer->model->function->angles;

	for (int i = 0; i < count; i++)
	{
		row[i] = given(block, i);
		row[count + i] = answer(block, i);
		penalty[i] = penalty[count + i] = scratch->weight[i];
		relation->row[block->relation_slot + i] = scratch->triple[i].relation;
		relation->penalty[block->relation_slot + i] = angles ? 0 : scratch->weight[i];
	}
	for (int k = 0; k < block->negatives; k++)
	{
		row[2 * count + k] = scratch->negative[k];
		penalty[2 * count + k] = 0;
	}
	memset(entity_gradient(block, 0), 0,
		   (size_t) (2 * count) * (size_t) entity->stride * sizeof(float));
	memset(relation_gradient(block, 0), 0,
		   (size_t) count * (size_t) relation->stride * sizeof(float));
	memset(scratch->d_query, 0, (size_t) count * (size_t) entity->stride * sizeof(float));
}

/* The positives: each query meets its own answer. */
static void
learn_positives(Block *block)
{
	KgeTrainer *trainer = block->trainer;
	Scratch    *scratch = block->scratch;
	size_t		stride = (size_t) trainer->stride;

	for (int i = 0; i < block->count; i++)
		scratch->own_score[i] =
			kge_engine_score(&trainer->engine, scratch->query + (size_t) i * stride,
							 kge_entity_row(trainer->model, answer(block, i)));
	kge_logistic_loss(1, block->count, 1, scratch->own_score, 0, scratch->weight,
					  scratch->own_derivative, scratch->loss);
	for (int i = 0; i < block->count; i++)
		kge_engine_gradient(&trainer->engine, scratch->query + (size_t) i * stride,
							kge_entity_row(trainer->model, answer(block, i)),
							scratch->own_score[i], scratch->own_derivative[i],
							scratch->d_query + (size_t) i * stride,
							entity_gradient(block, block->count + i));
}

/* Takes out the scores of a negative's own positives. */
KGE_KERNEL int
mask_row(int n, const int32_t *restrict answers, int32_t negative, float *restrict score)
{
	int			masked = 0;

	for (int i = 0; i < n; i++)
	{
		masked += answers[i] == negative;
		score[i] = answers[i] == negative ? TAKEN_OUT : score[i];
	}
	return masked;
}

/* Takes out the scores of negatives that are a positive's own answer. */
static int64_t
mask_answers(Block *block, int from, int count)
{
	Scratch    *scratch = block->scratch;
	const int32_t *answers = block->trainer->entity.row + block->entity_slot + block->count;
	int64_t		masked = 0;

	for (int k = 0; k < count; k++)
		masked += mask_row(block->count, answers, scratch->negative[from + k],
						   scratch->score + (size_t) k * (size_t) block->trainer->score_stride);
	return masked;
}

/* Negatives from .. from+count-1 meet all queries; tells how many were masked. */
static int64_t
learn_negatives(Block *block, int from, int count)
{
	KgeTrainer *trainer = block->trainer;
	Scratch    *scratch = block->scratch;
	KgeRows		queries = {block->count, trainer->stride, scratch->query};
	KgeRows		candidates = {count, trainer->stride,
	scratch->candidate + (size_t) from * (size_t) trainer->stride};
	int64_t		masked;

	kge_engine_scores(&trainer->engine, queries, scratch->engine, candidates,
					  scratch->score, trainer->score_stride);
	masked = mask_answers(block, from, count);
	kge_logistic_loss(count, block->count, 0, scratch->score, trainer->score_stride,
					  scratch->weight, scratch->derivative, scratch->loss);
	kge_engine_gradients(&trainer->engine, queries, candidates, scratch->score,
						 scratch->derivative, trainer->score_stride, scratch->d_query,
						 entity_gradient(block, 2 * block->count + from));
	return masked;
}

/* From the queries' gradients to those of what they are made of. */
static void
finish_queries(Block *block)
{
	KgeModel   *model = block->trainer->model;
	Scratch    *scratch = block->scratch;

	for (int i = 0; i < block->count; i++)
		model->function->query_gradient(model->dimensions, block->side,
										kge_entity_row(model, given(block, i)),
										kge_relation_row(model, scratch->triple[i].relation),
										scratch->d_query + (size_t) i * (size_t) block->trainer->stride,
										entity_gradient(block, i), relation_gradient(block, i));
}

/* Item: block number `item` of the minibatch. */
static void
learn_block(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	int			size = trainer->training.block_size;
	int64_t		first = item * size;
	int64_t		left = trainer->count - first;
	int64_t		number = trainer->start / trainer->training.batch_size * trainer->blocks + item;
	int64_t		masked = 0;
	double		loss = 0;
	Block		block = {.trainer = trainer,.scratch = &trainer->scratch[thread]};
	KgeRows		queries;

	block.side = ((uint64_t) number + trainer->epoch) % 2 == 0 ? KGE_TAIL : KGE_HEAD;
	block.count = left < size ? (int) left : size;
	block.negatives = trainer->training.negatives;
	block.entity_slot = item * (2 * size + block.negatives);
	block.relation_slot = item * size;

	fill_block(&block, number, trainer->start + first);
	open_slots(&block);
	queries = (KgeRows) {block.count, trainer->stride, block.scratch->query};
	kge_engine_prepare(&trainer->engine, queries, block.scratch->engine);
	learn_positives(&block);
	for (int from = 0; from < block.negatives; from += TILE)
	{
		int			count = block.negatives - from;

		masked += learn_negatives(&block, from, count < TILE ? count : TILE);
		kge_pool_breathe(trainer->pool, thread);
	}
	finish_queries(&block);

	for (int i = 0; i < block.count; i++)
		loss += block.scratch->loss[i];
	trainer->block_loss[item] = loss;
	trainer->block_terms[item] = block.count * (int64_t) (1 + block.negatives) - masked;
}

/* ---- a minibatch and an epoch -------------------------------------------- */

/* Item: some of the touched rows, of entities first, then of relations. */
static void
update_rows(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	bool		of_entities = item < trainer->entity_items;
	KgeSlots   *slots = of_entities ? &trainer->entity : &trainer->relation;
	int32_t		from = (int32_t) (of_entities ? item : item - trainer->entity_items) * ROWS_AT_ONCE;
	int32_t		left = slots->touched_count - from;

	kge_slots_update(slots, from, from + (left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE),
					 trainer->training.learning_rate, trainer->gradient_scale,
					 trainer->penalty_scale, trainer->scratch[thread].sum);
}

static int32_t
update_items(const KgeSlots *slots)
{
	return (slots->touched_count + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
}

/* Adds the minibatch's losses and terms to the epoch's, and moves the rows. */
static void
learn_minibatch(KgeTrainer *trainer, double *epoch_loss, int64_t *epoch_terms)
{
	int			size = trainer->training.block_size;
	int64_t		blocks = (trainer->count + size - 1) / size;
	double		loss = 0;
	int64_t		terms = 0;

	memset(trainer->entity.row, -1, (size_t) trainer->entity.count * sizeof(int32_t));
	memset(trainer->relation.row, -1, (size_t) trainer->relation.count * sizeof(int32_t));
	kge_pool_run(trainer->pool, blocks, learn_block, trainer);
	for (int64_t i = 0; i < blocks; i++)
	{
		loss += trainer->block_loss[i];
		terms += trainer->block_terms[i];
	}
	*epoch_loss += loss;
	*epoch_terms += terms;
	if (!isfinite(loss))
		return;

	trainer->gradient_scale = 1.0 / (double) terms;
	trainer->penalty_scale = 2 * trainer->training.regularization / (double) trainer->count;
	kge_slots_group(&trainer->entity);
	kge_slots_group(&trainer->relation);
	trainer->entity_items = update_items(&trainer->entity);
	kge_pool_run(trainer->pool, trainer->entity_items + update_items(&trainer->relation),
				 update_rows, trainer);
}

double
kge_train_epoch(KgeTrainer *trainer, const KgeTriple *positives,
				const float *weights, int64_t count, uint64_t epoch)
{
	double		loss = 0;
	int64_t		terms = 0;
	int64_t		batch = trainer->training.batch_size;

	if (count == 0)
		return 0;
	trainer->positives = positives;
	trainer->weights = weights;
	trainer->epoch = epoch;
	trainer->order = kge_order(trainer->training.seed, epoch, (uint64_t) count);
	for (int64_t start = 0; start < count && isfinite(loss); start += batch)
	{
		trainer->start = start;
		trainer->count = count - start < batch ? count - start : batch;
		learn_minibatch(trainer, &loss, &terms);
	}
	return isfinite(loss) && terms > 0 ? loss / (double) terms : NAN;
}
