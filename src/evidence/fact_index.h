/*
 * fact_index.h
 *		The one index of facts in memory.
 *
 * A fact r(x, y) is two edges: one from x to y, one from y back to x.  The label of an edge is a directed
 * atom: a relation read forwards or backwards, as the number 2 * relation, and 1 more backwards.  Relations and
 * entities are rows.  (In the statements of src/rules the same number is made of a relation's id.)
 *
 * The edges of an entity stand in two orders:
 *
 *		edge		by (atom, other): groups.  The group (entity, atom) has all entities that the atom leads to.
 *		neighbour	by other: whoever has two entities finds what they have in common, by merging their spans.
 *
 * The second order is built when it is asked for.
 */
#ifndef HKG_EVIDENCE_FACT_INDEX_H
#define HKG_EVIDENCE_FACT_INDEX_H

#include "core/core.h"
#include "core/pool.h"

/* ---- directed atoms ----------------------------------------------------------- */

typedef int32_t DirectedAtom;

#define FORWARDS(relation) (2 * (relation))
#define MIRRORED(atom) ((atom) ^ 1)
#define IS_BACKWARDS(atom) (((atom) & 1) != 0)
#define RELATION_OF(atom) ((atom) / 2)

/* ---- the index ---------------------------------------------------------------- */

typedef struct EvEdge
{
	DirectedAtom atom;
	int32_t		other;
} EvEdge;

typedef struct EvHolder
{
	int32_t		entity;
	int64_t		first;			/* edge of its group */
} EvHolder;

typedef struct EvFacts
{
	int32_t		entities;
	int32_t		relations;
	int64_t		edges;			/* twice the facts */
	int64_t    *start;			/* by entity: its first edge, in both orders; and the end */
	EvEdge	   *edge;			/* of each entity, by atom, then by other */
	int64_t    *mirror;			/* of each edge: the first of the group (other, mirrored atom) */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
	int64_t    *holders;		/* by directed atom: its first holder; and the end */
	EvHolder   *holder;			/* of each atom, by entity: who has such edges */
	EvEdge	   *neighbour;		/* of each entity, by other; NULL before ev_neighbours */
	void	   *memory;			/* what all but `neighbour` are in */
} EvFacts;

/* A part of the edges, first .. end - 1 */
typedef struct EvGroup
{
	int64_t		first;
	int64_t		end;
} EvGroup;

/* Bytes that ev_facts will take from its arena. */
extern size_t ev_facts_bytes(int32_t entities, int32_t relations, int64_t facts);

/* The facts, each once; in the arena.  False when it is empty. */
extern bool ev_facts(Arena *arena, Pool *pool, int32_t entities, int32_t relations,
					 const Triple *triples, int64_t count, EvFacts *facts);

/*
 * Its arrays as one piece of memory, which a copy of the index has elsewhere: after ev_facts_move, they are there (at a
 * multiple of 64).  The second order is no part of it.
 */
extern const void *ev_facts_memory(const EvFacts *facts, size_t *bytes);
extern void ev_facts_move(EvFacts *facts, void *memory);

/* Builds the second order; takes at most as much as ev_facts took.  False when the arena is empty. */
extern bool ev_neighbours(Arena *arena, Pool *pool, EvFacts *facts);

extern EvGroup ev_group(const EvFacts *facts, int32_t entity, DirectedAtom atom);

/* The end of the group that begins at an edge of the entity. */
extern int64_t ev_group_end(const EvFacts *facts, int32_t entity, int64_t first);

/* Whether there is such an edge. */
extern bool ev_holds(const EvFacts *facts, int32_t entity, DirectedAtom atom, int32_t other);

/* ---- what two entities have in common ------------------------------------------ */

/* Neighbours of one entity, ascending */
typedef struct EvSpan
{
	const EvEdge *at;
	const EvEdge *end;
} EvSpan;

static inline EvSpan
ev_span(const EvFacts *facts, int32_t entity)
{
	return (EvSpan) {facts->neighbour + facts->start[entity], facts->neighbour + facts->start[entity + 1]};
}

/* Goes on to the first neighbour that is not below the bound, in steps that double. */
static inline void
ev_span_seek(EvSpan *span, int32_t bound)
{
	const EvEdge *low = span->at;
	const EvEdge *high;
	int64_t		step = 1;

	while (span->end - low > step && low[step].other < bound)
	{
		low += step;
		step *= 2;
	}
	high = span->end - low < step ? span->end : low + step;
	while (low < high)
	{
		const EvEdge *middle = low + (high - low) / 2;

		if (middle->other < bound)
			low = middle + 1;
		else
			high = middle;
	}
	span->at = low;
}

/* Splits off the edges to the same entity as the first. */
static inline EvSpan
ev_span_take(EvSpan *span)
{
	EvSpan		taken = *span;

	while (span->at < span->end && span->at->other == taken.at->other)
		span->at++;
	taken.end = span->at;
	return taken;
}

/*
 * Goes on in both to the first entity that both have; false when there is none.  Where one is much the
 * longer (one of their owners is a country, say), it is searched rather than read.
 */
static inline bool
ev_spans_common(EvSpan *a, EvSpan *b)
{
	while (a->at < a->end && b->at < b->end)
	{
		if (a->at->other == b->at->other)
			return true;
		if (a->at->other < b->at->other)
			ev_span_seek(a, b->at->other);
		else
			ev_span_seek(b, a->at->other);
	}
	return false;
}

/* The edges from one entity to another. */
static inline EvSpan
ev_edges_between(const EvFacts *facts, int32_t from, int32_t to)
{
	EvSpan		span = ev_span(facts, from);

	ev_span_seek(&span, to);
	if (span.at == span.end || span.at->other != to)
		return (EvSpan) {span.end, span.end};
	return ev_span_take(&span);
}

#endif							/* HKG_EVIDENCE_FACT_INDEX_H */
