/*
 * two_atom_paths.c
 *		Paths of two atoms between the ends of facts, counted (see two_atom_paths.h).
 *
 * A path from x to y is a z where the neighbourhoods of x and y meet (neighbours.h).
 *
 * Several z can give one fact the same path.  A counter remembers the last fact that it
 * counted, as facts come one at a time.
 */
#include "two_atom_paths.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "mine.h"
#include "shape.h"

/* new counters between two looks at hybridkg.max_memory */
#define CHECK_EVERY (1 << 16)

typedef struct PathKey
{
	int32		head;
	int32		first;
	int32		second;
} PathKey;

typedef struct Counter
{
	PathKey		key;
	int64		facts;
	int64		last_fact;		/* the last one counted */
	char		status;			/* of the hash table */
} Counter;

static inline uint32
hash_key(PathKey key)
{
	return hash_combine(murmurhash32(key.head),
						hash_combine(murmurhash32(key.first), murmurhash32(key.second)));
}

#define SH_PREFIX counters
#define SH_ELEMENT_TYPE Counter
#define SH_KEY_TYPE PathKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) hash_key(key)
#define SH_EQUAL(table, a, b) ((a).head == (b).head && (a).first == (b).first && (a).second == (b).second)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

struct Paths
{
	counters_hash *counters;
	int64		fact;			/* number of the current one */
};

Paths *
paths_create(void)
{
	Paths	   *paths = palloc0(sizeof(Paths));

	paths->counters = counters_create(CurrentMemoryContext, 1024, NULL);
	return paths;
}

static void
count_path(Paths *paths, PathKey key)
{
	bool		found;
	Counter    *counter = counters_insert(paths->counters, key, &found);

	if (!found)
	{
		/* the table doubles, and holds both halves meanwhile */
		if (paths->counters->members % CHECK_EVERY == 0)
			mine_check_memory(3 * paths->counters->size * sizeof(Counter));
		counter->facts = 0;
		counter->last_fact = 0;
	}
	counter->facts += counter->last_fact != paths->fact;
	counter->last_fact = paths->fact;
}

/* Counts the paths through one z: each atom from x to it with each one from it to y. */
static void
count_paths_through(Paths *paths, int32 head, Span x, Span y)
{
	for (const Neighbour *from = x.at; from < x.end; from++)
	{
		for (const Neighbour *to = y.at; to < y.end; to++)
			count_path(paths, (PathKey) {head, NEIGHBOUR_ATOM(*from), MIRRORED(NEIGHBOUR_ATOM(*to))});
	}
}

void
paths_add_fact(Paths *paths, int32 head, const Neighbour *x, int64 x_count,
			   const Neighbour *y, int64 y_count)
{
	Span		x_span = {x, x + x_count};
	Span		y_span = {y, y + y_count};

	paths->fact++;
	while (spans_meet(&x_span, &y_span))
	{
		Span		from = span_take_entity(&x_span);
		Span		to = span_take_entity(&y_span);

		count_paths_through(paths, head, from, to);
	}
}

void
paths_each(Paths *paths,
		   void (*take) (void *argument, int32 head, int32 first, int32 second, int64 facts),
		   void *argument)
{
	counters_iterator iterator;
	Counter    *counter;

	counters_start_iterate(paths->counters, &iterator);
	while ((counter = counters_iterate(paths->counters, &iterator)) != NULL)
		take(argument, counter->key.head, counter->key.first, counter->key.second, counter->facts);
}
