/*
 * hybridkg.h
 *		What the whole extension half shares: settings, the thread pool, memory
 *		for the pure half.
 */
#ifndef HYBRIDKG_H
#define HYBRIDKG_H

#include "compat.h"

#include "kge/kge.h"

typedef enum Progress
{
	PROGRESS_OFF,
	PROGRESS_ITERATION,
	PROGRESS_EPOCH
} Progress;

/* settings: hybridkg.threads, max_memory (kB), progress (a Progress), precision (a KgePrecision) */
extern int	hkg_threads;
extern int	hkg_max_memory;
extern int	hkg_progress_level;
extern int	hkg_precision;

/*
 * A pool of `threads` threads (hybridkg.threads of them for hkg_pool); dropped with the current
 * memory context, error or not.  Between slices it checks for interrupts and for
 * the postmaster's death.
 */
extern KgePool *hkg_pool_of(int threads);
extern KgePool *hkg_pool(void);

/* A pool without threads, for what the backend does itself as KGE_LEADER; it stays. */
extern KgePool *hkg_leader(void);

/* Memory of any size from a context, in huge pages where there are. */
extern void *hkg_allocate(MemoryContext context, size_t bytes);

/*
 * An arena in the current memory context; what it hands out goes with the context.  It is never empty: lack of
 * memory is an ERROR, so nobody has to ask whether what took from it failed.
 */
extern KgeArena hkg_arena(void);

/* ERROR 53200, with the need, when `bytes` are over hybridkg.max_memory; `purpose` as in "training". */
extern void hkg_check_memory(uint64 bytes, const char *purpose);

/* The same with a way out of its own: what follows "Raise hybridkg.max_memory, or". */
extern void hkg_check_memory_or(uint64 bytes, const char *purpose, const char *way_out);

#endif							/* HYBRIDKG_H */
