/*
 * question.h
 *		The distinct questions behind a list of triples, and what is known of them.
 *
 * Triple i asks two questions: (?, relation, tail) and (head, relation, ?).
 * Several triples may ask the same one, and it is then scored once.
 */
#ifndef HKG_KGE_QUESTION_H
#define HKG_KGE_QUESTION_H

#include "kge.h"
#include "core/allocation.h"

typedef struct KgeQuestion
{
	Side		side;			/* asked for */
	int32_t		relation;
	int32_t		given;
	int64_t		asked;			/* first of the triples that ask it: 2 i + side */
	int64_t		known;			/* start of its known answers */
	int64_t		known_count;
} KgeQuestion;

typedef struct KgeQuestions
{
	int64_t		triples;
	int64_t		count;			/* distinct questions */
	KgeQuestion *question;
	int64_t    *next_asked;		/* by 2 i + side; -1 at the end */
	int32_t    *known;			/* known answers, ascending in each question,
								 * perhaps more than once */

	/* hash table: question numbers, -1 where free */
	int64_t    *slot;
	uint64_t	mask;
} KgeQuestions;

extern void kge_questions_take(KgeQuestions *questions, Allocation *allocation,
							   int64_t triples, int64_t known);
extern void kge_questions_fill(KgeQuestions *questions, Pool *pool,
							   const Triple *triples,
							   const Triple *known, int64_t known_count);

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

/* Whether an entity is a known answer. */
extern bool kge_is_known(const KgeQuestions *questions, const KgeQuestion *question,
						 int32_t entity);

/* Place of the first known answer >= entity. */
extern int64_t kge_known_from(const KgeQuestions *questions, const KgeQuestion *question,
							  int32_t entity);

#endif							/* HKG_KGE_QUESTION_H */
