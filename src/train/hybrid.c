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

/* ---- rules as axioms ------------------------------------------------------------- */

static int32
relation_row(const GraphData *data, int32 id)
{
	return graph_row(data->relation_id, data->relations, id);
}

/* The atom of a canonical body between these variables, or NULL */
static const Atom *
find_atom(const Rule *rule, Term first, Term second)
{
	for (int i = 0; i < rule->length; i++)
		if (rule->body[i].first == first && rule->body[i].second == second)
			return &rule->body[i];
	return NULL;
}

bool
axiom_of(const Rule *rule, const GraphData *data, KgeAxiom *axiom)
{
	const Atom *forward = find_atom(rule, TERM_X, rule->length == 1 ? TERM_Y : TERM_A);
	const Atom *second = find_atom(rule, TERM_A, TERM_Y);
	const Atom *backward = find_atom(rule, TERM_Y, TERM_X);
	const Atom *first = forward != NULL ? forward : backward;
	bool		is_axiom = rule->length == 1 ? first != NULL : rule->length == 2 && forward != NULL && second != NULL;

	if (!is_axiom)
		return false;
	axiom->kind = rule->length == 2 ? KGE_AXIOM_CHAIN : forward != NULL ? KGE_AXIOM_SUB : KGE_AXIOM_INVERSE;
	axiom->head = relation_row(data, rule->head);
	axiom->body[0] = relation_row(data, first->relation);
	axiom->body[1] = rule->length == 2 ? relation_row(data, second->relation) : 0;
	return true;
}
