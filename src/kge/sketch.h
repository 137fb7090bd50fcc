/*
 * sketch.h
 *		A coarse copy of a model's entities, a quarter of their size.
 *
 * The search for the best candidates is as fast as memory hands over the
 * rows.  So it looks at the sketch first: every number as one byte times a scale
 * of its row, and beside each row how far it is from the true one.  That is
 * enough to rule out nearly all candidates for certain.
 */
#ifndef HKG_KGE_SKETCH_H
#define HKG_KGE_SKETCH_H

#include "engine.h"

struct KgeSketch
{
	KgeEngine	engine;
	int8_t	   *code;			/* entities x width */
	float	   *scale;			/* of each row */
	float	   *norm;			/* of each row, Euclidean, or more */
	float	   *error;			/* how far the row is from the true one; infinite where it has no sketch */
	void	   *memory;			/* what the arrays are in */
};

/*
 * The least and the most that the exact scores of the rows from .. end-1 can be, for a query of
 * that norm: minus infinity and infinity where the sketch does not bound them.  `row` has room for a
 * row.
 */
extern void kge_sketch_look(const KgeSketch *sketch, const float *query, double query_norm,
							int64_t from, int64_t end, float *row, double *least, double *most);

#endif							/* HKG_KGE_SKETCH_H */
