/*
 * question.h
 *		The distinct questions that triples pose, and the answers that are filtered out.
 *
 * Triple i is two examples, each a question with its true answer: number 2 i + SIDE_HEAD is
 * (?, relation, tail) and its head, number 2 i + SIDE_TAIL is (head, relation, ?) and its tail.  Several
 * examples may share a question, which is then scored once.
 */
#ifndef HKG_CORE_QUESTION_H
#define HKG_CORE_QUESTION_H

#include "allocation.h"
#include "core.h"
#include "pool.h"

typedef struct Question
{
	Side		side;			/* that the answers take */
	int32_t		relation;
	int32_t		given;			/* the entity on the other side */
	int64_t		first_example;
	int64_t		filter;			/* start of its answers in Questions.filter */
	int64_t		filter_count;
} Question;

typedef struct Questions
{
	int64_t		triples;
	int64_t		count;			/* distinct questions */
	Question   *question;
	int64_t    *next_example;	/* by example: the next one of its question; -1 at the end */
	int32_t    *filter;			/* answers that form a triple of the filter, ascending in each question,
								 * perhaps more than once */

	/* hash table: numbers of questions, -1 where free */
	int64_t    *slot;
	uint64_t	mask;
} Questions;

/* Takes room for the questions of `triples` and for the answers of `filter` triples. */
extern void questions_take(Questions *questions, Allocation *allocation, int64_t triples, int64_t filter);
extern void questions_fill(Questions *questions, Pool *pool, const Triple *triples,
						   const Triple *filter, int64_t filter_count);

/* The triple that a candidate makes of a question. */
static inline Triple
question_triple(const Question *question, int32_t candidate)
{
	return triple_of_answer(question->side, question->given, question->relation, candidate);
}

/* The true answer of an example. */
static inline int32_t
example_answer(const Triple *triples, int64_t example)
{
	return triple_answer(&triples[example / 2], (Side) (example % 2));
}

/* Whether the filter has an entity as an answer. */
extern bool question_filters(const Questions *questions, const Question *question, int32_t entity);

/* The place in Questions.filter of the question's first answer >= entity. */
extern int64_t question_filter_from(const Questions *questions, const Question *question, int32_t entity);

#endif							/* HKG_CORE_QUESTION_H */
