/*
 * visibility.c
 *		What a statement can see (see visibility.h).
 */
#include "visibility.h"

#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static TransactionId *
copy_xids(const TransactionId *xids, int64 count)
{
	TransactionId *copy = palloc(Max(count, 1) * sizeof(TransactionId));

	if (count > 0)
		memcpy(copy, xids, count * sizeof(TransactionId));
	return copy;
}

static Visibility
visibility_of(Snapshot snapshot)
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
	return visibility_of(GetActiveSnapshot());
}

/* GetLatestSnapshot would be refused while a query runs in parallel. */
Visibility
visibility_latest(void)
{
	static SnapshotData latest = {.snapshot_type = SNAPSHOT_MVCC};

	return visibility_of(GetSnapshotData(&latest));
}

void
visibility_free(Visibility *visibility)
{
	pfree(visibility->running_xid);
	pfree(visibility->subrunning_xid);
	*visibility = (Visibility) {0};
}

static bool
same_xids(const TransactionId *a, const TransactionId *b, int64 count)
{
	return count == 0 || memcmp(a, b, count * sizeof(TransactionId)) == 0;
}

bool
visibility_is_active(const Visibility *visibility)
{
	Snapshot	snapshot = GetActiveSnapshot();

	return visibility->user == GetUserId() &&
		visibility->transaction == hkg_transaction() &&
		visibility->subtransaction == GetCurrentSubTransactionId() &&
		visibility->xmin == snapshot->xmin && visibility->xmax == snapshot->xmax &&
		visibility->command == snapshot->curcid &&
		visibility->running == snapshot->xcnt && visibility->subrunning == snapshot->subxcnt &&
		visibility->overflowed == snapshot->suboverflowed &&
		same_xids(visibility->running_xid, snapshot->xip, snapshot->xcnt) &&
		same_xids(visibility->subrunning_xid, snapshot->subxip, snapshot->subxcnt);
}

static bool
contains(const TransactionId *xids, int64 count, TransactionId xid)
{
	for (int64 i = 0; i < count; i++)
		if (xids[i] == xid)
			return true;
	return false;
}

bool
visibility_shows(const Visibility *visibility, TransactionId xid)
{
	return TransactionIdPrecedes(xid, visibility->xmax) &&
		!contains(visibility->running_xid, visibility->running, xid);
}

/* Whether `visibility` does not show any of these transactions either. */
static bool
all_hidden(const Visibility *visibility, const TransactionId *xids, int64 count)
{
	for (int64 i = 0; i < count; i++)
		if (TransactionIdPrecedes(xids[i], visibility->xmax) &&
			!contains(visibility->running_xid, visibility->running, xids[i]) &&
			!contains(visibility->subrunning_xid, visibility->subrunning, xids[i]))
			return false;
	return true;
}

/* A subtransaction becomes visible with its parent.  A standby's snapshots list both among the subtransactions. */
bool
visibility_is_covered(const Visibility *visibility)
{
	Snapshot	snapshot = GetActiveSnapshot();

	if (TransactionIdPrecedes(snapshot->xmax, visibility->xmax) ||
		(visibility->transaction == hkg_transaction() && snapshot->curcid < visibility->command))
		return false;
	return all_hidden(visibility, snapshot->xip, snapshot->xcnt) &&
		(!snapshot->takenDuringRecovery || all_hidden(visibility, snapshot->subxip, snapshot->subxcnt));
}

bool
visibility_of_all_rows(Oid table)
{
	bool		is_gone = false;
	Oid			schema = get_rel_namespace(table);

	return SearchSysCacheExists1(NAMESPACEOID, ObjectIdGetDatum(schema)) && hkg_may_use_schema(schema) &&
		pg_class_aclcheck_ext(table, GetUserId(), ACL_SELECT, &is_gone) == ACLCHECK_OK &&
		check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}
