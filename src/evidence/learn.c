/*
 * learn.c
 *		Weights and calibration, learnt from triples that neither embeddings nor rules were learnt from.
 */
#include "examples.h"

size_t
ev_learn_bytes(const EvExampleSource *source, int threads)
{
	int32_t		keys = 2 * source->model->relations;

	return ev_examples_bytes(source, threads) + weights_bytes(ev_examples_answered(source), keys) +
		calibration_bytes(ev_examples_all(source), keys);
}

bool
ev_learn(Arena *arena, Pool *pool, const EvExampleSource *source, EvLearnt *learnt)
{
	EvExamples	examples;
	int			discount[EV_KINDS] = {0};

	return ev_examples(arena, pool, source, &examples) &&
		weights_fit(arena, pool, &examples, learnt, discount) &&
		calibration_fit(arena, pool, &examples, discount, source, learnt);
}
