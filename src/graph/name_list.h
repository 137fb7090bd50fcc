/*
 * name_list.h
 *		The names of a query's rows, each once.
 */
#ifndef HKG_GRAPH_NAME_LIST_H
#define HKG_GRAPH_NAME_LIST_H

#include "server/compat.h"

#include "server/growing_array.h"
#include "server/named_numbers.h"

#define NO_ID PG_INT32_MIN

typedef struct NameList
{
	const char *table;
	NamedNumbers *position;		/* in `name` */
	char	  **name;			/* by first appearance */
	int32	   *id;				/* of name[i]; NO_ID until it was looked up or inserted */
	int64		count;
	int64		room;
	Numbers		known;			/* ids that were in the table; ascending, once all were looked up */
	bool		first;			/* the table had no names */
} NameList;

#endif							/* HKG_GRAPH_NAME_LIST_H */
