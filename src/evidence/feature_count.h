/*
 * feature_count.h
 *		Rules r(X,"c") <= b(X,"d") of one feature (b, d), counted: of those that share it, how many have the answer c?
 *		Rules r(X,"c") <= likewise, of all that have answers.
 *
 * The counts are the same whichever entity with that feature is asked about, and questions ask for the features of
 * hubs again and again.  So a counter keeps what it has counted, as far as it has room, for all questions with the
 * same atom; without room it drops all of it.
 */
#ifndef HKG_EVIDENCE_FEATURE_COUNT_H
#define HKG_EVIDENCE_FEATURE_COUNT_H

#include "core/allocation.h"
#include "facts/fact_index.h"

#define LEAST_SUPPORT 2			/* of a rule that is counted for a question */
#define LEAST_CONFIDENCE 0.01

/* An answer, and how many entities have it */
typedef struct AnswerSupport
{
	int32_t		answer;
	int32_t		support;
} AnswerSupport;

typedef struct FeatureCount
{
	int64_t		size;			/* of the sample of the entities that share the feature */
	int64_t		count;
	const AnswerSupport *answer;	/* in the order in which those entities have them */
} FeatureCount;

typedef struct FeatureCounter FeatureCounter;

extern FeatureCounter *feature_counter_take(Allocation *allocation, const FactIndex *facts);

/*
 * The next counts are for questions about an entity, with an atom that leads to answers; what such a question has left
 * in the middle is cleared.
 */
extern void feature_counter_ask(FeatureCounter *counter, int32_t given, DirectedAtom atom, Pool *pool, int thread);

/* The entities that share a feature, which is an edge of one of them */
static inline FactGroup
feature_sharing(const FactIndex *facts, int64_t edge)
{
	return fact_group_at(facts, facts->mirror[edge]);
}

/* Of n edges of a group one is looked at, so that these are `sample` at most; returns n. */
static inline int64_t
feature_stride(FactGroup group, int64_t sample)
{
	return (group.end - group.first + sample - 1) / sample;
}

/*
 * The answers of at most `sample` entities that share a feature of the given one: those of rules that can be confident
 * enough, whatever rules are worth.  Lasts until the next count.
 */
extern FeatureCount feature_count(FeatureCounter *counter, int64_t edge, int64_t sample);

/* The same of all entities that have answers, without a sample */
extern FeatureCount feature_count_common(FeatureCounter *counter);

/* Fetches what is remembered of a feature that will be counted soon. */
extern void feature_count_prefetch(const FeatureCounter *counter, int64_t edge, int64_t sample);

/* The edges that counting it looks at */
extern double feature_cost(FeatureCounter *counter, FactGroup group, int64_t sample);

#endif							/* HKG_EVIDENCE_FEATURE_COUNT_H */
