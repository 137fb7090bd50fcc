/*
 * evidence.h
 *		The face of the second pure half: what rules say of a triple, in memory.
 *
 * The facts stand as edges, in both directions, so that a rule is evaluated from
 * the entity that is asked about, without a statement of SQL.  As in src/kge, everything is
 * rows, memory comes from the caller's KgeArena, work runs on a KgePool.
 *
 * Wording.  A directed atom is 2 * relation's row, and 1 more for the relation read
 * backwards.  The group of (entity, directed atom) is what the entity's edges of that atom lead to.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include "../kge/kge.h"

#define EV_FORWARDS(relation) (2 * (relation))
#define EV_MIRRORED(atom) ((atom) ^ 1)
#define EV_RELATION(atom) ((atom) / 2)

/* ---- facts.c -------------------------------------------------------------- */

typedef struct EvEdge
{
	int32_t		atom;			/* directed */
	int32_t		other;
} EvEdge;

typedef struct EvFacts
{
	int32_t		entities;
	int32_t		relations;
	int64_t		edges;			/* twice the facts */
	int64_t    *start;			/* by entity: its first edge; and the end */
	EvEdge	   *edge;			/* of each entity, by atom, then by other */
	int64_t    *mirror;			/* of each edge: the first of the group (other, mirrored atom) */
	bool	   *reflexive;		/* by relation: whether a fact relates an entity to itself */
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
extern bool ev_facts(KgeArena *arena, int32_t entities, int32_t relations,
					 const KgeTriple *triples, int64_t count, EvFacts *facts);

extern EvGroup ev_group(const EvFacts *facts, int32_t entity, int32_t atom);

/* Whether there is such an edge. */
extern bool ev_holds(const EvFacts *facts, int32_t entity, int32_t atom, int32_t other);

#endif							/* EVIDENCE_H */
