/*
 * paths.h
 *		What the parts of the search for path rules share: paths.c (the whole, the choice),
 *		path_find.c (which bodies there are), path_count.c (what they are worth).
 *
 * A body is a number: its atoms, 1 added to each, are the digits to the base 2 * relations + 1.  So
 * longer bodies have greater numbers, and how long one can be is bounded by 64 bits.
 */
#ifndef HKG_EVIDENCE_PATHS_H
#define HKG_EVIDENCE_PATHS_H

#include "evidence.h"

#include "core/random.h"
#include "core/allocation.h"
#include "core/pool.h"

typedef struct Body
{
	int			length;
	int32_t		atom[EV_MAX_BODY];
} Body;

/* A rule that may be one of those sought */
typedef struct Candidate
{
	uint64_t	body;
	int32_t		relation;
	int32_t		support;		/* of the facts looked at, those with such a path */
	bool		complete;		/* all facts were looked at, in all ways */
	double		hits;			/* sums over anchors, see path_count.c: pairs that are facts, */
	double		hits_squared;
	double		hits_pairs;		/* and their products with all pairs */
	double		body_size;
	double		confidence;
	double		error;
} Candidate;

typedef struct Paths
{
	const EvFacts *facts;
	const EvSearch *search;
	Pool    *pool;
	int64_t		deadline;		/* nanoseconds of the monotonic clock; 0: none */
	int32_t    *anchor;			/* EvFacts.holder of each atom, in an order drawn by the seed */

	/* of the length that is sought */
	int			length;
	double		work;			/* for the search, and for the counts */
	int64_t		candidates;
	int64_t		room;
	Candidate  *candidate;
} Paths;

static inline uint64_t
body_base(const EvFacts *facts)
{
	return 2 * (uint64_t) facts->relations + 1;
}

static inline Body
body_of(const EvFacts *facts, uint64_t number)
{
	uint64_t	base = body_base(facts);
	Body		body = {0};
	Body		backwards = {0};

	for (; number > 0; number /= base)
		backwards.atom[backwards.length++] = (int32_t) (number % base) - 1;
	while (body.length < backwards.length)
	{
		body.atom[body.length] = backwards.atom[backwards.length - 1 - body.length];
		body.length++;
	}
	return body;
}

static inline uint64_t
body_number(const EvFacts *facts, const Body *body)
{
	uint64_t	number = 0;

	for (int i = 0; i < body->length; i++)
		number = number * body_base(facts) + (uint64_t) body->atom[i] + 1;
	return number;
}

/* The same path, read from its other end. */
static inline Body
body_mirrored(const Body *body)
{
	Body		mirrored = {.length = body->length};

	for (int i = 0; i < body->length; i++)
		mirrored.atom[i] = EV_MIRRORED(body->atom[body->length - 1 - i]);
	return mirrored;
}

static inline int64_t
holders_of(const EvFacts *facts, int32_t atom)
{
	return facts->holders[atom + 1] - facts->holders[atom];
}

/* Whether the time is over. */
extern bool paths_late(const Paths *paths);

/* ---- path_find.c ------------------------------------------------------------- */

typedef struct Finding Finding;

/* NULL when the arena is empty. */
extern Finding *finding_open(Arena *arena, Paths *paths);
extern size_t finding_bytes(const Paths *paths, int threads);

/* Fills the candidates, in no particular order. */
extern void find_candidates(Finding *finding);

/* ---- path_count.c ------------------------------------------------------------ */

typedef struct Counting Counting;

extern Counting *counting_open(Arena *arena, Paths *paths);
extern size_t counting_bytes(const Paths *paths, int threads);

/* Counts the candidates and drops those over no bound. */
extern void count_candidates(Counting *counting);

#endif							/* HKG_EVIDENCE_PATHS_H */
