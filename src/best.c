/*
 * best.c
 *		The embeddings of the best iteration, put aside while training goes on.
 *
 * They are written when an iteration is better than those before, and read at most once, so
 * that they need not take memory: they are in a temporary file.  That may outlive a
 * transaction (a training in the background commits between iterations), so it is
 * the procedure's memory context that it goes with.
 */
#include "best.h"

#include "miscadmin.h"

#define CHUNK_BYTES ((Size) 1024 * 1024)

static void
close_file(void *file)
{
	BufFileClose(file);
}

static void
open_file(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->lasting);
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	procedure->aside = BufFileCreateTemp(true);
	callback->func = close_file;
	callback->arg = procedure->aside;
	MemoryContextRegisterResetCallback(procedure->lasting, callback);
	MemoryContextSwitchTo(caller);
}

/* Also writes what is left in the file's buffer. */
static void
rewind_file(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file: %m")));
}

static void
write_array(BufFile *file, float *values, Size bytes)
{
	for (Size done = 0; done < bytes; done += CHUNK_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		BufFileWrite(file, (char *) values + done, Min(CHUNK_BYTES, bytes - done));
	}
}

static void
read_array(BufFile *file, float *values, Size bytes)
{
	for (Size done = 0; done < bytes; done += CHUNK_BYTES)
	{
		Size		some = Min(CHUNK_BYTES, bytes - done);

		CHECK_FOR_INTERRUPTS();
		if (BufFileRead(file, (char *) values + done, some) != some)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read a temporary file: %m")));
	}
}

void
best_put(Procedure *procedure)
{
	if (procedure->aside == NULL)
		open_file(procedure);
	rewind_file(procedure->aside);
	write_array(procedure->aside, procedure->model.entity, procedure_entity_bytes(procedure));
	write_array(procedure->aside, procedure->model.relation, procedure_relation_bytes(procedure));
	rewind_file(procedure->aside);
}

void
best_get(Procedure *procedure)
{
	rewind_file(procedure->aside);
	read_array(procedure->aside, procedure->model.entity, procedure_entity_bytes(procedure));
	read_array(procedure->aside, procedure->model.relation, procedure_relation_bytes(procedure));
}
