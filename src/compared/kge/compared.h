/*
 * compared.h
 *		What methods that others published compute of embeddings and rules.
 */
#ifndef HKG_COMPARED_H
#define HKG_COMPARED_H

#include "kge/learn/labels.h"

/* ---- itere.c ---------------------------------------------------------------- */

/* Whether a score function has axioms; how far an axiom is from holding, 0: it does for all entities. */
extern bool kge_has_axioms(const KgeScoreFunction *function);
extern double kge_axiom_distance(const KgeModel *model, KgeAxiom axiom);

/* ---- plogicnet.c: weights of rules in a Markov logic network ------------------ */

/* Triples that the same rules infer, one at least */
typedef struct KgeInferred
{
	const int32_t *rule;		/* each once */
	int64_t		rules;
	int64_t		triples;
	double		truth;			/* sum of the probabilities that they are true */
} KgeInferred;

typedef struct KgeRuleNetwork
{
	int32_t		rules;
	int64_t		count;
	const KgeInferred *inferred;
} KgeRuleNetwork;

/* The probability of a triple that these rules infer: sigma of the mean of their weights. */
extern double kge_rules_probability(const double *weight, const int32_t *rule, int64_t rules);

/*
 * The logarithm of the probability of each triple, given all others, summed: the pseudo-likelihood, in the mean over what
 * is true.  Fills the gradient by each weight, unless NULL.  The leader of the pool computes it, and the steps.
 */
extern double kge_rules_likelihood(Pool *pool, const KgeRuleNetwork *network, const double *weight, double *gradient);

/* Fills the step of each rule: `rate`, or less, so that steps along the gradient never lower the likelihood. */
extern void kge_rules_steps(Pool *pool, const KgeRuleNetwork *network, double rate, double *step);

#endif							/* HKG_COMPARED_H */
