/*
 * entailments.c
 *		Rules with one atom as entailments between relations, for a constraint of embeddings (kge/learn/constraint.h).
 *
 * r(X,Y) <= b(X,Y) states that b entails r, r(X,Y) <= b(Y,X) that b read backwards does.
 */
#include "learner.h"

#include "miscadmin.h"

#include "server/growing_array.h"
#include "server/host.h"
#include "train/axioms.h"

static bool
entailment_of(const MinedRule *rule, const GraphData *data, double least_confidence, KgeEntailment *entailment)
{
	KgeAxiom	axiom;

	if (!rule->counted || MINED_PCA_CONFIDENCE(rule) < least_confidence ||
		!axiom_of(&rule->rule, data, &axiom) || axiom.kind == KGE_AXIOM_CHAIN)
		return false;
	*entailment = (KgeEntailment) {
		axiom.body[0], axiom.head, axiom.kind == KGE_AXIOM_INVERSE, (float) MINED_PCA_CONFIDENCE(rule)
	};
	return true;
}

void
learner_entail(Learner *learner, const GraphData *data, const MinedRules *rules, double least_confidence)
{
	PartitionMemory *partitions = &learner->partitions;
	KgeTrainer *trainer = is_partitioned(partitions) ? partitions->trainer : learner->trainer;
	KgeEntailment *entailment = array_new(KgeEntailment, rules->count);
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "entailments of relations", HKG_ASK_FOR_LESS);
	int64		count = 0;

	for (int64 i = 0; i < rules->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count += entailment_of(&rules->rule[i], data, least_confidence, &entailment[count]);
	}
	if (!kge_trainer_entail(trainer, &arena, entailment, count))
		elog(ERROR, "no memory for entailments");
	partitions->entailments = entailment;
	partitions->entailment_count = count;
}
