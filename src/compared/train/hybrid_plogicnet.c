/*
 * hybrid_plogicnet.c
 *		Rules as a Markov logic network, learnt in turn with embeddings (Qu and Tang 2019; plogicnet.c has the network).
 *
 * Rules are those of an axiom's form.  Each iteration learns their weights from the start, from the facts that they infer
 * and from what they infer beyond these, which is as true as the embeddings take it to be.
 */
#include "train/hybrid.h"

#include <math.h>

#include "miscadmin.h"

#include "compared/kge/compared.h"
#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

/* those of the published programs */
#define STEPS 1000
#define RATE 1e-4

/* The weights at first */
static void
worth_by_form(const HybridRules *rules, double *worth)
{
	for (int64 i = 0; i < rules->mined->count; i++)
	{
		KgeAxiom	axiom;

		hkg_check_interrupts();
		worth[i] = axiom_of(&rules->mined->rule[i].rule, rules->data, &axiom) ? 0 : NO_PART;
	}
}

/* Facts have no scores.  Returns the place after the last triple. */
static KgeInferred *
add_triples(KgeInferred *triple, const Inferences *inferences, const float *score)
{
	for (int64 i = 0; i < inferences->count; i++)
	{
		int64		first = inferences->first[i];
		double		truth = score == NULL ? 1 : 1 / (1 + exp(-(double) score[i]));

		CHECK_FOR_INTERRUPTS();
		*triple++ = (KgeInferred) {inferences->rule + first, inferences->first[i + 1] - first, 1, truth};
	}
	return triple;
}

static int
compare_rules(const KgeInferred *a, const KgeInferred *b)
{
	if (a->rules != b->rules)
		return a->rules < b->rules ? -1 : 1;
	return memcmp(a->rule, b->rule, a->rules * sizeof(int32));
}

/* By rules, then by truth, so that sums over them have one order. */
static int
compare_triples(const void *a, const void *b)
{
	const KgeInferred *left = a;
	const KgeInferred *right = b;
	int			order = compare_rules(left, right);

	if (order != 0)
		return order;
	return left->truth < right->truth ? -1 : left->truth > right->truth;
}

/* Triples that the same rules infer become one; returns how many are left. */
static int64
merge(KgeInferred *triple, int64 count)
{
	int64		merged = 0;

	sort_array(hkg_leader(), POOL_LEADER, triple, count, sizeof(KgeInferred), compare_triples);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (merged == 0 || compare_rules(&triple[merged - 1], &triple[i]) != 0)
			triple[merged++] = triple[i];
		else
		{
			triple[merged - 1].triples++;
			triple[merged - 1].truth += triple[i].truth;
		}
	}
	return merged;
}

static void
ascend(const KgeRuleNetwork *network, double *weight)
{
	double	   *gradient = array_new(double, network->rules);
	double	   *step = array_new(double, network->rules);
	Pool	   *pool = hkg_pool();

	kge_rules_steps(pool, network, RATE, step);
	for (int i = 0; i < STEPS; i++)
	{
		(void) kge_rules_likelihood(pool, network, weight, gradient);
		for (int32 j = 0; j < network->rules; j++)
			weight[j] += step[j] * gradient[j];
	}
	pfree(step);
	pfree(gradient);
}

static void
learn_weights(const InferredTriples *inferred, int32 rules, double *worth)
{
	int64		count = inferred->facts->count + inferred->beyond->count;
	KgeInferred *triple;

	hkg_check_memory(count * sizeof(KgeInferred), "a Markov logic network of what rules infer");
	triple = array_new(KgeInferred, count);
	add_triples(add_triples(triple, inferred->facts, NULL), inferred->beyond, inferred->score);
	ascend(&(KgeRuleNetwork) {rules, merge(triple, count), triple}, worth);
	pfree(triple);
}

const Hybrid hybrid_plogicnet = {
	.name = "plogicnet",
	.evenly = true,
	.find_worth = worth_by_form,
	.learn = learn_weights,
	.combine = kge_rules_probability
};
