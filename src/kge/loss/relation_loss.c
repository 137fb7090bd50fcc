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
 * so relations are candidates for the query z, and all that is needed is there:
 *		z = relation_gradient(h, t),	d_h = query'(t, d_z),	d_t = query(h, d_z).
 *
 * A minibatch is learnt in waves, as many pairs as their z may take WAVE_BYTES.  In turn,
 * all threads
 *		make the z, and score all relations	(an item: a block of pairs)
 *		go back to z and relations			(a slice of columns, of all pairs and relations)
 *		go back from z to entities			(a block)
 * Where relations are matrices, z and relations are very wide.  Slices are what keeps any one
 * step short; each writes the gradients of its columns alone.
 */
#include <math.h>
#include <string.h>

#include "one_vs_all.h"
#include "core/dense.h"
#include "core/pool.h"
#include "core/vector.h"
#include "kge/learn/bfloat16.h"
#include "loss.h"

#define BLOCK	64				/* pairs */
#define TILE	64				/* relations */
#define SLICE	128				/* columns */
#define WAVE_BYTES ((size_t) 2 << 20)	/* of z, unless one block takes more */

struct KgeRelationLoss
{
	KgeEngine	engine;			/* of z and relations */
	int			relations;		/* inverses included */
	int			stride;			/* of z */
	int			wave;			/* pairs, whole blocks */
	int			tiles;

	/* of each pair of a wave */
	float	   *weight;
	double	   *loss;
	float	   *z;				/* wave x stride */
	float	   *d_z;			/* wave x stride */

	float	   *score;			/* of each block, tiles x TILE x BLOCK; then their derivatives */
	float	   *prepared;		/* of each thread, the engine's, of a slice */
	size_t		prepared_size;

	/* in bfloat16, if not NULL */
	const KgeBfloat16 *kernels;
	KgePacked	relation;		/* all of them */
	KgePacked	packed;			/* z, block by block */
	KgeDerivatives derivatives; /* of each thread, a block's */

	/* the wave at work */
	KgeTrainer *trainer;
	const KgePair *pair;
	int			count;
	int			slot;			/* the first of its slots */
	bool		add;			/* to what earlier waves left */
};

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

/* What the other precision needs instead of `prepared`. */
static void
take_bfloat16(int threads, KgeRelationLoss *work, Allocation *allocation)
{
	work->kernels = kge_bfloat16();
	work->relation = kge_packed_take(allocation, (size_t) work->tiles, TILE, work->engine.width);
	work->packed = kge_packed_take(allocation, (size_t) work->wave / BLOCK, BLOCK, work->engine.width);
	work->derivatives = kge_derivatives_take(allocation, threads, TILE, BLOCK, BLOCK);
}

KgeRelationLoss *
kge_relation_loss_take(const KgeTrainer *plan, int64_t pairs, int threads, Allocation *allocation)
{
	KgeRelationLoss *memory = TAKE(allocation, KgeRelationLoss, 1);
	KgeRelationLoss work = {.engine = relation_engine(plan->relation.width)};
	int			blocks = (int) pool_pieces(pairs, BLOCK);
	size_t		row;
	size_t		fit;
	size_t		wave;

	work.relations = plan->relation.rows;
	work.tiles = (int) pool_pieces(work.relations, TILE);
	work.stride = vector_stride(plan->relation.width);
	row = (size_t) work.stride * sizeof(float);
	fit = WAVE_BYTES / (BLOCK * row);
	work.wave = (fit < 1 ? 1 : fit < (size_t) blocks ? (int) fit : blocks) * BLOCK;
	wave = (size_t) work.wave;

	work.weight = TAKE(allocation, float, wave);
	work.loss = TAKE(allocation, double, wave);
	work.z = allocation_take(allocation, wave, row);
	work.d_z = allocation_take(allocation, wave, row);
	work.score = allocation_take(allocation, (size_t) work.tiles * TILE, wave * sizeof(float));
	if (plan->training.precision == KGE_BFLOAT16)
		take_bfloat16(threads, &work, allocation);
	else
	{
		KgeEngine	slice = relation_engine(SLICE);

		work.prepared_size = kge_engine_scratch(&slice, BLOCK);
		work.prepared = allocation_take(allocation, (size_t) threads, work.prepared_size * sizeof(float));
	}
	if (memory != NULL)
		*memory = work;
	return memory;
}

double
kge_relation_loss_flops(const KgeModel *model, double pairs)
{
	KgeEngine	engine = relation_engine(kge_relation_width(model->function, model->dimensions));

	return pairs * kge_relation_rows(model) * kge_engine_flops(&engine);
}

/* ---- a wave ------------------------------------------------------------- */

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

/* A block's scores from a tile on. */
static float *
block_scores(const KgeRelationLoss *work, int block, int tile)
{
	return work->score + ((size_t) block * (size_t) work->tiles + (size_t) tile) * TILE * BLOCK;
}

static KgePacked
block_packed(const KgeRelationLoss *work, int block)
{
	return kge_packed_of(work->packed, block);
}

static KgePacked
tile_packed(const KgeRelationLoss *work, int tile)
{
	return kge_packed_of(work->relation, tile);
}

static float *
z_gradient(const KgeRelationLoss *work, int pair)
{
	return work->d_z + (size_t) pair * (size_t) work->stride;
}

static int
slice_width(const KgeRelationLoss *work, int from)
{
	return work->engine.width - from < SLICE ? work->engine.width - from : SLICE;
}

/* The columns of rows from one on. */
static KgeRows
columns_from(KgeRows rows, int from)
{
	rows.row += from;
	return rows;
}

/* The relations of a tile. */
static KgeRows
relation_rows(const KgeRelationLoss *work, int first)
{
	int			left = work->relations - first;

	return (KgeRows) {
		left < TILE ? left : TILE, work->engine.width,
		kge_relation_row(work->trainer->model, first)
	};
}

/* Item: a tile of relations. */
static void
pack_tile(void *argument, int64_t item, int thread)
{
	KgeRelationLoss *work = argument;
	KgeTrainer *trainer = work->trainer;
	KgeRows		relations = relation_rows(work, (int) item * TILE);

	for (int from = 0; from < work->engine.width; from += SLICE)
	{
		kge_pack_candidates(work->kernels, relations,
							kge_packed_columns(tile_packed(work, (int) item), from, slice_width(work, from)));
		pool_yield(trainer->pool, thread);
	}
}

static void
make_z(KgeRelationLoss *work, int number)
{
	const KgeModel *model = work->trainer->model;
	KgePair		pair = work->pair[number];
	float	   *z = work->z + (size_t) number * (size_t) work->stride;

	memset(z, 0, (size_t) work->engine.width * sizeof(float));
	model->function->relation_gradient(model->dimensions, SIDE_TAIL,
									   kge_entity_row(model, pair.triple.head),
									   kge_relation_row(model, pair.triple.relation),
									   kge_entity_row(model, pair.triple.tail), z);
	work->weight[number] = (float) work->trainer->training.relation_weight * pair.weight;
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
fill_slot(KgeTrainer *trainer, int slot, int32_t row, Side side, int32_t other, const float *d_z)
{
	const KgeModel *model = trainer->model;
	KgeSlots   *entity = &trainer->entity;

	entity->row[slot] = row;
	entity->penalty[slot] = 0;
	model->function->query(model->dimensions, side, kge_entity_row(model, other), d_z,
						   entity->gradient + (size_t) slot * (size_t) entity->stride);
}

/* What a slice of the columns adds to a block's scores. */
static void
score_slice(KgeRelationLoss *work, int block, int from, int thread)
{
	int			width = slice_width(work, from);
	KgeEngine	engine = relation_engine(width);
	KgeRows		rows = block_rows(work, block);
	KgePacked	packed = kge_packed_columns(block_packed(work, block), from, width);
	float	   *prepared = work->prepared + (size_t) thread * work->prepared_size;

	if (work->kernels != NULL)
		kge_pack_queries(rows, packed);
	else
		kge_engine_prepare(&engine, columns_from(rows, from), prepared);
	for (int tile = 0; tile < work->tiles; tile++)
	{
		KgeRows		relations = relation_rows(work, tile * TILE);
		float	   *score = block_scores(work, block, tile);

		if (work->kernels != NULL)
			kge_bfloat16_scores(work->kernels, packed, rows.count,
								tile_packed(work, tile), relations.count, score, BLOCK);
		else
			dense_combine(DENSE_PRODUCT, relations.count, rows.count, width,
						  relations.row + from, relations.stride, 1,
						  prepared, vector_stride(rows.count), score, BLOCK, from > 0);
		pool_yield(work->trainer->pool, thread);
	}
}

/* Item: a block. */
static void
score_block(void *argument, int64_t item, int thread)
{
	KgeRelationLoss *work = argument;
	int			block = (int) item;
	int			count = block_rows(work, block).count;

	for (int i = 0; i < count; i++)
	{
		make_z(work, block * BLOCK + i);
		pool_yield(work->trainer->pool, thread);
	}
	for (int from = 0; from < work->engine.width; from += SLICE)
		score_slice(work, block, from, thread);
	derive(work, block, count, block_scores(work, block, 0));
}

static void
learn_tile_bfloat16(KgeRelationLoss *work, int block, int tile, int from, float *dense, bool add, int thread)
{
	int			width = slice_width(work, from);
	KgeRows		rows = block_rows(work, block);
	KgeRows		relations = relation_rows(work, tile * TILE);
	KgeDerivatives derivatives = kge_derivatives_of(work->derivatives, thread);

	kge_pack_derivatives(work->kernels, relations.count, rows.count,
						 block_scores(work, block, tile), BLOCK, 0, derivatives);
	kge_bfloat16_query_gradients(work->kernels, derivatives, rows.count,
								 kge_packed_columns(tile_packed(work, tile), from, width),
								 relations.count, z_gradient(work, block * BLOCK), rows.stride);
	kge_bfloat16_candidate_gradients(work->kernels, derivatives,
									 kge_packed_columns(block_packed(work, block), from, width),
									 rows.count, relations.count, dense, relations.stride, add);
}

/* What a block and a tile add to the gradients of a slice's columns; the first block sets those of relations. */
static void
learn_tile(KgeRelationLoss *work, int block, int tile, int from, int thread)
{
	KgeEngine	engine = relation_engine(slice_width(work, from));
	KgeRows		relations = relation_rows(work, tile * TILE);
	float	   *dense = work->trainer->relation.dense + (size_t) tile * TILE * (size_t) relations.stride;
	bool		add = work->add || block > 0;

	if (work->kernels != NULL)
		learn_tile_bfloat16(work, block, tile, from, dense, add, thread);
	else
		kge_engine_gradients(&engine, columns_from(block_rows(work, block), from),
							 columns_from(relations, from), NULL, block_scores(work, block, tile), BLOCK,
							 z_gradient(work, block * BLOCK) + from, dense + from, add);
}

/* Item: a slice. */
static void
learn_slice(void *argument, int64_t item, int thread)
{
	KgeRelationLoss *work = argument;
	int			from = (int) item * SLICE;
	size_t		bytes = (size_t) slice_width(work, from) * sizeof(float);

	for (int block = 0; block * BLOCK < work->count; block++)
	{
		int			rows = kge_whole(block_rows(work, block).count);

		for (int i = 0; i < rows; i++)
			memset(z_gradient(work, block * BLOCK + i) + from, 0, bytes);
		for (int tile = 0; tile < work->tiles; tile++)
		{
			learn_tile(work, block, tile, from, thread);
			pool_yield(work->trainer->pool, thread);
		}
	}
}

/* Item: a block. */
static void
finish_block(void *argument, int64_t item, int thread)
{
	KgeRelationLoss *work = argument;
	KgeTrainer *trainer = work->trainer;
	int			first = (int) item * BLOCK;
	int			count = block_rows(work, (int) item).count;

	for (int i = first; i < first + count; i++)
	{
		Triple		triple = work->pair[i].triple;
		const float *d_z = z_gradient(work, i);

		fill_slot(trainer, work->slot + 2 * i, triple.head, SIDE_HEAD, triple.tail, d_z);
		fill_slot(trainer, work->slot + 2 * i + 1, triple.tail, SIDE_TAIL, triple.head, d_z);
		pool_yield(trainer->pool, thread);
	}
}

double
kge_relation_loss(KgeTrainer *trainer, KgeRelationLoss *work, const KgePair *pairs, int count,
				  int slot)
{
	double		loss = 0;
	int			blocks;

	work->trainer = trainer;
	if (work->kernels != NULL)
		pool_run(trainer->pool, work->tiles, pack_tile, work);
	for (int first = 0; first < count; first += work->wave)
	{
		work->pair = pairs + first;
		work->count = count - first < work->wave ? count - first : work->wave;
		work->slot = slot + 2 * first;
		work->add = first > 0;
		blocks = (int) pool_pieces(work->count, BLOCK);
		pool_run(trainer->pool, blocks, score_block, work);
		pool_run(trainer->pool, pool_pieces(work->engine.width, SLICE), learn_slice, work);
		pool_run(trainer->pool, blocks, finish_block, work);
		for (int i = 0; i < work->count; i++)
			loss += work->loss[i];
	}
	return loss;
}
