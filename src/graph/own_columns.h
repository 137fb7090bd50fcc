/*
 * own_columns.h
 *		Columns that a user has added to the tables of facts.
 */
#ifndef HKG_GRAPH_OWN_COLUMNS_H
#define HKG_GRAPH_OWN_COLUMNS_H

#include "server/compat.h"

#include "graph.h"

/* Of rows that move from one table to another; NULL: no column */
typedef struct OwnColumns
{
	char	   *shared;			/* ", source, page": those that both tables have, by name and type */
	char	   *lost;			/* whether a row f has a value in a column that the other table lacks, as a condition */
	char	   *lost_list;		/* "source text, page integer" */
} OwnColumns;

/* Of the tables of two splits.  Columns that are generated where the row goes, or where it was, have no value to lose. */
extern OwnColumns own_columns(const Graph *graph, const char *from, const char *to);

#endif							/* HKG_GRAPH_OWN_COLUMNS_H */
