/*
 * planner.h
 *		Hints for the planner: settings for large joins.
 */
#ifndef HKG_SERVER_PLANNER_H
#define HKG_SERVER_PLANNER_H

#include "compat.h"

/* Between the two, statements are planned for many rows; plan_end restores the session's settings. */
extern int	plan_begin(void);
extern void plan_end(int nest_level);

#endif							/* HKG_SERVER_PLANNER_H */
