/*
 * pool.h
 *		Threads that work in slices, between which the caller may stop them.
 */
#ifndef HKG_CORE_POOL_H
#define HKG_CORE_POOL_H

#include "core.h"

typedef struct Pool Pool;

/*
 * A pool of `threads` (1 .. 1024) POSIX threads, all signals blocked in them
 * and denormals flushed to zero; of 1, the calling thread does the work.  `between` (may be NULL) runs in the calling
 * thread after each slice.  NULL when the threads cannot be had.  A pool of 0 threads
 * runs nothing: it is for what the calling thread does itself, as POOL_LEADER.
 */
extern Pool *pool_create(int threads, void (*between) (void *argument),
						 void *argument);
extern void pool_destroy(Pool *pool);
extern int	pool_threads(const Pool *pool);

/* In the place of a thread's number: the thread that owns the pool, while nothing runs on it */
#define POOL_LEADER (-1)

/*
 * Runs function(argument, item, thread) for every item in 0 .. items-1, in any
 * order, on all threads, and returns when all are done; `thread` is in
 * 0 .. threads-1.  An item should take well under 10 ms.
 */
extern void pool_run(Pool *pool, int64_t items,
					 void (*function) (void *argument, int64_t item, int thread),
					 void *argument);

/*
 * What is run when all items of the phase before are done: `open` by one thread, then the `items` that it returns by
 * all threads, as pool_run does.  Of the first phase `open` is called by the leader, and may use the pool itself.
 * function may be NULL where there are never items.
 */
typedef struct PoolPhase
{
	int64_t		(*open) (void *argument);
	void		(*function) (void *argument, int64_t item, int thread);
} PoolPhase;

#define POOL_PHASES	4			/* at most */

/*
 * Runs 1 .. POOL_PHASES phases one after the other.  Between two of them no thread goes to sleep for long, nor does the
 * leader wake: for short runs that follow each other many times.
 */
extern void pool_run_phases(Pool *pool, int count, const PoolPhase *phases, void *argument);

/*
 * Called from inside a long item: parks the calling thread here when the slice
 * is over, and goes on in the next one.  Does not return when the leader has
 * left this run for good, so an item must hold nothing that it would have to
 * give back.  Called by the leader itself, as POOL_LEADER, from long work outside of a
 * run: calls `between` when the slice is over.
 */
extern void pool_yield(Pool *pool, int thread);

/* The same in step i of a loop whose steps take some nanoseconds: in one of many */
static inline void
pool_yield_at(Pool *pool, int thread, int64_t i)
{
	if (i % 4096 == 0)
		pool_yield(pool, thread);
}

/* The same, of loops that are too short for that: `since` adds up their steps. */
static inline void
pool_yield_after(Pool *pool, int thread, int64_t steps, int64_t *since)
{
	*since += steps;
	if (*since < 4096)
		return;
	*since = 0;
	pool_yield(pool, thread);
}

/* How many pieces of that size hold `count` things: the items of a run. */
static inline int64_t
pool_pieces(int64_t count, int64_t size)
{
	return (count + size - 1) / size;
}

/* Nanoseconds of a clock that never goes back. */
extern int64_t monotonic_now(void);

/* Seconds since a time of that clock */
static inline double
seconds_since(int64_t start)
{
	return (double) (monotonic_now() - start) / 1e9;
}

/* Sets, in the calling thread, whether denormals count as zero; returns the previous setting. */
extern bool flush_denormals(bool flush);

#endif							/* HKG_CORE_POOL_H */
