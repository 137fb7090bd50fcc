/*
 * shared_copy.c
 *		The copies that this process has mapped (see shared_copy.h).
 *
 * A mapping and a claim end with a memory context, after an error too, or with the process, whose contexts may be
 * deleted after that.
 */
#include "shared_copy.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "pause.h"

struct SharedCopy
{
	dlist_node	node;
	MemoryContextCallback end;
	CopyEntry	entry;
	CopyMapping mapping;
	bool		pinned;
	bool		closed;
};

struct CopyClaim
{
	dlist_node	node;
	MemoryContextCallback end;
	CopyEntry	entry;
	bool		ended;
};

static dlist_head mapped = DLIST_STATIC_INIT(mapped);
static dlist_head claims = DLIST_STATIC_INIT(claims);
static List *dropped_schemas = NIL; /* by this transaction, in its context */

/* ---- ends ------------------------------------------------------------------------- */

static void
unpin(SharedCopy *copy)
{
	if (copy->pinned)
		copy_unpin(copy->entry);
	copy->pinned = false;
}

static void
end_transaction(XactEvent event, void *argument)
{
	dlist_iter	iter;
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PARALLEL_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		return;
	dlist_foreach(iter, &mapped)
		unpin(dlist_container(SharedCopy, node, iter.cur));
	/* a subtransaction that was rolled back may have dropped one: then its copies are built again */
	if (event == XACT_EVENT_COMMIT)
		foreach(cell, dropped_schemas)
			copy_evict_schema(lfirst_oid(cell));
	dropped_schemas = NIL;
}

static void
close_copy(void *argument)
{
	SharedCopy *copy = argument;

	if (copy->closed)
		return;
	copy->closed = true;
	dlist_delete(&copy->node);
	unpin(copy);
	if (copy->mapping.base != NULL)
		copy_file_unmap(copy->mapping);
	copy_release(copy->entry);
}

static void
end_claim(void *argument)
{
	shared_copy_abandon(argument);
}

static void
end_process(int code, Datum argument)
{
	while (!dlist_is_empty(&claims))
		shared_copy_abandon(dlist_head_element(CopyClaim, node, &claims));
	while (!dlist_is_empty(&mapped))
		close_copy(dlist_head_element(SharedCopy, node, &mapped));
}

static void
watch_ends(void)
{
	static bool watched = false;

	if (watched)
		return;
	RegisterXactCallback(end_transaction, NULL);
	before_shmem_exit(end_process, (Datum) 0);
	watched = true;
}

/* ---- opening ------------------------------------------------------------------------ */

/* copy: zeroed memory of `context`.  entry has this process as a user, and its pin; false when its file is gone. */
static bool
map_entry(SharedCopy *copy, CopyEntry entry, MemoryContext context)
{
	copy->entry = entry;
	copy->pinned = true;
	copy->end = (MemoryContextCallback) {.func = close_copy,.arg = copy};
	dlist_push_head(&mapped, &copy->node);
	MemoryContextRegisterResetCallback(context, &copy->end);
	copy->mapping = copy_file_map(entry.number);
	if (copy->mapping.base == NULL)
		copy_evict(entry);
	return copy->mapping.base != NULL;
}

/* In a context of its own, so that a copy whose file is gone is let go of. */
static SharedCopy *
find_copy(const CopyKey *key, MemoryContext context)
{
	MemoryContext mapping = AllocSetContextCreate(context, "hybridkg mapping", ALLOCSET_SMALL_SIZES);
	SharedCopy *copy = MemoryContextAllocZero(mapping, sizeof(SharedCopy));
	CopyEntry	entry;

	if (copy_find(key, &entry) && map_entry(copy, entry, mapping))
		return copy;
	MemoryContextDelete(mapping);
	return NULL;
}

static CopyClaim *
claim_copy(const CopyKey *key)
{
	CopyClaim  *claim = palloc0(sizeof(CopyClaim));

	if (!copy_claim(key, &claim->entry))
		return NULL;
	claim->end = (MemoryContextCallback) {.func = end_claim,.arg = claim};
	dlist_push_head(&claims, &claim->node);
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &claim->end);
	return claim;
}

SharedCopy *
shared_copy_open(const CopyKey *key, MemoryContext context, CopyClaim **claim)
{
	SharedCopy *copy;

	watch_ends();
	*claim = NULL;
	copy = find_copy(key, context);
	if (copy == NULL)
		*claim = claim_copy(key);
	if (copy != NULL || *claim != NULL || !copy_wait(key))
		return copy;
	copy = find_copy(key, context);
	if (copy == NULL)
		*claim = claim_copy(key);
	return copy;
}

CopyPart
shared_copy_part(const SharedCopy *copy, int i)
{
	return copy_file_part(copy->mapping, i);
}

bool
shared_copy_use(SharedCopy *copy)
{
	if (copy->pinned || hkg_shared_cache == 0)
		return hkg_shared_cache > 0;
	copy->pinned = true;
	return copy_pin(copy->entry);
}

/* ---- building ----------------------------------------------------------------------- */

static void
end_of_claim(CopyClaim *claim)
{
	claim->ended = true;
	dlist_delete(&claim->node);
}

void
shared_copy_abandon(CopyClaim *claim)
{
	if (claim == NULL || claim->ended)
		return;
	end_of_claim(claim);
	copy_abandon(claim->entry);
}

SharedCopy *
shared_copy_publish(CopyClaim *claim, const CopyPart *parts, int count, MemoryContext context)
{
	SharedCopy *copy = MemoryContextAllocZero(context, sizeof(SharedCopy));

	if (!copy_make_room(claim->entry, copy_file_bytes(parts, count)) ||
		!copy_file_write(claim->entry.number, parts, count))
	{
		shared_copy_abandon(claim);
		return NULL;
	}
	hkg_pause_at("sharing a copy");
	copy_complete(claim->entry);
	end_of_claim(claim);
	return map_entry(copy, claim->entry, context) ? copy : NULL;
}

void
shared_copy_drop(Oid schema)
{
	MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);

	watch_ends();
	copy_look_up();
	dropped_schemas = lappend_oid(dropped_schemas, schema);
	MemoryContextSwitchTo(caller);
}
