/*
 * hybrid.c
 *		The table of methods by which rules take part in learning embeddings (see hybrid.h).
 */
#include "hybrid.h"

#include "core/names.h"

double
hybrid_most(double worth, double more)
{
	return Max(worth, more);
}

static void
rate_quality(const RuleRating *rating, double *worth)
{
	for (int64 i = 0; i < rating->rules->count; i++)
		worth[i] = rating->rules->rule[i].quality;
}

/* The procedure of doc/method.md: inferred triples are positives like facts, of less weight. */
static const Hybrid sampled = {
	.name = "sampled",
	.rate = rate_quality,
	.join = hybrid_most
};

static const Hybrid none = {
	.name = "none"
};

static const NameTable hybrids = NAME_TABLE(&sampled, &none, &hybrid_ruge, &hybrid_itere);

const char *
hybrid_name(int i)
{
	return name_at(&hybrids, i);
}

const Hybrid *
hybrid_find(const char *name)
{
	return name_find(&hybrids, name);
}

const KgeLabelling *
hybrid_labelling(const Hybrid *hybrid)
{
	return kge_labelling(hybrid->name);
}
