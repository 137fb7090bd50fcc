/*
 * relation_loss.c
 *		An auxiliary loss: which relation is it that holds between two entities?
 *
 * The cross entropy of a triple's relation against all relations, given its head and tail
 * (Chen et al. 2021, "Relation prediction as an auxiliary training objective").  Under
 * reciprocal relations the triples are those of the graph with all inverses, as for
 * entities: (h, r, t) is asked as it is on one side and as (t, inverse of r, h) on the
 * other, and the candidates are all relations and all inverses both times.
 *
 * This is for score functions that are linear in h, in r and in t: there
 *		phi(h, r, t) = z(h, t) . r, where z is the gradient of phi by r,
 * so relations are candidates that meet the query z, and all that is needed is there:
 *		z = relation_gradient(h, t),	d_h = query'(t, d_z),	d_t = query(h, d_z).
 *
 * A minibatch is learnt in waves, as many pairs as their z may take WAVE_BYTES.  In turn,
 * all threads
 *		score all relations, and go back to the entities	(an item: a block of pairs)
 *		go back to the relations							(a tile of these, with all blocks)
 */
#include <math.h>
#include <string.h>

#include "dense.h"
#include "loss.h"
#include "relation_loss.h"
#include "threads.h"
#include "vector.h"

#define BLOCK	32				/* pairs */
#define TILE	8				/* relations */
#define WAVE_BYTES ((size_t) 2 << 20)	/* of z, unless one block takes more */

struct KgeRelationLoss
{
	KgeEngine	engine;			/* of z and relations */
	int			relations;		/* inverses included */
	int			stride;			/* of z */
	int			wave;			/* pairs, whole blocks */

	/* of each pair of a wave */
	float	   *weight;
	double	   *loss;
	float	   *z;				/* wave x stride */

	float	   *score;			/* of each block, relations x BLOCK; then their derivatives */
	float	   *prepared;		/* of each thread, the engine's */
	size_t		prepared_size;
	float	   *d_z;			/* of each thread, BLOCK x stride */

	/* the wave at work */
	const KgePair *pair;
	int			count;
	int			slot;			/* the first of its slots */
	bool		add;			/* to what earlier waves left */
};

static int
pieces(int64_t number, int unit)
{
	return (int) ((number + unit - 1) / unit);
}

void
kge_relation_loss_plan(KgeTrainer *plan, int64_t pairs)
{
	plan->entity.count += 2 * pairs;
	plan->relation.is_dense = true;
}

static KgeEngine
relation_engine(int width)
{
	return (KgeEngine) {.similarity = KGE_DOT,.width = width};
}

KgeRelationLoss *
kge_relation_loss_take(const KgeTrainer *plan, int64_t pairs, int threads, KgeSpace *space)
{
	KgeRelationLoss *memory = KGE_TAKE(space, KgeRelationLoss, 1);
	KgeRelationLoss work = {.engine = relation_engine(plan->relation.width)};
	int			blocks = pieces(pairs, BLOCK);
	size_t		row;
	size_t		fit;
	size_t		wave;

	work.relations = plan->relation.rows;
	work.stride = kge_stride(plan->relation.width);
	row = (size_t) work.stride * sizeof(float);
	fit = WAVE_BYTES / (BLOCK * row);
	work.wave = (fit < 1 ? 1 : fit < (size_t) blocks ? (int) fit : blocks) * BLOCK;
	wave = (size_t) work.wave;

	work.weight = KGE_TAKE(space, float, wave);
	work.loss = KGE_TAKE(space, double, wave);
	work.z = kge_space_take(space, wave, row);
	work.score = kge_space_take(space, wave, (size_t) work.relations * sizeof(float));
	work.prepared_size = kge_engine_scratch(&work.engine, BLOCK);
	work.prepared = kge_space_take(space, (size_t) threads, work.prepared_size * sizeof(float));
	work.d_z = kge_space_take(space, (size_t) threads * BLOCK, row);
	if (memory != NULL)
		*memory = work;
	return memory;
}

double
kge_relation_loss_flops(const KgeModel *model, double pairs)
{
	KgeEngine	engine = relation_engine(model->function->relation_width(model->dimensions));

	return pairs * kge_relation_rows(model) * kge_engine_flops(&engine);
}

/* ---- a wave ------------------------------------------------------------- */

typedef struct Wave
{
	KgeTrainer *trainer;
	KgeRelationLoss *work;
} Wave;

/* A block's pairs, as the rows of their z. */
static KgeRows
block_rows(const KgeRelationLoss *work, int block)
{
	int			left = work->count - block * BLOCK;

	return (KgeRows) {
		left < BLOCK ? left : BLOCK, work->stride,
		work->z + (size_t) block * BLOCK * (size_t) work->stride
	};
}

static float *
block_scores(const KgeRelationLoss *work, int block)
{
	return work->score + (size_t) block * BLOCK * (size_t) work->relations;
}

static KgeRows
relation_rows(const KgeTrainer *trainer, const KgeRelationLoss *work)
{
	return (KgeRows) {work->relations, work->engine.width, trainer->model->relation};
}

static void
make_z(const KgeTrainer *trainer, KgeRelationLoss *work, int number)
{
	const KgeModel *model = trainer->model;
	KgePair		pair = work->pair[number];
	float	   *z = work->z + (size_t) number * (size_t) work->stride;

	memset(z, 0, (size_t) work->engine.width * sizeof(float));
	model->function->relation_gradient(model->dimensions, KGE_TAIL,
									   kge_entity_row(model, pair.triple.head),
									   kge_relation_row(model, pair.triple.relation),
									   kge_entity_row(model, pair.triple.tail), z);
	work->weight[number] = (float) trainer->training.relation_weight * pair.weight;
}

/* From a block's scores to its losses, and to their derivatives in the scores' place. */
static void
derive(KgeRelationLoss *work, int block, int count, float *score)
{
	const float *weight = work->weight + block * BLOCK;
	double	   *loss = work->loss + block * BLOCK;
	float		own[BLOCK],
				maximum[BLOCK],
				sum[BLOCK],
				log_sum[BLOCK];

	kge_softmax_sums(work->relations, count, score, BLOCK, maximum, sum);
	for (int i = 0; i < count; i++)
	{
		double		logarithm = maximum[i] + log(sum[i]);

		own[i] = score[work->pair[block * BLOCK + i].triple.relation * BLOCK + i];
		log_sum[i] = (float) logarithm;
		loss[i] = weight[i] * (logarithm - own[i]);
	}
	kge_softmax(work->relations, count, score, BLOCK, log_sum, weight, score);
	for (int i = 0; i < count; i++)
		score[work->pair[block * BLOCK + i].triple.relation * BLOCK + i] -= weight[i];
}

/* A slot with the gradient of an entity, which is what the other one and d_z make of it. */
static void
fill_slot(KgeTrainer *trainer, int slot, int32_t row, KgeSide side, int32_t other, const float *d_z)
{
	const KgeModel *model = trainer->model;
	KgeSlots   *entity = &trainer->entity;

	entity->row[slot] = row;
	entity->penalty[slot] = 0;
	model->function->query(model->dimensions, side, kge_entity_row(model, other), d_z,
						   entity->gradient + (size_t) slot * (size_t) entity->stride);
}

/* Item: a block. */
static void
learn_block(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = ((Wave *) argument)->trainer;
	KgeRelationLoss *work = ((Wave *) argument)->work;
	int			first = (int) item * BLOCK;
	KgeRows		rows = block_rows(work, (int) item);
	KgeRows		relations = relation_rows(trainer, work);
	float	   *score = block_scores(work, (int) item);
	float	   *prepared = work->prepared + (size_t) thread * work->prepared_size;
	float	   *d_z = work->d_z + (size_t) thread * BLOCK * (size_t) work->stride;

	for (int i = 0; i < rows.count; i++)
		make_z(trainer, work, first + i);
	kge_engine_prepare(&work->engine, rows, prepared);
	kge_engine_scores(&work->engine, rows, prepared, relations, score, BLOCK);
	kge_pool_breathe(trainer->pool, thread);
	derive(work, (int) item, rows.count, score);
	kge_dense_combine(KGE_PRODUCT, rows.count, work->engine.width, relations.count, score, 1, BLOCK,
					  relations.row, relations.stride, d_z, rows.stride, false);
	kge_pool_breathe(trainer->pool, thread);
	for (int i = 0; i < rows.count; i++)
	{
		KgeTriple	triple = work->pair[first + i].triple;
		const float *gradient = d_z + (size_t) i * (size_t) work->stride;
		int			slot = work->slot + 2 * (first + i);

		fill_slot(trainer, slot, triple.head, KGE_HEAD, triple.tail, gradient);
		fill_slot(trainer, slot + 1, triple.tail, KGE_TAIL, triple.head, gradient);
	}
}

/* Item: a tile of relations. */
static void
learn_tile(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = ((Wave *) argument)->trainer;
	KgeRelationLoss *work = ((Wave *) argument)->work;
	int			first = (int) item * TILE;
	int			left = work->relations - first;
	float	   *dense = trainer->relation.dense + (size_t) first * (size_t) work->engine.width;

	for (int block = 0; block * BLOCK < work->count; block++)
	{
		KgeRows		rows = block_rows(work, block);

		kge_dense_combine(KGE_PRODUCT, left < TILE ? left : TILE, work->engine.width, rows.count,
						  block_scores(work, block) + (size_t) first * BLOCK, BLOCK, 1,
						  rows.row, rows.stride, dense, work->engine.width, work->add || block > 0);
		kge_pool_breathe(trainer->pool, thread);
	}
}

double
kge_relation_loss(KgeTrainer *trainer, KgeRelationLoss *work, const KgePair *pairs, int count,
				  int slot)
{
	Wave		wave = {trainer, work};
	double		loss = 0;

	for (int first = 0; first < count; first += work->wave)
	{
		work->pair = pairs + first;
		work->count = count - first < work->wave ? count - first : work->wave;
		work->slot = slot + 2 * first;
		work->add = first > 0;
		kge_pool_run(trainer->pool, pieces(work->count, BLOCK), learn_block, &wave);
		kge_pool_run(trainer->pool, pieces(work->relations, TILE), learn_tile, &wave);
		for (int i = 0; i < work->count; i++)
			loss += work->loss[i];
	}
	return loss;
}
