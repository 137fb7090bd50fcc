/*
 * attempt.c
 *		Work that may fail (see attempt.h).
 */
#include "attempt.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

static ErrorData *
roll_back(MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	RollbackAndReleaseCurrentSubTransaction();
	return error;
}

ErrorData *
attempt(void (*work) (void *argument), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(argument);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		error = roll_back(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}
