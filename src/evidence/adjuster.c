/*
 * adjuster.c
 *		Evidence as an adjustment of scores: what a question's candidates have, added while a search runs.
 */
#include <math.h>

#include "core/allocation.h"
#include "evidence.h"

static void
take_adjuster(EvAdjuster *adjuster, Allocation *allocation)
{
	adjuster->answering = TAKE(allocation, EvAnswering *, (size_t) adjuster->threads);
	adjuster->addition = TAKE(allocation, KgeAddition *, (size_t) adjuster->threads);
	for (int i = 0; i < adjuster->threads; i++)
	{
		KgeAddition *addition = TAKE(allocation, KgeAddition, (size_t) adjuster->facts->entities);

		if (adjuster->addition != NULL)
			adjuster->addition[i] = addition;
	}
}

bool
ev_adjuster(Arena *arena, const EvBasis *basis, EvWeights weights, EvKind kind, int threads, EvAdjuster *adjuster)
{
	Allocation	allocation = {0};

	*adjuster = (EvAdjuster) {.facts = basis->facts,.weights = weights,.kind = kind,.threads = threads};
	take_adjuster(adjuster, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	take_adjuster(adjuster, &allocation);
	for (int i = 0; i < threads; i++)
	{
		adjuster->answering[i] = ev_answering(arena, basis);
		if (adjuster->answering[i] == NULL)
			return false;
	}
	return true;
}

static void
take_scorers(EvAdjuster *adjuster, const KgeModel *model, Allocation *allocation)
{
	adjuster->scorer = TAKE(allocation, KgeScorer *, (size_t) adjuster->threads);
	adjuster->exact = TAKE(allocation, KgeExactScore, (size_t) adjuster->threads);
	for (int i = 0; i < adjuster->threads; i++)
	{
		KgeExactScore exact = kge_exact_score_take(model, allocation);

		if (adjuster->exact != NULL)
			adjuster->exact[i] = exact;
	}
}

bool
ev_adjuster_expect(Arena *arena, EvAdjuster *adjuster, const KgeModel *model, const bool *is_new)
{
	Allocation	allocation = {0};

	take_scorers(adjuster, model, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	take_scorers(adjuster, model, &allocation);
	for (int i = 0; i < adjuster->threads; i++)
	{
		adjuster->scorer[i] = kge_scorer(arena, model, NULL);
		if (adjuster->scorer[i] == NULL)
			return false;
	}
	adjuster->is_new = is_new;
	return true;
}

/* Additions that turn the scores of new entities into those that are expected of them, beside the evidence. */
static void
expect_new(EvAdjuster *adjuster, const Question *question, EvCandidates candidates, Pool *pool, int thread)
{
	const EvWeights *weights = &adjuster->weights;
	KgeAdjustment weighing = ev_weighing(weights);
	double		weight = kge_adjustment_weight(&weighing, question->relation, question->side);
	KgeScorer  *scorer = adjuster->scorer[thread];
	EvExpected	expected;

	if (!(weight > 0))
		return;
	expected = ev_expected(adjuster->facts, adjuster->is_new, candidates, weights, question, scorer, pool, thread);
	for (int64_t i = 0; expected.found && i < candidates.count; i++)
	{
		KgeAddition *addition = &adjuster->addition[thread][i];
		double		score;

		pool_yield_at(pool, thread, i);
		if (!adjuster->is_new[addition->entity])
			continue;
		score = kge_exact_score(&adjuster->exact[thread], question_triple(question, addition->entity), question->side);
		addition->addition += (ev_expected_score(&expected, score, addition->addition) - score) / weight;
	}
}

static int64_t
list_by(EvAdjuster *adjuster, EvKind kind, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	KgeAddition *addition = adjuster->addition[thread];
	int32_t		key = 2 * question->relation + (int32_t) question->side;
	EvCandidates all;

	all.count = ev_answer(adjuster->answering[thread], kind, *question, pool, thread, &all.candidate);
	for (int64_t i = 0; i < all.count; i++)
	{
		pool_yield_at(pool, thread, i);
		addition[i] = (KgeAddition) {all.candidate[i].entity,
			ev_evidence_by(&adjuster->weights, kind, key, &all.candidate[i])};
	}
	*additions = addition;
	if (adjuster->is_new != NULL)
		expect_new(adjuster, question, all, pool, thread);
	return all.count;
}

/* KgeAdjustment's callbacks */
static int64_t
list_additions(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	EvAdjuster *adjuster = argument;

	return list_by(adjuster, adjuster->kind, question, pool, thread, additions);
}

static int64_t
list_of_rules(void *argument, const Question *question, Pool *pool, int thread, const KgeAddition **additions)
{
	return list_by(argument, EV_RULES, question, pool, thread, additions);
}

/* The score that is expected of a new entity changes otherwise. */
static double
network_adds(void *argument, Side side, int32_t relation)
{
	const EvAdjuster *adjuster = argument;
	KgeAdjustment weighing = ev_weighing(&adjuster->weights);
	double		most = ev_combined(&adjuster->weights, EV_BOTH, 2 * relation + (int32_t) side, 0, adjuster->most_network);

	return adjuster->is_new != NULL ? INFINITY : kge_adjusted_share(&weighing, relation, side, most);
}

KgeAdjustment
ev_adjustment(EvAdjuster *adjuster)
{
	KgeAdjustment adjustment = ev_weighing(&adjuster->weights);

	adjustment.list = list_additions;
	adjustment.argument = adjuster;
	adjuster->most_network = ev_answering_most_network(adjuster->answering[0]);
	if (adjuster->kind != EV_BOTH || adjuster->most_network == 0)
		return adjustment;
	adjuster->quick = adjustment;
	adjuster->quick.list = list_of_rules;
	adjustment.quick = &adjuster->quick;
	adjustment.more = network_adds;
	return adjustment;
}
