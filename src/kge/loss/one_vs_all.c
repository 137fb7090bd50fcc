/*
 * one_vs_all.c
 *		Softmax loss: every query is scored against all entities.
 *
 * Each positive answers two queries, one for either side; the loss of an answer is the
 * cross entropy against all entities (Lacroix et al. 2018), its derivative by a score
 * the softmax, less 1 for the answer.
 *
 * Positives that answer the same query share its scores: their losses add up to
 * (sum of weights) * log(sum of exp(score)) - sum of weight * score.  So an epoch is cut
 * into groups of positives that share a query (group.c), taken in an order drawn for
 * the epoch, and a minibatch is as many groups as have 2 batch_size answers, which is
 * what batch_size positives have on both sides.  Every answer is learnt once an epoch,
 * as it would be alone; those of one query are learnt together, but for queries of very
 * many answers, which no minibatch should be full of.
 *
 * A minibatch is learnt in waves: as many queries as may keep their scores for all
 * entities at once.  A wave is cut twice, into blocks of queries and tiles of
 * entities.  In turn, all threads
 *		make the queries							(an item: a block)
 *		score, and take the softmax in parts		(a tile, with all blocks)
 *		put the parts together						(a block)
 *		go back from scores to embeddings			(a shard, with all blocks)
 *		go back from queries to given entities		(a block)
 * A shard is a run of tiles.  It alone writes the gradients of its entities, and has
 * a copy of the queries' gradients of its own; these are added up in the shards'
 * order.  How many shards there are does not depend on the threads.
 *
 * Slots: the given entity and the relation of each query.  Over an epoch the head and
 * the tail of a positive are given once each, so each is regularized once; its relation
 * is given twice, and regularized by half.  (Under DURA its two queries are, not the relation.)
 */
#include <math.h>
#include <string.h>

#include "one_vs_all.h"
#include "core/dense.h"
#include "core/pool.h"
#include "core/vector.h"
#include "kge/learn/bfloat16.h"
#include "loss.h"
#include "tiles.h"

#define WAVE	512				/* queries, at most */
#define WAVE_BFLOAT16 640		/* the same, in half the bytes */
#define WAVE_BYTES ((size_t) 64 << 20)	/* of scores, unless one block takes more */
#define GROUPS	16				/* in a minibatch, at least: so large may one be */

typedef struct Answer
{
	int32_t		entity;
	float		weight;
	float		score;
} Answer;

typedef struct Query
{
	KgeQuery	asked;
	int			answers;
	Answer	   *answer;
} Query;

typedef struct OneVsAll
{
	int			stride;			/* of rows of queries */
	int			wave;			/* queries, whole blocks */
	KgeTiles	tiles;

	/* the epoch */
	KgeGroups	groups;
	KgeOrder	order;			/* of groups */
	int64_t		place;			/* of the group that comes next */

	/* the minibatch: of each query its group and its first answer */
	int64_t    *group;
	int32_t    *first_answer;
	Answer	   *answer;
	int			queries;
	int			answers;
	KgeSum		total;

	/* the loss of relations, if not NULL, and what it asks */
	KgeRelationLoss *relations;
	KgePair    *pair;			/* of each answer */

	/* of each query of a wave */
	Query	   *query;
	float	   *weight;			/* the sum of its answers' */
	float	   *log_sum;		/* logarithm of the sum of exp(score) */
	double	   *loss;
	float	   *vector;			/* wave x stride */

	float	   *prepared;		/* of each block, the engine's */
	size_t		prepared_size;
	float	   *score;			/* of each block, tiles x KGE_TILE x KGE_BLOCK; then the softmax's parts */
	uint16_t   *part;			/* these in bfloat16, instead */
	float	   *maximum;		/* tiles x wave: the softmax in parts */
	float	   *sum;
	float	   *d_query;		/* shards x wave x stride */
	float	   *derivative;		/* of each thread, KGE_TILE x KGE_BLOCK */

	/* in bfloat16, if not NULL */
	const KgeBfloat16 *kernels;
	KgePacked	tile;			/* of each thread, the one at work */
	KgePacked	packed;			/* queries, block by block */
	KgeDerivatives derivatives; /* of each thread, of the tile at work and all queries */

	/* the wave at work */
	int			first;			/* its first query's number in the minibatch */
	int			count;
} OneVsAll;

/* ---- memory ------------------------------------------------------------- */

static int
most_answers(const KgeTrainer *plan)
{
	return 2 * plan->training.batch_size;
}

static void
plan_softmax(KgeTrainer *plan)
{
	plan->entity.count = plan->relation.count = most_answers(plan);
	plan->entity.is_dense = true;
	if (plan->training.relation_weight > 0)
		kge_relation_loss_plan(plan, most_answers(plan));
}

static size_t
score_bytes(const KgeTrainer *plan)
{
	return kge_in_bfloat16(plan) ? sizeof(uint16_t) : sizeof(float);
}

static int
wave_blocks(const KgeTrainer *plan)
{
	int			blocks = (int) pool_pieces(most_answers(plan), KGE_BLOCK);
	int			most = (kge_in_bfloat16(plan) ? WAVE_BFLOAT16 : WAVE) / KGE_BLOCK;
	int64_t		fit = (int64_t) (WAVE_BYTES / (KGE_BLOCK * score_bytes(plan) * (size_t) plan->entity.rows));

	if (blocks > most)
		blocks = most;
	return fit < 1 ? 1 : blocks < fit ? blocks : (int) fit;
}

static KgeGroups
plan_groups(const KgeTrainer *plan)
{
	KgeGroups	groups = {.room = plan->max_positives};

	groups.keys = plan->entity.rows > plan->relation.rows ? plan->entity.rows : plan->relation.rows;
	groups.limit = (int) pool_pieces(most_answers(plan), GROUPS);
	return groups;
}

/* What the other precision needs instead of `prepared`. */
static void
take_bfloat16(const KgeTrainer *plan, int threads, OneVsAll *work, Allocation *allocation)
{
	work->kernels = kge_bfloat16();
	work->tile = kge_packed_take(allocation, (size_t) threads, KGE_TILE, plan->entity.width);
	work->packed = kge_packed_take(allocation, 1, (size_t) work->wave, plan->entity.width);
	work->part = allocation_take(allocation, (size_t) work->tiles.count * KGE_TILE,
								 (size_t) work->wave * sizeof(uint16_t));
	work->derivatives = kge_derivatives_take(allocation, threads, KGE_TILE, work->wave, KGE_BLOCK);
}

/* What the queries of a wave and their scores need */
static void
take_wave(const KgeTrainer *plan, int threads, OneVsAll *work, Allocation *allocation)
{
	size_t		wave = (size_t) work->wave;
	size_t		row = (size_t) work->stride * sizeof(float);

	work->query = TAKE(allocation, Query, wave);
	work->weight = TAKE(allocation, float, wave);
	work->log_sum = TAKE(allocation, float, wave);
	work->loss = TAKE(allocation, double, wave);
	work->vector = allocation_take(allocation, wave, row);
	work->maximum = allocation_take(allocation, (size_t) work->tiles.count, wave * sizeof(float));
	work->sum = allocation_take(allocation, (size_t) work->tiles.count, wave * sizeof(float));
	work->d_query = allocation_take(allocation, (size_t) work->tiles.shards * wave, row);
	work->derivative = allocation_take(allocation, (size_t) threads, KGE_TILE * KGE_BLOCK * sizeof(float));
	if (kge_in_bfloat16(plan))
		take_bfloat16(plan, threads, work, allocation);
	else
	{
		work->score = allocation_take(allocation, (size_t) work->tiles.count * KGE_TILE, wave * sizeof(float));
		work->prepared_size = kge_engine_scratch(&plan->engine, KGE_BLOCK);
		work->prepared = allocation_take(allocation, wave / KGE_BLOCK, work->prepared_size * sizeof(float));
	}
}

static void *
take_softmax(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	OneVsAll   *memory = TAKE(allocation, OneVsAll, 1);
	OneVsAll	work = {0};
	size_t		most = (size_t) most_answers(plan);

	work.stride = plan->entity.stride;
	work.wave = wave_blocks(plan) * KGE_BLOCK;
	work.tiles = kge_tiles(plan->entity.rows);

	work.groups = plan_groups(plan);
	kge_groups_take(&work.groups, allocation);
	work.group = TAKE(allocation, int64_t, most);
	work.first_answer = TAKE(allocation, int32_t, most + 1);
	work.answer = TAKE(allocation, Answer, most);
	if (plan->training.relation_weight > 0)
	{
		work.relations = kge_relation_loss_take(plan, most_answers(plan), threads, allocation);
		work.pair = TAKE(allocation, KgePair, most);
	}
	take_wave(plan, threads, &work, allocation);
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* ---- an epoch's minibatches ---------------------------------------------- */

static void
open_epoch(KgeTrainer *trainer, int64_t count)
{
	OneVsAll   *work = trainer->work;

	kge_groups_fill(&work->groups, trainer->pool, trainer->positives, count);
	work->order = kge_order(trainer->training.seed, trainer->epoch,
							(uint64_t) kge_groups_count(&work->groups));
	work->place = 0;
}

/* Takes the groups of the next minibatch; false when none is left. */
static bool
next_minibatch(KgeTrainer *trainer)
{
	OneVsAll   *work = trainer->work;

	work->queries = work->answers = 0;
	for (; work->place < (int64_t) work->order.count; work->place++)
	{
		int64_t		number = (int64_t) kge_order_place(&work->order, (uint64_t) work->place);
		int			count = kge_group(&work->groups, number).count;

		if (work->answers + count > most_answers(trainer))
			break;
		work->group[work->queries] = number;
		work->first_answer[work->queries++] = work->answers;
		work->answers += count;
	}
	return work->queries > 0;
}

/* ---- where things are --------------------------------------------------- */

/* A block's queries, and where its scores from an entity on are. */
static inline KgeRows
block_queries(const OneVsAll *work, int block)
{
	int			left = work->count - block * KGE_BLOCK;

	return (KgeRows) {
		left < KGE_BLOCK ? left : KGE_BLOCK, work->stride,
		work->vector + (size_t) block * KGE_BLOCK * (size_t) work->stride
	};
}

static inline size_t
score_place(const OneVsAll *work, int block, int32_t entity)
{
	return ((size_t) block * (size_t) work->tiles.count * KGE_TILE + (size_t) entity) * KGE_BLOCK;
}

static inline float *
block_scores(const KgeTrainer *trainer, int block, int32_t entity)
{
	const OneVsAll *work = trainer->work;

	return work->score + score_place(work, block, entity);
}

static inline float *
block_prepared(const OneVsAll *work, int block)
{
	return work->prepared + (size_t) block * work->prepared_size;
}

static inline KgePacked
block_packed(const OneVsAll *work, int block)
{
	return kge_packed_from(work->packed, (size_t) block * KGE_BLOCK);
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

/*
 * A tile in bfloat16, in the layout for scores or that for gradients: rounding it anew costs hardly more than reading
 * it.
 */
static KgePacked
pack_tile(const KgeTrainer *trainer, int tile, bool for_scores, int thread)
{
	const OneVsAll *work = trainer->work;
	KgePacked	packed = kge_packed_of(work->tile, thread);

	if (for_scores)
		packed.along = NULL;
	else
		packed.across = NULL;
	kge_pack_candidates(work->kernels, kge_tile_candidates(trainer, tile), packed);
	return packed;
}

/* Fetches a query and its answers. */
static void
read_query(const KgeTrainer *trainer, int number)
{
	OneVsAll   *work = trainer->work;
	int			place = work->first + number;
	KgeGroup	group = kge_group(&work->groups, work->group[place]);
	const Triple *triple = &trainer->positives[group.member[0]];
	Query	   *query = &work->query[number];

	query->asked = kge_query(trainer->model, *triple, group.side);
	query->answers = group.count;
	query->answer = work->answer + work->first_answer[place];
	work->weight[number] = 0;
	for (int i = 0; i < group.count; i++)
	{
		int32_t		positive = group.member[i];

		triple = &trainer->positives[positive];
		query->answer[i].entity = triple_answer(triple, group.side);
		query->answer[i].weight = trainer->worth == NULL ? 1 : trainer->worth[positive];
		work->weight[number] += query->answer[i].weight;
	}
}

static void
make_query(KgeTrainer *trainer, int number)
{
	OneVsAll   *work = trainer->work;
	const Query *query = &work->query[number];
	int			slot = work->first + number;

	read_query(trainer, number);
	trainer->entity.row[slot] = query->asked.given;
	trainer->entity.penalty[slot] = work->weight[number];
	kge_open_relation_slot(trainer, slot, query->asked, work->weight[number] / 2);
	kge_make_query(trainer->model, query->asked,
				   work->vector + (size_t) number * (size_t) work->stride);
}

/* Item: a block. */
static void
make_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	KgeRows		queries = block_queries(work, (int) item);

	for (int i = 0; i < queries.count; i++)
	{
		make_query(trainer, (int) item * KGE_BLOCK + i);
		pool_yield(trainer->pool, thread);
	}
	if (work->kernels != NULL)
		kge_pack_queries(queries, block_packed(work, (int) item));
	else
		kge_engine_prepare(&trainer->engine, queries, block_prepared(work, (int) item));
}

/* Whether the gradients ask for scores, not only for derivatives. */
static inline bool
keeps_scores(const KgeTrainer *trainer)
{
	return trainer->engine.similarity == KGE_L2;
}

/* Keeps the scores of a block's answers in a tile; the others are not needed any more. */
static void
keep_answers(const OneVsAll *work, int block, int count, int32_t from, int rows, const float *score)
{
	for (int i = 0; i < count; i++)
	{
		const Query *query = &work->query[block * KGE_BLOCK + i];

		for (int j = 0; j < query->answers; j++)
		{
			int32_t		row = query->answer[j].entity - from;

			if (row >= 0 && row < rows)
				query->answer[j].score = score[row * KGE_BLOCK + i];
		}
	}
}

/* Item: a tile. */
static void
score_tile(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int32_t		from = (int32_t) item * KGE_TILE;
	KgeRows		candidates = kge_tile_candidates(trainer, (int) item);

	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		KgeRows		queries = block_queries(work, block);
		float	   *score = block_scores(trainer, block, from);
		size_t		parts = part(work, (int) item, block * KGE_BLOCK);

		kge_engine_scores(&trainer->engine, queries, block_prepared(work, block), candidates, score, KGE_BLOCK);
		keep_answers(work, block, queries.count, from, candidates.count, score);
		if (keeps_scores(trainer))
			kge_softmax_sums(candidates.count, queries.count, score, KGE_BLOCK,
							 work->maximum + parts, work->sum + parts);
		else
			kge_softmax_parts(candidates.count, queries.count, score, KGE_BLOCK,
							  work->maximum + parts, work->sum + parts);
		pool_yield(trainer->pool, thread);
	}
}

/* The last block of a minibatch has columns without a query, in which nothing was computed. */
static void
round_scores(int count, int queries, const float *score, uint16_t *rounded)
{
	if (queries == KGE_BLOCK)
		kge_bfloat16_round((size_t) count * KGE_BLOCK, score, rounded);
	else
		for (int i = 0; i < count; i++)
			kge_bfloat16_round((size_t) queries, score + (size_t) i * KGE_BLOCK, rounded + (size_t) i * KGE_BLOCK);
}

/* Item: a tile.  Parts in bfloat16 are half of the memory that is written here and read on the way back. */
static void
score_tile_bfloat16(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int32_t		from = (int32_t) item * KGE_TILE;
	KgePacked	packed = pack_tile(trainer, (int) item, true, thread);
	int			count = kge_tile_candidates(trainer, (int) item).count;
	float	   *score = work->derivative + (size_t) thread * KGE_TILE * KGE_BLOCK;

	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		int			queries = block_queries(work, block).count;
		size_t		parts = part(work, (int) item, block * KGE_BLOCK);

		kge_bfloat16_scores(work->kernels, block_packed(work, block), queries, packed, count, score, KGE_BLOCK);
		keep_answers(work, block, queries, from, count, score);
		kge_softmax_parts(count, queries, score, KGE_BLOCK, work->maximum + parts, work->sum + parts);
		round_scores(count, queries, score, work->part + score_place(work, block, from));
		pool_yield(trainer->pool, thread);
	}
}

/* The logarithm of the sum over all tiles. */
static double
log_sum(const OneVsAll *work, int query)
{
	double		maximum = work->maximum[part(work, 0, query)];
	double		sum = 0;

	for (int tile = 1; tile < work->tiles.count; tile++)
		maximum = fmax(maximum, work->maximum[part(work, tile, query)]);
	for (int tile = 0; tile < work->tiles.count; tile++)
		sum += work->sum[part(work, tile, query)] *
			exp(work->maximum[part(work, tile, query)] - maximum);
	/* cppcheck-suppress invalidFunctionArg ; there is a tile, and one of them adds 1 */
	return maximum + log(sum);
}

/* The sum over a query's answers of weight * (log_sum - score). */
static double
query_loss(const Query *query, double logarithm)
{
	double		loss = 0;

	for (int i = 0; i < query->answers; i++)
		loss += query->answer[i].weight * (logarithm - query->answer[i].score);
	return loss;
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
		int			query = (int) item * KGE_BLOCK + i;
		double		logarithm = log_sum(work, query);

		work->log_sum[query] = (float) logarithm;
		work->loss[query] = query_loss(&work->query[query], logarithm);
		pool_yield(trainer->pool, thread);
	}
}

/* ---- backward ----------------------------------------------------------- */

/* The loss's derivatives by the scores of a tile and a block. */
static void
derive(const KgeTrainer *trainer, int tile, int block, float *derivative)
{
	const OneVsAll *work = trainer->work;
	int32_t		from = tile * KGE_TILE;
	int			rows = kge_tile_candidates(trainer, tile).count;
	int			count = block_queries(work, block).count;
	const float *log_sums = work->log_sum + block * KGE_BLOCK;
	const float *weights = work->weight + block * KGE_BLOCK;
	float		factor[KGE_BLOCK];

	if (keeps_scores(trainer))
		kge_softmax(rows, count, block_scores(trainer, block, from), KGE_BLOCK, log_sums, weights, derivative);
	else
	{
		kge_softmax(1, count, work->maximum + part(work, tile, block * KGE_BLOCK), KGE_BLOCK,
					log_sums, weights, factor);
		if (work->kernels != NULL)
			kge_bfloat16_scale_parts(rows, count, work->part + score_place(work, block, from), KGE_BLOCK,
									 factor, derivative);
		else
			kge_scale_parts(rows, count, block_scores(trainer, block, from), KGE_BLOCK, factor, derivative);
	}
	for (int i = 0; i < count; i++)
	{
		const Query *query = &work->query[block * KGE_BLOCK + i];

		for (int j = 0; j < query->answers; j++)
		{
			int32_t		row = query->answer[j].entity - from;

			if (row >= 0 && row < rows)
				derivative[row * KGE_BLOCK + i] -= query->answer[j].weight;
		}
	}
}

static void
learn_tile(KgeTrainer *trainer, int shard, int tile, int thread)
{
	OneVsAll   *work = trainer->work;
	float	   *derivative = work->derivative + (size_t) thread * KGE_TILE * KGE_BLOCK;

	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		derive(trainer, tile, block, derivative);
		kge_engine_gradients(&trainer->engine, block_queries(work, block), kge_tile_candidates(trainer, tile),
							 block_scores(trainer, block, tile * KGE_TILE), derivative, KGE_BLOCK,
							 shard_gradient(work, shard, block * KGE_BLOCK), kge_tile_gradient(trainer, tile),
							 work->first > 0 || block > 0);
		pool_yield(trainer->pool, thread);
	}
}

/* The entities' gradients are one product over all blocks: their sums stay in registers. */
static void
learn_tile_bfloat16(KgeTrainer *trainer, int shard, int tile, int thread)
{
	OneVsAll   *work = trainer->work;
	KgeRows		candidates = kge_tile_candidates(trainer, tile);
	KgePacked	packed = pack_tile(trainer, tile, false, thread);
	KgeDerivatives derivatives = kge_derivatives_of(work->derivatives, thread);
	float	   *derivative = work->derivative + (size_t) thread * KGE_TILE * KGE_BLOCK;

	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		KgeRows		queries = block_queries(work, block);

		derive(trainer, tile, block, derivative);
		kge_pack_derivatives(work->kernels, candidates.count, queries.count, derivative, KGE_BLOCK,
							 block * KGE_BLOCK, derivatives);
		kge_bfloat16_query_gradients(work->kernels, derivatives, queries.count,
									 packed, candidates.count,
									 shard_gradient(work, shard, block * KGE_BLOCK), queries.stride);
		pool_yield(trainer->pool, thread);
	}
	kge_bfloat16_candidate_gradients(work->kernels, derivatives, work->packed, work->count,
									 candidates.count, kge_tile_gradient(trainer, tile), candidates.stride,
									 work->first > 0);
	pool_yield(trainer->pool, thread);
}

/* Item: a shard. */
static void
learn_shard(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int			shard = (int) item;

	memset(shard_gradient(work, shard, 0), 0,
		   (size_t) kge_whole(work->count) * (size_t) work->stride * sizeof(float));
	for (int tile = kge_shard_start(&work->tiles, shard); tile < kge_shard_start(&work->tiles, shard + 1); tile++)
		if (work->kernels != NULL)
			learn_tile_bfloat16(trainer, shard, tile, thread);
		else
			learn_tile(trainer, shard, tile, thread);
}

KERNEL void
pull_query(int n, float penalty, const float *restrict query, float *restrict d_query)
{
	for (int j = 0; j < n; j++)
		d_query[j] += penalty * query[j];
}

/*
 * The squares of a query, once for each of its answers.  Penalties are means over positives, the
 * slots' gradients will be divided by answers, of which a positive has two.
 */
static void
penalise_query(const KgeTrainer *trainer, int number, float *d_query)
{
	const OneVsAll *work = trainer->work;
	double		penalty = 2 * 2 * trainer->training.regularization * work->weight[number];

	pull_query(trainer->engine.width, (float) penalty,
			   work->vector + (size_t) number * (size_t) work->stride, d_query);
}

/* From a query's gradient to that of the entity that it is made of. */
static void
finish_query(KgeTrainer *trainer, int number)
{
	OneVsAll   *work = trainer->work;
	const Query *query = &work->query[number];
	KgeSlots   *entity = &trainer->entity;
	KgeSlots   *relation = &trainer->relation;
	size_t		slot = (size_t) work->first + (size_t) number;
	float	   *d_query = relation->gradient + slot * (size_t) relation->stride;
	float	   *d_entity = entity->gradient + slot * (size_t) entity->stride;
	size_t		bytes = (size_t) entity->width * sizeof(float);

	memcpy(d_query, shard_gradient(work, 0, number), bytes);
	for (int shard = 1; shard < work->tiles.shards; shard++)
		dense_add(entity->width, shard_gradient(work, shard, number), d_query);
	if (trainer->training.regularizer == KGE_REGULARIZER_DURA)
		penalise_query(trainer, number, d_query);
	memset(d_entity, 0, bytes);
	kge_given_gradient(trainer->model, query->asked, d_query, d_entity);
}

/* Item: a block. */
static void
finish_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	int			count = block_queries(trainer->work, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		finish_query(trainer, (int) item * KGE_BLOCK + i);
		pool_yield(trainer->pool, thread);
	}
}

/* ---- a minibatch -------------------------------------------------------- */

static double
learn_wave(KgeTrainer *trainer)
{
	OneVsAll   *work = trainer->work;
	int			blocks = (int) pool_pieces(work->count, KGE_BLOCK);
	double		loss = 0;

	pool_run(trainer->pool, blocks, make_queries, trainer);
	pool_run(trainer->pool, work->tiles.count, work->kernels != NULL ? score_tile_bfloat16 : score_tile, trainer);
	pool_run(trainer->pool, blocks, put_together, trainer);
	pool_run(trainer->pool, work->tiles.shards, learn_shard, trainer);
	pool_run(trainer->pool, blocks, finish_queries, trainer);
	for (int i = 0; i < work->count; i++)
		loss += work->loss[i];
	return loss;
}

/* Each answer also asks for its relation. */
static double
learn_relations(KgeTrainer *trainer)
{
	OneVsAll   *work = trainer->work;
	int			pairs = 0;

	for (int i = 0; i < work->queries; i++)
	{
		KgeGroup	group = kge_group(&work->groups, work->group[i]);

		for (int j = 0; j < group.count; j++)
		{
			int32_t		positive = group.member[j];

			work->pair[pairs++] = (KgePair) {
				kge_asked(trainer->model, trainer->positives[positive], group.side),
				trainer->worth == NULL ? 1 : trainer->worth[positive]
			};
		}
	}
	return kge_relation_loss(trainer, work->relations, work->pair, pairs, most_answers(trainer));
}

static int64_t
learn_softmax(void *argument)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	KgeSum		sum = {.terms = work->answers,.positives = work->answers / 2.0};
	int			waves = (int) pool_pieces(work->queries, work->wave);
	int			share = (int) pool_pieces((int) pool_pieces(work->queries, waves), KGE_BLOCK) * KGE_BLOCK;

	for (work->first = 0; work->first < work->queries; work->first += share)
	{
		int			left = work->queries - work->first;

		work->count = left < share ? left : share;
		sum.loss += learn_wave(trainer);
	}
	if (work->relations != NULL)
		sum.loss += learn_relations(trainer);
	work->total = sum;
	return 0;
}

static KgeSum
sum_minibatch(const KgeTrainer *trainer)
{
	return ((const OneVsAll *) trainer->work)->total;
}

double
kge_scores_of_all(const KgeTraining *training, const KgeModel *model,
				  int64_t positives, int64_t queries)
{
	return (double) queries * model->entities;
}

const KgeLoss kge_loss_softmax = {
	.name = "softmax",
	.cubes = true,
	.plan = plan_softmax,
	.take = take_softmax,
	.open = open_epoch,
	.next = next_minibatch,
	.scores = kge_scores_of_all,
	.learn = learn_softmax,
	.sum = sum_minibatch
};
