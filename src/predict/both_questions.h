/*
 * both_questions.h
 *		How probable a triple is by both questions that it answers: (head, relation, ?) and (?, relation, tail).
 */
#ifndef HKG_PREDICT_BOTH_QUESTIONS_H
#define HKG_PREDICT_BOTH_QUESTIONS_H

#include "server/compat.h"

#include "model/predictor.h"

typedef struct BothQuestions BothQuestions;

/* In the arena, of the current context.  listed: only what has evidence is an answer. */
extern BothQuestions *both_questions_open(Arena *arena, const Predictor *predictor, const FactIndex *facts,
										  Scoring *scoring, const KgeSketch *sketch, Pool *pool, bool listed);

/* From now on questions are of this relation. */
extern void both_questions_begin(BothQuestions *both, int32 relation);

/* Takes what the answers of the question about an entity have in common, where the caller has found it. */
extern void both_questions_note(BothQuestions *both, Side side, int32 given, EvQuestionScores scores);

/* Finds it for those questions of a side that it is not there for yet. */
extern void both_questions_look(BothQuestions *both, Side side, const int32 *given, int64 count);

/* What was found */
extern EvQuestionScores both_questions_scores(const BothQuestions *both, Side side, int32 given);

/*
 * Marks the `most` best answers on `side`, by score, to each question about these entities; known ones are left out.
 * Beside embedding and rules a path network is not asked.
 */
extern void both_questions_mark_best(BothQuestions *both, Side side, const int32 *given, int64 count, int64 most,
									 bool *marked);

/*
 * Replaces the probabilities of answers of one side, which are those by their own questions, by what counts: the mean
 * by both, as log odds, where that is lower.
 */
extern void both_questions_settle(BothQuestions *both, KgeScored *answer, int64 count);

/* How many questions were looked at, and answers settled; for whoever measures. */
extern void both_questions_count(const BothQuestions *both, int64 *looked, int64 *settled);

#endif							/* HKG_PREDICT_BOTH_QUESTIONS_H */
