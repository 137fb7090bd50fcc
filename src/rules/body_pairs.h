/*
 * body_pairs.h
 *		The pairs (x, y) that bodies yield, each once, for many bodies at a time.
 *
 * Pairs are handed out as rectangles: entities x and entities y, each x with each y.
 * Entities are known by their rows (positions among ascending ids).
 */
#ifndef HKG_RULES_BODY_PAIRS_H
#define HKG_RULES_BODY_PAIRS_H

#include "server/compat.h"

#include "rule.h"
#include "server/host.h"

typedef struct BodyPairs BodyPairs;

/* A quarter of hybridkg.max_memory: room for a cache */
#define BODY_PAIRS_CACHE_BYTES ((int64) hkg_max_memory * 1024 / 4)

/* Part of body number `body`. */
typedef void (*BodyPairsTake) (void *argument, int32 body, const int32 *x, int32 x_count,
							const int32 *y, int32 y_count);

/*
 * In a context of its own below the current one, until that goes.  Up to cache_bytes
 * of what was handed out are kept and handed out again; the facts must not change.
 */
extern BodyPairs *body_pairs_create(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes);

/*
 * Evaluates different bodies (the rules' heads mean nothing) in some order: the
 * rectangles of one, which share no pair, then done(argument, its number), if not NULL; then
 * the next.
 */
extern void body_pairs_each(BodyPairs *bodies, const Rule *const *rules, int32 count,
						BodyPairsTake take, void (*done) (void *argument, int32 body), void *argument);

#endif							/* HKG_RULES_BODY_PAIRS_H */
