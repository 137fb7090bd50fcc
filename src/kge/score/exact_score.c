/*
 * exact_score.c
 *		kge_score of many triples of one relation (see kge.h).
 */
#include "score_function.h"

size_t
kge_exact_numbers(const KgeModel *model)
{
	if (kge_is_network(model))
		return (size_t) kge_model_width(model);
	return (size_t) model->function->prepared_parts * (size_t) model->dimensions;
}

KgeExactScore
kge_exact_score_take(const KgeModel *model, Allocation *allocation)
{
	return (KgeExactScore) {model, -1, TAKE(allocation, double, kge_exact_numbers(model)), -1};
}

static double
score(KgeExactScore *exact, Triple triple)
{
	const KgeModel *model = exact->model;
	const KgeScoreFunction *function = model->function;

	/* what is prepared of a network is a query: the score is defined by its numbers in single precision */
	if (kge_is_network(model))
	{
		float	   *query = (float *) exact->prepared;

		if (exact->relation != triple.relation || exact->head != triple.head)
			kge_make_query(model, (KgeQuery) {SIDE_TAIL, triple.relation, triple.head}, query);
		exact->relation = triple.relation;
		exact->head = triple.head;
		return kge_query_score(model, query, kge_entity_row(model, triple.tail));
	}
	if (function->prepare == NULL)
		return kge_score(model, triple);
	if (exact->relation != triple.relation)
		function->prepare(model->dimensions, kge_relation_row(model, triple.relation), exact->prepared);
	exact->relation = triple.relation;
	return function->score_prepared(model, kge_entity_row(model, triple.head), exact->prepared,
									kge_entity_row(model, triple.tail));
}

double
kge_exact_query_score(const KgeModel *model, const float *query, int32_t candidate)
{
	bool		flushed = flush_denormals(false);
	double		phi = kge_query_score(model, query, kge_entity_row(model, candidate));

	flush_denormals(flushed);
	return phi;
}

double
kge_exact_score(KgeExactScore *exact, Triple triple, Side side)
{
	bool		flushed = flush_denormals(false);
	double		phi = score(exact, kge_asked(exact->model, triple, side));

	flush_denormals(flushed);
	return phi;
}
