/*
 * rule_places.c
 *		Mined rules in the order of rule_compare, to be searched.
 */
#include "mine.h"

#include "core/sort.h"
#include "server/host.h"

static int
compare_places(const void *a, const void *b)
{
	return rule_compare(&(*(MinedRule *const *) a)->rule, &(*(MinedRule *const *) b)->rule);
}

void
rule_places_sort(MinedRule **place, int64 count)
{
	sort_array(hkg_leader(), POOL_LEADER, place, count, sizeof(MinedRule *), compare_places);
}

MinedRule *
rule_places_find(MinedRule **place, int64 count, const Rule *rule)
{
	MinedRule	key = {.rule = *rule};
	MinedRule  *pointer = &key;
	MinedRule **found = bsearch(&pointer, place, count, sizeof(MinedRule *), compare_places);

	return found == NULL ? NULL : *found;
}
