/*
 * top_entities.c
 *		The best candidates of a question, and the nearest neighbours of an entity.
 *
 * Top k:
 *
 *	1. The threads score a sketch of all candidates: an upper bound of each exact score (sketch.c), with what an adjustment
 *	   adds.  Entities that came after the training are in no sketch: their upper bounds are infinite.
 *	2. The k candidates with the highest upper bounds are scored exactly.  The lowest of these scores is a lower bound of
 *	   the k-th best one: the threshold.
 *	3. Finalists are the candidates whose upper bound is not below it.  Their embeddings, in single precision, give closer
 *	   upper bounds; step 2, repeated with these, a higher threshold.
 *	4. The finalists that are left are scored in double precision, and the top k kept.
 */
#include <math.h>

#include "core/allocation.h"
#include "core/heap.h"
#include "core/pool.h"
#include "core/sort.h"
#include "core/vector.h"
#include "kge/score/engine.h"
#include "sketch.h"

#define AT_ONCE KGE_LOOKED_AT	/* candidates of an item */
#define FINALISTS_AT_ONCE 32
#define FEW_NUMBERS 131072		/* of relations, that exact scores read in less time than it takes to wake threads */
#define ROUNDING 1e-12			/* more than the arithmetic of a score may lose */

/* ---- top k ------------------------------------------------------------------ */

typedef struct BestEntity
{
	double		score;
	int32_t		row;
} BestEntity;

/* Candidates have numbers: that of the entity, or -1 - the place in what the adjustment lists. */
typedef struct Top
{
	Pool	   *pool;
	const KgeModel *model;
	const KgeSketch *sketch;
	Question asked_for;
	const KgeAdjustment *adjustment;	/* NULL: none */
	double		weight;			/* of what it lists */
	const KgeAddition *addition;	/* what it lists */
	int64_t		listed;
	float	   *query;
	float	   *sketched;		/* threads x stride */
	int8_t	   *code;
	KgeSketchQuery asked;
	KgeExactScore *exact;		/* of each thread */
	float	   *bound;			/* upper bound of each entity's score; NaN if it is left out or listed */
	float	   *bound_of_tile;	/* the highest one of AT_ONCE entities */
	float	   *raised;			/* upper bound of what is listed, with its addition */
	double		threshold;
	BestEntity *best;			/* heap of those with the highest upper bounds, the lowest first */
	int32_t    *finalist;
	double	   *phi;			/* of each finalist, exact, NaN if it is ruled out */
	int64_t		finalists;
} Top;

/* Added entities are candidates, too. */
static int32_t
candidates_of(const KgeModel *model)
{
	return model->entities + model->added;
}

static void
take_search(Top *top, Allocation *allocation, int threads, int64_t k)
{
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
	top->bound = TAKE(allocation, float, (size_t) candidates_of(top->model));
	top->bound_of_tile = TAKE(allocation, float, (size_t) pool_pieces(top->model->entities, AT_ONCE));
	top->best = TAKE(allocation, BestEntity, (size_t) k);
}

static bool
open_search(Top *top, Arena *arena, int threads, int64_t k)
{
	Allocation	allocation = {0};

	take_search(top, &allocation, threads, k);
	if (!allocation_open(&allocation, arena))
		return false;
	take_search(top, &allocation, threads, k);
	return true;
}

static void
take_finalists(Top *top, Allocation *allocation, int64_t count)
{
	top->finalist = TAKE(allocation, int32_t, (size_t) count);
	top->phi = TAKE(allocation, double, (size_t) count);
}

static bool
open_finalists(Top *top, Arena *arena, int64_t count)
{
	Allocation	allocation = {0};

	take_finalists(top, &allocation, count);
	if (!allocation_open(&allocation, arena))
		return false;
	take_finalists(top, &allocation, count);
	return true;
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

static int64_t
tiles_of(const Top *top)
{
	return pool_pieces(top->model->entities, AT_ONCE);
}

static int32_t
first_of(int64_t tile)
{
	return (int32_t) (tile * AT_ONCE);
}

static int32_t
end_of(const Top *top, int64_t tile)
{
	return tile + 1 < tiles_of(top) ? first_of(tile + 1) : top->model->entities;
}

static void
list_additions(Top *top, int thread)
{
	top->listed = top->adjustment->list(top->adjustment->argument, &top->asked_for, top->pool, thread, &top->addition);
}

/* Upper bounds of the entities of a tile */
static void
estimate_tile(Top *top, int64_t tile, int thread)
{
	int32_t		first = first_of(tile);
	int32_t		end = end_of(top, tile);
	float	   *row = top->sketched + (size_t) thread * (size_t) vector_stride(top->sketch->engine.width);
	const uint64_t *bit = answer_bits(top->model->answers, top->asked_for.relation, top->asked_for.side);
	float		most = -INFINITY;

	if (answer_any_allowed(top->model->answers, top->asked_for.relation, top->asked_for.side, first, end))
		kge_sketch_look(&top->asked, first, end, row, top->bound);
	for (int32_t word = first / 64; bit != NULL && 64 * word < end; word++)
	{
		uint64_t	others = ~bit[word];

		for (int32_t i = 64 * word; others != 0 && i < end; i++, others >>= 1)
			if ((others & 1) != 0)
				top->bound[i] = NAN;
	}
	for (int32_t i = first; i < end; i++)
		most = top->bound[i] > most ? top->bound[i] : most;
	top->bound_of_tile[tile] = most;
}

/* Item: what the adjustment lists, which takes longest; then the tiles. */
static void
estimate(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;

	if (item > 0)
		estimate_tile(top, item - 1, thread);
	else if (top->adjustment != NULL)
		list_additions(top, thread);
	pool_yield(top->pool, thread);
}

/* Leaves out what is excluded, and sets apart what is listed; false when the arena is empty. */
static bool
set_apart(Top *top, Arena *arena)
{
	const Question *asked = &top->asked_for;

	top->raised = arena_take(arena, (size_t) (top->listed + 1) * sizeof(float));
	if (top->raised == NULL)
		return false;
	for (int32_t i = top->model->entities; i < candidates_of(top->model); i++)
		top->bound[i] = answer_is_allowed(top->model->answers, asked->relation, asked->side, i) ? INFINITY : NAN;
	for (int64_t i = 0; i < top->asked_for.excluded_count; i++)
		top->bound[top->asked_for.excluded[i]] = NAN;
	for (int64_t i = 0; i < top->listed; i++)
	{
		const KgeAddition *listed = &top->addition[i];

		pool_yield_at(top->pool, POOL_LEADER, i);
		top->raised[i] = NAN;
		if (isnan(top->bound[listed->entity]))
			continue;
		top->raised[i] = kge_float_above(top->bound[listed->entity] + top->weight * listed->addition);
		top->bound[listed->entity] = NAN;
	}
	return true;
}

/* ---- a threshold ---- */

static float *
bound_of(const Top *top, int32_t number)
{
	return number >= 0 ? &top->bound[number] : &top->raised[-1 - number];
}

static int32_t
entity_of(const Top *top, int32_t number)
{
	return number >= 0 ? number : top->addition[-1 - number].entity;
}

/* What is added to the score of a candidate. */
static double
addition_of(const Top *top, int32_t number)
{
	return number >= 0 ? 0 : top->addition[-1 - number].addition;
}

static double
exact_phi(const Top *top, int32_t number, int thread)
{
	const Question *asked = &top->asked_for;

	return kge_exact_score(&top->exact[thread == POOL_LEADER ? 0 : thread],
						   question_triple(asked, entity_of(top, number)), asked->side);
}

/* Keeps a candidate if its upper bound is one of the k highest; an infinite one bounds nothing. */
static int64_t
keep_highest(Top *top, int64_t kept, int64_t k, double bound, int32_t number)
{
	if (!isfinite(bound) || (kept == k && bound <= top->best[0].score))
		return kept;
	return heap_offer(top->best, kept, k, &(BestEntity) {bound, number}, sizeof(BestEntity), compare_best);
}

/* The k candidates with the highest upper bounds, or fewer; returns how many. */
static int64_t
highest_bounds(Top *top, int64_t k)
{
	int64_t		kept = 0;

	for (int32_t i = 0; i < top->listed; i++)
	{
		kept = keep_highest(top, kept, k, top->raised[i], -1 - i);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	for (int64_t tile = 0; tile < tiles_of(top); tile++)
	{
		for (int32_t i = first_of(tile);
			 i < end_of(top, tile) && (kept < k || top->bound_of_tile[tile] > top->best[0].score); i++)
			kept = keep_highest(top, kept, k, top->bound[i], i);
		pool_yield_at(top->pool, POOL_LEADER, tile);
	}
	return kept;
}

static int64_t
highest_finalists(Top *top, int64_t k)
{
	int64_t		kept = 0;

	for (int64_t i = 0; i < top->finalists; i++)
	{
		kept = keep_highest(top, kept, k, *bound_of(top, top->finalist[i]), top->finalist[i]);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	return kept;
}

/*
 * The threshold: the lowest phi + weight * addition of the k candidates that are kept; minus infinity if there are fewer.
 * Whatever is below it has a lower score, too, when either is multiplied with the scale.
 */
static double
threshold_of(Top *top, int64_t kept, int64_t k)
{
	double		threshold = INFINITY;

	for (int64_t i = 0; i < kept; i++)
	{
		int32_t		number = top->best[i].row;
		double		score = exact_phi(top, number, POOL_LEADER) + top->weight * addition_of(top, number);

		if (isnan(score))
			return -INFINITY;
		threshold = fmin(threshold, score);
		pool_yield(top->pool, POOL_LEADER);
	}
	return kept < k ? -INFINITY : threshold - ROUNDING * fabs(threshold);
}

/* ---- finalists ---- */

/* Where there is no list, it is only counted. */
static int64_t
append(int32_t *list, int64_t count, int32_t number)
{
	if (list != NULL)
		list[count] = number;
	return count + 1;
}

/* Lists the candidates whose upper bound is not below the threshold; returns how many. */
static int64_t
reaching(Top *top, int32_t *list)
{
	int64_t		count = 0;

	for (int32_t i = 0; i < top->listed; i++)
	{
		if (top->raised[i] >= top->threshold)
			count = append(list, count, -1 - i);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	for (int64_t tile = 0; tile < tiles_of(top); tile++)
	{
		for (int32_t i = first_of(tile); i < end_of(top, tile) && top->bound_of_tile[tile] >= top->threshold; i++)
			if (top->bound[i] >= top->threshold)
				count = append(list, count, i);
		pool_yield_at(top->pool, POOL_LEADER, tile);
	}
	for (int32_t i = top->model->entities; i < candidates_of(top->model); i++)
		if (!isnan(top->bound[i]))
			count = append(list, count, i);
	return count;
}

/* False when the arena is empty. */
static bool
list_finalists(Top *top, Arena *arena)
{
	if (!open_finalists(top, arena, reaching(top, NULL)))
		return false;
	top->finalists = reaching(top, top->finalist);
	return true;
}

/* The upper bound of a finalist by its embedding, which is closer than that by the sketch */
static float
limit_of(const Top *top, int32_t number)
{
	int32_t		entity = entity_of(top, number);
	double		limit = kge_score_limit(&top->sketch->engine, top->query, top->asked.norm,
										kge_entity_row(top->model, entity), top->sketch->norm[entity]);

	return kge_float_above(limit + top->weight * addition_of(top, number));
}

/* Item: closer upper bounds of some finalists, by their embeddings; an infinite one stays. */
static void
estimate_finalists(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * FINALISTS_AT_ONCE;

	for (int64_t i = item * FINALISTS_AT_ONCE; i < end && i < top->finalists; i++)
	{
		int32_t		number = top->finalist[i];
		float	   *bound = bound_of(top, number);

		if (!isinf(*bound))
			*bound = fminf(*bound, limit_of(top, number));
	}
	pool_yield(top->pool, thread);
}

/* Item: the exact phi of some finalists. */
static void
score_finalists(void *argument, int64_t item, int thread)
{
	Top		   *top = argument;
	int64_t		end = (item + 1) * FINALISTS_AT_ONCE;

	for (int64_t i = item * FINALISTS_AT_ONCE; i < end && i < top->finalists; i++)
	{
		int32_t		number = top->finalist[i];

		top->phi[i] = *bound_of(top, number) < top->threshold ? NAN : exact_phi(top, number, thread);
	}
	pool_yield(top->pool, thread);
}

/* Runs items over all finalists. */
static void
for_finalists(Top *top, void (*function) (void *argument, int64_t item, int thread))
{
	int64_t		items = pool_pieces(top->finalists, FINALISTS_AT_ONCE);

	if (top->finalists * kge_relation_width(top->model->function, top->model->dimensions) > FEW_NUMBERS)
		pool_run(top->pool, items, function, top);
	else
		for (int64_t i = 0; i < items; i++)
			function(top, i, POOL_LEADER);
}

/* The best k of the finalists; returns how many. */
static int64_t
best_finalists(const Top *top, int64_t k, KgeAnswer *answers)
{
	const Question *question = &top->asked_for;
	int64_t		kept = 0;

	for (int64_t i = 0; i < top->finalists; i++)
	{
		int32_t		number = top->finalist[i];
		KgeAnswer	answer = {.phi = top->phi[i],.addition = addition_of(top, number),.row = entity_of(top, number)};

		answer.score = kge_adjusted_score(top->adjustment, question->relation, question->side, answer.phi, answer.addition);
		if (!isnan(answer.score))
			kept = heap_offer(answers, kept, k, &answer, sizeof(KgeAnswer), kge_compare_answers);
		pool_yield_at(top->pool, POOL_LEADER, i);
	}
	sort_array(top->pool, POOL_LEADER, answers, kept, sizeof(KgeAnswer), kge_compare_answers);
	return kept;
}

/* Step 1: upper bounds of all candidates, while a thread lists what is added. */
static void
look_at_all(Top *top)
{
	const Question *question = &top->asked_for;

	if (top->adjustment != NULL)
		top->weight = kge_adjustment_weight(top->adjustment, question->relation, question->side);
	kge_make_query(top->model, kge_query(top->model, question_triple(question, 0), question->side), top->query);
	top->asked = kge_sketch_query(top->sketch, top->query, top->code);
	pool_run(top->pool, 1 + tiles_of(top), estimate, top);
}

int64_t
kge_top(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch, Question question,
		const KgeAdjustment *adjustment, int64_t k, KgeAnswer *answers)
{
	Top			top = {.pool = pool,.model = model,.sketch = sketch,.asked_for = question,.adjustment = adjustment};

	k = k < candidates_of(model) ? k : candidates_of(model);
	if (k <= 0)
		return 0;
	if (!open_search(&top, arena, pool_threads(pool), k))
		return -1;
	look_at_all(&top);
	if (!set_apart(&top, arena))
		return -1;
	top.threshold = threshold_of(&top, highest_bounds(&top, k), k);
	if (!list_finalists(&top, arena))
		return -1;
	for_finalists(&top, estimate_finalists);
	top.threshold = fmax(top.threshold, threshold_of(&top, highest_finalists(&top, k), k));
	for_finalists(&top, score_finalists);
	return best_finalists(&top, k, answers);
}

/* ---- neighbours --------------------------------------------------------------- */

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

typedef struct Neighborhood
{
	Pool	   *pool;
	const KgeModel *model;
	int32_t		entity;
	double	   *cosine;			/* of each entity */
	BestEntity *best;			/* heap */
} Neighborhood;

static void
take_neighborhood(Neighborhood *neighborhood, Allocation *allocation, int64_t k)
{
	neighborhood->cosine = TAKE(allocation, double, (size_t) neighborhood->model->entities);
	neighborhood->best = TAKE(allocation, BestEntity, (size_t) k);
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

	k = k < model->entities ? k : model->entities;
	if (k <= 0)
		return 0;
	take_neighborhood(&neighborhood, &allocation, k);
	if (!allocation_open(&allocation, arena))
		return -1;
	take_neighborhood(&neighborhood, &allocation, k);
	pool_run(pool, pool_pieces(model->entities, AT_ONCE), compare, &neighborhood);
	return best_of(pool, model->entities, neighborhood.cosine, neighborhood.best, k, rows, cosines);
}
