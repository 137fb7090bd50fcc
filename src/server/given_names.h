/*
 * given_names.h
 *		An argument that gives names: an array of text.
 */
#ifndef HKG_SERVER_GIVEN_NAMES_H
#define HKG_SERVER_GIVEN_NAMES_H

#include "compat.h"

typedef struct GivenNames
{
	bool		given;			/* false: it is null, or the function was declared without it */
	int64		count;
	char	  **name;			/* in order, as often as they come */
} GivenNames;

/*
 * Reads argument i in the current memory context.  ERROR 22004 for a null among the names, 53200 where they need more
 * than hybridkg.max_memory.
 */
extern GivenNames given_names(FunctionCallInfo fcinfo, int i, const char *argument);

#endif							/* HKG_SERVER_GIVEN_NAMES_H */
