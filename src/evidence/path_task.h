/*
 * path_task.h
 *		What the two steps of the search for path rules share: the task, and the candidates for rules.
 *
 * For each length of body, path_search.c fills the candidates, and path_count.c counts them.
 */
#ifndef HKG_EVIDENCE_PATH_TASK_H
#define HKG_EVIDENCE_PATH_TASK_H

#include "path_rule.h"

#include "core/pool.h"

/* A rule that may be found */
typedef struct PathCandidate
{
	uint64_t	body;			/* its number, see path_body.h */
	int32_t		relation;
	int32_t		support;		/* of the facts looked at, those with such a path */
	bool		complete;		/* all facts and all paths were looked at */
	double		hits;			/* sums over anchors, see path_count.c: pairs that are facts, */
	double		hits_squared;
	double		hits_pairs;		/* and their products with all pairs */
	double		body_size;
	double		confidence;
	double		error;
} PathCandidate;

typedef struct PathTask
{
	const EvFacts *facts;
	const EvSearch *search;
	Pool	   *pool;
	int64_t		deadline;		/* nanoseconds of the monotonic clock; 0: none */
	int32_t    *anchor;			/* EvFacts.holder of each atom, in an order drawn by the seed */

	/* for the length of body that is searched */
	int			length;
	double		work;			/* for the search, and again for the counts */
	int64_t		candidates;
	int64_t		room;
	PathCandidate *candidate;
} PathTask;

/* Whether the deadline has passed. */
static inline bool
path_task_late(const PathTask *task)
{
	return task->deadline != 0 && monotonic_now() > task->deadline;
}

/* The number of entities that have edges of an atom. */
static inline int64_t
holder_count(const EvFacts *facts, int32_t atom)
{
	return facts->holders[atom + 1] - facts->holders[atom];
}

#endif							/* HKG_EVIDENCE_PATH_TASK_H */
