/*
 * score_function.c
 *		The table of score functions, and what they share.
 */
#include <math.h>

#include "score_function.h"
#include "core/names.h"
#include "core/pool.h"
#include "core/random.h"

#define AT_ONCE 65536			/* numbers of an item */

static const NameTable functions =
NAME_TABLE(&kge_score_transe, &kge_score_distmult, &kge_score_complex, &kge_score_rotate, &kge_score_rescal,
		   &kge_score_conve);

const KgeScoreFunction *
kge_score_function(const char *name)
{
	return name_find(&functions, name);
}

const char *
kge_score_function_name(int i)
{
	return name_at(&functions, i);
}

int
kge_entity_width(const KgeScoreFunction *function, int dimensions)
{
	return kge_model_width(&(KgeModel) {.function = function,.dimensions = dimensions});
}

int
kge_relation_width(const KgeScoreFunction *function, int dimensions)
{
	return dimensions * (function->relation_parts > 0 ? function->relation_parts : dimensions);
}

bool
kge_fits(const KgeScoreFunction *function, int dimensions)
{
	return function->fits == NULL || function->fits(dimensions);
}

bool
kge_has_network(const KgeScoreFunction *function)
{
	return kge_is_network(&(KgeModel) {.function = function});
}

bool
kge_is_distance(const KgeScoreFunction *function)
{
	return function->similarity[0] != KGE_DOT;
}

size_t
kge_entity_count(const KgeModel *model)
{
	return (size_t) model->entities * (size_t) kge_model_width(model);
}

size_t
kge_relation_count(const KgeModel *model)
{
	return (size_t) kge_relation_rows(model) * (size_t) kge_relation_width(model->function, model->dimensions);
}

int32_t
kge_relation_rows(const KgeModel *model)
{
	return (model->reciprocal ? 2 * model->relations : model->relations) + kge_shared_rows(model);
}

int32_t
kge_shared_rows(const KgeModel *model)
{
	return kge_is_network(model) ? model->function->shared_rows(model->dimensions) : 0;
}

Triple
kge_asked(const KgeModel *model, Triple triple, Side side)
{
	if (model->reciprocal && side == SIDE_HEAD)
		return (Triple) {triple.tail, model->relations + triple.relation, triple.head};
	return triple;
}

KgeQuery
kge_query(const KgeModel *model, Triple triple, Side side)
{
	Triple		asked = kge_asked(model, triple, side);

	if (side == SIDE_HEAD && !model->reciprocal)
		return (KgeQuery) {SIDE_HEAD, asked.relation, asked.tail};
	return (KgeQuery) {SIDE_TAIL, asked.relation, asked.head};
}

void
kge_make_queries(const KgeModel *model, const KgeQuery *asked, int count, float *vector, int stride)
{
	if (kge_is_network(model))
		model->function->queries(model, asked, count, vector, stride);
	else
		for (int i = 0; i < count; i++)
			kge_make_query(model, asked[i], vector + (size_t) i * (size_t) stride);
}

double
kge_query_score(const KgeModel *model, const float *query, const float *candidate)
{
	double		sum = 0;

	for (int j = 0; j < kge_model_width(model); j++)
		sum += (double) query[j] * candidate[j];
	return sum;
}

double
kge_sigmoid(double score)
{
	double		e = exp(-fabs(score));

	return (score < 0 ? e : 1) / (1 + e);
}

/*
 * The code of Sun et al. 2019 starts uniform in +-(gamma + 2)/d, which makes
 * first distances about gamma under norm 1; this is its like for norm 2.
 */
double
kge_distance_limit(const KgeModel *model)
{
	return (model->gamma + 2) /
		(model->norm == 1 ? model->dimensions : sqrt(kge_model_width(model)));
}

/* ---- initial values ------------------------------------------------------ */

typedef struct Filling
{
	float	   *values;
	size_t		count;
	bool		normal;
	double		extent;			/* deviation or limit */
	uint64_t	stream;
	size_t		first;			/* the draw of the first number */
} Filling;

/* Uniform in -limit .. limit. */
static float
draw_uniform(uint64_t bits, double limit)
{
	return (float) ((2 * random_open(bits) - 1) * limit);
}

/*
 * Normal of mean 0, as near as the sum of four uniform draws of 16 bits comes
 * (variance 4/12): good enough to start from, and without a logarithm.
 */
static float
draw_normal(uint64_t bits, double deviation)
{
	int			sum = (int) ((bits & 0xffff) + (bits >> 16 & 0xffff) +
							 (bits >> 32 & 0xffff) + (bits >> 48));

	return (float) ((sum - 2 * 65535) * (deviation * sqrt(3.0) / 65536));
}

/* Item: some numbers. */
static void
fill_numbers(void *argument, int64_t item, int thread)
{
	const Filling *filling = argument;
	size_t		from = (size_t) item * AT_ONCE;
	size_t		end = filling->count - from < AT_ONCE ? filling->count : from + AT_ONCE;

	for (size_t i = from; i < end; i++)
	{
		uint64_t	bits = random_bits(filling->stream, filling->first + i);

		filling->values[i] = filling->normal ? draw_normal(bits, filling->extent) :
			draw_uniform(bits, filling->extent);
	}
}

static void
fill(Pool *pool, Filling filling)
{
	pool_run(pool, pool_pieces((int64_t) filling.count, AT_ONCE), fill_numbers, &filling);
}

void
kge_initial_entities(const KgeModel *model, Pool *pool, uint64_t seed, int32_t from, int32_t count, float *entity)
{
	KgeInitial	initial = model->function->initial(model);
	size_t		width = (size_t) kge_model_width(model);

	fill(pool, (Filling) {
		entity, (size_t) count * width, initial.normal, initial.entity,
		random_stream(seed, DRAW_ENTITY, 0, 0), (size_t) from * width
	});
}

void
kge_initial_relations(KgeModel *model, Pool *pool, uint64_t seed)
{
	KgeInitial	initial = model->function->initial(model);

	fill(pool, (Filling) {
		model->relation, kge_relation_count(model), initial.normal, initial.relation,
		random_stream(seed, DRAW_RELATION, 0, 0), 0
	});
	if (kge_is_network(model))
		model->function->start(model, pool, seed);
}

void
kge_model_initialise(KgeModel *model, Pool *pool, uint64_t seed)
{
	kge_initial_entities(model, pool, seed, 0, model->entities, model->entity);
	kge_initial_relations(model, pool, seed);
}
