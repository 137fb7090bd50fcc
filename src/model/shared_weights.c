/*
 * shared_weights.c
 *		The weights of the network that makes a model's queries: rows of table shared_weight.
 *
 * In memory they are the last rows of the matrix of relations (KgeModel).
 */
#include "shared_weights.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "embeddings.h"
#include "server/array.h"
#include "server/sql.h"

#define LARGEST 1e12			/* beyond all that is learnt; sums of products of what is far larger would overflow */
#define ROWS_A_STATEMENT 1024

static int
width_of(const KgeModel *kge)
{
	return kge_relation_width(kge->function, kge->dimensions);
}

static float *
weights_of(const KgeModel *kge)
{
	return kge->relation + (Size) (kge_relation_rows(kge) - kge_shared_rows(kge)) * width_of(kge);
}

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct WeightReading
{
	const KgeModel *kge;
	int32		read;			/* rows so far */
	int32		number;			/* of the first one that is none */
	char	   *fault;			/* why not, as the end of a sentence; NULL: there is no such row */
} WeightReading;

bool
shared_weights_in_range(const KgeModel *kge)
{
	int			width = width_of(kge);
	const float *weights = weights_of(kge);

	for (int i = 0; i < kge_shared_rows(kge); i++)
		if (array_fault(weights + (Size) i * width, width, LARGEST) != NULL)
			return false;
	return true;
}

/* Rows come by ascending number. */
static void
take_weights(void *argument, const Datum *values, const bool *nulls)
{
	WeightReading *reading = argument;
	int			width = width_of(reading->kge);
	ArrayType  *array;

	if (reading->fault != NULL)
		return;
	reading->number = DatumGetInt32(values[0]);
	if (reading->number != reading->read + 1 || reading->read == kge_shared_rows(reading->kge))
	{
		reading->fault = pstrdup(reading->number == reading->read ? "is there twice" : "is out of order");
		return;
	}
	array = DatumGetArrayTypeP(sql_present(values, nulls, 1));
	reading->fault = embedding_fault(array, width);
	if (reading->fault == NULL)
	{
		float	   *to = weights_of(reading->kge) + (Size) reading->read * width;

		memcpy(to, ARR_DATA_PTR(array), width * sizeof(float));
		reading->fault = array_fault(to, width, LARGEST);
	}
	reading->read++;
	if ((Pointer) array != DatumGetPointer(values[1]))
		pfree(array);
}

void
shared_weights_read(Graph *graph, const char *model, const KgeModel *kge)
{
	WeightReading reading = {.kge = kge};
	SqlArgs		args = sql_args_text(model);

	if (kge_shared_rows(kge) == 0)
		return;
	sql_stream(psprintf("select number::int, weights::real[] from %s where model = $1 "
						"and num_nulls(number, weights) = 0 order by number",
						graph_table_name(graph, "shared_weight")), &args, take_weights, &reading);
	if (reading.fault == NULL && reading.read < kge_shared_rows(kge))
		reading = (WeightReading) {.number = reading.read + 1,.fault = pstrdup("is missing")};
	if (reading.fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("row %d of model \"%s\" in %sshared_weight %s", reading.number, model, graph->prefix,
						reading.fault),
				 errdetail("With %d dimensions it has rows 1 to %d.", kge->dimensions, kge_shared_rows(kge)),
				 errhint("Train the model again.")));
}

/* ---- writing ------------------------------------------------------------------------------ */

void
shared_weights_write(const Graph *graph, const char *model, const KgeModel *kge)
{
	int			width = width_of(kge);
	char	   *statement = psprintf("insert into %1$sshared_weight (model, number, weights) "
									 "select $1, $2 + i, ($3::real[])[(i * %2$d + 1) : (i + 1) * %2$d] "
									 "from generate_series(0, cardinality($3::real[]) / %2$d - 1) i", graph->prefix, width);

	for (int32 first = 0; first < kge_shared_rows(kge); first += ROWS_A_STATEMENT)
	{
		int32		count = Min(ROWS_A_STATEMENT, kge_shared_rows(kge) - first);
		Datum		weights = array_of_float4(weights_of(kge) + (Size) first * width, count * width);
		SqlArgs		args = sql_args_text(model);

		CHECK_FOR_INTERRUPTS();
		sql_arg(&args, INT4OID, Int32GetDatum(first + 1));
		sql_arg(&args, FLOAT4ARRAYOID, weights);
		sql_run(statement, &args);
		pfree(DatumGetPointer(weights));
	}
}
