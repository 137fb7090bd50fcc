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
#include "search.h"

typedef struct Questions
{
	int64_t		triples;
	int64_t		count;			/* distinct questions */
	Question   *question;		/* excluded are the answers that form a triple of the filter */
	int64_t    *first_example;	/* by question */
	int64_t    *next_example;	/* by example: the next one of its question; -1 at the end */
	int32_t    *filter;			/* what is excluded, of all questions */

	/* hash table: numbers of questions, -1 where free */
	int64_t    *slot;
	uint64_t	mask;
} Questions;

/* Takes room for the questions of `triples` and for the answers of `filter` triples. */
extern void questions_take(Questions *questions, Allocation *allocation, int64_t triples, int64_t filter);
extern void questions_fill(Questions *questions, Pool *pool, const Triple *triples,
						   const Triple *filter, int64_t filter_count);

/* The first example of one of the questions */
static inline int64_t
first_example(const Questions *questions, const Question *question)
{
	return questions->first_example[question - questions->question];
}

/* The true answer of an example. */
static inline int32_t
example_answer(const Triple *triples, int64_t example)
{
	return triple_answer(&triples[example / 2], (Side) (example % 2));
}

static inline bool
question_excludes(const Question *question, int32_t entity)
{
	return has_int32(question->excluded, 0, question->excluded_count, entity);
}

#endif							/* HKG_CORE_QUESTION_H */
