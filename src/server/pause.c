/*
 * pause.c
 *		See pause.h.  The setting has no definition: any setting with a prefix can be set.
 */
#include "compat.h"

#include "pause.h"

#ifdef HKG_PAUSE

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

/* Sleeps, with the wait event Extension, until an interrupt ends it or the setting changes. */
void
hkg_pause_at(const char *step)
{
	const char *setting;

	while ((setting = GetConfigOption("hybridkg_test.pause", true, false)) != NULL && strcmp(setting, step) == 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 100, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

#endif
