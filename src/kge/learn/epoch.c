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
#include "core/random.h"
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

/* ---- the order of the positives -------------------------------------------------- */

/*
 * A permutation that is computed place by place: a Feistel network of six rounds permutes the smallest even power of two
 * that holds all places, and a place that falls beyond the last positive is sent through again until it does not (less
 * than four times in the mean).  So no thread has to shuffle an array first, and the order takes no memory.
 */
KgeOrder
kge_order(uint64_t seed, uint64_t epoch, uint64_t count)
{
	KgeOrder	order;

	order.count = count;
	order.half_bits = 1;
	while (order.half_bits < 31 && (UINT64_C(1) << (2 * order.half_bits)) < count)
		order.half_bits++;
	for (int round = 0; round < 6; round++)
		order.key[round] = random_stream(seed, DRAW_ORDER, epoch, (uint64_t) round);
	return order;
}

uint64_t
kge_order_place(const KgeOrder *order, uint64_t i)
{
	uint64_t	mask = (UINT64_C(1) << order->half_bits) - 1;

	do
	{
		uint64_t	left = i >> order->half_bits;
		uint64_t	right = i & mask;

		for (int round = 0; round < 6; round++)
		{
			uint64_t	next = left ^ (random_mix(order->key[round] ^ right) & mask);

			left = right;
			right = next;
		}
		i = left << order->half_bits | right;
	} while (i >= order->count);
	return i;
}
