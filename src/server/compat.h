/*
 * compat.h
 *		Differences between the server versions 14 to 18, and nothing else.
 */
#ifndef HKG_SERVER_COMPAT_H
#define HKG_SERVER_COMPAT_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "storage/proc.h"
#include "utils/guc.h"

/*
 * The library is built with hidden symbols; SQL functions are exported.  Servers before 16 declare them without
 * visibility.
 */
#define HKG_EXPORT __attribute__((visibility("default")))
#define HKG_FUNCTION(name) \
	HKG_EXPORT Datum name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name)

/* MarkGUCPrefixReserved has this name since 15. */
static inline void
hkg_reserve_prefix(const char *prefix)
{
#if PG_VERSION_NUM >= 150000
	MarkGUCPrefixReserved(prefix);
#else
	EmitWarningsOnPlaceholders(prefix);
#endif
}

/* The number of the transaction in this backend, which it has even when it writes nothing. */
static inline LocalTransactionId
hkg_transaction(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProc->vxid.lxid;
#else
	return MyProc->lxid;
#endif
}

#endif							/* HKG_SERVER_COMPAT_H */
