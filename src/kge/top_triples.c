/*
 * top_triples.c
 *		The most plausible triples that are not facts.
 *
 * Every (head, relation) of the facts is a question for tails, and all entities are candidates.  A
 * block of questions is scored against a segment of the candidates, tile by tile; each thread
 * keeps its k best triples in a heap.  What the heaps hold
 * together is put in order at the end.  So memory is bounded by k, and the outcome does not
 * depend on which thread scored what.
 *
 * An adjustment raises the scores of few candidates.  A block computes it first, and keeps those
 * with what is added; they are marked, and not scored again.  Then a block is scored against all
 * candidates at once, so that each question is asked once.
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
#define SEGMENT 8192			/* candidates of an item, without an adjustment */

/* The tails of one (head, relation): fact[start .. end-1] */
typedef struct TailQuestion
{
	int64_t		start;
	int64_t		end;
	bool		reflexive;		/* its own head is a candidate */
} TailQuestion;

/* What a thread works with */
typedef struct Thread
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	uint64_t   *raised;			/* by entity, a bit for each of BLOCK questions: kept by the adjustment */
	KgeScored  *heap;			/* the worst first */
	int64_t		kept;
} Thread;

typedef struct Completion
{
	Pool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const KgeAdjustment *adjustment;	/* or NULL */
	const Triple *fact;
	int64_t		fact_count;
	int64_t		k;
	int64_t		segment;		/* candidates of an item */
	int64_t		segments;
	int64_t		questions;
	TailQuestion   *question;
	Thread	   *worker;			/* by thread */
	KgeScored  *found;			/* what all heaps hold; then the outcome */
} Completion;

static bool
same_question(const Triple *a, const Triple *b)
{
	return a->head == b->head && a->relation == b->relation;
}

static int64_t
count_questions(const Triple *fact, int64_t count)
{
	int64_t		questions = count > 0;

	for (int64_t i = 1; i < count; i++)
		questions += !same_question(&fact[i], &fact[i - 1]);
	return questions;
}

/* Questions of a relation follow each other. */
static void
fill_questions(Completion *completion)
{
	const Triple *fact = completion->fact;
	int64_t		next = 0;
	int64_t		first = 0;		/* question of the relation */
	bool		reflexive = false;

	for (int64_t i = 0; i < completion->fact_count; i++)
	{
		if (i == 0 || !same_question(&fact[i], &fact[i - 1]))
			completion->question[next++] = (TailQuestion) {i, i, false};
		completion->question[next - 1].end = i + 1;
		reflexive |= fact[i].head == fact[i].tail;
		pool_yield_at(completion->pool, POOL_LEADER, i);
		if (i + 1 == completion->fact_count || fact[i + 1].relation != fact[i].relation)
		{
			for (; first < next; first++)
				completion->question[first].reflexive = reflexive;
			reflexive = false;
		}
	}
}

/* ---- the best of a thread ---------------------------------------------- */

/* The best first */
static int
compare_scored(const void *a, const void *b)
{
	const KgeScored *left = a;
	const KgeScored *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	if (left->triple.relation != right->triple.relation)
		return left->triple.relation < right->triple.relation ? -1 : 1;
	if (left->triple.head != right->triple.head)
		return left->triple.head < right->triple.head ? -1 : 1;
	return (left->triple.tail > right->triple.tail) - (left->triple.tail < right->triple.tail);
}

static int
compare_tail(const void *element, const void *key)
{
	int32_t		tail = ((const Triple *) element)->tail;
	int32_t		wanted = *(const int32_t *) key;

	return (tail > wanted) - (tail < wanted);
}

static bool
is_fact(const Completion *completion, const TailQuestion *question, int32_t tail)
{
	int64_t		place = lower_bound(completion->fact, question->start, question->end, sizeof(Triple),
									&tail, compare_tail);

	return place < question->end && completion->fact[place].tail == tail;
}

/* ---- a block of questions against a segment of candidates ------------------------------ */

/* The score of an answer: phi with what the adjustment adds. */
static double
score_of(const Completion *completion, int32_t relation, double phi, double addition)
{
	const KgeAdjustment *adjustment = completion->adjustment;
	double		scale;

	if (adjustment == NULL)
		return phi;
	scale = adjustment->scale == NULL ? 1 : adjustment->scale[2 * relation + SIDE_TAIL];
	return scale * (phi + kge_adjustment_weight(adjustment, relation, SIDE_TAIL) * addition);
}

/* Keeps a candidate, if it is one; NaN is never above anything. */
static void
consider(const Completion *completion, Thread *worker, const TailQuestion *question,
		 int32_t tail, double phi, double addition)
{
	Triple	triple = completion->fact[question->start];
	double		score = score_of(completion, triple.relation, phi, addition);

	if (isnan(score) || (worker->kept == completion->k && score < worker->heap[0].score) ||
		(tail == triple.head && !question->reflexive) || is_fact(completion, question, tail))
		return;
	triple.tail = tail;
	worker->kept = heap_offer(worker->heap, worker->kept, completion->k,
							  &(KgeScored) {triple, score, phi, addition}, sizeof(KgeScored), compare_scored);
}

/* Looks at one question's scores of a tile. */
static void
take_tile(const Completion *completion, Thread *worker, const TailQuestion *question, int number,
	 int32_t first, int32_t count)
{
	const float *score = worker->score + number;

	for (int32_t c = 0; c < count; c++)
		if (completion->adjustment == NULL || (worker->raised[first + c] >> number & 1) == 0)
			consider(completion, worker, question, first + c, (double) score[c * BLOCK], 0);
}

/* Takes the candidates that the adjustment raises, for a block of questions. */
static void
take_raised(const Completion *completion, Thread *worker, const TailQuestion *question, KgeRows queries, int thread)
{
	for (int32_t i = 0; i < completion->model->entities; i++)
		worker->raised[i] = 0;
	for (int i = 0; i < queries.count; i++)
	{
		const float *query = queries.row + (size_t) i * (size_t) queries.stride;
		Triple	triple = completion->fact[question[i].start];
		const KgeAddition *additions;
		int64_t		count = completion->adjustment->list(completion->adjustment->argument, SIDE_TAIL, triple.head,
													 triple.relation, completion->pool, thread, &additions);

		for (int64_t j = 0; j < count; j++)
		{
			int32_t		tail = additions[j].entity;
			float		phi = kge_engine_score(&completion->engine, query, kge_entity_row(completion->model, tail));

			consider(completion, worker, &question[i], tail, (double) phi, additions[j].addition);
			worker->raised[tail] |= UINT64_C(1) << i;
			if (j % 1024 == 0)
				pool_yield(completion->pool, thread);
		}
	}
}

/* Item: one block, one segment. */
static void
score_segment(void *argument, int64_t item, int thread)
{
	Completion *completion = argument;
	const KgeModel *model = completion->model;
	Thread	   *worker = &completion->worker[thread];
	const TailQuestion *question = &completion->question[item / completion->segments * BLOCK];
	int64_t		left = completion->questions - item / completion->segments * BLOCK;
	int64_t		from = item % completion->segments * completion->segment;
	int64_t		end = from + completion->segment < model->entities ? from + completion->segment : model->entities;
	int			stride = vector_stride(completion->engine.width);
	KgeRows		queries = {left < BLOCK ? (int) left : BLOCK, stride, worker->query};

	for (int i = 0; i < queries.count; i++)
		kge_make_query(model, kge_query(model, completion->fact[question[i].start], SIDE_TAIL),
					   worker->query + (size_t) i * (size_t) stride);
	if (completion->adjustment != NULL)
		take_raised(completion, worker, question, queries, thread);
	kge_engine_prepare(&completion->engine, queries, worker->engine);
	for (; from < end; from += TILE)
	{
		KgeRows		candidates = {from + TILE < end ? TILE : (int) (end - from),
		completion->engine.width, kge_entity_row(model, (int32_t) from)};

		kge_engine_scores(&completion->engine, queries, worker->engine, candidates,
						  worker->score, BLOCK);
		for (int i = 0; i < queries.count; i++)
			take_tile(completion, worker, &question[i], i, (int32_t) from, candidates.count);
		pool_yield(completion->pool, thread);
	}
}

/* ---- all together --------------------------------------------------------------------- */

static void
take_completion(Completion *completion, Allocation *allocation)
{
	int			threads = pool_threads(completion->pool);
	size_t		stride = (size_t) vector_stride(completion->engine.width);

	completion->question = TAKE(allocation, TailQuestion, (size_t) completion->questions);
	completion->found = TAKE(allocation, KgeScored, (size_t) completion->k * (size_t) threads);
	completion->worker = TAKE(allocation, Thread, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Thread		worker = {.kept = 0};

		worker.query = TAKE(allocation, float, BLOCK * stride);
		worker.engine = TAKE(allocation, float, kge_engine_scratch(&completion->engine, BLOCK));
		worker.score = TAKE(allocation, float, TILE * BLOCK);
		if (completion->adjustment != NULL)
			worker.raised = TAKE(allocation, uint64_t, (size_t) completion->model->entities);
		worker.heap = TAKE(allocation, KgeScored, (size_t) completion->k);
		if (completion->worker != NULL)
			completion->worker[i] = worker;
	}
}

/* Puts the heaps together, best first; the first k are the outcome. */
static int64_t
gather(Completion *completion)
{
	int64_t		count = 0;

	for (int i = 0; i < pool_threads(completion->pool); i++)
		for (int64_t j = 0; j < completion->worker[i].kept; j++)
		{
			completion->found[count++] = completion->worker[i].heap[j];
			pool_yield_at(completion->pool, POOL_LEADER, j);
		}
	sort_array(completion->pool, POOL_LEADER, completion->found, count, sizeof(KgeScored), compare_scored);
	return count < completion->k ? count : completion->k;
}

static int64_t
most_triples(const Completion *completion, int64_t k)
{
	return k / completion->model->entities < completion->questions ? k :
		completion->questions * completion->model->entities;
}

static Completion
plan(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
	 const Triple *fact, int64_t fact_count, int64_t k)
{
	Completion	completion = {.pool = pool,.model = model,.adjustment = adjustment,.fact = fact,.fact_count = fact_count};

	completion.engine = kge_engine(model);
	completion.segment = adjustment == NULL ? SEGMENT : model->entities;
	completion.segments = pool_pieces(model->entities, completion.segment);
	completion.questions = count_questions(fact, fact_count);
	completion.k = most_triples(&completion, k);
	return completion;
}

size_t
kge_complete_bytes(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
				   const Triple *fact, int64_t fact_count, int64_t k)
{
	Completion	completion = plan(pool, model, adjustment, fact, fact_count, k);
	Allocation	allocation = {0};

	take_completion(&completion, &allocation);
	return allocation_bytes(&allocation);
}

int64_t
kge_complete(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
			 const Triple *fact, int64_t fact_count, int64_t k, const KgeScored **best)
{
	Completion	completion = plan(pool, model, adjustment, fact, fact_count, k);
	Allocation	allocation = {0};
	int64_t		count;

	if (completion.k <= 0)
		return 0;
	take_completion(&completion, &allocation);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_completion(&completion, &allocation);
	fill_questions(&completion);
	pool_run(pool, pool_pieces(completion.questions, BLOCK) * completion.segments,
				 score_segment, &completion);
	count = gather(&completion);
	for (int64_t i = 0; i < count; i++)
	{
		KgeScored  *found = &completion.found[i];

		found->phi = kge_score(model, found->triple);
		found->score = score_of(&completion, found->triple.relation, found->phi, found->addition);
		pool_yield(pool, POOL_LEADER);
	}
	sort_array(pool, POOL_LEADER, completion.found, count, sizeof(KgeScored), compare_scored);
	*best = completion.found;
	return count;
}
