/*
 * distribution.h
 *		Where the tables of a graph are, on a server with Citus.
 *
 * Only distribution.c reads the catalogues of Citus.  On a server without it, every answer is that of a plain table, at
 * the price of one look-up in a cache.
 */
#ifndef HKG_GRAPH_DISTRIBUTION_H
#define HKG_GRAPH_DISTRIBUTION_H

#include "server/compat.h"

#include "graph.h"

/* Whether the table is one of Citus's: its rows are in other tables, and are written by statements alone. */
extern bool table_is_distributed(Oid table);

/*
 * The table of this node that holds the rows of a graph's table: the copy where it is a reference table, else the table
 * itself; that, too, where the copy must not be read: this transaction may have written rows by another connection.
 * InvalidOid when there is no table of that name.
 */
extern Oid	graph_table_here(Oid schema, const char *table);

/* Its name for a query that reads it, quoted, with the schema; in the current context. */
extern char *graph_table_name(const Graph *graph, const char *table);

/*
 * Whether this transaction may have written the table of a distributed graph by another connection.  Nothing is noted
 * of that until it commits, so that what is read meanwhile must not be kept.
 */
extern bool graph_writes_elsewhere(Oid schema, const char *table);

/* ERROR 0A000, with the way out, when a table of the graph is where its functions would not find all of its rows. */
extern void graph_check_distribution(const Graph *graph);

/* The same for functions that need facts and names alone; they run on workers, too. */
extern void graph_check_facts(const Graph *graph);

/* Whether the work on its facts can be done by slices, on the nodes that have the rows of table slice. */
extern bool graph_has_slices(const Graph *graph);

#endif							/* HKG_GRAPH_DISTRIBUTION_H */
