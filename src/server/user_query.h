/*
 * user_query.h
 *		A query that a caller gives as text: one SELECT that only reads.
 */
#ifndef HKG_SERVER_USER_QUERY_H
#define HKG_SERVER_USER_QUERY_H

#include "compat.h"

#include "value_text.h"

/* What errors of a query state */
typedef struct UserQuery
{
	const char *argument;		/* "query" */
	int			columns;		/* that are needed */
	const char *needed;			/* "head, relation and tail are needed" */
	const char *hint;
} UserQuery;

/*
 * Prepares a query without running it.  names: where not NULL, gets how each of these columns becomes a name.  ERROR
 * 42601 unless it is one SELECT (VALUES, TABLE, WITH) of as many columns, 0A000 when it writes.
 */
extern void user_query_check(const UserQuery *query, const char *text, ValueText *names);

#endif							/* HKG_SERVER_USER_QUERY_H */
