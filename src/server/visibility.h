/*
 * visibility.h
 *		What this transaction can see, and what it has written.
 */
#ifndef HKG_SERVER_VISIBILITY_H
#define HKG_SERVER_VISIBILITY_H

#include "compat.h"

#include "nodes/pg_list.h"

/* Whether this transaction has locked a table to write it, or to alter it.  A parallel worker has none of its locks. */
extern bool table_is_written(Oid table);

/*
 * A number for what this transaction has done to these tables, a list of Oid: where it is the same, the transaction has
 * written no row of them in between, and rolled none back.
 */
extern uint64 transaction_number(const List *written);

/* The same with all that decides which rows a statement finds: the active snapshot, and the user. */
extern uint64 snapshot_number(const List *written);

/* Whether the caller may read every row of a table: has the rights, and row security shows all.  False: no such table */
extern bool visibility_of_all_rows(Oid table);

#endif							/* HKG_SERVER_VISIBILITY_H */
