/*
 * scorer.c
 *		Scores of a block of questions against any entities, in the hands of one thread.
 *
 * The search for high scores excludes most entities by a sketch (block.h), where that is faster; the others are scored
 * as all would be without it.
 */
#include <math.h>

#include "block.h"
#include "core/vector.h"

_Static_assert(KGE_SCORER_QUESTIONS <= KGE_BLOCK_QUESTIONS, "a block has room for a scorer's questions");

struct KgeScorer
{
	KgeQuestionBlock block;

	/* of a search */
	const float *least;
	KgeScorerVisit visit;
	void	   *argument;
};

static KgeScorer *
take_scorer(KgeScorer *scorer, Allocation *allocation)
{
	kge_block_take(&scorer->block, allocation);
	return TAKE(allocation, KgeScorer, 1);
}

bool
kge_scorer_uses_sketch(const KgeModel *model)
{
	return kge_sketch_has_moduli(&(KgeSketch) {.engine = kge_engine(model)});
}

size_t
kge_scorer_bytes(const KgeModel *model)
{
	KgeSketch	sketch = {.engine = kge_engine(model),.scale = &(float) {0}};
	KgeScorer	scorer = {.block = {.model = model,.sketch = kge_sketch_has_moduli(&sketch) ? &sketch : NULL}};
	Allocation	allocation = {0};

	take_scorer(&scorer, &allocation);
	return allocation_bytes(&allocation);
}

KgeScorer *
kge_scorer(Arena *arena, const KgeModel *model, const KgeSketch *sketch)
{
	KgeScorer	scorer = {.block = {.model = model,.sketch = sketch}};
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
	kge_block_open(&scorer->block, questions, count);
}

float
kge_scorer_score(const KgeScorer *scorer, int question, int32_t entity)
{
	return kge_engine_score(&scorer->block.engine, kge_block_query(&scorer->block, question),
							kge_entity_row(scorer->block.model, entity));
}

/* ---- a search ------------------------------------------------------------------------ */

/* Exact scores below it belong to fast ones below `least`: either is off by less than the error. */
static double
exact_least(const KgeScorer *scorer, int question, float least)
{
	if (!isfinite(least))
		return -INFINITY;
	return least - 2 * kge_score_error(&scorer->block.engine, scorer->block.question[question].norm, 0, least);
}

/* kge_block_visit's callback */
static void
visit_near(void *argument, int question, int32_t entity)
{
	KgeScorer  *scorer = argument;
	float		score = kge_scorer_score(scorer, question, entity);

	if (score > scorer->least[question])
		scorer->visit(scorer->argument, question, entity, score);
}

static void
visit_all(KgeScorer *scorer)
{
	const KgeQuestionBlock *block = &scorer->block;

	for (int q = 0; q < block->questions; q++)
		for (int i = 0; i < block->count; i++)
		{
			float		score = block->score[i * KGE_BLOCK_QUESTIONS + q];

			if (score > scorer->least[q])
				scorer->visit(scorer->argument, q, block->first + i, score);
		}
}

int32_t
kge_scorer_search(KgeScorer *scorer, int32_t first, const float *least, KgeScorerVisit visit, void *argument)
{
	int32_t		next;

	scorer->least = least;
	scorer->visit = visit;
	scorer->argument = argument;
	for (int q = 0; scorer->block.sketch != NULL && q < scorer->block.questions; q++)
		kge_block_threshold(&scorer->block, q, exact_least(scorer, q, least[q]));
	next = kge_block_score(&scorer->block, first);
	if (scorer->block.sketch != NULL)
		kge_block_visit(&scorer->block, visit_near, scorer);
	else
		visit_all(scorer);
	return next;
}
