/*
 * counted_memory.c
 *		Memory that is freed when it has been dropped and nothing uses it (see counted_memory.h).
 */
#include "counted_memory.h"

#include "utils/memutils.h"

static void
free_if_unused(CountedMemory *memory)
{
	if (memory->dropped && memory->users == 0)
		MemoryContextDelete(memory->context);
}

static void
end_use(void *argument)
{
	CountedMemory *memory = argument;

	memory->users--;
	free_if_unused(memory);
}

void
counted_memory_use(CountedMemory *memory)
{
	MemoryContextCallback *end = palloc(sizeof(MemoryContextCallback));

	*end = (MemoryContextCallback) {.func = end_use,.arg = memory};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
	memory->users++;
}

void
counted_memory_drop(CountedMemory *memory)
{
	memory->dropped = true;
	free_if_unused(memory);
}
