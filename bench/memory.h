/*
 * memory.h
 *		The arena of a program of this folder, which frees nothing.
 */
#ifndef HKG_BENCH_MEMORY_H
#define HKG_BENCH_MEMORY_H

#include <stdlib.h>

#include "core/core.h"

static void *
allocate(void *context, size_t bytes)
{
	void	   *memory = NULL;

	(void) context;
	if (posix_memalign(&memory, 64, bytes) != 0)
		abort();
	return memory;
}

static Arena arena = {.allocate = allocate};

#endif							/* HKG_BENCH_MEMORY_H */
