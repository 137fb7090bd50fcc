/*
 * pattern_match.h
 *		The answers that a pattern infers.
 */
#ifndef HKG_EVIDENCE_PATTERN_MATCH_H
#define HKG_EVIDENCE_PATTERN_MATCH_H

#include "evidence.h"

/*
 * Calls take(argument, answer) for the answers of (given, side asked for), perhaps several
 * times for one.  Gives up, with what was found, after so many edges that one rule is not worth more.
 */
extern void ev_match(const EvFacts *facts, const EvPattern *pattern, Side side, int32_t given,
					 void (*take) (void *argument, int32_t answer), void *argument);

#endif							/* HKG_EVIDENCE_PATTERN_MATCH_H */
