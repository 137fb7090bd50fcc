/*
 * plain_table.h
 *		Whether a table of facts is as the layout made it.
 */
#ifndef HKG_GRAPH_PLAIN_TABLE_H
#define HKG_GRAPH_PLAIN_TABLE_H

#include "server/compat.h"

#include "utils/rel.h"

#include "graph.h"

/*
 * Whether a row of triple or holdout can be written past the executor, by the current user: an insert would do nothing
 * but check the constraints of columns, look for its entities and relation, write the row and its index entries, and
 * announce the change.
 */
extern bool table_is_plain(const Graph *graph, Relation table);

#endif							/* HKG_GRAPH_PLAIN_TABLE_H */
