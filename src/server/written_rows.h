/*
 * written_rows.h
 *		What this transaction has written to tables so far.
 *
 * A statement that writes rows calls triggers and functions between them.  Queries of these find the rows written so
 * far, all with equal snapshots.  So what is kept of a table for a snapshot holds only while no row is added.
 */
#ifndef HKG_SERVER_WRITTEN_ROWS_H
#define HKG_SERVER_WRITTEN_ROWS_H

#include "compat.h"

#include "nodes/pg_list.h"

/* Whether this transaction has locked the table as one does who writes it. */
extern bool table_is_written(Oid table);

/*
 * Rows that this transaction has inserted, updated or deleted in these tables, a list of Oid.  What was rolled back may
 * count.  Where it writes one of them and the server does not count (track_counts), another number each time.
 */
extern uint64 rows_written(const List *tables);

#endif							/* HKG_SERVER_WRITTEN_ROWS_H */
