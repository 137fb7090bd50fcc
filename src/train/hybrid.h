/*
 * hybrid.h
 *		How rules take part in learning embeddings: one row in hybrid.c, and a file for what is more than a row.
 *
 * What the selected rules infer beyond the facts is learnt beside these.  Each inferred triple carries a number, its
 * worth, which every iteration finds anew from the rules that infer it.  It is the weight of a positive, or, where the
 * method has a labelling of its name (kge/learn/labels.h), the evidence of a triple that gets a label between 0 and 1 in
 * every step.
 */
#ifndef HKG_TRAIN_HYBRID_H
#define HKG_TRAIN_HYBRID_H

#include "server/compat.h"

#include "kge/learning.h"
#include "rules/inference.h"
#include "rules/mine.h"

#define NO_PART (-1)			/* worth of a rule whose inferences are not learnt */

/* The mined rules, and what a method may find their worth by */
typedef struct HybridRules
{
	const MinedRules *mined;
	const GraphData *data;
	const KgeModel *kge;
	double		rule_weight;
} HybridRules;

/* What the rules that take part infer, which they are learnt from */
typedef struct InferredTriples
{
	const Inferences *facts;
	const Inferences *beyond;
	const float *score;			/* of each triple beyond the facts */
} InferredTriples;

typedef struct Hybrid
{
	const char *name;
	bool		evenly;			/* drawn without regard to their scores, as many as there are facts; else a tenth */
	bool		(*goes_with) (const KgeScoreFunction *function);	/* NULL: any score function */

	/* Fills what each rule is worth.  NULL: nothing is inferred, rules are mined and ranked for predictions alone. */
	void		(*find_worth) (const HybridRules *rules, double *worth);

	/* Finds it anew by the facts and other triples that the rules infer; NULL: find_worth does it alone */
	void		(*learn) (const InferredTriples *inferred, int32 rules, double *worth);

	/* What a triple is worth that these rules infer, of which there are some */
	double		(*combine) (const double *worth, const int32 *rule, int64 rules);

	/* Inferred triples have one of these entities, of which there is a flag each; NULL: any */
	bool	   *(*entities) (const GraphData *data);
} Hybrid;

extern const Hybrid hybrid_ruge;
extern const Hybrid hybrid_itere;
extern const Hybrid hybrid_plogicnet;

/* A way to combine: the most that one of them is worth */
extern double hybrid_most(const double *worth, const int32 *rule, int64 rules);

/* The i-th method's name, or NULL past the last */
extern const char *hybrid_name(int i);

/* The method of a name that is there */
extern const Hybrid *hybrid_find(const char *name);

/* Whether what rules infer is learnt */
extern bool hybrid_infers(const Hybrid *hybrid);

/* Its labelling; NULL: inferred triples are positives like facts, or there are none */
extern const KgeLabelling *hybrid_labelling(const Hybrid *hybrid);

/* Whether a canonical rule is r(X,Y) <= b(X,Y), b(Y,X), or b(X,A), c(A,Y); then sets the axiom, with rows of relations. */
extern bool axiom_of(const Rule *rule, const GraphData *data, KgeAxiom *axiom);

#endif							/* HKG_TRAIN_HYBRID_H */
