/*
 * path_discovery.c
 *		Path rules found in the facts: which are searched for, which are kept.
 *
 * Bodies of each length are searched in turn (path_search.c), counted (path_count.c), and the best are kept.
 * Short ones come first: they are counted exactly and followed quickly, and the far more numerous long ones must
 * not displace them.  The work that is spent on long ones depends on how many there is room for.
 * doc/method.md, "Path rules", describes the whole.
 *
 * All memory is taken before the first search.  The leader yields in its loops, the threads in theirs.
 */
#include "path_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/sort.h"

/* Candidates for each rule that may be kept, but no more than there is work for, and than that */
#define CANDIDATES_OF_RULE 64
#define WORK_OF_CANDIDATE 200
#define MAX_CANDIDATES 4000000

/* Some for each relation and length in any case */
#define CANDIDATES_OF_RELATION 16

#define MIN_WORK 2000			/* to count a body */

static void
shuffle_anchors(PathTask *task)
{
	const FactIndex *facts = task->facts;

	for (int32_t d = 0; d < 2 * facts->relations; d++)
	{
		uint64_t	stream = random_stream(task->search->seed, DRAW_ANCHOR, (uint64_t) d, 0);
		int32_t    *anchor = task->anchor + facts->holders[d];

		for (int64_t i = 0; i < fact_holder_count(facts, d); i++)
		{
			uint32_t	j = random_below(random_bits(stream, (uint64_t) i), (uint64_t) i + 1);

			anchor[i] = anchor[j];
			anchor[j] = fact_holder(facts, facts->holders[d] + i);
			pool_yield_at(task->pool, POOL_LEADER, i);
		}
	}
}

/* ---- which are kept -------------------------------------------------------------- */

static int64_t
rounded(double number)
{
	return (int64_t) (number + 0.5);
}

/* In whole pairs: those that are facts, all, and a part of all, of which the former are */
static EvPathCounts
counts_of(const PathCandidate *candidate)
{
	double		support = candidate->confidence * candidate->body_size;
	EvPathCounts counts = {
		.support = rounded(support),
		.body_size = rounded(candidate->body_size),
		.confidence = candidate->confidence,
		.error = candidate->error
	};

	for (int i = 0; i < 2; i++)
		counts.known[i == 0 ? SIDE_TAIL : SIDE_HEAD] = rounded(fmin(fmax(candidate->known[i], support), candidate->body_size));
	return counts;
}

static double
quality(const PathCandidate *candidate)
{
	return ev_smoothed_confidence(rounded(candidate->confidence * candidate->body_size), rounded(candidate->body_size),
								  candidate->error);
}

/* By relation, the best first. */
static int
compare_quality(const void *a, const void *b)
{
	const PathCandidate *left = a;
	const PathCandidate *right = b;
	double		difference = quality(right) - quality(left);

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return (left->body > right->body) - (left->body < right->body);
}

/* The rank of a sorted candidate in its relation, 1 first, from that of the one before it. */
static int64_t
rank_of(const PathTask *task, int64_t i, int64_t rank_before)
{
	return i > 0 && task->candidate[i].relation == task->candidate[i - 1].relation ? rank_before + 1 : 1;
}

/* The largest number of rules of each relation with which all fit into the limit; and what they leave of it. */
static int64_t
fair_share(const PathTask *task, int64_t limit, int64_t *left)
{
	int64_t		low = 0;
	int64_t		high = limit;

	*left = limit;
	while (low < high)
	{
		int64_t		share = low + (high - low + 1) / 2;
		int64_t		all = 0;

		for (int64_t i = 0, rank = 0; i < task->candidates; i++)
		{
			rank = rank_of(task, i, rank);
			all += rank <= share;
			pool_yield_at(task->pool, POOL_LEADER, i);
		}
		if (all <= limit)
		{
			low = share;
			*left = limit - all;
		}
		else
			high = share - 1;
	}
	return low;
}

static EvPathRule
path_of(const PathTask *task, const PathCandidate *candidate)
{
	RelationPath body = path_body(task->facts, candidate->body);

	return (EvPathRule) {ev_path_rule(candidate->relation, body.atom, body.length), counts_of(candidate)};
}

/* Copies the best of each relation.  The first relations get one more, while some are left. */
static int64_t
keep_best(PathTask *task, int64_t limit, EvPathRule *found)
{
	int64_t		left;
	int64_t		share;
	int64_t		kept = 0;

	sort_array(task->pool, POOL_LEADER, task->candidate, task->candidates, sizeof(PathCandidate), compare_quality);
	share = fair_share(task, limit, &left);
	for (int64_t i = 0, rank = 0; i < task->candidates; i++)
	{
		rank = rank_of(task, i, rank);
		if (rank <= share || (rank == share + 1 && left-- > 0))
			found[kept++] = path_of(task, &task->candidate[i]);
	}
	return kept;
}

/* ---- the whole ------------------------------------------------------------------- */

static int64_t
room_for(const PathTask *task, int64_t limit)
{
	double		wanted = fmin(CANDIDATES_OF_RULE * (double) limit, MAX_CANDIDATES);

	return (int64_t) fmin(wanted, task->search->work / WORK_OF_CANDIDATE) +
		CANDIDATES_OF_RELATION * (int64_t) task->facts->relations;
}

/* The task, what its two steps work with, and the result */
typedef struct Discovery
{
	PathTask	task;
	PathSearch *search;			/* NULL: bodies are counted alone */
	PathCount  *count;
	EvPathRule *found;
} Discovery;

static void
take_discovery(Discovery *discovery, bool searches, int threads, Allocation *allocation)
{
	PathTask   *task = &discovery->task;

	if (searches)
		task->room = room_for(task, task->search->limit);
	task->anchor = TAKE(allocation, int32_t, (size_t) task->facts->edges);
	task->candidate = TAKE(allocation, PathCandidate, (size_t) task->room);
	discovery->count = path_count_take(task, threads, allocation);
	if (!searches)
		return;
	discovery->found = TAKE(allocation, EvPathRule, (size_t) task->search->limit);
	discovery->search = path_search_take(task, threads, allocation);
}

static bool
open_discovery(Discovery *discovery, bool searches, Arena *arena)
{
	int			threads = pool_threads(discovery->task.pool);
	Allocation	allocation = {0};

	take_discovery(discovery, searches, threads, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	take_discovery(discovery, searches, threads, &allocation);
	shuffle_anchors(&discovery->task);
	return true;
}

size_t
ev_path_rules_bytes(const FactIndex *facts, const EvSearch *search, int threads)
{
	Discovery	discovery = {.task = {.facts = facts,.search = search}};
	Allocation	allocation = {0};

	take_discovery(&discovery, true, threads, &allocation);
	return allocation_bytes(&allocation);
}

/* A part of the time that is left */
static void
set_deadline(PathTask *task, int64_t began, double part)
{
	double		end = (double) began + task->search->seconds * 1e9;
	double		time = (double) monotonic_now();

	if (task->search->seconds > 0)
		task->deadline = (int64_t) (time + part * (end - time));
}

/* Counts the candidates that were found, and drops those below a bound. */
static void
count_found(Discovery *discovery)
{
	PathTask   *task = &discovery->task;
	const EvSearch *search = task->search;
	int64_t		bodies = path_count_sort(discovery->count);
	int64_t		kept = 0;

	path_count_run(discovery->count, bodies, fmax(MIN_WORK, task->work / (double) (bodies > 0 ? bodies : 1)),
				   (1 - 1e-9) * search->min_confidence);
	for (int64_t i = 0; i < task->candidates; i++)
	{
		PathCandidate candidate = task->candidate[i];

		pool_yield_at(task->pool, POOL_LEADER, i);
		if (candidate.hits >= (double) search->min_support && candidate.confidence > candidate.error &&
			candidate.confidence - candidate.error >= search->min_confidence)
			task->candidate[kept++] = candidate;
	}
	task->candidates = kept;
}

int64_t
ev_path_rules(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search, EvPathRule **found)
{
	Discovery	discovery = {.task = {.facts = facts,.search = search,.pool = pool}};
	PathTask   *task = &discovery.task;
	uint64_t	numbers = UINT64_MAX;	/* of bodies one atom longer */
	int64_t		began;
	int64_t		kept = 0;

	if (!open_discovery(&discovery, true, arena))
		return -1;
	*found = discovery.found;
	path_search_open(discovery.search);
	began = monotonic_now();
	/* bodies have numbers of 64 bits */
	for (task->length = 1; task->length <= search->length && numbers >= path_body_base(facts) && kept < search->limit;
		 task->length++)
	{
		int64_t		left = search->limit - kept;

		numbers /= path_body_base(facts);
		task->work = search->work * (double) left / (double) search->limit;
		task->room = room_for(task, left);
		set_deadline(task, began, 0.5);
		path_search_run(discovery.search);
		set_deadline(task, began, 1);
		count_found(&discovery);
		kept += keep_best(task, left, discovery.found + kept);
	}
	return kept;
}

/* ---- counts of rules and paths that are given ---------------------------------------- */

static PathCandidate
candidate_of(const FactIndex *facts, const EvPathRule *path)
{
	RelationPath body = {.length = path->rule.length};

	for (int i = 0; i < body.length; i++)
		body.atom[i] = ev_atom(&path->rule, SIDE_TAIL, i);
	return (PathCandidate) {.body = path_body_number(facts, &body),.relation = path->rule.head};
}

bool
ev_recount_path_rules(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search, EvPathRule *path,
					  int64_t count)
{
	Discovery	discovery = {.task = {.facts = facts,.search = search,.pool = pool,.room = count}};
	PathTask   *task = &discovery.task;

	if (!open_discovery(&discovery, false, arena))
		return false;
	/* those of which all pairs were counted */
	for (int64_t i = 0; i < count; i++)
		if (path[i].counts.error == 0)
			task->candidate[task->candidates++] = candidate_of(facts, &path[i]);
	path_count_run(discovery.count, path_count_sort(discovery.count), INFINITY, 0);
	for (int64_t i = 0; i < count; i++)
		if (path[i].counts.error == 0)
		{
			PathCandidate key = candidate_of(facts, &path[i]);

			path[i] = path_of(task, bsearch(&key, task->candidate, (size_t) task->candidates, sizeof(key), path_compare));
			pool_yield_at(pool, POOL_LEADER, i);
		}
	return true;
}

bool
ev_count_paths(Arena *arena, Pool *pool, const FactIndex *facts, const EvSearch *search, int32_t relation,
			   const RelationPath *path, int64_t count, EvPathCounts *counts)
{
	Discovery	discovery = {
		.task = {.facts = facts,.search = search,.pool = pool,.room = count,.candidates = count,.given = path}
	};
	PathTask   *task = &discovery.task;

	if (!open_discovery(&discovery, false, arena))
		return false;
	for (int64_t i = 0; i < count; i++)
		task->candidate[i] = (PathCandidate) {.relation = relation};
	path_count_run(discovery.count, path_count_sort(discovery.count), search->work, 0);
	for (int64_t i = 0; i < count; i++)
		counts[i] = counts_of(&task->candidate[i]);
	return true;
}
