/*
 * tiles.h
 *		Queries in blocks and entities in tiles, for losses against all entities.
 *
 * A shard is a run of tiles.  One thread at a time writes the gradients of its entities.
 */
#ifndef HKG_KGE_TILES_H
#define HKG_KGE_TILES_H

#include "core/pool.h"
#include "kge/learn/trainer.h"

#define KGE_BLOCK	64			/* queries */
#define KGE_TILE	128			/* entities */
#define KGE_SHARDS	16			/* at most */

typedef struct KgeTiles
{
	int			count;
	int			of_shard;		/* tiles of a shard; the last one may have fewer */
	int			shards;
} KgeTiles;

static inline KgeTiles
kge_tiles(int32_t entities)
{
	KgeTiles	tiles = {.count = (int) pool_pieces(entities, KGE_TILE)};

	tiles.of_shard = (int) pool_pieces(tiles.count, KGE_SHARDS);
	tiles.shards = (int) pool_pieces(tiles.count, tiles.of_shard);
	return tiles;
}

/* The first tile of a shard; behind the last one, the number of tiles */
static inline int
kge_shard_start(const KgeTiles *tiles, int shard)
{
	int			start = shard * tiles->of_shard;

	return start < tiles->count ? start : tiles->count;
}

/* A tile's entities, and their gradients, which the first block of a minibatch sets */
static inline KgeRows
kge_tile_candidates(const KgeTrainer *trainer, int tile)
{
	int32_t		left = trainer->model->entities - tile * KGE_TILE;

	return (KgeRows) {
		left < KGE_TILE ? left : KGE_TILE, trainer->engine.width, kge_entity_row(trainer->model, tile * KGE_TILE)
	};
}

static inline float *
kge_tile_gradient(const KgeTrainer *trainer, int tile)
{
	return trainer->entity.dense + (size_t) tile * KGE_TILE * (size_t) trainer->entity.width;
}

#endif							/* HKG_KGE_TILES_H */
