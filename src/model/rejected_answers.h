/*
 * rejected_answers.h
 *		The triples of table rejected, as answers that no question has.
 *
 * One that is a fact all the same is none of them: the fact counts.
 */
#ifndef HKG_MODEL_REJECTED_ANSWERS_H
#define HKG_MODEL_REJECTED_ANSWERS_H

#include "server/compat.h"

#include "added_entities.h"

/* In rows of the model: by the side of the answer, as (given, relation, answer), ordered by triple_compare */
typedef struct RejectedAnswers
{
	Triple	   *triple[2];
	int64		count;
} RejectedAnswers;

/*
 * In the current context, as the active snapshot shows them; those that the model has no rows for are left out.  NULL where
 * the caller may not read them, or no facts: scores alone need neither.
 */
extern RejectedAnswers *rejected_answers_read(const Graph *graph, const AddedEntities *added);

/* How many of them answer a question. */
extern int64 rejected_answers_count(const RejectedAnswers *rejected, Side side, int32 given, int32 relation);

/* Merges them into `count` ascending rows, none of which is one of them, in an array that has room; returns how many there are. */
extern int64 rejected_answers_merge(const RejectedAnswers *rejected, Side side, int32 given, int32 relation,
									int32 *row, int64 count);

#endif							/* HKG_MODEL_REJECTED_ANSWERS_H */
