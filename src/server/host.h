/*
 * host.h
 *		What the pure half asks of its host: a pool of threads, memory and its limit.
 */
#ifndef HKG_SERVER_HOST_H
#define HKG_SERVER_HOST_H

#include "compat.h"

#include "core/pool.h"

/* settings: hybridkg.threads, and hybridkg.max_memory in kB */
extern int	hkg_threads;
extern int	hkg_max_memory;

/*
 * A pool of `threads` threads (hybridkg.threads of them for hkg_pool); dropped with the current
 * memory context, error or not.  Between slices it checks for interrupts and for
 * the postmaster's death.
 */
extern Pool *hkg_pool_of(int threads);
extern Pool *hkg_pool(void);

/* A pool without threads, for what the backend does itself as POOL_LEADER; it stays. */
extern Pool *hkg_leader(void);

/* Memory of any size from a context, in huge pages where there are. */
extern void *hkg_allocate(MemoryContext context, size_t bytes);

/*
 * An arena in the current memory context; what it hands out goes with the context.  It is never empty: lack of
 * memory is an ERROR, so nobody has to ask whether what took from it failed.
 */
extern Arena hkg_arena(void);

/* ERROR 53200, with the need, when `bytes` are over hybridkg.max_memory; `purpose` as in "training". */
extern void hkg_check_memory(uint64 bytes, const char *purpose);

/* The same with a way out of its own: what follows "Raise hybridkg.max_memory, or". */
extern void hkg_check_memory_or(uint64 bytes, const char *purpose, const char *way_out);

#endif							/* HKG_SERVER_HOST_H */
