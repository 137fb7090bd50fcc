/*
 * path_task.h
 *		What the two steps of the search for path rules share: the task, the candidates for rules, and bodies.
 *
 * For each length of body, path_search.c fills the candidates, and path_count.c counts them by joins (body_join.h).
 */
#ifndef HKG_EVIDENCE_PATH_TASK_H
#define HKG_EVIDENCE_PATH_TASK_H

#include "core/allocation.h"
#include "evidence.h"

/* A rule that may be found */
typedef struct PathCandidate
{
	uint64_t	body;			/* its number, see below */
	int32_t		relation;
	int32_t		support;		/* of the facts looked at, those with such a path */
	bool		complete;		/* all facts and all paths were looked at */
	bool		hopeless;		/* cannot be confident enough any more */
	int32_t		left;			/* facts of the relation, but for those of the anchors that were counted */
	double		hits;			/* sums over anchors, see path_count.c: pairs that are facts, */
	double		hits_squared;
	double		hits_pairs;		/* and their products with all pairs */
	double		known[2];		/* of given bodies: pairs of which the anchor, and of which what it reaches, has a fact of the relation */
	double		body_size;
	double		confidence;
	double		error;
} PathCandidate;

typedef struct PathTask
{
	const FactIndex *facts;
	const EvSearch *search;
	Pool	   *pool;
	int64_t		deadline;		/* nanoseconds of the monotonic clock; 0: none */
	int32_t    *anchor;			/* FactIndex.holder of each atom, in an order drawn by the seed */

	/* for the length of body that is searched */
	int			length;
	double		work;			/* for the search, and again for the counts */
	int64_t		candidates;
	int64_t		room;
	PathCandidate *candidate;
	const RelationPath *given;	/* by candidate, where bodies are given; else NULL: they have numbers */
} PathTask;

/* Whether the deadline has passed. */
static inline bool
path_task_late(const PathTask *task)
{
	return task->deadline != 0 && monotonic_now() > task->deadline;
}

/* ---- bodies ------------------------------------------------------------------- */

/*
 * A body of a path is a RelationPath, and also a number: its directed atoms, 1 added to each, are the digits to the base
 * 2 * relations + 1.  So longer bodies have greater numbers, and the length is bounded by what 64 bits hold.
 */
static inline uint64_t
path_body_base(const FactIndex *facts)
{
	return 2 * (uint64_t) facts->relations + 1;
}

static inline RelationPath
path_body(const FactIndex *facts, uint64_t number)
{
	uint64_t	base = path_body_base(facts);
	RelationPath	body = {0};
	RelationPath	reversed = {0};

	for (; number > 0; number /= base)
		reversed.atom[reversed.length++] = (int32_t) (number % base) - 1;
	while (body.length < reversed.length)
	{
		body.atom[body.length] = reversed.atom[reversed.length - 1 - body.length];
		body.length++;
	}
	return body;
}

static inline uint64_t
path_body_number(const FactIndex *facts, const RelationPath *body)
{
	uint64_t	number = 0;

	for (int i = 0; i < body->length; i++)
		number = number * path_body_base(facts) + (uint64_t) body->atom[i] + 1;
	return number;
}

/* The same path, read from its other end. */
static inline RelationPath
path_body_mirrored(const RelationPath *body)
{
	RelationPath	mirrored = {.length = body->length};

	for (int i = 0; i < body->length; i++)
		mirrored.atom[i] = MIRRORED(body->atom[body->length - 1 - i]);
	return mirrored;
}

/* ---- the two steps ---------------------------------------------------------------- */

typedef struct PathSearch PathSearch;
typedef struct PathCount PathCount;

/* Take what they work with, for the task's longest body. */
extern PathSearch *path_search_take(PathTask *task, int threads, Allocation *allocation);
extern PathCount *path_count_take(PathTask *task, int threads, Allocation *allocation);

/* Makes it ready for the first length. */
extern void path_search_open(PathSearch *search);

/* Fills the task's candidates of its length, in no order. */
extern void path_search_run(PathSearch *search);

/* Sorts the task's candidates by path_compare, but where bodies are given; returns how many bodies they have. */
extern int64_t path_count_sort(PathCount *count);
extern int	path_compare(const void *a, const void *b);

/*
 * Counts the bodies of path_count_sort, each with that much work at most.  Candidates below the least confidence may be
 * left without their counts.
 */
extern void path_count_run(PathCount *count, int64_t bodies, double work, double least_confidence);

#endif							/* HKG_EVIDENCE_PATH_TASK_H */
