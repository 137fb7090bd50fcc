/*
 * sketch_product.h
 *		Dot products of queries with rows of a sketch, in whole numbers.
 */
#ifndef HKG_KGE_SKETCH_PRODUCT_H
#define HKG_KGE_SKETCH_PRODUCT_H

#include "core/allocation.h"
#include "kge/score/engine.h"

/* Queries as bytes times a scale of each */
typedef struct KgeCodes
{
	int			width;
	int			count;			/* of queries, a multiple of 2 KGE_CODES_LANES */
	uint8_t    *code;			/* code + 128: four numbers of each query, then the next four */
	float	   *scale;			/* by query */
} KgeCodes;

#define KGE_CODES_LANES 16
#define KGE_CODES_ROWS 8		/* the fewest that are multiplied */

/* Room for that many queries. */
extern KgeCodes kge_codes_take(Allocation *allocation, int width, int count);

/* The same room for no more than a number of queries */
extern KgeCodes kge_codes_for(KgeCodes codes, int count);

/* Fills in a finite query; returns how far its codes are from it, as a Euclidean length. */
extern double kge_codes_set(KgeCodes *codes, int number, const float *query);

/*
 * out[row * out_stride + query] = the product of query and row, of all queries and of KGE_CODES_ROWS rows or more, each
 * of `width` codes and with a scale.
 */
extern void kge_codes_product(const KgeCodes *codes, int rows, const int8_t *row, const float *row_scale,
							  float *out, int out_stride);

/* A finite query alone: its codes + 128, and their scale */
typedef struct KgeQueryCodes
{
	const uint8_t *code;
	float		scale;
	double		error;			/* how far they are from the query, as a Euclidean length */
} KgeQueryCodes;

extern size_t kge_query_codes_bytes(int width);
extern KgeQueryCodes kge_query_codes(int width, const float *query, uint8_t *room);

/*
 * product[row] = the product of a query's codes and those of a row, in units of the query's scale and of the row's.
 * kge_has_codes() is true.
 */
extern void kge_codes_look(int width, KgeQueryCodes query, int rows, const int8_t *row, float *product);

#endif							/* HKG_KGE_SKETCH_PRODUCT_H */
