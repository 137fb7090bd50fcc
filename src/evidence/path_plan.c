/*
 * path_plan.c
 *		What the search for the bodies of each relation costs, and how much of it is done.
 *
 * The cost of a relation is estimated from numbers of walks, which follow from each other: those of
 * k + 1 steps from an entity are the sum of those of k steps from its neighbours.  A relation is searched from
 * its heads or from its tails, whichever costs less.
 */
#include "path_task.h"

#include <math.h>
#include <stdlib.h>

#define DRAWN_FACTS 1000		/* facts of a relation, where not all can be searched */

void
path_planner_take(PathPlanner *planner, Allocation *allocation)
{
	size_t		entities = (size_t) planner->facts->entities;
	size_t		relations = (size_t) planner->facts->relations;

	for (int k = 0; k <= PATH_FAR_STEPS; k++)
	{
		planner->walks[k] = TAKE(allocation, double, entities);
		planner->fact_walks[k] = TAKE(allocation, double, 2 * relations);
	}
	for (int k = 0; k <= PATH_NEAR_STEPS; k++)
		planner->anchor_walks[k] = TAKE(allocation, double, 2 * relations);
	planner->plan = TAKE(allocation, PathPlan, relations);
}

/* The walks of k steps from the edges of each atom; and those of k + 1 from each entity. */
static void
count_walks(PathPlanner *planner, int k, int thread)
{
	const FactIndex *facts = planner->facts;

	for (int32_t d = 0; d < 2 * facts->relations; d++)
		planner->fact_walks[k][d] = 0;
	for (int32_t i = 0; i < facts->entities; i++)
	{
		double		sum = 0;

		for (int64_t j = facts->start[i]; j < facts->start[i + 1]; j++)
		{
			planner->fact_walks[k][facts->edge[j].atom] += planner->walks[k][i];
			sum += planner->walks[k][facts->edge[j].other];
		}
		if (k < PATH_FAR_STEPS)
			planner->walks[k + 1][i] = sum;
		pool_yield_at(planner->pool, thread, i);
	}
}

/* The only item */
static void
count_all_walks(void *argument, int64_t item, int thread)
{
	PathPlanner *planner = argument;
	const FactIndex *facts = planner->facts;

	planner->join_probability = 0;
	for (int32_t i = 0; i < facts->entities; i++)
	{
		double		part = (double) (facts->start[i + 1] - facts->start[i]) / (double) facts->edges;

		planner->walks[0][i] = 1;
		planner->join_probability += part * part;
	}
	for (int k = 0; k <= PATH_FAR_STEPS; k++)
		count_walks(planner, k, thread);
	for (int k = 0; k <= PATH_NEAR_STEPS; k++)
		for (int32_t d = 0; d < 2 * facts->relations; d++)
		{
			planner->anchor_walks[k][d] = 0;
			for (int64_t i = facts->holders[d]; i < facts->holders[d + 1]; i++)
			{
				pool_yield_at(planner->pool, thread, i);
				planner->anchor_walks[k][d] += planner->walks[k][fact_holder(facts, i)];
			}
		}
}

void
path_planner_open(PathPlanner *planner)
{
	pool_run(planner->pool, 1, count_all_walks, planner);
}

/* The expected number of joined half-paths over the facts of a relation, as if each ended at a random edge. */
static double
expected_joins(const PathPlanner *planner, int length, int32_t anchored)
{
	const FactIndex *facts = planner->facts;
	const double *near = planner->walks[length / 2];
	const double *far = planner->walks[length - length / 2];
	double		pairs = 0;

	for (int64_t i = facts->holders[anchored]; i < facts->holders[anchored + 1]; i++)
	{
		int32_t		holder = fact_holder(facts, i);
		FactGroup	group = fact_group_at(facts, facts->holder[i]);

		for (int64_t j = group.first; j < group.end; j++)
			pairs += near[holder] * far[facts->edge[j].other];
		pool_yield_at(planner->pool, POOL_LEADER, i);
	}
	return pairs * planner->join_probability;
}

static double
cost_of(const PathPlanner *planner, int length, int32_t anchored)
{
	int			near_steps = length / 2;

	return expected_joins(planner, length, anchored) +
		planner->fact_walks[length - near_steps][MIRRORED(anchored)] +
		planner->anchor_walks[near_steps][anchored] +
		planner->fact_walks[near_steps][anchored] / PATH_ITEM_FACTS;
}

static int
compare_plans(const void *a, const void *b)
{
	const PathPlan *left = a;
	const PathPlan *right = b;

	if (left->cost != right->cost)
		return left->cost < right->cost ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

void
path_planner_run(PathPlanner *planner, int length)
{
	for (int32_t r = 0; r < planner->facts->relations; r++)
	{
		int32_t		forwards = FORWARDS(r);
		double		from_heads = cost_of(planner, length, forwards);
		double		from_tails = cost_of(planner, length, MIRRORED(forwards));

		planner->plan[r] = (PathPlan) {
			.relation = r,
			.length = length,
			.anchored = from_heads < from_tails ? forwards : MIRRORED(forwards),
			.cost = fmin(from_heads, from_tails),
			.facts = 1,
			.halves = INFINITY
		};
	}
	qsort(planner->plan, (size_t) planner->facts->relations, sizeof(PathPlan), compare_plans);
}

void
path_plan_limit(const PathPlanner *planner, PathPlan *plan, double work)
{
	double		facts = planner->fact_walks[0][plan->anchored];
	double		drawn = fmin(facts, DRAWN_FACTS);

	if (plan->cost <= work || plan->length < 3)
		return;
	plan->facts = drawn / facts;
	/* of h half-paths of each side: work of a fact = 2 h + join_probability * h * h */
	plan->halves = fmax(1, floor(work / drawn / (1 + sqrt(1 + planner->join_probability * work / drawn))));
}
