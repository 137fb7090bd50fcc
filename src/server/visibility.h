/*
 * visibility.h
 *		What a statement sees: its snapshot, kept to compare others with.
 */
#ifndef HKG_SERVER_VISIBILITY_H
#define HKG_SERVER_VISIBILITY_H

#include "compat.h"

/* All that decides what our statements find; equal ones find the same. */
typedef struct Visibility
{
	Oid			user;
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

/* That of the active snapshot, in the current context. */
extern Visibility visibility_active(void);

/* That of a statement that began now, in the current context. */
extern Visibility visibility_latest(void);

extern void visibility_free(Visibility *view);

/* Whether the active snapshot is that of the view. */
extern bool visibility_is_active(const Visibility *view);

/* Whether the active snapshot shows all changes that the view shows; it may show more.  When in doubt, false. */
extern bool visibility_is_covered(const Visibility *view);

#endif							/* HKG_SERVER_VISIBILITY_H */
