/*
 * paths.c
 *		Path rules found in the facts: which are counted, which are kept.
 */
#include "paths.h"

#include <stdlib.h>
#include <time.h>

/* Candidates for each rule that may be kept, up to so many more, and for each relation and length */
#define CANDIDATES_PER_RULE 64
#define MAX_CANDIDATES 2000000
#define CANDIDATES_PER_RELATION 16

#define SMOOTHING 5				/* added to a body's size: small bodies say less than they seem to */

static int64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

bool
paths_late(const Paths *paths)
{
	return paths->deadline != 0 && now() > paths->deadline;
}

/* Bodies have numbers of 64 bits. */
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
		uint64_t	stream = kge_stream(paths->search->seed, KGE_DRAW_ANCHOR, (uint64_t) d, 0);
		int32_t    *anchor = paths->anchor + facts->holders[d];

		for (int64_t i = 0; i < holders_of(facts, d); i++)
		{
			uint32_t	j = kge_random_below(kge_random(stream, (uint64_t) i), (uint64_t) i + 1);

			anchor[i] = anchor[j];
			anchor[j] = facts->holder[facts->holders[d] + i].entity;
		}
	}
}

/* ---- which are kept -------------------------------------------------------------- */

static double
worth(const Candidate *candidate)
{
	return candidate->confidence * candidate->body_size / (candidate->body_size + SMOOTHING);
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
		int64_t		of_relation = 0;

		for (int64_t i = 0; i < paths->candidates; i++)
		{
			bool		another = i > 0 && paths->candidate[i].relation != paths->candidate[i - 1].relation;

			of_relation = another ? 1 : of_relation + 1;
			all += of_relation <= share;
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
		.body_size = (int64_t) (candidate->body_size + 0.5),
		.support = (int64_t) (candidate->confidence * candidate->body_size + 0.5),
	.confidence = candidate->confidence,.error = candidate->error};

	for (int i = 0; i < body.length; i++)
		path.atom[i] = body.atom[i];
	return path;
}

/* Copies the best of each relation: they are in that order.  The first relations get one more, as far as that goes. */
static int64_t
keep_best(const Paths *paths, EvPath *found)
{
	int64_t		left;
	int64_t		share = fair_share(paths, paths->search->limit, &left);
	int64_t		of_relation = 0;
	int64_t		kept = 0;

	for (int64_t i = 0; i < paths->candidates; i++)
	{
		bool		another = i > 0 && paths->candidate[i].relation != paths->candidate[i - 1].relation;

		of_relation = another ? 1 : of_relation + 1;
		if (of_relation <= share || (of_relation == share + 1 && left-- > 0))
			found[kept++] = path_of(paths, &paths->candidate[i]);
	}
	return kept;
}

/* ---- the whole ------------------------------------------------------------------- */

static void
take_paths(Paths *paths, KgeSpace *space)
{
	paths->anchor = KGE_TAKE(space, int32_t, (size_t) paths->facts->edges);
	paths->candidate = KGE_TAKE(space, Candidate, (size_t) paths->room);
}

/* Of the seconds that there are, the counts get what the search leaves, half of them at least. */
static void
set_deadline(Paths *paths, int64_t began, double part)
{
	if (paths->search->seconds > 0)
		paths->deadline = began + (int64_t) (paths->search->seconds * part * 1e9);
}

static Paths
begin(const EvFacts *facts, const EvSearch *search)
{
	Paths		paths = {.facts = facts,.search = search};

	paths.length = longest_with_number(facts, search->length);
	paths.room = search->limit < MAX_CANDIDATES / CANDIDATES_PER_RULE ? CANDIDATES_PER_RULE * search->limit :
		MAX_CANDIDATES + search->limit;
	paths.room += CANDIDATES_PER_RELATION * (int64_t) facts->relations * paths.length;
	return paths;
}

size_t
ev_paths_bytes(const EvFacts *facts, const EvSearch *search, int threads)
{
	Paths		paths = begin(facts, search);
	KgeSpace	space = {0};

	take_paths(&paths, &space);
	paths.candidates = paths.room;
	return kge_space_bytes(&space) + paths_find_bytes(&paths, threads) + paths_count_bytes(&paths, threads) +
		(size_t) search->limit * sizeof(EvPath);
}

int64_t
ev_paths(KgeArena *arena, KgePool *pool, const EvFacts *facts, const EvSearch *search, EvPath **found)
{
	Paths		paths = begin(facts, search);
	KgeSpace	space = {0};
	int64_t		began = now();

	paths.pool = pool;
	take_paths(&paths, &space);
	if (!kge_space_open(&space, arena))
		return -1;
	take_paths(&paths, &space);
	shuffle_anchors(&paths);
	set_deadline(&paths, began, 0.5);
	if (!paths_find(arena, &paths))
		return -1;
	set_deadline(&paths, began, 1);
	if (!paths_count(arena, &paths))
		return -1;
	qsort(paths.candidate, (size_t) paths.candidates, sizeof(Candidate), compare_worth);
	*found = arena->allocate(arena->context, (size_t) (search->limit + 1) * sizeof(EvPath));
	return *found == NULL ? -1 : keep_best(&paths, *found);
}
