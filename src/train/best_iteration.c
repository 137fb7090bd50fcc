/*
 * best_iteration.c
 *		The embeddings of the best iteration, put aside while training goes on.
 *
 * They are written when an iteration is better than those before, and read at most twice, so
 * that they need not take memory: they are in a temporary file.  After an error it goes with
 * the transaction, or, in a background worker, which takes many, with the process.  It must not be
 * closed then: closing writes what is left, which may be what failed.
 */
#include "best_iteration.h"

#include "miscadmin.h"

#define CHUNK_BYTES ((Size) 1024 * 1024)

static void
open_file(Procedure *procedure)
{
	MemoryContext caller = MemoryContextSwitchTo(procedure->lasting);

	procedure->aside = BufFileCreateTemp(procedure->in_worker);
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
best_iteration_put(Procedure *procedure)
{
	if (procedure->aside == NULL)
		open_file(procedure);
	rewind_file(procedure->aside);
	write_array(procedure->aside, procedure->model.entity, procedure_entity_bytes(procedure));
	write_array(procedure->aside, procedure->model.relation, procedure_relation_bytes(procedure));
	rewind_file(procedure->aside);
}

void
best_iteration_get(Procedure *procedure)
{
	rewind_file(procedure->aside);
	read_array(procedure->aside, procedure->model.entity, procedure_entity_bytes(procedure));
	read_array(procedure->aside, procedure->model.relation, procedure_relation_bytes(procedure));
}

void
best_iteration_close(Procedure *procedure)
{
	if (procedure->aside != NULL)
		BufFileClose(procedure->aside);
	procedure->aside = NULL;
}
