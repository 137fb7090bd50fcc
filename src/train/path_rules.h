/*
 * path_rules.h
 *		The rules that a model takes as evidence at prediction, found when it is trained.
 */
#ifndef HKG_TRAIN_PATH_RULES_H
#define HKG_TRAIN_PATH_RULES_H

#include "server/compat.h"

#include "evidence/evidence.h"
#include "rules/mine.h"
#include "procedure.h"

/* What the search is told of the settings, for so many facts. */
extern EvSearch evidence_search(const TrainSettings *settings, int64 facts);

/*
 * The rules that are given and, behind them, those path rules that are not among them.  Those that are
 * say what they are worth as evidence.  In the current memory context.
 */
extern MinedRules *evidence_rules(Procedure *procedure, const MinedRules *given);

#endif							/* HKG_TRAIN_PATH_RULES_H */
