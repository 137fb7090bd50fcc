/*
 * compat.h
 *		Differences between the server versions 15 to 18, and nothing else: all #if of a version are here.  When 15
 *		goes, so do the branches below 160000.
 */
#ifndef HKG_SERVER_COMPAT_H
#define HKG_SERVER_COMPAT_H

#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/*
 * The library is built with hidden symbols; SQL functions are exported.  Servers before 16 declare them without
 * visibility.
 */
#define HKG_EXPORT __attribute__((visibility("default")))
#define HKG_FUNCTION(name) \
	HKG_EXPORT Datum name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name)

/* All settings; since 16 they are in a hash table, and listed on demand. */
static inline struct config_generic **
hkg_server_settings(int *count)
{
#if PG_VERSION_NUM >= 160000
	return get_guc_variables(count);
#else
	*count = GetNumConfigOptions();
	return get_guc_variables();
#endif
}

/* The number of the transaction in this backend, which it has even when it writes nothing; since 17 in a struct. */
static inline LocalTransactionId
hkg_transaction(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProc->vxid.lxid;
#else
	return MyProc->lxid;
#endif
}

/* Whether this process holds that lock on a table, or a stronger one: since 17 one question. */
static inline bool
hkg_has_lock(Oid table, LOCKMODE mode)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
#if PG_VERSION_NUM >= 170000
	return LockHeldByMe(&tag, mode, true);
#else
	while (mode <= AccessExclusiveLock && !LockHeldByMe(&tag, mode))
		mode++;
	return mode <= AccessExclusiveLock;
#endif
}

/*
 * Replaces a row of a table without indexes; false where another transaction has done so, or is about to.  Since 16 a
 * table says which of its indexes need the new row.
 */
static inline bool
hkg_replace_row(Relation table, ItemPointer row, TupleTableSlot *values)
{
	TM_FailureData failure;
	LockTupleMode mode;
#if PG_VERSION_NUM >= 160000
	TU_UpdateIndexes indexes;
#else
	bool		indexes;
#endif

	return table_tuple_update(table, row, values, GetCurrentCommandId(true), SnapshotSelf, InvalidSnapshot, false, &failure,
							  &mode, &indexes) == TM_Ok;
}

/* Whether the caller may look up names in a schema, which is there; since 16 one function asks for all objects. */
static inline bool
hkg_may_use_schema(Oid schema)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#else
	return pg_namespace_aclcheck(schema, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#endif
}

/* An ERROR unless the caller may execute a function; since 16, as above. */
static inline void
hkg_check_may_call(Oid function)
{
#if PG_VERSION_NUM >= 160000
	AclResult	result = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
	AclResult	result = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
}

/* Index entries of a new row, all of them (an argument since 16); one that a unique index has already is an ERROR. */
static inline void
hkg_insert_index_tuples(ResultRelInfo *table, TupleTableSlot *row, EState *executor)
{
#if PG_VERSION_NUM >= 160000
	(void) ExecInsertIndexTuples(table, row, executor, false, false, NULL, NIL, false);
#else
	(void) ExecInsertIndexTuples(table, row, executor, false, false, NULL, NIL);
#endif
}

/* A scan without instrumentation, which is an argument since 18. */
static inline IndexScanDesc
hkg_index_beginscan(Relation table, Relation index, Snapshot snapshot, int keys)
{
#if PG_VERSION_NUM >= 180000
	return index_beginscan(table, index, snapshot, NULL, keys, 0);
#else
	return index_beginscan(table, index, snapshot, keys, 0);
#endif
}

/* Builds all indexes of a table anew; since 17 the statement is an argument. */
static inline void
hkg_reindex(Oid table)
{
	ReindexParams params = {0};

#if PG_VERSION_NUM >= 170000
	(void) reindex_relation(NULL, table, REINDEX_REL_CHECK_CONSTRAINTS, &params);
#else
	(void) reindex_relation(table, REINDEX_REL_CHECK_CONSTRAINTS, &params);
#endif
}

#endif							/* HKG_SERVER_COMPAT_H */
