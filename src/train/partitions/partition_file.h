/*
 * partition_file.h
 *		A temporary file of the server with the embeddings of all entities and the state of their optimizer.
 */
#ifndef HKG_TRAIN_PARTITION_FILE_H
#define HKG_TRAIN_PARTITION_FILE_H

#include "server/compat.h"

#include "storage/fd.h"

#include "kge/learning.h"

/* Both have a row for each entity. */
typedef enum FilePart
{
	FILE_EMBEDDINGS,
	FILE_STATE,
	FILE_PARTS
} FilePart;

typedef struct PartitionFile
{
	int32		rows;
	Size		row_bytes[FILE_PARTS];
	File		file;
	char	   *mapped;
} PartitionFile;

extern uint64 partition_file_bytes(const PartitionFile *file);

/*
 * Creates a file of those sizes.  It is deleted with the transaction, or, in a background worker, with the process;
 * it counts against temp_file_limit.
 */
extern void partition_file_open(PartitionFile *file, bool in_worker);

/* Deletes it; what it is mapped to stays. */
extern void partition_file_close(PartitionFile *file);

/* Copies a stripe's rows to the file or from it; each row is to be written before all else. */
extern void partition_file_write(const PartitionFile *file, FilePart part, KgeStripe stripe, const float *rows);
extern void partition_file_read(const PartitionFile *file, FilePart part, KgeStripe stripe, float *rows);

/* The file as memory, to read and to write, until the current context is deleted; every row must have been written. */
extern void partition_file_map(PartitionFile *file);
extern float *partition_file_rows(const PartitionFile *file, FilePart part);

/* The process lets go of the pages that it has looked at; they stay in the system's cache of files. */
extern void partition_file_forget(const PartitionFile *file);

#endif							/* HKG_TRAIN_PARTITION_FILE_H */
