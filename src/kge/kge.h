/*
 * kge.h
 *		Knowledge graph embeddings as arrays: models and their scores.  learning.h has training, rank.h ranking, top.h the
 *		best candidates.
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
								 * out of training, of ranks and of passes for many questions */
	float	  **added_row;		/* of each */
	const AnswerSet *answers;	/* by 2 * relation + side: which entities are candidates; NULL: all are */
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
 * The triple whose score answers for `triple` when that side of it is asked for: (h, r, t)
 * itself, or (t, inverse of r, h) for a head under reciprocal relations (Lacroix et al. 2018).
 */
extern Triple kge_asked(const KgeModel *model, Triple triple, Side side);

/* sigma(score), without overflow. */
extern double kge_sigmoid(double score);

/* ---- new_entities.c: entities that are new to a trained model ----------------- */

/* The caller's arrays.  New are rows of `entity` that are marked, or all that are added. */
typedef struct KgeNewEntities
{
	bool	   *entity;			/* by row: whether it is new; NULL: the added ones are */
	bool	   *relation;		/* by row; NULL: none is */
	int32_t    *neighbours;		/* of each row, or of each that is added: trained ones so far, 0 first */
	float	   *query;			/* room for an entity's row */
} KgeNewEntities;

/*
 * Rows of new entities become the mean of their trained neighbours' queries; one without such neighbours
 * keeps its row.  First all facts, in one call or in several, then the placing, which the leader of the pool does.
 */
extern void kge_new_entities_gather(const KgeModel *model, KgeNewEntities *new_entities,
									const Triple *facts, int64_t count);
extern void kge_new_entities_place(Pool *pool, const KgeModel *model, const KgeNewEntities *new_entities);

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

/* ---- exact_score.c: exact scores, of one triple and of many -------------------- */

/*
 * phi(triple), from the definition in double precision: what every faster path
 * is measured against.
 */
extern double kge_score(const KgeModel *model, Triple triple);

/*
 * Scores of many triples: what a score takes from its relation alone, such as the cosines and sines of angles, or from
 * head and relation where a query and the tail make it, is computed once, which is nearly all of the work of a score.
 * The outcome has the same bits.
 */
typedef struct KgeExactScore
{
	const KgeModel *model;
	int32_t		relation;		/* of the triple before; -1: there was none */
	double	   *prepared;		/* room for kge_exact_numbers(model) */
	int32_t		head;			/* likewise, where it takes part */
	bool		ready;			/* whether these were prepared */
} KgeExactScore;

extern size_t kge_exact_numbers(const KgeModel *model);

/* One for a thread, with its room */
extern KgeExactScore kge_exact_score_take(const KgeModel *model, Allocation *allocation);

/*
 * kge_score(kge_asked(model, triple, side)), with denormals; fastest where triples of one relation, and head, follow
 * each other.
 */
extern double kge_exact_score(KgeExactScore *exact, Triple triple, Side side);

/* ---- score_triples.c: fast scores of many triples ----------------------------- */

/*
 * phi of each triple, in single precision through the block kernels; fastest when
 * triples of one (relation, head) follow each other.
 */
extern bool kge_score_triples(Arena *arena, Pool *pool, const KgeModel *model,
							  const Triple *triples, int64_t count, float *scores);

/* ---- adjusted_score.c: what is added to scores --------------------------------- */

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
	int64_t		(*list) (void *argument, const Question *question, Pool *pool, int thread,
						const KgeAddition **additions);
	void	   *argument;
	const double *weight;		/* >= 0, by 2 * relation + side; NULL: all 1 */
	const double *scale;		/* > 0, likewise: makes scores of all questions comparable */
	const struct KgeAdjustment *quick;	/* of one that takes long: one that does not, but adds less; else NULL */
	double		(*more) (void *argument, Side side, int32_t relation);	/* with quick: what scores are above its, at most */
} KgeAdjustment;

/* The score of a candidate; phi where the adjustment is NULL. */
extern double kge_adjusted_score(const KgeAdjustment *adjustment, int32_t relation, Side side, double phi,
								 double addition);

/* What the addition adds to it; the embedding's share is the score without addition. */
extern double kge_adjusted_share(const KgeAdjustment *adjustment, int32_t relation, Side side, double addition);

/* The phi with which a candidate without addition has that score. */
extern double kge_adjusted_phi(const KgeAdjustment *adjustment, int32_t relation, Side side, double score);

extern double kge_adjustment_weight(const KgeAdjustment *adjustment, int32_t relation, Side side);

#endif							/* HKG_KGE_KGE_H */
