/*
 * learn.c
 *		Weights and calibration, learnt from triples that neither embeddings nor rules were learnt from.
 *
 * First how rules and paths weigh beside a score, then what the sum means, with the weights as given.
 */
#include "examples.h"

#define FEW_FACTS 20			/* of a relation, from which a network has half of its weight */

static void
take_learners(EvLearners *learners, Allocation *allocation, int threads)
{
	learners->scorer = TAKE(allocation, KgeScorer *, (size_t) threads);
	learners->answering = TAKE(allocation, EvAnswering *, (size_t) threads);
}

size_t
ev_learn_bytes(const EvExampleSource *source, int threads)
{
	EvBasis		basis = ev_basis(source);
	int32_t		keys = 2 * source->model->relations;
	EvLearners	learners;
	Allocation	allocation = {0};

	take_learners(&learners, &allocation, threads);
	return allocation_bytes(&allocation) +
		(size_t) threads * (kge_scorer_bytes(source->model) + ev_answering_bytes(&basis)) +
		(kge_scorer_uses_sketch(source->model) ? kge_sketch_bytes(source->model) : 0) +
		ev_examples_bytes(source, threads) +
		weights_bytes(ev_examples_answered(source), keys) + calibration_bytes(ev_examples_all(source), keys);
}

static bool
open_learners(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearners *learners)
{
	bool		sketched = kge_scorer_uses_sketch(source->model);
	const KgeSketch *sketch = sketched ? kge_sketch(arena, pool, source->model) : NULL;
	int			threads = pool_threads(pool);
	EvBasis		basis = ev_basis(source);
	Allocation	allocation = {0};

	take_learners(learners, &allocation, threads);
	if ((sketched && sketch == NULL) || !allocation_open(&allocation, arena))
		return false;
	take_learners(learners, &allocation, threads);
	for (int i = 0; i < threads; i++)
	{
		learners->scorer[i] = kge_scorer(arena, source->model, sketch);
		learners->answering[i] = ev_answering(arena, &basis);
		if (learners->scorer[i] == NULL || learners->answering[i] == NULL)
			return false;
	}
	return true;
}

/*
 * A network has learnt little of a relation with few facts, and without questions of its own, which are held-out facts,
 * the relation would have the common weight.
 */
static void
trust_network(Pool *pool, const FactIndex *facts, EvLearnt *learnt)
{
	for (int32_t r = 0; r < facts->relations; r++)
	{
		int64_t		learnt_from = fact_count(facts, r, pool);

		for (int32_t key = 2 * r; key < 2 * r + 2; key++)
		{
			double		known = (double) (learnt_from + learnt->questions[key]);

			learnt->weights.network[key] *= known / (known + FEW_FACTS);
		}
	}
}

bool
ev_learn(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearnt *learnt)
{
	EvLearners	learners;
	EvExamples	examples;
	int			discount[EV_KINDS] = {0};

	if (!open_learners(arena, pool, source, &learners) ||
		!ev_examples(arena, pool, source, &learners, &examples) ||
		!weights_fit(arena, pool, &examples, learnt, discount))
		return false;
	if (examples.has_network)
		trust_network(pool, source->facts, learnt);
	return calibration_fit(arena, pool, &examples, discount, source, learnt);
}
