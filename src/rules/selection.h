/*
 * selection.h
 *		The quality of mined rules, and the K best of them.
 */
#ifndef HKG_RULES_SELECTION_H
#define HKG_RULES_SELECTION_H

#include "server/compat.h"

#include "body_pairs.h"
#include "kge/kge.h"
#include "mine.h"

/* What quality is measured by: the scores of kge, for rules whose bodies are in pairs */
typedef struct RatingModel
{
	BodyPairs  *pairs;
	const GraphData *data;
	const KgeModel *kge;
	Pool	   *pool;
	double		omega;			/* weight of embedding confidence */
	int			sample;			/* predictions that each rule is measured on; 0: all */

	/* rates a batch elsewhere, as rater_rate does; false where it is to be done here.  May be NULL */
	bool		(*elsewhere) (void *argument, const struct RatingModel *model, MinedRules *rules, const int32 *positions,
							  int32 count, double least_quality);
	void	   *argument;
} RatingModel;

/* Fills embedding_confidence, confidence_error, quality and kept of all rules. */
extern void rate_rules(const RatingModel *model, MinedRules *rules);

/*
 * Selects exactly those `top` rules that infer something, are kept, and have the highest qualities, of at least
 * min_quality (ties by support, then by text).  Fills the same only as far as that takes.
 */
extern void select_rules(const RatingModel *model, MinedRules *rules, int top, double min_quality,
						 double min_confidence);

/* How many are selected */
extern int64 selection_count(const MinedRules *rules);

/*
 * Fills embedding_confidence, confidence_error and quality of those that have none yet, of at least that standard
 * confidence.  What they infer beyond the facts is at most support * (1 / least_confidence - 1) in all.
 */
extern void rate_confident(const RatingModel *model, MinedRules *rules, double least_confidence);

/* Two MinedRule, by quality, support (both falling), text */
extern int	quality_compare(const void *a, const void *b);

/* ---- confidence.c: rules rated batch by batch ---- */

typedef struct Rater Rater;

/* In the current context. */
extern Rater *rater_create(const RatingModel *model, MinedRules *rules);

/*
 * Fills embedding_confidence, confidence_error and quality of the rules at these positions, all of which infer
 * something.  A rule that turns out to stay below least_quality may be left without.
 */
extern void rater_rate(Rater *rater, const int32 *positions, int32 count, double least_quality);

#endif							/* HKG_RULES_SELECTION_H */
