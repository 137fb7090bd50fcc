/*
 * sketch_parts.h
 *		Sums of moduli, bounded from below by sums over parts of the numbers.
 *
 * Let each part have some of the n numbers.  By the triangle inequality the sum of moduli |q_j - c_j| is at least the sum,
 * over the parts, of |Re (sum of q_j - sum of c_j)|.  Where the differences are independent, that of p parts is about
 * 0.64 sqrt(p / n) of the distance.  So 56 bytes of a row, two instructions for eight of them, exclude what is far out of
 * reach.  Of 200 numbers, sums of moduli (sketch_moduli.h) that exclude as much take four times as many instructions.
 */
#ifndef HKG_KGE_SKETCH_PARTS_H
#define HKG_KGE_SKETCH_PARTS_H

#include "core/allocation.h"

#define KGE_PARTS 56
#define KGE_PARTS_QUERIES 32	/* that a row is compared with at once */

/* What a distance is measured in */
typedef struct KgePartScale
{
	int			half;			/* numbers, each with an imaginary part */
	float		step;			/* of the codes of the numbers */
	double		unit;			/* of a distance as a whole number */
} KgePartScale;

/* A row, in 64 bytes */
typedef struct KgeParts
{
	uint8_t		code[KGE_PARTS];	/* of the sum of each part, + 128 */
	double		more;			/* units by which the row's other codes are further off than these; negative: less far */
} KgeParts;

/* A block of queries, a multiple of KGE_PARTS_QUERIES */
typedef struct KgePartQueries
{
	int			half;
	int			count;
	float		units;			/* of a unit of the codes */
	uint8_t    *code;			/* eight parts of each query, then the next eight */
	float	   *more;			/* by query, see KgeParts */
} KgePartQueries;

/* Sums up a finite row, whose other codes are off by `error`. */
extern KgeParts kge_parts(const KgePartScale *scale, const float *row, double error);

/* Room for that many queries. */
extern KgePartQueries kge_part_queries_take(Allocation *allocation, int half, int count);

/* The same room for `count` queries of 0 */
extern void kge_part_queries_open(KgePartQueries *queries, KgePartScale scale, int count);

extern void kge_part_queries_set(KgePartQueries *queries, int number, const KgeParts *query);

/*
 * What the distances between a row and KGE_PARTS_QUERIES queries, from one on, are at least, in units and less the errors
 * of the other codes.  Returns those that are not above limit[query] + slack, a bit each.  kge_has_codes() is true.
 */
extern uint32_t kge_part_queries_look(const KgePartQueries *queries, int from, const KgeParts *row, const int32_t *limit,
									  int32_t slack, float *least);

#endif							/* HKG_KGE_SKETCH_PARTS_H */
