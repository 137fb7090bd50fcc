/*
 * path_rule.h
 *		A path rule with its counts, and what bounds the search for path rules.
 */
#ifndef HKG_EVIDENCE_PATH_RULE_H
#define HKG_EVIDENCE_PATH_RULE_H

#include "rule_index.h"

/*
 * relation(X, Y) <= atom[0](X, A), atom[1](A, B), ... up to Y
 *
 * Its counts are of pairs (x, y) that such a path connects over different entities, x and y among them
 * (object identity).  So no path uses the fact that it would support, and the confidence is that for
 * facts that are missing.  x = y is a pair only for relations with reflexive facts; then the path leads back to x.
 */
typedef struct EvPath
{
	int32_t		relation;
	int32_t		length;			/* 1 .. EV_MAX_BODY */
	int32_t		atom[EV_MAX_BODY];	/* directed */
	int64_t		support;		/* the pairs that are facts of the relation */
	int64_t		body_size;		/* all pairs */
	double		confidence;		/* support / body_size */
	double		error;			/* its standard error; 0: all pairs were counted, else sizes are estimates */
} EvPath;

typedef struct EvSearch
{
	int			length;			/* of the longest body, 1 .. EV_MAX_BODY */
	int64_t		limit;			/* of the number of rules */
	int64_t		min_support;
	double		min_confidence;
	double		work;			/* edges that may be looked at for each length, and again for its counts */
	double		seconds;		/* a limit of time, which ends the search with what was found; 0: none */
	uint64_t	seed;
} EvSearch;

#endif							/* HKG_EVIDENCE_PATH_RULE_H */
