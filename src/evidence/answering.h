/*
 * answering.h
 *		What a question is answered with, for answer.c and the kinds of rules that it applies.
 *
 * The work for a question is bounded.  Of more than ANSWERING_SAMPLE edges, entities or answers, an even sample is looked
 * at, and a path that reaches ANSWERING_REACH entities at once does not fire.  That is not enough where the given entity
 * or what it is related to is a hub: 1000 features, each shared by 1000 entities of 1000 answers.  So each kind of rule
 * may also look at no more than ANSWERING_WORK edges in all; after that, at ANSWERING_SAMPLE for each atom of a path or each
 * pattern.
 */
#ifndef HKG_EVIDENCE_ANSWERING_H
#define HKG_EVIDENCE_ANSWERING_H

#include "evidence.h"

#include "body_join.h"
#include "feature_count.h"

#define ANSWERING_REACH (1 << 18)
#define ANSWERING_SAMPLE 1000
#define ANSWERING_WORK (1 << 19)
#define ANSWERING_AHEAD 16		/* firings between fetching memory and using it */

/* A rule r("g",Y) <= b(Y,"d"): of a feature that answers of the given entity have */
typedef struct AnsweringFeature
{
	double		confidence;
	DirectedAtom atom;			/* b */
	int32_t		group;			/* of those that share it */
} AnsweringFeature;

/* The most confident rule of a cluster that infers an entity */
typedef struct AnsweringBest
{
	double		confidence;		/* 0: none */
	int32_t		group;			/* its feature: of those that share it */
} AnsweringBest;

struct EvAnswering
{
	const FactIndex *facts;
	const EvRules *rules;		/* NULL: none */
	PathReader *reader;			/* NULL: there is no network */
	Pool	   *pool;
	int			thread;

	/* the question */
	EvKind		kind;
	Question	question;
	int32_t		atom;			/* from given to answers */
	int32_t		known;			/* the group of its answers among the facts; -1: none */
	int64_t		work;			/* edges that rules of the kind that is applied may look at yet */
	int64_t		since;			/* it yielded */

	/* of the features with one atom */
	FeatureCounter *counter;
	AnsweringBest *best;		/* by entity */
	int32_t    *touched;		/* entities that have a best one */
	int64_t		touched_count;
	int64_t		sample;			/* of the entities that share a feature */

	/* how many answers, of ANSWERING_SAMPLE at most, have a feature, by its group; and which features */
	uint16_t   *shared;
	int32_t    *feature;
	int64_t		feature_count;
	AnsweringFeature *ruling;	/* those whose rules fire */
	int64_t		ruling_count;

	EvJoin	   *join;			/* for patterns */

	/* the entities that each prefix of a path reaches */
	int32_t    *reached[RULE_MAX_BODY + 1];
	int64_t		reached_count[RULE_MAX_BODY + 1];

	/* a set of entities */
	uint32_t   *stamp;			/* by entity: serial of the last set that it is in */
	uint32_t	serial;

	int32_t    *slot;			/* by entity: its candidate, and 1; 0: none */
	EvCandidate *candidate;
	int64_t		count;
	int64_t		room;
	bool		answered;		/* the candidates are complete */
};

/* The candidate that an entity is, perhaps a new one; NULL when there is no room. */
extern EvCandidate *answering_candidate(EvAnswering *answering, int32_t entity);

/* An entity that is given is no answer, unless its relation has facts of one entity; nor is one of another type. */
extern bool answering_may_answer(const EvAnswering *answering, int32_t entity);

/* A rule infers the entity. */
extern void answering_fire(EvAnswering *answering, int32_t entity, const EvFiring *rule);

/* Begins an empty set of entities. */
extern void answering_begin_set(EvAnswering *answering);

static inline bool
answering_is_in_set(const EvAnswering *answering, int32_t entity)
{
	return answering->stamp[entity] == answering->serial;
}

static inline void
answering_add_to_set(EvAnswering *answering, int32_t entity)
{
	answering->stamp[entity] = answering->serial;
}

/* Rules along paths from the given entity, and rules of any other shape */
extern void answering_apply_path_rules(EvAnswering *answering);
extern void answering_apply_patterns(EvAnswering *answering);

/* Rules with constants: by the features of the given entity, and by those of its answers */
extern void answering_apply_features(EvAnswering *answering);
extern void answering_apply_answer_features(EvAnswering *answering);

/* Rules with an empty body: the answers that are common, whatever is asked about */
extern void answering_apply_common(EvAnswering *answering);

/* After so many steps of some nanoseconds */
static inline void
answering_yield(EvAnswering *answering, int64_t steps)
{
	pool_yield_after(answering->pool, answering->thread, steps, &answering->since);
}

/* Fetches ahead: of an entity that comes later the slot; of a nearer one, whose slot is there by now, the candidate. */
static inline void
answering_prefetch(const EvAnswering *answering, int32_t far, int32_t near)
{
	int32_t		slot = answering->slot[near];

	__builtin_prefetch(&answering->slot[far]);
	if (slot > 0)
		__builtin_prefetch(&answering->candidate[slot - 1]);
}

#endif							/* HKG_EVIDENCE_ANSWERING_H */
