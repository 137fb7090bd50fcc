/*
 * rank.c
 *		Filtered ranks.
 *
 * The distinct questions of the triples (core/question.c) are scored against all entities, tile by
 * tile.  In a tile, scores of answers in the filter are overwritten with minus
 * infinity, as are those of entities of another type; then, for each triple that asks the question, candidates that are
 * above the true entity for certain are counted, and those below (score_bound.c).
 * What is left, usually a candidate or two in all, is decided in double
 * precision, so that ranks do not depend on how the fast scores are rounded.
 *
 * An adjustment adds to the scores of candidates, often to those of most.  A thread asks it about all questions of a
 * block, and adds what it lists to the scores of each tile: to score those candidates one by one took half of the time.
 *
 * Counts are integers and are added atomically: their sum is the same in any
 * order.
 */
#include <math.h>
#include <string.h>

#include "kge/rank.h"
#include "core/pool.h"
#include "core/question.h"
#include "core/random.h"
#include "core/vector.h"
#include "kge/score/conve.h"
#include "kge/score/engine.h"
#include "kge/score/score_function.h"

#define BLOCK	64				/* questions at a time */
#define QUERIES	16				/* made at a time */
#define TILE	512				/* candidates at a time */
#define SEGMENT 8192			/* candidates of an item */
#define AT_ONCE 256				/* rows of an item of the preparation */
#define MOST_ADDED 16777216		/* additions of a block */
#define LEAST_ITEMS 4			/* of a thread */

/* One block of scores, for a thread. */
typedef struct Scratch
{
	float	   *query;			/* BLOCK x stride */
	float	   *engine;
	float	   *score;			/* TILE x BLOCK */
	float	   *by_question;	/* BLOCK x TILE */
	double	   *added;			/* the block x entities, with an adjustment */
	float	   *slack;			/* TILE: of scores, by what was added */
	KgeExactScore exact[2];		/* by side */
} Scratch;

/* Of each asked (triple i, side): number 2 i + side. */
typedef struct RankCount
{
	int32_t		above;
	int32_t		equal;
} RankCount;

typedef struct KgeRanking
{
	Pool	   *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const Triple *triples;
	int64_t		count;
	Questions	questions;
	const KgeAdjustment *adjustment;	/* or NULL */
	double	   *phi;			/* of each asked */
	double	   *exact;			/* the same with the adjustment's addition */
	float	   *norm;			/* of each entity */
	RankCount  *counts;
	Scratch    *scratch;
	int64_t		block;			/* questions of an item, at most BLOCK */
	int64_t		segment;		/* candidates of an item: all of them where a question takes long by itself */
	int64_t		segments;
} KgeRanking;

/*
 * A question that takes long by itself, for its additions or its network's query, is asked by one item.  Blocks of such
 * questions are small where their additions would be too many, or they too few for all threads.
 */
static void
plan_items(KgeRanking *ranking, int threads)
{
	int64_t		entities = ranking->model->entities;

	ranking->block = BLOCK;
	ranking->segment = SEGMENT;
	if (ranking->adjustment != NULL || kge_is_network(ranking->model))
	{
		int64_t		most = ranking->adjustment == NULL ? BLOCK : MOST_ADDED / (entities + 1);
		int64_t		fair = 2 * ranking->count / (LEAST_ITEMS * threads);
		int64_t		block = most < fair ? most : fair;

		ranking->block = block < 1 ? 1 : block > BLOCK ? BLOCK : block;
		ranking->segment = entities;
	}
	ranking->segments = pool_pieces(entities, ranking->segment);
}

static void
take_ranking(KgeRanking *ranking, Allocation *allocation, int64_t filter, int threads)
{
	size_t		stride = (size_t) vector_stride(ranking->engine.width);

	plan_items(ranking, threads);
	questions_take(&ranking->questions, allocation, ranking->count, filter);
	ranking->phi = TAKE(allocation, double, 2 * (size_t) ranking->count);
	ranking->exact = ranking->phi;
	if (ranking->adjustment != NULL)
		ranking->exact = TAKE(allocation, double, 2 * (size_t) ranking->count);
	ranking->norm = TAKE(allocation, float, (size_t) ranking->model->entities);
	ranking->counts = TAKE(allocation, RankCount, 2 * (size_t) ranking->count);
	ranking->scratch = TAKE(allocation, Scratch, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		Scratch		scratch;

		scratch.query = TAKE(allocation, float, BLOCK * stride);
		scratch.engine = TAKE(allocation, float, kge_engine_scratch(&ranking->engine, BLOCK));
		scratch.score = TAKE(allocation, float, TILE * BLOCK);
		scratch.by_question = TAKE(allocation, float, BLOCK * TILE);
		scratch.added = ranking->adjustment == NULL ? NULL :
			TAKE(allocation, double, (size_t) ranking->block * (size_t) ranking->model->entities);
		scratch.slack = TAKE(allocation, float, TILE);
		scratch.exact[SIDE_HEAD] = kge_exact_score_take(ranking->model, allocation);
		scratch.exact[SIDE_TAIL] = kge_exact_score_take(ranking->model, allocation);
		if (ranking->scratch != NULL)
			ranking->scratch[i] = scratch;
	}
}

/* Item: exact scores of some triples. */
static void
score_triples(void *argument, int64_t item, int thread)
{
	KgeRanking *ranking = argument;
	KgeExactScore *exact = ranking->scratch[thread].exact;
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < ranking->count; i++)
	{
		double	   *phi = &ranking->phi[2 * i];

		phi[SIDE_TAIL] = kge_exact_score(&exact[SIDE_TAIL], ranking->triples[i], SIDE_TAIL);
		phi[SIDE_HEAD] = !ranking->model->reciprocal ? phi[SIDE_TAIL] :
			kge_exact_score(&exact[SIDE_HEAD], ranking->triples[i], SIDE_HEAD);
		ranking->counts[2 * i] = ranking->counts[2 * i + 1] = (RankCount) {0, 0};
		pool_yield(ranking->pool, thread);
	}
}

/* The queries of a block of questions, in the thread's scratch; returns how many there are. */
static int
make_block(KgeRanking *ranking, int64_t block, int thread)
{
	int64_t		left = ranking->questions.count - block * ranking->block;
	KgeQuery	asked[BLOCK];
	int			stride = vector_stride(ranking->engine.width);
	int			count = (int) (left < ranking->block ? left : ranking->block);

	for (int i = 0; i < count; i++)
	{
		const Question *question = &ranking->questions.question[block * ranking->block + i];

		asked[i] = kge_query(ranking->model, question_triple(question, 0), question->side);
	}
	for (int i = 0; i < count; i += QUERIES)
	{
		kge_make_queries(ranking->model, asked + i, count - i < QUERIES ? count - i : QUERIES,
						 ranking->scratch[thread].query + (size_t) (i * stride), stride);
		pool_yield(ranking->pool, thread);
	}
	return count;
}

/* Item: exact scores of what a block of questions asks of a network, whose queries define them. */
static void
score_by_query(void *argument, int64_t item, int thread)
{
	KgeRanking *ranking = argument;
	int			count = make_block(ranking, item, thread);

	for (int i = 0; i < count; i++)
	{
		const float *query = ranking->scratch[thread].query + (size_t) i * (size_t) vector_stride(ranking->engine.width);
		int64_t		asked = ranking->questions.first_example[item * ranking->block + i];

		for (; asked >= 0; asked = ranking->questions.next_example[asked])
		{
			ranking->phi[asked] = kge_exact_query_score(ranking->model, query, example_answer(ranking->triples, asked));
			ranking->counts[asked] = (RankCount) {0, 0};
			pool_yield_at(ranking->pool, thread, asked / 2);
		}
	}
}

/* Item: norms of some entities. */
static void
measure_entities(void *argument, int64_t item, int thread)
{
	KgeRanking *ranking = argument;
	int64_t		end = (item + 1) * AT_ONCE;

	for (int64_t i = item * AT_ONCE; i < end && i < ranking->model->entities; i++)
		ranking->norm[i] = (float) (1.0001 * kge_norm(ranking->engine.width,
													  kge_entity_row(ranking->model, (int32_t) i)));
	pool_yield(ranking->pool, thread);
}

/* ---- one question against a tile --------------------------------------------- */

typedef struct TileScores
{
	KgeRanking *ranking;
	const Question *question;
	const float *query;
	double		query_norm;
	bool		nan;			/* every score is NaN */
	int32_t		first;			/* candidates first .. first+count-1 */
	int32_t		count;
	float	   *score;			/* of each, what is added included */
	const double *added;		/* to the score of each entity; NULL: nothing */
	const float *slack;			/* of each, by what is added */
} TileScores;

static TileScores
tile_scores(KgeRanking *ranking, const Question *question, const float *query)
{
	const KgeModel *model = ranking->model;
	KgeQuery	asked = kge_query(model, question_triple(question, 0), question->side);
	int			relation_width = kge_relation_width(model->function, model->dimensions);
	TileScores	tile = {.ranking = ranking,.question = question,.query = query};

	tile.query_norm = kge_norm(ranking->engine.width, query);
	tile.nan = isnan(ranking->norm[question->given]) ||
		isnan(kge_norm(relation_width, kge_relation_row(model, asked.relation)));
	return tile;
}

/* A candidate's exact score without what is added, not computed where it is plain: the answer's is phi. */
static double
candidate_score(const TileScores *tile, int32_t candidate, int32_t answer, double phi, int thread)
{
	const KgeRanking *ranking = tile->ranking;
	const KgeModel *model = ranking->model;
	Side		side = tile->question->side;

	if (tile->nan || isnan(ranking->norm[candidate]))
		return NAN;
	if (memcmp(kge_entity_row(model, candidate), kge_entity_row(model, answer),
			   (size_t) ranking->engine.width * sizeof(float)) == 0)
		return phi;
	if (kge_is_network(model))
		return kge_exact_query_score(model, tile->query, candidate);
	return kge_exact_score(&ranking->scratch[thread].exact[side], question_triple(tile->question, candidate), side);
}

/* Whether an entity is of the type that is asked for */
static bool
is_allowed(const KgeRanking *ranking, const Question *question, int32_t entity)
{
	return answer_is_allowed(ranking->model->answers, question->relation, question->side, entity);
}

/* Decides, in double precision, about the candidates that the bounds leave. */
static RankCount
look_closely(const TileScores *tile, KgeBound bound, double t, int64_t asked, int thread)
{
	const KgeRanking *ranking = tile->ranking;
	int32_t		answer = example_answer(ranking->triples, asked);
	const float *norm = ranking->norm + tile->first;
	RankCount	count = {0, 0};

	for (int32_t i = 0; i < tile->count; i++)
	{
		int32_t		candidate = tile->first + i;
		float		margin = bound.slope * norm[i] + tile->slack[i];
		double		score;

		if (tile->score[i] - margin > bound.high || tile->score[i] + margin < bound.low)
			continue;
		if (candidate == answer ||
			question_excludes(tile->question, candidate) || !is_allowed(ranking, tile->question, candidate))
			continue;
		score = candidate_score(tile, candidate, answer, ranking->phi[asked], thread);
		if (tile->added != NULL)
			score += tile->added[candidate];
		if (isnan(t) ? !isnan(score) : score > t)
			count.above++;
		else if (isnan(t) ? isnan(score) : score == t)
			count.equal++;
		pool_yield(ranking->pool, thread);
	}
	return count;
}

/* How many scores are above for certain, and how many below. */
KERNEL void
count_certain(int n, const float *restrict score, const float *restrict norm, const float *restrict slack,
			  KgeBound bound, int *above, int *below)
{
	int			a = 0;
	int			b = 0;

	for (int i = 0; i < n; i++)
	{
		float		margin = bound.slope * norm[i] + slack[i];

		a += score[i] - margin > bound.high;
		b += score[i] + margin < bound.low;
	}
	*above = a;
	*below = b;
}

/* Counts the candidates above and equal to the true entity of one asked; one of another type is no answer, and last. */
static void
count_asked(const TileScores *tile, int64_t asked, int thread)
{
	KgeRanking *ranking = tile->ranking;
	bool		allowed = is_allowed(ranking, tile->question, example_answer(ranking->triples, asked));
	double		t = allowed ? ranking->exact[asked] : NAN;
	KgeBound	bound = kge_bound(&ranking->engine, tile->query_norm, t);
	RankCount	count = {0, 0};
	int			above,
				below;

	count_certain(tile->count, tile->score, ranking->norm + tile->first, tile->slack,
				  bound, &above, &below);
	if (above + below < tile->count)
		count = look_closely(tile, bound, t, asked, thread);
	__atomic_fetch_add(&ranking->counts[asked].above, above + count.above, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ranking->counts[asked].equal, count.equal, __ATOMIC_RELAXED);
}

/* ---- the adjustment ------------------------------------------------------- */

/* Asks the adjustment about a question: what it adds to each entity, and to the true ones. */
static void
add_to_question(KgeRanking *ranking, const Question *question, double *added, int thread)
{
	const KgeAdjustment *adjustment = ranking->adjustment;
	double		weight = kge_adjustment_weight(adjustment, question->relation, question->side);
	const KgeAddition *additions;
	int64_t		count = adjustment->list(adjustment->argument, question, ranking->pool, thread, &additions);

	memset(added, 0, (size_t) ranking->model->entities * sizeof(double));
	for (int64_t i = 0; i < count; i++)
		added[additions[i].entity] = weight * additions[i].addition;
	for (int64_t asked = first_example(&ranking->questions, question); asked >= 0; asked = ranking->questions.next_example[asked])
		ranking->exact[asked] = ranking->phi[asked] + added[example_answer(ranking->triples, asked)];
	pool_yield(ranking->pool, thread);
}

/* ---- one question against a tile, the whole ------------------------------------------ */

/* Overwrites the scores of answers in the filter, and of those of another type. */
static void
hide_filter(const TileScores *tile)
{
	const Question *question = tile->question;
	int64_t		place = lower_bound_int32(question->excluded, 0, question->excluded_count, tile->first);

	for (; place < question->excluded_count && question->excluded[place] < tile->first + tile->count; place++)
		tile->score[question->excluded[place] - tile->first] = -INFINITY;
	for (int32_t i = 0; tile->ranking->model->answers != NULL && i < tile->count; i++)
		if (!is_allowed(tile->ranking, question, tile->first + i))
			tile->score[i] = -INFINITY;
}

/* Scores by candidate become scores by question. */
static void
transpose(int candidates, int questions, const float *restrict from, float *restrict to)
{
	for (int c0 = 0; c0 < candidates; c0 += 16)
		for (int q = 0; q < questions; q++)
			for (int c = c0; c < candidates && c < c0 + 16; c++)
				to[q * TILE + c] = from[c * BLOCK + q];
}

/* ---- a block of questions against a segment of candidates -------------------- */

/* A block of questions at work. */
typedef struct Block
{
	KgeRanking *ranking;
	Scratch    *scratch;
	const Question *question;
	int			count;
	TileScores	tile[BLOCK];
} Block;

static void
fill_block(Block *block, int thread)
{
	KgeRanking *ranking = block->ranking;
	Scratch    *scratch = block->scratch;
	int			stride = vector_stride(ranking->engine.width);

	memset(scratch->slack, 0, TILE * sizeof(float));
	for (int i = 0; i < block->count; i++)
	{
		TileScores *tile = &block->tile[i];

		*tile = tile_scores(ranking, &block->question[i], scratch->query + (size_t) i * (size_t) stride);
		tile->score = scratch->by_question + i * TILE;
		tile->slack = scratch->slack;
		if (ranking->adjustment != NULL)
		{
			double	   *added = scratch->added + (size_t) i * (size_t) ranking->model->entities;

			add_to_question(ranking, tile->question, added, thread);
			tile->added = added;
		}
		pool_yield(ranking->pool, thread);
	}
}

static void
score_tile(Block *block, int32_t first, int32_t count, int thread)
{
	KgeRanking *ranking = block->ranking;
	int			stride = vector_stride(ranking->engine.width);
	KgeRows		queries = {block->count, stride, block->scratch->query};
	KgeRows		candidates = {count, ranking->engine.width,
	kge_entity_row(ranking->model, first)};

	kge_engine_scores(&ranking->engine, queries, block->scratch->engine, candidates,
					  block->scratch->score, BLOCK);
	transpose(count, block->count, block->scratch->score, block->scratch->by_question);
	for (int i = 0; i < block->count; i++)
	{
		TileScores *tile = &block->tile[i];
		int64_t		asked = first_example(&ranking->questions, tile->question);

		tile->first = first;
		tile->count = count;
		if (tile->added != NULL)
			kge_add_to_scores(&ranking->engine, count, tile->added + first, tile->score, block->scratch->slack);
		hide_filter(tile);
		for (; asked >= 0; asked = ranking->questions.next_example[asked])
		{
			count_asked(tile, asked, thread);
			pool_yield_at(ranking->pool, thread, asked / 2);
		}
	}
}

/* Item: one block, one segment. */
static void
score_segment(void *argument, int64_t item, int thread)
{
	KgeRanking *ranking = argument;
	int64_t		from = item % ranking->segments * ranking->segment;
	int64_t		end = from + ranking->segment;
	int64_t		start = item / ranking->segments * ranking->block;
	Block		block;
	KgeRows		queries;

	block.ranking = ranking;
	block.scratch = &ranking->scratch[thread];
	block.question = &ranking->questions.question[start];
	block.count = make_block(ranking, item / ranking->segments, thread);
	fill_block(&block, thread);
	queries = (KgeRows) {block.count, vector_stride(ranking->engine.width), block.scratch->query};
	kge_engine_prepare(&ranking->engine, queries, block.scratch->engine);

	if (end > ranking->model->entities)
		end = ranking->model->entities;
	for (; from < end; from += TILE)
	{
		int64_t		count = end - from < TILE ? end - from : TILE;

		score_tile(&block, (int32_t) from, (int32_t) count, thread);
		pool_yield(ranking->pool, thread);
	}
}

/* The place of an asked, drawn among its equals. */
static int32_t
draw_rank(const KgeRanking *ranking, uint64_t seed, int64_t asked)
{
	const Triple *triple = &ranking->triples[asked / 2];
	RankCount	count = ranking->counts[asked];
	uint64_t	stream = random_stream(seed, DRAW_TIE,
									   (uint64_t) triple->head << 32 | (uint64_t) triple->tail,
									   (uint64_t) triple->relation);

	return 1 + count.above + (int32_t) random_below(random_bits(stream, (uint64_t) asked % 2),
													(uint64_t) count.equal + 1);
}

/*
 * A score has a third of the operations of a score and its two gradients; so has a network's query, which is made once
 * for all candidates and once for the true ones.
 */
double
kge_rank_seconds(const KgeModel *model, int64_t count)
{
	KgeEngine	engine = kge_engine(model);
	double		seconds = model->entities * kge_engine_flops(&engine) / 3 / kge_engine_rate(&engine, false);

	if (kge_is_network(model))
		seconds += 2 * conve_flops(model->dimensions) / 3 / CONVE_RATE;
	return 2.0 * (double) count * seconds;
}

size_t
kge_rank_bytes(const KgeModel *model, const KgeAdjustment *adjustment,
			   int64_t count, int64_t filter_count, int threads)
{
	KgeRanking	ranking = {.model = model,.adjustment = adjustment,.count = count,.engine = kge_engine(model)};
	Allocation	allocation = {0};

	take_ranking(&ranking, &allocation, filter_count, threads);
	return allocation_bytes(&allocation);
}

bool
kge_rank(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
		 KgeTriples ranked, KgeTriples filter, uint64_t seed, KgeRanks ranks)
{
	KgeRanking	ranking = {.pool = pool,.model = model,.adjustment = adjustment,.triples = ranked.triple,
		.count = ranked.count};
	Allocation	allocation = {0};

	ranking.engine = kge_engine(model);
	take_ranking(&ranking, &allocation, filter.count, pool_threads(pool));
	if (!allocation_open(&allocation, arena))
		return false;
	take_ranking(&ranking, &allocation, filter.count, pool_threads(pool));

	questions_fill(&ranking.questions, pool, ranked.triple, filter.triple, filter.count);
	if (kge_is_network(model))
		pool_run(pool, pool_pieces(ranking.questions.count, ranking.block), score_by_query, &ranking);
	else
		pool_run(pool, pool_pieces(ranked.count, AT_ONCE), score_triples, &ranking);
	pool_run(pool, pool_pieces(model->entities, AT_ONCE), measure_entities, &ranking);
	pool_run(pool, pool_pieces(ranking.questions.count, ranking.block) * ranking.segments,
			 score_segment, &ranking);
	for (int64_t i = 0; i < ranked.count; i++)
	{
		ranks.head[i] = draw_rank(&ranking, seed, 2 * i + SIDE_HEAD);
		ranks.tail[i] = draw_rank(&ranking, seed, 2 * i + SIDE_TAIL);
		pool_yield_at(pool, POOL_LEADER, i);
	}
	return true;
}

KgeMetrics
kge_metrics(const int32_t *ranks, int64_t count)
{
	KgeMetrics	sum = {0, 0, 0, 0, 0};
	double		n = (double) count;

	for (int64_t i = 0; i < count; i++)
	{
		sum.mrr += 1.0 / ranks[i];
		sum.mr += ranks[i];
		sum.hits_1 += ranks[i] <= 1;
		sum.hits_3 += ranks[i] <= 3;
		sum.hits_10 += ranks[i] <= 10;
	}
	return (KgeMetrics) {sum.mrr / n, sum.mr / n, sum.hits_1 / n, sum.hits_3 / n, sum.hits_10 / n};
}
