/*
 * visibility.c
 *		What a statement sees (see visibility.h).
 */
#include "visibility.h"

#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"

static TransactionId *
copy_xids(const TransactionId *xids, int64 count)
{
	TransactionId *copy = palloc(Max(count, 1) * sizeof(TransactionId));

	if (count > 0)
		memcpy(copy, xids, count * sizeof(TransactionId));
	return copy;
}

static Visibility
view_of(Snapshot snapshot)
{
	return (Visibility) {
		.user = GetUserId(),
		.transaction = hkg_transaction(),
		.subtransaction = GetCurrentSubTransactionId(),
		.xmin = snapshot->xmin,
		.xmax = snapshot->xmax,
		.command = snapshot->curcid,
		.running = snapshot->xcnt,
		.running_xid = copy_xids(snapshot->xip, snapshot->xcnt),
		.subrunning = snapshot->subxcnt,
		.subrunning_xid = copy_xids(snapshot->subxip, snapshot->subxcnt),
		.overflowed = snapshot->suboverflowed
	};
}

Visibility
visibility_active(void)
{
	return view_of(GetActiveSnapshot());
}

/* Not GetLatestSnapshot, which is refused while a query runs in parallel. */
Visibility
visibility_latest(void)
{
	static SnapshotData latest = {.snapshot_type = SNAPSHOT_MVCC};

	return view_of(GetSnapshotData(&latest));
}

void
visibility_free(Visibility *view)
{
	pfree(view->running_xid);
	pfree(view->subrunning_xid);
	*view = (Visibility) {0};
}

static bool
same_xids(const TransactionId *a, const TransactionId *b, int64 count)
{
	return count == 0 || memcmp(a, b, count * sizeof(TransactionId)) == 0;
}

bool
visibility_is_active(const Visibility *view)
{
	Snapshot	snapshot = GetActiveSnapshot();

	return view->user == GetUserId() &&
		view->transaction == hkg_transaction() &&
		view->subtransaction == GetCurrentSubTransactionId() &&
		view->xmin == snapshot->xmin && view->xmax == snapshot->xmax &&
		view->command == snapshot->curcid &&
		view->running == snapshot->xcnt && view->subrunning == snapshot->subxcnt &&
		view->overflowed == snapshot->suboverflowed &&
		same_xids(view->running_xid, snapshot->xip, snapshot->xcnt) &&
		same_xids(view->subrunning_xid, snapshot->subxip, snapshot->subxcnt);
}

static bool
contains(const TransactionId *xids, int64 count, TransactionId xid)
{
	for (int64 i = 0; i < count; i++)
		if (xids[i] == xid)
			return true;
	return false;
}

/* Whether the view, too, does not show any of these. */
static bool
all_hidden(const Visibility *view, const TransactionId *xids, int64 count)
{
	for (int64 i = 0; i < count; i++)
		if (TransactionIdPrecedes(xids[i], view->xmax) &&
			!contains(view->running_xid, view->running, xids[i]) &&
			!contains(view->subrunning_xid, view->subrunning, xids[i]))
			return false;
	return true;
}

/* A subtransaction is seen with its parent; a standby's snapshots have both in one list. */
bool
visibility_is_covered(const Visibility *view)
{
	Snapshot	snapshot = GetActiveSnapshot();

	if (TransactionIdPrecedes(snapshot->xmax, view->xmax) ||
		(view->transaction == hkg_transaction() && snapshot->curcid < view->command))
		return false;
	return all_hidden(view, snapshot->xip, snapshot->xcnt) &&
		(!snapshot->takenDuringRecovery || all_hidden(view, snapshot->subxip, snapshot->subxcnt));
}
