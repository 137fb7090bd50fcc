/*
 * similar.h
 *		The value of a row by those of rows that are like it, with a likeness that is learnt.
 *
 * A row has tokens (a value in a column, a word, an entity that it is linked with), each of a kind, and numbers.  Each
 * token that two rows have, and each number in which they are near, makes them more alike.  A row without a value takes
 * that of row c with a probability proportional to exp(likeness with c).  So a value has the sum over its rows, and by its
 * frequency a part of a background, which stands for all rows that have nothing in common with this one.  What a kind of
 * tokens and a number count is learnt from the rows with a value, each of which is asked for as if it had none:
 * neighbourhood components analysis (Goldberger, Roweis, Hinton, Salakhutdinov: Neighbourhood Components Analysis, NIPS
 * 2004) with likenesses in the place of a projection.
 *
 * As each row was left out of its own answer, the probabilities of known rows and of others are comparable.
 */
#ifndef HKG_SIMILAR_SIMILAR_H
#define HKG_SIMILAR_SIMILAR_H

#include "core/core.h"
#include "core/pool.h"

typedef struct SimilarRows
{
	int32_t		rows;
	int32_t		kinds;			/* of tokens */
	int32_t		tokens;
	int32_t		numbers;		/* of a row */
	int32_t		values;
	const int64_t *first;		/* of each row, and the end: its tokens, each once, by kind, then ascending */
	const int32_t *token;
	const float *part;			/* of each: its share of the row's tokens of its kind; squares add up to 1 */
	const int32_t *kind;		/* of each token */
	const float *rank;			/* number j of row i is at j * rows + i: 0 the least, 1 the greatest; NAN: unknown */
	const int32_t *value;		/* of each row; -1: it has none */
	const double *amount;		/* of each row, where values are ranges of amounts; NULL: they have no order */
	const float *amount_rank;	/* the same as a rank, 0 to 1 */
} SimilarRows;

typedef struct Similar Similar;

/*
 * Learns from the rows with a value; the arrays of `rows` are used for as long as the result.  The same seed gives the
 * same bits.  NULL if the arena has no memory.
 */
extern Similar *similar_learn(const SimilarRows *rows, Pool *pool, Arena *arena, uint64_t seed);

#define SIMILAR_VALUES 10		/* that an answer lists */
#define SIMILAR_NEAREST 3		/* rows that it is given a reason by */

typedef struct SimilarAnswer
{
	int			count;			/* of values */
	int32_t		value[SIMILAR_VALUES];	/* most probable first */
	double		probability[SIMILAR_VALUES];	/* n / (n + 1) at most, of n rows that were learnt from */
	double		own;			/* probability of the value that the row has, from all other rows; NAN: it has none */
	double		expected;		/* mean of finite amounts; NAN: there are none */
	int			nearest_count;
	int32_t		nearest[SIMILAR_NEAREST];	/* rows with the best value that count most */
	int			alike_count;
	int32_t		alike[SIMILAR_NEAREST]; /* why the first of them: kinds of tokens, then kinds + j for number j */
} SimilarAnswer;

/*
 * The answer for each of those rows, which may have a value or not.  A row that has nothing in common with another one
 * gets the values by their frequency.
 */
extern void similar_answers(Similar *similar, Pool *pool, const int32_t *row, int64_t count, SimilarAnswer *answer);

#define SIMILAR_BINS 20

/* How often best values are right, by their probability: ascending in both */
typedef struct SimilarCalibration
{
	int			bins;			/* 0: of too few rows; probabilities stay as they are */
	double		stated[SIMILAR_BINS];
	double		right[SIMILAR_BINS];
} SimilarCalibration;

/* Learns it from the answers for rows that have these values; false if the arena has no memory.  (calibrate.c) */
extern bool similar_calibrate(Arena *arena, const int32_t *value, const SimilarAnswer *answer, int64_t count,
							  SimilarCalibration *calibration);

/* Applies it to an answer; candidates: how many rows were learnt from; values: of these, the best of which has no less than
 * an even part of 1. */
extern void similar_apply(const SimilarCalibration *calibration, int64_t candidates, int32_t values,
						  SimilarAnswer *answer);

/*
 * The loss -log(FLOOR + probability of its value) of a row with a value, and its gradient in the weights; for tests.
 * weight: SIMILAR_FORMS for each kind (flat, by how rare a token is, by how much surer it makes of a value) and for each
 * number, and the background's
 */
#define SIMILAR_FORMS 3
extern int	similar_weights(const Similar *similar, double **weight);
extern double similar_loss(Similar *similar, Pool *pool, int32_t row, double *gradient);

#endif							/* HKG_SIMILAR_SIMILAR_H */
