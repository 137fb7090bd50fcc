/*
 * copy_file.h
 *		The files of shared copies: written by one process, mapped by all.
 */
#ifndef HKG_SERVER_COPY_FILE_H
#define HKG_SERVER_COPY_FILE_H

#include "compat.h"

typedef struct CopyPart
{
	const void *data;
	Size		bytes;
} CopyPart;

/* of the directory and of the files: where another version has another one, each has files of its own */
#define COPY_LAYOUT "1"

#define COPY_PARTS 16			/* of a copy, at most */

/* Bytes of the file that holds these parts */
extern uint64 copy_file_bytes(const CopyPart *parts, int count);

/* False, with a line in the server's log, where it cannot be written; what was written is removed then. */
extern bool copy_file_write(uint64 number, const CopyPart *parts, int count);

extern void copy_file_remove(uint64 number);

/* Those of a server that has crashed. */
extern void copy_file_remove_all(void);

/* A file that is mapped; base is NULL where there is no such file. */
typedef struct CopyMapping
{
	char	   *base;
	Size		bytes;
} CopyMapping;

extern CopyMapping copy_file_map(uint64 number);
extern void copy_file_unmap(CopyMapping mapping);

/* Part i of it, at a multiple of 64 */
extern CopyPart copy_file_part(CopyMapping mapping, int i);

#endif							/* HKG_SERVER_COPY_FILE_H */
