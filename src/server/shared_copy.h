/*
 * shared_copy.h
 *		Read-only data that all processes of the server share: made by one of them, mapped by the others.
 *
 * A copy is a list of parts: arrays without pointers, whose addresses differ from process to process.  Whoever opens
 * one makes a struct of its own, whose pointers lead into the parts.
 */
#ifndef HKG_SERVER_SHARED_COPY_H
#define HKG_SERVER_SHARED_COPY_H

#include "compat.h"

#include "copy_directory.h"
#include "copy_file.h"

/* A copy that this process has mapped */
typedef struct SharedCopy SharedCopy;

/* The right to build a copy; it ends with the memory context in which it was given. */
typedef struct CopyClaim CopyClaim;

/*
 * The copy, mapped until that context is deleted, and pinned until the transaction ends.  Where another process
 * builds it, waits.  NULL where there is none; where *claim is not NULL, the caller is to build it.
 */
extern SharedCopy *shared_copy_open(const CopyKey *key, MemoryContext context, CopyClaim **claim);

/* Writes the parts as the copy, and opens it.  NULL: there is no room for it, in hybridkg.shared_cache or on disk. */
extern SharedCopy *shared_copy_publish(CopyClaim *claim, const CopyPart *parts, int count, MemoryContext context);

/* Ends a claim without a copy.  NULL does nothing. */
extern void shared_copy_abandon(CopyClaim *claim);

extern CopyPart shared_copy_part(const SharedCopy *copy, int i);

/* Pins it for this transaction.  False: it was evicted, or a newer one has its place. */
extern bool shared_copy_use(SharedCopy *copy);

/* When this transaction commits, the copies of the schema are evicted: of each for which this was called. */
extern void shared_copy_drop(Oid schema);

#endif							/* HKG_SERVER_SHARED_COPY_H */
