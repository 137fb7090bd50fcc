/*
 * written_rows.c
 *		What this transaction has written to tables so far (see written_rows.h).
 *
 * The server counts rows for its statistics, by table and by subtransaction, as they are written.
 */
#include "written_rows.h"

#include "access/relation.h"
#include "access/transam.h"
#include "access/xact.h"
#include "storage/lmgr.h"

static bool
is_written(Relation table)
{
	return CheckRelationLockedByMe(table, RowExclusiveLock, true);
}

bool
table_is_written(Oid table)
{
	Relation	relation = try_relation_open(table, AccessShareLock);
	bool		written = relation != NULL && is_written(relation);

	if (relation != NULL)
		relation_close(relation, AccessShareLock);
	return written;
}

static uint64
rows_of(Relation table)
{
	static uint64 uncounted = 0;
	uint64		rows = 0;

	if (!hkg_counts_rows(table))
		return is_written(table) ? ++uncounted : 0;
	for (PgStat_TableXactStatus *level = table->pgstat_info->trans; level != NULL; level = level->upper)
		rows += level->tuples_inserted + level->tuples_updated + level->tuples_deleted;
	return rows;
}

uint64
rows_written(const List *tables)
{
	uint64		rows = 0;
	const ListCell *cell;

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return 0;
	foreach(cell, tables)
	{
		Relation	table = try_relation_open(lfirst_oid(cell), AccessShareLock);

		if (table == NULL)
			continue;
		rows += rows_of(table);
		relation_close(table, AccessShareLock);
	}
	return rows;
}
