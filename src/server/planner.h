/*
 * planner.h
 *		What the planner is told of our functions.
 */
#ifndef HKG_SERVER_PLANNER_H
#define HKG_SERVER_PLANNER_H

#include "compat.h"

/* planner.c: the support function of those that return the k best */
HKG_EXPORT extern Datum hkg_estimate_k(PG_FUNCTION_ARGS);

/* question_join.c: from now on, joins with them are planned as blocks of questions. */
extern void question_join_begin(void);

#endif							/* HKG_SERVER_PLANNER_H */
