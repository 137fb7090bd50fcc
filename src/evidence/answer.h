/*
 * answer.h
 *		Answering a question by rules: the entities that are inferred, and the rules that fire for each.
 */
#ifndef HKG_EVIDENCE_ANSWER_H
#define HKG_EVIDENCE_ANSWER_H

#include "rule_index.h"

/* Rules kept for a candidate: the most confident that fire */
#define EV_FIRINGS 8

/* What EvFiring.number is */
typedef enum EvSource
{
	EV_PATH,					/* place in EvRules.rule */
	EV_PATTERN,					/* place in EvRules.pattern */
	EV_FEATURE,					/* r(X,"c") <= b(X,"d"): edge of X, the given entity, to d */
	EV_ANSWER					/* r("g",Y) <= b(Y,"d"), g the given entity: edge of some Y to d */
} EvSource;

typedef struct EvFiring
{
	double		confidence;
	int32_t		cluster;		/* rules of a cluster are much alike: only the most confident that fires counts */
	EvSource	source;
	int64_t		number;
} EvFiring;

typedef struct EvCandidate
{
	int32_t		entity;
	int32_t		count;
	EvFiring	firing[EV_FIRINGS]; /* by confidence, falling */
} EvCandidate;

/* What one thread answers questions with. */
typedef struct EvAnswering EvAnswering;

extern size_t ev_answering_bytes(const EvFacts *facts);

/* NULL when the arena is empty.  facts and rules must stay. */
extern EvAnswering *ev_answering(Arena *arena, const EvFacts *facts, const EvRules *rules);

/*
 * The candidates that rules infer for (given, relation), as answers on `side`, in no order; they last
 * until another question.  Besides the given rules these are all rules with a constant in head and body,
 * r(X,"c") <= b(X,"d") or r("c",Y) <= b(Y,"d"), that infer two facts at least: they are counted during the call.
 * The call runs in `thread` of `pool`, or in its leader, and yields there.
 */
extern int64_t ev_answer(EvAnswering *answering, Side side, int32_t given, int32_t relation,
						 Pool *pool, int thread, const EvCandidate **candidates);

/* The candidate that an entity is for the last question; NULL when it is not inferred. */
extern const EvCandidate *ev_candidate(const EvAnswering *answering, int32_t entity);

#endif							/* HKG_EVIDENCE_ANSWER_H */
