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
	rules->backwards = TAKE(allocation, int64_t, (size_t) rules->count);
	rules->pattern = TAKE(allocation, EvPattern, (size_t) rules->patterns);
	rules->first_pattern = TAKE(allocation, int64_t, (size_t) relations + 1);
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
	EvRules		rules = {.count = set->count,.patterns = set->patterns};
	Allocation	allocation = {0};

	take_rules(&rules, relations, &allocation);
	return allocation_bytes(&allocation);
}

int32_t
ev_atom(const EvRule *rule, Side side, int i)
{
	return side == SIDE_TAIL ? rule->atom[i] : MIRRORED(rule->atom[rule->length - 1 - i]);
}

static int
compare_rules(const EvRule *a, const EvRule *b, Side side)
{
	if (a->relation != b->relation)
		return a->relation < b->relation ? -1 : 1;
	for (int i = 0; i < a->length && i < b->length; i++)
	{
		int32_t		left = ev_atom(a, side, i);
		int32_t		right = ev_atom(b, side, i);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return (a->length > b->length) - (a->length < b->length);
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

static int
compare_patterns(const void *a, const void *b)
{
	const EvPattern *left = a;
	const EvPattern *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* Where the rules of each relation begin. */
static void
find_first_rules(EvRules *rules, int32_t relations)
{
	int64_t		rule = 0;
	int64_t		pattern = 0;

	for (int32_t relation = 0; relation <= relations; relation++)
	{
		while (rule < rules->count && rules->rule[rule].relation < relation)
			rule++;
		while (pattern < rules->patterns && rules->pattern[pattern].relation < relation)
			pattern++;
		rules->first[relation] = rule;
		rules->first_pattern[relation] = pattern;
	}
}

bool
ev_rules(Arena *arena, Pool *pool, int32_t relations, const EvRuleSet *set, EvRules *rules)
{
	Allocation	allocation = {0};
	RuleFromY  *backwards;
	int64_t		count = set->count;

	*rules = (EvRules) {.count = count,.patterns = set->patterns};
	take_rules(rules, relations, &allocation);
	if (!allocation_open(&allocation, arena))
		return false;
	rules->memory = allocation.base;
	backwards = take_rules(rules, relations, &allocation);
	for (int64_t i = 0; i < count; i++)
		rules->rule[i] = set->rule[i];
	for (int64_t i = 0; i < set->patterns; i++)
		rules->pattern[i] = set->pattern[i];
	sort_array(pool, POOL_LEADER, rules->pattern, set->patterns, sizeof(EvPattern), compare_patterns);
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
