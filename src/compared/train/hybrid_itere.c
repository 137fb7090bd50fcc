/*
 * hybrid_itere.c
 *		Rules that are axioms between relations, by the embeddings of these (Zhang et al. 2019; itere.c has the distance).
 *
 * The pool of axioms are the mined rules of an axiom's form.  Of those of one kind the nearest one scores 1, the farthest
 * 0.  An axiom of a low score takes no part: its score as a label would teach that what it infers is false.  A triple is
 * worth the highest score of its axioms, which is its label.  Only triples with a sparse entity are learnt: other entities
 * have facts enough.
 */
#include "train/hybrid.h"

#include <math.h>

#include "miscadmin.h"

#include "compared/kge/compared.h"
#include "server/growing_array.h"

/* sparsity that an entity must exceed (1 less how its frequency stands between the least and the highest), that of Zhang et al. 2019 */
#define LEAST_SPARSITY 0.995

/* score that an axiom must exceed, that of their program */
#define LEAST_SCORE 0.95

/* Kinds whose distances are compared: those of KgeAxiomKind, and two of one relation alone */
enum
{
	SYMMETRY = KGE_AXIOM_CHAIN + 1,
	TRANSITIVITY,
	KINDS,
	NO_AXIOM = KINDS
};

/* Returns the kind of axiom that a rule is, or NO_AXIOM. */
static int
kind_of(const Rule *rule, const GraphData *data, KgeAxiom *axiom)
{
	if (!axiom_of(rule, data, axiom))
		return NO_AXIOM;
	if (axiom->kind == KGE_AXIOM_INVERSE && axiom->body[0] == axiom->head)
		return SYMMETRY;
	if (axiom->kind == KGE_AXIOM_CHAIN && axiom->body[0] == axiom->head && axiom->body[1] == axiom->head)
		return TRANSITIVITY;
	return axiom->kind;
}

/* Distances, then scores in their place */
static void
worth_by_distance(const HybridRules *rules, double *worth)
{
	int		   *kind = array_new(int, rules->mined->count);
	double		nearest[KINDS + 1],
				farthest[KINDS + 1] = {0};

	for (int k = 0; k <= KINDS; k++)
		nearest[k] = INFINITY;
	for (int64 i = 0; i < rules->mined->count; i++)
	{
		KgeAxiom	axiom;

		CHECK_FOR_INTERRUPTS();
		kind[i] = kind_of(&rules->mined->rule[i].rule, rules->data, &axiom);
		if (kind[i] == NO_AXIOM)
			continue;
		worth[i] = kge_axiom_distance(rules->kge, axiom);
		nearest[kind[i]] = Min(nearest[kind[i]], worth[i]);
		farthest[kind[i]] = Max(farthest[kind[i]], worth[i]);
	}
	for (int64 i = 0; i < rules->mined->count; i++)
	{
		int			k = kind[i];

		if (k != NO_AXIOM)
			worth[i] = farthest[k] > nearest[k] ? (farthest[k] - worth[i]) / (farthest[k] - nearest[k]) : 1;
		if (k == NO_AXIOM || !(worth[i] > LEAST_SCORE))
			worth[i] = NO_PART;
	}
	pfree(kind);
}

static bool *
sparse_entities(const GraphData *data)
{
	int64	   *frequency = array_new(int64, data->entities);
	bool	   *sparse = array_new(bool, data->entities);
	int64		least = PG_INT64_MAX;
	int64		most = 0;

	memset(frequency, 0, data->entities * sizeof(int64));
	for (int64 i = 0; i < data->facts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		frequency[data->fact[i].head]++;
		frequency[data->fact[i].tail]++;
	}
	for (int32 i = 0; i < data->entities; i++)
	{
		least = Min(least, frequency[i]);
		most = Max(most, frequency[i]);
	}
	for (int32 i = 0; i < data->entities; i++)
		sparse[i] = most > least && 1 - (double) (frequency[i] - least) / (double) (most - least) > LEAST_SPARSITY;
	pfree(frequency);
	return sparse;
}

const Hybrid hybrid_itere = {
	.name = "itere",
	.goes_with = kge_has_axioms,
	.evenly = true,
	.find_worth = worth_by_distance,
	.combine = hybrid_most,
	.entities = sparse_entities
};
