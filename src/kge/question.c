/*
 * question.c
 *		The distinct questions of a list of triples, with their answers in the filter.
 *
 * Questions are found through a hash table.  Only triples of the filter that answer one
 * of them are kept: the threads count the answers of each question, the counts
 * become places in one array, the threads fill it, and sort each question's
 * part.  The order in which it is filled depends on the threads; the sorted
 * result does not.
 */
#include "question.h"
#include "core/pool.h"
#include "core/random.h"
#include "core/search.h"
#include "core/sort.h"

#define AT_ONCE 4096			/* triples of an item */

typedef struct Filling
{
	KgeQuestions *questions;
	Pool    *pool;
	const Triple *triples;
	int64_t		count;
} Filling;

void
kge_questions_take(KgeQuestions *questions, Allocation *allocation, int64_t triples, int64_t filter)
{
	size_t		asked = 2 * (size_t) triples;
	size_t		slots = 16;

	while (slots < 2 * asked)
		slots *= 2;
	questions->triples = triples;
	questions->mask = slots - 1;
	questions->question = TAKE(allocation, KgeQuestion, asked);
	questions->next_asked = TAKE(allocation, int64_t, asked);
	questions->filter = TAKE(allocation, int32_t, 2 * (size_t) filter);
	questions->slot = TAKE(allocation, int64_t, slots);
}

/* The slot of the question (side, relation, given), or the free one for it. */
static int64_t *
find_slot(const KgeQuestions *questions, Side side, int32_t relation, int32_t given)
{
	uint64_t	place = random_stream((uint64_t) side, (uint64_t) relation, (uint64_t) given, 0);

	for (;; place++)
	{
		int64_t    *slot = &questions->slot[place & questions->mask];
		const KgeQuestion *question = &questions->question[*slot < 0 ? 0 : *slot];

		if (*slot < 0 || (question->side == side && question->relation == relation &&
						  question->given == given))
			return slot;
	}
}

static void
ask(KgeQuestions *questions, Side side, int32_t relation, int32_t given, int64_t asked)
{
	int64_t    *slot = find_slot(questions, side, relation, given);

	if (*slot < 0)
	{
		*slot = questions->count++;
		questions->question[*slot] = (KgeQuestion) {side, relation, given, -1, 0, 0};
	}
	questions->next_asked[asked] = questions->question[*slot].asked;
	questions->question[*slot].asked = asked;
}

/* The only item: enters the questions of all triples. */
static void
enter_questions(void *argument, int64_t item, int thread)
{
	Filling	   *work = argument;
	KgeQuestions *questions = work->questions;

	(void) item;
	questions->count = 0;
	for (uint64_t i = 0; i <= questions->mask; i++)
		questions->slot[i] = -1;
	for (int64_t i = 0; i < work->count; i++)
	{
		const Triple *triple = &work->triples[i];

		ask(questions, SIDE_HEAD, triple->relation, triple->tail, 2 * i + SIDE_HEAD);
		ask(questions, SIDE_TAIL, triple->relation, triple->head, 2 * i + SIDE_TAIL);
		pool_yield_at(work->pool, thread, i);
	}
}

/* Counts the answer of a triple of the filter, or puts it in its place. */
static void
add_filter(KgeQuestions *questions, Side side, int32_t relation, int32_t given,
		  int32_t answer, bool fill)
{
	int64_t		number = *find_slot(questions, side, relation, given);
	KgeQuestion *question;
	int64_t		place;

	if (number < 0)
		return;
	question = &questions->question[number];
	place = __atomic_fetch_add(&question->filter_count, 1, __ATOMIC_RELAXED);
	if (fill)
		questions->filter[question->filter + place] = answer;
}

static void
add_filter_item(Filling *work, int64_t item, bool fill)
{
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < work->count; i++)
	{
		const Triple *triple = &work->triples[i];

		add_filter(work->questions, SIDE_HEAD, triple->relation, triple->tail, triple->head, fill);
		add_filter(work->questions, SIDE_TAIL, triple->relation, triple->head, triple->tail, fill);
	}
}

static void
count_filter(void *argument, int64_t item, int thread)
{
	(void) thread;
	add_filter_item(argument, item, false);
}

static void
fill_filter(void *argument, int64_t item, int thread)
{
	(void) thread;
	add_filter_item(argument, item, true);
}

static int
compare_entities(const void *a, const void *b)
{
	int32_t		left = *(const int32_t *) a;
	int32_t		right = *(const int32_t *) b;

	return (left > right) - (left < right);
}

/* Item: sorts a question's answers in the filter. */
static void
sort_filter(void *argument, int64_t item, int thread)
{
	Filling	   *work = argument;
	KgeQuestion *question = &work->questions->question[item];

	sort_array(work->pool, thread, work->questions->filter + question->filter, question->filter_count,
			 sizeof(int32_t), compare_entities);
}

void
kge_questions_fill(KgeQuestions *questions, Pool *pool, const Triple *triples,
				   const Triple *filter, int64_t filter_count)
{
	Filling		work = {questions, pool, triples, questions->triples};
	int64_t		items = (filter_count + AT_ONCE - 1) / AT_ONCE;
	int64_t		total = 0;

	pool_run(pool, 1, enter_questions, &work);
	work.triples = filter;
	work.count = filter_count;
	pool_run(pool, items, count_filter, &work);
	for (int64_t i = 0; i < questions->count; i++)
	{
		questions->question[i].filter = total;
		total += questions->question[i].filter_count;
		questions->question[i].filter_count = 0;
	}
	pool_run(pool, items, fill_filter, &work);
	pool_run(pool, questions->count, sort_filter, &work);
}

int64_t
kge_filter_from(const KgeQuestions *questions, const KgeQuestion *question, int32_t entity)
{
	return lower_bound_int32(questions->filter, question->filter, question->filter + question->filter_count, entity);
}

bool
kge_in_filter(const KgeQuestions *questions, const KgeQuestion *question, int32_t entity)
{
	int64_t		place = kge_filter_from(questions, question, entity);

	return place < question->filter + question->filter_count &&
		questions->filter[place] == entity;
}
