/*
 * bodies.h
 *		The pairs (x, y) that bodies yield, each once, for many bodies at a time.
 *
 * Pairs are handed out as rectangles: entities x and entities y, each x with each y.
 * Entities are known by their rows (positions among ascending ids).
 */
#ifndef HKG_BODIES_H
#define HKG_BODIES_H

#include "compat.h"

#include "rule.h"

typedef struct Bodies Bodies;

/* Part of body number `body`. */
typedef void (*BodiesTake) (void *argument, int32 body, const int32 *x, int32 x_count,
							const int32 *y, int32 y_count);

/*
 * In a context of its own below the current one, until that goes.  Up to cache_bytes
 * of what was handed out are kept and handed out again; the facts must not change.
 */
extern Bodies *bodies_create(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes);

/* Those kept with the graph by bodies_keep, if they are of these entities; else new ones, without a cache. */
extern Bodies *bodies_of(Graph *graph, const int32 *entity_id, int32 entities);

/* Sees to it that there are some with a cache, as long as the graph. */
extern void bodies_keep(Graph *graph, const int32 *entity_id, int32 entities, int64 cache_bytes);

/*
 * Evaluates different bodies (the rules' heads mean nothing) in some order: the
 * rectangles of one, which share no pair, then done(argument, its number), if not NULL; then
 * the next.
 */
extern void bodies_each(Bodies *bodies, const Rule *const *rules, int32 count,
						BodiesTake take, void (*done) (void *argument, int32 body), void *argument);

#endif							/* HKG_BODIES_H */
