/*
 * counted_memory.h
 *		Memory that is freed when it has been dropped and nothing in this backend uses it any more.
 *
 * For what a backend keeps from call to call.  Our queries may run functions of users (a policy of row security, a
 * view), which may call ours, which may drop what an outer call still reads.
 */
#ifndef HKG_SERVER_COUNTED_MEMORY_H
#define HKG_SERVER_COUNTED_MEMORY_H

#include "compat.h"

/* Made by whoever keeps it, with its context; the others are 0 at first.  It may be in the context itself. */
typedef struct CountedMemory
{
	MemoryContext context;
	int			users;
	bool		dropped;
} CountedMemory;

/* The memory stays until the current context is reset, dropped or not. */
extern void counted_memory_use(CountedMemory *memory);

/* Frees the memory now, or when its last user's context is reset. */
extern void counted_memory_drop(CountedMemory *memory);

#endif							/* HKG_SERVER_COUNTED_MEMORY_H */
