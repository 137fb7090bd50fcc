/*
 * entailments.c
 *		Rules with one atom as entailments between relations, for a constraint of embeddings (kge/constraint.h).
 *
 * r(X,Y) <= b(X,Y) says that b entails r, r(X,Y) <= b(Y,X) that b read backwards does.
 */
#include "learner.h"

#include "miscadmin.h"

#include "server/growing_array.h"
#include "server/host.h"

static bool
is_entailment(const MinedRule *rule, double least_confidence)
{
	return rule->counted && rule->rule.length == 1 &&
		TERM_IS_VARIABLE(rule->rule.body[0].first) && TERM_IS_VARIABLE(rule->rule.body[0].second) &&
		MINED_PCA_CONFIDENCE(rule) >= least_confidence;
}

static int32
relation_row(const GraphData *data, int32 id)
{
	return graph_row(data->relation_id, data->relations, id);
}

void
learner_entail(Learner *learner, const GraphData *data, const MinedRules *rules, double least_confidence)
{
	KgeTrainer *trainer = is_partitioned(&learner->partitions) ? learner->partitions.trainer : learner->trainer;
	KgeEntailment *entailment = array_new(KgeEntailment, rules->count);
	Arena		arena = hkg_arena();
	int64		count = 0;

	for (int64 i = 0; i < rules->count; i++)
	{
		const MinedRule *rule = &rules->rule[i];

		CHECK_FOR_INTERRUPTS();
		if (is_entailment(rule, least_confidence))
			entailment[count++] = (KgeEntailment) {
			relation_row(data, rule->rule.body[0].relation), relation_row(data, rule->rule.head),
				rule->rule.body[0].first == TERM_Y, (float) MINED_PCA_CONFIDENCE(rule)
		};
	}
	hkg_check_memory(kge_entailment_bytes(&learner->model, count), "entailments of relations");
	if (!kge_trainer_entail(trainer, &arena, entailment, count))
		elog(ERROR, "no memory for entailments");
	pfree(entailment);
}
