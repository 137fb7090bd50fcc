/*
 * fact_index.h
 *		The facts as edges, in both directions.
 *
 * A directed atom is 2 * relation's row, and 1 more for the relation read backwards.  The group of
 * (entity, directed atom) is what the entity's edges of that atom lead to.
 */
#ifndef HKG_EVIDENCE_FACT_INDEX_H
#define HKG_EVIDENCE_FACT_INDEX_H

#include "core/pool.h"

#define EV_FORWARDS(relation) (2 * (relation))
#define EV_MIRRORED(atom) ((atom) ^ 1)
#define EV_RELATION(atom) ((atom) / 2)

typedef struct EvEdge
{
	int32_t		atom;			/* directed */
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
	int64_t    *start;			/* by entity: its first edge; and the end */
	EvEdge	   *edge;			/* of each entity, by atom, then by other */
	int64_t    *mirror;			/* of each edge: the first of the group (other, mirrored atom) */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
	int64_t    *holders;		/* by directed atom: its first holder; and the end */
	EvHolder   *holder;			/* of each atom, by entity: who has such edges */
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

extern EvGroup ev_group(const EvFacts *facts, int32_t entity, int32_t atom);

/* The end of the group that begins at an edge of the entity. */
extern int64_t ev_group_end(const EvFacts *facts, int32_t entity, int64_t first);

/* Whether there is such an edge. */
extern bool ev_holds(const EvFacts *facts, int32_t entity, int32_t atom, int32_t other);

#endif							/* HKG_EVIDENCE_FACT_INDEX_H */
