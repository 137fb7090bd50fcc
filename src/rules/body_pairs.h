/*
 * body_pairs.h
 *		The pairs (x, y) that the bodies of many rules yield, each once for each body.
 *
 * Entities are rows (positions among ascending ids).
 */
#ifndef HKG_RULES_BODY_PAIRS_H
#define HKG_RULES_BODY_PAIRS_H

#include "server/compat.h"

#include "product.h"
#include "rule.h"
#include "server/host.h"

typedef struct BodyPairs BodyPairs;

/* A quarter of hybridkg.max_memory: room for a cache */
#define BODY_PAIRS_CACHE_BYTES ((int64) hkg_max_memory * 1024 / 4)

/* The rules over one body: their numbers, ascending */
typedef struct BodyRules
{
	const int32 *rule;
	int32		count;
} BodyRules;

/* Takes the pairs of one body after another, as rectangles that have no pair in common. */
typedef struct PairsTarget
{
	void		(*take) (void *argument, const BodyRules *rules, const Rectangle *pairs);
	void		(*done) (void *argument, const BodyRules *rules);	/* the body is complete; may be NULL */
	void	   *argument;
} PairsTarget;

/*
 * In a context of its own below the current one, until that goes.  The pairs of bodies are kept for the next
 * call, up to cache_bytes of them: the facts must not change meanwhile.
 */
extern BodyPairs *body_pairs_create(Graph *graph, const GraphData *data, int64 cache_bytes);

/* Evaluates the bodies of these rules, each once, in some order.  The rules' heads mean nothing. */
extern void body_pairs_each(BodyPairs *pairs, const Rule *const *rules, int32 count, const PairsTarget *target);

#endif							/* HKG_RULES_BODY_PAIRS_H */
