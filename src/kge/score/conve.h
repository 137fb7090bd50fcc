/*
 * conve.h
 *		The convolutional network that makes the queries of ConvE.
 *
 * Given entity and relation, d numbers each, are images of d / width rows, one below the other.  FILTERS filters of 3 x 3
 * numbers go over both; what they find becomes d numbers by a matrix.  Each of the three stages is normalised.  The weights
 * are rows of d numbers behind those of all relations: all training and keeping of relations goes for them, too.
 */
#ifndef HKG_KGE_CONVE_H
#define HKG_KGE_CONVE_H

#include "core/allocation.h"
#include "core/pool.h"
#include "score_function.h"

#define CONVE_FILTERS	32
#define CONVE_SIDE		3		/* numbers of a filter's side */
#define CONVE_PATCH		(CONVE_SIDE * CONVE_SIDE)
#define CONVE_EPSILON	1e-5	/* added to variances */

typedef struct ConveShape
{
	int			d;
	int			width;			/* of the image, which has 2 d cells */
	int			across;			/* places of a filter in a row of the image */
	int			places;			/* in all of it */
	int			features;		/* what all filters find at all places */
} ConveShape;

extern ConveShape conve_shape(int d);

/* The cell that is number k of the patch at a place. */
static inline int
conve_cell(ConveShape shape, int place, int k)
{
	return (place / shape.across + k / CONVE_SIDE) * shape.width + place % shape.across + k % CONVE_SIDE;
}

/* Of a stage, an array each: a number is normalised to scale * (x - mean) / sqrt(variance + epsilon) + shift. */
typedef struct ConveNorm
{
	float	   *scale;
	float	   *shift;
	float	   *mean;
	float	   *variance;
} ConveNorm;

typedef struct ConveWeights
{
	float	   *matrix;			/* features x d; feature: place * FILTERS + filter */
	float	   *filter;			/* PATCH x FILTERS */
	ConveNorm	input;			/* one for all cells */
	ConveNorm	map;			/* one for each filter */
	ConveNorm	hidden;			/* one for each of the d numbers */
} ConveWeights;

/* Where they are in the rows that begin there: weights, or their gradients. */
extern ConveWeights conve_weights(ConveShape shape, float *rows);

/* The first of these rows */
static inline float *
conve_rows(const KgeModel *model)
{
	return model->relation + (size_t) (kge_relation_rows(model) - model->function->shared_rows(model->dimensions)) *
		(size_t) model->dimensions;
}

/* Floating-point operations of a query, and of its gradients. */
extern double conve_flops(int d);

/* Of these, how many a core does in a second */
#define CONVE_RATE	5e10

/* ---- conve_batch.c: a minibatch of queries in training --------------------- */

typedef struct ConveBatch ConveBatch;

/* Takes what `most` queries need at a time. */
extern ConveBatch *conve_batch_take(int d, int most, int threads, Allocation *allocation);

/* How a minibatch is learnt. */
typedef struct ConveStep
{
	double		dropout[3];		/* chances that cells, filters and hidden numbers are left out */
	uint64_t	stream;			/* of what is */
	bool		keeps_means;	/* of all minibatches, for predictions */
} ConveStep;

/* Makes the queries, normalised by the minibatch's own means and variances. */
extern void conve_batch_forward(ConveBatch *batch, Pool *pool, KgeModel *model, const KgeQuery *asked, int count,
								ConveStep step, float *vector, int stride);

/* Where the gradients of each query's rows go, and that of the weights, which are all set. */
typedef struct ConveGradients
{
	float	   *given;
	int			given_stride;
	float	   *relation;
	int			relation_stride;
	float	   *rows;
} ConveGradients;

/* The way back from the gradients of the queries of the last conve_batch_forward. */
extern void conve_batch_backward(ConveBatch *batch, Pool *pool, const float *d_vector, int stride,
								 ConveGradients gradients);

#endif							/* HKG_KGE_CONVE_H */
