/*
 * one_vs_all.c
 *		Softmax loss: every query meets all entities.
 *
 * Each positive gives two queries, one for either side; a query's loss is the cross
 * entropy of its answer against all entities (Lacroix et al. 2018), its derivative by
 * a score the softmax, less 1 for the answer.
 *
 * A minibatch is learnt in waves: as many queries as may keep their scores for all
 * entities at once.  A wave is cut twice, into blocks of queries and tiles of
 * entities.  In turn, all threads
 *		make the queries							(an item: a block)
 *		score, and sum up the softmax in parts		(a tile, with all blocks)
 *		put the parts together						(a block)
 *		go back from scores to embeddings			(a shard, with all blocks)
 *		go back from queries to embeddings			(a block)
 * A shard is a run of tiles.  It alone writes the gradients of its entities, and has
 * a copy of the queries' gradients of its own; these are added up in the shards'
 * order.  How many shards there are does not depend on the threads.
 *
 * Slots: the entity and the relation of query i.  A positive's tail is the entity of
 * its other query, so that h, r and t are each regularised once.
 */
#include <math.h>
#include <string.h>

#include "loss.h"
#include "threads.h"
#include "trainer.h"
#include "vector.h"

#define BLOCK	64				/* queries */
#define TILE	128				/* entities */
#define WAVE	256				/* queries, at most */
#define WAVE_BYTES ((size_t) 64 << 20)	/* of scores, unless one block takes more */
#define SHARDS	32				/* at most */

typedef struct OneVsAll
{
	int			stride;			/* of rows of queries */
	int			wave;			/* queries, whole blocks */
	int			tiles;
	int			shard_tiles;	/* tiles of a shard */
	int			shards;

	/* of each query */
	KgeTriple  *triple;
	float	   *weight;
	float	   *log_sum;		/* logarithm of the sum of exp(score) */
	double	   *loss;
	float	   *query;			/* wave x stride */

	float	   *prepared;		/* of each block, the engine's */
	size_t		prepared_size;
	float	   *score;			/* of each block, entities x BLOCK */
	float	   *maximum;		/* tiles x wave: the softmax in parts */
	float	   *sum;
	float	   *d_query;		/* shards x wave x stride */
	float	   *derivative;		/* of each thread, TILE x BLOCK */
	float	   *d_candidate;	/* of each thread, TILE x an entity's width */

	/* the wave at work */
	int64_t		first;			/* its first query's number in the minibatch */
	int			count;
} OneVsAll;

/* ---- memory ------------------------------------------------------------- */

static void
plan_softmax(KgeTrainer *plan)
{
	plan->entity.count = plan->relation.count = 2 * (int64_t) plan->training.batch_size;
	plan->entity.is_dense = true;
}

static int
pieces(int64_t number, int unit)
{
	return (int) ((number + unit - 1) / unit);
}

static int
wave_blocks(const KgeTrainer *plan)
{
	int64_t		blocks = pieces(2 * (int64_t) plan->training.batch_size, BLOCK);
	int64_t		fit = (int64_t) (WAVE_BYTES / (BLOCK * sizeof(float) * (size_t) plan->entity.rows));

	if (blocks > WAVE / BLOCK)
		blocks = WAVE / BLOCK;
	return (int) (fit < 1 ? 1 : blocks < fit ? blocks : fit);
}

static void *
take_softmax(const KgeTrainer *plan, int threads, KgeSpace *space)
{
	OneVsAll   *memory = KGE_TAKE(space, OneVsAll, 1);
	OneVsAll	work = {0};
	size_t		blocks = (size_t) wave_blocks(plan);
	size_t		wave = blocks * BLOCK;
	size_t		row;

	work.stride = plan->entity.stride;
	row = (size_t) work.stride * sizeof(float);
	work.wave = (int) wave;
	work.tiles = pieces(plan->entity.rows, TILE);
	work.shard_tiles = pieces(work.tiles, SHARDS);
	work.shards = pieces(work.tiles, work.shard_tiles);
	work.prepared_size = kge_engine_scratch(&plan->engine, BLOCK);

	work.triple = KGE_TAKE(space, KgeTriple, wave);
	work.weight = KGE_TAKE(space, float, wave);
	work.log_sum = KGE_TAKE(space, float, wave);
	work.loss = KGE_TAKE(space, double, wave);
	work.query = kge_space_take(space, wave, row);
	work.prepared = kge_space_take(space, blocks, work.prepared_size * sizeof(float));
	work.score = kge_space_take(space, (size_t) plan->entity.rows, wave * sizeof(float));
	work.maximum = kge_space_take(space, (size_t) work.tiles, wave * sizeof(float));
	work.sum = kge_space_take(space, (size_t) work.tiles, wave * sizeof(float));
	work.d_query = kge_space_take(space, (size_t) work.shards * wave, row);
	work.derivative = kge_space_take(space, (size_t) threads, TILE * BLOCK * sizeof(float));
	work.d_candidate = kge_space_take(space, (size_t) threads,
									  TILE * (size_t) plan->entity.width * sizeof(float));
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* ---- where things are --------------------------------------------------- */

static inline KgeSide
side(const OneVsAll *work, int query)
{
	return (work->first + query) % 2 == 0 ? KGE_TAIL : KGE_HEAD;
}

static inline int32_t
given(const OneVsAll *work, int query)
{
	return side(work, query) == KGE_TAIL ? work->triple[query].head : work->triple[query].tail;
}

static inline int32_t
answer(const OneVsAll *work, int query)
{
	return side(work, query) == KGE_TAIL ? work->triple[query].tail : work->triple[query].head;
}

/* A block's queries, and its scores from an entity on. */
static inline KgeRows
block_queries(const OneVsAll *work, int block)
{
	int			left = work->count - block * BLOCK;

	return (KgeRows) {
		left < BLOCK ? left : BLOCK, work->stride,
		work->query + (size_t) block * BLOCK * (size_t) work->stride
	};
}

static inline float *
block_scores(const KgeTrainer *trainer, int block, int32_t entity)
{
	const OneVsAll *work = trainer->work;

	return work->score +
		((size_t) block * (size_t) trainer->model->entities + (size_t) entity) * BLOCK;
}

static inline float *
block_prepared(const OneVsAll *work, int block)
{
	return work->prepared + (size_t) block * work->prepared_size;
}

static KgeRows
tile_candidates(const KgeTrainer *trainer, int tile)
{
	int32_t		left = trainer->model->entities - tile * TILE;

	return (KgeRows) {
		left < TILE ? left : TILE, trainer->engine.width,
		kge_entity_row(trainer->model, tile * TILE)
	};
}

static inline size_t
part(const OneVsAll *work, int tile, int query)
{
	return (size_t) tile * (size_t) work->wave + (size_t) query;
}

static inline float *
shard_gradient(const OneVsAll *work, int shard, int query)
{
	return work->d_query +
		((size_t) shard * (size_t) work->wave + (size_t) query) * (size_t) work->stride;
}

/* ---- forward ------------------------------------------------------------ */

static void
make_query(KgeTrainer *trainer, int query)
{
	OneVsAll   *work = trainer->work;
	int64_t		slot = work->first + query;
	bool		angles = trainer->model->function->angles;
	float		weight;
	KgeTriple	triple = kge_positive(trainer, slot / 2, &weight);

	work->triple[query] = triple;
	work->weight[query] = weight;
	trainer->entity.row[slot] = given(work, query);
	trainer->entity.penalty[slot] = weight;
	trainer->relation.row[slot] = triple.relation;
	trainer->relation.penalty[slot] = angles || side(work, query) == KGE_HEAD ? 0 : weight;
	trainer->model->function->query(trainer->model->dimensions, side(work, query),
									kge_entity_row(trainer->model, given(work, query)),
									kge_relation_row(trainer->model, triple.relation),
									work->query + (size_t) query * (size_t) work->stride);
}

/* Item: a block. */
static void
make_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	KgeRows		queries = block_queries(work, (int) item);

	(void) thread;
	for (int i = 0; i < queries.count; i++)
		make_query(trainer, (int) item * BLOCK + i);
	kge_engine_prepare(&trainer->engine, queries, block_prepared(work, (int) item));
}

/* Item: a tile. */
static void
score_tile(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	KgeRows		candidates = tile_candidates(trainer, (int) item);

	for (int block = 0; block * BLOCK < work->count; block++)
	{
		KgeRows		queries = block_queries(work, block);
		float	   *score = block_scores(trainer, block, (int32_t) item * TILE);
		size_t		parts = part(work, (int) item, block * BLOCK);

		kge_engine_scores(&trainer->engine, queries, block_prepared(work, block),
						  candidates, score, BLOCK);
		kge_softmax_sums(candidates.count, queries.count, score, BLOCK,
						 work->maximum + parts, work->sum + parts);
		kge_pool_breathe(trainer->pool, thread);
	}
}

/* The logarithm of the sum over all tiles. */
static double
log_sum(const OneVsAll *work, int query)
{
	double		maximum = work->maximum[part(work, 0, query)];
	double		sum = 0;

	for (int tile = 1; tile < work->tiles; tile++)
		maximum = fmax(maximum, work->maximum[part(work, tile, query)]);
	for (int tile = 0; tile < work->tiles; tile++)
		sum += work->sum[part(work, tile, query)] *
			exp(work->maximum[part(work, tile, query)] - maximum);
	return maximum + log(sum);
}

/* Item: a block. */
static void
put_together(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int			count = block_queries(work, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		int			query = (int) item * BLOCK + i;
		double		logarithm = log_sum(work, query);

		work->log_sum[query] = (float) logarithm;
		work->loss[query] = work->weight[query] *
			(logarithm - block_scores(trainer, (int) item, answer(work, query))[i]);
		kge_pool_breathe(trainer->pool, thread);
	}
}

/* ---- backward ----------------------------------------------------------- */

KGE_KERNEL void
add_gradient(size_t n, const float *restrict x, float *restrict y)
{
	for (size_t j = 0; j < n; j++)
		y[j] += x[j];
}

/* The loss's derivatives by the scores of a tile and a block. */
static void
derive(const KgeTrainer *trainer, int tile, int block, float *derivative)
{
	const OneVsAll *work = trainer->work;
	int32_t		from = tile * TILE;
	int			rows = tile_candidates(trainer, tile).count;
	int			count = block_queries(work, block).count;

	kge_softmax(rows, count, block_scores(trainer, block, from), BLOCK,
				work->log_sum + block * BLOCK, work->weight + block * BLOCK, derivative);
	for (int i = 0; i < count; i++)
	{
		int32_t		row = answer(work, block * BLOCK + i) - from;

		if (row >= 0 && row < rows)
			derivative[row * BLOCK + i] -= work->weight[block * BLOCK + i];
	}
}

/* A tile and a block; the minibatch's first block sets the entities' gradients. */
static void
learn_tile(KgeTrainer *trainer, int shard, int tile, int block, int thread)
{
	OneVsAll   *work = trainer->work;
	size_t		width = (size_t) trainer->engine.width;
	KgeRows		candidates = tile_candidates(trainer, tile);
	float	   *derivative = work->derivative + (size_t) thread * TILE * BLOCK;
	float	   *gradient = trainer->entity.dense + (size_t) tile * TILE * width;
	float	   *addend = work->d_candidate + (size_t) thread * TILE * width;
	bool		first = work->first == 0 && block == 0;

	derive(trainer, tile, block, derivative);
	kge_engine_gradients(&trainer->engine, block_queries(work, block), candidates,
						 block_scores(trainer, block, tile * TILE), derivative, BLOCK,
						 shard_gradient(work, shard, block * BLOCK),
						 first ? gradient : addend);
	if (!first)
		add_gradient((size_t) candidates.count * width, addend, gradient);
}

/* Item: a shard. */
static void
learn_shard(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int			shard = (int) item;
	int			end = (shard + 1) * work->shard_tiles;

	memset(shard_gradient(work, shard, 0), 0,
		   (size_t) work->count * (size_t) work->stride * sizeof(float));
	for (int tile = shard * work->shard_tiles; tile < end && tile < work->tiles; tile++)
		for (int block = 0; block * BLOCK < work->count; block++)
		{
			learn_tile(trainer, shard, tile, block, thread);
			kge_pool_breathe(trainer->pool, thread);
		}
}

/* From a query's gradient to those of what it is made of. */
static void
finish_query(KgeTrainer *trainer, int query)
{
	OneVsAll   *work = trainer->work;
	KgeSlots   *entity = &trainer->entity;
	KgeSlots   *relation = &trainer->relation;
	size_t		slot = (size_t) (work->first + query);
	float	   *d_query = shard_gradient(work, 0, query);
	float	   *d_entity = entity->gradient + slot * (size_t) entity->stride;
	float	   *d_relation = relation->gradient + slot * (size_t) relation->stride;

	for (int shard = 1; shard < work->shards; shard++)
		add_gradient((size_t) entity->width, shard_gradient(work, shard, query), d_query);
	memset(d_entity, 0, (size_t) entity->width * sizeof(float));
	memset(d_relation, 0, (size_t) relation->width * sizeof(float));
	trainer->model->function->query_gradient(trainer->model->dimensions, side(work, query),
											 kge_entity_row(trainer->model, given(work, query)),
											 kge_relation_row(trainer->model,
															  work->triple[query].relation),
											 d_query, d_entity, d_relation);
}

/* Item: a block. */
static void
finish_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	int			count = block_queries(trainer->work, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		finish_query(trainer, (int) item * BLOCK + i);
		kge_pool_breathe(trainer->pool, thread);
	}
}

/* ---- a minibatch -------------------------------------------------------- */

static double
learn_wave(KgeTrainer *trainer)
{
	OneVsAll   *work = trainer->work;
	int			blocks = pieces(work->count, BLOCK);
	double		loss = 0;

	kge_pool_run(trainer->pool, blocks, make_queries, trainer);
	kge_pool_run(trainer->pool, work->tiles, score_tile, trainer);
	kge_pool_run(trainer->pool, blocks, put_together, trainer);
	kge_pool_run(trainer->pool, work->shards, learn_shard, trainer);
	kge_pool_run(trainer->pool, blocks, finish_queries, trainer);
	for (int i = 0; i < work->count; i++)
		loss += work->loss[i];
	return loss;
}

static KgeSum
learn_softmax(KgeTrainer *trainer)
{
	OneVsAll   *work = trainer->work;
	KgeSum		sum = {.terms = 2 * trainer->count};

	for (work->first = 0; work->first < sum.terms; work->first += work->wave)
	{
		int64_t		left = sum.terms - work->first;

		work->count = left < work->wave ? (int) left : work->wave;
		sum.loss += learn_wave(trainer);
	}
	return sum;
}

const KgeLoss kge_loss_softmax = {
	.name = "softmax",
	.cubes = true,
	.plan = plan_softmax,
	.take = take_softmax,
	.learn = learn_softmax
};
