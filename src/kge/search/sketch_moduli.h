/*
 * sketch_moduli.h
 *		Sums of moduli of complex differences, bounded from below in whole numbers.
 */
#ifndef HKG_KGE_SKETCH_MODULI_H
#define HKG_KGE_SKETCH_MODULI_H

#include "core/allocation.h"
#include "kge/score/engine.h"
#include "sketch_parts.h"

/* Bytes of a row of codes: pieces of 32 real parts and their imaginary parts, a cache line each */
extern size_t kge_moduli_bytes(int half);

/* Codes and parts of a row in units of `step`; returns a little more than the sum of moduli by which the codes are off. */
extern double kge_moduli_encode(int half, const float *row, float step, int8_t *code, KgeParts *parts);

/* A block of queries: codes of four numbers of each query, real parts, then imaginary ones, then the next four */
typedef struct KgeModuli
{
	int			half;
	int			count;			/* of queries, rounded up */
	float		step;
	int8_t	   *row;			/* codes of each query as a row has them */
	int8_t	   *code;
	KgePartQueries parts;
	int32_t    *limit;			/* by query: whole numbers above it need not be right, see below */
} KgeModuli;

/* Room for that many queries. */
extern KgeModuli kge_moduli_take(Allocation *allocation, int half, int count);

/* Queries of 0 that nothing is near enough to, no more of them than there is room for */
extern void kge_moduli_open(KgeModuli *moduli, int count);

/* Nothing is near enough to a query any more. */
extern void kge_moduli_close(KgeModuli *moduli, int number);

/* Fills in a finite query; returns a little more than the sum of moduli by which its codes are off. */
extern double kge_moduli_set(KgeModuli *moduli, int number, const float *query);

/* The whole number that stands for a distance: what is further off has a higher one. */
extern int32_t kge_moduli_limit(const KgeModuli *moduli, double distance);

/*
 * out[row * out_stride + query] = base - what the sum of moduli between the codes of the query and of the row is at
 * least, of all queries.  Where its whole number is above limit[query] + slack[row], some of the dimensions may be left
 * out: without them it is still above.
 */
extern void kge_moduli_scores(const KgeModuli *moduli, int rows, const int8_t *row, const KgeParts *parts,
							  const int32_t *slack, float base, float *out, int out_stride);

/* The codes of a query as a row has them. */
extern const int8_t *kge_moduli_query(const KgeModuli *moduli, int number);

/* The same distances of one query, whose codes are those of a row, from some rows. */
extern void kge_moduli_look(int half, float step, const int8_t *query, int rows, const int8_t *row, double *distance);

#endif							/* HKG_KGE_SKETCH_MODULI_H */
