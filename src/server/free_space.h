/*
 * free_space.h
 *		Room in a table that rows have left which nobody can see any more.
 */
#ifndef HKG_SERVER_FREE_SPACE_H
#define HKG_SERVER_FREE_SPACE_H

#include "compat.h"

/*
 * Has later inserts use the room that dead rows occupy, without waiting for vacuum.  What this transaction deleted
 * stays.  Nothing happens where there is no such table.
 */
extern void free_space_record(Oid oid);

#endif							/* HKG_SERVER_FREE_SPACE_H */
