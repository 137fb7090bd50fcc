/*
 * selection.h
 *		The K best of the mined rules, by quality.
 */
#ifndef HKG_RULES_SELECTION_H
#define HKG_RULES_SELECTION_H

#include "server/compat.h"

#include "confidence.h"

/* Fills embedding_confidence, confidence_error, quality and kept of all rules. */
extern void rate_rules(const RatingModel *model, MinedRules *rules);

/*
 * Selects exactly those `top` rules that infer something, are kept, and have the highest qualities, of at least
 * min_quality (ties by support, then by text).  Fills the same only as far as that takes.
 */
extern void select_rules(const RatingModel *model, MinedRules *rules, int top, double min_quality);

/* By quality, support (both falling), text: for sorting */
extern int	compare_quality(const MinedRule *a, const MinedRule *b);

#endif							/* HKG_RULES_SELECTION_H */
