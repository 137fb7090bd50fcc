/*
 * answer_features.c
 *		What rules with constants infer for a question (see answer.c).
 *
 * They are far too many to be kept (millions for a graph of some 100,000 facts).  But few matter for one question, and
 * their counts are found near the given entity.  Features that need more work than a question may take are counted with
 * samples of LEAST_SAMPLE, and some are left out, evenly.
 */
#include "answering.h"

#include <math.h>

#define LEAST_SAMPLE 100		/* the standard error of a confidence is then at most 0.05 */

/* ---- rules with constants, by the features of the given entity ---------------------- */

/* Makes each rule the best one of its cluster for its answer, if it is. */
static void
offer_answers(EvAnswering *answering, int64_t edge, const FeatureCount *count)
{
	double		unknown = ev_unknown(count->size, count->answered);
	int32_t		support = 0;
	double		confidence = 0;

	for (int64_t i = 0; i < count->count; i++)
	{
		int32_t		answer = count->answer[i].answer;
		AnsweringBest *best = &answering->best[answer];

		if (i + ANSWERING_AHEAD < count->count)
			__builtin_prefetch(&answering->best[count->answer[i + ANSWERING_AHEAD].answer]);
		/* most have as much as the one before */
		if (count->answer[i].support != support)
		{
			support = count->answer[i].support;
			confidence = ev_worth(ev_smoothed_confidence(support, count->size, 0), unknown, answering->closed);
		}
		if (confidence < LEAST_CONFIDENCE || confidence <= best->confidence)
			continue;
		if (best->confidence == 0)
			answering->touched[answering->touched_count++] = answer;
		*best = (AnsweringBest) {confidence, edge};
	}
}

static void
apply_feature(EvAnswering *answering, int64_t edge)
{
	FeatureCount count = feature_count(answering->counter, edge, answering->sample);

	offer_answers(answering, edge, &count);
}

/* The best rules of the features with one atom fire. */
static void
fire_best(EvAnswering *answering, DirectedAtom atom)
{
	for (int64_t i = 0; i < answering->touched_count; i++)
	{
		int32_t		answer = answering->touched[i];
		AnsweringBest best = answering->best[answer];

		if (i + ANSWERING_AHEAD < answering->touched_count)
			answering_prefetch(answering, answering->touched[i + ANSWERING_AHEAD], answering->touched[i + ANSWERING_AHEAD / 2]);
		answering_fire(answering, answer, (EvFiring) {best.confidence, atom, EV_FEATURE, best.edge});
		answering->best[answer].confidence = 0;
	}
	answering->touched_count = 0;
	answering_yield(answering);
}

/* Whether features cannot need more than ANSWERING_WORK edges, by the sizes of their groups */
static bool
need_little(EvAnswering *answering, FactGroup own, int64_t stride)
{
	int64_t		most = ANSWERING_WORK / (answering->facts->largest[answering->atom] + 1);
	int64_t		sizes = 0;

	if ((own.end - own.first) / stride * ANSWERING_SAMPLE < most)
		return true;
	for (int64_t i = own.first; i < own.end && sizes < most; i += stride)
	{
		FactGroup	group = feature_sharing(answering->facts, i);

		sizes += group.end - group.first < ANSWERING_SAMPLE ? group.end - group.first : ANSWERING_SAMPLE;
	}
	return sizes < most;
}

/* Sets the size of samples for ANSWERING_WORK edges in all.  Returns n, where one feature of n is looked at. */
static int64_t
limit_features(EvAnswering *answering, FactGroup own, int64_t stride)
{
	double		all = 0;
	double		least = 0;

	answering->sample = ANSWERING_SAMPLE;
	if (need_little(answering, own, stride))
		return 1;
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		FactGroup	group = feature_sharing(answering->facts, i);
		double		size = (double) (group.end - group.first);
		double		cost;

		if (size < LEAST_SUPPORT)
			continue;
		cost = feature_cost(answering->counter, group, ANSWERING_SAMPLE);
		all += cost;
		least += cost * fmin(1, LEAST_SAMPLE / fmin(size, ANSWERING_SAMPLE));
		answering_yield(answering);
	}
	if (all <= ANSWERING_WORK)
		return 1;
	answering->sample = LEAST_SAMPLE;
	return (int64_t) ceil(least / ANSWERING_WORK);
}

void
answering_apply_features(EvAnswering *answering)
{
	const FactIndex *facts = answering->facts;
	FactGroup	own = {facts->start[answering->given], facts->start[answering->given + 1]};
	int64_t		stride = feature_stride(own, ANSWERING_SAMPLE);

	if (own.first == own.end)
		return;
	feature_counter_ask(answering->counter, answering->given, answering->atom, answering->pool, answering->thread);
	stride *= limit_features(answering, own, stride);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		apply_feature(answering, i);
		if (i + stride >= own.end || facts->edge[i + stride].atom != facts->edge[i].atom)
			fire_best(answering, facts->edge[i].atom);
		answering_yield(answering);
	}
}

/* ---- rules with constants, by the features of the answers ----------------------------- */

/* Counts, by feature, the answers among the facts that have it. */
static void
count_features(EvAnswering *answering, FactGroup answers, int64_t stride)
{
	const FactIndex *facts = answering->facts;

	for (int64_t i = answers.first; i < answers.end; i += stride)
	{
		int32_t		answer = facts->edge[i].other;
		FactGroup	own = {facts->start[answer], facts->start[answer + 1]};
		int64_t		own_stride = feature_stride(own, ANSWERING_SAMPLE);

		for (int64_t j = own.first; j < own.end; j += own_stride)
		{
			int64_t		feature = facts->mirror[j];

			/* the body must not be the head */
			if (facts->edge[j].atom == MIRRORED(answering->atom) && facts->edge[j].other == answering->given)
				continue;
			if (answering->shared[feature]++ == 0)
				answering->feature[answering->feature_count++] = j;
		}
		answering_yield(answering);
	}
}

/* The rule r("g",Y) <= b(Y,"d") for one feature (b, d), an edge; `stride`: of the answers that were counted. */
static void
apply_answer_feature(EvAnswering *answering, int64_t edge, int64_t stride)
{
	const FactIndex *facts = answering->facts;
	FactEdge	feature = facts->edge[edge];
	int64_t		first = facts->mirror[edge];
	int32_t		support = answering->shared[first];
	int64_t		end;
	double		confidence;

	answering->shared[first] = 0;
	if (support < LEAST_SUPPORT)
		return;
	end = feature_sharing(facts, edge).end;
	confidence = (double) (support * stride) / (double) (end - first + EV_SMOOTHING);
	if (confidence < LEAST_CONFIDENCE || end - first > answering->work)
		return;
	answering->work -= end - first;
	for (int64_t i = first; i < end; i++)
	{
		if (i + ANSWERING_AHEAD < end)
			answering_prefetch(answering, facts->edge[i + ANSWERING_AHEAD].other, facts->edge[i + ANSWERING_AHEAD / 2].other);
		answering_fire(answering, facts->edge[i].other, (EvFiring) {fmin(confidence, 1), feature.atom, EV_ANSWER, edge});
		pool_yield_at(answering->pool, answering->thread, i);
	}
	answering_yield(answering);
}

void
answering_apply_answer_features(EvAnswering *answering)
{
	FactGroup	answers = answering->known;
	int64_t		stride = feature_stride(answers, ANSWERING_SAMPLE);

	answering->work = ANSWERING_WORK;
	count_features(answering, answers, stride);
	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		apply_answer_feature(answering, answering->feature[i], stride);
		pool_yield_at(answering->pool, answering->thread, i);
	}
	answering->feature_count = 0;
}
