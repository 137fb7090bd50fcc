/*
 * planner.h
 *		What the planner is told before our large joins.
 */
#ifndef HKG_SERVER_PLANNER_H
#define HKG_SERVER_PLANNER_H

#include "compat.h"

/* Between the two, statements are planned for many rows; the session's settings return afterwards. */
extern int	plan_begin(void);
extern void plan_end(int nest_level);

/* Until the innermost plan_end: joins hand long rows on by reference. */
extern void plan_by_reference(int64 bytes);

#endif							/* HKG_SERVER_PLANNER_H */
