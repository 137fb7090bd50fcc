/*
 * given_names.c
 *		An argument that gives names (see given_names.h).
 */
#include "given_names.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "growing_array.h"
#include "host.h"

GivenNames
given_names(FunctionCallInfo fcinfo, int i, const char *argument)
{
	GivenNames	names = {0};
	ArrayType  *array;
	Datum	   *value;
	bool	   *nulls;
	int			count;

	if (i >= PG_NARGS() || PG_ARGISNULL(i))
		return names;
	array = PG_GETARG_ARRAYTYPE_P(i);
	count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	hkg_check_memory_or(2 * VARSIZE(array) + (uint64) count * (sizeof(Datum) + sizeof(char *) + 1),
						psprintf("argument %s", argument), "give fewer names");
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &value, &nulls, &count);
	names = (GivenNames) {.given = true,.count = count,.name = array_new(char *, count)};
	for (int j = 0; j < count; j++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[j])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("element %d of %s must not be null", j + 1, argument),
					 errhint("array_remove(..., null) leaves such elements out.")));
		names.name[j] = TextDatumGetCString(value[j]);
	}
	pfree(value);
	pfree(nulls);
	return names;
}
