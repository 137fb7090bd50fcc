/*
 * path_count.c
 *		What bodies are worth: the pairs that they connect, and which of them are facts.
 *
 * A body is walked from that end, X or Y, that fewer entities can stand at, from one of
 * these anchors after the other in an order drawn, until all are done or the body's share of
 * the work is spent.  Then the anchors are a sample, and confidence is the ratio of two sums over
 * them, with the standard error of such a ratio (Cochran: Sampling Techniques, chapter 6).
 */
#include "paths.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"

#define MIN_WORK 2000			/* of a body */
#define MIN_ANCHORS 30			/* of a sample: by chance, fewer reach next to nothing */

/* A thread's own */
typedef struct Tracer
{
	int32_t		entity[EV_MAX_BODY + 1];	/* of the path */
	uint32_t   *reached_by;		/* by entity: the number of the last anchor that got there */
	uint32_t	number;			/* of the anchor */
	int64_t		reached;
	bool		closed;			/* a path leads back to the anchor */
	double		steps;			/* of this body */
	int64_t		calls;
} Tracer;

struct Counting
{
	Paths	   *paths;
	Tracer	   *tracer;
	int64_t    *first;			/* by body: its first candidate; and the end */
	double		work;			/* of one body */
};

static bool
is_on_the_path(const Tracer *tracer, int32_t entity, int depth)
{
	for (int i = 0; i <= depth; i++)
		if (tracer->entity[i] == entity)
			return true;
	return false;
}

/* False when the work is spent. */
static bool
trace(Counting *counting, int thread, const Body *body, int depth)
{
	Tracer	   *tracer = &counting->tracer[thread];
	const EvFacts *facts = counting->paths->facts;
	int32_t		entity = tracer->entity[depth];
	EvGroup		group;

	pool_yield_at(counting->paths->pool, thread, ++tracer->calls);
	if (depth == body->length)
	{
		tracer->reached += tracer->reached_by[entity] != tracer->number;
		tracer->reached_by[entity] = tracer->number;
		return true;
	}
	group = ev_group(facts, entity, body->atom[depth]);
	tracer->steps += (double) (group.end - group.first) + 1;
	if (tracer->steps > counting->work)
		return false;
	for (int64_t i = group.first; i < group.end; i++)
	{
		if (depth == body->length - 1 && facts->edge[i].other == tracer->entity[0])
			tracer->closed = true;
		if (is_on_the_path(tracer, facts->edge[i].other, depth))
			continue;
		tracer->entity[depth + 1] = facts->edge[i].other;
		if (!trace(counting, thread, body, depth + 1))
			return false;
	}
	return true;
}

/*
 * What was added up over `used` of `all` anchors: the pairs, and their squares.  Those of an
 * entity with itself are pairs only for relations that have such facts.
 */
typedef struct Sums
{
	double		used;
	double		all;
	bool		cut;			/* the work was spent amid the last one, which counts as far as it went */
	double		pairs[2];		/* without them, with them */
	double		squares[2];
} Sums;

/* r(X,Y) <= r(Y,X) has no pair of an entity with itself: it would be its own evidence. */
static bool
counts_closed(const Counting *counting, const Body *body, int32_t relation)
{
	return counting->paths->facts->reflexive[relation] &&
		(body->length > 1 || EV_RELATION(body->atom[0]) != relation);
}

static void
add_pairs(const Tracer *tracer, Sums *sums)
{
	for (int with = 0; with < 2; with++)
	{
		double		pairs = (double) tracer->reached + (with && tracer->closed);

		sums->pairs[with] += pairs;
		sums->squares[with] += pairs * pairs;
	}
}

static void
add_hits(const Counting *counting, const Tracer *tracer, int32_t atom, bool closed, Candidate *candidate)
{
	const EvFacts *facts = counting->paths->facts;
	int32_t		anchor = tracer->entity[0];
	EvGroup		group = ev_group(facts, anchor, atom);
	double		hits = 0;

	for (int64_t i = group.first; i < group.end; i++)
		hits += facts->edge[i].other == anchor ? closed : tracer->reached_by[facts->edge[i].other] == tracer->number;
	candidate->hits += hits;
	candidate->hits_squared += hits * hits;
	candidate->hits_pairs += hits * ((double) tracer->reached + closed);
}

/* All pairs were counted. */
static void
conclude_all(const Sums *sums, bool with, Candidate *candidate)
{
	candidate->body_size = sums->pairs[with];
	candidate->confidence = candidate->body_size > 0 ? candidate->hits / candidate->body_size : 0;
}

/*
 * The support is known, the pairs of a sample are: one more than that, since there
 * may be some of which it has none.
 */
static void
conclude_size(const Sums *sums, bool with, Candidate *candidate)
{
	double		n = sums->used;
	double		pairs = sums->pairs[with] + 1;
	double		deviations = sums->squares[with] - sums->pairs[with] * sums->pairs[with] / n;

	candidate->hits = candidate->support;
	candidate->body_size = fmax(pairs * sums->all / n, candidate->support);
	candidate->confidence = candidate->support / candidate->body_size;
	candidate->error = candidate->confidence *
		sqrt(fmax(deviations, 1) * n / (n - 1) * (1 - (n - sums->cut) / sums->all)) / pairs;
}

/* Both are those of a sample. */
static void
conclude_ratio(const Sums *sums, bool with, Candidate *candidate)
{
	double		n = sums->used;
	double		pairs = sums->pairs[with];
	double		c = candidate->hits / pairs;
	double		squares = candidate->hits_squared - 2 * c * candidate->hits_pairs + c * c * sums->squares[with];

	candidate->confidence = c;
	candidate->body_size = pairs * sums->all / n;
	candidate->error = sqrt(fmax(squares, 0) * n / (n - 1) * (1 - (n - sums->cut) / sums->all)) / pairs;
}

static void
conclude(const Sums *sums, bool with, Candidate *candidate)
{
	if (sums->used == sums->all && !sums->cut)
		conclude_all(sums, with, candidate);
	else if (sums->used >= MIN_ANCHORS && candidate->complete)
		conclude_size(sums, with, candidate);
	else if (sums->used >= MIN_ANCHORS && candidate->hits > 0)
		conclude_ratio(sums, with, candidate);
}

/* Numbers of anchors begin anew before they run out. */
static void
reserve_numbers(Tracer *tracer, const EvFacts *facts, uint32_t anchors)
{
	if (anchors < UINT32_MAX - tracer->number)
		return;
	memset(tracer->reached_by, 0, (size_t) facts->entities * sizeof(uint32_t));
	tracer->number = 0;
}

static void
count_item(void *argument, int64_t number, int thread)
{
	Counting   *counting = argument;
	const Paths *paths = counting->paths;
	const EvFacts *facts = paths->facts;
	Tracer	   *tracer = &counting->tracer[thread];
	Candidate  *first = paths->candidate + counting->first[number];
	Candidate  *end = paths->candidate + counting->first[number + 1];
	Body		body = body_of(facts, first->body);
	Body		mirror = body_mirrored(&body);
	bool		mirrored = holders_of(facts, mirror.atom[0]) < holders_of(facts, body.atom[0]);
	const int32_t *anchor;
	Sums		sums = {0};

	if (paths_late(paths))
		return;
	if (mirrored)
		body = mirror;
	anchor = paths->anchor + facts->holders[body.atom[0]];
	sums.all = (double) holders_of(facts, body.atom[0]);
	reserve_numbers(tracer, facts, (uint32_t) holders_of(facts, body.atom[0]));
	tracer->steps = 0;
	while (sums.used < sums.all && !sums.cut)
	{
		tracer->entity[0] = anchor[(int64_t) sums.used++];
		tracer->number++;
		tracer->reached = 0;
		tracer->closed = false;
		sums.cut = !trace(counting, thread, &body, 0);
		add_pairs(tracer, &sums);
		if (tracer->reached == 0 && !tracer->closed)
			continue;
		tracer->steps += (double) (end - first);
		for (Candidate *c = first; c < end; c++)
			add_hits(counting, tracer, EV_FORWARDS(c->relation) + mirrored,
					 tracer->closed && counts_closed(counting, &body, c->relation), c);
	}
	for (Candidate *c = first; c < end; c++)
		conclude(&sums, counts_closed(counting, &body, c->relation), c);
}

static int
compare_candidates(const void *a, const void *b)
{
	const Candidate *left = a;
	const Candidate *right = b;

	if (left->body != right->body)
		return left->body < right->body ? -1 : 1;
	return (left->relation > right->relation) - (left->relation < right->relation);
}

/* Where each body's candidates begin; how many bodies there are. */
static int64_t
find_bodies(const Paths *paths, int64_t *first)
{
	int64_t		bodies = 0;

	for (int64_t i = 0; i < paths->candidates; i++)
		if (i == 0 || paths->candidate[i].body != paths->candidate[i - 1].body)
			first[bodies++] = i;
	first[bodies] = paths->candidates;
	return bodies;
}

static void
drop_those_out_of_bounds(Paths *paths)
{
	int64_t		kept = 0;

	for (int64_t i = 0; i < paths->candidates; i++)
	{
		Candidate	candidate = paths->candidate[i];

		if (candidate.hits >= (double) paths->search->min_support && candidate.confidence > candidate.error &&
			candidate.confidence - candidate.error >= paths->search->min_confidence)
			paths->candidate[kept++] = candidate;
	}
	paths->candidates = kept;
}

static void
take_counting(Counting *counting, Allocation *allocation, const Paths *paths, int threads)
{
	counting->first = TAKE(allocation, int64_t, (size_t) paths->room + 1);
	counting->tracer = TAKE(allocation, Tracer, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		uint32_t   *reached_by = TAKE(allocation, uint32_t, (size_t) paths->facts->entities);

		if (reached_by != NULL)
		{
			counting->tracer[i] = (Tracer) {.reached_by = reached_by};
			memset(reached_by, 0, (size_t) paths->facts->entities * sizeof(uint32_t));
		}
	}
}

size_t
counting_bytes(const Paths *paths, int threads)
{
	Counting	counting;
	Allocation	allocation = {0};

	take_counting(&counting, &allocation, paths, threads);
	return sizeof(Counting) + allocation_bytes(&allocation);
}

Counting *
counting_open(Arena *arena, Paths *paths)
{
	Counting   *counting = arena->allocate(arena->context, sizeof(Counting));
	int			threads = pool_threads(paths->pool);
	Allocation	allocation = {0};

	if (counting == NULL)
		return NULL;
	*counting = (Counting) {.paths = paths};
	take_counting(counting, &allocation, paths, threads);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_counting(counting, &allocation, paths, threads);
	return counting;
}

void
count_candidates(Counting *counting)
{
	Paths	   *paths = counting->paths;
	int64_t		bodies;

	sort_array(paths->pool, POOL_LEADER, paths->candidate, paths->candidates, sizeof(Candidate), compare_candidates);
	bodies = find_bodies(paths, counting->first);
	counting->work = fmax(MIN_WORK, paths->work / (double) (bodies > 0 ? bodies : 1));
	pool_run(paths->pool, bodies, count_item, counting);
	drop_those_out_of_bounds(paths);
}
