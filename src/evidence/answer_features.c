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

#include "core/sort.h"

#define FEATURES_AHEAD 4		/* between fetching what is remembered of a feature and using it */
#define LEAST_SAMPLE 100		/* the standard error of a confidence is then at most 0.05 */

/* ---- rules with constants, by the features of the given entity ---------------------- */

/* Makes each rule the best one of its cluster for its answer, if it is. */
static void
offer_answers(EvAnswering *answering, int32_t group, const FeatureCount *count)
{
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
			confidence = ev_smoothed_confidence(support, count->size, 0);
		}
		if (confidence < LEAST_CONFIDENCE || confidence <= best->confidence)
			continue;
		if (best->confidence == 0)
			answering->touched[answering->touched_count++] = answer;
		*best = (AnsweringBest) {confidence, group};
	}
}

static void
apply_feature(EvAnswering *answering, int64_t edge)
{
	FeatureCount count = feature_count(answering->counter, edge, answering->sample);

	offer_answers(answering, answering->facts->mirror[edge], &count);
	answering_yield(answering, count.count + 1);
}

/* The best rules of the features with one atom fire. */
static void
fire_best(EvAnswering *answering, DirectedAtom atom)
{
	EvFiring	firing = {.cluster = (unsigned) atom,.source = EV_FEATURE};

	for (int64_t i = 0; i < answering->touched_count; i++)
	{
		int32_t		answer = answering->touched[i];
		AnsweringBest best = answering->best[answer];

		if (i + ANSWERING_AHEAD < answering->touched_count)
			answering_prefetch(answering, answering->touched[i + ANSWERING_AHEAD],
							   answering->touched[i + ANSWERING_AHEAD / 2]);
		/* many are as confident as the one before */
		if (best.confidence != firing.confidence)
			firing.strength = ev_strength(best.confidence);
		firing.confidence = best.confidence;
		firing.number = best.group;
		answering_fire(answering, answer, &firing);
		answering->best[answer].confidence = 0;
	}
	answering_yield(answering, answering->touched_count);
	answering->touched_count = 0;
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
		answering_yield(answering, ANSWERING_SAMPLE);
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
	FactGroup	own = {facts->start[answering->question.given], facts->start[answering->question.given + 1]};
	int64_t		stride = feature_stride(own, ANSWERING_SAMPLE);

	if (own.first == own.end)
		return;
	stride *= limit_features(answering, own, stride);
	for (int64_t i = own.first; i < own.end; i += stride)
	{
		if (i + FEATURES_AHEAD * stride < own.end)
			feature_count_prefetch(answering->counter, i + FEATURES_AHEAD * stride, answering->sample);
		apply_feature(answering, i);
		if (i + stride >= own.end || facts->edge[i + stride].atom != facts->edge[i].atom)
			fire_best(answering, facts->edge[i].atom);
	}
}

/* ---- rules with an empty body ------------------------------------------------------- */

void
answering_apply_common(EvAnswering *answering)
{
	FeatureCount count = feature_count_common(answering->counter);
	EvFiring	firing = {.cluster = EV_COMMON_CLUSTER,.source = EV_COMMON};
	int32_t		support = 0;

	for (int64_t i = 0; i < count.count; i++)
	{
		if (i + ANSWERING_AHEAD < count.count)
			answering_prefetch(answering, count.answer[i + ANSWERING_AHEAD].answer,
							   count.answer[i + ANSWERING_AHEAD / 2].answer);
		if (count.answer[i].support != support)
		{
			support = count.answer[i].support;
			firing.confidence = EV_COMMON_PART * ev_smoothed_confidence(support, count.size, 0);
			firing.strength = ev_strength(firing.confidence);
		}
		firing.number = count.answer[i].answer;
		answering_fire(answering, count.answer[i].answer, &firing);
	}
	answering_yield(answering, count.count);
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
			int32_t		feature = facts->mirror[j];

			/* the body must not be the head */
			if (feature != answering->known && answering->shared[feature]++ == 0)
				answering->feature[answering->feature_count++] = feature;
		}
		answering_yield(answering, own.end - own.first);
	}
}

/* Adds the rule of a feature that `support` answers have, if it is confident enough; one of `stride` was counted. */
static void
add_ruling(EvAnswering *answering, int32_t feature, int32_t support, int64_t stride)
{
	FactGroup	group = fact_group_at(answering->facts, feature);
	int64_t		size = group.end - group.first;
	double		confidence = (double) (support * stride) / (double) (size + EV_SMOOTHING);

	if (confidence < LEAST_CONFIDENCE || size > answering->work)
		return;
	answering->work -= size;
	answering->ruling[answering->ruling_count++] = (AnsweringFeature) {confidence < 1 ? confidence : 1,
	MIRRORED(answering->facts->group[feature].atom), feature};
}

/* Drops the features of one answer, and fetches the groups of the others. */
static void
drop_rare_features(EvAnswering *answering)
{
	int64_t		count = 0;

	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		int32_t		feature = answering->feature[i];

		answering_yield(answering, 1);
		if (answering->shared[feature] < LEAST_SUPPORT)
		{
			answering->shared[feature] = 0;
			continue;
		}
		__builtin_prefetch(&answering->facts->group[feature]);
		answering->feature[count++] = feature;
	}
	answering->feature_count = count;
}

/* The rules r("g",Y) <= b(Y,"d") that fire: features come in the order in which the answers have them. */
static void
find_ruling(EvAnswering *answering, int64_t stride)
{
	answering->ruling_count = 0;
	drop_rare_features(answering);
	for (int64_t i = 0; i < answering->feature_count; i++)
	{
		int32_t		feature = answering->feature[i];

		add_ruling(answering, feature, answering->shared[feature], stride);
		answering->shared[feature] = 0;
		answering_yield(answering, 1);
	}
	answering->feature_count = 0;
}

/* By cluster, the most confident first; equal ones in an order of their own */
static int
compare_ruling(const void *a, const void *b)
{
	const AnsweringFeature *left = a;
	const AnsweringFeature *right = b;

	if (left->atom != right->atom)
		return left->atom < right->atom ? -1 : 1;
	if (left->confidence != right->confidence)
		return left->confidence > right->confidence ? -1 : 1;
	return (left->group > right->group) - (left->group < right->group);
}

/* The rule of a feature fires for all that share it, but for those that a better one of its cluster has inferred. */
static void
fire_ruling(EvAnswering *answering, const AnsweringFeature *ruling)
{
	const FactIndex *facts = answering->facts;
	FactGroup	group = fact_group_at(facts, ruling->group);
	EvFiring	firing = {ruling->confidence, ev_strength(ruling->confidence), (unsigned) ruling->atom, EV_ANSWER,
		ruling->group};

	for (int64_t i = group.first; i < group.end; i++)
	{
		int32_t		entity = facts->edge[i].other;

		if (i + ANSWERING_AHEAD < group.end)
			answering_prefetch(answering, facts->edge[i + ANSWERING_AHEAD].other,
							   facts->edge[i + ANSWERING_AHEAD / 2].other);
		answering_yield(answering, 1);
		if (answering_is_in_set(answering, entity))
			continue;
		answering_add_to_set(answering, entity);
		answering_fire(answering, entity, &firing);
	}
}

void
answering_apply_answer_features(EvAnswering *answering)
{
	FactGroup	answers;
	int64_t		stride;

	if (answering->known < 0)
		return;
	answers = fact_group_at(answering->facts, answering->known);
	stride = feature_stride(answers, ANSWERING_SAMPLE);
	answering->work = ANSWERING_WORK;
	count_features(answering, answers, stride);
	find_ruling(answering, stride);
	sort_array(answering->pool, answering->thread, answering->ruling, answering->ruling_count, sizeof(AnsweringFeature),
			   compare_ruling);
	for (int64_t i = 0; i < answering->ruling_count; i++)
	{
		if (i == 0 || answering->ruling[i].atom != answering->ruling[i - 1].atom)
			answering_begin_set(answering);
		fire_ruling(answering, &answering->ruling[i]);
	}
}
