/*
 * gone_functions.c
 *		Functions of 0.1.0 that are gone.
 *
 * The script of 0.1.0 declares them, so the library must have them until alter extension hybridkg update drops them.
 */
#include "server/compat.h"

static Datum
removed(const char *name, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not part of hybridkg any more", name),
			 errhint("%s", hint)));
}

HKG_FUNCTION(hkg_sparsity);
Datum
hkg_sparsity(PG_FUNCTION_ARGS)
{
	return removed("hkg_sparsity", "Count the rows of table triple by head and by tail.");
}

HKG_FUNCTION(hkg_rule_precision);
Datum
hkg_rule_precision(PG_FUNCTION_ARGS)
{
	return removed("hkg_rule_precision", "Count the rows of hkg_apply_rule that are in table holdout.");
}
