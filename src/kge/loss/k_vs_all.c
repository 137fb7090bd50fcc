/*
 * k_vs_all.c
 *		Logistic loss of all entities: every query is scored against them, and all that answer it are true at once.
 *
 * Positives that answer the same query are a group (group.c), which a minibatch takes as a whole: batch_size of them, or
 * rather as many as leave the last minibatch no smaller than the others.  An entity that answers it has the label of its
 * positive's weight, 1 for a fact, others 0; label smoothing e makes that (1 - e) y + e / entities.  The loss of a score s
 * of label y is log(1 + e^s) - y s, its derivative sigma(s) - y.
 *
 * In turn, all threads
 *		make the queries							(an item: a block, or a minibatch by a network)
 *		score, derive and go back to embeddings		(a shard, with all blocks)
 *		go back from queries to given entities		(a block, or a minibatch by a network)
 * A shard is a run of tiles of entities.  It alone writes the gradients of these, and has a copy of the queries'
 * gradients of its own; these are added up in the shards' order.  How many shards there are does not depend on the threads.
 */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/random.h"
#include "core/sort.h"
#include "kge/learn/bfloat16.h"
#include "kge/score/conve.h"
#include "loss.h"
#include "one_vs_all.h"
#include "tiles.h"


typedef struct TrueAnswer
{
	int32_t		entity;
	float		label;
} TrueAnswer;

typedef struct GroupQuery
{
	KgeGroup	group;
	TrueAnswer *answer;			/* ascending */
	int			answers;
	float		weight;			/* the sum of labels */
} GroupQuery;

typedef struct KVsAll
{
	int			most;			/* queries of a minibatch */
	int			room;			/* the same in whole blocks */
	int			stride;			/* of rows of queries */
	KgeTiles	tiles;

	/* the epoch */
	KgeGroups	groups;
	KgeOrder	order;			/* of groups */
	int64_t		minibatches;
	int64_t		minibatch;		/* that comes next */

	/* the minibatch: of each query */
	int			count;
	GroupQuery *query;
	KgeQuery   *asked;
	float	   *vector;
	float	   *d_vector;
	TrueAnswer *answer;			/* of all */
	size_t		prepared_size;
	float	   *prepared;		/* of each block, the engine's */
	float	   *d_query;		/* shards x room x stride */
	double	   *loss;			/* of each shard */
	float	   *score;			/* of each thread, 2 x KGE_TILE x KGE_BLOCK: scores, and derivatives */
	ConveBatch *network;		/* NULL: a score function without one */

	/* in bfloat16, if not NULL */
	const KgeBfloat16 *kernels;
	KgePacked	tile;			/* of each thread, the one at work */
	KgePacked	packed;			/* queries, block by block */
	KgeDerivatives derivatives; /* of each thread, of the tile at work and all queries */
} KVsAll;

/* ---- memory ------------------------------------------------------------------------ */

static void
plan(KgeTrainer *plan)
{
	plan->entity.count = plan->relation.count = plan->training.batch_size;
	plan->entity.is_dense = true;
	plan->relation.is_dense = plan->relation.model == NULL;
}

static void
take_bfloat16(const KgeTrainer *plan, int threads, KVsAll *work, Allocation *allocation)
{
	work->kernels = kge_bfloat16();
	work->tile = kge_packed_take(allocation, (size_t) threads, KGE_TILE, plan->entity.width);
	work->packed = kge_packed_take(allocation, 1, (size_t) work->room, plan->entity.width);
	work->derivatives = kge_derivatives_take(allocation, threads, KGE_TILE, work->room, KGE_BLOCK);
}

static void *
take(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	KVsAll	   *memory = TAKE(allocation, KVsAll, 1);
	KVsAll		work = {.most = plan->training.batch_size,.stride = plan->entity.stride};
	size_t		most = (size_t) work.most;
	size_t		row = (size_t) work.stride * sizeof(float);

	work.room = (int) pool_pieces(work.most, KGE_BLOCK) * KGE_BLOCK;
	work.tiles = kge_tiles(plan->entity.rows);
	work.groups.room = plan->max_positives;
	work.groups.keys = plan->entity.rows > plan->relation.rows ? plan->entity.rows : plan->relation.rows;
	work.groups.limit = INT32_MAX;
	kge_groups_take(&work.groups, allocation);
	work.query = TAKE(allocation, GroupQuery, most);
	work.asked = TAKE(allocation, KgeQuery, most);
	work.vector = allocation_take(allocation, most, row);
	work.d_vector = allocation_take(allocation, most, row);
	work.answer = TAKE(allocation, TrueAnswer, 2 * (size_t) plan->max_positives);
	work.prepared_size = kge_engine_scratch(&plan->engine, KGE_BLOCK);
	work.prepared = allocation_take(allocation, (size_t) pool_pieces(work.most, KGE_BLOCK),
									work.prepared_size * sizeof(float));
	work.d_query = allocation_take(allocation, (size_t) work.tiles.shards * (size_t) work.room, row);
	work.loss = TAKE(allocation, double, (size_t) work.tiles.shards);
	work.score = allocation_take(allocation, (size_t) threads, 2 * KGE_TILE * KGE_BLOCK * sizeof(float));
	if (kge_in_bfloat16(plan))
		take_bfloat16(plan, threads, &work, allocation);
	if (plan->relation.model == NULL)
		work.network = conve_batch_take(plan->relation.width, work.most, threads, allocation);
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* ---- an epoch's minibatches --------------------------------------------------------- */

static void
open_epoch(KgeTrainer *trainer, int64_t count)
{
	KVsAll	   *work = trainer->work;
	int64_t		groups;

	kge_groups_fill(&work->groups, trainer->pool, trainer->positives, count);
	groups = kge_groups_count(&work->groups);
	work->order = kge_order(trainer->training.seed, trainer->epoch, (uint64_t) groups);
	work->minibatches = pool_pieces(groups, work->most);
	work->minibatch = 0;
}

/* Takes the groups of the next minibatch; false when none is left. */
static bool
next_minibatch(KgeTrainer *trainer)
{
	KVsAll	   *work = trainer->work;
	int64_t		groups = kge_groups_count(&work->groups);
	TrueAnswer *answer = work->answer;
	int64_t		end;

	work->count = 0;
	if (work->minibatch == work->minibatches)
		return false;
	end = groups * (work->minibatch + 1) / work->minibatches;
	for (int64_t i = groups * work->minibatch / work->minibatches; i < end; i++)
	{
		GroupQuery *query = &work->query[work->count++];

		query->group = kge_group(&work->groups, (int64_t) kge_order_place(&work->order, (uint64_t) i));
		query->answer = answer;
		answer += query->group.count;
	}
	work->minibatch++;
	return true;
}

/* ---- where things are ------------------------------------------------------------------ */

static KgeRows
block_queries(const KVsAll *work, int block)
{
	int			left = work->count - block * KGE_BLOCK;

	return (KgeRows) {
		left < KGE_BLOCK ? left : KGE_BLOCK, work->stride,
		work->vector + (size_t) block * KGE_BLOCK * (size_t) work->stride
	};
}

static float *
shard_gradient(const KVsAll *work, int shard, int query)
{
	return work->d_query + ((size_t) shard * (size_t) work->room + (size_t) query) * (size_t) work->stride;
}

/* ---- forwards ------------------------------------------------------------------------------ */

static int
compare_answers(const void *a, const void *b)
{
	const TrueAnswer *left = a;
	const TrueAnswer *right = b;

	if (left->entity != right->entity)
		return left->entity < right->entity ? -1 : 1;
	return (left->label < right->label) - (left->label > right->label);
}

/* Lists a query's answers; what is a positive several times has the highest label. */
static void
read_answers(const KgeTrainer *trainer, GroupQuery *query, int thread)
{
	const KgeGroup *group = &query->group;

	for (int i = 0; i < group->count; i++)
	{
		const Triple *triple = &trainer->positives[group->member[i]];

		query->answer[i].entity = triple_answer(triple, group->side);
		query->answer[i].label = trainer->worth == NULL ? 1 : fminf(trainer->worth[group->member[i]], 1);
		pool_yield_at(trainer->pool, thread, i);
	}
	sort_array(trainer->pool, thread, query->answer, group->count, sizeof(TrueAnswer), compare_answers);
	query->answers = 0;
	query->weight = 0;
	for (int i = 0; i < group->count; i++)
	{
		if (query->answers > 0 && query->answer[query->answers - 1].entity == query->answer[i].entity)
			continue;
		query->weight += query->answer[i].label;
		query->answer[query->answers++] = query->answer[i];
	}
}

/* Fills the slots but for their gradients, and makes the query unless a network does. */
static void
open_query(KgeTrainer *trainer, int number, int thread)
{
	KVsAll	   *work = trainer->work;
	GroupQuery *query = &work->query[number];
	KgeQuery	asked = kge_query(trainer->model, trainer->positives[query->group.member[0]], query->group.side);

	read_answers(trainer, query, thread);
	work->asked[number] = asked;
	trainer->entity.row[number] = asked.given;
	trainer->entity.penalty[number] = query->weight;
	if (work->network == NULL)
	{
		kge_open_relation_slot(trainer, number, asked, query->weight / 2);
		kge_make_query(trainer->model, asked, work->vector + (size_t) number * (size_t) work->stride);
		return;
	}
	trainer->relation.row[number] = asked.relation;
	trainer->relation.penalty[number] = query->weight / 2;
}

/* Item: a block. */
static void
open_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	int			count = block_queries(trainer->work, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		open_query(trainer, (int) item * KGE_BLOCK + i, thread);
		pool_yield(trainer->pool, thread);
	}
}

/* Item: a block. */
static void
prepare_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;

	KgeRows		queries = block_queries(work, (int) item);

	if (work->kernels != NULL)
		kge_pack_queries(queries, kge_packed_from(work->packed, (size_t) item * KGE_BLOCK));
	else
		kge_engine_prepare(&trainer->engine, queries, work->prepared + (size_t) item * work->prepared_size);
	pool_yield(trainer->pool, thread);
}

static void
make_by_network(KgeTrainer *trainer)
{
	KVsAll	   *work = trainer->work;
	ConveStep	step = {.keeps_means = !trainer->observing};

	step.stream = random_stream(trainer->training.seed, DRAW_DROPOUT, trainer->epoch, (uint64_t) work->minibatch);
	memcpy(step.dropout, trainer->training.dropout, sizeof(step.dropout));
	conve_batch_forward(work->network, trainer->pool, trainer->model, work->asked, work->count, step,
						work->vector, work->stride);
}

/* ---- a shard ---------------------------------------------------------------------------------- */

/* What every entity's label is at least */
static float
lowest_label(const KgeTrainer *trainer)
{
	return (float) (trainer->training.label_smoothing / trainer->model->entities);
}

/* Of n scores of label 0 instead: what label y changes. */
KERNEL void
raise_labels(int n, float y, const float *restrict s, float *restrict g, float *restrict loss)
{
	for (int i = 0; i < n; i++)
	{
		g[i] -= y;
		loss[i] -= y * s[i];
	}
}

/* The same for a query's answers in a tile. */
static void
raise_answers(const KgeTrainer *trainer, const GroupQuery *query, int32_t from, int rows, const float *s, float *g,
			  float *loss)
{
	float		kept = (float) (1 - trainer->training.label_smoothing);
	int			low = 0;
	int			high = query->answers;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (query->answer[middle].entity < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < query->answers && query->answer[low].entity < from + rows; low++)
	{
		int			place = (query->answer[low].entity - from) * KGE_BLOCK;

		raise_labels(1, kept * query->answer[low].label, s + place, g + place, loss);
	}
}

/* Derivatives by the scores of a tile and a block; returns the losses. */
static double
derive(const KgeTrainer *trainer, int block, int32_t from, int rows, int count, const float *s, float *g)
{
	const KVsAll *work = trainer->work;
	float		ones[KGE_BLOCK];
	float		loss[KGE_BLOCK] = {0};
	float		lowest = lowest_label(trainer);
	double		sum = 0;

	for (int i = 0; i < KGE_BLOCK; i++)
		ones[i] = 1;
	kge_logistic_loss(rows, count, 0, s, KGE_BLOCK, ones, 0, g, loss);
	for (int row = 0; lowest > 0 && row < rows; row++)
		raise_labels(count, lowest, s + row * KGE_BLOCK, g + row * KGE_BLOCK, loss);
	for (int i = 0; i < count; i++)
	{
		raise_answers(trainer, &work->query[block * KGE_BLOCK + i], from, rows, s + i, g + i, &loss[i]);
		sum += loss[i];
	}
	return sum;
}

static void
learn_tile(KgeTrainer *trainer, int shard, int tile, int thread)
{
	KVsAll	   *work = trainer->work;
	KgeRows		candidates = kge_tile_candidates(trainer, tile);
	float	   *score = work->score + (size_t) thread * 2 * KGE_TILE * KGE_BLOCK;
	float	   *derivative = score + KGE_TILE * KGE_BLOCK;

	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		KgeRows		queries = block_queries(work, block);

		kge_engine_scores(&trainer->engine, queries, work->prepared + (size_t) block * work->prepared_size, candidates,
						  score, KGE_BLOCK);
		work->loss[shard] += derive(trainer, block, tile * KGE_TILE, candidates.count, queries.count, score,
									derivative);
		kge_engine_gradients(&trainer->engine, queries, candidates, score, derivative, KGE_BLOCK,
							 shard_gradient(work, shard, block * KGE_BLOCK),
							 kge_tile_gradient(trainer, tile), block > 0);
		pool_yield(trainer->pool, thread);
	}
}

/* The entities' gradients are one product over all blocks. */
static void
learn_tile_bfloat16(KgeTrainer *trainer, int shard, int tile, int thread)
{
	KVsAll	   *work = trainer->work;
	KgeRows		candidates = kge_tile_candidates(trainer, tile);
	KgePacked	packed = kge_packed_of(work->tile, thread);
	KgeDerivatives derivatives = kge_derivatives_of(work->derivatives, thread);
	float	   *score = work->score + (size_t) thread * 2 * KGE_TILE * KGE_BLOCK;
	float	   *derivative = score + KGE_TILE * KGE_BLOCK;

	kge_pack_candidates(work->kernels, candidates, packed);
	for (int block = 0; block * KGE_BLOCK < work->count; block++)
	{
		KgeRows		queries = block_queries(work, block);

		kge_bfloat16_scores(work->kernels, kge_packed_from(work->packed, (size_t) block * KGE_BLOCK), queries.count,
							packed, candidates.count, score, KGE_BLOCK);
		work->loss[shard] += derive(trainer, block, tile * KGE_TILE, candidates.count, queries.count, score,
									derivative);
		kge_pack_derivatives(work->kernels, candidates.count, queries.count, derivative, KGE_BLOCK, block * KGE_BLOCK,
							 derivatives);
		kge_bfloat16_query_gradients(work->kernels, derivatives, queries.count, packed, candidates.count,
									 shard_gradient(work, shard, block * KGE_BLOCK), queries.stride);
		pool_yield(trainer->pool, thread);
	}
	kge_bfloat16_candidate_gradients(work->kernels, derivatives, work->packed, work->count, candidates.count,
									 kge_tile_gradient(trainer, tile), candidates.stride, false);
	pool_yield(trainer->pool, thread);
}

/* Item: a shard. */
static void
learn_shard(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;
	int			shard = (int) item;

	work->loss[shard] = 0;
	memset(shard_gradient(work, shard, 0), 0, (size_t) work->room * (size_t) work->stride * sizeof(float));
	for (int tile = kge_shard_start(&work->tiles, shard); tile < kge_shard_start(&work->tiles, shard + 1); tile++)
		if (work->kernels != NULL)
			learn_tile_bfloat16(trainer, shard, tile, thread);
		else
			learn_tile(trainer, shard, tile, thread);
}

/* ---- backwards ---------------------------------------------------------------------------------- */

/* Item: a block. */
static void
finish_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;
	size_t		width = (size_t) trainer->entity.width;
	int			count = block_queries(work, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		int			number = (int) item * KGE_BLOCK + i;
		float	   *d_vector = work->d_vector + (size_t) number * (size_t) work->stride;
		float	   *d_entity = trainer->entity.gradient + (size_t) number * (size_t) trainer->entity.stride;

		memcpy(d_vector, shard_gradient(work, 0, number), width * sizeof(float));
		for (int shard = 1; shard < work->tiles.shards; shard++)
			dense_add(trainer->entity.width, shard_gradient(work, shard, number), d_vector);
		if (work->network == NULL)
		{
			memcpy(trainer->relation.gradient + (size_t) number * (size_t) trainer->relation.stride, d_vector,
				   width * sizeof(float));
			memset(d_entity, 0, width * sizeof(float));
			kge_given_gradient(trainer->model, work->asked[number], d_vector, d_entity);
		}
		pool_yield(trainer->pool, thread);
	}
}

/* Of relations, the slots have all of the gradient; of shared weights, the dense one is all of it. */
static void
finish_by_network(KgeTrainer *trainer)
{
	KVsAll	   *work = trainer->work;
	KgeSlots   *relation = &trainer->relation;
	size_t		own = (size_t) (relation->rows - kge_shared_rows(trainer->model)) * (size_t) relation->width;

	memset(relation->dense, 0, own * sizeof(float));
	conve_batch_backward(work->network, trainer->pool, work->d_vector, work->stride, (ConveGradients) {
		.given = trainer->entity.gradient,.given_stride = trainer->entity.stride,
		.relation = relation->gradient,.relation_stride = relation->stride,.rows = relation->dense + own
	});
}

/* ---- a minibatch ----------------------------------------------------------------------------------- */

static int64_t
learn(void *argument)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;
	int64_t		blocks = pool_pieces(work->count, KGE_BLOCK);

	pool_run(trainer->pool, blocks, open_queries, trainer);
	if (work->network != NULL)
		make_by_network(trainer);
	pool_run(trainer->pool, blocks, prepare_queries, trainer);
	pool_run(trainer->pool, work->tiles.shards, learn_shard, trainer);
	pool_run(trainer->pool, blocks, finish_queries, trainer);
	if (work->network != NULL)
		finish_by_network(trainer);
	return 0;
}

static KgeSum
sum_minibatch(const KgeTrainer *trainer)
{
	const KVsAll *work = trainer->work;
	KgeSum		sum = {.terms = (int64_t) work->count * trainer->model->entities};

	for (int shard = 0; shard < work->tiles.shards; shard++)
		sum.loss += work->loss[shard];
	for (int i = 0; i < work->count; i++)
		sum.positives += work->query[i].answers / 2.0;
	return sum;
}

const KgeLoss kge_loss_k_vs_all = {
	.name = "k_vs_all",
	.plan = plan,
	.take = take,
	.open = open_epoch,
	.next = next_minibatch,
	.scores = kge_scores_of_all,
	.learn = learn,
	.sum = sum_minibatch
};
