/*
 * array.h
 *		A C array as an SQL array, to travel as one parameter of a statement.
 */
#ifndef HKG_ARRAY_H
#define HKG_ARRAY_H

#include "compat.h"

/* In the current context; at most 1 GB, NULL-free, one dimension, subscripts from 1. */
extern Datum array_of_int4(const int32 *values, int count);
extern Datum array_of_float4(const float *values, int count);
extern Datum array_of_float8(const double *values, int count);

#endif							/* HKG_ARRAY_H */
