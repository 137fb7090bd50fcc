/*
 * copy_file.c
 *		The files of shared copies (see copy_file.h).
 *
 * They are in the server's folder of temporary files, and their names begin as those of temporary files do.  So a start
 * of the server removes them, after a crash too, and backups leave them out.
 *
 * Why files: /dev/shm, where segments of shared memory are, is small in a container.  The pages of a file belong to the
 * system's cache of files, which writes them out when memory is short; a segment would fill the memory.  Measured on
 * 600 MB, a file of ext4 against a segment, Linux 6.18, in processor ms (medians of three): a process's first pass over
 * 110 MB 4 against 13, its first 20,000 random rows 1 against 31, since the cache of files maps many pages at a time;
 * to write all of it, which one process does once, 1,294 against 314.
 *
 * All blocks are written, never a hole mapped: a full disk is an error of write, not a signal when a page is touched.
 */
#include "copy_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_utils.h"	/* PG_TEMP_FILES_DIR, since 17 */
#include "storage/fd.h"

#include "host.h"

#define FOLDER "base/" PG_TEMP_FILES_DIR
#define PREFIX PG_TEMP_FILE_PREFIX "_hybridkg" COPY_LAYOUT "."
#define ALIGNMENT 64
#define WRITTEN_AT_ONCE ((uint64) 4 << 20)

/* At the front; the parts follow, each at a multiple of ALIGNMENT. */
typedef struct FileHeader
{
	int64		count;
	uint64		bytes[COPY_PARTS];
} FileHeader;

static uint64
aligned(uint64 bytes)
{
	return TYPEALIGN64(ALIGNMENT, bytes);
}

uint64
copy_file_bytes(const CopyPart *parts, int count)
{
	uint64		bytes = aligned(sizeof(FileHeader));

	for (int i = 0; i < count; i++)
		bytes += aligned(parts[i].bytes);
	return bytes;
}

/* ---- names ------------------------------------------------------------------------- */

typedef char Path[MAXPGPATH];

static void
path_of(uint64 number, Path path)
{
	snprintf(path, MAXPGPATH, FOLDER "/" PREFIX UINT64_FORMAT, number);
}

void
copy_file_remove(uint64 number)
{
	Path		path;

	path_of(number, path);
	(void) unlink(path);
}

void
copy_file_remove_all(void)
{
	DIR		   *folder = AllocateDir(FOLDER);
	struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = ReadDirExtended(folder, FOLDER, LOG)) != NULL)
	{
		char	   *path = psprintf(FOLDER "/%s", entry->d_name);

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
			(void) unlink(path);
		pfree(path);
	}
	FreeDir(folder);
}

/* ---- writing ------------------------------------------------------------------------ */

typedef struct CopyWriter
{
	int			file;
	uint64		end;			/* of what is written */
} CopyWriter;

/*
 * False, with errno set, when not all of it was written.  No write goes past a multiple of WRITTEN_AT_ONCE, so that
 * the cache of files can hold the file in huge pages.
 */
static bool
write_all(CopyWriter *writer, const char *data, uint64 bytes)
{
	while (bytes > 0)
	{
		uint64		room = WRITTEN_AT_ONCE - writer->end % WRITTEN_AT_ONCE;
		ssize_t		written;

		hkg_check_interrupts();
		written = write(writer->file, data, Min(bytes, room));
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
		{
			errno = written == 0 ? ENOSPC : errno;
			return false;
		}
		data += written;
		bytes -= (uint64) written;
		writer->end += (uint64) written;
	}
	return true;
}

static bool
write_padded(CopyWriter *writer, const void *data, uint64 bytes)
{
	static const char zeros[ALIGNMENT] = {0};

	return write_all(writer, data, bytes) && write_all(writer, zeros, aligned(bytes) - bytes);
}

static bool
write_parts(int file, const CopyPart *parts, int count)
{
	CopyWriter	writer = {.file = file};
	FileHeader	header = {.count = count};
	bool		written;

	for (int i = 0; i < count; i++)
		header.bytes[i] = parts[i].bytes;
	written = write_padded(&writer, &header, sizeof(header));
	for (int i = 0; written && i < count; i++)
		written = write_padded(&writer, parts[i].data, parts[i].bytes);
	return written;
}

/* The folder is made when the server first needs it. */
static int
create(const char *path)
{
	int			file = OpenTransientFile(path, O_WRONLY | O_CREAT | O_TRUNC | PG_BINARY);

	if (file >= 0 || errno != ENOENT)
		return file;
	(void) MakePGDirectory(FOLDER);
	return OpenTransientFile(path, O_WRONLY | O_CREAT | O_TRUNC | PG_BINARY);
}

bool
copy_file_write(uint64 number, const CopyPart *parts, int count)
{
	Path		path;
	int			file;
	bool		written;

	path_of(number, path);
	file = create(path);
	written = file >= 0 && write_parts(file, parts, count);
	if (!written)
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not write file \"%s\": %m", path),
				 errdetail("A session keeps a model in its own memory instead.")));
	if (file >= 0)
		(void) CloseTransientFile(file);
	if (!written)
		(void) unlink(path);
	return written;
}

/* ---- mapping ------------------------------------------------------------------------ */

CopyMapping
copy_file_map(uint64 number)
{
	CopyMapping mapping = {0};
	struct stat status;
	Path		path;
	void	   *base = MAP_FAILED;
	int			file;

	path_of(number, path);
	file = OpenTransientFile(path, O_RDONLY | PG_BINARY);
	if (file < 0)
		return mapping;
	if (fstat(file, &status) == 0 && status.st_size > 0)
		base = mmap(NULL, (Size) status.st_size, PROT_READ, MAP_SHARED, file, 0);
	(void) CloseTransientFile(file);
	if (base != MAP_FAILED)
		mapping = (CopyMapping) {base, (Size) status.st_size};
	return mapping;
}

void
copy_file_unmap(CopyMapping mapping)
{
	(void) munmap(mapping.base, mapping.bytes);
}

CopyPart
copy_file_part(CopyMapping mapping, int i)
{
	const FileHeader *header = (const FileHeader *) mapping.base;
	uint64		offset = aligned(sizeof(FileHeader));

	Assert(i < header->count);
	for (int j = 0; j < i; j++)
		offset += aligned(header->bytes[j]);
	return (CopyPart) {mapping.base + offset, header->bytes[i]};
}
