/*
 * epoch.c
 *		Epochs and minibatches.
 *
 * First the threads compute the minibatch's gradients, in slots, by the loss. Then one groups the slots by the row they
 * belong to, and all update distinct rows (trainer.c). Nothing of this depends on the number of threads.
 *
 * The loss is a mean over a minibatch, but the slots hold the derivatives of a sum; the update divides them.
 */
#include <math.h>

#include "constraint.h"
#include "core/pool.h"
#include "trainer.h"

/* Between the gradients and the rows.  The phase's items are relations with entailments. */
static int64_t
add_up(void *argument)
{
	KgeTrainer *trainer = argument;

	trainer->total = trainer->training.loss->sum(trainer);
	if (!isfinite(trainer->total.loss))
		return 0;
	kge_group_rows(trainer, (double) trainer->total.terms, trainer->total.positives);
	return trainer->relation.pulls.count;
}

static KgeSum
learn_minibatch(KgeTrainer *trainer)
{
	const KgeLoss *loss = trainer->training.loss;
	const PoolPhase phases[] = {
		{loss->learn, loss->item},
		{add_up, kge_pull_relation},
		kge_move_relations,
		kge_move_entities
	};

	pool_run_phases(trainer->pool, 4, phases, trainer);
	kge_forget_rows(trainer);
	if (loss->finish != NULL)
		loss->finish(trainer);
	return trainer->total;
}

/* Minibatches of batch_size positives, in an order drawn for the epoch. */
static void
open_epoch(KgeTrainer *trainer, int64_t count)
{
	trainer->order = kge_order(trainer->training.seed, trainer->epoch, (uint64_t) count);
	trainer->start = trainer->count = 0;
	trainer->left = count;
}

static bool
next_minibatch(KgeTrainer *trainer)
{
	int64_t		batch = trainer->training.batch_size;

	trainer->start += trainer->count;
	trainer->left -= trainer->count;
	trainer->count = trainer->left < batch ? trainer->left : batch;
	return trainer->count > 0;
}

KgeLossSum
kge_train_positives(KgeTrainer *trainer, const Triple *positives, const float *worth, int64_t count, uint64_t epoch)
{
	const KgeLoss *loss = trainer->training.loss;
	KgeLossSum	losses = {0};

	if (count == 0)
		return losses;
	trainer->positives = positives;
	trainer->worth = worth;
	trainer->epoch = epoch;
	(loss->open != NULL ? loss->open : open_epoch) (trainer, count);
	while (isfinite(losses.sum) && (loss->next != NULL ? loss->next : next_minibatch) (trainer))
	{
		KgeSum		minibatch = learn_minibatch(trainer);

		losses.sum += minibatch.loss;
		losses.terms += minibatch.terms;
	}
	return losses;
}

double
kge_train_epoch(KgeTrainer *trainer, const Triple *positives,
				const float *worth, int64_t count, uint64_t epoch)
{
	KgeLossSum	losses = kge_train_positives(trainer, positives, worth, count, epoch);

	if (losses.terms == 0)		/* no positive had a negative */
		return losses.sum;
	return isfinite(losses.sum) ? losses.sum / (double) losses.terms : NAN;
}

double
kge_train_observe(KgeTrainer *trainer, const Triple *positives,
				  const float *worth, int64_t count, uint64_t epoch, int epochs)
{
	KgeTraining training = trainer->training;
	double		loss;

	trainer->training.learning_rate = 0;
	trainer->training.epochs = 0;
	trainer->observing = true;
	loss = kge_train_epoch(trainer, positives, worth, count, epoch);
	trainer->observing = false;
	trainer->training = training;
	kge_repeat_rows(trainer, epochs);
	return loss;
}
