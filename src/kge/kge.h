/*
 * kge.h
 *		Knowledge graph embeddings as arrays: score functions, training, ranking, the best candidates.
 *
 * Wording.  A triple is (head, relation, tail), three row numbers.  A query
 * is the vector q(h, r) when tails are asked for, or q'(t, r) when heads are;
 * a candidate is an entity that may answer it; the similarity of a query and
 * a candidate is the triple's score phi.  Everything here (training, ranking,
 * top k, embedding confidence) is a block of queries scored against a block of
 * candidates, so a score function is one file: two queries, their gradient,
 * the initial values, and the choice of a similarity.
 *
 * kge_THING(name) is the thing of that name, or NULL; kge_THING_name(i) the name of number i, or NULL past the last.
 */
#ifndef HKG_KGE_KGE_H
#define HKG_KGE_KGE_H

#include <math.h>

#include "core/pool.h"
#include "core/question.h"

/* ---- score_function.c: the table of score functions ------------------------------- */

typedef struct KgeScoreFunction KgeScoreFunction;

extern const KgeScoreFunction *kge_score_function(const char *name);
extern const char *kge_score_function_name(int i);

/* Floats in an entity's row (d, or 2d for complex models: real parts, then imaginary; for `conve` d, then a bias). */
extern int	kge_entity_width(const KgeScoreFunction *function, int dimensions);

/* Floats in a relation's row (for `rotate`: d phases, in radians). */
extern int	kge_relation_width(const KgeScoreFunction *function, int dimensions);

/* Whether it can have that many dimensions. */
extern bool kge_fits(const KgeScoreFunction *function, int dimensions);

/*
 * Whether weights that all queries share make them: then relations are reciprocal, the loss is k_vs_all, and the score is
 * not linear in head and relation.
 */
extern bool kge_has_network(const KgeScoreFunction *function);

/* Whether the score is gamma minus a distance (so that gamma and norm matter). */
extern bool kge_is_distance(const KgeScoreFunction *function);

typedef struct KgeModel
{
	const KgeScoreFunction *function;
	int			dimensions;		/* d >= 1 */
	int			norm;			/* 1 or 2; distance models only */
	double		gamma;			/* margin of distance models */
	int32_t		entities;
	int32_t		relations;
	float	   *entity;			/* entities x kge_entity_width, row by row */
	float	   *relation;		/* kge_relation_rows x kge_relation_width, row by row */
	bool		reciprocal;		/* relations have an inverse each, in row relations + r */
	int32_t		added;			/* entities behind them, from row `entities` on: given, or scored one by one; left
								 * out of training, of ranks and of the best of all */
	float	  **added_row;		/* of each */
} KgeModel;

/* Rows of `relation`: as many as relations, or twice as many, and those of shared weights. */
extern int32_t kge_relation_rows(const KgeModel *model);

/* Rows of shared weights, the last ones of `relation`; 0 but of a network. */
extern int32_t kge_shared_rows(const KgeModel *model);

/* Fills entity and relation with the function's initial values, drawn by seed. */
extern void kge_model_initialise(KgeModel *model, Pool *pool, uint64_t seed);

/* The same in pieces: entities from .. from+count-1, into rows of their own; and relations. */
extern void kge_initial_entities(const KgeModel *model, Pool *pool, uint64_t seed, int32_t from, int32_t count,
								 float *entity);
extern void kge_initial_relations(KgeModel *model, Pool *pool, uint64_t seed);

/*
 * Entities that are new to a trained model (new_entities.c); the caller's arrays.  New are rows of `entity`
 * that are marked, or all that are added.
 */
typedef struct KgeNewEntities
{
	bool	   *entity;			/* by row: whether it is new; NULL: the added ones are */
	bool	   *relation;		/* by row; NULL: none is */
	int32_t    *neighbours;		/* of each row, or of each that is added: trained ones so far, 0 first */
	float	   *query;			/* room for an entity's row */
} KgeNewEntities;

/*
 * Rows of new entities become the mean of their trained neighbours' queries; one without such neighbours
 * keeps its row.  First all facts, in one call or in several, then the placing.
 */
extern void kge_new_entities_gather(const KgeModel *model, KgeNewEntities *new_entities,
							   const Triple *facts, int64_t count);
extern void kge_new_entities_place(const KgeModel *model, const KgeNewEntities *new_entities);

/* What the rows of trained entities are like, by an even sample of them */
typedef struct KgeTypicalRow
{
	float	   *mean;			/* the caller's, of an entity's width */
	double		length;			/* the mean length */
	double		deviation;		/* of a number of a row from the mean row's, root of the mean square */
} KgeTypicalRow;

/* Fills in the rest. */
extern void kge_typical_row(const KgeModel *model, KgeTypicalRow *typical);

/*
 * The same for an added entity in place of kge_new_entities_place, for predictions, where it competes with trained
 * entities: as far from queries as these are.  `key` numbers what is drawn.
 */
extern void kge_new_entity_place(const KgeModel *model, const KgeNewEntities *new_entities, int32_t row,
								 const KgeTypicalRow *typical, uint64_t key);

/* The row of an entity that nothing places. */
extern void kge_neutral_row(const KgeModel *model, const KgeTypicalRow *typical, float *row);

/*
 * phi(triple), from the definition in double precision: what every faster path
 * is measured against.
 */
extern double kge_score(const KgeModel *model, Triple triple);

/*
 * Scores of many triples: what a score takes from its relation alone, such as the cosines and sines of angles, or from
 * head and relation where a network makes queries, is computed once, which is nearly all of the work of a score.  The
 * outcome has the same bits.
 */
typedef struct KgeExactScore
{
	const KgeModel *model;
	int32_t		relation;		/* that was prepared; -1: none was */
	double	   *prepared;		/* room for kge_exact_numbers(model) */
	int32_t		head;			/* of a network: that was prepared with it */
} KgeExactScore;

extern size_t kge_exact_numbers(const KgeModel *model);

/* kge_score(kge_asked(model, triple, side)), with denormals; fastest where triples of one relation, and head, follow each other. */
extern double kge_exact_score(KgeExactScore *exact, Triple triple, Side side);

/*
 * The triple whose score answers for `triple` when that side of it is asked for: (h, r, t)
 * itself, or (t, inverse of r, h) for a head under reciprocal relations (Lacroix et al. 2018).
 */
extern Triple kge_asked(const KgeModel *model, Triple triple, Side side);

/* sigma(score), without overflow. */
extern double kge_sigmoid(double score);

/* ---- training.c: losses, samplers, optimizers, constraints ----------------- */

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

/* What products of matrices are made of; parameters and sums are always single. */
typedef enum KgePrecision
{
	KGE_SINGLE,
	KGE_BFLOAT16				/* factors rounded to 8 bits, where the loss is over all entities
								 * and the similarity a dot product; a network's stay single */
} KgePrecision;

/* Whether this processor, and its system, can; single is always there. */
extern bool kge_has_precision(KgePrecision precision);

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

/*
 * Labels between 0 and 1 for triples that may be true: found in every step from the triple's score and its evidence,
 * which has the place of its weight.  Such triples have no negatives, and no share of the regularization.
 */
typedef struct KgeLabelling KgeLabelling;

#define KGE_FACT	INFINITY	/* evidence of a fact: a positive with negatives */

/* The labelling of that name, or NULL. */
extern const KgeLabelling *kge_labelling(const char *name);

/* ---- itere.c: axioms between relations -------------------------------------- */

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

/* Whether a score function has axioms; how far an axiom is from holding, 0: it does for all entities. */
extern bool kge_has_axioms(const KgeScoreFunction *function);
extern double kge_axiom_distance(const KgeModel *model, KgeAxiom axiom);

/* ---- plogicnet.c: weights of rules in a Markov logic network ------------------ */

/* Triples that the same rules infer, one at least */
typedef struct KgeInferred
{
	const int32_t *rule;		/* each once */
	int64_t		rules;
	int64_t		triples;
	double		truth;			/* sum of the probabilities that they are true */
} KgeInferred;

typedef struct KgeNetwork
{
	int32_t		rules;
	int64_t		count;
	const KgeInferred *inferred;
} KgeNetwork;

/* The probability of a triple that these rules infer: sigma of the mean of their weights. */
extern double kge_rules_probability(const double *weight, const int32_t *rule, int64_t rules);

/*
 * The logarithm of the probability of each triple, given all others, summed: the pseudo-likelihood, in the mean over what
 * is true.  Fills the gradient by each weight, unless NULL.
 */
extern double kge_rules_likelihood(const KgeNetwork *network, const double *weight, double *gradient);

/* Fills the step of each rule: `rate`, or less, so that steps along the gradient never lower the likelihood. */
extern void kge_rules_steps(const KgeNetwork *network, double rate, double *step);

/* ---- trainer.c, training.c: a model in training --------------------------------- */

typedef struct KgeTraining
{
	int			batch_size;		/* positives in a minibatch, >= 1 */
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
 * given to an epoch.  Keeps the optimizer's state from epoch to epoch.
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
 * Sets the entailments of a trainer whose constraint has some; there were none.  Takes kge_entailment_bytes from the
 * arena, or returns false.  The relations in them move in every minibatch.
 */
extern size_t kge_entailment_bytes(const KgeModel *model, int64_t count);
extern bool kge_trainer_entail(KgeTrainer *trainer, Arena *arena, const KgeEntailment *entailments, int64_t count);

/*
 * One pass over the positives in an order drawn for this epoch: minibatches of
 * batch_size; the optimizer moves the touched rows, which are all entities under softmax.
 * weights: the weight of each positive's loss and of its negatives', or NULL for
 * all 1.  epoch: its number from the start of training, 0 first, which numbers
 * its draws.  A weight scales a positive's share of the regularization as well.
 * With a labelling, weights are evidence: KGE_FACT, or that of a triple that gets a label.
 * The loss of a minibatch is then the mean over its facts and negatives, and that over
 * the triples with labels, added up.
 * Returns the epoch's mean loss (without regularization; 0 of no positives), NaN
 * when the training diverged.
 */
extern double kge_train_epoch(KgeTrainer *trainer, const Triple *positives,
							  const float *weights, int64_t count, uint64_t epoch);

/*
 * An epoch that moves nothing: the optimizer's state becomes that of a model which
 * has been trained for that many epochs like this one.  Without it, Adagrad's first steps
 * would be as long as in a model's very beginning.
 */
extern double kge_train_observe(KgeTrainer *trainer, const Triple *positives,
								const float *weights, int64_t count, uint64_t epoch, int epochs);

/*
 * The optimizer's state as arrays: i = 0, 1, ... until false.  A trainer whose arrays
 * are filled with those of another goes on where that one stopped.
 */
extern bool kge_trainer_state(const KgeTrainer *trainer, int i, float **values, size_t *count);

/* ---- partitions.c: training with two partitions of the entities in memory ---- */

/*
 * Each deal of an epoch, mostly one, deals the entities anew to partitions, at random, in stripes of consecutive rows.
 * A bucket is two partitions: the facts between them, and a part of those inside either.  Each fact is in one bucket of
 * one of an epoch's deals.
 * Consecutive buckets share a partition, which keeps its place in memory, 0 or 1.
 */
typedef struct KgePartitioning
{
	int32_t		entities;		/* at least as many as partitions */
	int			partitions;		/* 2 .. KGE_MOST_PARTITIONS */
	int64_t		max_positives;	/* of an epoch */
	bool		weighted;		/* positives have weights */
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

/* Deals the entities for a deal of an epoch, and its part of the positives, which may go then, to buckets.  weights: or NULL. */
extern void kge_partitions_deal(KgePartitions *partitions, const Triple *positives, const float *weights,
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
	const float *weights;		/* or NULL */
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

/* ---- sketch.c ----------------------------------------------------------- */

/* What kge_top looks at first: a coarse copy of a model's entities (sketch.h). */
typedef struct KgeSketch KgeSketch;

/* Bytes that kge_sketch will take from its arena. */
extern size_t kge_sketch_bytes(const KgeModel *model);

/* NULL when the arena is empty. */
extern const KgeSketch *kge_sketch(Arena *arena, Pool *pool, const KgeModel *model);

/*
 * Its arrays as one piece of memory, and a sketch whose arrays are in a copy of that, at a multiple of 64; the model
 * must be as large.  NULL when the arena is empty.
 */
extern const void *kge_sketch_memory(const KgeSketch *sketch, const KgeModel *model, size_t *bytes);
extern const KgeSketch *kge_sketch_over(Arena *arena, const KgeModel *model, void *memory);

/* ---- rank.c ------------------------------------------------------------- */

typedef struct KgeAddition
{
	int32_t		entity;
	double		addition;
} KgeAddition;

/*
 * An adjustment: what is added to the model's scores of some candidates of a question, which
 * become scale * (phi + weight * addition).  list() runs in the pool's threads; it lists entities, each once,
 * which stay valid until the thread's next question, and returns how many; other entities get nothing.
 */
typedef struct KgeAdjustment
{
	int64_t		(*list) (void *argument, Side side, int32_t given, int32_t relation,
						Pool *pool, int thread, const KgeAddition **additions);
	void	   *argument;
	const double *weight;		/* >= 0, by 2 * relation + side; NULL: all 1 */
	const double *scale;		/* > 0, likewise: makes scores of all questions comparable */
	const struct KgeAdjustment *quick;	/* of one that takes long: one that does not, but adds less; else NULL */
	double		(*more) (void *argument, Side side, int32_t relation);	/* with quick: what scores are above its, at most */
} KgeAdjustment;

extern double kge_adjustment_weight(const KgeAdjustment *adjustment, int32_t relation, Side side);

/* The score of a candidate; phi where the adjustment is NULL. */
extern double kge_adjusted_score(const KgeAdjustment *adjustment, int32_t relation, Side side, double phi,
								 double addition);

typedef struct KgeTriples
{
	const Triple *triple;
	int64_t		count;
} KgeTriples;

typedef struct KgeRanks
{
	int32_t    *head;			/* by triple */
	int32_t    *tail;
} KgeRanks;

/*
 * Filtered ranks of triples, 1 first: ranks.head[i] is the place of
 * triple i's head among all entities by score as head of (?, r, t), ranks.tail[i]
 * likewise.  A candidate that forms one of the `filter` triples (any order,
 * duplicates allowed; other than the tested one) is skipped.  Order is that of
 * kge_score (double precision), whatever the fast path rounds to.  Among equals
 * the entity takes a place drawn by seed and triple; a NaN score is below every
 * number and equal to NaN (Sun et al. 2020, RANDOM).  Holds one block of scores a thread.
 * adjustment: added to the scores; may be NULL.
 */
extern bool kge_rank(Arena *arena, Pool *pool, const KgeModel *model,
					 const KgeAdjustment *adjustment,
					 KgeTriples ranked, KgeTriples filter, uint64_t seed, KgeRanks ranks);

/* Seconds of a core for that many triples, at most, by the same measure as kge_epoch_seconds. */
extern double kge_rank_seconds(const KgeModel *model, int64_t count);

/* Bytes that kge_rank will take from its arena. */
extern size_t kge_rank_bytes(const KgeModel *model, const KgeAdjustment *adjustment,
							 int64_t count, int64_t filter_count, int threads);

typedef struct KgeMetrics
{
	double		mrr,
				mr,
				hits_1,
				hits_3,
				hits_10;
} KgeMetrics;

/* Means over `count` ranks; all NaN when there are none. */
extern KgeMetrics kge_metrics(const int32_t *ranks, int64_t count);

/* ---- epoch_order.c: in which order an epoch takes its positives ----------------------- */

/* A permutation of 0 .. count-1 of which any place can be asked for. */
typedef struct KgeOrder
{
	uint64_t	count;
	int			half_bits;
	uint64_t	key[6];
} KgeOrder;

extern KgeOrder kge_order(uint64_t seed, uint64_t epoch, uint64_t count);
extern uint64_t kge_order_place(const KgeOrder *order, uint64_t i);

/* ---- rank_sample.c: the metrics of a list of triples, from a sample of them --------- */

/* All of the list, or an even number of its triples, which are spread evenly. */
typedef struct KgeSample
{
	int64_t		population;		/* triples of the list */
	int64_t		count;			/* of the sample */
} KgeSample;

static inline bool
kge_sample_is_all(KgeSample sample)
{
	return sample.count == sample.population;
}

/* At most that many of them, but two at least. */
extern KgeSample kge_sample(int64_t population, int64_t wanted);

/* Places in the list, ascending; room for sample.count. */
extern void kge_sample_draw(KgeSample sample, uint64_t seed, int64_t *places);

/*
 * Estimates of the list's metrics, without bias; ranks are those of the sample on one side, or on both, one after the
 * other.  Fills 1 / rank of each triple, the mean over its sides; room for sample.count.
 */
extern KgeMetrics kge_sample_metrics(KgeSample sample, const int32_t *ranks, int sides, double *reciprocals);

/*
 * The standard error of the mean that is estimated from values of the sample, or, with others (may be NULL), of the
 * difference of two such means; 0 where the sample is all of the list.
 */
extern double kge_sample_error(KgeSample sample, const double *values, const double *others);

/* ---- top_entities.c: the best candidates of a question, neighbours, scores of triples ---- */

/* Which entity stands on that side of a triple of `relation`, with `given` on the other one? */
typedef struct KgeTopQuestion
{
	Side		side;
	int32_t		given;
	int32_t		relation;
	const int32_t *excluded;	/* rows that are no candidates, ascending */
	int64_t		excluded_count;
} KgeTopQuestion;

typedef struct KgeTopQuestions
{
	const KgeTopQuestion *question;
	int64_t		count;
} KgeTopQuestions;

typedef struct KgeAnswer
{
	double		score;			/* with the adjustment's scale and addition */
	double		phi;
	double		addition;
	int32_t		row;
} KgeAnswer;

/* The best first; for qsort */
static inline int
kge_compare_answers(const void *a, const void *b)
{
	const KgeAnswer *left = a;
	const KgeAnswer *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/*
 * The k candidates of highest score; NaN scores are left out; ties go to the lower
 * row.  Fills answers (room for k), best first; returns how many, or -1
 * when the arena is empty.  The answer is exact; the model's sketch makes it quick.
 * adjustment: adds to scores, NULL for none; it lists once, while other threads look at the sketch.  Added entities
 * that it lists are left out.
 */
extern int64_t kge_top(Arena *arena, Pool *pool, const KgeModel *model,
					   const KgeSketch *sketch, KgeTopQuestion question, const KgeAdjustment *adjustment,
					   int64_t k, KgeAnswer *answers);

/* Bytes that kge_top, with an adjustment or without, or kge_neighbors, will take from its arena. */
extern size_t kge_top_bytes(const KgeModel *model, int threads, bool adjusted, int64_t k);
extern size_t kge_neighbors_bytes(const KgeModel *model, int64_t k);

/*
 * The k entities whose rows have the highest cosine with that of `entity`, which is not among them;
 * those without a cosine, of length 0 or not finite, are left out.  As kge_top otherwise.
 */
extern int64_t kge_neighbors(Arena *arena, Pool *pool, const KgeModel *model,
							 int32_t entity, int64_t k, int32_t *rows, double *cosines);

/* The cosine of the rows of two entities, which may be added ones; NaN where it has none. */
extern double kge_cosine(const KgeModel *model, int32_t a, int32_t b);

/*
 * phi of each triple, in single precision through the block kernels; fastest when
 * triples of one (relation, head) follow each other.
 */
extern bool kge_score_triples(Arena *arena, Pool *pool, const KgeModel *model,
							  const Triple *triples, int64_t count, float *scores);

/* ---- scorer.c: scores of a block of questions, by one thread ------------------- */

#define KGE_SCORER_QUESTIONS 64	/* of a block, at most */

typedef struct KgeScorer KgeScorer;

/* Whether a search is faster with a sketch; without this it may not have one. */
extern bool kge_scorer_uses_sketch(const KgeModel *model);

/* Bytes that kge_scorer will take from its arena, at most. */
extern size_t kge_scorer_bytes(const KgeModel *model);

/* sketch: that of `model`, or NULL.  NULL when the arena is empty. */
extern KgeScorer *kge_scorer(Arena *arena, const KgeModel *model, const KgeSketch *sketch);

/* Makes the queries of the questions that the next calls are about. */
extern void kge_scorer_prepare(KgeScorer *scorer, const Question *questions, int count);

/* phi of an entity as answer of a question, in single precision. */
extern float kge_scorer_score(const KgeScorer *scorer, int question, int32_t entity);

typedef void (*KgeScorerVisit) (void *argument, int question, int32_t entity, float score);

/*
 * Visits the entities of a tile, from `first` on, whose score is above least[question], by ascending number for each
 * question; the visit may raise least.  Returns the first entity after the tile.
 */
extern int32_t kge_scorer_search(KgeScorer *scorer, int32_t first, const float *least, KgeScorerVisit visit,
								 void *argument);

/* ---- top_many.c: the best candidates of many questions ------------------------ */

typedef struct KgeTopMany KgeTopMany;

/* Bytes that kge_top_many will take from its arena. */
extern size_t kge_top_many_bytes(const KgeModel *model, const KgeSketch *sketch, const KgeAdjustment *adjustment,
								 int threads);

/*
 * What searches with.  `adjustment` may be NULL.  `listed`: only what the adjustment lists is a candidate, and phi is
 * 0.  sketch: that of `model`, or NULL, which takes longer.  NULL when the arena is empty.
 */
extern KgeTopMany *kge_top_many(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch,
								const KgeAdjustment *adjustment, bool listed);

/*
 * Of each question the k candidates of highest score, as kge_top has them: in answers[i * k ...], best first, and how
 * many they are in found[i].  k is at most the number of entities.
 */
extern void kge_top_many_ask(KgeTopMany *search, KgeTopQuestions questions, int64_t k, KgeAnswer *answers,
							 int64_t *found);

/* From the next questions on, with another adjustment; no NULL for one, nor one for NULL. */
extern void kge_top_many_adjust(KgeTopMany *search, const KgeAdjustment *adjustment);

/* ---- chosen.c: some entities as candidates ---------------------------------------- */

/*
 * A model whose entities are chosen ones of another model, so that searches pass over these alone.  All entities follow
 * them as added ones: they are given, and scored one by one.
 */
typedef struct KgeChosen
{
	KgeModel	model;
	const KgeAdjustment *adjustment;	/* of its rows; NULL where there is none */
	int32_t		count;			/* of those that are chosen: rows 0 .. count - 1 */
	int32_t    *entity;			/* by row: that of the other model */
	int32_t    *row;			/* by entity: that of the chosen one; -1: it is not chosen */
} KgeChosen;

/* Bytes that kge_chosen will take from its arena; threads: those of the pool that searches. */
extern size_t kge_chosen_bytes(const KgeModel *model, const KgeAdjustment *adjustment, int32_t count, int threads);

/*
 * chosen: rows of `model`, ascending.  The model has no added entities; it and the adjustment, which may be NULL, last
 * as long.  NULL when the arena is empty.
 */
extern KgeChosen *kge_chosen(Arena *arena, Pool *pool, const KgeModel *model, const KgeAdjustment *adjustment,
							 const int32_t *chosen, int32_t count);

/* The row of an entity that is given. */
static inline int32_t
kge_chosen_given(const KgeChosen *chosen, int32_t entity)
{
	return chosen->count + entity;
}

/* ---- top_triples.c --------------------------------------------------------- */

typedef struct KgeScored
{
	Triple		triple;
	Side		side;			/* of the answer */
	double		score;			/* with the adjustment's scale and addition */
	double		phi;
	double		addition;
	double		probability;
} KgeScored;

/* A question, and its known answers, which are no candidates: known[first .. end - 1] of its list */
typedef struct KgeQuestionAnswers
{
	int32_t		given;
	int64_t		first;
	int64_t		end;
} KgeQuestionAnswers;

/* Questions for the same side and with the same relation */
typedef struct KgeAsked
{
	Side		side;			/* of the answers */
	int32_t		relation;
	bool		reflexive;		/* the given entity is a candidate */
	const KgeQuestionAnswers *question;
	int64_t		count;
	const int32_t *known;		/* ascending for each question */
	const int32_t *likely;		/* entities that answer many questions, each once, or none: they make it faster */
	int64_t		likely_count;
	const int32_t *entity;		/* that each row of the model is; NULL: the row itself */
} KgeAsked;

/*
 * judge: sets the probabilities of the best answers of a question: they come best first, `least` at least if there are.
 * needed: the score that a question's best answer has at least where some answer has that probability or more, if its
 * `least`-th best score is `last` or more; minus infinity where this does not bound it.  May be NULL.
 * look: is called before questions are judged for the first time, with their numbers in the list.  May be NULL.
 * promise: the probability of the best of some answers, which come best first, with the scores of a quick adjustment.  May
 * be NULL where none is quick.
 * settle: replaces the probabilities of some answers of one side, at most KGE_SETTLED, by what counts, which is no higher.
 * May be NULL.
 */
typedef struct KgeJudge
{
	void		(*judge) (void *argument, const KgeAsked *asked, const KgeQuestionAnswers *question,
						  KgeScored *answers, int64_t count);
	double		(*needed) (void *argument, const KgeAsked *asked, const KgeQuestionAnswers *question, double probability,
						   double last);
	void	   *argument;
	int64_t		least;
	void		(*look) (void *argument, const KgeAsked *asked, const int64_t *number, int64_t count);
	double		(*promise) (void *argument, const KgeAsked *asked, const KgeQuestionAnswers *question,
							const KgeScored *answers, int64_t count);
	void		(*settle) (void *argument, KgeScored *answers, int64_t count);
} KgeJudge;

#define KGE_SETTLED 1024

/* How many triples, of how many questions in all, at most */
typedef struct KgeWanted
{
	int64_t		k;
	int64_t		questions;
	bool		listed;			/* only what the adjustment lists is an answer */
	double		probability;	/* what is less probable may be left out */
	int32_t		heads;			/* 0, or one answer for each of so many heads */
	int64_t		offered;		/* triples that are offered beside the answers, at most */
	bool		exact;			/* also where the adjustment takes long, see top_triples.c */
} KgeWanted;

typedef struct KgeCompletion KgeCompletion;

/* Bytes that kge_completion will take from its arena. */
extern size_t kge_completion_bytes(Pool *pool, const KgeModel *model, const KgeSketch *sketch,
								   const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted);

/*
 * Finds the k most probable answers of questions that are no known ones: lists of questions are asked one after
 * another, then the outcome is taken.  Of one question at most max(k, least) answers are judged, but where `settle` is
 * set as many as may be kept; probabilities have to rise with the score.  sketch and adjustment: as of kge_top_many.
 * NULL when the arena is empty.
 */
extern KgeCompletion *kge_completion(Arena *arena, Pool *pool, const KgeModel *model, const KgeSketch *sketch,
									 const KgeAdjustment *adjustment, KgeJudge judge, KgeWanted wanted);
extern void kge_completion_ask(KgeCompletion *completion, const KgeAsked *asked);

/* Adds triples that another completion found; their rows are those of its outcome. */
extern void kge_completion_offer(KgeCompletion *completion, const KgeScored *scored, int64_t count);

/*
 * Most probable first, each triple once; ties go to the higher score, then to the lower relation, head, tail.  Returns
 * how many.
 */
extern int64_t kge_completion_end(KgeCompletion *completion, const KgeScored **best);

/* How many questions were asked: not those that were left out because they could have no answer, or promised none. */
extern int64_t kge_completion_asked(const KgeCompletion *completion);

/*
 * The outcome of several completions that asked parts of the questions with the same k and heads: of what they found,
 * the same as one that asked all.  Of `wanted`, questions are 0, and `offered` is the count.  0 when the arena is empty.
 */
extern size_t kge_merge_bytes(KgeWanted wanted);
extern int64_t kge_merge(Arena *arena, Pool *pool, KgeWanted wanted, const KgeScored *scored, int64_t count,
						 const KgeScored **best);

/* ---- best_threshold.c -------------------------------------------------------- */

typedef struct KgeLabelled
{
	double		score;			/* finite */
	bool		truth;
} KgeLabelled;

/*
 * The threshold for which most of them are right: what scores as much or more is taken for
 * true.  `right`: how many are.  The highest score comes first.
 */
extern double kge_threshold(const KgeLabelled *labelled, int64_t count, int64_t *right);

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

#endif							/* HKG_KGE_KGE_H */
