/*
 * wave.c
 *		Queries against all entities (see wave.h).
 */
#include <string.h>

#include "wave.h"
#include "core/dense.h"

KgeWave
kge_wave_take(const KgeTrainer *plan, int room, int threads, Allocation *allocation)
{
	KgeWave		wave = {.stride = plan->entity.stride,.room = room};
	size_t		row = (size_t) wave.stride * sizeof(float);

	wave.tiles = (int) pool_pieces(plan->entity.rows, KGE_TILE);
	wave.of_shard = (int) pool_pieces(wave.tiles, KGE_SHARDS);
	wave.shards = (int) pool_pieces(wave.tiles, wave.of_shard);
	wave.vector = allocation_take(allocation, (size_t) room, row);
	wave.d_query = allocation_take(allocation, (size_t) wave.shards * (size_t) room, row);
	wave.derivative = allocation_take(allocation, (size_t) threads, KGE_TILE * KGE_BLOCK * sizeof(float));
	if (kge_in_bfloat16(plan))
	{
		wave.kernels = kge_bfloat16();
		wave.tile = kge_packed_take(allocation, (size_t) threads, KGE_TILE, plan->entity.width);
		wave.packed = kge_packed_take(allocation, 1, (size_t) room, plan->entity.width);
		wave.derivatives = kge_derivatives_take(allocation, threads, KGE_TILE, room, KGE_BLOCK);
	}
	else
	{
		wave.prepared_size = kge_engine_scratch(&plan->engine, KGE_BLOCK);
		wave.prepared = allocation_take(allocation, (size_t) (room / KGE_BLOCK), wave.prepared_size * sizeof(float));
	}
	return wave;
}

static KgePacked
block_packed(const KgeWave *wave, int block)
{
	return kge_packed_from(wave->packed, (size_t) block * KGE_BLOCK);
}

static float *
block_prepared(const KgeWave *wave, int block)
{
	return wave->prepared + (size_t) block * wave->prepared_size;
}

static float *
shard_gradient(const KgeWave *wave, int shard, int query)
{
	return wave->d_query + ((size_t) shard * (size_t) wave->room + (size_t) query) * (size_t) wave->stride;
}

void
kge_wave_prepare(const KgeTrainer *trainer, const KgeWave *wave, int block)
{
	if (wave->kernels != NULL)
		kge_pack_queries(kge_wave_queries(wave, block), block_packed(wave, block));
	else
		kge_engine_prepare(&trainer->engine, kge_wave_queries(wave, block), block_prepared(wave, block));
}

KgePacked
kge_wave_pack(const KgeTrainer *trainer, const KgeWave *wave, int tile, bool for_scores, bool for_gradients, int thread)
{
	KgePacked	packed = kge_packed_of(wave->tile, thread);

	if (!for_gradients)
		packed.along = NULL;
	if (!for_scores)
		packed.across = NULL;
	kge_pack_candidates(wave->kernels, kge_wave_candidates(trainer, tile), packed);
	return packed;
}

void
kge_wave_scores(const KgeTrainer *trainer, const KgeWave *wave, int tile, int block, const KgePacked *tile_packed,
				float *score)
{
	KgeRows		queries = kge_wave_queries(wave, block);
	KgeRows		candidates = kge_wave_candidates(trainer, tile);

	if (wave->kernels != NULL)
		kge_bfloat16_scores(wave->kernels, block_packed(wave, block), queries.count, *tile_packed, candidates.count, score,
							KGE_BLOCK);
	else
		kge_engine_scores(&trainer->engine, queries, block_prepared(wave, block), candidates, score, KGE_BLOCK);
}

/* In bfloat16 the entities' gradients are one product over all blocks: their sums stay in registers. */
static void
learn_tile(KgeTrainer *trainer, KgeWave *wave, int shard, int tile, bool scores_too, KgeDerive derive, int thread)
{
	KgeRows		candidates = kge_wave_candidates(trainer, tile);
	float	   *d_candidates = trainer->entity.dense + (size_t) tile * KGE_TILE * (size_t) trainer->entity.width;
	float	   *derivative = wave->derivative + (size_t) thread * KGE_TILE * KGE_BLOCK;
	bool		rounded = wave->kernels != NULL;
	KgePacked	packed = {0};
	KgeDerivatives derivatives = {0};

	if (rounded)
	{
		packed = kge_wave_pack(trainer, wave, tile, scores_too, true, thread);
		derivatives = kge_derivatives_of(wave->derivatives, thread);
	}
	for (int block = 0; block * KGE_BLOCK < wave->count; block++)
	{
		KgeRows		queries = kge_wave_queries(wave, block);
		float	   *d_queries = shard_gradient(wave, shard, block * KGE_BLOCK);
		const float *score = derive(trainer, tile, block, &packed, derivative, thread);

		if (rounded)
		{
			kge_pack_derivatives(wave->kernels, candidates.count, queries.count, derivative, KGE_BLOCK, block * KGE_BLOCK,
								 derivatives);
			kge_bfloat16_query_gradients(wave->kernels, derivatives, queries.count, packed, candidates.count, d_queries,
										 queries.stride);
		}
		else
			kge_engine_gradients(&trainer->engine, queries, candidates, score, derivative, KGE_BLOCK, d_queries,
								 d_candidates, wave->add || block > 0);
		pool_yield(trainer->pool, thread);
	}
	if (!rounded)
		return;
	kge_bfloat16_candidate_gradients(wave->kernels, derivatives, wave->packed, wave->count, candidates.count, d_candidates,
									 candidates.stride, wave->add);
	pool_yield(trainer->pool, thread);
}

void
kge_wave_learn(KgeTrainer *trainer, KgeWave *wave, int shard, bool scores_too, KgeDerive derive, int thread)
{
	int			first = shard * wave->of_shard;

	memset(shard_gradient(wave, shard, 0), 0, (size_t) kge_whole(wave->count) * (size_t) wave->stride * sizeof(float));
	for (int tile = first; tile < first + wave->of_shard && tile < wave->tiles; tile++)
		learn_tile(trainer, wave, shard, tile, scores_too, derive, thread);
}

void
kge_wave_gradient(const KgeWave *wave, int query, int width, float *gradient)
{
	memcpy(gradient, shard_gradient(wave, 0, query), (size_t) width * sizeof(float));
	for (int shard = 1; shard < wave->shards; shard++)
		dense_add(width, shard_gradient(wave, shard, query), gradient);
}
