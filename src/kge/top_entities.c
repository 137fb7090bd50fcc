/*
 * top_entities.c
 *		The best candidates of a question, the nearest neighbours of an entity, and the
 *		scores of a list of triples.
 *
 * Top k: the threads score a sketch of all candidates and note, for each, the least and
 * the most that its exact score can be (sketch.c).  The k-th largest least is a threshold
 * that no finalist's most may fall below; finalists are scored in double
 * precision, and the best k of them kept.
 */
#include <math.h>
#include <string.h>

#include "score_bound.h"
#include "engine.h"
#include "sketch.h"
#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"

#define AT_ONCE 256				/* candidates or triples of an item */

/* ---- top k ------------------------------------------------------------------ */

typedef struct Best
{
	double		score;
	int32_t		row;
} Best;

typedef struct Top
{
	Pool    *pool;
	const KgeModel *model;
	const KgeSketch *sketch;
	Side		side;
	int32_t		given;
	int32_t		relation;
	const int32_t *excluded;
	int64_t		excluded_count;
	float	   *query;
	float	   *sketched;		/* threads x stride */
	double		query_norm;
	double	   *least;			/* of each candidate; NaN if left out */
	double	   *most;			/* of each candidate; then the exact score */
	double		threshold;
	Best	   *best;			/* heap, the worst first */
} Top;

static void
take_top(Top *top, Allocation *allocation, int threads, int64_t k)
{
	size_t		entities = (size_t) top->model->entities;
	size_t		stride = (size_t) vector_stride(kge_model_width(top->model));

	top->query = TAKE(allocation, float, stride);
	top->sketched = TAKE(allocation, float, stride * (size_t) threads);
	top->least = TAKE(allocation, double, entities);
	top->most = TAKE(allocation, double, entities);
	top->best = TAKE(allocation, Best, (size_t) k);
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

/* Whether a comes after b in the answer. */
static bool
worse(Best a, Best b)
{
	return a.score != b.score ? a.score < b.score : a.row > b.row;
}

static void
sift_down(Best *heap, int64_t count, int64_t place)
{
	Best		moved = heap[place];

	for (int64_t child; (child = 2 * place + 1) < count; place = child)
	{
		if (child + 1 < count && worse(heap[child + 1], heap[child]))
			child++;
		if (!worse(heap[child], moved))
			break;
		heap[place] = heap[child];
	}
	heap[place] = moved;
}

static void
sift_up(Best *heap, int64_t place)
{
	Best		moved = heap[place];

	while (place > 0 && worse(moved, heap[(place - 1) / 2]))
	{
		heap[place] = heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap[place] = moved;
}

/* Keeps the k best of those that are given; tells how many there are. */
static int64_t
keep_best(Best *heap, int64_t count, int64_t k, Best candidate)
{
	if (count < k)
	{
		heap[count] = candidate;
		sift_up(heap, count);
		return count + 1;
	}
	if (worse(heap[0], candidate))
	{
		heap[0] = candidate;
		sift_down(heap, count, 0);
	}
	return count;
}

/* The triple that a candidate makes. */
static Triple
question(const Top *top, int32_t candidate)
{
	if (top->side == SIDE_HEAD)
		return (Triple) {candidate, top->relation, top->given};
	return (Triple) {top->given, top->relation, candidate};
}

/* The k highest of `count` scores that are numbers, best first, by way of the heap; how many there are. */
static int64_t
best_of(Pool *pool, int32_t count, const double *score, Best *heap, int64_t k, int32_t *rows, double *scores)
{
	int64_t		kept = 0;

	for (int32_t i = 0; i < count; i++)
	{
		if (!isnan(score[i]))
			kept = keep_best(heap, kept, k, (Best) {score[i], i});
		pool_yield_at(pool, POOL_LEADER, i);
	}
	for (int64_t last = kept - 1; last >= 0; last--)
	{
		rows[last] = heap[0].row;
		scores[last] = heap[0].score;
		heap[0] = heap[last];
		sift_down(heap, last, 0);
		pool_yield_at(pool, POOL_LEADER, last);
	}
	return kept;
}

/* Item: the least and the most of some candidates. */
static void
estimate(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * AT_ONCE;
	float	   *row = top->sketched + (size_t) thread * (size_t) vector_stride(top->sketch->engine.width);

	if (end > top->model->entities)
		end = top->model->entities;
	kge_sketch_look(top->sketch, top->query, top->query_norm, item * AT_ONCE, end, row,
					top->least, top->most);
	pool_yield(top->pool, thread);
}

/* Item: exact scores of the finalists among some candidates, NaN for the others. */
static void
score_finalists(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * AT_ONCE;
	bool		flushed = flush_denormals(false);

	for (int64_t i = item * AT_ONCE; i < end && i < top->model->entities; i++)
	{
		int32_t		row = (int32_t) i;
		Triple	triple = kge_asked(top->model, question(top, row), top->side);

		top->most[i] = top->most[i] >= top->threshold ? kge_score(top->model, triple) : NAN;
	}
	flush_denormals(flushed);
	pool_yield(top->pool, thread);
}

/* The k-th largest least, or less than anything if there are fewer. */
static double
find_threshold(Top *top, int64_t k)
{
	int64_t		count = 0;

	for (int64_t i = 0; i < top->excluded_count; i++)
		top->least[top->excluded[i]] = top->most[top->excluded[i]] = NAN;
	for (int32_t i = 0; i < top->model->entities; i++)
	{
		if (!isnan(top->least[i]))
			count = keep_best(top->best, count, k, (Best) {top->least[i], i});
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	return count < k ? -INFINITY : top->best[0].score;
}

int64_t
kge_top(Arena *arena, Pool *pool, const KgeModel *model,
		const KgeSketch *sketch, Side side, int32_t given, int32_t relation,
		const int32_t *excluded, int64_t excluded_count,
		int64_t k, int32_t *rows, double *scores)
{
	Top			top = {.pool = pool,.model = model,.sketch = sketch,.side = side,.given = given,
		.relation = relation,.excluded = excluded,.excluded_count = excluded_count};
	int64_t		items = (model->entities + AT_ONCE - 1) / AT_ONCE;
	Allocation	allocation = {0};

	k = at_most_all(model, k);
	if (k <= 0)
		return 0;
	take_top(&top, &allocation, pool_threads(pool), k);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_top(&top, &allocation, pool_threads(pool), k);

	kge_make_query(model, kge_query(model, question(&top, 0), side), top.query);
	top.query_norm = kge_norm(sketch->engine.width, top.query);
	pool_run(pool, items, estimate, &top);
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
	Best	   *best;			/* heap */
} Neighborhood;

static void
take_neighborhood(Neighborhood *neighborhood, Allocation *allocation, int64_t k)
{
	neighborhood->cosine = TAKE(allocation, double, (size_t) neighborhood->model->entities);
	neighborhood->best = TAKE(allocation, Best, (size_t) k);
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
	pool_run(pool, (model->entities + AT_ONCE - 1) / AT_ONCE, compare, &neighborhood);
	return best_of(pool, model->entities, neighborhood.cosine, neighborhood.best, k, rows, cosines);
}

/* ---- a list of triples -------------------------------------------------------- */

typedef struct Listing
{
	Pool    *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const Triple *triples;
	int64_t		count;
	float	   *scores;
	float	   *query;			/* threads x stride */
} Listing;

/* Item: the scores of some triples; a query serves as long as it stays the same. */
static void
score_listed(void *argument, int64_t item, int thread)
{
	Listing    *listing = argument;
	const KgeModel *model = listing->model;
	float	   *query = listing->query +
		(size_t) thread * (size_t) vector_stride(listing->engine.width);
	int64_t		start = item * AT_ONCE;
	int64_t		end = start + AT_ONCE;

	for (int64_t i = start; i < end && i < listing->count; i++)
	{
		Triple	triple = listing->triples[i];

		if (i == start || triple.head != listing->triples[i - 1].head ||
			triple.relation != listing->triples[i - 1].relation)
			kge_make_query(model, kge_query(model, triple, SIDE_TAIL), query);
		listing->scores[i] = kge_engine_score(&listing->engine, query,
											  kge_entity_row(model, triple.tail));
	}
	pool_yield(listing->pool, thread);
}

bool
kge_score_triples(Arena *arena, Pool *pool, const KgeModel *model,
				  const Triple *triples, int64_t count, float *scores)
{
	Listing		listing = {pool, model, kge_engine(model), triples, count, scores, NULL};
	size_t		floats = (size_t) pool_threads(pool) *
		(size_t) vector_stride(listing.engine.width);
	Allocation	allocation = {0};

	TAKE(&allocation, float, floats);
	if (!allocation_open(&allocation, arena))
		return false;
	listing.query = TAKE(&allocation, float, floats);
	pool_run(pool, (count + AT_ONCE - 1) / AT_ONCE, score_listed, &listing);
	return true;
}
