/*
 * learner.c
 *		The embeddings as they are learnt (see learner.h).  No SQL but for a warm start, no snapshot.
 */
#include "learner.h"

#include <limits.h>

#include "miscadmin.h"

#include "server/growing_array.h"
#include "server/host.h"
#include "train/hybrid.h"
#include "train/partitions/node_buckets.h"

/*
 * A model is kept without the state of its optimizer: a pass over the facts estimates it.  Counting that pass as ten
 * epochs was the best of 1 to 200 for complex and for rotate (bench/RESULTS.md).
 */
#define OBSERVED_EPOCHS 10

Learner
learner_sizes(const TrainSettings *settings, const TrainingFacts *facts)
{
	Learner		learner = {.training = settings_training(settings),.positives = positives_sizes(settings, facts)};

	learner.training.has_false = learner.positives.rejected_count > 0;
	learner.model = settings_model(settings);
	learner.model.entities = facts->all->entities;
	learner.model.relations = facts->all->relations;
	learner.partitions = partition_memory_sizes(settings, &learner.model, &learner.positives, &learner.training);
	return learner;
}

static Size
entity_bytes(const KgeModel *model)
{
	return (Size) model->entities * kge_entity_width(model->function, model->dimensions) * sizeof(float);
}

Size
learner_entity_bytes(const Learner *learner)
{
	return entity_bytes(&learner->model);
}

Size
learner_memory_bytes(const Learner *learner)
{
	return entity_bytes(&learner->partitions.room) + learner_relation_bytes(learner);
}

Size
learner_relation_bytes(const Learner *learner)
{
	const KgeModel *model = &learner->model;

	return (Size) kge_relation_rows(model) * kge_relation_width(model->function, model->dimensions) * sizeof(float);
}

static void
raise_too_many(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("an epoch would have more than %d positives, or a minibatch more than %d entities to learn",
					INT_MAX, INT_MAX),
			 errhint("Lower sample_size or batch_size or negatives, or raise block_size.")));
}

/* All embeddings in memory */
static void
open_whole(Learner *learner, Graph *graph, const TrainSettings *settings, const TrainingFacts *facts)
{
	Arena		arena = hkg_arena();
	KgeModel   *model = &learner->model;

	model->entity = hkg_allocate(CurrentMemoryContext, learner_entity_bytes(learner));
	kge_model_initialise(model, learner->pool, learner->training.seed);
	if (settings->warm_start)
		warm_start_fill(graph, settings->model, facts->learnt, model);
	learner->trainer = kge_trainer_create(&arena, learner->pool, model, &learner->training, learner->positives.room);
	if (learner->trainer == NULL)
		raise_too_many();
}

void
learner_open(Learner *learner, Graph *graph, const TrainSettings *settings, const TrainingFacts *facts, bool in_worker)
{
	learner->pool = hkg_pool();
	learner->model.relation = hkg_allocate(CurrentMemoryContext, learner_relation_bytes(learner));
	positives_open(&learner->positives);
	positives_set(&learner->positives, facts->learnt);
	if (!is_partitioned(&learner->partitions))
	{
		open_whole(learner, graph, settings, facts);
		return;
	}
	kge_initial_relations(&learner->model, learner->pool, learner->training.seed);
	partition_memory_open(&learner->partitions, learner->pool, &learner->model, &learner->training, in_worker);
	if (learner->partitions.trainer == NULL)
		raise_too_many();
	learner->partitions.nodes = node_buckets_open(graph, settings, in_worker);
	learner->partitions.train_on_nodes = node_buckets_train;
}

/* r(X,Y) <= b(X,Y) states that b entails r, r(X,Y) <= b(Y,X) that b read backwards does. */
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

void
learner_constrain(Learner *learner)
{
	KgeModel   *model = &learner->model;

	if (!is_partitioned(&learner->partitions))
		kge_constrain_entities(learner->training.constraint, model, learner->pool, model->entity, model->entities);
}

bool
learner_state(const Learner *learner, int i, float **values, size_t *count)
{
	return is_partitioned(&learner->partitions) ? partition_memory_state(&learner->partitions, i, values, count) :
		kge_trainer_state(learner->trainer, i, values, count);
}

void
learner_observe(Learner *learner, const TrainingFacts *facts)
{
	const Positives *positives = &learner->positives;

	kge_train_observe(learner->trainer, positives->triple, positives->worth, facts->learnt->facts, 0, OBSERVED_EPOCHS);
	CHECK_FOR_INTERRUPTS();
}

double
learner_epoch(Learner *learner, uint64 epoch)
{
	const Positives *positives = &learner->positives;
	double		loss;

	learner->embeddings = EMBEDDINGS_LATEST;
	loss = is_partitioned(&learner->partitions) ? partition_memory_epoch(&learner->partitions, positives, epoch) :
		kge_train_epoch(learner->trainer, positives->triple, positives->worth, positives->count, epoch);
	CHECK_FOR_INTERRUPTS();
	return loss;
}

void
learner_forget(const Learner *learner)
{
	if (is_partitioned(&learner->partitions))
		partition_file_forget(&learner->partitions.file);
}

void
learner_close(Learner *learner)
{
	if (is_partitioned(&learner->partitions))
		partition_file_close(&learner->partitions.file);
}
