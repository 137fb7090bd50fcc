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
 * wave.h has what blocks, tiles and shards are.
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
#include "loss.h"
#include "wave.h"

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
	KgeWave		wave;

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
	float	   *score;			/* of each block, tiles x KGE_TILE x KGE_BLOCK; then the softmax's parts */
	uint16_t   *part;			/* these in bfloat16, instead */
	float	   *maximum;		/* tiles x wave: the softmax in parts */
	float	   *sum;
	int			first;			/* of the wave at work: its first query's number in the minibatch */
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

static int
wave_blocks(const KgeTrainer *plan)
{
	int			blocks = (int) pool_pieces(most_answers(plan), KGE_BLOCK);
	bool		rounded = kge_in_bfloat16(plan);
	int			most = (rounded ? WAVE_BFLOAT16 : WAVE) / KGE_BLOCK;
	size_t		score_bytes = rounded ? sizeof(uint16_t) : sizeof(float);
	int64_t		fit = (int64_t) (WAVE_BYTES / (KGE_BLOCK * score_bytes * (size_t) plan->entity.rows));

	if (blocks > most)
		blocks = most;
	return fit < 1 ? 1 : blocks < fit ? blocks : (int) fit;
}

/* What the queries of a wave and their scores need */
static void
take_wave(const KgeTrainer *plan, int threads, OneVsAll *work, Allocation *allocation)
{
	size_t		wave = (size_t) wave_blocks(plan) * KGE_BLOCK;
	size_t		tiles;

	work->wave = kge_wave_take(plan, (int) wave, threads, allocation);
	tiles = (size_t) work->wave.tiles;
	work->query = TAKE(allocation, Query, wave);
	work->weight = TAKE(allocation, float, wave);
	work->log_sum = TAKE(allocation, float, wave);
	work->loss = TAKE(allocation, double, wave);
	work->maximum = allocation_take(allocation, tiles, wave * sizeof(float));
	work->sum = allocation_take(allocation, tiles, wave * sizeof(float));
	if (kge_in_bfloat16(plan))
		work->part = allocation_take(allocation, tiles * KGE_TILE, wave * sizeof(uint16_t));
	else
		work->score = allocation_take(allocation, tiles * KGE_TILE, wave * sizeof(float));
}

static void *
take_softmax(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	OneVsAll   *memory = TAKE(allocation, OneVsAll, 1);
	OneVsAll	work = {0};
	size_t		most = (size_t) most_answers(plan);

	work.groups.room = plan->max_positives;
	work.groups.keys = plan->entity.rows > plan->relation.rows ? plan->entity.rows : plan->relation.rows;
	work.groups.limit = (int) pool_pieces(most_answers(plan), GROUPS);
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

/* Where a block's scores from an entity on are */
static inline size_t
score_place(const OneVsAll *work, int block, int32_t entity)
{
	return ((size_t) block * (size_t) work->wave.tiles * KGE_TILE + (size_t) entity) * KGE_BLOCK;
}

static inline size_t
part(const OneVsAll *work, int tile, int query)
{
	return (size_t) tile * (size_t) work->wave.room + (size_t) query;
}

/* ---- forward ------------------------------------------------------------ */

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
				   work->wave.vector + (size_t) number * (size_t) work->wave.stride);
}

/* Item: a block. */
static void
make_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	const KgeWave *wave = &((OneVsAll *) trainer->work)->wave;
	int			count = kge_wave_queries(wave, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		make_query(trainer, (int) item * KGE_BLOCK + i);
		pool_yield(trainer->pool, thread);
	}
	kge_wave_prepare(trainer, wave, (int) item);
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

/* Item: a tile.  In bfloat16, parts are half of the memory that is written here and read on the way back. */
static void
score_tile(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	const KgeWave *wave = &work->wave;
	int			tile = (int) item;
	int32_t		from = tile * KGE_TILE;
	int			rows = kge_wave_candidates(trainer, tile).count;
	bool		rounded = wave->kernels != NULL;
	KgePacked	packed = rounded ? kge_wave_pack(trainer, wave, tile, true, false, thread) : (KgePacked) {0};

	for (int block = 0; block * KGE_BLOCK < wave->count; block++)
	{
		int			count = kge_wave_queries(wave, block).count;
		size_t		place = score_place(work, block, from);
		float	   *score = rounded ? wave->derivative + (size_t) thread * KGE_TILE * KGE_BLOCK : work->score + place;
		float	   *maximum = work->maximum + part(work, tile, block * KGE_BLOCK);
		float	   *sum = work->sum + part(work, tile, block * KGE_BLOCK);

		kge_wave_scores(trainer, wave, tile, block, &packed, score);
		keep_answers(work, block, count, from, rows, score);
		if (keeps_scores(trainer))
			kge_softmax_sums(rows, count, score, KGE_BLOCK, maximum, sum);
		else
			kge_softmax_parts(rows, count, score, KGE_BLOCK, maximum, sum);
		/* the last block of a minibatch has columns without a query, in which nothing was computed */
		if (rounded && count == KGE_BLOCK)
			kge_bfloat16_round((size_t) rows * KGE_BLOCK, score, work->part + place);
		else if (rounded)
			for (int i = 0; i < rows; i++)
				kge_bfloat16_round((size_t) count, score + (size_t) i * KGE_BLOCK,
								   work->part + place + (size_t) i * KGE_BLOCK);
		pool_yield(trainer->pool, thread);
	}
}

/* The logarithm of the sum over all tiles. */
static double
log_sum(const OneVsAll *work, int query)
{
	float		maximum = work->maximum[part(work, 0, query)];
	double		sum = 0;

	for (int tile = 1; tile < work->wave.tiles; tile++)
		maximum = fmaxf(maximum, work->maximum[part(work, tile, query)]);
	for (int tile = 0; tile < work->wave.tiles; tile++)
		sum += work->sum[part(work, tile, query)] *
			exp((double) work->maximum[part(work, tile, query)] - (double) maximum);
	/* cppcheck-suppress invalidFunctionArg ; there is a tile, and one of them adds 1 */
	return (double) maximum + log(sum);
}

/* Item: a block. */
static void
put_together(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	OneVsAll   *work = trainer->work;
	int			count = kge_wave_queries(&work->wave, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		int			number = (int) item * KGE_BLOCK + i;
		const Query *query = &work->query[number];
		double		logarithm = log_sum(work, number);

		work->log_sum[number] = (float) logarithm;
		work->loss[number] = 0;
		for (int j = 0; j < query->answers; j++)
			work->loss[number] += query->answer[j].weight * (logarithm - query->answer[j].score);
		pool_yield(trainer->pool, thread);
	}
}

/* ---- backward ----------------------------------------------------------- */

/* The loss's derivatives by the scores of a tile and a block, which are kept where gradients ask for them. */
static const float *
derive(KgeTrainer *trainer, int tile, int block, const KgePacked *tile_packed, float *derivative, int thread)
{
	const OneVsAll *work = trainer->work;
	int32_t		from = tile * KGE_TILE;
	size_t		place = score_place(work, block, from);
	int			rows = kge_wave_candidates(trainer, tile).count;
	int			count = kge_wave_queries(&work->wave, block).count;
	const float *log_sums = work->log_sum + block * KGE_BLOCK;
	const float *weights = work->weight + block * KGE_BLOCK;
	float		factor[KGE_BLOCK];

	if (keeps_scores(trainer))
		kge_softmax(rows, count, work->score + place, KGE_BLOCK, log_sums, weights, derivative);
	else
	{
		kge_softmax(1, count, work->maximum + part(work, tile, block * KGE_BLOCK), KGE_BLOCK,
					log_sums, weights, factor);
		if (work->part != NULL)
			kge_bfloat16_scale_parts(rows, count, work->part + place, KGE_BLOCK, factor, derivative);
		else
			kge_scale_parts(rows, count, work->score + place, KGE_BLOCK, factor, derivative);
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
	return work->score == NULL ? NULL : work->score + place;
}

/* Item: a shard. */
static void
learn_shard(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;

	kge_wave_learn(trainer, &((OneVsAll *) trainer->work)->wave, (int) item, false, derive, thread);
}

KERNEL void
pull_query(int n, float penalty, const float *restrict query, float *restrict d_query)
{
	for (int j = 0; j < n; j++)
		d_query[j] += penalty * query[j];
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

	kge_wave_gradient(&work->wave, number, entity->width, d_query);
	/*
	 * The squares of the query, once for each of its answers.  Penalties are means over positives, the slots' gradients
	 * will be divided by answers, of which a positive has two.
	 */
	if (trainer->training.regularizer == KGE_REGULARIZER_DURA)
		pull_query(trainer->engine.width, (float) (2 * 2 * trainer->training.regularization * work->weight[number]),
				   work->wave.vector + (size_t) number * (size_t) work->wave.stride, d_query);
	memset(d_entity, 0, (size_t) entity->width * sizeof(float));
	kge_given_gradient(trainer->model, query->asked, d_query, d_entity);
}

/* Item: a block. */
static void
finish_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	int			count = kge_wave_queries(&((OneVsAll *) trainer->work)->wave, (int) item).count;

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
	KgeWave    *wave = &work->wave;
	int			blocks = (int) pool_pieces(wave->count, KGE_BLOCK);
	double		loss = 0;

	pool_run(trainer->pool, blocks, make_queries, trainer);
	pool_run(trainer->pool, wave->tiles, score_tile, trainer);
	pool_run(trainer->pool, blocks, put_together, trainer);
	pool_run(trainer->pool, wave->shards, learn_shard, trainer);
	pool_run(trainer->pool, blocks, finish_queries, trainer);
	for (int i = 0; i < wave->count; i++)
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
	int			waves = (int) pool_pieces(work->queries, work->wave.room);
	int			share = (int) pool_pieces((int) pool_pieces(work->queries, waves), KGE_BLOCK) * KGE_BLOCK;

	for (work->first = 0; work->first < work->queries; work->first += share)
	{
		int			left = work->queries - work->first;

		work->wave.count = left < share ? left : share;
		work->wave.add = work->first > 0;
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
