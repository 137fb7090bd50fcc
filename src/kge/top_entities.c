/*
 * top_entities.c
 *		The best candidates of a question, the nearest neighbours of an entity, and the
 *		scores of a list of triples.
 *
 * Top k: the threads score a sketch of all candidates and note, for each, the most that its exact score can be
 * (sketch.c).  The k candidates for which that is highest are scored exactly: the lowest of their scores is a threshold
 * that no finalist's most may fall below.  Finalists are scored in double precision, and the best k of them kept.
 */
#include <math.h>
#include <string.h>

#include "core/allocation.h"
#include "core/heap.h"
#include "core/pool.h"
#include "core/sort.h"
#include "core/vector.h"
#include "engine.h"
#include "exact_score.h"
#include "sketch.h"

#define AT_ONCE 256				/* candidates or triples of an item */

/* ---- top k ------------------------------------------------------------------ */

typedef struct BestEntity
{
	double		score;
	int32_t		row;
} BestEntity;

typedef struct Top
{
	Pool    *pool;
	const KgeModel *model;
	const KgeSketch *sketch;
	Question	question;
	const int32_t *excluded;
	int64_t		excluded_count;
	float	   *query;
	float	   *sketched;		/* threads x stride */
	int8_t	   *code;
	KgeSketchQuery asked;
	KgeExactScore *exact;		/* of each thread */
	double	   *most;			/* of each candidate, NaN if left out; then the exact score */
	double		threshold;
	BestEntity	   *best;			/* heap, the worst first */
} Top;

static void
take_top(Top *top, Allocation *allocation, int threads, int64_t k)
{
	size_t		entities = (size_t) top->model->entities;
	size_t		stride = (size_t) vector_stride(kge_model_width(top->model));

	top->query = TAKE(allocation, float, stride);
	top->sketched = TAKE(allocation, float, stride * (size_t) threads);
	top->code = TAKE(allocation, int8_t, kge_sketch_query_bytes(top->model));
	top->exact = TAKE(allocation, KgeExactScore, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		KgeExactScore exact = kge_exact_score_take(top->model, allocation);

		if (top->exact != NULL)
			top->exact[i] = exact;
	}
	top->most = TAKE(allocation, double, entities);
	top->best = TAKE(allocation, BestEntity, (size_t) k);
}

/* There are no more than all. */
static int64_t
at_most_all(const KgeModel *model, int64_t k)
{
	return k < model->entities ? k : model->entities;
}

size_t
kge_top_bytes(const KgeModel *model, int threads, int64_t k)
{
	Top			top = {.model = model};
	Allocation	allocation = {0};

	take_top(&top, &allocation, threads, at_most_all(model, k));
	return allocation_bytes(&allocation);
}

/* The best first */
static int
compare_best(const void *a, const void *b)
{
	const BestEntity *left = a;
	const BestEntity *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/* Keeps the k highest of `count` scores that are numbers in a heap; how many there are. */
static int64_t
keep_best(Pool *pool, int32_t count, const double *score, BestEntity *heap, int64_t k)
{
	int64_t		kept = 0;

	for (int32_t i = 0; i < count; i++)
	{
		if (!isnan(score[i]))
			kept = heap_offer(heap, kept, k, &(BestEntity) {score[i], i}, sizeof(BestEntity), compare_best);
		pool_yield_at(pool, POOL_LEADER, i);
	}
	return kept;
}

/* The same, best first. */
static int64_t
best_of(Pool *pool, int32_t count, const double *score, BestEntity *heap, int64_t k, int32_t *rows, double *scores)
{
	int64_t		kept = keep_best(pool, count, score, heap, k);

	sort_array(pool, POOL_LEADER, heap, kept, sizeof(BestEntity), compare_best);
	for (int64_t i = 0; i < kept; i++)
	{
		rows[i] = heap[i].row;
		scores[i] = heap[i].score;
		pool_yield_at(pool, POOL_LEADER, i);
	}
	return kept;
}

/* Item: the most of some candidates. */
static void
estimate(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * AT_ONCE;
	float	   *row = top->sketched + (size_t) thread * (size_t) vector_stride(top->sketch->engine.width);

	if (end > top->model->entities)
		end = top->model->entities;
	kge_sketch_look(&top->asked, item * AT_ONCE, end, row, top->most);
	pool_yield(top->pool, thread);
}

static double
exact_score(Top *top, int32_t row, int thread)
{
	return kge_exact_score(&top->exact[thread], question_triple(&top->question, row), top->question.side);
}

/* Whether a candidate can be among the best: by its sketch, then by its embedding. */
static bool
is_finalist(const Top *top, int32_t row)
{
	const KgeSketch *sketch = top->sketch;

	if (!(top->most[row] >= top->threshold))
		return false;
	return isinf(top->most[row]) ||
		!(kge_score_limit(&sketch->engine, top->query, top->asked.norm, kge_entity_row(top->model, row),
						  sketch->norm[row]) < top->threshold);
}

/* Item: exact scores of the finalists among some candidates, NaN for the others. */
static void
score_finalists(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < top->model->entities; i++)
		top->most[i] = is_finalist(top, (int32_t) i) ? exact_score(top, (int32_t) i, thread) : NAN;
	pool_yield(top->pool, thread);
}

/* The lowest score of k candidates that promise high ones, or less than anything if there are fewer. */
static double
find_threshold(Top *top, int64_t k)
{
	int64_t		kept = 0;
	double		threshold = INFINITY;

	for (int32_t i = 0; i < top->model->entities; i++)
	{
		/* a most that is infinite promises nothing */
		if (isfinite(top->most[i]))
			kept = heap_offer(top->best, kept, k, &(BestEntity) {top->most[i], i}, sizeof(BestEntity), compare_best);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	for (int64_t i = 0; i < kept; i++)
	{
		double		score = exact_score(top, top->best[i].row, 0);

		if (isnan(score))
			return -INFINITY;
		threshold = fmin(threshold, score);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	return kept < k ? -INFINITY : threshold;
}

int64_t
kge_top(Arena *arena, Pool *pool, const KgeModel *model,
		const KgeSketch *sketch, KgeTopQuestion question,
		int64_t k, int32_t *rows, double *scores)
{
	Top			top = {.pool = pool,.model = model,.sketch = sketch,.excluded = question.excluded,
		.excluded_count = question.excluded_count,
		.question = {.side = question.side,.relation = question.relation,.given = question.given}};
	int64_t		items = pool_pieces(model->entities, AT_ONCE);
	Allocation	allocation = {0};

	k = at_most_all(model, k);
	if (k <= 0)
		return 0;
	take_top(&top, &allocation, pool_threads(pool), k);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_top(&top, &allocation, pool_threads(pool), k);

	kge_make_query(model, kge_query(model, question_triple(&top.question, 0), question.side), top.query);
	top.asked = kge_sketch_query(sketch, top.query, top.code);
	pool_run(pool, items, estimate, &top);
	for (int64_t i = 0; i < top.excluded_count; i++)
		top.most[top.excluded[i]] = NAN;
	top.threshold = find_threshold(&top, k);
	pool_run(pool, items, score_finalists, &top);

	return best_of(pool, model->entities, top.most, top.best, k, rows, scores);
}

/* ---- neighbours --------------------------------------------------------------- */

typedef struct Neighborhood
{
	Pool    *pool;
	const KgeModel *model;
	int32_t		entity;
	double	   *cosine;			/* of each entity */
	BestEntity	   *best;			/* heap */
} Neighborhood;

static void
take_neighborhood(Neighborhood *neighborhood, Allocation *allocation, int64_t k)
{
	neighborhood->cosine = TAKE(allocation, double, (size_t) neighborhood->model->entities);
	neighborhood->best = TAKE(allocation, BestEntity, (size_t) k);
}

size_t
kge_neighbors_bytes(const KgeModel *model, int64_t k)
{
	Neighborhood neighborhood = {.model = model};
	Allocation	allocation = {0};

	take_neighborhood(&neighborhood, &allocation, at_most_all(model, k));
	return allocation_bytes(&allocation);
}

static double
cosine(int n, const float *a, const float *b)
{
	double		ab = 0;
	double		aa = 0;
	double		bb = 0;

	for (int j = 0; j < n; j++)
	{
		ab += (double) a[j] * b[j];
		aa += (double) a[j] * a[j];
		bb += (double) b[j] * b[j];
	}
	return ab / sqrt(aa * bb);
}

double
kge_cosine(const KgeModel *model, int32_t a, int32_t b)
{
	return cosine(kge_model_width(model), kge_entity_row(model, a), kge_entity_row(model, b));
}

/* Item: the cosines of some entities, NaN for the one that is asked about. */
static void
compare(void *argument, int64_t item, int thread)
{
	Neighborhood *neighborhood = argument;
	const KgeModel *model = neighborhood->model;
	const float *asked = kge_entity_row(model, neighborhood->entity);
	int64_t		end = (item + 1) * AT_ONCE;
	bool		flushed = flush_denormals(false);

	for (int64_t i = item * AT_ONCE; i < end && i < model->entities; i++)
		neighborhood->cosine[i] = i == neighborhood->entity ? NAN :
			cosine(kge_model_width(model), asked, kge_entity_row(model, (int32_t) i));
	flush_denormals(flushed);
	pool_yield(neighborhood->pool, thread);
}

int64_t
kge_neighbors(Arena *arena, Pool *pool, const KgeModel *model, int32_t entity,
			  int64_t k, int32_t *rows, double *cosines)
{
	Neighborhood neighborhood = {.pool = pool,.model = model,.entity = entity};
	Allocation	allocation = {0};

	k = at_most_all(model, k);
	if (k <= 0)
		return 0;
	take_neighborhood(&neighborhood, &allocation, k);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_neighborhood(&neighborhood, &allocation, k);
	pool_run(pool, pool_pieces(model->entities, AT_ONCE), compare, &neighborhood);
	return best_of(pool, model->entities, neighborhood.cosine, neighborhood.best, k, rows, cosines);
}

/* ---- a list of triples -------------------------------------------------------- */

typedef struct TripleScoring
{
	Pool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const Triple *triples;
	int64_t		count;
	float	   *scores;
	float	   *query;			/* threads x stride */
} TripleScoring;

/* Item: the scores of some triples; a query serves as long as it stays the same. */
static void
score_listed(void *argument, int64_t item, int thread)
{
	TripleScoring    *scoring = argument;
	const KgeModel *model = scoring->model;
	float	   *query = scoring->query +
		(size_t) thread * (size_t) vector_stride(scoring->engine.width);
	int64_t		start = item * AT_ONCE;
	int64_t		end = start + AT_ONCE;

	for (int64_t i = start; i < end && i < scoring->count; i++)
	{
		Triple	triple = scoring->triples[i];

		if (i == start || triple.head != scoring->triples[i - 1].head ||
			triple.relation != scoring->triples[i - 1].relation)
			kge_make_query(model, kge_query(model, triple, SIDE_TAIL), query);
		scoring->scores[i] = kge_engine_score(&scoring->engine, query,
											  kge_entity_row(model, triple.tail));
	}
	pool_yield(scoring->pool, thread);
}

bool
kge_score_triples(Arena *arena, Pool *pool, const KgeModel *model,
				  const Triple *triples, int64_t count, float *scores)
{
	TripleScoring		scoring = {pool, model, kge_engine(model), triples, count, scores, NULL};
	size_t		floats = (size_t) pool_threads(pool) *
		(size_t) vector_stride(scoring.engine.width);
	Allocation	allocation = {0};

	TAKE(&allocation, float, floats);
	if (!allocation_open(&allocation, arena))
		return false;
	scoring.query = TAKE(&allocation, float, floats);
	pool_run(pool, pool_pieces(count, AT_ONCE), score_listed, &scoring);
	return true;
}
