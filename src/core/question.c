/*
 * question.c
 *		The distinct questions that triples pose, and the answers that are filtered out.
 *
 * Questions are found through a hash table.  Of the filter, only triples that answer one of them are
 * kept: the threads count the answers of each question, the counts become places in one array, the
 * threads fill it, and sort the part of each question.  The order in which it is filled depends on the
 * threads; the sorted result does not.
 */
#include "question.h"

#include "random.h"
#include "sort.h"

#define AT_ONCE 4096			/* triples of an item */

typedef struct QuestionBuild
{
	Questions  *questions;
	Pool	   *pool;
	const Triple *triples;		/* that pose questions; then those of the filter */
	int64_t		count;
	bool		fill;			/* the filter's answers are put in their places, no longer counted */
} QuestionBuild;

void
questions_take(Questions *questions, Allocation *allocation, int64_t triples, int64_t filter)
{
	size_t		examples = 2 * (size_t) triples;
	size_t		slots = 16;

	while (slots < 2 * examples)
		slots *= 2;
	questions->triples = triples;
	questions->mask = slots - 1;
	questions->question = TAKE(allocation, Question, examples);
	questions->first_example = TAKE(allocation, int64_t, examples);
	questions->next_example = TAKE(allocation, int64_t, examples);
	questions->filter = TAKE(allocation, int32_t, 2 * (size_t) filter);
	questions->slot = TAKE(allocation, int64_t, slots);
}

/* The slot of the question (side, relation, given), or the free one for it. */
static int64_t *
find_slot(const Questions *questions, Side side, int32_t relation, int32_t given)
{
	uint64_t	place = random_stream((uint64_t) side, (uint64_t) relation, (uint64_t) given, 0);

	for (;; place++)
	{
		int64_t    *slot = &questions->slot[place & questions->mask];
		const Question *question = &questions->question[*slot < 0 ? 0 : *slot];

		if (*slot < 0 || (question->side == side && question->relation == relation &&
						  question->given == given))
			return slot;
	}
}

static void
add_example(Questions *questions, Side side, int32_t relation, int32_t given, int64_t example)
{
	int64_t    *slot = find_slot(questions, side, relation, given);

	if (*slot < 0)
	{
		*slot = questions->count++;
		questions->question[*slot] = question_of(side, given, relation);
		questions->first_example[*slot] = -1;
	}
	questions->next_example[example] = questions->first_example[*slot];
	questions->first_example[*slot] = example;
}

/* The only item: adds the examples of all triples. */
static void
add_examples(void *argument, int64_t item, int thread)
{
	QuestionBuild *build = argument;
	Questions  *questions = build->questions;

	questions->count = 0;
	for (uint64_t i = 0; i <= questions->mask; i++)
		questions->slot[i] = -1;
	for (int64_t i = 0; i < build->count; i++)
	{
		const Triple *triple = &build->triples[i];

		add_example(questions, SIDE_HEAD, triple->relation, triple->tail, 2 * i + SIDE_HEAD);
		add_example(questions, SIDE_TAIL, triple->relation, triple->head, 2 * i + SIDE_TAIL);
		pool_yield_at(build->pool, thread, i);
	}
}

/* Counts an answer of the filter, or puts it in its place. */
static void
filter_answer(Questions *questions, Side side, int32_t relation, int32_t given,
			  int32_t answer, bool fill)
{
	int64_t		number = *find_slot(questions, side, relation, given);
	Question   *question;
	int64_t		place;

	if (number < 0)
		return;
	question = &questions->question[number];
	place = __atomic_fetch_add(&question->excluded_count, 1, __ATOMIC_RELAXED);
	if (fill)
		questions->filter[question->excluded - questions->filter + place] = answer;
}

/* Item: some triples of the filter. */
static void
filter_triples(void *argument, int64_t item, int thread)
{
	QuestionBuild *build = argument;
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < build->count; i++)
	{
		const Triple *triple = &build->triples[i];

		filter_answer(build->questions, SIDE_HEAD, triple->relation, triple->tail, triple->head, build->fill);
		filter_answer(build->questions, SIDE_TAIL, triple->relation, triple->head, triple->tail, build->fill);
	}
}

/* Item: sorts the filtered answers of a question. */
static void
sort_filter(void *argument, int64_t item, int thread)
{
	QuestionBuild *build = argument;
	Questions  *questions = build->questions;
	const Question *question = &questions->question[item];

	sort_array(build->pool, thread, questions->filter + (question->excluded - questions->filter),
			   question->excluded_count, sizeof(int32_t), compare_int32);
}

void
questions_fill(Questions *questions, Pool *pool, const Triple *triples,
			   const Triple *filter, int64_t filter_count)
{
	QuestionBuild build = {questions, pool, triples, questions->triples, false};
	int64_t		items = pool_pieces(filter_count, AT_ONCE);
	int64_t		total = 0;

	pool_run(pool, 1, add_examples, &build);
	build.triples = filter;
	build.count = filter_count;
	pool_run(pool, items, filter_triples, &build);
	for (int64_t i = 0; i < questions->count; i++)
	{
		questions->question[i].excluded = questions->filter + total;
		total += questions->question[i].excluded_count;
		questions->question[i].excluded_count = 0;
	}
	build.fill = true;
	pool_run(pool, items, filter_triples, &build);
	pool_run(pool, questions->count, sort_filter, &build);
}
