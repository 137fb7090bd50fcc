/*
 * array.c
 *		A C array as an SQL array (see array.h): a header, then the same bytes.
 */
#include "array.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

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
array_of_float4(const float *values, int count)
{
	return make_array(FLOAT4OID, values, count, sizeof(float));
}

Datum
array_of_float8(const double *values, int count)
{
	return make_array(FLOAT8OID, values, count, sizeof(double));
}
