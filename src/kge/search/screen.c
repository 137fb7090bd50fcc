/*
 * screen.c
 *		Which questions can have an answer of a given probability?
 *
 * Where the most probable answers of all questions are wanted, nearly all questions have none of them, and the search for
 * their best answers would be in vain.  The judge has the score that the best answer of a question needs, given
 * what another one, the `least`-th best, has at least.  So of each question
 *
 *	- what the adjustment lists is scored, and what is likely to be an answer: of either, the `least`-th best score is
 *	  one that the question's has at least;
 *	- the question stays if the best that is listed may have the score needed;
 *	- it is left if its query is too short to have it with any candidate: a dot product is at most the product of the
 *	  lengths.  Where a million entities are alike, as the spokes of a star, that leaves few questions;
 *	- else all candidates are compared with that score, which excludes them much faster than the score of a best answer
 *	  does; often no score of the model alone is as high.
 *
 * A candidate is left as soon as it is out of reach for a whole block, so questions that need a high score stand together;
 * where scores are dot products, those that need long candidates.  Of a part with few that are long enough, these are
 * looked at one by one.
 *
 * Scores are fast ones with their errors (score_bound.c), so that no question is lost.
 */
#include "screen.h"

#include <float.h>
#include <math.h>

#include "block.h"
#include "core/heap.h"
#include "core/question.h"
#include "core/sort.h"

#define AHEAD	4				/* candidates whose sketches are fetched before they are looked at */
#define MOST_SHOWN 64			/* more than a judge looks at */
#define FEW		16				/* a part of a tile as small as that is looked at one by one */

typedef struct ScreenThread
{
	KgeQuestionBlock block;
	Question question[KGE_BLOCK_QUESTIONS];
	double		best[MOST_SHOWN];	/* heap, the lowest first */
	double		norm;			/* the largest of the candidates that it has looked at */
	struct KgeScreen *screen;
	int64_t		first;			/* question of a block, by place */
} ScreenThread;

/* A question whose candidates are looked at */
typedef struct UnclearQuestion
{
	double		needed;
	double		reach;			/* norm of a candidate that can have that; of distances, what is needed */
	int64_t		place;
} UnclearQuestion;

struct KgeScreen
{
	Pool	   *pool;
	const KgeModel *model;
	const KgeAdjustment *adjustment;
	KgeJudge	judge;
	const QuestionList *asked;
	double		probability;
	double		norm;			/* the largest of a candidate, or more; negative until it is known */
	int64_t    *number;			/* of each question */
	int64_t		count;
	double	   *needed;			/* phi of a candidate that makes the question stay; infinite: none does, or it stays */
	double	   *reach;			/* see UnclearQuestion */
	UnclearQuestion *unclear;	/* those that need most first */
	int64_t		unclear_count;
	ScreenThread *thread;
};

void
kge_screen_take(KgeScreen **screen, Allocation *allocation, const KgeModel *model, const KgeSketch *sketch,
				int threads, int64_t questions)
{
	KgeScreen	taken = {.model = model,.norm = -1};

	*screen = TAKE(allocation, KgeScreen, 1);
	taken.needed = TAKE(allocation, double, (size_t) questions);
	taken.reach = TAKE(allocation, double, (size_t) questions);
	taken.unclear = TAKE(allocation, UnclearQuestion, (size_t) questions);
	taken.thread = TAKE(allocation, ScreenThread, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		KgeQuestionBlock block = {.model = model,.sketch = sketch};

		kge_block_take(&block, allocation);
		if (taken.thread != NULL)
			taken.thread[i] = (ScreenThread) {.block = block,.screen = *screen};
	}
	if (*screen != NULL)
		**screen = taken;
}

static const Question *
question_at(const KgeScreen *screen, int64_t place)
{
	return &screen->asked->question[screen->number[place]];
}

/*
 * Facts are no candidates, nor are entities of another type, nor is the given entity if no fact of the relation is about
 * one alone.
 */
static bool
is_candidate(const KgeScreen *screen, const Question *question, int32_t entity)
{
	return (screen->asked->reflexive || entity != question->given) &&
		!question_excludes(question, entity) &&
		answer_is_allowed(screen->model->answers, question->relation, question->side, entity);
}

/* ---- what is listed, and what is likely ------------------------------------------------- */

/* Bounds of the score of a candidate */
typedef struct ScoreRange
{
	double		least;
	double		most;
} ScoreRange;

/* Of a distance's error the norm is no part. */
static double
norm_of(const KgeQuestionBlock *block, int32_t entity)
{
	if (block->engine.similarity != KGE_DOT)
		return 0;
	return block->sketch != NULL && entity < block->model->entities ? block->sketch->norm[entity] :
		kge_norm(block->engine.width, kge_entity_row(block->model, entity));
}

static ScoreRange
range_of(const ScreenThread *thread, int q, int32_t entity, double addition)
{
	const KgeScreen *screen = thread->screen;
	const QuestionList *asked = screen->asked;
	const KgeQuestionBlock *block = &thread->block;
	const float *row = kge_entity_row(screen->model, entity);
	double		score = kge_engine_score(&block->engine, kge_block_query(block, q), row);
	double		error = kge_score_error(&block->engine, block->question[q].norm, norm_of(block, entity), score);

	if (!isfinite(score) || !isfinite(error))
		return (ScoreRange) {-INFINITY, INFINITY};
	return (ScoreRange) {kge_adjusted_score(screen->adjustment, asked->relation, asked->side, score - error, addition),
		kge_adjusted_score(screen->adjustment, asked->relation, asked->side, score + error, addition)};
}

/* The highest first: the root of a heap is the lowest. */
static int
compare_scores(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return (left < right) - (left > right);
}

static int64_t
offer_score(ScreenThread *thread, int64_t count, double score)
{
	return heap_offer(thread->best, count, thread->screen->judge.least, &score, sizeof(double), compare_scores);
}

/* What the `least`-th best of some scores is at least */
static double
last_of(const ScreenThread *thread, int64_t count)
{
	return count < thread->screen->judge.least ? -INFINITY : thread->best[0];
}

/* Whether the sketch says that a candidate is none of the best, of which there are `kept`. */
static bool
is_lower(const ScreenThread *thread, int q, const KgeAddition *addition, int64_t kept)
{
	const KgeScreen *screen = thread->screen;
	const QuestionList *asked = screen->asked;
	double		last = last_of(thread, kept);
	double		phi;

	if (last == -INFINITY)
		return false;
	phi = kge_block_most(&thread->block, q, addition->entity);
	return kge_adjusted_score(screen->adjustment, asked->relation, asked->side, phi, addition->addition) < last;
}

/* The most that a listed candidate scores; raises what the last one has at least. */
static double
look_at_listed(ScreenThread *thread, int q, const Question *question, int number, double *last)
{
	const KgeScreen *screen = thread->screen;
	const KgeAdjustment *adjustment = screen->adjustment;
	const KgeAddition *additions;
	int64_t		count = adjustment == NULL ? 0 :
		adjustment->list(adjustment->argument, question, screen->pool, number, &additions);
	int64_t		kept = 0;
	double		most = -INFINITY;

	for (int64_t i = 0; i < count; i++)
	{
		ScoreRange	range;

		pool_yield_at(screen->pool, number, i + 1);
		if (i + AHEAD < count)
			kge_block_prefetch(&thread->block, additions[i + AHEAD].entity);
		if (is_lower(thread, q, &additions[i], kept) ||
			!is_candidate(screen, question, additions[i].entity))
			continue;
		range = range_of(thread, q, additions[i].entity, additions[i].addition);
		most = fmax(most, range.most);
		kept = offer_score(thread, kept, range.least);
	}
	*last = fmax(*last, last_of(thread, kept));
	return most;
}

/* Without what an adjustment would add, which is no less than 0 */
static void
look_at_likely(ScreenThread *thread, int q, const Question *question, double *last)
{
	const QuestionList *asked = thread->screen->asked;
	int64_t		kept = 0;

	for (int64_t i = 0; i < asked->likely_count; i++)
		if (is_candidate(thread->screen, question, asked->likely[i]))
			kept = offer_score(thread, kept, range_of(thread, q, asked->likely[i], 0).least);
	*last = fmax(*last, last_of(thread, kept));
}

/* The most that the phi of any candidate can be; where its error is not known, infinite. */
static double
most_phi(const ScreenThread *thread, int q)
{
	const KgeEngine *engine = &thread->block.engine;
	double		norm = thread->block.question[q].norm;
	double		most = norm * thread->screen->norm;

	/* a distance is not below 0 */
	if (engine->similarity != KGE_DOT)
		return engine->gamma;
	most += kge_score_error(engine, norm, thread->screen->norm, most);
	return isfinite(most) ? most : INFINITY;
}

/* The least norm of a candidate that can have that phi, or a little less */
static double
reach_of(const ScreenThread *thread, int q, double needed)
{
	const KgeEngine *engine = &thread->block.engine;

	if (engine->similarity != KGE_DOT || !isfinite(needed))
		return needed;
	return needed <= 0 ? 0 :
		(needed - 1e-9 * needed) / (thread->block.question[q].norm * (1 + (engine->width + 32) * (double) FLT_EPSILON));
}

/* The phi for which a score without addition is that high, or a little less; infinite where no candidate's is. */
static double
phi_of_score(const ScreenThread *thread, int q, double score)
{
	const QuestionList *asked = thread->screen->asked;
	double		phi = kge_adjusted_phi(thread->screen->adjustment, asked->relation, asked->side, score);

	phi -= 1e-9 * (1 + fabs(phi));
	return phi > most_phi(thread, q) ? INFINITY : phi;
}

static void
open_block(ScreenThread *thread, const UnclearQuestion *unclear, int64_t first, int count)
{
	const KgeScreen *screen = thread->screen;

	for (int q = 0; q < count; q++)
		thread->question[q] = *question_at(screen, unclear == NULL ? first + q : unclear[first + q].place);
	thread->first = first;
	kge_block_open(&thread->block, thread->question, count);
}

/* How many questions of a list an item has */
static int
block_size(int64_t item, int64_t count)
{
	int64_t		left = count - item * KGE_BLOCK_QUESTIONS;

	return (int) (left < KGE_BLOCK_QUESTIONS ? left : KGE_BLOCK_QUESTIONS);
}

/* Item: a block of questions. */
static void
look_at_block(void *argument, int64_t item, int number)
{
	KgeScreen  *screen = argument;
	ScreenThread *thread = &screen->thread[number];
	int64_t		first = item * KGE_BLOCK_QUESTIONS;
	int			count = block_size(item, screen->count);

	open_block(thread, NULL, first, count);
	for (int q = 0; q < count; q++)
	{
		const Question *question = question_at(screen, first + q);
		double		last = -INFINITY;
		double		most = look_at_listed(thread, q, question, number, &last);
		double		needed;

		look_at_likely(thread, q, question, &last);
		needed = screen->judge.needed(screen->judge.argument, screen->asked, question, screen->probability, last);
		screen->needed[first + q] = most >= needed ? -INFINITY : phi_of_score(thread, q, needed);
		screen->reach[first + q] = reach_of(thread, q, screen->needed[first + q]);
		pool_yield(screen->pool, number);
	}
}

/* ---- all candidates ------------------------------------------------------------------------ */

/* kge_block_visit's callback: the question stays. */
static void
keep_question(void *argument, int q, int32_t entity)
{
	ScreenThread *thread = argument;
	KgeScreen  *screen = thread->screen;
	int64_t		place = screen->unclear[thread->first + q].place;

	if (!is_candidate(screen, question_at(screen, place), entity))
		return;
	screen->needed[place] = -INFINITY;
	kge_block_close(&thread->block, q);
}

/* Whether few candidates of the tile that begins with one are long enough, which are listed; their number in *found. */
static bool
few_are_long(const ScreenThread *thread, int32_t first, double reach, int32_t *longer, int *found)
{
	const KgeQuestionBlock *block = &thread->block;
	int32_t		left = block->model->entities - first;
	int			count = left < KGE_BLOCK_CANDIDATES ? left : KGE_BLOCK_CANDIDATES;

	*found = 0;
	if (block->engine.similarity != KGE_DOT)
		return false;
	for (int i = 0; i < count && *found <= count / FEW; i++)
		if (!(norm_of(block, first + i) < reach))
			longer[(*found)++] = first + i;
	return *found <= count / FEW;
}

/* Looks at one candidate alone. */
static void
look_at_long(ScreenThread *thread, const UnclearQuestion *unclear, int count, int32_t entity)
{
	const KgeQuestionBlock *block = &thread->block;
	const float *row = kge_entity_row(block->model, entity);
	double		norm = norm_of(block, entity);

	for (int q = 0; q < count; q++)
		if (thread->screen->needed[unclear[q].place] != -INFINITY && !(norm < unclear[q].reach) &&
			!(kge_score_limit(&block->engine, kge_block_query(block, q), block->question[q].norm, row, norm) < unclear[q].needed))
			keep_question(thread, q, entity);
}

/* Item: a block of questions against all candidates. */
static void
search_block(void *argument, int64_t item, int number)
{
	KgeScreen  *screen = argument;
	ScreenThread *thread = &screen->thread[number];
	int64_t		first = item * KGE_BLOCK_QUESTIONS;
	int			count = block_size(item, screen->unclear_count);
	const UnclearQuestion *unclear = screen->unclear + first;
	double		reach = unclear[count - 1].reach;
	int32_t		longer[KGE_BLOCK_CANDIDATES];
	int			found;

	open_block(thread, screen->unclear, first, count);
	for (int q = 0; q < count; q++)
		kge_block_threshold(&thread->block, q, screen->unclear[first + q].needed);
	for (int32_t next = 0; next < screen->model->entities;)
	{
		if (few_are_long(thread, next, reach, longer, &found))
		{
			for (int i = 0; i < found; i++)
				look_at_long(thread, unclear, count, longer[i]);
			next = screen->model->entities - next < KGE_BLOCK_CANDIDATES ? screen->model->entities : next + KGE_BLOCK_CANDIDATES;
		}
		else
		{
			next = kge_block_score(&thread->block, next);
			kge_block_visit(&thread->block, keep_question, thread);
		}
		pool_yield(screen->pool, number);
	}
}

/* ---- the largest norm -------------------------------------------------------------------------- */

#define NORMS_AT_ONCE 4096

/* Item: some candidates. */
static void
look_at_norms(void *argument, int64_t item, int number)
{
	KgeScreen  *screen = argument;
	ScreenThread *thread = &screen->thread[number];
	int64_t		end = (item + 1) * NORMS_AT_ONCE;

	for (int64_t i = item * NORMS_AT_ONCE; i < end && i < screen->model->entities; i++)
	{
		double		norm = norm_of(&thread->block, (int32_t) i);

		if (!(norm <= thread->norm))
			thread->norm = isfinite(norm) ? norm : INFINITY;
		pool_yield_at(screen->pool, number, i);
	}
}

/* Once for all questions: candidates stay the same. */
static void
find_largest_norm(KgeScreen *screen)
{
	if (screen->norm >= 0)
		return;
	pool_run(screen->pool, pool_pieces(screen->model->entities, NORMS_AT_ONCE), look_at_norms, screen);
	screen->norm = 0;
	for (int i = 0; i < pool_threads(screen->pool); i++)
		screen->norm = fmax(screen->norm, screen->thread[i].norm);
}

/* ---- all together ------------------------------------------------------------------------------ */

static int
compare_reach(const void *a, const void *b)
{
	const UnclearQuestion *left = a;
	const UnclearQuestion *right = b;

	return (left->reach < right->reach) - (left->reach > right->reach);
}

static void
list_unclear(KgeScreen *screen)
{
	screen->unclear_count = 0;
	for (int64_t i = 0; i < screen->count; i++)
		if (isfinite(screen->needed[i]))
			screen->unclear[screen->unclear_count++] = (UnclearQuestion) {screen->needed[i], screen->reach[i], i};
	sort_array(screen->pool, POOL_LEADER, screen->unclear, screen->unclear_count, sizeof(UnclearQuestion), compare_reach);
}

static int64_t
keep_staying(KgeScreen *screen)
{
	int64_t		staying = 0;

	for (int64_t i = 0; i < screen->count; i++)
		if (screen->needed[i] == -INFINITY)
			screen->number[staying++] = screen->number[i];
	return staying;
}

int64_t
kge_screen_questions(KgeScreen *screen, Pool *pool, const KgeAdjustment *adjustment, KgeJudge judge,
					 const QuestionList *asked, double probability, int64_t *number, int64_t count)
{
	screen->pool = pool;
	screen->adjustment = adjustment;
	screen->judge = judge;
	screen->asked = asked;
	screen->probability = probability;
	screen->number = number;
	screen->count = count;
	if (probability <= 0 || judge.needed == NULL || judge.least > MOST_SHOWN)
		return count;
	find_largest_norm(screen);
	pool_run(pool, pool_pieces(count, KGE_BLOCK_QUESTIONS), look_at_block, screen);
	list_unclear(screen);
	pool_run(pool, pool_pieces(screen->unclear_count, KGE_BLOCK_QUESTIONS), search_block, screen);
	return keep_staying(screen);
}
