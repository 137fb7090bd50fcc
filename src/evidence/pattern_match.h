/*
 * pattern_match.h
 *		The answers that a pattern infers.
 */
#ifndef HKG_EVIDENCE_PATTERN_MATCH_H
#define HKG_EVIDENCE_PATTERN_MATCH_H

#include "evidence.h"

/*
 * Calls found(argument, answer) with each answer on `side` for the given entity, perhaps several
 * times for one.  Stops after a number of edges that no single rule is worth more than, with what was found.
 */
extern void ev_match(const EvFacts *facts, const EvPattern *pattern, Side side, int32_t given,
					 void (*found) (void *argument, int32_t answer), void *argument);

#endif							/* HKG_EVIDENCE_PATTERN_MATCH_H */
