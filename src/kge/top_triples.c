/*
 * top_triples.c
 *		The most probable triples that are not facts.
 *
 * The caller's questions come in lists, each of one relation and side; all entities are candidates.  A block of
 * questions is scored against the candidates, tile by tile, and the best answers of each question are kept.  How
 * probable an answer is, the caller judges by the best answers of its question; each thread keeps the most probable
 * triples in a heap.  What the heaps hold together is put in order at the end.  So memory is bounded by k, and the
 * outcome does not depend on which thread scored what.
 *
 * A triple may be the answer of two questions, one for its tail and one for its head: the more probable one counts.
 * So the heaps keep 2 k answers, among which are k triples.
 *
 * An adjustment raises the scores of few candidates.  A block computes it first, and keeps those
 * with what is added; they are marked, and not scored again.
 *
 * An entity is no candidate for itself where no fact of the relation is
 * about one entity alone: bilinear models score such triples high, and they are of no use.
 */
#include <math.h>

#include "core/allocation.h"
#include "core/heap.h"
#include "core/pool.h"
#include "core/search.h"
#include "core/sort.h"
#include "core/vector.h"
#include "engine.h"

#define BLOCK	64				/* questions at a time, a bit for each */
#define TILE	512				/* candidates at a time */
#define ANSWERS 16384			/* kept for a block, if one question has no more */

/* What a thread works with */
typedef struct Thread
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	uint64_t   *raised;			/* by entity, a bit for each question of the block: kept by the adjustment */
	KgeScored  *answer;			/* the best of each question of the block, the worst first */
	int64_t		answers[BLOCK];
	KgeScored  *heap;			/* the least probable first */
	int64_t		kept;
} Thread;

struct KgeCompletion
{
	Pool	   *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const KgeAdjustment *adjustment;	/* or NULL */
	KgeJudge	judge;
	int64_t		k;
	int64_t		most;			/* answers of a question that are kept */
	int			block;			/* questions of an item */
	const KgeAsked *asked;		/* the questions of now */
	Thread	   *worker;			/* by thread */
	KgeScored  *found;			/* what all heaps hold; then the outcome */
};

/* ---- order -------------------------------------------------------------- */

static int
compare_triples(const Triple *left, const Triple *right)
{
	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	if (left->head != right->head)
		return left->head < right->head ? -1 : 1;
	return (left->tail > right->tail) - (left->tail < right->tail);
}

/* The answers of a question, the best first */
static int
compare_scored(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return compare_triples(&left->triple, &right->triple);
}

/* The most probable first; of equals, an answer on the tail's side. */
static int
compare_probable(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;
	int			order;

	if (left->probability != right->probability)
		return left->probability > right->probability ? -1 : 1;
	order = compare_scored(a, b);
	return order != 0 ? order : (left->side < right->side) - (left->side > right->side);
}

/* Both answers of a triple follow each other, the more probable one first. */
static int
compare_answered(const void *a, const void *b)
{
	int			order = compare_triples(&((const KgeScored *) a)->triple, &((const KgeScored *) b)->triple);

	return order != 0 ? order : compare_probable(a, b);
}

/* ---- the best answers of a block of questions ------------------------------ */

static Triple
answered(const KgeAsked *asked, const KgeQuestionAnswers *question, int32_t answer)
{
	if (asked->side == SIDE_TAIL)
		return (Triple) {question->given, asked->relation, answer};
	return (Triple) {answer, asked->relation, question->given};
}

static bool
is_fact(const KgeAsked *asked, const KgeQuestionAnswers *question, int32_t answer)
{
	int64_t		place = lower_bound_int32(asked->known, question->first, question->end, answer);

	return place < question->end && asked->known[place] == answer;
}

/* The score of an answer: phi with what the adjustment adds. */
static double
score_of(const KgeCompletion *completion, double phi, double addition)
{
	const KgeAdjustment *adjustment = completion->adjustment;
	const KgeAsked *asked = completion->asked;
	double		scale;

	if (adjustment == NULL)
		return phi;
	scale = adjustment->scale == NULL ? 1 : adjustment->scale[2 * asked->relation + (int32_t) asked->side];
	return scale * (phi + kge_adjustment_weight(adjustment, asked->relation, asked->side) * addition);
}

/* Keeps a candidate, if it is one; NaN is never above anything. */
static void
consider(const KgeCompletion *completion, Thread *worker, int64_t first, int number, int32_t candidate,
		 double phi, double addition)
{
	const KgeAsked *asked = completion->asked;
	const KgeQuestionAnswers *question = &asked->question[first + number];
	KgeScored  *best = worker->answer + number * completion->most;
	double		score = score_of(completion, phi, addition);

	if (isnan(score) || (worker->answers[number] == completion->most && score < best[0].score) ||
		(candidate == question->given && !asked->reflexive) || is_fact(asked, question, candidate))
		return;
	worker->answers[number] = heap_offer(best, worker->answers[number], completion->most,
										 &(KgeScored) {answered(asked, question, candidate), asked->side, score, phi, addition, 0},
										 sizeof(KgeScored), compare_scored);
}

/* Takes the candidates that the adjustment raises, for a block of questions. */
static void
take_raised(const KgeCompletion *completion, Thread *worker, int64_t first, KgeRows queries, int thread)
{
	const KgeAsked *asked = completion->asked;
	const KgeAdjustment *adjustment = completion->adjustment;

	for (int32_t i = 0; i < completion->model->entities; i++)
		worker->raised[i] = 0;
	for (int i = 0; i < queries.count; i++)
	{
		const float *query = queries.row + (size_t) i * (size_t) queries.stride;
		const KgeAddition *additions;
		int64_t		count = adjustment->list(adjustment->argument, asked->side, asked->question[first + i].given,
											 asked->relation, completion->pool, thread, &additions);

		for (int64_t j = 0; j < count; j++)
		{
			int32_t		entity = additions[j].entity;
			float		phi = kge_engine_score(&completion->engine, query, kge_entity_row(completion->model, entity));

			consider(completion, worker, first, i, entity, (double) phi, additions[j].addition);
			worker->raised[entity] |= UINT64_C(1) << i;
			if (j % 1024 == 0)
				pool_yield(completion->pool, thread);
		}
	}
}

/* Looks at a tile of scores. */
static void
take_tile(const KgeCompletion *completion, Thread *worker, int64_t first, int questions, int32_t from, int32_t count)
{
	for (int i = 0; i < questions; i++)
		for (int32_t c = 0; c < count; c++)
			if (completion->adjustment == NULL || (worker->raised[from + c] >> i & 1) == 0)
				consider(completion, worker, first, i, from + c, (double) worker->score[c * BLOCK + i], 0);
}

static void
score_block(const KgeCompletion *completion, Thread *worker, int64_t first, KgeRows queries, int thread)
{
	const KgeModel *model = completion->model;

	kge_engine_prepare(&completion->engine, queries, worker->engine);
	for (int32_t from = 0; from < model->entities; from += TILE)
	{
		KgeRows		candidates = {from + TILE < model->entities ? TILE : model->entities - from,
		completion->engine.width, kge_entity_row(model, from)};

		kge_engine_scores(&completion->engine, queries, worker->engine, candidates, worker->score, BLOCK);
		take_tile(completion, worker, first, queries.count, from, candidates.count);
		pool_yield(completion->pool, thread);
	}
}

/* Scores the answers of a question in double precision, has them judged, and keeps the most probable ones. */
static void
keep_probable(const KgeCompletion *completion, Thread *worker, int64_t first, int number, int thread)
{
	KgeScored  *answer = worker->answer + number * completion->most;
	int64_t		count = worker->answers[number];

	for (int64_t i = 0; i < count; i++)
	{
		answer[i].phi = kge_score(completion->model, kge_asked(completion->model, answer[i].triple, answer[i].side));
		answer[i].score = score_of(completion, answer[i].phi, answer[i].addition);
		if (i % 1024 == 0)
			pool_yield(completion->pool, thread);
	}
	sort_array(completion->pool, thread, answer, count, sizeof(KgeScored), compare_scored);
	completion->judge.judge(completion->judge.argument, completion->asked, &completion->asked->question[first + number],
							answer, count);
	for (int64_t i = 0; i < count; i++)
	{
		worker->kept = heap_offer(worker->heap, worker->kept, 2 * completion->k, &answer[i], sizeof(KgeScored),
								  compare_probable);
		if (i % 1024 == 0)
			pool_yield(completion->pool, thread);
	}
}

/* Item: one block. */
static void
answer_block(void *argument, int64_t item, int thread)
{
	KgeCompletion *completion = argument;
	const KgeModel *model = completion->model;
	const KgeAsked *asked = completion->asked;
	Thread	   *worker = &completion->worker[thread];
	int64_t		first = item * completion->block;
	int			stride = vector_stride(completion->engine.width);
	KgeRows		queries = {asked->count - first < completion->block ? (int) (asked->count - first) : completion->block,
	stride, worker->query};

	for (int i = 0; i < queries.count; i++)
	{
		Triple		triple = answered(asked, &asked->question[first + i], 0);

		kge_make_query(model, kge_query(model, triple, asked->side), worker->query + (size_t) i * (size_t) stride);
		worker->answers[i] = 0;
	}
	if (completion->adjustment != NULL)
		take_raised(completion, worker, first, queries, thread);
	score_block(completion, worker, first, queries, thread);
	for (int i = 0; i < queries.count; i++)
		keep_probable(completion, worker, first, i, thread);
}

/* ---- all together --------------------------------------------------------------------- */

static void
take_completion(KgeCompletion **taken, KgeCompletion *completion, Allocation *allocation)
{
	int			threads = pool_threads(completion->pool);
	size_t		stride = (size_t) vector_stride(completion->engine.width);

	*taken = TAKE(allocation, KgeCompletion, 1);
	completion->found = TAKE(allocation, KgeScored, 2 * (size_t) completion->k * (size_t) threads);
	completion->worker = TAKE(allocation, Thread, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Thread		worker = {.kept = 0};

		worker.query = TAKE(allocation, float, BLOCK * stride);
		worker.engine = TAKE(allocation, float, kge_engine_scratch(&completion->engine, BLOCK));
		worker.score = TAKE(allocation, float, TILE * BLOCK);
		if (completion->adjustment != NULL)
			worker.raised = TAKE(allocation, uint64_t, (size_t) completion->model->entities);
		worker.answer = TAKE(allocation, KgeScored, (size_t) completion->block * (size_t) completion->most);
		worker.heap = TAKE(allocation, KgeScored, 2 * (size_t) completion->k);
		if (completion->worker != NULL)
			completion->worker[i] = worker;
	}
	if (*taken != NULL)
		**taken = *completion;
}

static KgeCompletion
plan(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted)
{
	KgeCompletion completion = {.pool = pool,.model = model,.adjustment = adjustment,.judge = judge};
	int64_t		all = wanted.questions * model->entities;

	completion.engine = kge_engine(model);
	completion.k = wanted.k < all ? wanted.k : all;
	completion.most = completion.k > judge.least ? completion.k : judge.least;
	completion.most = completion.most < model->entities ? completion.most : model->entities;
	completion.block = completion.most * BLOCK <= ANSWERS ? BLOCK : (int) (1 + ANSWERS / (completion.most + 1));
	return completion;
}

size_t
kge_completion_bytes(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted)
{
	KgeCompletion completion = plan(pool, model, adjustment, judge, wanted);
	KgeCompletion *taken;
	Allocation	allocation = {0};

	take_completion(&taken, &completion, &allocation);
	return allocation_bytes(&allocation);
}

KgeCompletion *
kge_completion(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment, KgeJudge judge,
			   KgeWanted wanted)
{
	KgeCompletion completion = plan(pool, model, adjustment, judge, wanted);
	KgeCompletion *taken;
	Allocation	allocation = {0};

	take_completion(&taken, &completion, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	take_completion(&taken, &completion, &allocation);
	return taken;
}

void
kge_completion_ask(KgeCompletion *completion, const KgeAsked *asked)
{
	completion->asked = asked;
	if (completion->k > 0)
		pool_run(completion->pool, pool_pieces(asked->count, completion->block), answer_block, completion);
}

/* Puts the heaps together, and leaves one answer of each triple. */
static int64_t
gather(KgeCompletion *completion)
{
	int64_t		count = 0;
	int64_t		triples = 0;

	for (int i = 0; i < pool_threads(completion->pool); i++)
		for (int64_t j = 0; j < completion->worker[i].kept; j++)
		{
			completion->found[count++] = completion->worker[i].heap[j];
			pool_yield_at(completion->pool, POOL_LEADER, j);
		}
	sort_array(completion->pool, POOL_LEADER, completion->found, count, sizeof(KgeScored), compare_answered);
	for (int64_t i = 0; i < count; i++)
	{
		if (triples == 0 || compare_triples(&completion->found[triples - 1].triple, &completion->found[i].triple) != 0)
			completion->found[triples++] = completion->found[i];
		pool_yield_at(completion->pool, POOL_LEADER, i);
	}
	return triples;
}

int64_t
kge_completion_end(KgeCompletion *completion, const KgeScored **best)
{
	int64_t		count = gather(completion);

	sort_array(completion->pool, POOL_LEADER, completion->found, count, sizeof(KgeScored), compare_probable);
	*best = completion->found;
	return count < completion->k ? count : completion->k;
}
