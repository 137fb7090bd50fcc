/*
 * path_discovery.h
 *		Path rules found in the facts.
 */
#ifndef HKG_EVIDENCE_PATH_DISCOVERY_H
#define HKG_EVIDENCE_PATH_DISCOVERY_H

#include "path_rule.h"

/* Bytes that ev_paths will take at most. */
extern size_t ev_paths_bytes(const EvFacts *facts, const EvSearch *search, int threads);

/*
 * Path rules, by length, relation and smoothed confidence.  When they are more than the limit, shorter ones
 * are kept first, and of one length the best of each relation, as many of each.  Bodies of one and two atoms
 * are searched completely, longer ones where `work` suffices, else by a sample.  The result depends on the
 * arguments alone, but for `seconds`.  Returns how many, in the arena; -1 when that is empty.
 */
extern int64_t ev_paths(Arena *arena, Pool *pool, const EvFacts *facts, const EvSearch *search,
						EvPath **found);

#endif							/* HKG_EVIDENCE_PATH_DISCOVERY_H */
