/*
 * epoch_order.c
 *		In which order an epoch takes its positives.
 *
 * An epoch's order is a permutation that is computed place by place: a Feistel
 * network of six rounds permutes the smallest even power of two that holds all
 * places, and a place that falls beyond the last positive is sent through again
 * until it does not (less than four times in the mean).  So no thread has to
 * shuffle an array first, and the order takes no memory.
 */
#include "core/random.h"
#include "kge/learning.h"

KgeOrder
kge_order(uint64_t seed, uint64_t epoch, uint64_t count)
{
	KgeOrder	order;

	order.count = count;
	order.half_bits = 1;
	while (order.half_bits < 31 && (UINT64_C(1) << (2 * order.half_bits)) < count)
		order.half_bits++;
	for (int round = 0; round < 6; round++)
		order.key[round] = random_stream(seed, DRAW_ORDER, epoch, (uint64_t) round);
	return order;
}

uint64_t
kge_order_place(const KgeOrder *order, uint64_t i)
{
	uint64_t	mask = (UINT64_C(1) << order->half_bits) - 1;

	do
	{
		uint64_t	left = i >> order->half_bits;
		uint64_t	right = i & mask;

		for (int round = 0; round < 6; round++)
		{
			uint64_t	next = left ^ (random_mix(order->key[round] ^ right) & mask);

			left = right;
			right = next;
		}
		i = left << order->half_bits | right;
	} while (i >= order->count);
	return i;
}
