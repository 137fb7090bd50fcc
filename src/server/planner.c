/*
 * planner.c
 *		What the planner is told before our large joins (see planner.h).
 */
#include "planner.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* Until the end of the GUC nest level. */
static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * The facts may never have been analysed, and the planner knows little of subqueries
 * in any case.  A nested loop that it takes for ten rows can meet ten million; and
 * sorting two sides for a merge is slower than hashing one.
 */
int
plan_begin(void)
{
	int			nest_level = NewGUCNestLevel();

	set_option("enable_nestloop", "off");
	set_option("enable_mergejoin", "off");
	set_option("jit", "off");
	return nest_level;
}

void
plan_end(int nest_level)
{
	AtEOXact_GUC(true, nest_level);
}

/*
 * For rows that are long and made once, but joined many times: hash joins in one
 * batch and one process hand them on by reference.  With less memory they would be
 * copied to disk for every joined row, with workers from process to process.
 */
void
plan_by_reference(int64 bytes)
{
	int64		kilobytes = Min(bytes / 1024 + 1, MAX_KILOBYTES);

	set_option("max_parallel_workers_per_gather", "0");
	if (kilobytes > work_mem)
		set_option("work_mem", psprintf(INT64_FORMAT, kilobytes));
}
