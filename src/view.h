/*
 * view.h
 *		What a statement sees: its snapshot, kept to compare others with.
 */
#ifndef HKG_VIEW_H
#define HKG_VIEW_H

#include "compat.h"

/* All that decides what our statements find; equal ones find the same. */
typedef struct View
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
} View;

/* That of the active snapshot, in the current context. */
extern View view_active(void);

/* That of a statement that began now, in the current context. */
extern View view_latest(void);

extern void view_free(View *view);

/* Whether the active snapshot is that of the view. */
extern bool view_is_active(const View *view);

/* Whether the active snapshot shows all changes that the view shows; it may show more.  When in doubt, false. */
extern bool view_is_covered(const View *view);

#endif							/* HKG_VIEW_H */
