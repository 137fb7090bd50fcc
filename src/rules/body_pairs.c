/*
 * body_pairs.c
 *		The pairs (x, y) that the bodies of many rules yield (see body_pairs.h).
 *
 * Rules with one body share its evaluation, which is a join over the index of facts (evidence/body_join.c).
 */
#include "body_pairs.h"

#include "core/sort.h"
#include "server/growing_array.h"
#include "server/host.h"

struct BodyPairs
{
	const GraphData *data;
	FactIndex	index;
	EvJoin	   *join;

	/* one call of body_pairs_each */
	const PairsTarget *target;
	BodyRules	current;
};

uint64
body_pairs_bytes(const GraphData *data)
{
	FactIndex	sizes = {.entities = data->entities,.relations = data->relations};

	return fact_index_bytes(data->entities, data->relations, data->facts) + ev_join_bytes(&sizes);
}

BodyPairs *
body_pairs_create(const GraphData *data, Pool *pool)
{
	Arena		arena = hkg_arena();
	BodyPairs  *pairs = palloc0(sizeof(BodyPairs));

	hkg_check_memory_or(body_pairs_bytes(data), "evaluating a rule's body", "load fewer facts");
	fact_index(&arena, pool, data->entities, data->relations, data->fact, data->facts, &pairs->index);
	pairs->data = data;
	pairs->join = ev_join(&arena, pool, &pairs->index);
	return pairs;
}

const FactIndex *
body_pairs_index(const BodyPairs *pairs)
{
	return &pairs->index;
}

/* ---- one body -------------------------------------------------------------------- */

/* An entity's row; false when it has none. */
static bool
row_of_term(const GraphData *data, Term term, int32 *row)
{
	*row = TERM_IS_VARIABLE(term) ? term : graph_row(data->entity_id, data->entities, term);
	return TERM_IS_VARIABLE(term) || *row >= 0;
}

bool
body_in_rows(const GraphData *data, const Rule *rule, EvBody *body)
{
	Rule		whole = rule_with_domain(rule);

	body->length = whole.length;
	for (int i = 0; i < whole.length; i++)
	{
		const Atom *atom = &whole.body[i];
		EvAtom	   *in_rows = &body->atom[i];
		bool		is = atom->relation == RULE_IS;

		in_rows->relation = is ? EV_IS : graph_row(data->relation_id, data->relations, atom->relation);
		if ((!is && in_rows->relation < 0) ||
			!row_of_term(data, atom->first, &in_rows->first) || !row_of_term(data, atom->second, &in_rows->second))
			return false;
	}
	return true;
}

static void
hand_out(void *argument, const EvRectangle *rectangle)
{
	BodyPairs  *pairs = argument;

	pairs->target->take(pairs->target->argument, &pairs->current, rectangle);
}

static void
evaluate(BodyPairs *pairs, const Rule *rule)
{
	EvJoinTarget target = {hand_out, pairs, hkg_leader(), POOL_LEADER};
	EvBody		body;

	hkg_check_interrupts();
	if (body_in_rows(pairs->data, rule, &body))
		ev_join_body(pairs->join, &body, ev_slice(&pairs->index, 0, 1), &target);
	if (pairs->target->done != NULL)
		pairs->target->done(pairs->target->argument, &pairs->current);
}

/* ---- the bodies of many rules --------------------------------------------------------- */

typedef struct NumberedRule
{
	const Rule *rule;
	int32		number;
} NumberedRule;

static int
compare_by_body(const void *a, const void *b)
{
	const NumberedRule *left = a;
	const NumberedRule *right = b;
	int			order = rule_compare_bodies(left->rule, right->rule);

	return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

int32 *
rules_by_body(const Rule *const *rules, int32 count)
{
	NumberedRule *sorted = array_new(NumberedRule, count);
	int32	   *number = array_new(int32, count);

	for (int32 i = 0; i < count; i++)
		sorted[i] = (NumberedRule) {rules[i], i};
	sort_array(hkg_leader(), POOL_LEADER, sorted, count, sizeof(NumberedRule), compare_by_body);
	for (int32 i = 0; i < count; i++)
		number[i] = sorted[i].number;
	pfree(sorted);
	return number;
}

void
body_pairs_each(BodyPairs *pairs, const Rule *const *rules, int32 count, const PairsTarget *target)
{
	int32	   *number = rules_by_body(rules, count);
	int32		end;

	pairs->target = target;
	for (int32 start = 0; start < count; start = end)
	{
		const Rule *first = rules[number[start]];

		for (end = start + 1; end < count && rule_compare_bodies(first, rules[number[end]]) == 0; end++)
			;
		pairs->current = (BodyRules) {number + start, end - start};
		evaluate(pairs, first);
	}
	pfree(number);
}
