/*
 * threads.h
 *		What the rest of the library knows of the pool beyond kge.h.
 */
#ifndef KGE_THREADS_H
#define KGE_THREADS_H

#include "kge.h"

/*
 * Called from inside a long item: parks the calling thread here when the slice
 * is over, and goes on in the next one.  Does not return when the leader has
 * left this run for good, so an item must hold nothing that it would have to
 * give back.  Called by the leader itself, as KGE_LEADER, from long work outside of a
 * run: calls `between` when the slice is over.
 */
extern void kge_pool_breathe(KgePool *pool, int thread);

/* The same in step i of a loop whose steps take some nanoseconds: in one of many */
static inline void
kge_breathe_at(KgePool *pool, int thread, int64_t i)
{
	if (i % 4096 == 0)
		kge_pool_breathe(pool, thread);
}

/* How many pieces of that size hold `count` things: the items of a run. */
static inline int64_t
kge_pieces(int64_t count, int64_t size)
{
	return (count + size - 1) / size;
}

/* Nanoseconds of a clock that never goes back. */
extern int64_t kge_now(void);

/* Sets, in the calling thread, whether denormals count as zero; tells what was. */
extern bool kge_flush_denormals(bool flush);

#endif							/* KGE_THREADS_H */
