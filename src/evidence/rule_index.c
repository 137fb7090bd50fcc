/*
 * rule_index.c
 *		Rules by relation, in the order in which a question applies them.
 *
 * The rules themselves are sorted for questions from X; for those from Y, their numbers are.
 */
#include "evidence.h"

#include "core/allocation.h"
#include "core/sort.h"

/* A rule to be sorted by its atoms from Y on */
typedef struct RuleFromY
{
	const EvRule *rule;
	int64_t		number;
} RuleFromY;

static void
take_arrays(EvRules *rules, int32_t relations, Allocation *allocation)
{
	rules->rule = TAKE(allocation, EvRule, (size_t) rules->count);
	rules->first = TAKE(allocation, int64_t, (size_t) relations + 1);
	rules->pattern = TAKE(allocation, int64_t, (size_t) relations + 1);
	rules->backwards = TAKE(allocation, int64_t, (size_t) rules->count);
}

/* Returns room for the rules that are sorted from Y. */
static RuleFromY *
take_rules(EvRules *rules, int32_t relations, Allocation *allocation)
{
	take_arrays(rules, relations, allocation);
	return TAKE(allocation, RuleFromY, (size_t) rules->count);
}

size_t
ev_rules_bytes(int32_t relations, const EvRuleSet *set)
{
	EvRules		rules = {.count = set->count};
	Allocation	allocation = {0};

	take_rules(&rules, relations, &allocation);
	return allocation_bytes(&allocation);
}

/* ---- paths ---------------------------------------------------------------------- */

/* The term at a place of the path X, A, B, ..., Y */
static Term
path_term(int length, int place)
{
	return place == 0 ? TERM_X : place == length ? TERM_Y : TERM_A - (place - 1);
}

Rule
ev_path_rule(int32_t head, const DirectedAtom *atom, int length)
{
	Rule		rule = {.head = head,.length = length};

	for (int i = 0; i < length; i++)
	{
		int			backwards = IS_BACKWARDS(atom[i]);

		rule.body[i] = (Atom) {RELATION_OF(atom[i]), path_term(length, i + backwards),
			path_term(length, i + 1 - backwards)};
	}
	return rule;
}

DirectedAtom
ev_atom(const Rule *rule, Side side, int i)
{
	int			place = side == SIDE_TAIL ? i : rule->length - 1 - i;
	const Atom *atom = &rule->body[place];
	bool		backwards = atom->first != path_term(rule->length, place);

	return FORWARDS(atom->relation) + (backwards != (side == SIDE_HEAD));
}

/*
 * Puts the atoms of a rule in the order of a path from X to Y, each atom and each variable once; false when it is none.
 * In a path each variable but X and Y stands in two atoms, so that there is one way to go.
 */
static bool
order_path(Rule *rule)
{
	DirectedAtom path[RULE_MAX_BODY];
	unsigned	used = 0;
	unsigned	visited = 1u << (-1 - TERM_X);
	Term		at = TERM_X;

	for (int i = 0; i < rule->length; i++)
	{
		int			next = 0;
		bool		backwards;
		Term		to;

		while (next < rule->length && ((used & (1u << next)) != 0 ||
									   (rule->body[next].first != at && rule->body[next].second != at)))
			next++;
		if (next == rule->length)
			return false;
		backwards = rule->body[next].second == at;
		to = backwards ? rule->body[next].first : rule->body[next].second;
		if (!TERM_IS_VARIABLE(to) || rule->body[next].relation == RULE_IS || (visited & (1u << (-1 - to))) != 0)
			return false;
		path[i] = FORWARDS(rule->body[next].relation) + backwards;
		used |= 1u << next;
		visited |= 1u << (-1 - to);
		at = to;
		if ((at == TERM_Y) != (i == rule->length - 1))
			return false;
	}
	if (rule->length == 0)
		return false;
	*rule = ev_path_rule(rule->head, path, rule->length);
	return true;
}

/* ---- order ---------------------------------------------------------------------- */

static int
compare_rules(const EvRule *a, const EvRule *b, Side side)
{
	if (a->rule.head != b->rule.head)
		return a->rule.head < b->rule.head ? -1 : 1;
	if (a->is_path != b->is_path)
		return a->is_path ? -1 : 1;
	if (!a->is_path)
		return (a->id > b->id) - (a->id < b->id);
	for (int i = 0; i < a->rule.length && i < b->rule.length; i++)
	{
		DirectedAtom left = ev_atom(&a->rule, side, i);
		DirectedAtom right = ev_atom(&b->rule, side, i);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return (a->rule.length > b->rule.length) - (a->rule.length < b->rule.length);
}

static int
compare_forwards(const void *a, const void *b)
{
	return compare_rules(a, b, SIDE_TAIL);
}

static int
compare_backwards(const void *a, const void *b)
{
	return compare_rules(((const RuleFromY *) a)->rule, ((const RuleFromY *) b)->rule, SIDE_HEAD);
}

/* Where the rules of each relation, and those that are no paths, begin. */
static void
find_first_rules(EvRules *rules, int32_t relations)
{
	int64_t		rule = 0;

	for (int32_t relation = 0; relation <= relations; relation++)
	{
		rules->first[relation] = rule;
		while (rule < rules->count && rules->rule[rule].rule.head == relation && rules->rule[rule].is_path)
			rule++;
		rules->pattern[relation] = rule;
		while (rule < rules->count && rules->rule[rule].rule.head == relation)
			rule++;
	}
}

bool
ev_rules(Arena *arena, Pool *pool, int32_t relations, const EvRuleSet *set, EvRules *rules)
{
	Allocation	allocation = {0};
	RuleFromY  *backwards;
	int64_t		count = set->count;

	*rules = (EvRules) {.count = count};
	take_rules(rules, relations, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	rules->memory = allocation.base;
	backwards = take_rules(rules, relations, &allocation);
	for (int64_t i = 0; i < count; i++)
	{
		rules->rule[i] = set->rule[i];
		rules->rule[i].is_path = order_path(&rules->rule[i].rule);
	}
	sort_array(pool, POOL_LEADER, rules->rule, count, sizeof(EvRule), compare_forwards);
	for (int64_t i = 0; i < count; i++)
		backwards[i] = (RuleFromY) {&rules->rule[i], i};
	sort_array(pool, POOL_LEADER, backwards, count, sizeof(RuleFromY), compare_backwards);
	for (int64_t i = 0; i < count; i++)
		rules->backwards[i] = backwards[i].number;
	find_first_rules(rules, relations);
	return true;
}

const void *
ev_rules_memory(const EvRules *rules, int32_t relations, size_t *bytes)
{
	EvRules		counted = *rules;
	Allocation	allocation = {0};

	take_arrays(&counted, relations, &allocation);
	*bytes = allocation.used;
	return rules->memory;
}

void
ev_rules_move(EvRules *rules, int32_t relations, void *memory)
{
	Allocation	allocation = allocation_over(memory);

	take_arrays(rules, relations, &allocation);
	rules->memory = memory;
}
