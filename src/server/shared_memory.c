/*
 * shared_memory.c
 *		Small structs that all processes of the server share (see shared_memory.h).
 */
#include "shared_memory.h"

#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

/* With AddinShmemInitLock held.  An error for lack of room leaves nothing but the holds on interrupts at 0. */
static void *
find_struct(const char *name, Size bytes, bool *found)
{
	MemoryContext caller = CurrentMemoryContext;
	void	   *volatile memory = NULL;

	PG_TRY();
	{
		memory = ShmemInitStruct(name, bytes, found);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		if (geterrcode() != ERRCODE_OUT_OF_MEMORY)
			PG_RE_THROW();
		FlushErrorState();
		HOLD_INTERRUPTS();		/* as the lock has them */
	}
	PG_END_TRY();
	return memory;
}

void *
shared_memory(const char *name, Size bytes, void (*initialize) (void *memory))
{
	bool		found;
	void	   *memory;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = find_struct(name, bytes, &found);
	if (memory != NULL && !found)
	{
		memset(memory, 0, bytes);
		initialize(memory);
	}
	LWLockRelease(AddinShmemInitLock);
	return memory;
}
