/*
 * neighbours.h
 *		Neighbourhoods of entities, sorted, and where they meet.
 */
#ifndef HKG_RULES_NEIGHBOURS_H
#define HKG_RULES_NEIGHBOURS_H

#include "server/compat.h"

#include "graph/graph.h"

/* The other entity in the upper half, in the lower the directed atom that leads there */
typedef int64 Neighbour;

#define NEIGHBOUR_ENTITY(neighbour) ((int32) ((neighbour) >> 32))
#define NEIGHBOUR_ATOM(neighbour) ((int32) ((neighbour) & 0xFFFFFFFF))
#define FIRST_NEIGHBOUR(entity) ((Neighbour) (entity) * (INT64CONST(1) << 32))

/* Part of a neighbourhood, ascending */
typedef struct Span
{
	const Neighbour *at;
	const Neighbour *end;
} Span;

/* All neighbourhoods; entities are rows */
typedef struct Neighbours
{
	int64	   *start;			/* by row; and the end */
	Neighbour  *neighbour;
} Neighbours;

/* Of facts in rows, with the relations' ids; in the current memory context. */
extern Neighbours *neighbours_of_facts(const Triple *fact, int64 facts, int32 entities, const int32 *relation_id);

static inline Span
neighbours_of(const Neighbours *neighbours, int32 row)
{
	return (Span) {
		neighbours->neighbour + neighbours->start[row], neighbours->neighbour + neighbours->start[row + 1]
	};
}

/* Goes on to the first neighbour that is not below the bound, in steps that double. */
static inline void
span_seek(Span *span, Neighbour bound)
{
	const Neighbour *low = span->at;
	const Neighbour *high;
	int64		step = 1;

	while (span->end - low > step && low[step] < bound)
	{
		low += step;
		step *= 2;
	}
	high = Min(span->end, low + step);
	while (low < high)
	{
		const Neighbour *middle = low + (high - low) / 2;

		if (*middle < bound)
			low = middle + 1;
		else
			high = middle;
	}
	span->at = low;
}

/* Splits off the neighbours that are the same entity as the first. */
static inline Span
span_take_entity(Span *span)
{
	Span		taken = *span;
	int32		entity = NEIGHBOUR_ENTITY(*span->at);

	while (span->at < span->end && NEIGHBOUR_ENTITY(*span->at) == entity)
		span->at++;
	taken.end = span->at;
	return taken;
}

/*
 * Goes on in both to the first entity that both have; false when there is none.  Where one is much the
 * longer (one of their owners is a country, say), it is searched rather than read.
 */
static inline bool
spans_meet(Span *a, Span *b)
{
	while (a->at < a->end && b->at < b->end)
	{
		int32		one = NEIGHBOUR_ENTITY(*a->at);
		int32		other = NEIGHBOUR_ENTITY(*b->at);

		if (one == other)
			return true;
		if (one < other)
			span_seek(a, FIRST_NEIGHBOUR(other));
		else
			span_seek(b, FIRST_NEIGHBOUR(one));
	}
	return false;
}

/* The edges from one entity to another. */
static inline Span
neighbours_between(const Neighbours *neighbours, int32 from, int32 to)
{
	Span		span = neighbours_of(neighbours, from);
	Span		none = {span.end, span.end};

	span_seek(&span, FIRST_NEIGHBOUR(to));
	if (span.at == span.end || NEIGHBOUR_ENTITY(*span.at) != to)
		return none;
	return span_take_entity(&span);
}

#endif							/* HKG_RULES_NEIGHBOURS_H */
