/*
 * score.c
 *		The table of score functions, and what they share.
 */
#include <math.h>
#include <string.h>

#include "random.h"
#include "score.h"

static const KgeScoreFunction *const functions[] = {
	&kge_score_transe,
	&kge_score_distmult,
	&kge_score_complex,
	&kge_score_rotate,
	&kge_score_rescal,
	NULL
};

const KgeScoreFunction *
kge_score_function(const char *name)
{
	for (int i = 0; functions[i] != NULL; i++)
		if (strcmp(functions[i]->name, name) == 0)
			return functions[i];
	return NULL;
}

const char *
kge_score_function_name(int i)
{
	int			count = (int) (sizeof(functions) / sizeof(functions[0])) - 1;

	return i >= 0 && i < count ? functions[i]->name : NULL;
}

int
kge_entity_width(const KgeScoreFunction *function, int dimensions)
{
	return function->parts * dimensions;
}

int
kge_relation_width(const KgeScoreFunction *function, int dimensions)
{
	return function->relation_width(dimensions);
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
	return (size_t) kge_relation_rows(model) *
		(size_t) model->function->relation_width(model->dimensions);
}

int32_t
kge_relation_rows(const KgeModel *model)
{
	return model->reciprocal ? 2 * model->relations : model->relations;
}

KgeTriple
kge_asked(const KgeModel *model, KgeTriple triple, KgeSide side)
{
	if (model->reciprocal && side == KGE_HEAD)
		return (KgeTriple) {triple.tail, model->relations + triple.relation, triple.head};
	return triple;
}

KgeQuery
kge_query(const KgeModel *model, KgeTriple triple, KgeSide side)
{
	KgeTriple	asked = kge_asked(model, triple, side);

	if (side == KGE_HEAD && !model->reciprocal)
		return (KgeQuery) {KGE_HEAD, asked.relation, asked.tail};
	return (KgeQuery) {KGE_TAIL, asked.relation, asked.head};
}

void
kge_model_initialise(KgeModel *model, uint64_t seed)
{
	model->function->initialise(model, seed);
}

double
kge_score(const KgeModel *model, KgeTriple triple)
{
	return model->function->score(model, kge_entity_row(model, triple.head),
								  kge_relation_row(model, triple.relation),
								  kge_entity_row(model, triple.tail));
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

/* Uniform in -limit .. limit. */
void
kge_fill_uniform(float *values, size_t count, double limit, uint64_t seed, uint64_t purpose)
{
	uint64_t	stream = kge_stream(seed, purpose, 0, 0);

	for (size_t i = 0; i < count; i++)
		values[i] = (float) ((2 * kge_random_open(kge_random(stream, i)) - 1) * limit);
}

/*
 * Normal of mean 0, as near as the sum of four uniform draws of 16 bits comes
 * (variance 4/12): good enough to start from, and without a logarithm.
 */
void
kge_fill_normal(float *values, size_t count, double deviation, uint64_t seed, uint64_t purpose)
{
	uint64_t	stream = kge_stream(seed, purpose, 0, 0);
	double		scale = deviation * sqrt(3.0) / 65536;

	for (size_t i = 0; i < count; i++)
	{
		uint64_t	bits = kge_random(stream, i);
		int			sum = (int) ((bits & 0xffff) + (bits >> 16 & 0xffff) +
								 (bits >> 32 & 0xffff) + (bits >> 48));

		values[i] = (float) ((sum - 2 * 65535) * scale);
	}
}
