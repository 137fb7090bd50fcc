/*
 * argument.c
 *		The arguments of a SQL function, checked (see argument.h).
 */
#include "argument.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/syscache.h"

/* of a text in a message */
#define SHOWN_BYTES 200

Datum
argument(FunctionCallInfo fcinfo, int i, const char *name)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return PG_GETARG_DATUM(i);
}

int
argument_int(FunctionCallInfo fcinfo, int i, const char *name, int low, int high)
{
	int			value = DatumGetInt32(argument(fcinfo, i, name));

	if (value < low || value > high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d, not %d", name, low, high, value)));
	return value;
}

int
argument_sample(FunctionCallInfo fcinfo, int i)
{
	if (PG_NARGS() <= i || PG_ARGISNULL(i))
		return 0;
	return argument_int(fcinfo, i, "sample", 2, PG_INT32_MAX);
}

double
argument_float(FunctionCallInfo fcinfo, int i, const char *name, double low, double high)
{
	double		value = DatumGetFloat8(argument(fcinfo, i, name));

	if (isnan(value) || value < low || value > high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %g and %g, not %s", name, low, high, float8out_internal(value))));
	return value;
}

char *
argument_text(FunctionCallInfo fcinfo, int i, const char *name)
{
	return text_to_cstring(DatumGetTextPP(argument(fcinfo, i, name)));
}

char *
argument_name(FunctionCallInfo fcinfo, int i, const char *name)
{
	return pstrdup(NameStr(*DatumGetName(argument(fcinfo, i, name))));
}

void
argument_check_model(const char *name)
{
	if (name[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model must not be empty")));
}

const char *
argument_shown(const char *text)
{
	int			length = (int) strlen(text);

	return length <= SHOWN_BYTES ? text : psprintf("%.*s...", pg_mbcliplen(text, length, SHOWN_BYTES), text);
}

static void
unknown_choice(const char *value, const char *name, const char *const *known)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; known[i] != NULL; i++)
		appendStringInfo(&list, "%s%s", i == 0 ? "" : ", ", known[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown %s \"%s\"", name, argument_shown(value)),
			 errhint("Known are: %s.", list.data)));
}

int
argument_choice(const char *value, const char *name, const char *const *known)
{
	for (int i = 0; known[i] != NULL; i++)
		if (strcmp(value, known[i]) == 0)
			return i;
	unknown_choice(value, name, known);
	return -1;					/* not reached */
}

/* The default of argument i, folded to a constant; NULL when it has none. */
static Const *
default_of(Oid function, int i)
{
	HeapTuple	row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Const	   *constant = NULL;
	Form_pg_proc form;
	Datum		defaults;
	bool		none;

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(row);
	defaults = SysCacheGetAttr(PROCOID, row, Anum_pg_proc_proargdefaults, &none);
	i -= form->pronargs - form->pronargdefaults;
	if (!none && i >= 0)
	{
		List	   *list = castNode(List, stringToNode(TextDatumGetCString(defaults)));

		constant = castNode(Const, eval_const_expressions(NULL, list_nth(list, i)));
	}
	ReleaseSysCache(row);
	return constant;
}

bool
argument_is_given(FunctionCallInfo fcinfo, int i)
{
	Const	   *constant;

	if (PG_ARGISNULL(i))
		return false;
	constant = default_of(fcinfo->flinfo->fn_oid, i);
	return constant == NULL || constant->constisnull ||
		!datum_image_eq(constant->constvalue, PG_GETARG_DATUM(i), constant->constbyval, constant->constlen);
}
