/*
 * examples.h
 *		Questions with their true answers, as lists of candidates to learn weights and calibration from.
 *
 * The true answer is listed first, then the candidates of the highest scores, those of the most evidence of rules, and
 * those that the path network scores highest, each with all three.  weights.c and calibration.c read nothing else.
 *
 * Weights are learnt from the questions that a held-out triple answers.  Most questions that a user asks have no such
 * answer: calibration needs them as well, so some are drawn, and stand for all of their kind.
 */
#ifndef HKG_EVIDENCE_EXAMPLES_H
#define HKG_EVIDENCE_EXAMPLES_H

#include "core/allocation.h"
#include "evidence.h"

#define EV_DISCOUNTS 5

extern const double ev_discounts[EV_DISCOUNTS];

typedef struct EvListed
{
	float		phi;
	float		network;		/* EvCandidate's */
	float		evidence[EV_DISCOUNTS]; /* of rules, with each of the discounts */
	bool		is_false;		/* rejected: what is no answer elsewhere may be missing */
} EvListed;

typedef struct EvExample
{
	int32_t		key;			/* 2 * relation + side */
	int32_t		count;
	EvListed   *listed;			/* the true answer first, unless the question was drawn */
	bool		drawn;			/* the question has no held-out answer */
	bool		is_first;		/* of those of its question */
	int64_t		next;			/* number of the next example of its question; -1: none */
	double		questions;		/* that its question stands for; 0 but for the question's first example */
	int64_t		known;			/* answers of the question among the facts */
} EvExample;

/* Examples by key, without those that have no candidates */
typedef struct EvExampleOrder
{
	int64_t    *number;			/* of an example */
	int64_t    *first;			/* by key: its first in number; and the end */
} EvExampleOrder;

typedef struct EvExamples
{
	int32_t		keys;
	EvExample  *example;		/* by 2 * triple + side; those of drawn questions last */
	EvExampleOrder answered;
	EvExampleOrder all;
	bool		has_network;		/* a path network has scored them */
} EvExamples;

/* What each thread scores and answers questions with, in all steps of learning */
typedef struct EvLearners
{
	KgeScorer **scorer;
	EvAnswering **answering;
} EvLearners;

/* Bytes that ev_examples will take from its arena: facts' counts and the model's sizes are enough. */
extern size_t ev_examples_bytes(const EvExampleSource *source, int threads);

/* The examples of the triples, or of an even part of many; false when the arena is empty. */
extern bool ev_examples(Arena *arena, Pool *pool, const EvExampleSource *source, const EvLearners *learners,
						EvExamples *examples);

/* How many answered ones ev_examples makes at most, and how many in all. */
extern int64_t ev_examples_answered(const EvExampleSource *source);
extern int64_t ev_examples_all(const EvExampleSource *source);

/* The i-th answered one, and how many there are */
static inline const EvExample *
ev_example(const EvExamples *examples, int64_t i)
{
	return &examples->example[examples->answered.number[i]];
}

static inline int64_t
ev_examples_count(const EvExamples *examples)
{
	return examples->answered.first[examples->keys];
}

/*
 * Fits weights and their discount; `discount`: the place in ev_discounts of the one that each kind of prediction uses.
 */
extern size_t weights_bytes(int64_t examples, int32_t keys);
extern bool weights_fit(Arena *arena, Pool *pool, const EvExamples *examples, EvLearnt *learnt, int *discount);

/* Fits the calibration of each kind of prediction, with the weights that were fitted. */
extern size_t calibration_bytes(int64_t examples, int32_t keys);
extern bool calibration_fit(Arena *arena, Pool *pool, const EvExamples *examples, const int *discount,
							const EvExampleSource *source, EvLearnt *learnt);

/* ---- question_sample.c: questions drawn from those that users ask ------------------ */

/*
 * Triples that are no facts: their heads and their tails are drawn, each for questions of its own.  Half of them
 * have facts of the relation, half are like those that have.
 */
typedef struct QuestionSample
{
	Triple	   *triple;
	int64_t		count;
	int64_t    *holders;		/* by key: entities that questions are about, see EvDomain */
	int64_t    *alike;
	bool	   *asked;			/* by example of the held-out triples: whether its question is one that users ask */
	int64_t    *number;			/* of held-out triples, by relation */
	int64_t    *first;			/* by relation: its first in number; and the end */
	int64_t		more;			/* triples of a relation, than it has held-out ones */
} QuestionSample;

/* Takes room for a sample that has its `more`, for questions of `triples` held-out triples. */
extern void question_sample_take(QuestionSample *sample, Allocation *allocation, int64_t triples, int32_t relations);

/* Draws it; as many questions for each relation as it has held-out triples, and `more`. */
extern void question_sample_draw(QuestionSample *sample, EvDomainFinder *finder, Pool *pool,
								 const Triple *triples, int64_t count, int32_t relations);

/* How many triples that are, at most. */
extern int64_t question_sample_most(int64_t triples, int32_t relations, int64_t more);

#endif							/* HKG_EVIDENCE_EXAMPLES_H */
