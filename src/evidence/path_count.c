/*
 * path_count.c
 *		Body sizes and confidences of the candidates for path rules.
 *
 * A body is followed from that end, X or Y, at which fewer entities can stand, from one of these anchors
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
#include <string.h>

#include "core/sort.h"

#define MIN_WORK 2000			/* of a body */
#define STEPS_AT_ONCE 4096		/* before a thread yields */
#define STEPS_OF_SEARCH 16		/* of binary search, and of reading */
#define MIN_ANCHORS 30			/* of a sample: by chance, fewer reach next to nothing */
#define FIRST_LOOK 64			/* anchors after which a sample may drop a candidate, then again after twice as many */
#define CERTAIN 5				/* standard errors of the pairs */

/* A thread's: the path at hand, and what the paths from an anchor reach */
typedef struct PathTracer
{
	CACHE_ALIGNED int32_t entity[PATH_MAX_LAYERS + 1];	/* of the path */
	int32_t    *reached;		/* entities, each once */
	int64_t		count;
	uint32_t   *reached_by;		/* by entity: the number of the last anchor from which it was reached */
	uint32_t	number;			/* of the anchor */
	bool		closed;			/* a path leads back to the anchor */
	double		steps;			/* of this body */
	int64_t		unseen;			/* steps since it has yielded */
} PathTracer;

struct PathCount
{
	PathTask   *task;
	PathTracer *tracer;			/* of each thread */
	int64_t    *first;			/* by body: its first candidate; and the end */
	const PathBody *given;		/* by candidate, where bodies are given */
	double		work;			/* of one body */
	double		least_confidence;	/* of a candidate that is kept; 0: all are */
};

static bool
is_visited(const PathTracer *tracer, int32_t entity, int depth)
{
	for (int i = 0; i <= depth; i++)
		if (tracer->entity[i] == entity)
			return true;
	return false;
}

/* Spends the work of looking at the edges of a group; false when there is none left. */
static bool
spend(PathCount *count, int thread, FactGroup group)
{
	PathTracer *tracer = &count->tracer[thread];
	int64_t		steps = group.end - group.first + 1;

	tracer->steps += (double) steps;
	tracer->unseen += steps;
	if (tracer->unseen >= STEPS_AT_ONCE)
	{
		tracer->unseen = 0;
		pool_yield(count->task->pool, thread);
	}
	return tracer->steps <= count->work;
}

/* Notes what the last atom leads to, a group, from the end of the path at hand; false when the work is spent. */
static bool
reach(PathCount *count, int thread, int depth, FactGroup group)
{
	PathTracer *tracer = &count->tracer[thread];
	const FactEdge *edge = count->task->facts->edge;

	if (!spend(count, thread, group))
		return false;
	for (int64_t i = group.first; i < group.end; i++)
	{
		int32_t		other = edge[i].other;

		if (other == tracer->entity[0])
			tracer->closed = true;
		if (is_visited(tracer, other, depth))
			continue;
		tracer->reached[tracer->count] = other;
		tracer->count += tracer->reached_by[other] != tracer->number;
		tracer->reached_by[other] = tracer->number;
	}
	return true;
}

/* Follows all paths that begin like the one at hand and go on by the edges of a group; false when the work is spent. */
static bool
trace(PathCount *count, int thread, const PathBody *body, int depth, FactGroup group)
{
	PathTracer *tracer = &count->tracer[thread];
	const FactIndex *facts = count->task->facts;
	FactGroup	ahead[FACT_AHEAD];

	if (depth == body->length - 1)
		return reach(count, thread, depth, group);
	if (!spend(count, thread, group))
		return false;
	for (int64_t first = group.first; first < group.end; first += FACT_AHEAD)
	{
		const FactEdge *edge = facts->edge + first;
		int			some = group.end - first < FACT_AHEAD ? (int) (group.end - first) : FACT_AHEAD;

		fact_groups(facts, &edge->other, sizeof(FactEdge) / sizeof(int32_t), some, body->atom[depth + 1], ahead);
		for (int i = 0; i < some; i++)
		{
			if (is_visited(tracer, edge[i].other, depth))
				continue;
			tracer->entity[depth + 1] = edge[i].other;
			if (!trace(count, thread, body, depth + 1, ahead[i]))
				return false;
		}
	}
	return true;
}

/* ---- sums over anchors --------------------------------------------------------------- */

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

/* Whether pairs of an entity with itself count.  For r(X,Y) <= r(Y,X) they would be their own evidence. */
static bool
counts_closed(const PathCount *count, const PathBody *body, int32_t relation)
{
	return count->task->facts->reflexive[relation] &&
		(body->length > 1 || RELATION_OF(body->atom[0]) != relation);
}

static void
add_pairs(const PathTracer *tracer, AnchorSums *sums)
{
	for (int closed = 0; closed < 2; closed++)
	{
		double		pairs = (double) tracer->count + (closed && tracer->closed);

		sums->pairs[closed] += pairs;
		sums->squares[closed] += pairs * pairs;
	}
}

/* Of the entities of a group, how many were reached; `closed`: whether the anchor counts as one. */
static int64_t
count_hits(const PathCount *count, const PathTracer *tracer, FactGroup group, bool closed)
{
	const FactEdge *edge = count->task->facts->edge;
	int32_t		anchor = tracer->entity[0];
	int64_t		hits = 0;

	for (int64_t i = group.first; i < group.end; i++)
		hits += edge[i].other == anchor ? closed : tracer->reached_by[edge[i].other] == tracer->number;
	return hits;
}

/* The same for a group that is much the longer: each entity that was reached is searched in it. */
static int64_t
search_hits(const PathCount *count, const PathTracer *tracer, FactGroup group, bool closed)
{
	const FactIndex *facts = count->task->facts;
	int64_t		hits = closed && fact_group_holds(facts, group, tracer->entity[0]);

	for (int64_t i = 0; i < tracer->count; i++)
		hits += fact_group_holds(facts, group, tracer->reached[i]);
	return hits;
}

static bool
has_fact(const PathCount *count, int32_t entity, int32_t atom)
{
	FactGroup	group = fact_group(count->task->facts, entity, atom);

	return group.end > group.first;
}

/* Of the pairs of an anchor, those whose other entity has a fact with the atom that leads to it */
static int64_t
count_known(const PathCount *count, const PathTracer *tracer, int32_t atom, bool closed)
{
	int64_t		known = closed && has_fact(count, tracer->entity[0], MIRRORED(atom));

	for (int64_t i = 0; i < tracer->count; i++)
	{
		known += has_fact(count, tracer->reached[i], MIRRORED(atom));
		if (i % STEPS_AT_ONCE == STEPS_AT_ONCE - 1)
			pool_yield(count->task->pool, (int) (tracer - count->tracer));
	}
	return known;
}

static void
add_hits(const PathCount *count, const PathTracer *tracer, int32_t atom, bool closed, PathCandidate *candidate)
{
	FactGroup	group = fact_group(count->task->facts, tracer->entity[0], atom);
	bool		longer = group.end - group.first > STEPS_OF_SEARCH * (tracer->count + 1);
	double		hits = (double) (longer ? search_hits : count_hits) (count, tracer, group, closed);
	double		pairs = (double) tracer->count + closed;

	candidate->left -= (int32_t) (group.end - group.first);
	candidate->hits += hits;
	candidate->hits_squared += hits * hits;
	candidate->hits_pairs += hits * pairs;
	if (count->given != NULL)
	{
		candidate->known[0] += group.end > group.first ? pairs : 0;
		candidate->known[1] += (double) count_known(count, tracer, atom, closed);
	}
}

/* ---- what follows from the sums --------------------------------------------------------- */

/* All pairs were counted. */
static void
conclude_all(const AnchorSums *sums, bool closed, PathCandidate *candidate)
{
	candidate->body_size = sums->pairs[closed];
	candidate->confidence = candidate->body_size > 0 ? candidate->hits / candidate->body_size : 0;
}

/* The standard error of a mean over the anchors, from the sum of squared deviations, for a finite population */
static double
sampling_error(const AnchorSums *sums, double deviations)
{
	double		n = sums->used;

	return sqrt(deviations * n / (n - 1) * (1 - (n - sums->cut) / sums->all));
}

/*
 * The support is exact, the pairs are those of a sample: one more than that, since some may exist where the
 * sample has none.
 */
static void
conclude_size(const AnchorSums *sums, bool closed, PathCandidate *candidate)
{
	double		n = sums->used;
	double		pairs = sums->pairs[closed] + 1;
	double		deviations = sums->squares[closed] - sums->pairs[closed] * sums->pairs[closed] / n;

	candidate->hits = candidate->support;
	candidate->body_size = fmax(pairs * sums->all / n, candidate->support);
	candidate->confidence = candidate->support / candidate->body_size;
	candidate->error = candidate->confidence * sampling_error(sums, fmax(deviations, 1)) / pairs;
}

/* Hits and pairs are those of a sample. */
static void
conclude_ratio(const AnchorSums *sums, bool closed, PathCandidate *candidate)
{
	double		pairs = sums->pairs[closed];
	double		c = candidate->hits / pairs;
	double		deviations = candidate->hits_squared - 2 * c * candidate->hits_pairs + c * c * sums->squares[closed];

	candidate->confidence = c;
	candidate->body_size = pairs * sums->all / sums->used;
	candidate->error = sampling_error(sums, fmax(deviations, 0)) / pairs;
}

/* Makes of pairs that were counted as many of all; from X and from Y, whichever the anchors are. */
static void
conclude_known(const AnchorSums *sums, bool closed, bool mirrored, PathCandidate *candidate)
{
	double		all = sums->pairs[closed] > 0 ? candidate->body_size / sums->pairs[closed] : 0;
	double		known[2] = {all * candidate->known[0], all * candidate->known[1]};

	candidate->known[0] = known[mirrored];
	candidate->known[1] = known[!mirrored];
}

/* Leaves a candidate without a confidence when the sample is too small. */
static void
conclude(const AnchorSums *sums, bool closed, PathCandidate *candidate)
{
	if (sums->used == sums->all && !sums->cut)
		conclude_all(sums, closed, candidate);
	else if (sums->used >= MIN_ANCHORS && candidate->complete)
		conclude_size(sums, closed, candidate);
	else if (sums->used >= MIN_ANCHORS && candidate->hits > 0)
		conclude_ratio(sums, closed, candidate);
}

/* ---- who cannot be confident enough ------------------------------------------------------ */

/* Hits are facts, of which some are left, and where the search saw all paths no more than the support. */
static bool
is_impossible(const AnchorSums *sums, double least, const PathCandidate *candidate)
{
	double		most = candidate->hits + candidate->left;

	if (candidate->complete)
		most = fmin(most, candidate->support);
	return most < least * sums->pairs[0];
}

/*
 * The anchors so far are a sample, by which all pairs are estimated.  Where hubs are not yet among them, the estimate is
 * too low, and drops nobody.  Hits are not estimated: they may all be those of hubs.  So the support has to be exact.
 */
static bool
is_unlikely(const AnchorSums *sums, double least, const PathCandidate *candidate)
{
	double		n = sums->used;
	double		pairs = sums->pairs[0];
	double		error = sampling_error(sums, sums->squares[0] - pairs * pairs / n);

	return candidate->complete && candidate->support < least * sums->all / n * (pairs - CERTAIN * error);
}

/* Counts the hits of the anchor for each candidate; false when none of them can be kept. */
static bool
add_all_hits(const PathCount *count, const PathTracer *tracer, AnchorSums *sums, const PathBody *body, bool mirrored,
			 PathCandidate *first, PathCandidate *end)
{
	double		least = count->least_confidence;
	bool		looks = sums->used >= sums->next_look;
	bool		hopeful = false;

	for (PathCandidate *c = first; c < end; c++)
	{
		if (c->hopeless)
			continue;
		add_hits(count, tracer, FORWARDS(c->relation) + mirrored,
				 tracer->closed && counts_closed(count, body, c->relation), c);
		c->hopeless = least > 0 && (is_impossible(sums, least, c) || (looks && is_unlikely(sums, least, c)));
		hopeful |= !c->hopeless;
	}
	if (looks)
		sums->next_look = 2 * sums->used;
	return hopeful;
}

/* ---- a body ------------------------------------------------------------------------------ */

/* Numbers of anchors start anew before they run out. */
static void
reserve_numbers(PathTracer *tracer, const FactIndex *facts, uint32_t anchors)
{
	if (anchors < UINT32_MAX - tracer->number)
		return;
	memset(tracer->reached_by, 0, (size_t) facts->entities * sizeof(uint32_t));
	tracer->number = 0;
}

/* Follows the body from one more anchor, on by the edges of its first atom. */
static void
trace_anchor(PathCount *count, int thread, const PathBody *body, int32_t anchor, FactGroup group, AnchorSums *sums)
{
	PathTracer *tracer = &count->tracer[thread];

	tracer->entity[0] = anchor;
	tracer->number++;
	tracer->count = 0;
	tracer->closed = false;
	sums->used++;
	sums->cut = !trace(count, thread, body, 0, group);
	add_pairs(tracer, sums);
}

/* Follows the body from its anchors, and counts the hits of its candidates. */
static void
trace_anchors(PathCount *count, int thread, const PathBody *body, bool mirrored, PathCandidate *first, PathCandidate *end,
			  AnchorSums *sums)
{
	const FactIndex *facts = count->task->facts;
	PathTracer *tracer = &count->tracer[thread];
	const int32_t *anchor = count->task->anchor + facts->holders[body->atom[0]];
	FactGroup	ahead[FACT_AHEAD];

	for (int64_t i = 0; i < (int64_t) sums->all && !sums->cut; i++)
	{
		int64_t		left = (int64_t) sums->all - i;

		if (i % FACT_AHEAD == 0)
			fact_groups(facts, anchor + i, 1, left < FACT_AHEAD ? (int) left : FACT_AHEAD, body->atom[0], ahead);
		trace_anchor(count, thread, body, anchor[i], ahead[i % FACT_AHEAD], sums);
		if (tracer->count == 0 && !tracer->closed)
			continue;
		tracer->steps += (double) (end - first);
		if (!add_all_hits(count, tracer, sums, body, mirrored, first, end))
			return;
	}
}

/* Counts the candidates of a body. */
static void
count_body(PathCount *count, int thread, PathBody body, PathCandidate *first, PathCandidate *end)
{
	const PathTask *task = count->task;
	const FactIndex *facts = task->facts;
	PathBody	mirror = path_body_mirrored(&body);
	bool		mirrored = fact_holder_count(facts, mirror.atom[0]) < fact_holder_count(facts, body.atom[0]);
	AnchorSums	sums = {.next_look = FIRST_LOOK};

	if (path_task_late(task))
		return;
	if (mirrored)
		body = mirror;
	sums.all = (double) fact_holder_count(facts, body.atom[0]);
	reserve_numbers(&count->tracer[thread], facts, (uint32_t) fact_holder_count(facts, body.atom[0]));
	count->tracer[thread].steps = 0;
	trace_anchors(count, thread, &body, mirrored, first, end, &sums);
	for (PathCandidate *c = first; c < end; c++)
	{
		bool		closed = counts_closed(count, &body, c->relation);

		if (c->hopeless)
			continue;
		conclude(&sums, closed, c);
		conclude_known(&sums, closed, mirrored, c);
	}
}

/* Item: a body by its number */
static void
count_item(void *argument, int64_t number, int thread)
{
	PathCount  *count = argument;
	const PathTask *task = count->task;
	PathCandidate *first = task->candidate + count->first[number];

	count_body(count, thread, path_body(task->facts, first->body), first, task->candidate + count->first[number + 1]);
}

/* Item: a body that is given */
static void
count_given_item(void *argument, int64_t number, int thread)
{
	PathCount  *count = argument;
	PathCandidate *candidate = count->task->candidate + number;

	count_body(count, thread, count->given[number], candidate, candidate + 1);
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

/* Finds where the candidates of each body begin; how many bodies there are. */
static int64_t
find_bodies(const PathTask *task, int64_t *first)
{
	int64_t		bodies = 0;

	for (int64_t i = 0; i < task->candidates; i++)
		if (i == 0 || task->candidate[i].body != task->candidate[i - 1].body)
			first[bodies++] = i;
	first[bodies] = task->candidates;
	return bodies;
}

static void
drop_below_bounds(PathTask *task)
{
	int64_t		kept = 0;

	for (int64_t i = 0; i < task->candidates; i++)
	{
		PathCandidate candidate = task->candidate[i];

		pool_yield_at(task->pool, POOL_LEADER, i);
		if (candidate.hits >= (double) task->search->min_support && candidate.confidence > candidate.error &&
			candidate.confidence - candidate.error >= task->search->min_confidence)
			task->candidate[kept++] = candidate;
	}
	task->candidates = kept;
}

/* Sorts the candidates; how many bodies they have. */
static int64_t
sort_bodies(PathCount *count)
{
	PathTask   *task = count->task;

	sort_array(task->pool, POOL_LEADER, task->candidate, task->candidates, sizeof(PathCandidate), path_compare);
	return find_bodies(task, count->first);
}

void
path_count_bodies(PathCount *count, double work)
{
	int64_t		bodies = sort_bodies(count);

	count->work = work;
	pool_run(count->task->pool, bodies, count_item, count);
}

void
path_count_given(PathCount *count, const PathBody *body, double work)
{
	count->given = body;
	count->work = work;
	pool_run(count->task->pool, count->task->candidates, count_given_item, count);
}

void
path_count_run(PathCount *count)
{
	int64_t		bodies = sort_bodies(count);

	count->work = fmax(MIN_WORK, count->task->work / (double) (bodies > 0 ? bodies : 1));
	count->least_confidence = (1 - 1e-9) * count->task->search->min_confidence;
	pool_run(count->task->pool, bodies, count_item, count);
	drop_below_bounds(count->task);
}

/* ---- memory ------------------------------------------------------------------------------- */

PathCount *
path_count_take(PathTask *task, int threads, Allocation *allocation)
{
	PathCount  *taken = TAKE(allocation, PathCount, 1);
	PathCount	count = {
		.task = task,
		.first = TAKE(allocation, int64_t, (size_t) task->room + 1),
		.tracer = TAKE(allocation, PathTracer, (size_t) threads)
	};

	for (int i = 0; i < threads; i++)
	{
		int32_t    *reached = TAKE(allocation, int32_t, (size_t) task->facts->entities + 1);
		uint32_t   *reached_by = TAKE(allocation, uint32_t, (size_t) task->facts->entities);

		if (reached_by != NULL)
		{
			count.tracer[i] = (PathTracer) {.reached = reached,.reached_by = reached_by};
			memset(reached_by, 0, (size_t) task->facts->entities * sizeof(uint32_t));
		}
	}
	if (taken != NULL)
		*taken = count;
	return taken;
}
