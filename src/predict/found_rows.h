/*
 * found_rows.h
 *		The best rows of a model, entities or relations, and the result of a function that they become.
 */
#ifndef HKG_PREDICT_FOUND_ROWS_H
#define HKG_PREDICT_FOUND_ROWS_H

#include "server/compat.h"

#include "model/predictor.h"
#include "server/sql.h"

typedef struct ScoredRow
{
	ScoreParts	parts;
	double		score;
	double		probability;	/* of relations only */
	int32		row;
} ScoredRow;

/* Best first; ties go to the lower row. */
extern int	scored_row_compare(const void *a, const void *b);

extern EvJudged scored_row_judged(const ScoredRow *scored, EvQuestionScores question);

/* Best first */
typedef struct FoundRows
{
	int64		count;
	int64		room;
	int32	   *row;
	double	   *score;
	double	   *probability;
	Arena		arena;			/* for the search */
} FoundRows;

/* Room for the best `room`; `more` bytes for each of them are taken later, by the search from `arena` */
extern FoundRows found_rows_open(Arena arena, int64 room, Size more, const char *what);

/* Takes the best of these, as far as there is room; they come first among the scored ones.  Probabilities are left. */
extern void found_rows_take(FoundRows *found, ScoredRow *scored, int64 count,
							int (*compare) (const void *, const void *));

/* Adds them, entities or relations, to the result: name, score, probability, or the first two of these. */
extern void found_rows_return(const FoundRows *found, const Graph *graph, const Predictor *predictor, bool entities,
							  SqlResult *result);

#endif							/* HKG_PREDICT_FOUND_ROWS_H */
