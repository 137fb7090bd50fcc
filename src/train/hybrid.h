/*
 * hybrid.h
 *		How rules take part in learning embeddings: one row in hybrid.c, and a file for what is more than a row.
 *
 * What the selected rules infer beyond the facts is learnt beside these.  Each inferred triple carries a number, its
 * worth, which every iteration finds anew from the rules that infer it.  It is the weight of a positive, or, where the
 * method has a labelling of its name (kge/labels.h), the evidence of a triple that gets a label between 0 and 1 in every
 * step.
 */
#ifndef HKG_TRAIN_HYBRID_H
#define HKG_TRAIN_HYBRID_H

#include "server/compat.h"

#include "kge/kge.h"
#include "rules/mine.h"

#define NO_PART (-1)			/* worth of a rule whose inferences are not learnt */

/* What rules are rated by */
typedef struct RuleRating
{
	const MinedRules *rules;
	const GraphData *data;
	const KgeModel *kge;
	double		rule_weight;
} RuleRating;

typedef struct Hybrid
{
	const char *name;
	bool		evenly;			/* drawn without regard to their scores, as many as there are facts; else a tenth */
	bool		axioms;			/* needs a score function that has axioms */

	/* Fills what each rule is worth.  NULL: nothing is inferred, rules are mined and ranked for predictions alone. */
	void		(*rate) (const RuleRating *rating, double *worth);

	/* What a triple is worth that was worth so much by other rules (0: there are none yet), and is inferred by one more */
	double		(*join) (double worth, double more);

	/* Inferred triples have one of these entities, of which there is a flag each; NULL: any */
	bool	   *(*entities) (const GraphData *data);
} Hybrid;

extern const Hybrid hybrid_ruge;
extern const Hybrid hybrid_itere;

/* A way to join: the most of both */
extern double hybrid_most(double worth, double more);

/* The i-th method's name, or NULL past the last */
extern const char *hybrid_name(int i);

/* The method of a name that is there */
extern const Hybrid *hybrid_find(const char *name);

/* Its labelling; NULL: inferred triples are positives like facts, or there are none */
extern const KgeLabelling *hybrid_labelling(const Hybrid *hybrid);

#endif							/* HKG_TRAIN_HYBRID_H */
