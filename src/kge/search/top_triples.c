/*
 * top_triples.c
 *		The most probable triples that are not facts.
 *
 * The caller's questions come in lists, each of one relation and side; all entities are candidates.  The best answers
 * of each question are found (top_many.c), a part of the questions at a time.  How probable an answer is, the caller
 * judges by the best answers of its question; kept_triples.c keeps the most probable triples.  So memory is bounded by
 * k and by the number of questions.
 *
 * Once there are enough triples, or where improbable ones are not wanted, most questions have no answer that would be
 * kept: those are found first (screen.c), and not asked.  The first parts are small, so that there are enough soon.
 * Where chance alone has answers, all of them are much alike, and few are excluded.  So unless an exact outcome is wanted,
 * a list that is full of improbable ones takes no more of these: what is asked then is bounded by k.
 *
 * A triple may count less than by its question alone.  What is probable enough by its question is settled by the
 * caller, many answers at a time, before it is offered.
 *
 * All triples may answer one question, but few questions have more than some of them.  So a question is asked for
 * FIRST_ANSWERS, and again for more as long as what comes after them may be kept.
 *
 * Where the adjustment takes long, the questions of a list are first answered with a quick one.  Those that promise most
 * are asked first, but for those that cannot have an answer that would be kept, whatever the adjustment adds beyond the
 * quick one.  Unless an exact outcome is wanted, the rest is not asked when PATIENCE questions in a row had no answer that
 * was kept.
 *
 * An entity is no candidate for itself where no fact of the relation is
 * about one entity alone: bilinear models score such triples high, and they are of no use.
 */
#include <math.h>

#include "core/allocation.h"
#include "core/pool.h"
#include "core/sort.h"
#include "kept_triples.h"
#include "kge/top.h"
#include "screen.h"

#define FIRST_ANSWERS 16
#define MORE_ANSWERS 8			/* times as many when a question is asked again */
#define FIRST_PART 256			/* questions of the first part; the next ones have MORE_QUESTIONS times as many */
#define MORE_QUESTIONS 4
#define PATIENCE 64				/* questions of a list that are asked in vain before the rest is left out */
#define FIRST_SETTLED 64		/* answers that are settled first; the next ones are MORE_SETTLED times as many */
#define MORE_SETTLED 2
#define IMPROBABLE 0.01			/* less than that is an improbable answer */
#define IMPROBABLE_QUESTIONS 8	/* that are asked for each such answer of a full list, at least */
#define ANSWERS (1 << 18)		/* of the questions of a part, if one question has no more */

/* What a question promises, by the quick adjustment's scores */
typedef struct Promise
{
	double		probability;	/* of the best answer */
	double		best;			/* its score; minus infinity: there is no answer */
	double		last;			/* that of the `least`-th; minus infinity: there are fewer */
	int64_t		number;			/* of the question */
} Promise;

struct KgeCompletion
{
	Pool	   *pool;
	const KgeModel *model;
	const KgeAdjustment *adjustment;
	KgeTopMany *search;
	KgeScreen  *screen;			/* NULL: every question is asked */
	KgeJudge	judge;
	double		probability;	/* that is wanted */
	int64_t		k;
	int64_t		most;			/* answers of a question that may be kept */
	int64_t		room;			/* of `answer` */
	int64_t		part;			/* questions that are asked at once, at most */
	Question *question;	/* of a part */
	KgeAnswer  *answer;
	int64_t    *found;
	KgeScored  *scored;			/* answers of one question */
	KgeScored  *last;			/* of each question of a part, its last answer */
	KgeScored  *settling;		/* judged, but not settled; NULL: as judged */
	int64_t		settling_count;
	int64_t    *pending;		/* numbers of questions that have to be asked */
	KgeKeptTriples kept;
	Promise    *promise;		/* NULL: the adjustment does not take long */
	bool		exact;
	bool		gained;			/* a triple that may stay */
	int64_t		asked;			/* questions */
};

/* ---- the answers of a question ------------------------------------------------ */

static int32_t
entity_of(const QuestionList *asked, int32_t row)
{
	return asked->entity == NULL ? row : asked->entity[row];
}

static Triple
answered(const QuestionList *asked, const Question *question, int32_t answer)
{
	return triple_of_answer(asked->side, entity_of(asked, question->given), asked->relation, entity_of(asked, answer));
}

/* The given entity was found with the others, and may be none: `depth` of the others count. */
static int64_t
score_answers(KgeCompletion *completion, const QuestionList *asked, const Question *question,
			  const KgeAnswer *answer, int64_t found, int64_t depth)
{
	int64_t		count = 0;

	for (int64_t i = 0; i < found && count < depth; i++)
		if (asked->reflexive || answer[i].row != question->given)
			completion->scored[count++] = (KgeScored) {answered(asked, question, answer[i].row), asked->side,
			answer[i].score, answer[i].phi, answer[i].addition, 0};
	return count;
}

static bool
is_wanted(const KgeCompletion *completion, const KgeScored *scored)
{
	const KgeScored *last = kge_kept_last(&completion->kept);

	return scored->probability >= completion->probability && (last == NULL || kge_compare_probable(scored, last) < 0);
}

/* The probability that an answer needs */
static double
least_probability(const KgeCompletion *completion)
{
	const KgeScored *last = kge_kept_last(&completion->kept);

	return last != NULL && last->probability > completion->probability ? last->probability : completion->probability;
}

/*
 * The probability that an answer needs for its question to be asked: more than the list does where it is full of improbable
 * ones, for which enough questions were asked.
 */
static double
probability_asked(const KgeCompletion *completion)
{
	double		least = least_probability(completion);

	if (completion->exact || least >= IMPROBABLE || kge_kept_last(&completion->kept) == NULL ||
		completion->asked < IMPROBABLE_QUESTIONS * completion->k)
		return least;
	return IMPROBABLE;
}

static void
offer(KgeCompletion *completion, const KgeScored *scored)
{
	completion->gained |= is_wanted(completion, scored);
	kge_kept_offer(&completion->kept, scored);
}

/* The end of those that are probable enough to be settled, in order, from `first` on. */
static int64_t
probable_end(const KgeCompletion *completion, int64_t first, int64_t end)
{
	double		least = least_probability(completion);

	while (end > first && completion->settling[end - 1].probability < least)
		end--;
	return end;
}

/* Settles the most probable ones first, few at a time: what they come to excludes others. */
static void
settle(KgeCompletion *completion)
{
	KgeScored  *settling = completion->settling;
	int64_t		end = completion->settling_count;
	int64_t		part = FIRST_SETTLED;

	sort_array(completion->pool, POOL_LEADER, settling, end, sizeof(KgeScored), kge_compare_probable);
	for (int64_t first = 0; (end = probable_end(completion, first, end)) > first; first += part, part *= MORE_SETTLED)
	{
		part = part < end - first ? part : end - first;
		completion->judge.settle(completion->judge.argument, settling + first, part);
		for (int64_t i = first; i < first + part; i++)
			offer(completion, &settling[i]);
	}
	completion->settling_count = 0;
}

/* What is too improbable is offered as it is judged: it may be the best of nothing that is listed. */
static void
offer_judged(KgeCompletion *completion, const KgeScored *scored)
{
	if (completion->settling == NULL || scored->probability < least_probability(completion))
	{
		offer(completion, scored);
		return;
	}
	completion->settling[completion->settling_count++] = *scored;
	if (completion->settling_count == KGE_SETTLED)
		settle(completion);
}

/* Offers the answers of a question, of which the first ones were offered before. */
static void
offer_answers(KgeCompletion *completion, const QuestionList *asked, const Question *question, int64_t count,
			  int64_t offered)
{
	KgeScored  *scored = completion->scored;

	completion->judge.judge(completion->judge.argument, asked, question, scored, count);
	for (int64_t i = offered; i < count; i++)
	{
		offer_judged(completion, &scored[i]);
		pool_yield_at(completion->pool, POOL_LEADER, i);
	}
}

/*
 * Whether an answer that comes after this one of its question may be kept.  None is more probable by this question; what
 * is by its other one, that one offers.
 */
static bool
may_have_more(const KgeCompletion *completion, const QuestionList *asked, const KgeScored *answer)
{
	const KgeScored *best = asked->side == SIDE_TAIL ? kge_kept_of_head(&completion->kept, answer->triple.head) : NULL;

	return is_wanted(completion, answer) && (best == NULL || kge_compare_probable(answer, best) < 0) &&
		answer->probability >= probability_asked(completion);
}

/* ---- parts of the questions ----------------------------------------------------- */

static void
fill_questions(KgeCompletion *completion, const QuestionList *asked, int64_t first, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		completion->question[i] = asked->question[completion->pending[first + i]];
}

/* Puts those questions of a part that may have more answers in the places from `again` on; returns the place after them. */
static int64_t
pend_again(KgeCompletion *completion, const QuestionList *asked, int64_t first, int64_t count, int64_t depth, int64_t again)
{
	if (depth == completion->most)
		return again;
	for (int64_t i = 0; i < count; i++)
		if (completion->found[i] == depth && may_have_more(completion, asked, &completion->last[i]))
			completion->pending[again++] = completion->pending[first + i];
	return again;
}

/*
 * Asks pending questions, from `first` on, for `depth` answers each.  Those that may have more are pending again, from
 * `again` on; returns the place after them.
 */
static int64_t
ask_part(KgeCompletion *completion, const QuestionList *asked, int64_t first, int64_t count, int64_t offered, int64_t depth,
		 int64_t again)
{
	int64_t		room = depth < completion->model->entities ? depth + 1 : depth;

	fill_questions(completion, asked, first, count);
	completion->asked += offered == 0 ? count : 0;
	if (offered == 0 && completion->judge.look != NULL)
		completion->judge.look(completion->judge.argument, asked, completion->pending + first, count);
	kge_top_many_ask(completion->search, completion->question, count, room, completion->answer,
					 completion->found);
	for (int64_t i = 0; i < count; i++)
	{
		const Question *question = &asked->question[completion->pending[first + i]];
		int64_t		scored = score_answers(completion, asked, question, completion->answer + i * room,
										   completion->found[i], depth);

		offer_answers(completion, asked, question, scored, offered);
		completion->found[i] = scored;
		if (scored > 0)
			completion->last[i] = completion->scored[scored - 1];
		pool_yield_at(completion->pool, POOL_LEADER, i);
	}
	if (completion->settling_count > 0)
		settle(completion);
	/* now that what is settled shows what is kept */
	return pend_again(completion, asked, first, count, depth, again);
}

/* Puts those of some pending questions first that may have an answer that is kept; returns how many. */
static int64_t
screen_part(KgeCompletion *completion, const QuestionList *asked, int64_t first, int64_t count)
{
	if (completion->screen == NULL)
		return count;
	return kge_screen_questions(completion->screen, completion->pool, completion->adjustment, completion->judge, asked,
								probability_asked(completion), completion->pending + first, count);
}

/* All pending questions, part by part; those that may have more are pending again.  Returns how many they are. */
static int64_t
ask_parts(KgeCompletion *completion, const QuestionList *asked, int64_t pending, int64_t offered, int64_t depth)
{
	int64_t		most = completion->room / (depth + 1) < completion->part ? completion->room / (depth + 1) :
		completion->part;
	int64_t		part = FIRST_PART;
	int64_t		again = 0;

	for (int64_t first = 0; first < pending; first += part, part *= MORE_QUESTIONS)
	{
		int64_t		count;

		part = part < most ? part : most;
		count = pending - first < part ? pending - first : part;
		if (offered == 0)
			count = screen_part(completion, asked, first, count);
		again = ask_part(completion, asked, first, count, offered, depth, again);
	}
	return again;
}

/* ---- where an adjustment takes long ------------------------------------------------ */

/* What promises most first */
static int
compare_promises(const void *a, const void *b)
{
	const Promise *left = a;
	const Promise *right = b;

	if (left->probability != right->probability)
		return left->probability > right->probability ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

static Promise
promise_of(const KgeCompletion *completion, const QuestionList *asked, int64_t number, int64_t count)
{
	const KgeJudge *judge = &completion->judge;
	const KgeScored *scored = completion->scored;
	Promise		promise = {0, -INFINITY, -INFINITY, number};

	if (count == 0)
		return promise;
	promise.probability = judge->promise(judge->argument, asked, &asked->question[number], scored, count);
	promise.best = scored[0].score;
	if (count == judge->least)
		promise.last = scored[count - 1].score;
	return promise;
}

/* Looks at some pending questions, from `first` on. */
static void
look_at_part(KgeCompletion *completion, const QuestionList *asked, int64_t first, int64_t count)
{
	int64_t		depth = completion->judge.least;
	int64_t		room = depth < completion->model->entities ? depth + 1 : completion->model->entities;

	fill_questions(completion, asked, first, count);
	kge_top_many_ask(completion->search, completion->question, count, room, completion->answer,
					 completion->found);
	for (int64_t i = 0; i < count; i++)
	{
		int64_t		number = completion->pending[first + i];
		int64_t		scored = score_answers(completion, asked, &asked->question[number], completion->answer + i * room,
										   completion->found[i], depth);

		completion->promise[first + i] = promise_of(completion, asked, number, scored);
		pool_yield_at(completion->pool, POOL_LEADER, i);
	}
}

static void
order_by_promise(KgeCompletion *completion, const QuestionList *asked, int64_t count)
{
	int64_t		part = completion->room / (completion->judge.least + 1);

	if (part > completion->part)
		part = completion->part;
	kge_top_many_adjust(completion->search, completion->adjustment->quick);
	for (int64_t first = 0; first < count; first += part)
		look_at_part(completion, asked, first, count - first < part ? count - first : part);
	kge_top_many_adjust(completion->search, completion->adjustment);
	sort_array(completion->pool, POOL_LEADER, completion->promise, count, sizeof(Promise), compare_promises);
}

/* Whether a question can have an answer that is kept. */
static bool
can_gain(const KgeCompletion *completion, const QuestionList *asked, const Promise *promise)
{
	const KgeAdjustment *adjustment = completion->adjustment;
	const KgeJudge *judge = &completion->judge;
	double		most = promise->best + adjustment->more(adjustment->argument, asked->side, asked->relation);
	double		least = probability_asked(completion);

	return least <= 0 || judge->needed == NULL ||
		!(most < judge->needed(judge->argument, asked, &asked->question[promise->number], least, promise->last));
}

/* Makes the next of the questions that can gain pending, from `first` on, at most so many; returns how many. */
static int64_t
choose_promising(KgeCompletion *completion, const QuestionList *asked, int64_t *next, int64_t first, int64_t most)
{
	int64_t		count = 0;

	for (; *next < asked->count && count < most; ++*next)
	{
		if (can_gain(completion, asked, &completion->promise[*next]))
			completion->pending[first + count++] = completion->promise[*next].number;
		pool_yield_at(completion->pool, POOL_LEADER, *next);
	}
	return count;
}

/*
 * All questions for the first time, in the order of what they promise.  Those that may have more answers are pending
 * again.
 */
static int64_t
ask_promising(KgeCompletion *completion, const QuestionList *asked, int64_t depth)
{
	int64_t		most = completion->room / (depth + 1) < PATIENCE ? completion->room / (depth + 1) : PATIENCE;
	int64_t		again = 0;
	int64_t		next = 0;

	order_by_promise(completion, asked, asked->count);
	most = most < completion->part ? most : completion->part;
	do
	{
		int64_t		count = choose_promising(completion, asked, &next, again, most);

		completion->gained = false;
		again = ask_part(completion, asked, again, count, 0, depth, again);
	} while (next < asked->count && (completion->exact || completion->gained));
	return again;
}

void
kge_completion_ask(KgeCompletion *completion, const QuestionList *asked)
{
	int64_t		pending = completion->k > 0 ? asked->count : 0;
	int64_t		offered = 0;
	int64_t		depth = completion->judge.least > FIRST_ANSWERS ? completion->judge.least : FIRST_ANSWERS;

	for (int64_t i = 0; i < pending; i++)
		completion->pending[i] = i;
	while (pending > 0)
	{
		depth = depth < completion->most ? depth : completion->most;
		if (offered == 0 && completion->promise != NULL)
			pending = ask_promising(completion, asked, depth);
		else
			pending = ask_parts(completion, asked, pending, offered, depth);
		offered = depth;
		depth *= MORE_ANSWERS;
	}
}

/* ---- all together --------------------------------------------------------------------- */

static KgeCompletion *
take_completion(KgeCompletion *completion, const KgeSketch *sketch, KgeWanted wanted, Allocation *allocation)
{
	completion->question = TAKE(allocation, Question, (size_t) completion->part);
	completion->answer = TAKE(allocation, KgeAnswer, (size_t) completion->room);
	completion->found = TAKE(allocation, int64_t, (size_t) completion->part);
	completion->scored = TAKE(allocation, KgeScored, (size_t) completion->most);
	completion->last = TAKE(allocation, KgeScored, (size_t) completion->part);
	if (completion->judge.settle != NULL)
		completion->settling = TAKE(allocation, KgeScored, KGE_SETTLED);
	completion->pending = TAKE(allocation, int64_t, (size_t) wanted.questions);
	completion->kept = kge_kept_take(completion->k, wanted.heads, allocation);
	if (completion->adjustment != NULL && completion->adjustment->quick != NULL)
		completion->promise = TAKE(allocation, Promise, (size_t) wanted.questions);
	else if (completion->judge.needed != NULL && !wanted.listed)
		kge_screen_take(&completion->screen, allocation, completion->model, sketch, pool_threads(completion->pool),
						completion->part);
	return TAKE(allocation, KgeCompletion, 1);
}

static KgeCompletion
plan(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted)
{
	KgeCompletion completion = {.pool = pool,.model = model,.adjustment = adjustment,.judge = judge,
		.probability = wanted.probability,.exact = wanted.exact};
	int64_t		all = wanted.questions * model->entities + wanted.offered;

	completion.k = wanted.k < all ? wanted.k : all;
	/* the best k by their question may all count less than the next one */
	completion.most = judge.settle != NULL ? model->entities : completion.k > judge.least ? completion.k : judge.least;
	completion.most = completion.most < model->entities ? completion.most : model->entities;
	completion.part = wanted.questions < ANSWERS / FIRST_ANSWERS ? wanted.questions : ANSWERS / FIRST_ANSWERS;
	completion.room = completion.part * (FIRST_ANSWERS + 1);
	completion.room = completion.room > completion.most ? completion.room : completion.most + 1;
	return completion;
}

KgeCompletion *
kge_completion(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch, const KgeAdjustment *adjustment,
			   KgeJudge judge, KgeWanted wanted)
{
	KgeCompletion completion = plan(pool, model, adjustment, judge, wanted);
	KgeCompletion *taken;
	Allocation	allocation = {0};

	take_completion(&completion, sketch, wanted, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	taken = take_completion(&completion, sketch, wanted, &allocation);
	completion.search = kge_top_many(arena, pool, model, sketch, adjustment, wanted.listed);
	*taken = completion;
	return completion.search == NULL ? NULL : taken;
}

void
kge_completion_offer(KgeCompletion *completion, const KgeScored *scored, int64_t count)
{
	for (int64_t i = 0; i < count && completion->k > 0; i++)
	{
		kge_kept_offer(&completion->kept, &scored[i]);
		pool_yield_at(completion->pool, POOL_LEADER, i);
	}
}

int64_t
kge_completion_end(KgeCompletion *completion, const KgeScored **best)
{
	int64_t		count = kge_kept_sort(&completion->kept, completion->pool);

	*best = completion->kept.triple;
	return count < completion->k ? count : completion->k;
}

int64_t
kge_completion_asked(const KgeCompletion *completion)
{
	return completion->asked;
}

/* ---- several outcomes ------------------------------------------------------------------- */

static KgeKeptTriples
take_merged(KgeWanted wanted, Allocation *allocation)
{
	return kge_kept_take(wanted.k < wanted.offered ? wanted.k : wanted.offered, wanted.heads, allocation);
}

int64_t
kge_merge(Arena *arena, Pool *pool, KgeWanted wanted, const KgeScored *scored, int64_t count, const KgeScored **best)
{
	KgeCompletion merged = {.pool = pool,.k = wanted.k};
	Allocation	allocation = {0};

	take_merged(wanted, &allocation);
	if (count == 0 || !allocation_open(&allocation, arena))
		return 0;
	merged.kept = take_merged(wanted, &allocation);
	kge_completion_offer(&merged, scored, count);
	return kge_completion_end(&merged, best);
}
