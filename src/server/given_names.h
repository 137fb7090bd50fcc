/*
 * given_names.h
 *		An argument of type "any" that gives names: a text is a query that returns them, an array has them.
 */
#ifndef HKG_SERVER_GIVEN_NAMES_H
#define HKG_SERVER_GIVEN_NAMES_H

#include "compat.h"

typedef struct GivenNames
{
	const char *argument;
	bool		given;			/* false: it is null, or the function was declared without it */
	int64		count;
	int64		room;
	char	  **name;			/* in order, as often as they come */
} GivenNames;

/*
 * Reads argument i in the current memory context; between sql_begin and sql_end, with the caller's search_path: it
 * runs the query, with the caller's rights.  Names are what value_text.h gives.  A query without rows is a NOTICE.
 * ERROR 42804 for another type, 22004 for a null among the names, 53200 where they need more than hybridkg.max_memory;
 * and those of user_query_check.
 */
extern GivenNames given_names(FunctionCallInfo fcinfo, int i, const char *argument);

#endif							/* HKG_SERVER_GIVEN_NAMES_H */
