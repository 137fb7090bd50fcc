/*
 * paths.c
 *		Path rules found in the facts: which are counted, which are kept.
 */
#include "paths.h"

#include <math.h>

#include "core/sort.h"

/* Candidates for each rule that may be kept, but no more than there is work for, and than that */
#define CANDIDATES_OF_RULE 64
#define WORK_OF_CANDIDATE 200
#define MAX_CANDIDATES 4000000

/* Some for each relation and length in any case */
#define CANDIDATES_OF_RELATION 16

bool
paths_late(const Paths *paths)
{
	return paths->deadline != 0 && monotonic_now() > paths->deadline;
}

/* BodyPairs have numbers of 64 bits. */
static int
longest_with_number(const EvFacts *facts, int length)
{
	uint64_t	left = UINT64_MAX;
	int			digits = 0;

	for (; digits < length && left >= body_base(facts); digits++)
		left /= body_base(facts);
	return digits;
}

static void
shuffle_anchors(Paths *paths)
{
	const EvFacts *facts = paths->facts;

	for (int32_t d = 0; d < 2 * facts->relations; d++)
	{
		uint64_t	stream = random_stream(paths->search->seed, DRAW_ANCHOR, (uint64_t) d, 0);
		int32_t    *anchor = paths->anchor + facts->holders[d];

		for (int64_t i = 0; i < holders_of(facts, d); i++)
		{
			uint32_t	j = random_below(random_bits(stream, (uint64_t) i), (uint64_t) i + 1);

			anchor[i] = anchor[j];
			anchor[j] = facts->holder[facts->holders[d] + i].entity;
			pool_yield_at(paths->pool, POOL_LEADER, i);
		}
	}
}

/* ---- which are kept -------------------------------------------------------------- */

static int64_t
rounded(double number)
{
	return (int64_t) (number + 0.5);
}

static double
worth(const Candidate *candidate)
{
	return ev_worth(rounded(candidate->confidence * candidate->body_size), rounded(candidate->body_size), candidate->error);
}

static int
compare_worth(const void *a, const void *b)
{
	const Candidate *left = a;
	const Candidate *right = b;
	double		difference = worth(right) - worth(left);

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return (left->body > right->body) - (left->body < right->body);
}

/* The place of a candidate among those of its relation, 1 first, when they are in that order. */
static int64_t
place(const Paths *paths, int64_t i, int64_t place_before)
{
	return i > 0 && paths->candidate[i].relation == paths->candidate[i - 1].relation ? place_before + 1 : 1;
}

/* The largest number of rules of each relation with which all are no more than so many; and what is left of those. */
static int64_t
fair_share(const Paths *paths, int64_t limit, int64_t *left)
{
	int64_t		low = 0;
	int64_t		high = limit;

	*left = limit;
	while (low < high)
	{
		int64_t		share = low + (high - low + 1) / 2;
		int64_t		all = 0;

		for (int64_t i = 0, here = 0; i < paths->candidates; i++)
		{
			here = place(paths, i, here);
			all += here <= share;
			pool_yield_at(paths->pool, POOL_LEADER, i);
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

static EvPath
path_of(const Paths *paths, const Candidate *candidate)
{
	Body		body = body_of(paths->facts, candidate->body);
	EvPath		path = {.relation = candidate->relation,.length = body.length,
		.body_size = rounded(candidate->body_size),
		.support = rounded(candidate->confidence * candidate->body_size),
	.confidence = candidate->confidence,.error = candidate->error};

	for (int i = 0; i < body.length; i++)
		path.atom[i] = body.atom[i];
	return path;
}

/* Copies the best of each relation.  The first relations get one more, as far as that goes. */
static int64_t
keep_best(Paths *paths, int64_t limit, EvPath *found)
{
	int64_t		left;
	int64_t		share;
	int64_t		kept = 0;

	sort_array(paths->pool, POOL_LEADER, paths->candidate, paths->candidates, sizeof(Candidate), compare_worth);
	share = fair_share(paths, limit, &left);
	for (int64_t i = 0, here = 0; i < paths->candidates; i++)
	{
		here = place(paths, i, here);
		if (here <= share || (here == share + 1 && left-- > 0))
			found[kept++] = path_of(paths, &paths->candidate[i]);
	}
	return kept;
}

/* ---- the whole ------------------------------------------------------------------- */

static int64_t
room_for(const Paths *paths, int64_t limit)
{
	double		wanted = fmin(CANDIDATES_OF_RULE * (double) limit, MAX_CANDIDATES);

	return (int64_t) fmin(wanted, paths->search->work / WORK_OF_CANDIDATE) +
		CANDIDATES_OF_RELATION * (int64_t) paths->facts->relations;
}

static void
take_paths(Paths *paths, Allocation *allocation)
{
	paths->anchor = TAKE(allocation, int32_t, (size_t) paths->facts->edges);
	paths->room = room_for(paths, paths->search->limit);
	paths->candidate = TAKE(allocation, Candidate, (size_t) paths->room);
}

size_t
ev_paths_bytes(const EvFacts *facts, const EvSearch *search, int threads)
{
	Paths		paths = {.facts = facts,.search = search};
	Allocation	allocation = {0};

	take_paths(&paths, &allocation);
	return allocation_bytes(&allocation) + finding_bytes(&paths, threads) + counting_bytes(&paths, threads) +
		((size_t) search->limit + 1) * sizeof(EvPath);
}

/* So many of the seconds that are left may pass. */
static void
set_deadline(Paths *paths, int64_t began, double part)
{
	double		end = (double) began + paths->search->seconds * 1e9;
	double		time = (double) monotonic_now();

	if (paths->search->seconds > 0)
		paths->deadline = (int64_t) (time + part * (end - time));
}

/*
 * BodyPairs of each length in turn.  Short rules go first: they are counted exactly and walked soon, and
 * long ones, of which there are any number, must not push them out.  What
 * is spent on long ones depends on how many there is room for.
 */
static int64_t
search_all(Paths *paths, Finding *finding, Counting *counting, EvPath *found)
{
	const EvSearch *search = paths->search;
	int			longest = longest_with_number(paths->facts, search->length);
	int64_t		began = monotonic_now();
	int64_t		kept = 0;

	for (paths->length = 1; paths->length <= longest && kept < search->limit; paths->length++)
	{
		int64_t		left = search->limit - kept;

		paths->work = search->work * (double) left / (double) search->limit;
		paths->room = room_for(paths, left);
		set_deadline(paths, began, 0.5);
		find_candidates(finding);
		set_deadline(paths, began, 1);
		count_candidates(counting);
		kept += keep_best(paths, left, found + kept);
	}
	return kept;
}

int64_t
ev_paths(Arena *arena, Pool *pool, const EvFacts *facts, const EvSearch *search, EvPath **found)
{
	Paths		paths = {.facts = facts,.search = search,.pool = pool};
	Allocation	allocation = {0};
	Finding    *finding;
	Counting   *counting;

	take_paths(&paths, &allocation);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_paths(&paths, &allocation);
	shuffle_anchors(&paths);
	finding = finding_open(arena, &paths);
	counting = counting_open(arena, &paths);
	*found = arena->allocate(arena->context, ((size_t) search->limit + 1) * sizeof(EvPath));
	if (finding == NULL || counting == NULL || *found == NULL)
		return -1;
	return search_all(&paths, finding, counting, *found);
}
