/*
 * hybrid.c
 *		The table of methods by which rules take part in learning embeddings (see hybrid.h).
 */
#include "hybrid.h"

#include "core/names.h"

/* The procedure of doc/method.md: inferred triples are positives like facts, weighted by the quality of their rules. */
static const Hybrid sampled = {
	.name = "sampled",
	.infers = true
};

static const Hybrid none = {
	.name = "none"
};

static const NameTable hybrids = NAME_TABLE(&sampled, &none);

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
