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

#include "core/random.h"
#include "core/sort.h"
#include "kge/score/conve.h"
#include "loss.h"
#include "one_vs_all.h"
#include "wave.h"

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
	KgeWave		wave;			/* the minibatch's queries */

	/* the epoch */
	KgeGroups	groups;
	KgeOrder	order;			/* of groups */
	int64_t		minibatches;
	int64_t		minibatch;		/* that comes next */

	/* of each query of the minibatch */
	GroupQuery *query;
	KgeQuery   *asked;
	float	   *d_vector;
	TrueAnswer *answer;			/* of all */
	double	   *loss;			/* of each shard */
	float	   *score;			/* of each thread, KGE_TILE x KGE_BLOCK */
	ConveBatch *network;		/* NULL: a score function without one */
} KVsAll;

/* ---- memory ------------------------------------------------------------------------ */

static void
plan(KgeTrainer *plan)
{
	plan->entity.count = plan->relation.count = plan->training.batch_size;
	plan->entity.is_dense = true;
	plan->relation.is_dense = plan->relation.model == NULL;
}

static void *
take(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	KVsAll	   *memory = TAKE(allocation, KVsAll, 1);
	KVsAll		work = {.most = plan->training.batch_size};
	size_t		most = (size_t) work.most;

	work.wave = kge_wave_take(plan, (int) pool_pieces(work.most, KGE_BLOCK) * KGE_BLOCK, threads, allocation);
	work.groups.room = plan->max_positives;
	work.groups.keys = plan->entity.rows > plan->relation.rows ? plan->entity.rows : plan->relation.rows;
	work.groups.limit = INT32_MAX;
	kge_groups_take(&work.groups, allocation);
	work.query = TAKE(allocation, GroupQuery, most);
	work.asked = TAKE(allocation, KgeQuery, most);
	work.d_vector = allocation_take(allocation, most, (size_t) work.wave.stride * sizeof(float));
	work.answer = TAKE(allocation, TrueAnswer, 2 * (size_t) plan->max_positives);
	work.loss = TAKE(allocation, double, (size_t) work.wave.shards);
	work.score = allocation_take(allocation, (size_t) threads, KGE_TILE * KGE_BLOCK * sizeof(float));
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

	work->wave.count = 0;
	if (work->minibatch == work->minibatches)
		return false;
	end = groups * (work->minibatch + 1) / work->minibatches;
	for (int64_t i = groups * work->minibatch / work->minibatches; i < end; i++)
	{
		GroupQuery *query = &work->query[work->wave.count++];

		query->group = kge_group(&work->groups, (int64_t) kge_order_place(&work->order, (uint64_t) i));
		query->answer = answer;
		answer += query->group.count;
	}
	work->minibatch++;
	return true;
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
		kge_make_query(trainer->model, asked, work->wave.vector + (size_t) number * (size_t) work->wave.stride);
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
	int			count = kge_wave_queries(&((KVsAll *) trainer->work)->wave, (int) item).count;

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

	kge_wave_prepare(trainer, &((KVsAll *) trainer->work)->wave, (int) item);
	pool_yield(trainer->pool, thread);
}

static void
make_by_network(KgeTrainer *trainer)
{
	KVsAll	   *work = trainer->work;
	ConveStep	step = {.keeps_means = !trainer->observing};

	step.stream = random_stream(trainer->training.seed, DRAW_DROPOUT, trainer->epoch, (uint64_t) work->minibatch);
	memcpy(step.dropout, trainer->training.dropout, sizeof(step.dropout));
	conve_batch_forward(work->network, trainer->pool, trainer->model, work->asked, work->wave.count, step,
						work->wave.vector, work->wave.stride);
}

/* ---- a shard ---------------------------------------------------------------------------------- */

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

/* Scores a tile and a block, and adds to the shard's loss. */
static const float *
derive(KgeTrainer *trainer, int tile, int block, const KgePacked *tile_packed, float *derivative, int thread)
{
	KVsAll	   *work = trainer->work;
	int			rows = kge_wave_candidates(trainer, tile).count;
	int			count = kge_wave_queries(&work->wave, block).count;
	float	   *score = work->score + (size_t) thread * KGE_TILE * KGE_BLOCK;
	float		lowest = (float) (trainer->training.label_smoothing / trainer->model->entities);	/* of all labels */
	float		ones[KGE_BLOCK];
	float		loss[KGE_BLOCK] = {0};
	double		sum = 0;

	for (int i = 0; i < KGE_BLOCK; i++)
		ones[i] = 1;
	kge_wave_scores(trainer, &work->wave, tile, block, tile_packed, score);
	kge_logistic_loss(rows, count, 0, score, KGE_BLOCK, ones, 0, derivative, loss);
	for (int row = 0; lowest > 0 && row < rows; row++)
		raise_labels(count, lowest, score + row * KGE_BLOCK, derivative + row * KGE_BLOCK, loss);
	for (int i = 0; i < count; i++)
	{
		raise_answers(trainer, &work->query[block * KGE_BLOCK + i], tile * KGE_TILE, rows, score + i, derivative + i,
					  &loss[i]);
		sum += loss[i];
	}
	work->loss[tile / work->wave.of_shard] += sum;
	return score;
}

/* Item: a shard. */
static void
learn_shard(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;

	work->loss[item] = 0;
	kge_wave_learn(trainer, &work->wave, (int) item, true, derive, thread);
}

/* ---- backwards ---------------------------------------------------------------------------------- */

/* Item: a block. */
static void
finish_queries(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	KVsAll	   *work = trainer->work;
	size_t		width = (size_t) trainer->entity.width;
	int			count = kge_wave_queries(&work->wave, (int) item).count;

	for (int i = 0; i < count; i++)
	{
		int			number = (int) item * KGE_BLOCK + i;
		float	   *d_vector = work->d_vector + (size_t) number * (size_t) work->wave.stride;
		float	   *d_entity = trainer->entity.gradient + (size_t) number * (size_t) trainer->entity.stride;

		kge_wave_gradient(&work->wave, number, trainer->entity.width, d_vector);
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
	conve_batch_backward(work->network, trainer->pool, work->d_vector, work->wave.stride, (ConveGradients) {
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
	int64_t		blocks = pool_pieces(work->wave.count, KGE_BLOCK);

	pool_run(trainer->pool, blocks, open_queries, trainer);
	if (work->network != NULL)
		make_by_network(trainer);
	pool_run(trainer->pool, blocks, prepare_queries, trainer);
	pool_run(trainer->pool, work->wave.shards, learn_shard, trainer);
	pool_run(trainer->pool, blocks, finish_queries, trainer);
	if (work->network != NULL)
		finish_by_network(trainer);
	return 0;
}

static KgeSum
sum_minibatch(const KgeTrainer *trainer)
{
	const KVsAll *work = trainer->work;
	KgeSum		sum = {.terms = (int64_t) work->wave.count * trainer->model->entities};

	for (int shard = 0; shard < work->wave.shards; shard++)
		sum.loss += work->loss[shard];
	for (int i = 0; i < work->wave.count; i++)
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
