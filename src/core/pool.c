/*
 * pool.c
 *		A pool of threads that works in slices and can be left at any pause.
 *
 * The leader (the thread that owns the pool) takes no items.  A run is a
 * number of items; the threads take them by an atomic counter until none is
 * left or the slice's time is over, and then park.  When the last one has
 * parked, the leader wakes, calls `between`, and opens the next slice.  A
 * thread looks at the clock between two items, and within a long item wherever
 * it calls pool_yield: there it parks with its stack as it is.
 *
 * `between` may jump out of the library.  All threads are parked then, and
 * nothing is locked.  The next run, or pool_destroy, finds a thread that
 * is still inside an item of the run that was left; that thread jumps back to
 * its own main loop, so whatever the item was working on is never touched again.
 *
 * A slice may span several short runs: a minibatch takes a few milliseconds,
 * and calling `between` after each of them would cost more than it brings.
 *
 * A pool of one thread has none: the leader does the work itself, and looks at the clock where the thread would.  To start
 * a thread, and to wait for it at each run, takes longer than a question; on a busy machine, milliseconds.
 *
 * Phases are one run, in which each thread is an item that takes part in all of
 * them.  To wake the leader and then all threads takes some 100 microseconds on a
 * virtual machine, as long as a phase may; so a thread that waits for the next
 * phase looks for it that long before it sleeps.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "pool.h"

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH_BITS 0x8040u		/* FTZ and DAZ of the MXCSR */
#endif

#define SLICE_NANOSECONDS	INT64_C(10000000)
#define STACK_BYTES			((size_t) 2 << 20)
#define LOOKING_NANOSECONDS INT64_C(100000) /* that a thread waits for a phase awake */
#define ASLEEP_NANOSECONDS	50000	/* then, between two looks */

typedef struct Worker
{
	Pool	   *pool;
	pthread_t	thread;
	int			number;
	uint64_t	slice;			/* the last slice it took part in */
	uint64_t	run;			/* the run its item belongs to */
	jmp_buf		main_loop;
} Worker;

struct Pool
{
	int			threads;
	void		(*between) (void *argument);
	void	   *argument;
	Worker	   *workers;

	/* guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t work;		/* a slice was opened, or stop was set */
	pthread_cond_t parked;		/* the last active thread has parked */
	uint64_t	slice;
	uint64_t	run;
	int			active;			/* threads that have not parked yet */
	int			inside;			/* parked threads that are inside an item */
	bool		stop;

	/* of a pool of one thread */
	bool		leading;		/* the leader is inside an item */
	bool		flushed;		/* what the caller has denormals do */

	/* written by the leader while all threads are parked */
	int64_t		items;
	void		(*function) (void *argument, int64_t item, int thread);
	void	   *function_argument;
	int64_t		deadline;

	_Atomic int64_t next;
};

int64_t
monotonic_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

bool
flush_denormals(bool flush)
{
#if defined(FLUSH_BITS)
	unsigned int csr = _mm_getcsr();
	unsigned int wanted = flush ? csr | FLUSH_BITS : csr & ~FLUSH_BITS;

	if (wanted != csr)			/* reading it is quick, writing it is not */
		_mm_setcsr(wanted);
	return (csr & FLUSH_BITS) != 0;
#elif defined(__aarch64__)
	uint64_t	fpcr;

	__asm__ volatile("mrs %0, fpcr":"=r"(fpcr));
	__asm__ volatile("msr fpcr, %0"::"r"(flush ? fpcr | (UINT64_C(1) << 24) :
										 fpcr & ~(UINT64_C(1) << 24)));
	return (fpcr >> 24 & 1) != 0;
#else
	return false;
#endif
}

/*
 * Parks this thread until there is a slice that it has not taken part in;
 * false when the pool is to end.  Called and returns with the lock held.
 */
static bool
wait_for_slice(Worker *worker)
{
	Pool	   *pool = worker->pool;

	while (!pool->stop && worker->slice == pool->slice)
		pthread_cond_wait(&pool->work, &pool->lock);
	worker->slice = pool->slice;
	return !pool->stop;
}

static void
park(Pool *pool)
{
	if (--pool->active == 0)
		pthread_cond_signal(&pool->parked);
}

static void
take_items(Worker *worker)
{
	Pool	   *pool = worker->pool;

	do
	{
		int64_t		item = atomic_fetch_add_explicit(&pool->next, 1,
													 memory_order_relaxed);

		if (item >= pool->items)
			return;
		pool->function(pool->function_argument, item, worker->number);
	} while (monotonic_now() < pool->deadline);
}

static void *
worker_main(void *argument)
{
	Worker	   *worker = argument;
	Pool	   *pool = worker->pool;

	flush_denormals(true);

	/* comes back here, with the lock held, from an item that was left */
	if (setjmp(worker->main_loop) == 0)
	{
		pthread_mutex_lock(&pool->lock);
		wait_for_slice(worker);
	}
	while (!pool->stop)
	{
		worker->run = pool->run;
		pthread_mutex_unlock(&pool->lock);
		take_items(worker);
		pthread_mutex_lock(&pool->lock);
		park(pool);
		wait_for_slice(worker);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* The leader's: calls `between` when the slice's time is over, and starts a new one's. */
static void
pause_if_due(Pool *pool)
{
	bool		leading = pool->leading;

	if (monotonic_now() < pool->deadline)
		return;
	pool->leading = false;		/* it may not come back */
	if (leading)
		flush_denormals(pool->flushed);
	if (pool->between != NULL)
		pool->between(pool->argument);
	if (leading)
		flush_denormals(true);
	pool->leading = leading;
	pool->deadline = monotonic_now() + SLICE_NANOSECONDS;
}

/* A thread's: parks it when the slice's time is over. */
static void
park_if_due(Worker *worker)
{
	Pool	   *pool = worker->pool;

	if (monotonic_now() < pool->deadline)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->inside++;
	park(pool);
	if (!wait_for_slice(worker) || worker->run != pool->run)
		longjmp(worker->main_loop, 1);
	pool->inside--;
	pthread_mutex_unlock(&pool->lock);
}

void
pool_yield(Pool *pool, int thread)
{
	if (thread == POOL_LEADER || pool->threads == 1)
		pause_if_due(pool);
	else
		park_if_due(&pool->workers[thread]);
}

/* Starts the pool's threads, unless it is one; returns how many could be started. */
static int
start_threads(Pool *pool)
{
	pthread_attr_t attributes;
	sigset_t	all,
				saved;
	int			started = 0;

	if (pool->threads == 1)
		return 1;
	if (pthread_attr_init(&attributes) != 0)
		return 0;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	while (started < pool->threads)
	{
		Worker	   *worker = &pool->workers[started];

		worker->pool = pool;
		worker->number = started;
		if (pthread_create(&worker->thread, &attributes, worker_main, worker) != 0)
			break;
		started++;
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

Pool *
pool_create(int threads, void (*between) (void *argument), void *argument)
{
	Pool	   *pool = calloc(1, sizeof(Pool));
	int			started;

	if (pool == NULL || threads < 0 || threads > 1024)
	{
		free(pool);
		return NULL;
	}
	pool->workers = calloc((size_t) threads + 1, sizeof(Worker));	/* 0 bytes may be NULL */
	if (pool->workers == NULL)
	{
		free(pool);
		return NULL;
	}
	pool->threads = threads;
	pool->between = between;
	pool->argument = argument;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->parked, NULL);
	pool->deadline = monotonic_now() + SLICE_NANOSECONDS;

	started = start_threads(pool);
	if (started < threads)
	{
		pool->threads = started;
		pool_destroy(pool);
		return NULL;
	}
	return pool;
}

void
pool_destroy(Pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->threads && pool->threads > 1; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->parked);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

int
pool_threads(const Pool *pool)
{
	return pool->threads;
}

/*
 * Opens a slice and waits until all threads are parked.  True when the run is
 * done: no item is left, and no thread is inside one.
 */
static bool
run_slice(Pool *pool)
{
	bool		done;

	pthread_mutex_lock(&pool->lock);
	pool->active = pool->threads;
	pool->slice++;
	pthread_cond_broadcast(&pool->work);
	while (pool->active > 0)
		pthread_cond_wait(&pool->parked, &pool->lock);
	done = pool->inside == 0 && atomic_load(&pool->next) >= pool->items;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

/* In the place of one thread */
static void
run_leading(Pool *pool, int64_t items, void (*function) (void *argument, int64_t item, int thread), void *argument)
{
	pool->flushed = flush_denormals(true);
	pool->leading = true;
	for (int64_t item = 0; item < items; item++)
	{
		function(argument, item, 0);
		pause_if_due(pool);
	}
	pool->leading = false;
	flush_denormals(pool->flushed);
}

void
pool_run(Pool *pool, int64_t items,
		 void (*function) (void *argument, int64_t item, int thread),
		 void *argument)
{
	assert(pool->threads > 0 || items <= 0);
	pause_if_due(pool);
	if (pool->threads == 1)
	{
		run_leading(pool, items, function, argument);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->run++;
	pool->inside = 0;
	pool->items = items;
	pool->function = function;
	pool->function_argument = argument;
	atomic_store(&pool->next, 0);
	pthread_mutex_unlock(&pool->lock);
	while (!run_slice(pool))
		pause_if_due(pool);
}

/* ---- phases ------------------------------------------------------------------ */

typedef struct Phase
{
	int64_t		items;
	_Atomic int64_t next;
	_Atomic int64_t done;
} Phase;

typedef struct Phases
{
	Pool	   *pool;
	const PoolPhase *phases;
	int			count;
	void	   *argument;
	_Atomic int opened;			/* phases whose items may be taken */
	Phase		phase[POOL_PHASES];
} Phases;

/* Opens phase i, and those after it while there is nothing to run in them. */
static void
open_phases(Phases *work, int i)
{
	int64_t		items = 0;

	for (; i < work->count && items <= 0; i++)
	{
		items = work->phases[i].open(work->argument);
		work->phase[i].items = items;
		atomic_store_explicit(&work->opened, i + 1, memory_order_release);
	}
}

static void
wait_for_phase(Phases *work, int i, int thread)
{
	const struct timespec asleep = {.tv_nsec = ASLEEP_NANOSECONDS};
	int64_t		start = 0;

	while (atomic_load_explicit(&work->opened, memory_order_acquire) <= i)
	{
		pool_yield(work->pool, thread);
		if (start == 0)
			start = monotonic_now();
		if (monotonic_now() - start > LOOKING_NANOSECONDS)
			nanosleep(&asleep, NULL);
	}
}

static void
take_phase(Phases *work, int i, int thread)
{
	Phase	   *phase = &work->phase[i];
	int64_t		item;

	while ((item = atomic_fetch_add_explicit(&phase->next, 1, memory_order_relaxed)) < phase->items)
	{
		work->phases[i].function(work->argument, item, thread);
		if (atomic_fetch_add_explicit(&phase->done, 1, memory_order_acq_rel) + 1 == phase->items)
			open_phases(work, i + 1);
		pool_yield(work->pool, thread);
	}
}

/* Item: a thread's part in all phases.  One that comes late finds nothing left. */
static void
take_part(void *argument, int64_t item, int thread)
{
	Phases	   *work = argument;

	for (int i = 0; i < work->count; i++)
	{
		wait_for_phase(work, i, thread);
		take_phase(work, i, thread);
	}
}

void
pool_run_phases(Pool *pool, int count, const PoolPhase *phases, void *argument)
{
	Phases		work = {.pool = pool,.phases = phases,.count = count,.argument = argument};

	assert(pool->threads > 0 && count <= POOL_PHASES);
	open_phases(&work, 0);
	pool_run(pool, pool->threads, take_part, &work);
}
