/*
 * embeddings.c
 *		The tables entity_embedding and relation_embedding of a graph, read and written.
 *
 * Reading takes two queries: the ids, which number the rows, then the embeddings, each of which is copied to its
 * row.  What is wrong with an embedding is raised after the query: naming its entity takes a query of its own.
 */
#include "embeddings.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "server/array.h"
#include "server/growing_array.h"
#include "server/sql.h"

/* floats in one INSERT: 4 MB */
#define FLOATS_A_STATEMENT (1024 * 1024)

/* ---- reading -------------------------------------------------------------- */

/* The first row that holds no embedding */
typedef struct Fault
{
	int32		id;
	char	   *reason;			/* the end of a sentence; NULL: there is no such row */
} Fault;

typedef struct EmbeddingReading
{
	const EmbeddingRows *rows;
	int			width;
	float	   *embedding;
	int64		read;			/* embeddings so far */
	Fault		fault;
} EmbeddingReading;

static void
take_id(void *argument, const Datum *values, const bool *nulls)
{
	EmbeddingRows *rows = argument;

	rows->id = array_reserve(rows->id, rows->count + 1, &rows->room, sizeof(int32));
	rows->id[rows->count++] = DatumGetInt32(values[0]);
}

static void
raise_fault(const EmbeddingRows *rows, const char *column, const Fault *fault)
{
	const char *name;

	if (fault->reason == NULL)
		return;
	name = strcmp(rows->kind, "entity") == 0 ? graph_entity_name(rows->graph, fault->id) :
		graph_relation_name(rows->graph, fault->id);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("%s of %s \"%s\" in %s%s_embedding %s", column, rows->kind, name, rows->graph->prefix, rows->kind,
					fault->reason),
			 errdetail("It belongs to model \"%s\".", rows->model),
			 errhint("%s", rows->hint == NULL ? "Train the model again." : rows->hint)));
}

static char *
table_of(const EmbeddingRows *rows)
{
	return graph_table_name(rows->graph, psprintf("%s_embedding", rows->kind));
}

void
embeddings_read_ids(EmbeddingRows *rows, MemoryContext context)
{
	SqlArgs		args = sql_args_text(rows->model);

	rows->room = 1024;
	rows->id = MemoryContextAlloc(context, rows->room * sizeof(int32));
	sql_stream(psprintf("select %s::int from %s where model = $1 order by 1",
						rows->kind, table_of(rows)),
			   &args, take_id, rows);
	/* the primary key forbids it, if it is still there */
	for (int64 i = 1; i < rows->count; i++)
		if (rows->id[i - 1] == rows->id[i])
			raise_fault(rows, "embedding", &(Fault) {rows->id[i], "is there twice"});
}

static char *
not_finite(const float *numbers, int count)
{
	for (int i = 0; i < count; i++)
		if (!isfinite(numbers[i]))
			return psprintf("holds %s at position %d",
							isnan(numbers[i]) ? "NaN" : "an infinite number", i + 1);
	return NULL;
}

char *
embedding_fault(ArrayType *array, int width)
{
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_ELEMTYPE(array) != FLOAT4OID)
		return psprintf("holds no real numbers");
	if (ARR_NDIM(array) > 1)
		return psprintf("is an array of %d dimensions, expected 1", ARR_NDIM(array));
	if (count != width)
		return psprintf("has length %d, expected %d", count, width);
	if (array_contains_nulls(array))
		return psprintf("holds a null");
	return not_finite((float *) ARR_DATA_PTR(array), width);
}

static void
take_embedding(void *argument, const Datum *values, const bool *nulls)
{
	EmbeddingReading *reading = argument;
	int32		id = DatumGetInt32(values[0]);
	int32		row = graph_row(reading->rows->id, (int32) reading->rows->count, id);
	ArrayType  *array;
	char	   *reason;

	if (reading->fault.reason != NULL || row < 0)
		return;
	reading->read++;
	array = nulls[1] ? NULL : DatumGetArrayTypeP(values[1]);
	reason = array == NULL ? pstrdup("is null") : embedding_fault(array, reading->width);
	if (reason == NULL)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without an array there is a reason */
		memcpy(reading->embedding + (Size) row * reading->width, ARR_DATA_PTR(array),
			   reading->width * sizeof(float));
	else
		reading->fault = (Fault) {id, reason};
	if (array != NULL && (Pointer) array != DatumGetPointer(values[1]))
		pfree(array);
}

void
embeddings_read(const EmbeddingRows *rows, const char *column, int width, float *embedding)
{
	EmbeddingReading reading = {.rows = rows,.width = width,.embedding = embedding};
	SqlArgs		args = sql_args_text(rows->model);

	sql_stream(psprintf("select %s::int, %s::real[] from %s where model = $1",
						rows->kind, column, table_of(rows)),
			   &args, take_embedding, &reading);
	raise_fault(rows, column, &reading.fault);
	/* row security may be random */
	if (reading.read != rows->count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model \"%s\" showed " INT64_FORMAT " rows of %s%s_embedding, then " INT64_FORMAT,
						rows->model, rows->count, rows->graph->prefix, rows->kind, reading.read)));
}

/* ---- writing ---------------------------------------------------------------- */

static char *
insert_statement(const EmbeddingRows *rows, int width, bool reciprocal)
{
	char	   *part = psprintf("[((u.place - 1) * %1$d + 1)::int : (u.place * %1$d)::int]", width);

	return psprintf("insert into %1$s%2$s_embedding (model, %2$s, embedding%3$s) "
					"select $1, u.id, ($3::real[])%4$s%5$s%6$s "
					"from unnest($2::int[]) with ordinality as u (id, place) "
					"where u.id in (select id from %1$s%2$s)",
					rows->graph->prefix, rows->kind, reciprocal ? ", reciprocal" : "",
					part, reciprocal ? ", ($4::real[])" : "", reciprocal ? part : "");
}

void
embeddings_write(const EmbeddingRows *rows, const float *embedding, const float *reciprocal, int width)
{
	char	   *statement = insert_statement(rows, width, reciprocal != NULL);
	int64		chunk = Max(1, FLOATS_A_STATEMENT / width);

	for (int64 first = 0; first < rows->count; first += chunk)
	{
		int			count = (int) Min(chunk, rows->count - first);
		SqlArgs		args = sql_args_text(rows->model);

		CHECK_FOR_INTERRUPTS();
		sql_arg(&args, INT4ARRAYOID, array_of_int4(rows->id + first, count));
		sql_arg(&args, FLOAT4ARRAYOID, array_of_float4(embedding + first * width, count * width));
		if (reciprocal != NULL)
			sql_arg(&args, FLOAT4ARRAYOID, array_of_float4(reciprocal + first * width, count * width));
		sql_run(statement, &args);
		sql_args_free(&args);
	}
}
