/*
 * axioms.c
 *		Rules whose form is that of an axiom between relations (see axioms.h).
 */
#include "axioms.h"

static int32
relation_row(const GraphData *data, int32 id)
{
	return graph_row(data->relation_id, data->relations, id);
}

static bool
is_atom(const Atom *atom, Term first, Term second)
{
	return atom->first == first && atom->second == second;
}

/* The atom of a canonical body between these variables, or NULL */
static const Atom *
find_atom(const Rule *rule, Term first, Term second)
{
	for (int i = 0; i < rule->length; i++)
		if (is_atom(&rule->body[i], first, second))
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
