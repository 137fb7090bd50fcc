/*
 * plogicnet.c
 *		A Markov logic network over what rules infer (Qu and Tang 2019).
 *
 * Given all other triples, one that the rules S infer is true with probability p = sigma(mean of the weights of S).
 * After the epochs of an iteration (M step) the weights w_l maximise the pseudo-likelihood
 *
 *		sum over v of q(v) log p(v) + (1 - q(v)) log(1 - p(v))
 *
 * where q is 1 for facts, and sigma(score) for what is beyond them: 1,000 steps from 0 along the gradient, at a rate of
 * min(10^-4, 1 / sum over v of 1 / (4 |S(v)|)).  The epochs of the next iteration (E step) learn p in turn, as the label
 * of what is beyond the facts.
 */
#include "compared.h"

#include <math.h>

const KgeLabelling kge_labelling_plogicnet = {
	.name = "plogicnet",
	.label = kge_label_evidence,
	.terms = true
};

static double
mean_weight(const double *weight, const int32_t *rule, int64_t rules)
{
	double		sum = 0;

	for (int64_t i = 0; i < rules; i++)
		sum += weight[rule[i]];
	return sum / (double) rules;
}

static double
probability(double logit)
{
	return 1 / (1 + exp(-logit));
}

double
kge_rules_probability(const double *weight, const int32_t *rule, int64_t rules)
{
	return probability(mean_weight(weight, rule, rules));
}

/* Of n triples with the truth t in all: t log p + (n - t) log(1 - p) = t * logit - n * log(1 + e^logit) */
double
kge_rules_likelihood(Pool *pool, const KgeRuleNetwork *network, const double *weight, double *gradient)
{
	double		sum = 0;

	for (int32_t i = 0; gradient != NULL && i < network->rules; i++)
		gradient[i] = 0;
	for (int64_t i = 0; i < network->count; i++)
	{
		const KgeInferred *inferred = &network->inferred[i];
		double		logit = mean_weight(weight, inferred->rule, inferred->rules);
		double		triples = (double) inferred->triples;
		double		error = inferred->truth - triples * probability(logit);

		pool_yield_at(pool, POOL_LEADER, i);
		sum += inferred->truth * logit - triples * (fmax(logit, 0) + log1p(exp(-fabs(logit))));
		for (int64_t j = 0; gradient != NULL && j < inferred->rules; j++)
			gradient[inferred->rule[j]] += error / (double) inferred->rules;
	}
	return sum;
}

/*
 * The second derivatives of n triples that k rules infer are -n p (1 - p) / k^2 for each pair of these, so that a row of
 * them is -n / (4 k) at least.  Steps that are no longer than the inverse of a row's sum over all triples cannot overshoot.
 */
void
kge_rules_steps(Pool *pool, const KgeRuleNetwork *network, double rate, double *step)
{
	for (int32_t i = 0; i < network->rules; i++)
		step[i] = 0;
	for (int64_t i = 0; i < network->count; i++)
	{
		const KgeInferred *inferred = &network->inferred[i];

		pool_yield_at(pool, POOL_LEADER, i);
		for (int64_t j = 0; j < inferred->rules; j++)
			step[inferred->rule[j]] += (double) inferred->triples / (double) (4 * inferred->rules);
	}
	for (int32_t i = 0; i < network->rules; i++)
		step[i] = step[i] * rate > 1 ? 1 / step[i] : rate;
}
