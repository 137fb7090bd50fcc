/*
 * learn.c
 *		How much evidence counts, and how probable a score is: the whole.
 */
#include "learn.h"

#define MOST_TRIPLES 10000

typedef struct Learning
{
	Listing		listing;
	Weighing	weighing;
	Calibrating calibrating;
	Triple  *triples;		/* an even part of what there is */
} Learning;

static Learning
begin_learning(Pool *pool, const KgeModel *model, int64_t count)
{
	Learning	learning = {0};

	learning.listing.pool = learning.weighing.pool = learning.calibrating.pool = pool;
	learning.listing.model = model;
	learning.listing.engine = kge_engine(model);
	learning.listing.count = count < MOST_TRIPLES ? count : MOST_TRIPLES;
	return learning;
}

static void
take_learning(Learning *learning, Allocation *allocation, int64_t known, int threads, EvLearnt *learnt)
{
	int64_t		examples = 2 * learning->listing.count;
	int32_t		keys = 2 * learning->listing.model->relations;

	listing_take(&learning->listing, allocation, known, threads);
	weighing_take(&learning->weighing, allocation, examples, keys);
	calibrating_take(&learning->calibrating, allocation, examples);
	learning->triples = TAKE(allocation, Triple, (size_t) learning->listing.count);
	learnt->weights.weight = TAKE(allocation, double, (size_t) keys);
	learnt->weights.scale = TAKE(allocation, double, (size_t) keys);
	learnt->questions = TAKE(allocation, int64_t, (size_t) keys);
}

size_t
ev_learn_bytes(const KgeModel *model, const EvFacts *facts, int64_t count, int64_t known_count, int threads)
{
	Learning	learning = begin_learning(NULL, model, count);
	EvLearnt	learnt;
	Allocation	allocation = {0};

	take_learning(&learning, &allocation, known_count, threads, &learnt);
	return allocation_bytes(&allocation) + ev_adjuster_bytes(facts, threads);
}

bool
ev_learn(Arena *arena, Pool *pool, const KgeModel *model,
		 const EvFacts *facts, const EvRules *rules,
		 const Triple *triples, int64_t count,
		 const Triple *known, int64_t known_count, EvLearnt *learnt)
{
	Learning	learning = begin_learning(pool, model, count);
	int			threads = pool_threads(pool);
	Allocation	allocation = {0};

	if (!ev_adjuster(arena, facts, rules, (EvWeights) {0}, threads, &learning.listing.adjuster))
		return false;
	take_learning(&learning, &allocation, known_count, threads, learnt);
	if (!allocation_open(&allocation, arena))
		return false;
	take_learning(&learning, &allocation, known_count, threads, learnt);
	for (int64_t i = 0; i < learning.listing.count; i++)
		learning.triples[i] = triples[i * count / learning.listing.count];
	learning.listing.triples = learning.triples;
	learning.weighing.examples = learning.calibrating.examples = &learning.listing.examples;
	listing_fill(&learning.listing, known, known_count);
	learn_weights(&learning.weighing, learnt);
	learning.calibrating.discount[EV_RULES] = learning.weighing.alone;
	learning.calibrating.discount[EV_BOTH] = learning.weighing.discount;
	learn_calibration(&learning.calibrating, learnt);
	return true;
}
