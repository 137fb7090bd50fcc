/*
 * path_plan.h
 *		What the search for the bodies of each relation costs, and how much of it is done.
 */
#ifndef HKG_EVIDENCE_PATH_PLAN_H
#define HKG_EVIDENCE_PATH_PLAN_H

#include "fact_index.h"

#include "core/allocation.h"
#include "core/pool.h"

#define PATH_FAR_STEPS 3		/* the longer half of the longest path */
#define PATH_NEAR_STEPS 2
#define PATH_ITEM_FACTS 64		/* facts of an anchor that one item takes */

/* How the bodies of one length are searched for a relation */
typedef struct PathPlan
{
	int32_t		relation;
	int			length;
	int32_t		anchored;		/* the atom of its facts from the anchor */
	double		cost;			/* half-paths and joins, if all are taken */
	double		facts;			/* the part of the facts that is searched */
	double		halves;			/* half-paths of each side, at most */
} PathPlan;

/* Walks may pass an entity several times: they are more than the paths, and are counted without following them. */
typedef struct PathPlanner
{
	const EvFacts *facts;
	Pool	   *pool;
	double	   *walks[PATH_FAR_STEPS + 1];	/* by entity: walks of that many steps from it */
	double	   *fact_walks[PATH_FAR_STEPS + 1]; /* by atom: their sum over its edges */
	double	   *anchor_walks[PATH_NEAR_STEPS + 1];	/* by atom: their sum over its anchors */
	double		join_probability;	/* that two random edges lead to one entity */
	PathPlan   *plan;			/* of each relation */
} PathPlanner;

/* Takes its memory; `facts` is set. */
extern void path_planner_take(PathPlanner *planner, Allocation *allocation);

/* Counts the walks; `pool` is set. */
extern void path_planner_open(PathPlanner *planner);

/* Makes the plans for a length, the cheapest first, each for all there is. */
extern void path_planner_run(PathPlanner *planner, int length);

/* Takes a sample where a plan costs more than that. */
extern void path_plan_limit(const PathPlanner *planner, PathPlan *plan, double work);

#endif							/* HKG_EVIDENCE_PATH_PLAN_H */
