/*
 * partition_file.c
 *		The file in which partitions wait (see partition_file.h).
 *
 * Epochs read and write stripes of it, and an error of the disk is an ERROR.  What comes after epochs needs any row, or
 * all in turn, and finds them in memory that the file is mapped to: it reads embeddings as if they were there, and the
 * system drops their pages when memory is short.  All blocks were written before, so a full disk is no signal.
 */
#include "partition_file.h"

#include <sys/mman.h>

#include "commands/tablespace.h"
#include "utils/wait_event.h"

#include "server/host.h"

#define COPIED_AT_ONCE ((Size) 1024 * 1024)

static off_t
start_of(const PartitionFile *file, FilePart part)
{
	return part == FILE_EMBEDDINGS ? 0 : (off_t) file->rows * (off_t) file->row_bytes[FILE_EMBEDDINGS];
}

uint64
partition_file_bytes(const PartitionFile *file)
{
	return (uint64) file->rows * (file->row_bytes[FILE_EMBEDDINGS] + file->row_bytes[FILE_STATE]);
}

void
partition_file_open(PartitionFile *file, bool in_worker)
{
	PrepareTempTablespaces();
	file->file = OpenTemporaryFile(in_worker);
	file->mapped = NULL;
}

void
partition_file_close(PartitionFile *file)
{
	FileClose(file->file);
}

/* ---- stripes ---------------------------------------------------------------------- */

static void
raise_failure(const char *what)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not %s a temporary file: %m", what)));
}

static void
copy_rows(const PartitionFile *file, FilePart part, KgeStripe stripe, char *rows, bool writes)
{
	off_t		start = start_of(file, part) + (off_t) stripe.from * (off_t) file->row_bytes[part];
	Size		bytes = (Size) stripe.count * file->row_bytes[part];

	for (Size done = 0; done < bytes; done += COPIED_AT_ONCE)
	{
		int			some = (int) Min(bytes - done, COPIED_AT_ONCE);
		off_t		place = start + (off_t) done;
		int			copied;

		hkg_check_interrupts();
		errno = 0;
		copied = writes ? (int) FileWrite(file->file, rows + done, some, place, WAIT_EVENT_BUFFILE_WRITE) :
			(int) FileRead(file->file, rows + done, some, place, WAIT_EVENT_BUFFILE_READ);
		if (copied == some)
			continue;
		if (errno == 0)
			errno = writes ? ENOSPC : EIO;
		raise_failure(writes ? "write to" : "read");
	}
}

void
partition_file_write(const PartitionFile *file, FilePart part, KgeStripe stripe, const float *rows)
{
	copy_rows(file, part, stripe, (char *) rows, true);
}

void
partition_file_read(const PartitionFile *file, FilePart part, KgeStripe stripe, float *rows)
{
	copy_rows(file, part, stripe, (char *) rows, false);
}

/* ---- as memory ---------------------------------------------------------------------- */

typedef struct Mapping
{
	MemoryContextCallback end;
	void	   *memory;
	Size		bytes;
} Mapping;

static void
unmap(void *argument)
{
	Mapping    *mapping = argument;

	(void) munmap(mapping->memory, mapping->bytes);
}

void
partition_file_map(PartitionFile *file)
{
	Mapping    *mapping = palloc(sizeof(Mapping));
	Size		bytes = partition_file_bytes(file);
	void	   *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, FileGetRawDesc(file->file), 0);

	if (memory == MAP_FAILED)
		raise_failure("map");
	*mapping = (Mapping) {{unmap, mapping, NULL}, memory, bytes};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &mapping->end);
	file->mapped = memory;
}

float *
partition_file_rows(const PartitionFile *file, FilePart part)
{
	return (float *) (file->mapped + start_of(file, part));
}

void
partition_file_forget(const PartitionFile *file)
{
	(void) madvise(file->mapped, partition_file_bytes(file), MADV_DONTNEED);
}
