/*
 * rule_index.h
 *		Rules by relation, in the order in which a question applies them.
 *
 * A rule is a path over directed atoms (EvRule) or has any other body (EvPattern).  Path rules with the same
 * first atoms are neighbours in this order: a question follows their common part once.
 */
#ifndef HKG_EVIDENCE_RULE_INDEX_H
#define HKG_EVIDENCE_RULE_INDEX_H

#include "fact_index.h"

#define EV_MAX_BODY 5
#define EV_SMOOTHING 5			/* added to the size of a body */

/*
 * The smoothed confidence of a rule, less the standard error where its counts are estimates: a few pairs can
 * give a high plain confidence by chance.
 */
static inline double
ev_smoothed_confidence(int64_t support, int64_t body_size, double error)
{
	double		confidence = (double) support / ((double) body_size + EV_SMOOTHING) - error;

	return confidence > 0 ? confidence : 0;
}

/* relation(X, Y) <= atom[0](X, A), atom[1](A, B), ... up to Y */
typedef struct EvRule
{
	int32_t		relation;
	int32_t		length;
	int32_t		atom[EV_MAX_BODY];	/* directed */
	float		confidence;		/* smoothed, in 0 .. 1 */
	int32_t		id;				/* the caller's */
} EvRule;

/* Terms are X, Y, other variables below them, and entities from 0 on. */
#define EV_X (-1)
#define EV_Y (-2)
#define EV_IS (-1)				/* in the place of a relation: the two terms are the same entity */
#define EV_MAX_VARIABLES (2 * EV_MAX_BODY + 2)

typedef struct EvAtom
{
	int32_t		relation;
	int32_t		first;
	int32_t		second;
} EvAtom;

/* A rule with constants, with several atoms between two variables, ... */
typedef struct EvPattern
{
	int32_t		relation;
	int32_t		length;
	EvAtom		atom[EV_MAX_BODY];
	float		confidence;
	int32_t		id;
} EvPattern;

typedef struct EvRules
{
	int64_t		count;
	EvRule	   *rule;			/* by relation, then by the atoms from X on */
	int64_t    *first;			/* by relation: its first rule; and the end */
	int64_t    *backwards;		/* numbers of each relation's rules, by the atoms from Y on */
	int64_t		patterns;
	EvPattern  *pattern;		/* by relation */
	int64_t    *first_pattern;	/* by relation; and the end */
} EvRules;

/* Rules in any order */
typedef struct EvRuleSet
{
	const EvRule *rule;
	int64_t		count;
	const EvPattern *pattern;
	int64_t		patterns;
} EvRuleSet;

/* Bytes that ev_rules will take from its arena. */
extern size_t ev_rules_bytes(int32_t relations, const EvRuleSet *set);

/* Copies and sorts the rules; false when the arena is empty. */
extern bool ev_rules(Arena *arena, Pool *pool, int32_t relations, const EvRuleSet *set, EvRules *sorted);

/* The i-th directed atom of the path from the entity that is given, when answers take that side. */
extern int32_t ev_atom(const EvRule *rule, Side side, int i);

#endif							/* HKG_EVIDENCE_RULE_INDEX_H */
