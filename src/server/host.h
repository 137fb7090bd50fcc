/*
 * host.h
 *		Threads and memory for the pure half, within the server's settings.
 */
#ifndef HKG_SERVER_HOST_H
#define HKG_SERVER_HOST_H

#include "compat.h"

#include "core/pool.h"

/* settings: hybridkg.threads, and hybridkg.max_memory in kB */
extern int	hkg_threads;
extern int	hkg_max_memory;

/* setting hybridkg.slice_seconds: work of one thread that is worth dividing among the nodes of a cluster; < 0: none is */
extern double hkg_slice_seconds;

/* setting hybridkg.skip_unknown: a question about an entity without a fact has no answer, in place of an error */
extern bool hkg_skip_unknown;

/*
 * A pool of `threads` threads (hkg_pool: as many as hybridkg.threads), destroyed with the current memory context, after
 * an error too.  Between slices it checks for interrupts and for the postmaster's death.  Each call starts the threads of
 * another pool: one is enough for a piece of work.
 */
extern Pool *hkg_pool_of(int threads);
extern Pool *hkg_pool(void);

/* The pool without threads, for work of the backend's own thread as POOL_LEADER; it is never destroyed. */
extern Pool *hkg_leader(void);

/*
 * CHECK_FOR_INTERRUPTS, and the end of the process when the postmaster has died: a backend that computes on would keep
 * the server from starting again.
 */
extern void hkg_check_interrupts(void);

/* Memory of any size from a context, in huge pages where the system has them. */
extern void *hkg_allocate(MemoryContext context, size_t bytes);

/*
 * An arena in the current memory context, freed with it.  Lack of memory is an ERROR, so functions that take from the
 * arena never fail for it.
 */
extern Arena hkg_arena(void);

/*
 * The same, in large blocks outside of the context, which go back to the system when the context is deleted (malloc
 * would keep them), but for one of 16 MB at most.  zeroed: as Arena has it, for memory of which little is written.
 */
extern Arena hkg_scratch(bool zeroed);

/*
 * The arena within hybridkg.max_memory: what would need more than that, beside `beside` bytes, is ERROR 53200.  The words
 * are those of hkg_check_memory_or.
 */
extern Arena hkg_within_memory(Arena arena, uint64 beside, const char *purpose, const char *way_out);

#define HKG_ASK_FOR_LESS "ask for less: fewer dimensions, rules or samples"

/* ERROR 53200 when `bytes` are more than hybridkg.max_memory; `purpose` begins the message, as in "training". */
extern void hkg_check_memory(uint64 bytes, const char *purpose);

/* The same; `way_out` ends the hint "Raise hybridkg.max_memory, or ...". */
extern void hkg_check_memory_or(uint64 bytes, const char *purpose, const char *way_out);

/* Every check counts so many bytes more, until the current memory context is reset or deleted. */
extern void hkg_hold_memory(uint64 bytes);

#endif							/* HKG_SERVER_HOST_H */
