/*
 * rules.c
 *		Rules by relation.  Path rules are sorted so that those which begin alike follow each
 *		other: their common part is walked once, from either end.
 */
#include "evidence.h"

#include "../kge/sort.h"
#include "../kge/space.h"

typedef struct Backwards
{
	const EvRule *rule;
	int64_t		number;
} Backwards;

static Backwards *
take_rules(EvRules *rules, int32_t relations, KgeSpace *space)
{
	rules->rule = KGE_TAKE(space, EvRule, (size_t) rules->count);
	rules->first = KGE_TAKE(space, int64_t, (size_t) relations + 1);
	rules->backwards = KGE_TAKE(space, int64_t, (size_t) rules->count);
	rules->pattern = KGE_TAKE(space, EvPattern, (size_t) rules->patterns);
	rules->first_pattern = KGE_TAKE(space, int64_t, (size_t) relations + 1);
	return KGE_TAKE(space, Backwards, (size_t) rules->count);
}

size_t
ev_rules_bytes(int32_t relations, const EvRuleSet *set)
{
	EvRules		rules = {.count = set->count,.patterns = set->patterns};
	KgeSpace	space = {0};

	take_rules(&rules, relations, &space);
	return kge_space_bytes(&space);
}

int32_t
ev_atom(const EvRule *rule, KgeSide side, int i)
{
	return side == KGE_TAIL ? rule->atom[i] : EV_MIRRORED(rule->atom[rule->length - 1 - i]);
}

static int
compare_rules(const EvRule *a, const EvRule *b, KgeSide side)
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
	return compare_rules(a, b, KGE_TAIL);
}

static int
compare_backwards(const void *a, const void *b)
{
	return compare_rules(((const Backwards *) a)->rule, ((const Backwards *) b)->rule, KGE_HEAD);
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

static void
index_relations(EvRules *rules, int32_t relations)
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
ev_rules(KgeArena *arena, KgePool *pool, int32_t relations, const EvRuleSet *set, EvRules *rules)
{
	KgeSpace	space = {0};
	Backwards  *backwards;
	int64_t		count = set->count;

	*rules = (EvRules) {.count = count,.patterns = set->patterns};
	take_rules(rules, relations, &space);
	if (!kge_space_open(&space, arena))
		return false;
	backwards = take_rules(rules, relations, &space);
	for (int64_t i = 0; i < count; i++)
		rules->rule[i] = set->rule[i];
	for (int64_t i = 0; i < set->patterns; i++)
		rules->pattern[i] = set->pattern[i];
	kge_sort(pool, KGE_LEADER, rules->pattern, set->patterns, sizeof(EvPattern), compare_patterns);
	kge_sort(pool, KGE_LEADER, rules->rule, count, sizeof(EvRule), compare_forwards);
	for (int64_t i = 0; i < count; i++)
		backwards[i] = (Backwards) {&rules->rule[i], i};
	kge_sort(pool, KGE_LEADER, backwards, count, sizeof(Backwards), compare_backwards);
	for (int64_t i = 0; i < count; i++)
		rules->backwards[i] = backwards[i].number;
	index_relations(rules, relations);
	return true;
}
