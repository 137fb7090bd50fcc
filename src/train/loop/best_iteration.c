/*
 * best_iteration.c
 *		What is kept of the best iteration while training goes on.
 *
 * Its embeddings are in a temporary file, and take no memory: they are written when an iteration is better than those
 * before, and read at most twice.  After an error the file goes with the transaction, or with the process in a
 * background worker, where it outlives transactions; it is not closed, as closing writes what is left in its buffer, and
 * that may be what failed.
 */
#include "procedure.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#define CHUNK_BYTES ((Size) 1024 * 1024)

void
best_iteration_open(BestIteration *best, int64 rules, bool in_worker)
{
	best->context = CurrentMemoryContext;
	best->in_worker = in_worker;
	best->rule = MemoryContextAllocHuge(CurrentMemoryContext, Max(rules, 1) * sizeof(MinedRule));
}

static void
open_file(BestIteration *best)
{
	MemoryContext caller = MemoryContextSwitchTo(best->context);

	best->file = BufFileCreateTemp(best->in_worker);
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
write_array(BufFile *file, const float *values, Size bytes)
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
		errno = EIO;			/* unless a call says more: a short read has none */
		if (BufFileRead(file, (char *) values + done, some) != some)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read a temporary file: %m")));
	}
}

void
best_iteration_store(BestIteration *best, const Learner *learner)
{
	if (best->file == NULL)
		open_file(best);
	rewind_file(best->file);
	write_array(best->file, learner->model.entity, learner_entity_bytes(learner));
	write_array(best->file, learner->model.relation, learner_relation_bytes(learner));
	rewind_file(best->file);
}

void
best_iteration_restore(BestIteration *best, Learner *learner)
{
	if (learner->embeddings == EMBEDDINGS_BEST)
		return;
	rewind_file(best->file);
	read_array(best->file, learner->model.entity, learner_entity_bytes(learner));
	read_array(best->file, learner->model.relation, learner_relation_bytes(learner));
	learner->embeddings = EMBEDDINGS_BEST;
}

void
best_iteration_close(BestIteration *best)
{
	if (best->file != NULL)
		BufFileClose(best->file);
	best->file = NULL;
}
