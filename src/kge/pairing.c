/*
 * pairing.c
 *		Scores of a block's queries against its negatives under one model, and the way back to gradients.
 */
#include <string.h>

#include "negatives.h"

KgePairing
kge_pairing_take(const KgeTrainer *plan, Allocation *allocation)
{
	KgePairing	pairing = {0};
	size_t		block = (size_t) plan->training.block_size;
	size_t		negatives = (size_t) plan->training.negatives;
	size_t		row = (size_t) plan->entity.stride * sizeof(float);

	pairing.stride = plan->entity.stride;
	pairing.score_stride = vector_stride(plan->training.block_size);
	pairing.query = allocation_take(allocation, block, row);
	pairing.prepared = TAKE(allocation, float, kge_engine_scratch(&plan->engine, (int) block));
	pairing.candidate = allocation_take(allocation, negatives, row);
	pairing.score = allocation_take(allocation, negatives, (size_t) pairing.score_stride * sizeof(float));
	return pairing;
}

static KgeRows
queries(const KgePairing *pairing)
{
	return (KgeRows) {pairing->count, pairing->stride, pairing->query};
}

static KgeRows
candidates(const KgePairing *pairing, int from, int count)
{
	return (KgeRows) {
		count, pairing->stride, pairing->candidate + (size_t) from * (size_t) pairing->stride
	};
}

/* Says what the slots are of, and sets those to 0 that are added to. */
static void
open_query(KgePairing *pairing, int i, KgeQuery query, float penalty)
{
	KgeTrainer *trainer = pairing->trainer;
	size_t		bytes = (size_t) pairing->stride * sizeof(float);

	trainer->entity.row[pairing->given_slot + i] = query.given;
	trainer->entity.penalty[pairing->given_slot + i] = penalty;
	kge_open_relation_slot(trainer, pairing->relation_slot + i, query, penalty);
	memset(kge_entity_gradient(trainer, pairing->given_slot + i), 0, bytes);
	memset(kge_pairing_query_gradient(pairing, i), 0, bytes);
}

void
kge_pairing_open(KgePairing *pairing, Side side, const Triple *triple,
				 const float *penalty, const int32_t *negative)
{
	KgeTrainer *trainer = pairing->trainer;
	size_t		stride = (size_t) pairing->stride;

	for (int i = 0; i < pairing->count; i++)
	{
		KgeQuery	query = kge_query(trainer->model, triple[i], side);

		if (i + KGE_AHEAD < pairing->count)
			kge_ask_for_row(trainer, side == SIDE_TAIL ? triple[i + KGE_AHEAD].head : triple[i + KGE_AHEAD].tail);
		kge_make_query(trainer->model, query, pairing->query + (size_t) i * stride);
		open_query(pairing, i, query, penalty == NULL ? 0 : penalty[i]);
	}
	for (int k = 0; k < pairing->negatives; k++)
	{
		if (k + KGE_AHEAD < pairing->negatives)
			kge_ask_for_row(trainer, negative[k + KGE_AHEAD]);
		memcpy(pairing->candidate + (size_t) k * stride,
			   kge_entity_row(trainer->model, negative[k]),
			   (size_t) trainer->engine.width * sizeof(float));
		trainer->entity.row[pairing->negative_slot + k] = negative[k];
		trainer->entity.penalty[pairing->negative_slot + k] = 0;
	}
	kge_engine_prepare(&trainer->engine, queries(pairing), pairing->prepared);
}

void
kge_pairing_score(KgePairing *pairing, int from, int count)
{
	kge_engine_scores(&pairing->trainer->engine, queries(pairing), pairing->prepared,
					  candidates(pairing, from, count), kge_pairing_scores(pairing, from),
					  pairing->score_stride);
}

void
kge_pairing_learn(KgePairing *pairing, int from, int count, float *derivative)
{
	KgeTrainer *trainer = pairing->trainer;

	kge_engine_gradients(&trainer->engine, queries(pairing), candidates(pairing, from, count),
						 kge_pairing_scores(pairing, from), derivative, pairing->score_stride,
						 kge_pairing_query_gradient(pairing, 0),
						 kge_entity_gradient(trainer, pairing->negative_slot + from), false);
}

void
kge_pairing_close(KgePairing *pairing)
{
	KgeTrainer *trainer = pairing->trainer;

	for (int i = 0; i < pairing->count; i++)
		kge_given_gradient(trainer->model, trainer->relation.query[pairing->relation_slot + i],
						   kge_pairing_query_gradient(pairing, i),
						   kge_entity_gradient(trainer, pairing->given_slot + i));
}
