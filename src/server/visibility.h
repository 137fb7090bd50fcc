/*
 * visibility.h
 *		What a statement can see: its snapshot, kept to compare later ones with it; rights to all rows of a table.
 */
#ifndef HKG_SERVER_VISIBILITY_H
#define HKG_SERVER_VISIBILITY_H

#include "compat.h"

/* All that decides which rows a statement finds: equal ones find the same. */
typedef struct Visibility
{
	Oid			user;			/* row security depends on it */
	LocalTransactionId transaction;
	SubTransactionId subtransaction;
	TransactionId xmin;
	TransactionId xmax;
	CommandId	command;
	uint32		running;
	TransactionId *running_xid;
	int32		subrunning;
	TransactionId *subrunning_xid;
	bool		overflowed;
} Visibility;

/* Of the active snapshot, in the current memory context. */
extern Visibility visibility_active(void);

/* Of a snapshot taken now, in the current memory context. */
extern Visibility visibility_latest(void);

extern void visibility_free(Visibility *visibility);

/* Whether the active snapshot finds the same. */
extern bool visibility_is_active(const Visibility *visibility);

/* Whether the active snapshot shows all changes that `visibility` shows; it may show more.  When in doubt, false. */
extern bool visibility_is_covered(const Visibility *visibility);

/*
 * Whether it shows what a transaction wrote that is no subtransaction, if that has committed.  Not for snapshots of a
 * standby.
 */
extern bool visibility_shows(const Visibility *visibility, TransactionId xid);

/* Whether the caller may read every row of a table: has the rights, and row security shows all.  False: no such table */
extern bool visibility_of_all_rows(Oid table);

#endif							/* HKG_SERVER_VISIBILITY_H */
