/*
 * given_names.c
 *		An argument that gives names, by a query or by an array (see given_names.h).
 *
 * An argument of one type for both: functions of the same name for a text and for an array, with defaults, would be
 * ambiguous in a call that leaves the argument out.
 */
#include "given_names.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "growing_array.h"
#include "host.h"
#include "sql.h"
#include "user_query.h"

/* names between two looks at the memory that they take */
#define LOOK_AT 1024

typedef struct NameReading
{
	GivenNames	names;
	ValueText	text;			/* of a name's type */
	MemoryContext context;		/* of the names */
} NameReading;

/* False where there is none. */
static bool
take_name(NameReading *reading, Datum value, bool isnull)
{
	GivenNames *names = &reading->names;
	MemoryContext caller = MemoryContextSwitchTo(reading->context);
	char	   *name = isnull ? NULL : value_text_of(&reading->text, value);

	if (names->count % LOOK_AT == 0)
		hkg_check_memory_or(MemoryContextMemAllocated(reading->context, true) + names->count * sizeof(char *),
							psprintf("argument %s", names->argument), "give fewer names");
	names->name = array_reserve(names->name, names->count + 1, &names->room, sizeof(char *));
	if (name != NULL)
		names->name[names->count++] = name;
	MemoryContextSwitchTo(caller);
	CHECK_FOR_INTERRUPTS();
	return name != NULL;
}

/* ---- a query ------------------------------------------------------------------- */

static void
take_row(void *argument, const Datum *values, const bool *nulls)
{
	NameReading *reading = argument;

	if (!take_name(reading, values[0], nulls[0]))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("row " INT64_FORMAT " of %s is null", reading->names.count + 1, reading->names.argument),
				 errhint("Leave such rows out with a WHERE clause.")));
}

/* For who has given a name as a text */
static void
add_argument(void *argument)
{
	errcontext("argument %s, a query; names themselves are given as an array", (const char *) argument);
}

static void
run_query(NameReading *reading, const char *text)
{
	const char *argument = reading->names.argument;
	ErrorContextCallback context = {error_context_stack, add_argument, unconstify(char *, argument)};
	UserQuery	query = {argument, 1, "a name is needed", "Its first column is taken as the names of entities."};

	error_context_stack = &context;
	user_query_check(&query, text, &reading->text);
	sql_stream(text, SQL_NO_ARGS, take_row, reading);
	error_context_stack = context.previous;
	if (reading->names.count == 0)
		ereport(NOTICE,
				(errmsg("the query of %s has returned no row", argument)));
}

/* ---- an array ---------------------------------------------------------------------- */

static void
take_elements(NameReading *reading, ArrayType *array)
{
	Oid			type = ARR_ELEMTYPE(array);
	int16		length;
	bool		by_value;
	char		alignment;
	Datum	   *value;
	bool	   *nulls;
	int			count;

	get_typlenbyvalalign(type, &length, &by_value, &alignment);
	reading->text = value_text(type);
	deconstruct_array(array, type, length, by_value, alignment, &value, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (!take_name(reading, value[i], nulls[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("element %d of %s must not be null", i + 1, reading->names.argument),
					 errhint("array_remove(..., null) leaves such elements out.")));
	}
	pfree(value);
	pfree(nulls);
}

/* ---- either ------------------------------------------------------------------------ */

/* The text of a query; NULL where the type is none of texts. */
static char *
text_of(Oid type, Datum value)
{
	char		category;
	bool		preferred;
	ValueText	text;

	if (type == UNKNOWNOID)
		return DatumGetCString(value);
	get_type_category_preferred(getBaseType(type), &category, &preferred);
	if (category != TYPCATEGORY_STRING)
		return NULL;
	text = value_text(type);
	return value_text_of(&text, value);
}

GivenNames
given_names(FunctionCallInfo fcinfo, int i, const char *argument)
{
	NameReading reading = {.names.argument = argument};
	int			nest_level;
	Oid			type;
	char	   *text;

	if (i >= PG_NARGS() || PG_ARGISNULL(i))
		return reading.names;
	nest_level = value_text_settings();
	type = get_fn_expr_argtype(fcinfo->flinfo, i);
	reading.names.given = true;
	reading.context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg names", ALLOCSET_DEFAULT_SIZES);
	if (OidIsValid(get_base_element_type(type)))
		take_elements(&reading, DatumGetArrayTypeP(PG_GETARG_DATUM(i)));
	else if ((text = text_of(type, PG_GETARG_DATUM(i))) != NULL)
		run_query(&reading, text);
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s must be a query or an array of names, not of type %s", argument, format_type_be(type)),
				 errhint("Give a query as text, or an array such as array(select name from ...).")));
	sql_unpin(nest_level);
	return reading.names;
}
