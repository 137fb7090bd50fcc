/*
 * learner.c
 *		The embeddings as they are learnt (see learner.h).  No SQL but for a warm start, no snapshot.
 */
#include "learner.h"

#include <limits.h>

#include "miscadmin.h"

#include "server/host.h"

/*
 * A model is kept without the state of its optimizer: a pass over the facts estimates it.  Counting that pass as ten
 * epochs was the best of 1 to 200 for complex and for rotate (bench/RESULTS.md).
 */
#define OBSERVED_EPOCHS 10

Learner
learner_sizes(const TrainSettings *settings, const TrainingFacts *facts)
{
	Learner		learner = {.training = settings_training(settings),.positives = positives_sizes(settings, facts)};

	learner.model.function = kge_score_function(settings->score_function);
	learner.model.dimensions = settings->dimensions;
	learner.model.norm = settings->norm;
	learner.model.gamma = settings->gamma;
	learner.model.entities = facts->all->entities;
	learner.model.relations = facts->all->relations;
	learner.model.reciprocal = settings->reciprocal;
	return learner;
}

Size
learner_entity_bytes(const Learner *learner)
{
	const KgeModel *model = &learner->model;

	return (Size) model->entities * kge_entity_width(model->function, model->dimensions) * sizeof(float);
}

Size
learner_relation_bytes(const Learner *learner)
{
	const KgeModel *model = &learner->model;

	return (Size) kge_relation_rows(model) * kge_relation_width(model->function, model->dimensions) * sizeof(float);
}

void
learner_open(Learner *learner, Graph *graph, const TrainSettings *settings, const TrainingFacts *facts)
{
	Arena		arena = hkg_arena();
	KgeModel   *model = &learner->model;

	learner->pool = hkg_pool();
	model->entity = hkg_allocate(CurrentMemoryContext, learner_entity_bytes(learner));
	model->relation = hkg_allocate(CurrentMemoryContext, learner_relation_bytes(learner));
	positives_open(&learner->positives, settings);
	positives_set(&learner->positives, facts->learnt);
	kge_model_initialise(model, learner->pool, learner->training.seed);
	if (settings->warm_start)
		warm_start_fill(graph, settings->model, facts->learnt, model);
	learner->trainer = kge_trainer_create(&arena, learner->pool, model, &learner->training, learner->positives.room);
	if (learner->trainer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an epoch would have more than %d positives, or a minibatch more than %d entities to learn",
						INT_MAX, INT_MAX),
				 errhint("Lower sample_size or batch_size or negatives, or raise block_size.")));
}

void
learner_observe(Learner *learner, const TrainingFacts *facts)
{
	const Positives *positives = &learner->positives;

	kge_train_observe(learner->trainer, positives->triple, positives->weight, facts->learnt->facts, 0, OBSERVED_EPOCHS);
	CHECK_FOR_INTERRUPTS();
}

double
learner_epoch(Learner *learner, uint64 epoch)
{
	const Positives *positives = &learner->positives;
	double		loss;

	learner->embeddings = EMBEDDINGS_LATEST;
	loss = kge_train_epoch(learner->trainer, positives->triple, positives->weight, positives->count, epoch);
	CHECK_FOR_INTERRUPTS();
	return loss;
}
