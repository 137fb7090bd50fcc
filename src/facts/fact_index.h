/*
 * fact_index.h
 *		The one index of facts in memory.
 *
 * A fact r(x, y) is two edges: one from x to y, one from y back to x.  The label of an edge is a directed
 * atom: a relation read forwards or backwards, as the number 2 * relation, and 1 more backwards.  Relations and
 * entities are rows.
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
#ifndef HKG_FACTS_FACT_INDEX_H
#define HKG_FACTS_FACT_INDEX_H

#include "core/core.h"
#include "core/pool.h"

/* ---- directed atoms ----------------------------------------------------------- */

typedef int32_t DirectedAtom;

#define FORWARDS(relation) (2 * (relation))
#define MIRRORED(atom) ((atom) ^ 1)
#define IS_BACKWARDS(atom) (((atom) & 1) != 0)
#define RELATION_OF(atom) ((atom) / 2)

/* The atom that leads from what a question gives to the answers on a side. */
static inline DirectedAtom
asked_atom(int32_t relation, Side side)
{
	return side == SIDE_TAIL ? FORWARDS(relation) : MIRRORED(FORWARDS(relation));
}

/* ---- the index ---------------------------------------------------------------- */

typedef struct FactEdge
{
	DirectedAtom atom;
	int32_t		other;
} FactEdge;

/* The edges of an entity with one atom; they end where the next group begins */
typedef struct FactGroupStart
{
	int32_t		first;			/* edge */
	int32_t		entity;
	DirectedAtom atom;
} FactGroupStart;

/* The groups of an entity; they end where those of the next one begin */
typedef struct FactDirectory
{
	uint64_t	atoms;			/* bit atom >> atom_shift: whether it has an edge of that atom */
	int32_t		group;			/* its first */
} FactDirectory;

typedef struct FactIndex
{
	int32_t		entities;
	int32_t		relations;
	int64_t		edges;			/* twice the facts */
	int64_t    *start;			/* by entity: its first edge, in both orders; and the end */
	FactEdge   *edge;			/* of each entity, by atom, then by other */
	int32_t    *mirror;			/* of each edge: the group (other, mirrored atom), which has its mirror image */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
	int			atom_shift;
	FactDirectory *directory;		/* by entity; and the end */
	FactGroupStart *group;		/* by entity, then by atom; and the end */
	int32_t    *largest;		/* by directed atom: the edges of its largest group */
	int64_t    *holders;		/* by directed atom: its first holder; and the end */
	int32_t    *holder;			/* of each atom, by entity: who has such edges, as numbers of groups */
	FactEdge   *neighbour;		/* of each entity, by other; NULL before fact_neighbours */
	const AnswerSet *answers;	/* by 2 * relation + side: who may answer (answer_types.h); NULL: all entities */
	void	   *memory;			/* what all but the last two are in */
} FactIndex;

/* A part of the edges, first .. end - 1 */
typedef struct FactGroup
{
	int64_t		first;
	int64_t		end;
} FactGroup;

/*
 * Bytes that fact_index will take from its arena; more than there is memory for when there are 2^30 facts or more, for
 * which it has no numbers.  Callers may add to it.
 */
extern size_t fact_index_bytes(int32_t entities, int32_t relations, int64_t facts);

/* The facts, each once; in the arena.  False when the arena is empty, or there are 2^30 facts or more. */
extern bool fact_index(Arena *arena, Pool *pool, int32_t entities, int32_t relations,
					   const Triple *triples, int64_t count, FactIndex *facts);

/*
 * Its arrays as one piece of memory, which a copy of the index has elsewhere: after fact_index_move, they are there (at a
 * multiple of 64).  The second order is no part of it.
 */
extern const void *fact_index_memory(const FactIndex *facts, size_t *bytes);
extern void fact_index_move(FactIndex *facts, void *memory);

/* Builds the second order; takes at most as much as fact_index took.  False when the arena is empty. */
extern bool fact_neighbours(Arena *arena, Pool *pool, FactIndex *facts);
extern size_t fact_neighbours_bytes(int32_t entities, int64_t facts);

/* The number of the first group of an entity that is not below that atom, between two numbers */
extern int32_t fact_group_search(const FactIndex *facts, int32_t first, int32_t end, DirectedAtom atom);

static inline FactGroup
fact_group_at(const FactIndex *facts, int32_t number)
{
	return (FactGroup) {facts->group[number].first, facts->group[number + 1].first};
}

static inline int
fact_count_bits(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (int) (bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The group of an entity and an atom, -1: none */
static inline int32_t
fact_group_number(const FactIndex *facts, int32_t entity, DirectedAtom atom)
{
	const FactDirectory *directory = &facts->directory[entity];
	uint64_t	bit = UINT64_C(1) << (atom >> facts->atom_shift);
	int32_t		number;

	if ((directory->atoms & bit) == 0)
		return -1;
	number = directory->group + fact_count_bits(directory->atoms & (bit - 1));
	if (facts->group[number].atom != atom)
	{
		number = fact_group_search(facts, number, directory[1].group, atom);
		if (number == directory[1].group || facts->group[number].atom != atom)
			return -1;
	}
	return number;
}

/* How many groups there are at most: whoever takes memory by group may not have the facts yet */
extern int64_t fact_most_groups(const FactIndex *facts);

/* The edges of an entity with an atom; none: 0 .. 0 */
static inline FactGroup
fact_group(const FactIndex *facts, int32_t entity, DirectedAtom atom)
{
	int32_t		number = fact_group_number(facts, entity, atom);

	return number < 0 ? (FactGroup) {0, 0} : fact_group_at(facts, number);
}

/*
 * The same for each of `count` entities, `stride` numbers apart, at most FACT_AHEAD.  A look-up waits for memory; those
 * of several entities wait together.
 */
#define FACT_AHEAD 32
extern void fact_groups(const FactIndex *facts, const int32_t *entity, int stride, int count, DirectedAtom atom,
						FactGroup *group);

/* The entity that a holder is. */
static inline int32_t
fact_holder(const FactIndex *facts, int64_t holder)
{
	return facts->group[facts->holder[holder]].entity;
}

/* How many entities have edges of an atom */
static inline int64_t
fact_holder_count(const FactIndex *facts, DirectedAtom atom)
{
	return facts->holders[atom + 1] - facts->holders[atom];
}

/* Whether the functional side of a relation r(x, y) is y: it has fewer heads than tails. */
static inline bool
fact_functional_backwards(const FactIndex *facts, int32_t relation)
{
	return fact_holder_count(facts, FORWARDS(relation)) < fact_holder_count(facts, MIRRORED(FORWARDS(relation)));
}

/* The number of a relation's facts; the leader of the pool yields meanwhile. */
extern int64_t fact_count(const FactIndex *facts, int32_t relation, Pool *pool);

/* The edge of a group that leads to an entity, -1 where there is none; and whether there is one. */
extern int64_t fact_group_find(const FactIndex *facts, FactGroup group, int32_t other);
extern bool fact_group_holds(const FactIndex *facts, FactGroup group, int32_t other);

/* Whether there is such an edge. */
extern bool fact_holds(const FactIndex *facts, int32_t entity, DirectedAtom atom, int32_t other);

/* ---- what two entities have in common ------------------------------------------ */

/* Neighbours of one entity, ascending */
typedef struct FactSpan
{
	const FactEdge *at;
	const FactEdge *end;
} FactSpan;

static inline FactSpan
fact_span(const FactIndex *facts, int32_t entity)
{
	return (FactSpan) {facts->neighbour + facts->start[entity], facts->neighbour + facts->start[entity + 1]};
}

/* Goes on to the first neighbour that is not below the bound, in steps that double. */
static inline void
fact_span_seek(FactSpan *span, int32_t bound)
{
	const FactEdge *low = span->at;
	const FactEdge *high;
	int64_t		step = 1;

	while (span->end - low > step && low[step].other < bound)
	{
		low += step;
		step *= 2;
	}
	high = span->end - low < step ? span->end : low + step;
	while (low < high)
	{
		const FactEdge *middle = low + (high - low) / 2;

		if (middle->other < bound)
			low = middle + 1;
		else
			high = middle;
	}
	span->at = low;
}

/* Splits off the edges to the same entity as the first. */
static inline FactSpan
fact_span_take(FactSpan *span)
{
	FactSpan	taken = *span;

	while (span->at < span->end && span->at->other == taken.at->other)
		span->at++;
	taken.end = span->at;
	return taken;
}

/*
 * Goes on in both to the first entity that both have; false when there is none.  Where one is much the
 * longer (its owner may be a country), it is searched rather than read.
 */
static inline bool
fact_spans_common(FactSpan *a, FactSpan *b)
{
	while (a->at < a->end && b->at < b->end)
	{
		if (a->at->other == b->at->other)
			return true;
		if (a->at->other < b->at->other)
			fact_span_seek(a, b->at->other);
		else
			fact_span_seek(b, a->at->other);
	}
	return false;
}

/* The edges from one entity to another. */
static inline FactSpan
fact_edges_between(const FactIndex *facts, int32_t from, int32_t to)
{
	FactSpan	span = fact_span(facts, from);

	fact_span_seek(&span, to);
	if (span.at == span.end || span.at->other != to)
		return (FactSpan) {span.end, span.end};
	return fact_span_take(&span);
}

#endif							/* HKG_FACTS_FACT_INDEX_H */
