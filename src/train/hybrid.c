/*
 * hybrid.c
 *		The table of methods by which rules take part in learning embeddings (see hybrid.h).
 */
#include "hybrid.h"

#include "core/names.h"

double
hybrid_most(const double *worth, const int32 *rule, int64 rules)
{
	double		most = worth[rule[0]];

	for (int64 i = 1; i < rules; i++)
		most = Max(most, worth[rule[i]]);
	return most;
}

static void
worth_by_quality(const HybridRules *rules, double *worth)
{
	for (int64 i = 0; i < rules->mined->count; i++)
		worth[i] = rules->mined->rule[i].quality;
}

/* The procedure of doc/method.md: inferred triples are positives like facts, of less weight. */
static const Hybrid sampled = {
	.name = "sampled",
	.find_worth = worth_by_quality,
	.combine = hybrid_most
};

static const Hybrid none = {
	.name = "none"
};

static const NameTable hybrids =
NAME_TABLE(&sampled, &none,
		   &hybrid_ruge, &hybrid_itere, &hybrid_plogicnet	/* compared */
);

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

bool
hybrid_infers(const Hybrid *hybrid)
{
	return hybrid->find_worth != NULL;
}

const KgeLabelling *
hybrid_labelling(const Hybrid *hybrid)
{
	return kge_labelling(hybrid->name);
}
