/*
 * missing_questions.h
 *		The questions of hkg_complete: about which entities, and what they have for known answers.
 */
#ifndef HKG_PREDICT_MISSING_QUESTIONS_H
#define HKG_PREDICT_MISSING_QUESTIONS_H

#include "server/compat.h"

#include "entity_set.h"
#include "graph/node_slices.h"
#include "model/predictor.h"

#define LIKELY	64				/* frequent answers of a relation that are scored first */

/* Which entities the triples of a list may have on a side, by Side: heads, then tails */
typedef struct ShownEntities
{
	EntitySet	side[2];
} ShownEntities;

typedef struct MissingQuestions
{
	const Predictor *predictor;
	const ShownEntities *shown;
	NodeSlice	slice;			/* the part of each list of questions that is asked; of 0: all */
	const FactIndex *facts;
	EvDomainFinder *finder;
	int32		first;			/* relations first .. end - 1 */
	int32		end;
	int64		count[2];		/* of all questions, by the side of their answers */
	int64	   *count_of;		/* of each relation and side: [2 * (relation - first) + side] */
	int64		most;			/* of one relation and side */
	int64		most_known;		/* answers of those */
	Question *question;	/* of one relation and side */
	int32	   *known;
	Question *chosen; /* the same in rows of candidates, where only some entities are shown */
	int32	   *chosen_known;
	int32	   *likely;			/* room for LIKELY */
} MissingQuestions;

/* relation: a row; negative for all.  In the current context. */
extern MissingQuestions missing_questions_open(Graph *graph, const Predictor *predictor, int32 relation,
											   const ShownEntities *shown);

/* Those of a relation for one side; they last until the next ones. */
extern QuestionList missing_questions_of(const MissingQuestions *questions, int32 relation, Side side);

/* The same in rows of candidates. */
extern QuestionList missing_questions_among(const MissingQuestions *questions, const QuestionList *asked,
											 const KgeChosen *chosen);

#endif							/* HKG_PREDICT_MISSING_QUESTIONS_H */
