/*
 * score_triples.c
 *		The scores of a list of triples, in single precision, as training computes them.
 */
#include "core/allocation.h"
#include "core/pool.h"
#include "core/vector.h"
#include "engine.h"

#define AT_ONCE 256				/* triples of an item */
#define QUERIES 16				/* made at a time */

typedef struct TripleScoring
{
	Pool	   *pool;
	const KgeModel *model;
	KgeEngine	engine;
	const Triple *triples;
	int64_t		count;
	float	   *scores;
	float	   *query;			/* threads x QUERIES x stride */
} TripleScoring;

/* Scores of triples from `start` on, before `end`, of up to QUERIES queries; returns where it stopped. */
static int64_t
score_some(const TripleScoring *scoring, int64_t start, int64_t end, float *query)
{
	const KgeModel *model = scoring->model;
	int			stride = vector_stride(scoring->engine.width);
	KgeQuery	asked[QUERIES] = {{SIDE_TAIL, 0, 0}};
	uint8_t		of[AT_ONCE] = {0};
	int			queries = 0;
	int64_t		i;

	for (i = start; i < end; i++)
	{
		Triple		triple = scoring->triples[i];

		if (i == start || triple.head != scoring->triples[i - 1].head ||
			triple.relation != scoring->triples[i - 1].relation)
		{
			if (queries == QUERIES)
				break;
			asked[queries++] = kge_query(model, triple, SIDE_TAIL);
		}
		of[i - start] = (uint8_t) (queries - 1);
	}
	kge_make_queries(model, asked, queries, query, stride);
	for (int64_t j = start; j < i; j++)
		scoring->scores[j] = kge_engine_score(&scoring->engine, query + (size_t) of[j - start] * (size_t) stride,
											  kge_entity_row(model, scoring->triples[j].tail));
	return i;
}

/* Item: the scores of some triples; a query serves as long as it stays the same. */
static void
score_listed(void *argument, int64_t item, int thread)
{
	TripleScoring *scoring = argument;
	float	   *query = scoring->query + (size_t) thread * QUERIES * (size_t) vector_stride(scoring->engine.width);
	int64_t		end = (item + 1) * AT_ONCE < scoring->count ? (item + 1) * AT_ONCE : scoring->count;

	for (int64_t i = item * AT_ONCE; i < end;)
	{
		i = score_some(scoring, i, end, query);
		pool_yield(scoring->pool, thread);
	}
}

bool
kge_score_triples(Arena *arena, Pool *pool, const KgeModel *model,
				  const Triple *triples, int64_t count, float *scores)
{
	TripleScoring scoring = {pool, model, kge_engine(model), triples, count, scores, NULL};
	size_t		floats = (size_t) pool_threads(pool) * QUERIES * (size_t) vector_stride(scoring.engine.width);
	Allocation	allocation = {0};

	TAKE(&allocation, float, floats);
	if (!allocation_open(&allocation, arena))
		return false;
	scoring.query = TAKE(&allocation, float, floats);
	pool_run(pool, pool_pieces(count, AT_ONCE), score_listed, &scoring);
	return true;
}
