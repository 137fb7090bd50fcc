/*
 * pairing.c
 *		Scores of a block's queries against its negatives under one model, and the way back to gradients.
 *
 * Where the score function has turns, queries of a block with the same relation share one.  The relation's gradient is
 * worked out here then, while the query is at hand, and takes less room than that of the query.
 */
#include <string.h>

#include "negatives.h"

/* Numbers of a relation's turn */
static size_t
turn_width(const KgeTrainer *plan)
{
	const KgeModel *model = plan->relation.model;

	return plan->relation.turned ? (size_t) model->function->turn_parts * (size_t) model->dimensions : 0;
}

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
	pairing.query_gradient = allocation_take(allocation, plan->relation.turned ? block : 0, row);
	pairing.turn = TAKE(allocation, float, block * turn_width(plan));
	pairing.turn_place = TAKE(allocation, int32_t, plan->relation.turned ? block : 0);
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

/* Notes whose gradients the slots hold, and sets those to 0 that are added to. */
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

/* The first query of the block that has the relation of query i */
static int
first_alike(const KgePairing *pairing, int i)
{
	const KgeQuery *query = pairing->trainer->relation.query + pairing->relation_slot;
	int			first = 0;

	while (query[first].relation != query[i].relation)
		first++;
	return first;
}

static float *
turn_of(const KgePairing *pairing, int i)
{
	return pairing->turn + (size_t) pairing->turn_place[i] * turn_width(pairing->trainer);
}

/* Its slots are open, and those of the queries before. */
static void
make_query(KgePairing *pairing, int i, KgeQuery query)
{
	const KgeModel *model = pairing->trainer->model;
	const KgeScoreFunction *function = model->function;
	float	   *vector = pairing->query + (size_t) i * (size_t) pairing->stride;

	if (!pairing->trainer->relation.turned)
	{
		kge_make_query(model, query, vector);
		return;
	}
	pairing->turn_place[i] = first_alike(pairing, i);
	if (pairing->turn_place[i] == i)
		function->turn(model->dimensions, kge_relation_row(model, query.relation), turn_of(pairing, i));
	function->turned_query(model->dimensions, query.side, kge_entity_row(model, query.given), turn_of(pairing, i), vector);
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
			kge_ask_for_row(trainer, triple_given(&triple[i + KGE_AHEAD], side));
		open_query(pairing, i, query, penalty == NULL ? 0 : penalty[i]);
		make_query(pairing, i, query);
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

static void
turn_back(KgePairing *pairing, int i, Side side)
{
	const KgeModel *model = pairing->trainer->model;
	const KgeScoreFunction *function = model->function;
	const float *d_query = kge_pairing_query_gradient(pairing, i);

	function->turned_given_gradient(model->dimensions, side, turn_of(pairing, i), d_query,
									kge_entity_gradient(pairing->trainer, pairing->given_slot + i));
	function->turned_relation_gradient(model->dimensions, side, pairing->query + (size_t) i * (size_t) pairing->stride,
									   d_query, kge_pairing_relation_gradient(pairing, i));
}

void
kge_pairing_close(KgePairing *pairing)
{
	KgeTrainer *trainer = pairing->trainer;

	for (int i = 0; i < pairing->count; i++)
	{
		KgeQuery	query = trainer->relation.query[pairing->relation_slot + i];

		if (trainer->relation.turned)
			turn_back(pairing, i, query.side);
		else
			kge_given_gradient(trainer->model, query, kge_pairing_query_gradient(pairing, i),
							   kge_entity_gradient(trainer, pairing->given_slot + i));
	}
}
