/*
 * sql_batch.c
 *		A statement for many rows (see sql.h).
 */
#include "sql.h"

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define BATCH_ROWS 20000
#define BATCH_BYTES ((Size) 32 * 1024 * 1024)	/* about, of values */
#define BATCH_COLUMNS SQL_MAX_ARGS

struct SqlBatch
{
	const char *statement;
	int			columns;
	Oid			types[BATCH_COLUMNS];
	int16		length[BATCH_COLUMNS];
	bool		by_value[BATCH_COLUMNS];
	char		alignment[BATCH_COLUMNS];
	Datum	   *values[BATCH_COLUMNS];
	bool	   *nulls[BATCH_COLUMNS];
	int			rows;
	uint64		processed;
	MemoryContext context;		/* of one batch's values */
};

SqlBatch *
sql_batch_begin(const char *statement, int columns, const Oid *types)
{
	SqlBatch   *batch = palloc0(sizeof(SqlBatch));

	Assert(columns <= BATCH_COLUMNS);
	batch->statement = statement;
	batch->columns = columns;
	for (int i = 0; i < columns; i++)
	{
		batch->types[i] = types[i];
		get_typlenbyvalalign(types[i], &batch->length[i], &batch->by_value[i],
							 &batch->alignment[i]);
		batch->values[i] = palloc(BATCH_ROWS * sizeof(Datum));
		batch->nulls[i] = palloc(BATCH_ROWS * sizeof(bool));
	}
	batch->context = AllocSetContextCreate(CurrentMemoryContext, "hybridkg batch",
										   ALLOCSET_DEFAULT_SIZES);
	return batch;
}

static Datum
batch_column(const SqlBatch *batch, int column)
{
	int			count = batch->rows;
	int			low = 1;

	return PointerGetDatum(construct_md_array(batch->values[column], batch->nulls[column],
											  1, &count, &low, batch->types[column],
											  batch->length[column], batch->by_value[column],
											  batch->alignment[column]));
}

static void
batch_flush(SqlBatch *batch)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->context);
	SqlArgs		args = {0};

	for (int i = 0; i < batch->columns; i++)
		sql_arg(&args, get_array_type(batch->types[i]), batch_column(batch, i));
	batch->processed += sql_run(batch->statement, &args);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(batch->context);
	batch->rows = 0;
	CHECK_FOR_INTERRUPTS();
}

void
sql_batch_row(SqlBatch *batch, const Datum *values, const bool *nulls)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->context);

	for (int i = 0; i < batch->columns; i++)
	{
		bool		isnull = nulls != NULL && nulls[i];

		batch->nulls[i][batch->rows] = isnull;
		batch->values[i][batch->rows] = isnull ? (Datum) 0 :
			datumCopy(values[i], batch->by_value[i], batch->length[i]);
	}
	MemoryContextSwitchTo(caller);
	if (++batch->rows == BATCH_ROWS || MemoryContextMemAllocated(batch->context, false) >= BATCH_BYTES)
		batch_flush(batch);
}

uint64
sql_batch_end(SqlBatch *batch)
{
	uint64		processed;

	if (batch->rows > 0)
		batch_flush(batch);
	processed = batch->processed;
	MemoryContextDelete(batch->context);
	for (int i = 0; i < batch->columns; i++)
	{
		pfree(batch->values[i]);
		pfree(batch->nulls[i]);
	}
	pfree(batch);
	return processed;
}
