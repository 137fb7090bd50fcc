/*
 * array.c
 *		C arrays as SQL arrays: a header, then the same bytes (see array.h).
 */
#include "array.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

static Datum
make_array(Oid type, const void *values, int count, Size size)
{
	Size		bytes = ARR_OVERHEAD_NONULLS(1) + count * size;
	ArrayType  *array = palloc(bytes);

	SET_VARSIZE(array, bytes);
	array->ndim = 1;
	array->dataoffset = 0;		/* no NULLs */
	array->elemtype = type;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), values, count * size);
	return PointerGetDatum(array);
}

Datum
array_of_int4(const int32 *values, int count)
{
	return make_array(INT4OID, values, count, sizeof(int32));
}

Datum
array_of_int8(const int64 *values, int count)
{
	return make_array(INT8OID, values, count, sizeof(int64));
}

Datum
array_of_float4(const float *values, int count)
{
	return make_array(FLOAT4OID, values, count, sizeof(float));
}

Datum
array_of_float8(const double *values, int count)
{
	return make_array(FLOAT8OID, values, count, sizeof(double));
}

Datum
array_of_text(char *const *values, int count)
{
	Datum	   *elements = palloc_extended(sizeof(Datum) * Max(count, 1), MCXT_ALLOC_HUGE);
	bool	   *nulls = palloc(Max(count, 1));
	int			first = 1;
	ArrayType  *array;

	for (int i = 0; i < count; i++)
	{
		nulls[i] = values[i] == NULL;
		elements[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(values[i]);
	}
	array = construct_md_array(elements, nulls, 1, &count, &first, TEXTOID, -1, false, TYPALIGN_INT);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			pfree(DatumGetPointer(elements[i]));
	pfree(elements);
	pfree(nulls);
	return PointerGetDatum(array);
}

char *
array_fault(const float *values, int count, double largest)
{
	for (int i = 0; i < count; i++)
		if (!(fabsf(values[i]) <= largest))
			return psprintf("holds at position %d what is no number from -%g to %g", i + 1, largest, largest);
	return NULL;
}

void
arg_triples(SqlArgs *args, const Triple *triple, int count)
{
	int32	   *id = palloc_extended(sizeof(int32) * Max(count, 1), MCXT_ALLOC_HUGE);

	for (int i = 0; i < count; i++)
		id[i] = triple[i].head;
	sql_arg(args, INT4ARRAYOID, array_of_int4(id, count));
	for (int i = 0; i < count; i++)
		id[i] = triple[i].relation;
	sql_arg(args, INT4ARRAYOID, array_of_int4(id, count));
	for (int i = 0; i < count; i++)
		id[i] = triple[i].tail;
	sql_arg(args, INT4ARRAYOID, array_of_int4(id, count));
	pfree(id);
}
