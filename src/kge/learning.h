/*
 * learning.h
 *		Embeddings in training: losses, samplers, optimizers, constraints, labels, epochs, partitions, samples of what is
 *		inferred.
 */
#ifndef HKG_KGE_LEARNING_H
#define HKG_KGE_LEARNING_H

#include "kge.h"

/* ---- training.c: losses and samplers ------------------------------------------ */

/*
 * What a minibatch minimises:
 *		logistic	-y log sigma(phi) - (1-y) log(1 - sigma(phi)), the mean over positives and negatives.
 *		margin		max(0, gamma + phi' - phi), the mean over pairs of a positive and one of
 *					its negatives (Bordes et al. 2013).  gamma, which is the model's, is
 *					thus the margin under every score function; in a distance model's
 *					phi' - phi it cancels.
 *		sampled_softmax	cross entropy of the true entity against its negatives, the mean over
 *					positives.
 *		softmax		cross entropy of the true entity against all entities (Lacroix et
 *					al. 2018), the mean over both sides of each positive.  Takes no
 *					notice of block_size and negatives.  With a relation_weight, which a
 *					distance model cannot have, plus that times the cross entropy of the true
 *					relation against all relations (relation_loss.c).
 *		k_vs_all	logistic over all entities, of which those that answer the query have y = 1
 *					(or its weight, where that is less), the mean over queries and entities
 *					(Dettmers et al. 2018).  batch_size is of queries.  With label_smoothing e, y
 *					is (1 - e) y + e / entities.
 */
typedef struct KgeLoss KgeLoss;

extern const KgeLoss *kge_loss(const char *name);
extern const char *kge_loss_name(int i);

/*
 * Where the negatives of a loss that samples them come from.  Blocks of block_size
 * positives share `negatives` uniform replacements of their heads (every other block) or
 * tails; a positive's own answer is no negative of it.
 *		uniform				the mean is over positives and negatives alike: the
 *							negatives of a positive weigh as much as there are of them
 *		self_adversarial	the negatives of a positive are weighted by the softmax of
 *							temperature * phi over them, and together weigh as much as
 *							the positive: half the mean of -log sigma(phi) - sum of
 *							p_i log sigma(-phi_i) (Sun et al. 2019)
 *		bernoulli			as uniform, but each positive draws which side is replaced:
 *							the head with probability tph / (tph + hpt), from the tails
 *							per head and heads per tail of its relation among the
 *							epoch's positives (Wang et al. 2014); positives of one side
 *							make a block
 *		kbgan				a second model, learnt along by policy gradient, picks one of
 *							the negatives for each positive, which weighs as much as the
 *							positive (Cai and Wang 2018)
 */
typedef struct KgeSampler KgeSampler;

extern const KgeSampler *kge_sampler(const char *name);
extern const char *kge_sampler_name(int i);

/* Whether the loss takes negatives of that sampler: softmax has none, sampled_softmax weighs them itself. */
extern bool kge_goes_with(const KgeLoss *loss, const KgeSampler *sampler);

/* Whether its negatives are sampled: of a loss over all entities, all that is no fact is one. */
extern bool kge_samples_negatives(const KgeLoss *loss);

/* ---- optimizer.c: optimizers and regularizers --------------------------------- */

/*
 * How gradients become steps: `adagrad`, or `adam` (its bias correction by the minibatches
 * that touched the row).  Only rows that a minibatch touches move.
 */
typedef struct KgeOptimizer KgeOptimizer;

extern const KgeOptimizer *kge_optimizer(const char *name);
extern const char *kge_optimizer_name(int i);

/* What the penalty adds up over the numbers of a row. */
typedef enum KgeRegularizer
{
	KGE_REGULARIZER_USUAL,		/* N3 under softmax, L2 otherwise */
	KGE_REGULARIZER_L2,			/* squares */
	KGE_REGULARIZER_N3,			/* cubed moduli (Lacroix et al. 2018) */
	KGE_REGULARIZER_DURA		/* squares, and instead of relations those of the queries on
								 * either side (Zhang et al. 2020); of softmax, where the
								 * similarity is a dot product */
} KgeRegularizer;

/* ---- bfloat16.c: precision ---------------------------------------------------- */

/* What products of matrices are made of; parameters and sums are always single. */
typedef enum KgePrecision
{
	KGE_SINGLE,
	KGE_BFLOAT16				/* factors rounded to 8 bits, where the loss is over all entities
								 * and the similarity a dot product; a network's stay single */
} KgePrecision;

/* Whether this processor, and its system, can; single is always there. */
extern bool kge_has_precision(KgePrecision precision);

/* ---- constraint.c: constraints ------------------------------------------------ */

/*
 * What embeddings fulfil while they are learnt: `none`; `nne`, entities in [0, 1]; `nne_aer`, this and entailments
 * (nne_aer.c has the equations).
 */
typedef struct KgeConstraint KgeConstraint;

extern const KgeConstraint *kge_constraint(const char *name);
extern const char *kge_constraint_name(int i);

/* The name of the score function that it goes with; NULL: any. */
extern const char *kge_constraint_function(const KgeConstraint *constraint);

/* Whether it has entailments. */
extern bool kge_constraint_entails(const KgeConstraint *constraint);

/* Initial or old rows of entities become the nearest ones that are allowed; `model` is for their width alone. */
extern void kge_constrain_entities(const KgeConstraint *constraint, const KgeModel *model, Pool *pool,
								   float *entity, int32_t count);

/* ---- labels.c: labels --------------------------------------------------------- */

/*
 * Labels between 0 and 1 for triples that may be true: found in every step from the triple's score and its evidence,
 * which has the place of its weight.  Such triples have no negatives, and no share of the regularization.
 */
typedef struct KgeLabelling KgeLabelling;

#define KGE_FACT	INFINITY	/* evidence of a fact: a positive with negatives */

/* In its place, and in that of a weight: the triple is known to be false, and has the label 0, whatever else has labels. */
#define KGE_FALSE	(-1)

/* The labelling of that name, or NULL. */
extern const KgeLabelling *kge_labelling(const char *name);

/* ---- axioms between relations ---------------------------------------------- */

typedef enum KgeAxiomKind
{
	KGE_AXIOM_SUB,				/* head(X,Y) <= body(X,Y) */
	KGE_AXIOM_INVERSE,			/* head(X,Y) <= body(Y,X) */
	KGE_AXIOM_CHAIN				/* head(X,Y) <= body(X,A), body(A,Y) */
} KgeAxiomKind;

typedef struct KgeAxiom
{
	KgeAxiomKind kind;
	int32_t		head;
	int32_t		body[2];		/* the second of a chain alone */
} KgeAxiom;

/* ---- training.c, epoch.c, constraint.c: a model in training ----------------------- */

typedef struct KgeTraining
{
	int			batch_size;		/* positives in a minibatch, under k_vs_all questions, >= 1 */
	int			block_size;		/* positives that share their negatives, >= 1 */
	int			negatives;		/* negatives of a block, >= 1 */
	double		learning_rate;	/* > 0 */
	double		learning_rate_end;	/* > 0: what it has become, in equal steps, in the last of */
	uint64_t	epochs;			/* the number of epochs; 0: it stays learning_rate */
	double		regularization; /* lambda: lambda * mean over the batch's positives of
								 * the penalties of h, r and t; without r where
								 * relations are angles */
	uint64_t	seed;
	const KgeLoss *loss;
	const KgeSampler *sampler;	/* NULL: uniform */
	double		temperature;	/* of self_adversarial */
	KgeRegularizer regularizer;
	KgePrecision precision;		/* one that is there */
	const KgeOptimizer *optimizer;	/* NULL: adagrad */
	double		relation_weight;	/* of softmax: that of its loss of relations, >= 0 */
	const KgeConstraint *constraint;	/* NULL: none */
	double		entailment_weight;	/* of the penalty of entailments in each minibatch, >= 0 */
	const KgeLabelling *labelling;	/* of logistic: of positives that are no facts; NULL: there are none */
	bool		has_false;		/* with sampled negatives: some positives are KGE_FALSE */
	double		label_smoothing;	/* of k_vs_all, >= 0, < 1 */
	double		dropout[3];		/* of a network: of its input, its feature maps, its hidden numbers; >= 0, < 1 */
} KgeTraining;

typedef struct KgeTrainer KgeTrainer;

/* Bytes that kge_trainer_create will take from its arena (optimizer state included). */
extern size_t kge_trainer_bytes(const KgeModel *model, const KgeTraining *training,
								int64_t max_positives, int threads);

/* How many of them are what kge_trainer_state hands out. */
extern size_t kge_trainer_state_bytes(const KgeModel *model, const KgeTraining *training);

/*
 * Floating-point operations of an epoch's scores and their gradients, which are nearly
 * all that it does; `queries` are the distinct (head, relation) and (relation, tail) of
 * the positives.
 */
extern double kge_epoch_flops(const KgeModel *model, const KgeTraining *training,
							  int64_t positives, int64_t queries);

/*
 * The seconds that they take a core of the machine of bench/RESULTS.md: a guess for others, and a measure of work,
 * which unlike a clock is the same every time.
 */
extern double kge_epoch_seconds(const KgeModel *model, const KgeTraining *training,
								int64_t positives, int64_t queries);

/*
 * A trainer of `model`, which it changes in place; at most max_positives are
 * given to an epoch.  Keeps the optimizer's state from epoch to epoch.  NULL when the
 * arena is empty, or where an epoch would have more than INT32_MAX positives, or a
 * minibatch as many slots of entities.
 */
extern KgeTrainer *kge_trainer_create(Arena *arena, Pool *pool, KgeModel *model,
									  const KgeTraining *training, int64_t max_positives);

/* body(x, y), or with inverse body(y, x), entails head(x, y), as far as `confidence`; rows of relations */
typedef struct KgeEntailment
{
	int32_t		body;
	int32_t		head;
	bool		inverse;
	float		confidence;
} KgeEntailment;

/*
 * Sets the entailments of a trainer whose constraint has some; there were none.  False when the arena is empty.  The relations in them move in every minibatch.
 */
extern bool kge_trainer_entail(KgeTrainer *trainer, Arena *arena, const KgeEntailment *entailments, int64_t count);

/*
 * One pass over the positives in an order drawn for this epoch: minibatches of
 * batch_size; the optimizer moves the touched rows, which are all entities under softmax and k_vs_all.
 * worth: of each positive, or NULL for all 1.  It multiplies the losses of a positive and of
 * its negatives, and its share of the regularization; under k_vs_all it is its label.  With a
 * labelling it is evidence: KGE_FACT, or that of a triple that gets a label; such triples are
 * terms of the minibatch's mean, or have a mean of their own that is added (labels.h).  So is a triple that is KGE_FALSE.
 * epoch: its number from the start of training, 0 first, which numbers its draws.
 * Returns the epoch's mean loss (without regularization; 0 of no positives), NaN
 * when the training diverged.
 */
extern double kge_train_epoch(KgeTrainer *trainer, const Triple *positives,
							  const float *worth, int64_t count, uint64_t epoch);

/*
 * An epoch that moves nothing: the optimizer's state becomes that of a model which
 * has been trained for that many epochs like this one.  Without it, Adagrad's first steps
 * would be as long as in a model's very beginning.
 */
extern double kge_train_observe(KgeTrainer *trainer, const Triple *positives,
								const float *worth, int64_t count, uint64_t epoch, int epochs);

/*
 * The optimizer's state as arrays: i = 0, 1, ... until false.  A trainer whose arrays
 * are filled with those of another goes on where that one stopped.
 */
extern bool kge_trainer_state(const KgeTrainer *trainer, int i, float **values, size_t *count);

/* ---- partitions.c, trainer.c: training with two partitions of the entities in memory ---- */

/*
 * Each deal of an epoch, mostly one, deals the entities anew to partitions, at random, in stripes of consecutive rows.
 * A bucket is two partitions: the facts between them, and a part of those inside either.  Each fact is in one bucket of
 * one of an epoch's deals.
 * With one lane, consecutive buckets share a partition, which keeps its place in memory, 0 or 1; with more, those that
 * are trained at once share none.
 */
typedef struct KgePartitioning
{
	int32_t		entities;		/* at least as many as partitions */
	int			partitions;		/* 2 .. KGE_MOST_PARTITIONS */
	int64_t		max_positives;	/* of an epoch */
	bool		have_worth;		/* positives have a worth of their own */
	uint64_t	seed;
	int			lanes;			/* buckets that are trained at once, 1 .. KGE_MOST_LANES */
	int			deals;			/* of an epoch: each has its part of the positives */
} KgePartitioning;

#define KGE_MOST_LANES 64
#define KGE_MOST_PARTITIONS (2 * KGE_MOST_LANES)

typedef struct KgePartitions KgePartitions;

/* The most entities of a partition. */
extern int32_t kge_partition_room(const KgePartitioning *sizes);

/* Bytes that kge_partitions_create will take from its arena. */
extern size_t kge_partitions_bytes(const KgePartitioning *sizes);
extern KgePartitions *kge_partitions_create(Arena *arena, Pool *pool, const KgePartitioning *sizes);

/*
 * Deals the entities for a deal of an epoch, and its part of the positives, which may go then, to buckets.  worth: or
 * NULL.
 */
extern void kge_partitions_deal(KgePartitions *partitions, const Triple *positives, const float *worth,
								int64_t count, uint64_t epoch, int deal);

/* Consecutive entities; in memory, those of a partition follow each other without gaps. */
typedef struct KgeStripe
{
	int32_t		from;
	int32_t		count;
} KgeStripe;

/* Stripes of a partition, ascending: i = 0, 1, ... until false.  All but the last have kge_stripe_rows entities. */
extern bool kge_partition_stripe(const KgePartitions *partitions, int partition, int32_t i, KgeStripe *stripe);
extern int32_t kge_stripe_rows(const KgePartitions *partitions);

typedef struct KgeBucket
{
	int			partition[2];	/* by place */
	int32_t		rows[2];		/* entities of each */
	double		part;			/* of all entities */
	const Triple *positives;	/* entities as rows: those of place 0, then those of place 1 */
	const float *worth;			/* or NULL */
	int64_t		count;
	uint64_t	seed;			/* of its draws */
} KgeBucket;

/* Steps of an epoch, of all its deals */
extern int kge_step_count(const KgePartitioning *sizes);

extern int kge_bucket_count(const KgePartitions *partitions);
extern KgeBucket kge_bucket(const KgePartitions *partitions, int i);

/*
 * The end of the step that begins with bucket i.  Buckets of a step, at most as many as lanes, share no partition: each
 * can be trained without the others, and then relations are merged.
 */
extern int	kge_step_end(const KgePartitions *partitions, int i);

/* Losses added up; the mean is sum / terms. */
typedef struct KgeLossSum
{
	double		sum;			/* NaN when the training diverged */
	int64_t		terms;
} KgeLossSum;

/*
 * Trains the rows of a bucket.  The trainer's model has room for two partitions: the bucket's rows are those from `skip`
 * on, in the order of KgeBucket.positives.  All that changes is these rows, relations, and the optimizer's state of
 * both.  Minibatches are of equal size, at most as large a part of batch_size as the bucket has of the entities, but
 * block_size at least.  The sampler is not kbgan, whose model has all entities.
 */
extern KgeLossSum kge_train_bucket(const KgeTrainer *trainer, int32_t skip, const KgeBucket *bucket, uint64_t epoch);

/* Relations, and the state of their optimizer as kge_trainer_state has it */
typedef struct KgeRelations
{
	float	   *relation;
	float	   *state;
} KgeRelations;

/*
 * The trainer's relations become what those of 1 .. KGE_MOST_LANES lanes amount to together.  Each lane began with the
 * trainer's, and has trained a bucket of one step.
 */
extern void kge_merge_relations(KgeTrainer *trainer, const KgeRelations *lane, int lanes);

/* ---- epoch.c: in which order an epoch takes its positives ----------------------- */

/* A permutation of 0 .. count-1 of which any place can be asked for. */
typedef struct KgeOrder
{
	uint64_t	count;
	int			half_bits;
	uint64_t	key[6];
} KgeOrder;

extern KgeOrder kge_order(uint64_t seed, uint64_t epoch, uint64_t count);
extern uint64_t kge_order_place(const KgeOrder *order, uint64_t i);

/* ---- importance_sampling.c ------------------------------------------------------- */

typedef struct KgeItems
{
	const float *score;
	const uint64_t *key;		/* numbers an item's draw: the same key, seed and iteration draw the same */
	int64_t		count;
} KgeItems;

/*
 * Importance sampling (doc/method.md, Sampling): draws min(n, count) of the items without replacement with
 * probability proportional to exp(beta * score), exactly and in the log domain
 * (Gumbel top n).  Fills `drawn` (room for min(n, count)) with item
 * numbers, ascending, and probability (may be NULL; same room) with each drawn
 * item's p = exp(beta * score) / sum.  A NaN score is never drawn before a number.
 * Returns how many were drawn, or -1 when the arena is empty.
 */
extern int64_t kge_draw(Arena *arena, Pool *pool, KgeItems items, double beta, int64_t n, uint64_t seed,
						int64_t *drawn, double *probability);

#endif							/* HKG_KGE_LEARNING_H */
