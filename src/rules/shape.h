/*
 * shape.h
 *		The shape of a body: its terms without its relations and constants.
 *		Rules of one shape are counted together.
 *
 * A directed atom is a relation read forwards or backwards, as a number:
 * 2 * relation's id, and 1 more for backwards.  An atom of a shape reads from its
 * lower term to its higher one (X < A < B < ... < Y < constants), so that the
 * relation's direction is part of the directed atom and not of the shape.
 * In SQL a fact is two edges (x, atom, y), one each way.
 *
 * As text, a shape is "XA AB BY": two letters an atom, c for any constant.
 *
 * A constant of the head, `Y is c` (rule.h), is the place Y TERM_ITSELF: one entity and no edge.
 */
#ifndef HKG_RULES_SHAPE_H
#define HKG_RULES_SHAPE_H

#include "server/compat.h"

#include "rule.h"

typedef int32 DirectedAtom;

#define RELATION_LIMIT (INT32_C(1) << 30)
#define FORWARDS(relation) ((DirectedAtom) (2 * (relation)))
#define MIRRORED(atom) ((atom) ^ 1)
#define IS_BACKWARDS(atom) (((atom) & 1) != 0)
#define RELATION_OF(atom) ((atom) / 2)

#define TERM_CONSTANT ((Term) 0)	/* in a shape: some entity */
#define TERM_ITSELF ((Term) 1)	/* some entity, which the other term is */

typedef struct Place
{
	Term		from;
	Term		to;
} Place;

typedef struct Shape
{
	int32		length;
	Place		place[RULE_MAX_BODY];
} Shape;

/* What a shape leaves out of a body, atom by atom; constants of atoms that have none are 0. */
typedef struct ShapeLabels
{
	DirectedAtom atom[RULE_MAX_BODY];
	int32		constant[RULE_MAX_BODY];
} ShapeLabels;

extern void shape_of(const Rule *rule, Shape *shape, ShapeLabels *labels);
extern int	shape_compare(const Shape *a, const Shape *b);

/* From text; and the canonical rule of shape and labels. */
extern void shape_parse(const char *text, Shape *shape);
extern void shape_rule(const Shape *shape, const ShapeLabels *labels, int32 head, Rule *rule);

/* A subquery's text: the facts as edges (x, atom, y), both ways. */
extern char *edges_sql(const Graph *graph);

#endif							/* HKG_RULES_SHAPE_H */
