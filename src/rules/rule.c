/*
 * rule.c
 *		A rule as a value: its canonical form, the language, its array form (rule_text.c has its text form).
 *
 * Rules that differ only in the names of fresh variables or in the order of atoms are one rule.  Its canonical form is
 * the least of all orders of the body, with fresh variables named A, B, ... in the order of their first use.  Orders
 * are compared atom by atom, atoms by their lower term, higher term, direction and relation, and terms as X < Y < A <
 * B < ... < constants.  So the atom that contains X comes first and a rule reads from X to Y; a constant of the head
 * comes last.  A body has at most RULE_MAX_BODY atoms: 120 orders are tried at worst.
 */
#include "rule.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/sort.h"
#include "server/host.h"

/* ---- canonical form ------------------------------------------------------- */

/* X < Y < A < B < ... < constants */
static inline int64
term_rank(Term term)
{
	return TERM_IS_VARIABLE(term) ? -1 - (int64) term : (int64) term + RULE_MAX_VARIABLES;
}

static inline int
compare_int64(int64 a, int64 b)
{
	return (a > b) - (a < b);
}

static int
compare_atoms(const Atom *a, const Atom *b)
{
	int64		a_first = term_rank(a->first);
	int64		a_second = term_rank(a->second);
	int64		b_first = term_rank(b->first);
	int64		b_second = term_rank(b->second);
	int			order;

	order = compare_int64(a->relation == RULE_IS, b->relation == RULE_IS);
	if (order == 0)
		order = compare_int64(Min(a_first, a_second), Min(b_first, b_second));
	if (order == 0)
		order = compare_int64(Max(a_first, a_second), Max(b_first, b_second));
	if (order == 0)
		order = compare_int64(a_first > a_second, b_first > b_second);
	if (order == 0)
		order = compare_int64(a->relation, b->relation);
	return order;
}

int
rule_compare_bodies(const Rule *a, const Rule *b)
{
	int			order = compare_int64(a->length, b->length);

	for (int i = 0; order == 0 && i < a->length; i++)
		order = compare_atoms(&a->body[i], &b->body[i]);
	if (order == 0 && rule_atoms(a) == 0)
		order = compare_int64(a->head, b->head);
	return order;
}

int
rule_compare(const Rule *a, const Rule *b)
{
	int			order = compare_int64(a->head, b->head);

	return order != 0 ? order : rule_compare_bodies(a, b);
}

static int
compare_rules(const void *a, const void *b)
{
	return rule_compare(a, b);
}

int64
rules_distinct(Rule *rules, int64 count)
{
	int64		distinct = 0;

	sort_array(hkg_leader(), POOL_LEADER, rules, count, sizeof(Rule), compare_rules);
	for (int64 i = 0; i < count; i++)
		if (distinct == 0 || rule_compare(&rules[distinct - 1], &rules[i]) != 0)
			rules[distinct++] = rules[i];
	return distinct;
}

/* The new name of a term, given those named so far. */
static Term
rename_term(Term term, Term *names, int *named)
{
	if (!TERM_IS_VARIABLE(term) || term == TERM_X || term == TERM_Y)
		return term;
	for (int i = 0; i < *named; i++)
		if (names[i] == term)
			return TERM_A - i;
	names[(*named)++] = term;
	return TERM_A - (*named - 1);
}

/* Names fresh variables A, B, ... in the order of their first use. */
static void
rename_variables(Rule *rule)
{
	Term		names[RULE_MAX_VARIABLES];
	int			named = 0;

	for (int i = 0; i < rule->length; i++)
	{
		Atom	   *atom = &rule->body[i];

		atom->first = rename_term(atom->first, names, &named);
		atom->second = rename_term(atom->second, names, &named);
	}
}

/* Tries every order of the atoms from `fixed` on, and keeps the least in best. */
static void
try_orders(Rule *rule, int fixed, Rule *best)
{
	if (fixed == rule->length)
	{
		Rule		candidate = *rule;

		rename_variables(&candidate);
		if (rule_compare_bodies(&candidate, best) < 0)
			*best = candidate;
		return;
	}
	for (int i = fixed; i < rule->length; i++)
	{
		Atom		here = rule->body[fixed];

		rule->body[fixed] = rule->body[i];
		rule->body[i] = here;
		try_orders(rule, fixed + 1, best);
		rule->body[i] = rule->body[fixed];
		rule->body[fixed] = here;
	}
}

void
rule_canonicalise(Rule *rule)
{
	Rule		best;

	memset(&rule->body[rule->length], 0,
		   (RULE_MAX_BODY - rule->length) * sizeof(Atom));
	best = *rule;
	rename_variables(&best);
	try_orders(rule, 0, &best);
	*rule = best;
}

bool
rule_term_is_open(const Rule *rule, Term term)
{
	int			atoms = 0;

	for (int i = 0; i < rule->length; i++)
		atoms += rule->body[i].first == term || rule->body[i].second == term;
	return term < TERM_Y && atoms == 1;
}

bool
rule_is_open(const Rule *rule)
{
	for (int i = 0; i < rule->length; i++)
		if (rule_term_is_open(rule, rule->body[i].first) || rule_term_is_open(rule, rule->body[i].second))
			return true;
	return false;
}

Rule
rule_with_domain(const Rule *rule)
{
	Rule		whole = *rule;

	if (rule_atoms(rule) > 0)
		return whole;
	whole.length = 2;
	whole.body[1] = rule->body[0];
	if (rule->body[0].first == TERM_Y)
		whole.body[0] = (Atom) {rule->head, TERM_X, TERM_A};
	else
		whole.body[0] = (Atom) {rule->head, TERM_A, TERM_Y};
	return whole;
}

/* ---- the language ------------------------------------------------------- */

static bool
atoms_share_variable(const Atom *a, const Atom *b)
{
	return (TERM_IS_VARIABLE(a->first) && (a->first == b->first || a->first == b->second)) ||
		(TERM_IS_VARIABLE(a->second) && (a->second == b->first || a->second == b->second));
}

static bool
is_equal(const Atom *a, const Atom *b)
{
	return memcmp(a, b, sizeof(Atom)) == 0;
}

Atom
rule_head(const Rule *rule)
{
	Atom		head = {rule->head, TERM_X, TERM_Y};

	for (int i = 0; i < rule->length; i++)
		if (rule->body[i].relation == RULE_IS)
			*(rule->body[i].first == TERM_X ? &head.first : &head.second) = rule->body[i].second;
	return head;
}

/* Whether all body atoms are connected with the head. */
static bool
is_connected(const Rule *rule)
{
	Atom		reached[RULE_MAX_BODY + 1] = {{rule->head, TERM_X, TERM_Y}};
	bool		done[RULE_MAX_BODY] = {false};
	int			count = 1;

	for (int next = 0; next < count; next++)
	{
		for (int i = 0; i < rule->length; i++)
		{
			if (!done[i] && atoms_share_variable(&reached[next], &rule->body[i]))
			{
				done[i] = true;
				reached[count++] = rule->body[i];
			}
		}
	}
	return count == rule->length + 1;
}

static const char *
fault_of_atom(const Rule *rule, int i)
{
	const Atom *atom = &rule->body[i];
	Atom		head = rule_head(rule);

	if (atom->first == atom->second)
		return "an atom relates a term to itself";
	if (is_equal(atom, &head))
		return "the body contains the head";
	for (int j = 0; j < i; j++)
		if (is_equal(atom, &rule->body[j]))
			return "an atom occurs twice";
	return NULL;
}

/* Why atom i is no valid constant of the head; NULL when it is. */
static const char *
fault_of_constant(const Rule *rule, int i)
{
	const Atom *is = &rule->body[i];

	if ((is->first != TERM_X && is->first != TERM_Y) || TERM_IS_VARIABLE(is->second))
		return "the head's constant is not an entity";
	for (int j = 0; j < rule->length; j++)
	{
		if (j != i && rule->body[j].relation == RULE_IS)
			return "its head has no variable";
		if (j != i && atoms_share_variable(is, &rule->body[j]))
			return "its body contains the variable that its head has a constant for";
	}
	return NULL;
}

const char *
rule_fault(const Rule *rule, char *const *names)
{
	for (int i = 0; i < rule->length; i++)
	{
		const char *fault = fault_of_atom(rule, i);

		if (fault == NULL && rule->body[i].relation == RULE_IS)
			fault = fault_of_constant(rule, i);
		if (fault != NULL)
			return fault;
	}
	for (Term term = TERM_X; rule_atoms(rule) > 0 && term >= TERM_Y; term--)
	{
		bool		there = false;

		for (int i = 0; i < rule->length; i++)
			there |= rule->body[i].first == term || rule->body[i].second == term;
		if (!there)
			return psprintf("variable %s of its head is not in its body", names[-1 - term]);
	}
	if (rule->length == 0)
		return "its body is empty, and its head has no constant";
	if (!is_connected(rule))
		return "its atoms are not connected";
	return NULL;
}

/* ---- ids and rows ---------------------------------------------------------- */

Rule
rule_in_ids(const int32 *relation_id, const Rule *path)
{
	Rule		rule = *path;

	rule.head = relation_id[path->head];
	for (int i = 0; i < path->length; i++)
		rule.body[i].relation = relation_id[path->body[i].relation];
	rule_canonicalise(&rule);
	return rule;
}

bool
rule_in_rows(const GraphData *data, const Rule *rule, int32 (*entity_row) (const void *argument, int32 id),
			 const void *argument, Rule *in_rows)
{
	bool		found;

	*in_rows = (Rule) {.head = graph_row(data->relation_id, data->relations, rule->head),.length = rule->length};
	found = in_rows->head >= 0;
	for (int i = 0; i < rule->length && found; i++)
	{
		int32		relation = rule->body[i].relation;
		Term		term[2] = {rule->body[i].first, rule->body[i].second};

		if (relation != RULE_IS)
		{
			relation = graph_row(data->relation_id, data->relations, relation);
			found = relation >= 0;
		}
		for (int k = 0; k < 2; k++)
			if (!TERM_IS_VARIABLE(term[k]))
			{
				term[k] = entity_row != NULL ? entity_row(argument, term[k]) :
					graph_row(data->entity_id, data->entities, term[k]);
				found &= term[k] >= 0;
			}
		in_rows->body[i] = (Atom) {relation, term[0], term[1]};
	}
	return found;
}

/* ---- rule to array and back ----------------------------------------------- */

Datum
rule_body_array(const Rule *rule)
{
	Datum		elements[3 * RULE_MAX_BODY];
	int			dims[2] = {rule->length, 3};
	int			bounds[2] = {1, 1};

	for (int i = 0; i < rule->length; i++)
	{
		elements[3 * i] = Int32GetDatum(rule->body[i].relation);
		elements[3 * i + 1] = Int32GetDatum(rule->body[i].first);
		elements[3 * i + 2] = Int32GetDatum(rule->body[i].second);
	}
	return PointerGetDatum(construct_md_array(elements, NULL, 2, dims, bounds,
											  INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

static void
damaged_body(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the body of a stored rule is damaged"),
			 errdetail_internal("%s", detail),
			 errhint("A body is an int[] with one row per atom: relation, first term, second term. "
					 "Train the model again, or delete the rule.")));
}

const char *
rule_from_numbers(int32 head, int32 length, const int32 *number, Rule *rule)
{
	static char *const names[] = {"X", "Y"};
	const char *fault;

	memset(rule, 0, sizeof(Rule));
	rule->head = head;
	rule->length = length;
	for (int i = 0; i < length; i++, number += 3)
	{
		if (Min(number[1], number[2]) < -RULE_MAX_VARIABLES)
			return psprintf("There is no variable %d.", Min(number[1], number[2]));
		rule->body[i] = (Atom) {number[0], number[1], number[2]};
	}
	fault = rule_fault(rule, names);
	if (fault != NULL)
		return psprintf("It is outside the language: %s.", fault);
	rule_canonicalise(rule);
	return NULL;
}

void
rule_from_array(int32 head, Datum body, Rule *rule)
{
	ArrayType  *array = DatumGetArrayTypeP(body);
	const char *fault;

	if (ARR_ELEMTYPE(array) != INT4OID || ARR_NDIM(array) != 2 || ARR_DIMS(array)[1] != 3 ||
		ARR_DIMS(array)[0] > RULE_MAX_BODY || array_contains_nulls(array))
		damaged_body(psprintf("It is not an array of up to %d rows of three numbers.", RULE_MAX_BODY));
	fault = rule_from_numbers(head, ARR_DIMS(array)[0], (const int32 *) ARR_DATA_PTR(array), rule);
	if (fault != NULL)
		damaged_body(fault);
	if ((Pointer) array != DatumGetPointer(body))
		pfree(array);
}

/* ---- rules as numbers, as they are sent to a node and come back ------------- */

void
rule_append(Numbers *numbers, const Rule *rule)
{
	numbers_append(numbers, rule->head);
	numbers_append(numbers, rule->length);
	for (int i = 0; i < rule->length; i++)
	{
		numbers_append(numbers, rule->body[i].relation);
		numbers_append(numbers, rule->body[i].first);
		numbers_append(numbers, rule->body[i].second);
	}
}

const char *
rule_take(const int32 *number, int64 count, int64 *next, Rule *rule)
{
	const char *fault;

	if (*next + 2 > count || number[*next + 1] < 0 || number[*next + 1] > RULE_MAX_BODY ||
		*next + 2 + 3 * number[*next + 1] > count)
		return "Their lengths do not fit.";
	fault = rule_from_numbers(number[*next], number[*next + 1], &number[*next + 2], rule);
	*next += 2 + 3 * number[*next + 1];
	return fault;
}
