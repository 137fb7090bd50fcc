/*
 * question.h
 *		The distinct questions of a list of triples, with their answers in the filter.
 *
 * Triple i asks two questions: (?, relation, tail) and (head, relation, ?).
 * Several triples may ask the same one, and it is then scored once.
 */
#ifndef HKG_KGE_QUESTION_H
#define HKG_KGE_QUESTION_H

#include "core/allocation.h"
#include "kge.h"

typedef struct KgeQuestion
{
	Side		side;			/* asked for */
	int32_t		relation;
	int32_t		given;
	int64_t		asked;			/* first of the triples that ask it: 2 i + side */
	int64_t		filter;			/* start of its answers in the filter */
	int64_t		filter_count;
} KgeQuestion;

typedef struct KgeQuestions
{
	int64_t		triples;
	int64_t		count;			/* distinct questions */
	KgeQuestion *question;
	int64_t    *next_asked;		/* by 2 i + side; -1 at the end */
	int32_t    *filter;			/* answers in the filter, ascending in each question,
								 * perhaps more than once */

	/* hash table: question numbers, -1 where free */
	int64_t    *slot;
	uint64_t	mask;
} KgeQuestions;

extern void kge_questions_take(KgeQuestions *questions, Allocation *allocation,
							   int64_t triples, int64_t filter);
extern void kge_questions_fill(KgeQuestions *questions, Pool *pool,
							   const Triple *triples,
							   const Triple *filter, int64_t filter_count);

/* The triple that a candidate makes of a question. */
static inline Triple
kge_candidate_triple(const KgeQuestion *question, int32_t candidate)
{
	if (question->side == SIDE_HEAD)
		return (Triple) {candidate, question->relation, question->given};
	return (Triple) {question->given, question->relation, candidate};
}

/* The true answer of one asked, 2 i + side. */
static inline int32_t
kge_answer_of(const Triple *triples, int64_t asked)
{
	const Triple *triple = &triples[asked / 2];

	return asked % 2 == SIDE_HEAD ? triple->head : triple->tail;
}

/* Whether the filter holds an entity as answer. */
extern bool kge_in_filter(const KgeQuestions *questions, const KgeQuestion *question,
						 int32_t entity);

/* Place of the first answer in the filter that is >= entity. */
extern int64_t kge_filter_from(const KgeQuestions *questions, const KgeQuestion *question,
							  int32_t entity);

#endif							/* HKG_KGE_QUESTION_H */
