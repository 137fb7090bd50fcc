/*
 * negatives.c
 *		The losses against sampled negatives that positives share: `logistic`, `margin` and `sampled_softmax`.
 *
 * A minibatch is cut into blocks of positives.  A block corrupts one side, and its
 * positives share negatives drawn for it, so that scoring a block's queries against its
 * negatives is one call of the engine forward and one backward.  The sampler chooses
 * which side a positive belongs to; those of a minibatch are dealt to its blocks in
 * their order, tails first.  The threads work on whole blocks, each in slots of its own.
 *
 * Slots of a block's entities: given, answer (one of each for a positive), then
 * the negatives.  A negative that is a positive's own answer is no negative of
 * that one: its score is set so low that loss and derivative are 0.
 *
 * Positives with labels (labels.h) are in blocks of their own, which have no negatives; these come last.
 *
 * The negatives are gone through twice, tile by tile: for their scores, which the
 * sampler may need all of before it can weigh each, and for the rest.
 */
#include <math.h>
#include <string.h>

#include "negatives.h"
#include "core/pool.h"
#include "core/random.h"
#include "kge/learn/labels.h"
#include "loss.h"

#define TAKEN_OUT	(-1e30f)	/* a score that has no loss and no derivative */

/* Kinds of positives, in the order of their blocks */
typedef enum Kind
{
	FOR_TAILS,
	FOR_HEADS,
	WITH_LABELS,
	KINDS
} Kind;

/* Positives of one kind in a minibatch: their places among those that are dealt, and their blocks */
typedef struct Deal
{
	int			first;
	int			end;
	int64_t		first_block;
	int64_t		end_block;
} Deal;

typedef struct Negatives
{
	int32_t    *dealt;			/* the minibatch's positives, by kind */
	int32_t    *heads;			/* those for heads, until it is known how many are for tails */
	Deal		deal[KINDS];
	int			facts;			/* positives without labels */
	double	   *block_loss;
	int64_t    *block_terms;
	KgeSampledBlock *block;		/* one for each thread */
} Negatives;

/* ---- memory ------------------------------------------------------------- */

static void
plan_negatives(KgeTrainer *plan)
{
	const KgeTraining *training = &plan->training;
	int64_t		blocks = kge_sampled_blocks(training);

	plan->entity.count = blocks * (2 * (int64_t) training->block_size + training->negatives);
	plan->relation.count = blocks * training->block_size;
	plan->relation.turned = plan->relation.model->function->turn != NULL;
	if (plan->relation.turned)
		plan->relation.gradient_width = plan->relation.width;
	plan->engine.rough = true;	/* positives, which may get close, are scored one by one */
}

static double
count_scores(const KgeTraining *training, const KgeModel *model, int64_t positives, int64_t queries)
{
	return (double) positives * (1 + training->negatives);
}

static KgeSampledBlock
take_block(const KgeTrainer *plan, Allocation *allocation)
{
	KgeSampledBlock block = {0};
	size_t		size = (size_t) plan->training.block_size;
	size_t		scores;

	block.pairing = kge_pairing_take(plan, allocation);
	scores = (size_t) block.pairing.score_stride * sizeof(float);
	block.negative = TAKE(allocation, int32_t, (size_t) plan->training.negatives);
	block.share = allocation_take(allocation, KGE_NEGATIVES_TILE, scores);
	block.derivative = allocation_take(allocation, KGE_NEGATIVES_TILE, scores);
	block.triple = TAKE(allocation, Triple, size);
	block.weight = TAKE(allocation, float, size);
	block.evidence = TAKE(allocation, float, kge_has_labels(&plan->training) ? size : 0);
	block.answer = TAKE(allocation, int32_t, size);
	block.loss = TAKE(allocation, float, size);
	block.own_score = TAKE(allocation, float, size);
	block.own_derivative = TAKE(allocation, float, size);
	block.log_sum = TAKE(allocation, float, size);
	block.maximum = TAKE(allocation, float, size);
	block.sum = TAKE(allocation, float, size);
	return block;
}

static void *
take_negatives(const KgeTrainer *plan, int threads, Allocation *allocation)
{
	Negatives  *memory = TAKE(allocation, Negatives, 1);
	size_t		blocks = (size_t) kge_sampled_blocks(&plan->training);
	Negatives	work = {0};

	work.dealt = TAKE(allocation, int32_t, (size_t) plan->training.batch_size);
	work.heads = TAKE(allocation, int32_t, (size_t) plan->training.batch_size);
	work.block_loss = TAKE(allocation, double, blocks);
	work.block_terms = TAKE(allocation, int64_t, blocks);
	work.block = TAKE(allocation, KgeSampledBlock, (size_t) threads);
	for (int i = 0; i < threads; i++)
	{
		KgeSampledBlock block = take_block(plan, allocation);

		if (work.block != NULL)
			work.block[i] = block;
	}
	if (memory != NULL)
		*memory = work;
	return memory;
}

/* ---- what samplers use --------------------------------------------------- */

/* Takes out the scores of a negative's own positives. */
KERNEL int
mask_row(int n, const int32_t *restrict answers, int32_t negative, float *restrict score)
{
	int			masked = 0;

	for (int i = 0; i < n; i++)
	{
		masked += answers[i] == negative;
		score[i] = answers[i] == negative ? TAKEN_OUT : score[i];
	}
	return masked;
}

int64_t
kge_mask_answers(const KgeSampledBlock *block, int from, int count, float *score)
{
	int64_t		masked = 0;

	for (int k = from; k < from + count; k++)
		masked += mask_row(block->count, block->answer, block->negative[k],
						   score + (size_t) k * (size_t) block->pairing.score_stride);
	return masked;
}

/* What was taken out stays out, however warm: it has no share beside what was not. */
KERNEL void
warm_row(int n, float temperature, const float *restrict score, float *restrict warm)
{
	for (int i = 0; i < n; i++)
		warm[i] = score[i] == TAKEN_OUT ? score[i] : temperature * score[i];
}

/* Fills `derivative`, not in use yet, with temperature * score of a tile. */
static const float *
warm_scores(KgeSampledBlock *block, double temperature, const float *score, int count)
{
	size_t		stride = (size_t) block->pairing.score_stride;

	for (size_t k = 0; k < (size_t) count; k++)
		warm_row(block->count, (float) temperature, score + k * stride,
				 block->derivative + k * stride);
	return block->derivative;
}

/* A tile's maximum and sum are added to those of the tiles before: the larger maximum stands. */
static void
add_sums(KgeSampledBlock *block, const float *maximum, const float *sum)
{
	for (int i = 0; i < block->count; i++)
	{
		float		larger = maximum[i] > block->maximum[i] ? maximum[i] : block->maximum[i];

		block->sum[i] = block->sum[i] * expf(block->maximum[i] - larger) +
			sum[i] * expf(maximum[i] - larger);
		block->maximum[i] = larger;
	}
}

void
kge_sum_negatives(KgeSampledBlock *block, double temperature, const float *score)
{
	int			stride = block->pairing.score_stride;
	float	   *maximum = block->share; /* two rows not in use yet */
	float	   *sum = block->share + stride;

	for (int i = 0; i < block->count; i++)
	{
		block->maximum[i] = -INFINITY;
		block->sum[i] = 0;
	}
	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		int			count = kge_tile_size(block, from);

		kge_softmax_sums(count, block->count,
						 warm_scores(block, temperature, score + (size_t) from * (size_t) stride, count),
						 stride, maximum, sum);
		add_sums(block, maximum, sum);
		pool_yield(block->trainer->pool, block->thread);
	}
	for (int i = 0; i < block->count; i++)
		block->log_sum[i] = block->maximum[i] + logf(block->sum[i]);
}

void
kge_share_negatives(KgeSampledBlock *block, double temperature, const float *score, int count,
					const float *weight, float *filled)
{
	kge_softmax(count, block->count, warm_scores(block, temperature, score, count),
				block->pairing.score_stride, block->log_sum, weight, filled);
}

/* ---- losses --------------------------------------------------------------- */

static void
logistic_positives(KgeSampledBlock *block)
{
	kge_logistic_loss(1, block->count, 1, block->own_score, 0, block->weight, 0,
					  block->own_derivative, block->loss);
}

static void
logistic_negatives(KgeSampledBlock *block, int count, const float *score, const float *weight,
				   int weight_stride)
{
	kge_logistic_loss(count, block->count, 0, score, block->pairing.score_stride, weight,
					  weight_stride, block->derivative, block->loss);
}

static void
margin_positives(KgeSampledBlock *block)
{
	memset(block->own_derivative, 0, (size_t) block->count * sizeof(float));
}

static void
margin_negatives(KgeSampledBlock *block, int count, const float *score, const float *weight,
				 int weight_stride)
{
	kge_margin_loss(count, block->count, (float) block->trainer->model->gamma, block->own_score,
					score, block->pairing.score_stride, weight, weight_stride,
					block->derivative, block->own_derivative, block->loss);
}

/* The positive against the log-sum of its negatives, under the logistic loss: that is the cross entropy. */
static void
softmax_positives(KgeSampledBlock *block)
{
	float	   *ahead = block->sum; /* not in use any more by then */

	kge_sum_negatives(block, 1, block->pairing.score);
	for (int i = 0; i < block->count; i++)
		ahead[i] = block->own_score[i] - block->log_sum[i];
	kge_logistic_loss(1, block->count, 1, ahead, 0, block->weight, 0, block->own_derivative, block->loss);
	for (int i = 0; i < block->count; i++)
		block->log_sum[i] += (ahead[i] > 0 ? ahead[i] : 0) + log1pf(expf(-fabsf(ahead[i])));
}

static void
softmax_negatives(KgeSampledBlock *block, int count, const float *score, const float *weight,
				  int weight_stride)
{
	kge_softmax(count, block->count, score, block->pairing.score_stride, block->log_sum, weight, block->derivative);
}

/* ---- a block ------------------------------------------------------------ */

static inline int64_t
answer_slot(const KgeSampledBlock *block, int i)
{
	return block->pairing.given_slot + block->trainer->training.block_size + i;
}

/* Fetches the block's positives, the first of which was dealt place `first`, and negatives. */
static void
fill_block(KgeSampledBlock *block, int first)
{
	KgeTrainer *trainer = block->trainer;
	const Negatives *work = trainer->work;

	for (int i = 0; i < block->count; i++)
	{
		const Triple *triple = &block->triple[i];

		block->triple[i] = kge_positive(trainer, work->dealt[first + i], &block->weight[i]);
		if (trainer->training.labelling != NULL || block->labelled)
		{
			/* what was fetched as the weight is the evidence */
			block->evidence[i] = block->weight[i];
			block->weight[i] = block->labelled ? 0 : 1;
		}
		block->answer[i] = triple_answer(triple, block->side);
		block->loss[i] = 0;
	}
	kge_draw_negatives(trainer->training.seed, trainer->epoch, (uint64_t) block->number,
					   trainer->model->entities, block->negatives, block->negative);
}

/* The positives: the score of each query with its own answer. */
static void
score_positives(KgeSampledBlock *block)
{
	KgeTrainer *trainer = block->trainer;
	const KgePairing *pairing = &block->pairing;

	for (int i = 0; i < block->count; i++)
	{
		int64_t		slot = answer_slot(block, i);

		if (i + KGE_AHEAD < block->count)
			kge_ask_for_row(trainer, block->answer[i + KGE_AHEAD]);
		trainer->entity.row[slot] = block->answer[i];
		trainer->entity.penalty[slot] = block->weight[i];
		memset(kge_entity_gradient(trainer, slot), 0, (size_t) pairing->stride * sizeof(float));
		block->own_score[i] =
			kge_engine_score(&trainer->engine, pairing->query + (size_t) i * (size_t) pairing->stride,
							 kge_entity_row(trainer->model, block->answer[i]));
	}
}

static bool
labels_are_terms(const KgeTrainer *trainer)
{
	const KgeLabelling *labelling = trainer->training.labelling;

	return ((const Negatives *) trainer->work)->facts == 0 || labelling == NULL || labelling->terms;
}

/*
 * The minibatch's sum is divided by the terms of its facts.  So that the mean over triples with labels is beside that
 * over facts and negatives, each weighs as many terms as there are for one of them, with those that are left out
 * because a negative is the true answer: of few entities these are many, and labels weigh that much more.
 */
static float
label_weight(const KgeTrainer *trainer)
{
	const Negatives *work = trainer->work;
	const KgeTraining *training = &trainer->training;
	/* of a fact and its negatives, in the mean of their minibatch */
	double		terms = (double) work->facts * (training->sampler->share != NULL ? 2 : 1 + training->negatives);

	return labels_are_terms(trainer) ? 1 : (float) (terms / (double) (trainer->count - work->facts));
}

static void
lose_positives(KgeSampledBlock *block)
{
	const KgeTraining *training = &block->trainer->training;

	if (block->labelled)
		kge_label_loss(training->labelling, block->count, block->own_score, block->evidence, label_weight(block->trainer),
					   block->own_derivative, block->loss);
	else
		training->loss->positives(block);
}

static void
learn_positives(KgeSampledBlock *block)
{
	KgeTrainer *trainer = block->trainer;
	const KgePairing *pairing = &block->pairing;

	for (int i = 0; i < block->count; i++)
		kge_engine_gradient(&trainer->engine,
							pairing->query + (size_t) i * (size_t) pairing->stride,
							kge_entity_row(trainer->model, block->answer[i]),
							block->own_score[i], block->own_derivative[i],
							kge_pairing_query_gradient(pairing, i),
							kge_entity_gradient(trainer, answer_slot(block, i)));
}

/* The losses and gradients of negatives from .. from+count-1. */
static void
learn_negatives(KgeSampledBlock *block, int from, int count)
{
	const KgeTraining *training = &block->trainer->training;
	const float *score = kge_pairing_scores(&block->pairing, from);

	if (training->sampler->share == NULL)
		training->loss->negatives(block, count, score, block->weight, 0);
	else
	{
		training->sampler->share(block, from, count);
		training->loss->negatives(block, count, score, block->share, block->pairing.score_stride);
	}
	kge_pairing_learn(&block->pairing, from, count, block->derivative);
}

/* Returns the number of pairs of a positive and a negative. */
static int64_t
learn(KgeSampledBlock *block)
{
	Pool	   *pool = block->trainer->pool;
	const KgeTraining *training = &block->trainer->training;
	int64_t		pairs = (int64_t) block->count * block->negatives;

	kge_pairing_open(&block->pairing, block->side, block->triple, block->weight, block->negative);
	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		kge_pairing_score(&block->pairing, from, kge_tile_size(block, from));
		pairs -= kge_mask_answers(block, from, kge_tile_size(block, from), block->pairing.score);
		pool_yield(pool, block->thread);
	}
	score_positives(block);
	lose_positives(block);
	if (training->sampler->look != NULL && !block->labelled)
		training->sampler->look(block);
	for (int from = 0; from < block->negatives; from += KGE_NEGATIVES_TILE)
	{
		learn_negatives(block, from, kge_tile_size(block, from));
		pool_yield(pool, block->thread);
	}
	learn_positives(block);
	kge_pairing_close(&block->pairing);
	return pairs;
}

/*
 * The terms of a block's mean: each positive, where the loss counts them.  So is each
 * negative of a positive, or, where they share its weight, all of them together.  Labels
 * are in the mean of facts (label_weight), unless they are terms.
 */
static int64_t
count_terms(const KgeSampledBlock *block, int64_t pairs)
{
	const KgeTraining *training = &block->trainer->training;
	int64_t		negatives = training->sampler->share != NULL ? block->count : pairs;

	if (block->labelled)
		return labels_are_terms(block->trainer) ? block->count : 0;
	return (training->loss->counts_positives ? block->count : 0) +
		(training->loss->counts_negatives ? negatives : 0);
}

static Kind
kind_of_block(const Negatives *work, int64_t item)
{
	int			kind = FOR_TAILS;

	while (item >= work->deal[kind].end_block)
		kind++;
	return (Kind) kind;
}

/* Positives with labels are questions for tails in one minibatch, for heads in the next. */
static Side
side_of_kind(const KgeTrainer *trainer, Kind kind)
{
	int64_t		batch = trainer->start / trainer->training.batch_size;

	if (kind == WITH_LABELS)
		return (uint64_t) (batch + (int64_t) trainer->epoch) % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;
	return kind == FOR_TAILS ? SIDE_TAIL : SIDE_HEAD;
}

/* Sets which of the dealt positives the block has, and which side of them it corrupts; returns the first one's place. */
static int
open_block(KgeSampledBlock *block, int64_t item)
{
	KgeTrainer *trainer = block->trainer;
	const KgeTraining *training = &trainer->training;
	const Negatives *work = trainer->work;
	Kind		kind = kind_of_block(work, item);
	const Deal *deal = &work->deal[kind];
	int			size = training->block_size;
	int64_t		batch = trainer->start / training->batch_size;
	int64_t		first = deal->first + (item - deal->first_block) * size;
	int64_t		left = deal->end - first;

	block->item = item;
	block->number = kge_first_block(training, batch) + item;
	block->labelled = kind == WITH_LABELS;
	block->side = side_of_kind(trainer, kind);
	block->count = (int) (left < size ? left : size);
	block->negatives = block->labelled ? 0 : training->negatives;
	return (int) first;
}

/* Item: block number `item` of the minibatch. */
static void
learn_block(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	const KgeTraining *training = &trainer->training;
	Negatives  *work = trainer->work;
	KgeSampledBlock *block = &work->block[thread];
	KgePairing *pairing = &block->pairing;
	int			size = training->block_size;
	double		loss = 0;
	int			first;

	block->trainer = pairing->trainer = trainer;
	block->thread = thread;
	first = open_block(block, item);
	pairing->count = block->count;
	pairing->negatives = block->negatives;
	pairing->given_slot = item * (2 * size + training->negatives);
	pairing->negative_slot = pairing->given_slot + 2 * size;
	pairing->relation_slot = item * size;

	fill_block(block, first);
	work->block_terms[item] = count_terms(block, learn(block));
	for (int i = 0; i < block->count; i++)
		loss += block->loss[i];
	work->block_loss[item] = loss;
}

/* ---- a minibatch ---------------------------------------------------------- */

static Side
side_of(const KgeTrainer *trainer, int64_t i)
{
	const KgeTraining *training = &trainer->training;
	float		weight;

	if (training->sampler->side != NULL)
		return training->sampler->side(trainer, kge_positive(trainer, i, &weight),
									   trainer->start + i);
	return ((uint64_t) (trainer->start / training->batch_size + i / training->block_size) +
			trainer->epoch) % 2 == 0 ? SIDE_TAIL : SIDE_HEAD;
}

static bool
has_label(const KgeTrainer *trainer, int64_t i)
{
	float		evidence;

	if (!kge_has_labels(&trainer->training) || trainer->worth == NULL)
		return false;
	(void) kge_positive(trainer, i, &evidence);
	return evidence == KGE_FALSE || (trainer->training.labelling != NULL && evidence < KGE_FACT);
}

/* Deals the positives to blocks of one kind each; returns how many blocks. */
static int64_t
deal(KgeTrainer *trainer)
{
	int			size = trainer->training.block_size;
	Negatives  *work = trainer->work;
	int			count[KINDS] = {0};
	Deal		last = {0};

	for (int32_t i = 0; i < trainer->count; i++)
		if (has_label(trainer, i))
			work->dealt[trainer->count - ++count[WITH_LABELS]] = i;
		else if (side_of(trainer, i) == SIDE_TAIL)
			work->dealt[count[FOR_TAILS]++] = i;
		else
			work->heads[count[FOR_HEADS]++] = i;
	memcpy(work->dealt + count[FOR_TAILS], work->heads, (size_t) count[FOR_HEADS] * sizeof(int32_t));
	for (int kind = 0; kind < KINDS; kind++)
		last = work->deal[kind] = (Deal) {last.end, last.end + count[kind], last.end_block,
			last.end_block + (count[kind] + size - 1) / size};
	work->facts = work->deal[FOR_HEADS].end;
	return last.end_block;
}

static int64_t
open_minibatch(void *argument)
{
	KgeTrainer *trainer = argument;
	const KgeSampler *sampler = trainer->training.sampler;

	if (trainer->start == 0 && sampler->open != NULL)
		sampler->open(trainer);
	return deal(trainer);
}

static KgeSum
sum_blocks(const KgeTrainer *trainer)
{
	const Negatives *work = trainer->work;
	KgeSum		sum = {.positives = (double) (work->facts == 0 ? trainer->count : work->facts)};

	for (int64_t i = 0; i < work->deal[WITH_LABELS].end_block; i++)
	{
		sum.loss += work->block_loss[i];
		sum.terms += work->block_terms[i];
	}
	return sum;
}

static void
finish_minibatch(KgeTrainer *trainer)
{
	const Negatives *work = trainer->work;

	if (trainer->training.sampler->finish != NULL)
		trainer->training.sampler->finish(trainer, work->deal[FOR_HEADS].end_block);
}

/* What losses over sampled negatives have in common */
#define LEARN_SAMPLED \
	.plan = plan_negatives, \
	.take = take_negatives, \
	.scores = count_scores, \
	.learn = open_minibatch, \
	.item = learn_block, \
	.sum = sum_blocks, \
	.finish = finish_minibatch

const KgeLoss kge_loss_logistic = {
	.name = "logistic",
	.counts_positives = true,
	.counts_negatives = true,
	LEARN_SAMPLED,
	.positives = logistic_positives,
	.negatives = logistic_negatives
};

const KgeLoss kge_loss_margin = {
	.name = "margin",
	.counts_negatives = true,
	LEARN_SAMPLED,
	.positives = margin_positives,
	.negatives = margin_negatives
};

const KgeLoss kge_loss_sampled_softmax = {
	.name = "sampled_softmax",
	.counts_positives = true,
	LEARN_SAMPLED,
	.positives = softmax_positives,
	.negatives = softmax_negatives
};

void
kge_draw_negatives(uint64_t seed, uint64_t epoch, uint64_t block,
				   int32_t entities, int count, int32_t *negative)
{
	uint64_t	stream = random_stream(seed, DRAW_NEGATIVE, epoch, block);

	for (int i = 0; i < count; i++)
		negative[i] = (int32_t) random_below(random_bits(stream, (uint64_t) i),
											 (uint64_t) entities);
}
