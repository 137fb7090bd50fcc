/*
 * evidence.h
 *		The second pure half: rules evaluated in memory.
 *
 * The facts stand as edges, in both directions, so that rules are applied from the entity that a question
 * gives, without a statement of SQL.  As in src/kge, entities and relations are row numbers, memory comes from the
 * caller's Arena, and work runs on a Pool.
 */
#ifndef HKG_EVIDENCE_EVIDENCE_H
#define HKG_EVIDENCE_EVIDENCE_H

#include "aggregate.h"
#include "answer.h"
#include "fact_index.h"
#include "learn.h"
#include "path_discovery.h"
#include "rule_index.h"

#endif							/* HKG_EVIDENCE_EVIDENCE_H */
