/*
 * drawn_questions.h
 *		A sample of the questions that users ask, with their best answers.
 */
#ifndef HKG_REPORT_DRAWN_QUESTIONS_H
#define HKG_REPORT_DRAWN_QUESTIONS_H

#include "section.h"

/*
 * Draws every n-th question of all relations and sides: `wanted` of those about entities with known answers, and as many
 * of those about entities without that are like them.  For each relation and side runs `query` with the parameters
 *		$1 (int) the relation's id, $2 (int[]) ids of the given entities, $3 (text) the model
 * and passes its rows on.  In it, "answers" are the ten best answers of these questions, as rows (head, tail, score,
 * probability).  Returns how many questions were asked.
 */
extern int64 ask_drawn_questions(Report *report, const char *model, int64 wanted, const char *query, SqlRow row,
								 void *argument);

#endif							/* HKG_REPORT_DRAWN_QUESTIONS_H */
