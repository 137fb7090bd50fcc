/*
 * kept_tables.h
 *		Whether what is read from some tables of a graph, NULL-terminated, can be kept for later calls.
 */
#ifndef HKG_MODEL_KEPT_TABLES_H
#define HKG_MODEL_KEPT_TABLES_H

#include "server/compat.h"

#include "nodes/pg_list.h"

#include "graph/graph.h"

/*
 * Those that this transaction has written, as a list of Oid.  What it reads then may be gone when it is rolled back, and
 * a trigger that gives the model's row another version may not have run yet.
 */
extern List *tables_written(const Graph *graph, const char *const *tables);

/* The same, but none where the transaction has no number: then tables are not opened, and waited for. */
extern List *tables_written_by_now(const Graph *graph, const char *const *tables);

/*
 * Whether this transaction may have altered one of the tables, such as a trigger that gives the model's row another
 * version.  What it reads then has the version of what is there again after a rollback.
 */
extern bool tables_are_altered(const Graph *graph, const char *const *tables);

/* Whether the caller may read all of their rows, so that a copy shows no more than the tables would. */
extern bool tables_are_shown_whole(const Graph *graph, const char *const *tables);

#endif							/* HKG_MODEL_KEPT_TABLES_H */
