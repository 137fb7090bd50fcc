/*
 * pairing.h
 *		Scores of a block's queries against its negatives under one model, and the way back to gradients.
 *
 * Scores and their derivatives have a row for each negative and a column for each
 * positive, score_stride apart.
 */
#ifndef HKG_KGE_PAIRING_H
#define HKG_KGE_PAIRING_H

#include "core/vector.h"
#include "trainer.h"

#define KGE_TILE	128			/* negatives between two looks at the clock */

typedef struct KgePairing
{
	KgeTrainer *trainer;		/* whose model it is, and whose slots it fills */
	int			stride;			/* of rows of queries and candidates */
	int			score_stride;
	float	   *query;
	float	   *prepared;		/* the engine's */
	float	   *candidate;
	float	   *score;

	/* the block at work */
	int			count;			/* positives */
	int			negatives;
	int64_t		given_slot;		/* its first slots */
	int64_t		negative_slot;
	int64_t		relation_slot;
} KgePairing;

/* Takes the arrays of a pairing. */
extern KgePairing kge_pairing_take(const KgeTrainer *plan, Allocation *allocation);

/*
 * Makes the queries for that side of the triples, fetches the negatives, and opens their
 * slots.  penalty: of each positive's given entity and relation, or NULL for none.
 */
extern void kge_pairing_open(KgePairing *pairing, Side side, const Triple *triple,
							 const float *penalty, const int32_t *negative);

/* Scores negatives from .. from+count-1. */
extern void kge_pairing_score(KgePairing *pairing, int from, int count);

/* Goes back from their scores' derivatives, which it overwrites. */
extern void kge_pairing_learn(KgePairing *pairing, int from, int count, float *derivative);

/* Goes back from the queries to the given entities. */
extern void kge_pairing_close(KgePairing *pairing);

/* The scores from negative `from` on. */
static inline float *
kge_pairing_scores(const KgePairing *pairing, int from)
{
	return pairing->score + (size_t) from * (size_t) pairing->score_stride;
}

/* The gradient of query i, which is that of its relation's slot. */
static inline float *
kge_pairing_query_gradient(const KgePairing *pairing, int i)
{
	const KgeSlots *slots = &pairing->trainer->relation;

	return slots->gradient + (size_t) (pairing->relation_slot + i) * (size_t) slots->stride;
}

static inline float *
kge_entity_gradient(const KgeTrainer *trainer, int64_t slot)
{
	return trainer->entity.gradient + (size_t) slot * (size_t) trainer->entity.stride;
}

#endif							/* HKG_KGE_PAIRING_H */
