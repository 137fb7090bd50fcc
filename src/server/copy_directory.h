/*
 * copy_directory.h
 *		Which copies the server has, in shared memory: found, claimed by who builds them, evicted.
 */
#ifndef HKG_SERVER_COPY_DIRECTORY_H
#define HKG_SERVER_COPY_DIRECTORY_H

#include "compat.h"

/* setting hybridkg.shared_cache in kB; 0: no copy is shared */
extern int	hkg_shared_cache;

/* To be called when the library is loaded: later, its file may be another one. */
extern void copy_begin(void);

/* What a copy is made from.  Of a kind, schema and model there is one copy: the latest. */
typedef struct CopyKey
{
	const char *kind;
	Oid			schema;
	const char *graph;			/* its name: shown, not compared */
	const char *model;
	uint64		version;		/* of what it is read from */
	TransactionId xmax;			/* of the snapshot: not compared; an earlier one leaves a later copy in its place */
} CopyKey;

/* A slot of the directory, and the number of the copy that it had or was to get. */
typedef struct CopyEntry
{
	int			slot;
	uint64		number;			/* of the file; no other copy has it */
} CopyEntry;

/* The copy of that key, with one user more, and one pin; false when there is none, or nothing is shared. */
extern bool copy_find(const CopyKey *key, CopyEntry *entry);

/* A transaction uses it, so that it is not evicted; false where it was evicted or replaced before.  And ends */
extern bool copy_pin(CopyEntry entry);
extern void copy_unpin(CopyEntry entry);

/* One user less. */
extern void copy_release(CopyEntry entry);

/* ---- building ------------------------------------------------------------------ */

/* The right to build it; false where another process has it, or there is no free slot. */
extern bool copy_claim(const CopyKey *key, CopyEntry *entry);

/* Waits until no other process builds it; false where it is better not to wait. */
extern bool copy_wait(const CopyKey *key);

/* Evicts what is not pinned until there is room for that many bytes; false when that is not enough. */
extern bool copy_make_room(CopyEntry claim, uint64 bytes);

/* Its file is complete.  It takes the place of an older one, and has one user and one pin. */
extern void copy_complete(CopyEntry claim);

/* The right to build it ends; a part of a file is removed. */
extern void copy_abandon(CopyEntry claim);

/* ---- eviction ------------------------------------------------------------------ */

extern void copy_evict(CopyEntry entry);

/* All copies of a schema of this database, while a transaction commits: copy_look_up has found the directory before. */
extern void copy_evict_schema(Oid schema);
extern void copy_look_up(void);

#endif							/* HKG_SERVER_COPY_DIRECTORY_H */
