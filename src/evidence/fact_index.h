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
 *
 * A group is found without a search among the entity's edges, which may be tens of thousands: groups stand by
 * (entity, atom), and a set of 64 bits shows which atoms an entity has.  Where there are at most 64 atoms, the bits
 * below an atom's are as many as the groups before its own.  Where there are more, neighbouring atoms share a bit, and
 * a search among the entity's groups starts from there.  Most look-ups are for atoms that an entity lacks, and
 * end with its bits.
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

/* The edges of an entity with one atom; they end where the next group begins */
typedef struct EvGroupStart
{
	int32_t		first;			/* edge */
	int32_t		entity;
	DirectedAtom atom;
} EvGroupStart;

/* The groups of an entity; they end where those of the next one begin */
typedef struct EvDirectory
{
	uint64_t	atoms;			/* bit atom >> atom_shift: whether it has an edge of that atom */
	int32_t		group;			/* its first */
} EvDirectory;

typedef struct EvFacts
{
	int32_t		entities;
	int32_t		relations;
	int64_t		edges;			/* twice the facts */
	int64_t    *start;			/* by entity: its first edge, in both orders; and the end */
	EvEdge	   *edge;			/* of each entity, by atom, then by other */
	int32_t    *mirror;			/* of each edge: the first of the group (other, mirrored atom) */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
	int			atom_shift;
	EvDirectory *directory;		/* by entity; and the end */
	EvGroupStart *group;		/* by entity, then by atom; and the end */
	int32_t    *largest;		/* by directed atom: the edges of its largest group */
	int64_t    *holders;		/* by directed atom: its first holder; and the end */
	int32_t    *holder;			/* of each atom, by entity: who has such edges, as numbers of groups */
	EvEdge	   *neighbour;		/* of each entity, by other; NULL before ev_neighbours */
	void	   *memory;			/* what all but `neighbour` are in */
} EvFacts;

/* A part of the edges, first .. end - 1 */
typedef struct EvGroup
{
	int64_t		first;
	int64_t		end;
} EvGroup;

/* Bytes that ev_facts will take from its arena; SIZE_MAX for more facts than it has numbers for, 2^30. */
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

/* The number of the first group of an entity that is not below that atom, between two numbers */
extern int32_t ev_group_search(const EvFacts *facts, int32_t first, int32_t end, DirectedAtom atom);

static inline EvGroup
ev_group_at(const EvFacts *facts, int32_t number)
{
	return (EvGroup) {facts->group[number].first, facts->group[number + 1].first};
}

static inline int
ev_count_bits(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (int) (bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The edges of an entity with an atom; none: 0 .. 0 */
static inline EvGroup
ev_group(const EvFacts *facts, int32_t entity, DirectedAtom atom)
{
	const EvDirectory *directory = &facts->directory[entity];
	uint64_t	bit = UINT64_C(1) << (atom >> facts->atom_shift);
	int32_t		number;

	if ((directory->atoms & bit) == 0)
		return (EvGroup) {0, 0};
	number = directory->group + ev_count_bits(directory->atoms & (bit - 1));
	if (facts->group[number].atom != atom)
	{
		number = ev_group_search(facts, number, directory[1].group, atom);
		if (number == directory[1].group || facts->group[number].atom != atom)
			return (EvGroup) {0, 0};
	}
	return ev_group_at(facts, number);
}

/*
 * The same for each of `count` entities, `stride` numbers apart, at most EV_AHEAD.  A look-up waits for memory; those
 * of several entities wait together.
 */
#define EV_AHEAD 32
extern void ev_groups(const EvFacts *facts, const int32_t *entity, int stride, int count, DirectedAtom atom, EvGroup *group);

/* The entity that a holder is. */
static inline int32_t
ev_holder(const EvFacts *facts, int64_t holder)
{
	return facts->group[facts->holder[holder]].entity;
}

/* Whether a group leads to an entity. */
extern bool ev_group_holds(const EvFacts *facts, EvGroup group, int32_t other);

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
