/*
 * shared_memory.h
 *		Small structs that all processes of the server share.
 *
 * The first process that asks for a struct makes it; it lasts as long as the server.  It fits into what every server
 * keeps to spare, so nothing has to be preloaded.  A name has the number of a layout, since another version of this
 * library may have made the struct: raise it when the struct changes.
 */
#ifndef HKG_SERVER_SHARED_MEMORY_H
#define HKG_SERVER_SHARED_MEMORY_H

#include "compat.h"

/*
 * The struct of that name.  Whoever makes it gets it zeroed in `initialize`, before any other process does.  NULL when
 * the server has no room left: then no process has it.
 */
extern void *shared_memory(const char *name, Size bytes, void (*initialize) (void *memory));

#endif							/* HKG_SERVER_SHARED_MEMORY_H */
