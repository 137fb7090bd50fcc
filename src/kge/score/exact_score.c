/*
 * exact_score.c
 *		kge_score of one triple, and of many of one relation (see kge.h).
 */
#include "core/vector.h"
#include "score_function.h"

#define LANES 16				/* sums of a dot product: their order is that on any machine */
#define CHUNK 128				/* numbers of a query that are made at once */

/* sum[j % LANES] += query[j] * tail[j] */
KERNEL void
add_exact_products(int n, const double *restrict query, const float *restrict tail, double *restrict sum)
{
	int			whole = n / LANES * LANES;

	for (int start = 0; start < whole; start += LANES)
		for (int i = 0; i < LANES; i++)
			sum[i] += query[start + i] * tail[start + i];
	for (int j = whole; j < n; j++)
		sum[j % LANES] += query[j] * tail[j];
}

static double
sum_of(const double *lane)
{
	double		sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += lane[i];
	return sum;
}

double
kge_row_score(const KgeModel *model, const float *head, const float *relation, const float *tail)
{
	const KgeScoreFunction *function = model->function;
	int			d = model->dimensions;
	double		lane[LANES] = {0};
	double		query[CHUNK];

	if (function->exact_query == NULL)
		return function->score(model, head, relation, tail);
	for (int part = 0; part < function->parts; part++)
		for (int from = 0; from < d; from += CHUNK)
		{
			int			count = d - from < CHUNK ? d - from : CHUNK;

			function->exact_query(d, part, from, count, head, relation, query);
			add_exact_products(count, query, tail + (size_t) part * (size_t) d + from, lane);
		}
	return sum_of(lane);
}

double
kge_score(const KgeModel *model, Triple triple)
{
	return kge_row_score(model, kge_entity_row(model, triple.head), kge_relation_row(model, triple.relation),
						 kge_entity_row(model, triple.tail));
}

/* ---- of many triples ------------------------------------------------------------ */

size_t
kge_exact_numbers(const KgeModel *model)
{
	if (kge_is_network(model) || model->function->exact_query != NULL)
		return (size_t) kge_model_width(model);
	return (size_t) model->function->prepared_parts * (size_t) model->dimensions;
}

KgeExactScore
kge_exact_score_take(const KgeModel *model, Allocation *allocation)
{
	return (KgeExactScore) {model, -1, TAKE(allocation, double, kge_exact_numbers(model)), -1, false};
}

/* Whether the triple before had the same; what was prepared of it stays. */
static bool
is_repeated(KgeExactScore *exact, int32_t head, int32_t relation)
{
	bool		repeated = exact->relation == relation && exact->head == head;

	exact->ready = exact->ready && repeated;
	exact->relation = relation;
	exact->head = head;
	return repeated;
}

static double
score(KgeExactScore *exact, Triple triple)
{
	const KgeModel *model = exact->model;
	const KgeScoreFunction *function = model->function;
	const float *head = kge_entity_row(model, triple.head);
	const float *tail = kge_entity_row(model, triple.tail);
	int			d = model->dimensions;

	/* what is prepared of a network is a query: the score is defined by its numbers in single precision */
	if (kge_is_network(model))
	{
		float	   *query = (float *) exact->prepared;

		if (!is_repeated(exact, triple.head, triple.relation))
			kge_make_query(model, (KgeQuery) {SIDE_TAIL, triple.relation, triple.head}, query);
		return kge_query_score(model, query, tail);
	}

	/* a query in double precision is made when the same is asked for again: heads that differ would not use it */
	if (function->exact_query != NULL)
	{
		double		lane[LANES] = {0};

		if (!is_repeated(exact, triple.head, triple.relation))
			return kge_score(model, triple);
		for (int part = 0; part < function->parts && !exact->ready; part++)
			function->exact_query(d, part, 0, d, head, kge_relation_row(model, triple.relation),
								  exact->prepared + (size_t) part * (size_t) d);
		exact->ready = true;
		for (int part = 0; part < function->parts; part++)
			add_exact_products(d, exact->prepared + (size_t) part * (size_t) d, tail + (size_t) part * (size_t) d, lane);
		return sum_of(lane);
	}

	if (function->prepare == NULL)
		return kge_score(model, triple);
	if (!is_repeated(exact, -1, triple.relation))
		function->prepare(d, kge_relation_row(model, triple.relation), exact->prepared);
	return function->score_prepared(model, head, exact->prepared, tail);
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
