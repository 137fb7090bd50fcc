/*
 * sketch.h
 *		A coarse copy of a model's entities: of long rows a quarter of the size, or a third where it has parts.
 *
 * The search for the best candidates is as fast as memory hands over the
 * rows.  So it looks at the sketch first: every number as one byte times a scale
 * of its row, and beside each row how far it is from the true one.  That is
 * enough to rule out nearly all candidates for certain.
 */
#ifndef HKG_KGE_SKETCH_H
#define HKG_KGE_SKETCH_H

#include "kge/score/engine.h"
#include "kge/top.h"
#include "sketch_parts.h"
#include "sketch_product.h"

struct KgeSketch
{
	KgeEngine	engine;
	int8_t	   *code;			/* of each row, see kge_sketch_code */
	KgeParts   *parts;			/* of each row, where they hold codes of moduli */
	float	   *scale;			/* of each row: the same of all where they hold codes of moduli */
	float	   *norm;			/* of each row, Euclidean, or more */
	float	   *error;			/* how far the row is from the true one; infinite where it has no sketch */
	void	   *memory;			/* what the arrays are in */
};

/* Whether codes are those of sketch_moduli.h; else `width` numbers of a row follow each other. */
extern bool kge_sketch_has_moduli(const KgeSketch *sketch);

/* The codes of a row; those of the next row follow. */
extern const int8_t *kge_sketch_code(const KgeSketch *sketch, int64_t row);

/* A query that all rows are compared with */
typedef struct KgeSketchQuery
{
	const KgeSketch *sketch;
	const float *query;
	double		norm;
	const int8_t *code;			/* where rows hold codes of moduli, its own, and how far they are off */
	double		code_error;
	KgeQueryCodes codes;		/* where rows are multiplied by bytes; else its code is NULL */
} KgeSketchQuery;

/* Bytes of room for the codes of a query. */
extern size_t kge_sketch_query_bytes(const KgeModel *model);
extern KgeSketchQuery kge_sketch_query(const KgeSketch *sketch, const float *query, void *room);

/*
 * The most that the exact scores of the rows from .. end-1 can be, up to KGE_LOOKED_AT of them, at most[from] and on:
 * infinity where the sketch does not bound them.  `row` has room for a row.
 */
#define KGE_LOOKED_AT 256
extern void kge_sketch_look(const KgeSketchQuery *query, int64_t from, int64_t end, float *row, float *most);

/* The same of one row, where the sketch holds codes of moduli. */
extern double kge_sketch_most(const KgeSketchQuery *query, int64_t row);

#endif							/* HKG_KGE_SKETCH_H */
