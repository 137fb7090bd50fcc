/*
 * score_function.h
 *		What a score function is: one file score_*.c, one row in score_function.c.
 *
 * phi(h, r, t) = similarity(query(h, r), t) = similarity(query'(t, r), h).  The
 * entity that the query is made of is called `given` on either side.
 */
#ifndef HKG_KGE_SCORE_FUNCTION_H
#define HKG_KGE_SCORE_FUNCTION_H

#include <assert.h>

#include "kge/kge.h"

/* How a query and a candidate, two vectors of an entity's width, compare. */
typedef enum KgeSimilarity
{
	KGE_DOT,					/* sum q c; but for a network, phi is then linear in head, relation and tail, as
								 * relation_weight, dura and new entities need it */
	KGE_L1,						/* gamma - sum |q - c| */
	KGE_L2,						/* gamma - sqrt(sum (q - c)^2) */
	KGE_MODULI					/* gamma - sum of moduli of complex q - c */
} KgeSimilarity;

/* Normal draws of a deviation each for entities and relations, or uniform ones up to a limit. */
typedef struct KgeInitial
{
	bool		normal;
	double		entity;
	double		relation;
} KgeInitial;

/* What a query is made of: rows of a model. */
typedef struct KgeQuery
{
	Side		side;			/* asked for */
	int32_t		relation;
	int32_t		given;
} KgeQuery;

struct KgeScoreFunction
{
	const char *name;
	KgeSimilarity similarity[2];	/* under norm 1, under norm 2 */
	int			parts;			/* floats of an entity for each dimension */
	int			more;			/* and behind them: its bias */
	int			relation_parts; /* likewise of a relation; 0: it is a d x d matrix */
	bool		is_complex;		/* 2 parts are real parts, then imaginary ones: N3 takes the modulus of each number */
	bool		angles;			/* relations are angles, not regularized */

	/* What initial values are drawn from. */
	KgeInitial	(*initial) (const KgeModel *model);

	/* query = q(given, relation); side is the one that is asked for. */
	void		(*query) (int d, Side side, const float *given,
						  const float *relation, float *query);

	/* Add to d_given and d_relation what d_query amounts to. */
	void		(*given_gradient) (int d, Side side, const float *relation,
								   const float *d_query, float *d_given);
	void		(*relation_gradient) (int d, Side side, const float *given,
									  const float *relation, const float *d_query,
									  float *d_relation);

	/*
	 * Where much of that is made of the relation alone, such as cosines of angles: a turn, `turn_parts` numbers for each
	 * dimension, once for many queries.  By it come queries and both gradients to the same bits; the relation's, which is
	 * set, by the query.  NULL: it is not.
	 */
	int			turn_parts;
	void		(*turn) (int d, const float *relation, float *turn);
	void		(*turned_query) (int d, Side side, const float *given, const float *turn, float *query);
	void		(*turned_given_gradient) (int d, Side side, const float *turn, const float *d_query, float *d_given);
	void		(*turned_relation_gradient) (int d, Side side, const float *query, const float *d_query,
											 float *d_relation);

	/*
	 * phi in double precision, from the definition: of a query and a tail that compare by a dot product, `count` numbers
	 * of the query, from one of a part on; else all of it.
	 */
	void		(*exact_query) (int d, int part, int from, int count, const float *head,
								const float *relation, double *query);
	double		(*score) (const KgeModel *model, const float *head,
						  const float *relation, const float *tail);

	/*
	 * The same to the bit in two steps, where the relation's part of it is slow (KgeExactScore): `prepared_parts` numbers
	 * for each dimension; NULL: it is not.
	 */
	int			prepared_parts;
	void		(*prepare) (int d, const float *relation, double *prepared);
	double		(*score_prepared) (const KgeModel *model, const float *head,
								   const double *prepared, const float *tail);

	/*
	 * Where weights that all queries share make them (conve.h), instead of query and its gradients: the rows of these
	 * weights, behind those of relations and as wide; their initial values; and queries of tails, `stride` floats from
	 * one to the next, whose bits are the same alone and among others.  score is kge_query_score of such a query.
	 */
	int32_t		(*shared_rows) (int d);
	void		(*start) (KgeModel *model, Pool *pool, uint64_t seed);
	void		(*queries) (const KgeModel *model, const KgeQuery *asked, int count, float *vector, int stride);

	/* Whether it can have that many dimensions; NULL: any number. */
	bool		(*fits) (int d);
};

extern const KgeScoreFunction kge_score_transe;
extern const KgeScoreFunction kge_score_distmult;
extern const KgeScoreFunction kge_score_complex;
extern const KgeScoreFunction kge_score_rotate;
extern const KgeScoreFunction kge_score_rescal;
extern const KgeScoreFunction kge_score_conve;

/* How far initial values of a distance model go. */
extern double kge_distance_limit(const KgeModel *model);

/* Numbers in model->entity and model->relation. */
extern size_t kge_entity_count(const KgeModel *model);
extern size_t kge_relation_count(const KgeModel *model);

static inline int
kge_model_width(const KgeModel *model)
{
	return model->function->parts * model->dimensions + model->function->more;
}

static inline const float *
kge_entity_row(const KgeModel *model, int32_t row)
{
	assert(0 <= row && row < model->entities + model->added);
	if (row >= model->entities)
		return model->added_row[row - model->entities];
	return model->entity + (size_t) row * (size_t) kge_model_width(model);
}

static inline const float *
kge_relation_row(const KgeModel *model, int32_t row)
{
	assert(0 <= row && row < kge_relation_rows(model));
	return model->relation + (size_t) row * (size_t) kge_relation_width(model->function, model->dimensions);
}

/* ---- queries of a model ------------------------------------------------- */

/* The query that asks for that side of a triple. */
extern KgeQuery kge_query(const KgeModel *model, Triple triple, Side side);

/* Whether weights that all queries share make them: by functions of KgeScoreFunction of its own. */
static inline bool
kge_is_network(const KgeModel *model)
{
	return model->function->queries != NULL;
}

static inline void
kge_make_query(const KgeModel *model, KgeQuery query, float *vector)
{
	if (kge_is_network(model))
		model->function->queries(model, &query, 1, vector, 0);
	else
		model->function->query(model->dimensions, query.side, kge_entity_row(model, query.given),
							   kge_relation_row(model, query.relation), vector);
}

/* Several of them, which is faster where they are made by a network. */
extern void kge_make_queries(const KgeModel *model, const KgeQuery *asked, int count, float *vector, int stride);

/* kge_score of a triple of these rows, which need not be the model's */
extern double kge_row_score(const KgeModel *model, const float *head, const float *relation, const float *tail);

/* The dot product of a network's query and a candidate, in double precision. */
extern double kge_query_score(const KgeModel *model, const float *query, const float *candidate);

static inline void
kge_given_gradient(const KgeModel *model, KgeQuery query, const float *d_query, float *d_given)
{
	model->function->given_gradient(model->dimensions, query.side,
									kge_relation_row(model, query.relation), d_query, d_given);
}

static inline void
kge_relation_gradient(const KgeModel *model, KgeQuery query, const float *d_query,
					  float *d_relation)
{
	model->function->relation_gradient(model->dimensions, query.side,
									   kge_entity_row(model, query.given),
									   kge_relation_row(model, query.relation), d_query,
									   d_relation);
}

/* kge_exact_score of a network whose query is there. */
extern double kge_exact_query_score(const KgeModel *model, const float *query, int32_t candidate);

#endif							/* HKG_KGE_SCORE_FUNCTION_H */
