/*
 * two_atom_paths.h
 *		Paths of two atoms between the ends of facts, counted: for each head relation
 *		and each pair of directed atoms (a, b), the facts head(x, y) that have some z
 *		with a(x, z) and b(z, y).
 *
 * A directed atom is a number that is even for a relation read forwards; 1 more reads it
 * backwards.
 */
#ifndef HKG_RULES_TWO_ATOM_PATHS_H
#define HKG_RULES_TWO_ATOM_PATHS_H

#include "neighbours.h"

typedef struct Paths Paths;

/* In the current memory context. */
extern Paths *paths_create(void);

/* Counts for one fact of `head`, given all neighbours of x and of y, ascending. */
extern void paths_add_fact(Paths *paths, int32 head, const Neighbour *x, int64 x_count,
						   const Neighbour *y, int64 y_count);

/* Calls take(argument, head, a, b, facts) for every path that was met. */
extern void paths_each(Paths *paths,
					   void (*take) (void *argument, int32 head, int32 first, int32 second, int64 facts),
					   void *argument);

#endif							/* HKG_RULES_TWO_ATOM_PATHS_H */
