/*
 * rule_numbers.c
 *		Rules as numbers, as they are sent to a node and come back: head, length, and the three numbers of each atom.
 */
#include "rule.h"

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
