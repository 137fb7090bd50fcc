/*
 * hybrid.c
 *		The table of methods by which rules take part in learning embeddings (see hybrid.h).
 */
#include "hybrid.h"

#include "core/names.h"

/* The highest quality */
static double
add_quality(double worth, const MinedRule *rule)
{
	return Max(worth, rule->quality);
}

/* The procedure of doc/method.md: inferred triples are positives like facts, of less weight. */
static const Hybrid sampled = {
	.name = "sampled",
	.infers = true,
	.add = add_quality
};

static const Hybrid none = {
	.name = "none"
};

static const NameTable hybrids = NAME_TABLE(&sampled, &none, &hybrid_ruge);

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
