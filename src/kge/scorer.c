/*
 * scorer.c
 *		Scores of a block of questions against any entities, in the hands of one thread.
 */
#include "engine.h"
#include "core/vector.h"

struct KgeScorer
{
	const KgeModel *model;
	KgeEngine	engine;
	KgeRows		queries;
	float	   *query;			/* KGE_SCORER_QUESTIONS x stride */
	double		norm[KGE_SCORER_QUESTIONS]; /* of the queries */
	float	   *scratch;
	float	   *score;			/* KGE_SCORER_ENTITIES x KGE_SCORER_QUESTIONS */
};

static KgeScorer *
take_scorer(KgeScorer *scorer, Allocation *allocation)
{
	size_t		stride = (size_t) vector_stride(scorer->engine.width);

	scorer->query = TAKE(allocation, float, KGE_SCORER_QUESTIONS * stride);
	scorer->scratch = TAKE(allocation, float, kge_engine_scratch(&scorer->engine, KGE_SCORER_QUESTIONS));
	scorer->score = TAKE(allocation, float, KGE_SCORER_ENTITIES * KGE_SCORER_QUESTIONS);
	return TAKE(allocation, KgeScorer, 1);
}

size_t
kge_scorer_bytes(const KgeModel *model)
{
	KgeScorer	scorer = {.engine = kge_engine(model)};
	Allocation	allocation = {0};

	take_scorer(&scorer, &allocation);
	return allocation_bytes(&allocation);
}

KgeScorer *
kge_scorer(Arena *arena, const KgeModel *model)
{
	KgeScorer	scorer = {.model = model,.engine = kge_engine(model)};
	KgeScorer  *taken;
	Allocation	allocation = {0};

	take_scorer(&scorer, &allocation);
	if (!allocation_open(&allocation, arena))
		return NULL;
	taken = take_scorer(&scorer, &allocation);
	*taken = scorer;
	return taken;
}

void
kge_scorer_prepare(KgeScorer *scorer, const Question *questions, int count)
{
	int			stride = vector_stride(scorer->engine.width);

	for (int i = 0; i < count; i++)
	{
		float	   *query = scorer->query + (size_t) i * (size_t) stride;

		kge_make_query(scorer->model, kge_query(scorer->model, question_triple(&questions[i], 0), questions[i].side), query);
		scorer->norm[i] = kge_norm(scorer->engine.width, query);
	}
	scorer->queries = (KgeRows) {count, stride, scorer->query};
	kge_engine_prepare(&scorer->engine, scorer->queries, scorer->scratch);
}

const float *
kge_scorer_block(KgeScorer *scorer, int32_t first, int count)
{
	KgeRows		candidates = {count, scorer->engine.width, kge_entity_row(scorer->model, first)};

	kge_engine_scores(&scorer->engine, scorer->queries, scorer->scratch, candidates,
					  scorer->score, KGE_SCORER_QUESTIONS);
	return scorer->score;
}

float
kge_scorer_score(const KgeScorer *scorer, int question, int32_t entity)
{
	return kge_engine_score(&scorer->engine,
							scorer->query + (size_t) question * (size_t) scorer->queries.stride,
							kge_entity_row(scorer->model, entity));
}

double
kge_scorer_bound(const KgeScorer *scorer, int question, int32_t entity)
{
	const KgeEngine *engine = &scorer->engine;
	const float *candidate = kge_entity_row(scorer->model, entity);
	double		norm = engine->similarity == KGE_DOT ? kge_norm(engine->width, candidate) : 0;	/* no part of other errors */

	return kge_score_limit(engine, scorer->query + (size_t) question * (size_t) scorer->queries.stride,
						   scorer->norm[question], candidate, norm);
}
