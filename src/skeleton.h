/*
 * skeleton.h
 *		The skeleton of a body: its terms without its relations and constants.
 *		Bodies of one skeleton are evaluated by one statement.
 *
 * A directed atom is a relation read forwards or backwards, as a number:
 * 2 * relation's id, and 1 more for backwards.  An atom of a skeleton reads from its
 * lower term to its higher one (X < A < B < ... < Y < constants), so that the
 * relation's direction is part of the directed atom and not of the skeleton.
 * In SQL a fact is two edges (x, atom, y), one each way.
 *
 * As text, a skeleton is "XA AB BY": two letters an atom, c for any constant.
 *
 * A constant of the head, `Y is c` (rule.h), is the place Y TERM_ITSELF: one entity and no edge.
 */
#ifndef HKG_SKELETON_H
#define HKG_SKELETON_H

#include "compat.h"

#include "rule.h"

typedef int32 DirectedAtom;

#define RELATION_LIMIT (INT32_C(1) << 30)
#define FORWARDS(relation) ((DirectedAtom) (2 * (relation)))
#define MIRRORED(atom) ((atom) ^ 1)
#define IS_BACKWARDS(atom) (((atom) & 1) != 0)
#define RELATION_OF(atom) ((atom) / 2)

#define TERM_CONSTANT ((Term) 0)	/* in a skeleton: some entity */
#define TERM_ITSELF ((Term) 1)	/* some entity, which the other term is */

typedef struct Place
{
	Term		from;
	Term		to;
} Place;

typedef struct Skeleton
{
	int32		length;
	Place		place[RULE_MAX_BODY];
} Skeleton;

/* What a skeleton leaves out of a body, atom by atom; constants of atoms that have none are 0. */
typedef struct Flesh
{
	DirectedAtom atom[RULE_MAX_BODY];
	int32		constant[RULE_MAX_BODY];
} Flesh;

extern void skeleton_of(const Rule *rule, Skeleton *skeleton, Flesh *flesh);
extern int	skeleton_compare(const Skeleton *a, const Skeleton *b);

/* From text; and the canonical rule of skeleton and flesh. */
extern void skeleton_parse(const char *text, Skeleton *skeleton);
extern void skeleton_rule(const Skeleton *skeleton, const Flesh *flesh, int32 head, Rule *rule);

/* A subquery's text: the facts as edges (x, atom, y), both ways. */
extern char *edges_sql(const Graph *graph);

/*
 * The column of edge e<i> that first holds a variable, among the atoms of the set; NULL when none does.
 * A set of atoms is a mask of bits.
 */
extern char *skeleton_column(const Skeleton *skeleton, unsigned atoms, Term term);

/*
 * " join EDGES e1 on ... join ...": the atoms of the set, each joined to those before it by shared
 * variables.
 */
extern char *skeleton_joins(const Graph *graph, const Skeleton *skeleton, unsigned atoms);

#endif							/* HKG_SKELETON_H */
