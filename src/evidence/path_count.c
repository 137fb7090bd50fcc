/*
 * path_count.c
 *		Body sizes and confidences of the candidates for path rules, under object identity.
 *
 * A body is joined (body_join.h) from that end, X or Y, at which fewer entities can stand, from one of these anchors
 * after the other in an order drawn at random, until all are done or the body's share of the work is
 * spent.  In the latter case the anchors are a sample, and confidence is the ratio of two sums over them, with
 * the standard error of such a ratio (Cochran: Sampling Techniques, chapter 6).
 *
 * Most candidates turn out to be dropped.  A candidate is no longer counted, and a body no longer followed, from where
 * it cannot be confident enough any more, or where its pairs would have to be five standard errors fewer than the
 * anchors so far let expect.  The counts of what is kept are the same.
 *
 * An item of the threads is a body with all its candidates.  Threads yield after some thousand steps.
 */
#include "path_task.h"

#include <math.h>

#include "body_join.h"
#include "core/sort.h"

#define STEPS_AT_ONCE 4096		/* before a thread yields */
#define STEPS_OF_SEARCH 16		/* of binary search, and of reading */
#define MIN_ANCHORS 30			/* of a sample: by chance, fewer reach next to nothing */
#define FIRST_LOOK 64			/* anchors after which a sample may drop a candidate, then again after twice as many */
#define CERTAIN 5				/* standard errors of the pairs */

struct PathCount
{
	PathTask   *task;
	EvJoin	  **join;			/* of each thread */
	int64_t    *first;			/* by body: its first candidate; and the end */
	double		work;			/* of one body */
	double		least_confidence;	/* of a candidate that is kept; 0: all are */
};

/*
 * Sums over `used` of `all` anchors: the pairs, and their squares; without and with those of an entity with
 * itself, which are pairs only for relations that have such facts.
 */
typedef struct AnchorSums
{
	double		used;
	double		all;
	bool		cut;			/* the work was spent amid the last one, which counts as far as it went */
	double		pairs[2];
	double		squares[2];
	double		next_look;		/* anchors after which candidates are looked at as a sample */
} AnchorSums;

/* A body that is counted */
typedef struct CountedPath
{
	const PathCount *count;
	RelationPath body;			/* from its anchors */
	bool		mirrored;		/* from Y to X */
	PathCandidate *first;
	PathCandidate *end;
	EvJoinTarget target;		/* the thread */
	AnchorSums	sums;
} CountedPath;

/* Whether pairs of an entity with itself count.  For r(X,Y) <= r(Y,X) they would be their own evidence. */
static bool
counts_closed(const CountedPath *path, int32_t relation)
{
	return path->count->task->facts->reflexive[relation] &&
		(path->body.length > 1 || RELATION_OF(path->body.atom[0]) != relation);
}

/* The standard error of a mean over the anchors, from the sum of squared deviations, for a finite population */
static double
sampling_error(const AnchorSums *sums, double deviations)
{
	double		n = sums->used;

	return sqrt(deviations * n / (n - 1) * (1 - (n - sums->cut) / sums->all));
}

/* ---- an anchor ----------------------------------------------------------------------- */

static bool
has_fact(const FactIndex *facts, int32_t entity, DirectedAtom atom)
{
	return fact_group_number(facts, entity, atom) >= 0;
}

/* Adds what an anchor has of a candidate to its sums; `closed`: whether the anchor counts as reached. */
static void
add_hits(const CountedPath *path, const EvReached *reached, bool closed, PathCandidate *candidate)
{
	const FactIndex *facts = path->count->task->facts;
	DirectedAtom atom = FORWARDS(candidate->relation) + path->mirrored;
	FactGroup	group = fact_group(facts, reached->x, atom);
	double		pairs = (double) reached->count + closed;
	int64_t		found = 0;
	int64_t		known = closed && has_fact(facts, reached->x, MIRRORED(atom));
	double		hits;

	/* 1. the anchor's facts among what is reached; where they are much more, each entity is searched in them */
	if (group.end - group.first > STEPS_OF_SEARCH * (reached->count + 1))
	{
		found = closed && fact_group_holds(facts, group, reached->x);
		for (int64_t i = 0; i < reached->count; i++)
			found += fact_group_holds(facts, group, reached->y[i]);
	}
	else
		for (int64_t i = group.first; i < group.end; i++)
		{
			int32_t		other = facts->edge[i].other;

			found += other == reached->x ? closed : reached->stamp[other] == reached->serial;
		}

	/* 2. the sums of a ratio */
	hits = (double) found;
	candidate->left -= (int32_t) (group.end - group.first);
	candidate->hits += hits;
	candidate->hits_squared += hits * hits;
	candidate->hits_pairs += hits * pairs;

	/* 3. of given bodies, the pairs of which the anchor, and of which the other entity, has a fact of the relation */
	if (path->count->task->given == NULL)
		return;
	for (int64_t i = 0; i < reached->count; i++)
	{
		known += has_fact(facts, reached->y[i], MIRRORED(atom));
		if (i % STEPS_AT_ONCE == STEPS_AT_ONCE - 1)
			pool_yield(path->target.pool, path->target.thread);
	}
	candidate->known[0] += group.end > group.first ? pairs : 0;
	candidate->known[1] += (double) known;
}

/*
 * Whether a candidate cannot be confident enough any more.  Hits are facts, of which some are left, and where the search
 * saw all paths no more than the support.  `looks`: the anchors so far are a sample, by which all pairs are estimated.
 * Where hubs are not yet among them, the estimate is too low, and drops nobody.  Hits are not estimated: they may all be
 * those of hubs.  So the support has to be exact.
 */
static bool
is_hopeless(const CountedPath *path, bool looks, const PathCandidate *candidate)
{
	const AnchorSums *sums = &path->sums;
	double		least = path->count->least_confidence;
	double		pairs = sums->pairs[0];
	double		most = candidate->hits + candidate->left;
	double		error;

	if (candidate->complete)
		most = fmin(most, candidate->support);
	if (most < least * pairs)
		return true;
	if (!looks || !candidate->complete)
		return false;
	error = sampling_error(sums, sums->squares[0] - pairs * pairs / sums->used);
	return candidate->support < least * sums->all / sums->used * (pairs - CERTAIN * error);
}

/* Counts an anchor for each candidate; false when none of them can be kept. */
static bool
add_anchor(CountedPath *path, const EvReached *reached)
{
	AnchorSums *sums = &path->sums;
	bool		looks = sums->used >= sums->next_look;
	bool		hopeful = false;

	for (PathCandidate *c = path->first; c < path->end; c++)
	{
		if (c->hopeless)
			continue;
		add_hits(path, reached, reached->closed && counts_closed(path, c->relation), c);
		c->hopeless = path->count->least_confidence > 0 && is_hopeless(path, looks, c);
		hopeful |= !c->hopeless;
	}
	if (looks)
		sums->next_look = 2 * sums->used;
	return hopeful;
}

/* ---- a body ------------------------------------------------------------------------------ */

/* Joins the body from its anchors, and counts the hits of its candidates. */
static void
join_anchors(CountedPath *path)
{
	const PathTask *task = path->count->task;
	const FactIndex *facts = task->facts;
	EvJoin	   *join = path->count->join[path->target.thread];
	AnchorSums *sums = &path->sums;
	const int32_t *anchor = task->anchor + facts->holders[path->body.atom[0]];
	int64_t		left = (int64_t) fmin(path->count->work, 1e18);
	FactGroup	ahead[FACT_AHEAD];

	for (int64_t i = 0; i < (int64_t) sums->all && !sums->cut; i++)
	{
		int64_t		anchors = (int64_t) sums->all - i;
		EvReached	reached;

		if (i % FACT_AHEAD == 0)
			fact_groups(facts, anchor + i, 1, anchors < FACT_AHEAD ? (int) anchors : FACT_AHEAD, path->body.atom[0], ahead);
		reached = ev_join_path(join, path->body.atom, path->body.length, anchor[i], ahead[i % FACT_AHEAD], left,
							   &path->target);
		left -= reached.edges;
		sums->used++;
		sums->cut = reached.cut;
		for (int closed = 0; closed < 2; closed++)
		{
			double		pairs = (double) reached.count + (closed && reached.closed);

			sums->pairs[closed] += pairs;
			sums->squares[closed] += pairs * pairs;
		}
		if (reached.count == 0 && !reached.closed)
			continue;
		left -= path->end - path->first;
		if (!add_anchor(path, &reached))
			return;
	}
}

/* What follows from the sums.  Leaves a candidate without a confidence when the sample is too small. */
static void
conclude(const CountedPath *path, PathCandidate *candidate)
{
	const AnchorSums *sums = &path->sums;
	bool		closed = counts_closed(path, candidate->relation);
	double		n = sums->used;
	double		pairs = sums->pairs[closed];
	double		squares = sums->squares[closed];
	double		each;
	double		known[2];

	/* 1. all pairs were counted */
	if (n == sums->all && !sums->cut)
	{
		candidate->body_size = pairs;
		candidate->confidence = pairs > 0 ? candidate->hits / pairs : 0;
	}

	/* 2. the support is exact, the pairs are those of a sample, and one more: some may exist where the sample has none */
	else if (n >= MIN_ANCHORS && candidate->complete)
	{
		double		deviations = squares - pairs * pairs / n;

		candidate->hits = candidate->support;
		candidate->body_size = fmax((pairs + 1) * sums->all / n, candidate->support);
		candidate->confidence = candidate->support / candidate->body_size;
		candidate->error = candidate->confidence * sampling_error(sums, fmax(deviations, 1)) / (pairs + 1);
	}

	/* 3. hits and pairs are those of a sample: a ratio */
	else if (n >= MIN_ANCHORS && candidate->hits > 0)
	{
		double		c = candidate->hits / pairs;
		double		deviations = candidate->hits_squared - 2 * c * candidate->hits_pairs + c * c * squares;

		candidate->confidence = c;
		candidate->body_size = pairs * sums->all / n;
		candidate->error = sampling_error(sums, fmax(deviations, 0)) / pairs;
	}

	/* 4. of the pairs that were counted as many of all; from X and from Y, whichever the anchors are */
	each = pairs > 0 ? candidate->body_size / pairs : 0;
	known[0] = each * candidate->known[0];
	known[1] = each * candidate->known[1];
	candidate->known[0] = known[path->mirrored];
	candidate->known[1] = known[!path->mirrored];
}

/* Item: a body */
static void
count_body(void *argument, int64_t number, int thread)
{
	const PathCount *count = argument;
	const PathTask *task = count->task;
	const FactIndex *facts = task->facts;
	CountedPath path = {
		.count = count,.first = task->candidate + count->first[number],.end = task->candidate + count->first[number + 1],
		.target = {.pool = task->pool,.thread = thread},.sums = {.next_look = FIRST_LOOK}
	};
	RelationPath mirror;

	if (path_task_late(task))
		return;
	path.body = task->given != NULL ? task->given[number] : path_body(facts, path.first->body);
	mirror = path_body_mirrored(&path.body);
	path.mirrored = fact_holder_count(facts, mirror.atom[0]) < fact_holder_count(facts, path.body.atom[0]);
	if (path.mirrored)
		path.body = mirror;
	path.sums.all = (double) fact_holder_count(facts, path.body.atom[0]);
	join_anchors(&path);
	for (PathCandidate *c = path.first; c < path.end; c++)
		if (!c->hopeless)
			conclude(&path, c);
}

/* ---- all bodies --------------------------------------------------------------------------- */

int
path_compare(const void *a, const void *b)
{
	const PathCandidate *left = a;
	const PathCandidate *right = b;

	if (left->body != right->body)
		return left->body < right->body ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

int64_t
path_count_sort(PathCount *count)
{
	const PathTask *task = count->task;
	int64_t		bodies = 0;

	if (task->given == NULL)
		sort_array(task->pool, POOL_LEADER, task->candidate, task->candidates, sizeof(PathCandidate), path_compare);
	for (int64_t i = 0; i < task->candidates; i++)
		if (i == 0 || task->given != NULL || task->candidate[i].body != task->candidate[i - 1].body)
			count->first[bodies++] = i;
	count->first[bodies] = task->candidates;
	return bodies;
}

void
path_count_run(PathCount *count, int64_t bodies, double work, double least_confidence)
{
	count->work = work;
	count->least_confidence = least_confidence;
	pool_run(count->task->pool, bodies, count_body, count);
}

PathCount *
path_count_take(PathTask *task, int threads, Allocation *allocation)
{
	PathCount  *taken = TAKE(allocation, PathCount, 1);
	PathCount	count = {
		.task = task,
		.first = TAKE(allocation, int64_t, (size_t) task->room + 1),
		.join = TAKE(allocation, EvJoin *, (size_t) threads)
	};

	for (int i = 0; i < threads; i++)
	{
		EvJoin	   *join = ev_join_take_paths(allocation, task->facts);

		if (count.join != NULL)
			count.join[i] = join;
	}
	if (taken != NULL)
		*taken = count;
	return taken;
}
