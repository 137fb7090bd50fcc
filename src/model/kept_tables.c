/*
 * kept_tables.c
 *		Whether what is read from some tables of a graph can be kept (see kept_tables.h).
 *
 * A transaction that has written a table reads what others may never read.  A trigger of somebody else's may have asked
 * before ours gave the model's row another version; and VACUUM FULL may put that row in the place of a version that the
 * transaction wrote before.
 *
 * A copy must not show its reader more than the tables would.  Where a table has row security for the caller, or the
 * caller lacks the right to read all of it, the server decides anew at each reading.
 */
#include "kept_tables.h"

#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "server/visibility.h"
#include "server/written_rows.h"

static List *
add_written(List *written, Oid table)
{
	return table_is_written(table) ? list_append_unique_oid(written, table) : written;
}

List *
tables_written(const Graph *graph, const char *const *tables)
{
	List	   *written = NIL;

	for (int i = 0; tables[i] != NULL; i++)
	{
		written = add_written(written, graph_table(graph->schema, tables[i]));
		written = add_written(written, graph_table_here(graph->schema, tables[i]));
	}
	return written;
}

List *
tables_written_by_now(const Graph *graph, const char *const *tables)
{
	return TransactionIdIsValid(GetTopTransactionIdIfAny()) ? tables_written(graph, tables) : NIL;
}

static bool
is_altered(Oid table)
{
	Relation	relation = try_table_open(table, AccessShareLock);
	bool		altered;

	if (relation == NULL)
		return true;
	altered = relation->rd_createSubid == InvalidSubTransactionId &&
		CheckRelationLockedByMe(relation, ShareRowExclusiveLock, true);
	table_close(relation, AccessShareLock);
	return altered;
}

bool
tables_are_altered(const Graph *graph, const char *const *tables)
{
	bool		altered = false;

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	for (int i = 0; tables[i] != NULL && !altered; i++)
		altered = is_altered(graph_table(graph->schema, tables[i]));
	return altered;
}

bool
tables_are_shown_whole(const Graph *graph, const char *const *tables)
{
	for (int i = 0; tables[i] != NULL; i++)
		if (!visibility_of_all_rows(graph_table(graph->schema, tables[i])))
			return false;
	return true;
}
