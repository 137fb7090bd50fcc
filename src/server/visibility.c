/*
 * visibility.c
 *		What this transaction can see, and what it has written (see visibility.h).
 */
#include "visibility.h"

#include "access/relation.h"
#include "access/transam.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

bool
table_is_written(Oid table)
{
	return TransactionIdIsValid(GetTopTransactionIdIfAny()) && hkg_has_lock(table, RowExclusiveLock);
}

/*
 * Rows that this transaction has written, as the server counts them for its statistics.  A statement that writes calls
 * triggers and functions between rows, and queries of these find more and more rows with equal snapshots.  Where the
 * server does not count (track_counts), another number each time.
 */
static uint64
rows_written(const List *tables)
{
	static uint64 uncounted = 0;
	uint64		rows = 0;
	const ListCell *cell;

	foreach(cell, tables)
	{
		Relation	table = try_relation_open(lfirst_oid(cell), AccessShareLock);

		if (table == NULL)
			continue;
		if (!pgstat_should_count_relation(table))
			rows += ++uncounted << 32;
		else
			for (PgStat_TableXactStatus *level = table->pgstat_info->trans; level != NULL; level = level->upper)
				rows += level->tuples_inserted + level->tuples_updated + level->tuples_deleted;
		relation_close(table, AccessShareLock);
	}
	return rows;
}

static uint64
hash_more(uint64 number, const void *bytes, Size count)
{
	return hash_bytes_extended(bytes, (int) count, number);
}

/* A rollback to a savepoint begins another subtransaction. */
uint64
transaction_number(const List *written)
{
	uint64		state[] = {
		hkg_transaction(), GetCurrentSubTransactionId(), GetActiveSnapshot()->curcid, rows_written(written)
	};

	return hash_more(0, state, sizeof(state));
}

uint64
snapshot_number(const List *written)
{
	Snapshot	snapshot = GetActiveSnapshot();
	uint64		state[] = {transaction_number(written), GetUserId(), snapshot->xmin, snapshot->xmax, snapshot->suboverflowed};
	uint64		number = hash_more(0, state, sizeof(state));

	number = hash_more(number, snapshot->xip, snapshot->xcnt * sizeof(TransactionId));
	return hash_more(number, snapshot->subxip, snapshot->subxcnt * sizeof(TransactionId));
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
