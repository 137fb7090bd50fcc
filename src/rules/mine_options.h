/*
 * mine_options.h
 *		Which rules are searched for.
 */
#ifndef HKG_RULES_MINE_OPTIONS_H
#define HKG_RULES_MINE_OPTIONS_H

#include "server/compat.h"

typedef struct MineOptions
{
	int			max_rule_length;	/* atoms, the head counted: 2 to 4 */
	double		min_head_coverage;
	int			min_support;
	bool		constants;
} MineOptions;

#endif							/* HKG_RULES_MINE_OPTIONS_H */
