/*
 * expected.c
 *		The score of a new entity as an answer, where rules infer it.
 *
 * By its place among its neighbours alone, a new entity is an uncertain answer: too near to some questions and too far
 * from others.  Where rules infer it, they infer trained entities, too.  Their scores show what the embedding gives a
 * candidate of as much evidence: a least squares line through them.  The new entity gets its own score, but no less
 * than what is RAISED standard deviations of the rest above that line: the best of many trained candidates, with whom
 * it competes, are as far above it.
 *
 * Known answers are left out: they were learnt from, and are not compared with.
 */
#include <math.h>

#include "evidence.h"

#define LEAST 5					/* candidates that a line is drawn through */
#define RAISED 1.5				/* chosen on entities taken out of benchmark graphs (bench/new_entities) */

/* Sums over pairs of evidence x and score y */
typedef struct LineSums
{
	double		count;
	double		x;
	double		y;
	double		xx;
	double		xy;
	double		yy;
} LineSums;

static EvExpected
line_of(LineSums sums)
{
	double		spread = sums.xx - sums.x * sums.x / sums.count;
	double		slope = (sums.xy - sums.x * sums.y / sums.count) / spread;
	double		level;
	double		rest;

	/* evidence all alike, or more of it where the embedding expects less: the mean */
	if (!(spread > 1e-9 * sums.xx) || !(slope > 0))
		slope = 0;
	level = (sums.y - slope * sums.x) / sums.count;
	/* what the line leaves, squared */
	rest = sums.yy - 2 * slope * sums.xy - 2 * level * sums.y + slope * slope * sums.xx +
		2 * slope * level * sums.x + level * level * sums.count;
	return (EvExpected) {true, level + RAISED * sqrt(fmax(rest, 0) / sums.count), slope};
}

double
ev_expected_score(const EvExpected *expected, double score, double evidence)
{
	return expected->found ? fmax(score, expected->level + expected->slope * evidence) : score;
}

EvExpected
ev_expected(const FactIndex *facts, const bool *is_new, EvCandidates candidates, const EvWeights *weights,
			const Question *question, KgeScorer *scorer, Pool *pool, int thread)
{
	int32_t		key = 2 * question->relation + (int32_t) question->side;
	DirectedAtom asked = asked_atom(question->relation, question->side);
	LineSums	sums = {0};
	int64_t		new_count = 0;

	for (int64_t i = 0; i < candidates.count; i++)
		new_count += is_new[candidates.candidate[i].entity];
	if (new_count == 0 || candidates.count - new_count < LEAST)
		return (EvExpected) {0};
	kge_scorer_prepare(scorer, question, 1);
	for (int64_t i = 0; i < candidates.count; i++)
	{
		const EvCandidate *candidate = &candidates.candidate[i];
		double		x;
		double		y;

		pool_yield_at(pool, thread, i);
		if (is_new[candidate->entity] || fact_holds(facts, question->given, asked, candidate->entity))
			continue;
		x = ev_evidence_by(weights, EV_BOTH, key, candidate);
		y = kge_scorer_score(scorer, 0, candidate->entity);
		sums = (LineSums) {sums.count + 1, sums.x + x, sums.y + y, sums.xx + x * x, sums.xy + x * y, sums.yy + y * y};
	}
	if (sums.count < LEAST)
		return (EvExpected) {0};
	return line_of(sums);
}
