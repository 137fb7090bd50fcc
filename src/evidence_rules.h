/*
 * evidence_rules.h
 *		The rules that a model takes as evidence at prediction, found when it is trained.
 */
#ifndef HKG_EVIDENCE_RULES_H
#define HKG_EVIDENCE_RULES_H

#include "compat.h"

#include "evidence/evidence.h"
#include "mine.h"
#include "procedure.h"

/* What the search is told of the settings, for so many facts. */
extern EvSearch evidence_search(const TrainSettings *settings, int64 facts);

/*
 * The rules that are given and, behind them, those path rules that are not among them.  Those that are
 * say what they are worth as evidence.  In the current memory context.
 */
extern MinedRules *evidence_rules(Procedure *procedure, const MinedRules *given);

#endif							/* HKG_EVIDENCE_RULES_H */
