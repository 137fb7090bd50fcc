/*
 * top_triples.c
 *		The most plausible triples that are not known.
 *
 * Every known (head, relation) asks for its tails, and all entities are candidates.  A
 * block of questions meets a segment of the candidates, tile by tile; each thread
 * keeps the k best triples that it met, in a heap.  What the heaps hold
 * together is put in order at the end.  So memory is bounded by k, and the outcome does not
 * depend on which thread met what.
 *
 * A second adjustment raises the scores of few candidates.  A block asks for it first, and keeps those
 * with what is added; they are marked, and not met once more.  Then a block meets all
 * candidates at once, so that each question is asked once.
 *
 * An entity is no candidate for itself where no known triple of the relation is
 * about one entity alone: bilinear models like such triples, and nobody asks for them.
 */
#include <math.h>

#include "engine.h"
#include "core/sort.h"
#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"

#define BLOCK	64				/* questions at a time, a bit for each */
#define TILE	512				/* candidates at a time */
#define SEGMENT 8192			/* candidates of an item, without an adjustment */

/* The known tails of one (head, relation): known[start .. end-1] */
typedef struct TailQuestion
{
	int64_t		start;
	int64_t		end;
	bool		reflexive;		/* its own head is a candidate */
} TailQuestion;

/* What a thread works with */
typedef struct Worker
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	uint64_t   *raised;			/* by entity, a bit for each of BLOCK questions: kept by the adjustment */
	KgeScored  *heap;			/* the worst first */
	int64_t		kept;
} Worker;

typedef struct Completion
{
	Pool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const KgeAdjustment *adjustment;	/* or NULL */
	const Triple *known;
	int64_t		known_count;
	int64_t		k;
	int64_t		segment;		/* candidates of an item */
	int64_t		segments;
	int64_t		questions;
	TailQuestion *question;
	Worker	   *worker;			/* by thread */
	KgeScored  *met;			/* what all heaps hold; then the outcome */
} Completion;

static bool
same_question(const Triple *a, const Triple *b)
{
	return a->head == b->head && a->relation == b->relation;
}

static int64_t
count_questions(const Triple *known, int64_t count)
{
	int64_t		questions = count > 0;

	for (int64_t i = 1; i < count; i++)
		questions += !same_question(&known[i], &known[i - 1]);
	return questions;
}

/* Questions of a relation follow each other. */
static void
fill_questions(Completion *completion)
{
	const Triple *known = completion->known;
	int64_t		next = 0;
	int64_t		first = 0;		/* question of the relation */
	bool		reflexive = false;

	for (int64_t i = 0; i < completion->known_count; i++)
	{
		if (i == 0 || !same_question(&known[i], &known[i - 1]))
			completion->question[next++] = (TailQuestion) {i, i, false};
		completion->question[next - 1].end = i + 1;
		reflexive |= known[i].head == known[i].tail;
		pool_yield_at(completion->pool, POOL_LEADER, i);
		if (i + 1 == completion->known_count || known[i + 1].relation != known[i].relation)
		{
			for (; first < next; first++)
				completion->question[first].reflexive = reflexive;
			reflexive = false;
		}
	}
}

/* ---- the best of what a thread meets ---------------------------------------------- */

/* Whether a comes after b in the outcome. */
static bool
worse(const KgeScored *a, const KgeScored *b)
{
	if (a->score != b->score)
		return a->score < b->score;
	if (a->triple.relation != b->triple.relation)
		return a->triple.relation > b->triple.relation;
	if (a->triple.head != b->triple.head)
		return a->triple.head > b->triple.head;
	return a->triple.tail > b->triple.tail;
}

static void
sift_down(KgeScored *heap, int64_t count)
{
	KgeScored	moved = heap[0];
	int64_t		place = 0;

	for (int64_t child; (child = 2 * place + 1) < count; place = child)
	{
		if (child + 1 < count && worse(&heap[child + 1], &heap[child]))
			child++;
		if (!worse(&heap[child], &moved))
			break;
		heap[place] = heap[child];
	}
	heap[place] = moved;
}

static void
sift_up(KgeScored *heap, int64_t place)
{
	KgeScored	moved = heap[place];

	while (place > 0 && worse(&moved, &heap[(place - 1) / 2]))
	{
		heap[place] = heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap[place] = moved;
}

static void
keep(Worker *worker, int64_t k, KgeScored scored)
{
	if (worker->kept < k)
	{
		worker->heap[worker->kept] = scored;
		sift_up(worker->heap, worker->kept++);
	}
	else if (worse(&worker->heap[0], &scored))
	{
		worker->heap[0] = scored;
		sift_down(worker->heap, k);
	}
}

static bool
is_known(const Completion *completion, const TailQuestion *question, int32_t tail)
{
	int64_t		low = question->start;
	int64_t		high = question->end;

	while (low < high)
	{
		int64_t		middle = low + (high - low) / 2;

		if (completion->known[middle].tail < tail)
			low = middle + 1;
		else
			high = middle;
	}
	return low < question->end && completion->known[low].tail == tail;
}

/* ---- a block of questions meets a segment of candidates ------------------------------ */

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
consider(const Completion *completion, Worker *worker, const TailQuestion *question,
		 int32_t tail, double phi, double addition)
{
	Triple	triple = completion->known[question->start];
	double		score = score_of(completion, triple.relation, phi, addition);

	if (isnan(score) || (worker->kept == completion->k && score < worker->heap[0].score) ||
		(tail == triple.head && !question->reflexive) || is_known(completion, question, tail))
		return;
	triple.tail = tail;
	keep(worker, completion->k, (KgeScored) {triple, score, phi, addition});
}

/* Looks at one question's scores of a tile. */
static void
meet(const Completion *completion, Worker *worker, const TailQuestion *question, int number,
	 int32_t first, int32_t count)
{
	const float *score = worker->score + number;

	for (int32_t c = 0; c < count; c++)
		if (completion->adjustment == NULL || (worker->raised[first + c] >> number & 1) == 0)
			consider(completion, worker, question, first + c, (double) score[c * BLOCK], 0);
}

/* Asks the adjustment about a block of questions. */
static void
hear_opinion(const Completion *completion, Worker *worker, const TailQuestion *question, KgeRows queries, int thread)
{
	for (int32_t i = 0; i < completion->model->entities; i++)
		worker->raised[i] = 0;
	for (int i = 0; i < queries.count; i++)
	{
		const float *query = queries.row + (size_t) i * (size_t) queries.stride;
		Triple	triple = completion->known[question[i].start];
		const KgeAddition *additions;
		int64_t		count = completion->adjustment->ask(completion->adjustment->argument, SIDE_TAIL, triple.head,
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
meet_segment(void *argument, int64_t item, int thread)
{
	Completion *completion = argument;
	const KgeModel *model = completion->model;
	Worker	   *worker = &completion->worker[thread];
	const TailQuestion *question = &completion->question[item / completion->segments * BLOCK];
	int64_t		left = completion->questions - item / completion->segments * BLOCK;
	int64_t		from = item % completion->segments * completion->segment;
	int64_t		end = from + completion->segment < model->entities ? from + completion->segment : model->entities;
	int			stride = vector_stride(completion->engine.width);
	KgeRows		queries = {left < BLOCK ? (int) left : BLOCK, stride, worker->query};

	for (int i = 0; i < queries.count; i++)
		kge_make_query(model, kge_query(model, completion->known[question[i].start], SIDE_TAIL),
					   worker->query + (size_t) i * (size_t) stride);
	if (completion->adjustment != NULL)
		hear_opinion(completion, worker, question, queries, thread);
	kge_engine_prepare(&completion->engine, queries, worker->engine);
	for (; from < end; from += TILE)
	{
		KgeRows		candidates = {from + TILE < end ? TILE : (int) (end - from),
		completion->engine.width, kge_entity_row(model, (int32_t) from)};

		kge_engine_scores(&completion->engine, queries, worker->engine, candidates,
						  worker->score, BLOCK);
		for (int i = 0; i < queries.count; i++)
			meet(completion, worker, &question[i], i, (int32_t) from, candidates.count);
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
	completion->met = TAKE(allocation, KgeScored, (size_t) completion->k * (size_t) threads);
	completion->worker = TAKE(allocation, Worker, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Worker		worker = {.kept = 0};

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

/* Best first. */
static int
compare_scored(const void *a, const void *b)
{
	return worse(a, b) - worse(b, a);
}

/* Puts the heaps together; the first k are the outcome. */
static int64_t
gather(Completion *completion)
{
	int64_t		count = 0;

	for (int i = 0; i < pool_threads(completion->pool); i++)
		for (int64_t j = 0; j < completion->worker[i].kept; j++)
		{
			completion->met[count++] = completion->worker[i].heap[j];
			pool_yield_at(completion->pool, POOL_LEADER, j);
		}
	sort_array(completion->pool, POOL_LEADER, completion->met, count, sizeof(KgeScored), compare_scored);
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
	 const Triple *known, int64_t known_count, int64_t k)
{
	Completion	completion = {.pool = pool,.model = model,.adjustment = adjustment,.known = known,.known_count = known_count};

	completion.engine = kge_engine(model);
	completion.segment = adjustment == NULL ? SEGMENT : model->entities;
	completion.segments = (model->entities + completion.segment - 1) / completion.segment;
	completion.questions = count_questions(known, known_count);
	completion.k = most_triples(&completion, k);
	return completion;
}

size_t
kge_complete_bytes(Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
				   const Triple *known, int64_t known_count, int64_t k)
{
	Completion	completion = plan(pool, model, adjustment, known, known_count, k);
	Allocation	allocation = {0};

	take_completion(&completion, &allocation);
	return allocation_bytes(&allocation);
}

int64_t
kge_complete(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
			 const Triple *known, int64_t known_count, int64_t k, const KgeScored **best)
{
	Completion	completion = plan(pool, model, adjustment, known, known_count, k);
	Allocation	allocation = {0};
	int64_t		count;

	if (completion.k <= 0)
		return 0;
	take_completion(&completion, &allocation);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_completion(&completion, &allocation);
	fill_questions(&completion);
	pool_run(pool, (completion.questions + BLOCK - 1) / BLOCK * completion.segments,
				 meet_segment, &completion);
	count = gather(&completion);
	for (int64_t i = 0; i < count; i++)
	{
		KgeScored  *met = &completion.met[i];

		met->phi = kge_score(model, met->triple);
		met->score = score_of(&completion, met->triple.relation, met->phi, met->addition);
		pool_yield(pool, POOL_LEADER);
	}
	sort_array(pool, POOL_LEADER, completion.met, count, sizeof(KgeScored), compare_scored);
	*best = completion.met;
	return count;
}
