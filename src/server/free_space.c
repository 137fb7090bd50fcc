/*
 * free_space.c
 *		Room in a table that dead rows have left (see free_space.h).
 *
 * Whoever replaces all rows again and again, in transactions in which vacuum cannot run, has a table that grows by a
 * copy each time until autovacuum comes.  The server prunes a page of dead rows whenever it reads one that is full; but
 * the room becomes known to inserts only by vacuum.  So we do that part of vacuum's work: each page is pruned, and its
 * room recorded.  Index entries and line pointers of the dead rows are left to vacuum.
 */
#include "free_space.h"

#include "access/heapam.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/freespace.h"
#include "utils/rel.h"

#include "host.h"

/* A page that may have dead rows is marked as full: of others the server prunes none that has some room left. */
static void
prune_page(Relation table, Buffer buffer)
{
	Page		page = BufferGetPage(buffer);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (!PageIsNew(page) && TransactionIdIsValid(((PageHeader) page)->pd_prune_xid))
	{
		PageSetFull(page);
		MarkBufferDirtyHint(buffer, true);
	}
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	heap_page_prune_opt(table, buffer);
}

static Size
page_room(Buffer buffer)
{
	Page		page = BufferGetPage(buffer);
	Size		room;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	room = PageIsNew(page) ? 0 : PageGetHeapFreeSpace(page);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return room;
}

static void
record_pages(Relation table)
{
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
	BlockNumber pages = RelationGetNumberOfBlocks(table);

	for (BlockNumber i = 0; i < pages; i++)
	{
		Buffer		buffer;

		hkg_check_interrupts();
		buffer = ReadBufferExtended(table, MAIN_FORKNUM, i, RBM_NORMAL, strategy);
		prune_page(table, buffer);
		RecordPageWithFreeSpace(table, i, page_room(buffer));
		ReleaseBuffer(buffer);
	}
	FreeSpaceMapVacuumRange(table, 0, pages);
	FreeAccessStrategy(strategy);
}

void
free_space_record(Oid oid)
{
	Relation	table = OidIsValid(oid) ? try_relation_open(oid, RowExclusiveLock) : NULL;

	if (table == NULL)
		return;
	if (table->rd_rel->relam == HEAP_TABLE_AM_OID)
	{
		record_pages(table);
		free_space_record(table->rd_rel->reltoastrelid);
	}
	relation_close(table, NoLock);
}
