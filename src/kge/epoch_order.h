/*
 * epoch_order.h
 *		In which order an epoch takes its positives, and which negatives a block draws.
 */
#ifndef HKG_KGE_EPOCH_ORDER_H
#define HKG_KGE_EPOCH_ORDER_H

#include "kge.h"

/* A permutation of 0 .. count-1 of which any place can be asked for. */
typedef struct KgeOrder
{
	uint64_t	count;
	int			half_bits;
	uint64_t	key[6];
} KgeOrder;

extern KgeOrder kge_order(uint64_t seed, uint64_t epoch, uint64_t count);
extern uint64_t kge_order_place(const KgeOrder *order, uint64_t i);

/* Draws the negatives of block number `block` of an epoch, uniform over entities. */
extern void kge_draw_negatives(uint64_t seed, uint64_t epoch, uint64_t block,
							   int32_t entities, int count, int32_t *negative);

#endif							/* HKG_KGE_EPOCH_ORDER_H */
