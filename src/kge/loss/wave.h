/*
 * wave.h
 *		Queries in blocks against all entities in tiles: what losses against all entities have in common.
 *
 * A wave is as many queries as are scored at once.  A shard is a run of tiles of entities.  It alone writes the gradients
 * of these, and has a copy of the queries' gradients of its own; these are added up in the shards' order.  How many shards
 * there are does not depend on the threads.
 */
#ifndef HKG_KGE_WAVE_H
#define HKG_KGE_WAVE_H

#include "core/pool.h"
#include "kge/learn/bfloat16.h"
#include "kge/learn/trainer.h"

#define KGE_BLOCK	64			/* queries */
#define KGE_TILE	128			/* entities */
#define KGE_SHARDS	16			/* at most */

/* Whether a loss over all entities multiplies in bfloat16. */
static inline bool
kge_in_bfloat16(const KgeTrainer *trainer)
{
	return trainer->training.precision == KGE_BFLOAT16 && trainer->engine.similarity == KGE_DOT;
}

typedef struct KgeWave
{
	int			stride;			/* of rows of queries */
	int			room;			/* queries, whole blocks */
	int			tiles;
	int			of_shard;		/* tiles of a shard; the last one may have fewer */
	int			shards;

	int			count;			/* queries at work */
	bool		add;			/* to the entities' gradients of waves before, of the same minibatch */
	float	   *vector;			/* room x stride */
	float	   *d_query;		/* shards x room x stride */
	float	   *prepared;		/* of each block, the engine's */
	size_t		prepared_size;
	float	   *derivative;		/* of each thread, KGE_TILE x KGE_BLOCK */

	/* in bfloat16, if not NULL */
	const KgeBfloat16 *kernels;
	KgePacked	tile;			/* of each thread, the one at work */
	KgePacked	packed;			/* queries, block by block */
	KgeDerivatives derivatives; /* of each thread, of the tile at work and all queries */
} KgeWave;

/*
 * Fills the derivatives by the scores of a tile and a block, and returns these scores, or NULL where the engine's
 * gradients do not ask for them.  tile_packed: the tile's entities in bfloat16.
 */
typedef const float *(*KgeDerive) (KgeTrainer *trainer, int tile, int block, const KgePacked *tile_packed,
								   float *derivative, int thread);

/* Takes the arrays of a wave of up to `room` queries, whole blocks. */
extern KgeWave kge_wave_take(const KgeTrainer *plan, int room, int threads, Allocation *allocation);

/* Makes a block's queries, whose vectors are there, ready to be scored. */
extern void kge_wave_prepare(const KgeTrainer *trainer, const KgeWave *wave, int block);

/*
 * A tile in bfloat16, in the layouts for scores and for gradients, or one of them: rounding it anew costs hardly more than
 * reading it.
 */
extern KgePacked kge_wave_pack(const KgeTrainer *trainer, const KgeWave *wave, int tile, bool for_scores,
							   bool for_gradients, int thread);

/* Scores of a block and a tile, a row of KGE_BLOCK for each entity.  tile_packed: in bfloat16. */
extern void kge_wave_scores(const KgeTrainer *trainer, const KgeWave *wave, int tile, int block,
							const KgePacked *tile_packed, float *score);

/* Goes back from all blocks to a shard's entities and its copy of the queries.  scores_too: derive scores in bfloat16. */
extern void kge_wave_learn(KgeTrainer *trainer, KgeWave *wave, int shard, bool scores_too, KgeDerive derive, int thread);

/* The gradient of a query, from all shards. */
extern void kge_wave_gradient(const KgeWave *wave, int query, int width, float *gradient);

/* A block's queries */
static inline KgeRows
kge_wave_queries(const KgeWave *wave, int block)
{
	int			left = wave->count - block * KGE_BLOCK;

	return (KgeRows) {
		left < KGE_BLOCK ? left : KGE_BLOCK, wave->stride,
		wave->vector + (size_t) block * KGE_BLOCK * (size_t) wave->stride
	};
}

/* A tile's entities */
static inline KgeRows
kge_wave_candidates(const KgeTrainer *trainer, int tile)
{
	int32_t		left = trainer->model->entities - tile * KGE_TILE;

	return (KgeRows) {
		left < KGE_TILE ? left : KGE_TILE, trainer->engine.width, kge_entity_row(trainer->model, tile * KGE_TILE)
	};
}

#endif							/* HKG_KGE_WAVE_H */
