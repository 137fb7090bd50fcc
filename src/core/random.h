/*
 * random.h
 *		Counter-based draws: number n of a stream can be had without the others.
 *
 * A stream is a splitmix64 sequence.  Its key is made from the seed, the
 * purpose and whatever else numbers it (an epoch, a block), so that a draw
 * depends on what it is for and never on which thread makes it, or when.
 */
#ifndef HKG_CORE_RANDOM_H
#define HKG_CORE_RANDOM_H

#include <assert.h>
#include <stdint.h>

/* What a stream is drawn for; its draws depend on this number. */
enum
{
	DRAW_ENTITY = 1,
	DRAW_RELATION,
	DRAW_ORDER,
	DRAW_NEGATIVE,
	DRAW_TIE,
	DRAW_SAMPLE,
	DRAW_FALSE,
	DRAW_SIDE,
	DRAW_GENERATOR,
	DRAW_FACT,
	DRAW_PATH,
	DRAW_ANCHOR,
	DRAW_HELD_OUT,
	DRAW_RANKED,
	DRAW_PLACE = 16,			/* not 15, of a purpose that is gone: draws below stay as they were */
	DRAW_NETWORK,
	DRAW_DROPOUT,
	DRAW_PARTITION,
	DRAW_PARTNER,
	DRAW_BUCKET,
	DRAW_DEAL,
	DRAW_CHOICE
};

/* The finaliser of splitmix64: a bijection that mixes all 64 bits. */
static inline uint64_t
random_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The key of stream (purpose, a, b) under a seed. */
static inline uint64_t
random_stream(uint64_t seed, uint64_t purpose, uint64_t a, uint64_t b)
{
	uint64_t	key = random_mix(seed + UINT64_C(0x9e3779b97f4a7c15) * purpose);

	key = random_mix(key ^ (a + UINT64_C(0xd1b54a32d192ed03)));
	return random_mix(key ^ (b + UINT64_C(0x8cb92ba72f3d8dd7)));
}

/* Draw number n of a stream: 64 random bits. */
static inline uint64_t
random_bits(uint64_t stream, uint64_t n)
{
	return random_mix(stream + UINT64_C(0x9e3779b97f4a7c15) * (n + 1));
}

/* 64 random bits as an integer in 0 .. bound-1; bound < 2^32. */
static inline uint32_t
random_below(uint64_t bits, uint64_t bound)
{
	assert(bound <= UINT32_MAX);
	return (uint32_t) (((bits >> 32) * bound +
						(((bits & UINT32_MAX) * bound) >> 32)) >> 32);
}

/* 64 random bits as a double in the open interval (0, 1). */
static inline double
random_open(uint64_t bits)
{
	return ((double) (bits >> 12) + 0.5) * 0x1p-52;
}

#endif							/* HKG_CORE_RANDOM_H */
